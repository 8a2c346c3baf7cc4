// F(c) = c log2 c, the term that entropy and split information are made of.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>

#include "core/fixed_point.hpp"

namespace arboretum {

extern const std::array<double, 4096> known_terms;  // F of the first whole numbers

inline double c_log_c(double c) { return c > 0.0 ? c * std::log2(c) : 0.0; }

// F of a whole number. Most counts are small, and reading a table is faster than taking a logarithm.
inline double log_term(Fixed count) {
  const auto place = static_cast<std::size_t>(count);
  return place < known_terms.size() ? known_terms[place] : c_log_c(static_cast<double>(count));
}

}  // namespace arboretum
