#include "core/log_terms.hpp"

namespace arboretum {

const std::array<double, 4096> known_terms = [] {
  std::array<double, 4096> terms{};
  for (std::size_t c = 0; c < terms.size(); ++c) terms[c] = c_log_c(static_cast<double>(c));
  return terms;
}();

}  // namespace arboretum
