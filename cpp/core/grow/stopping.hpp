// The stop test: when a node is not divided any further, whatever could be asked there. All sources and searches ask
// here.
#pragma once
#include <cstdint>

#include "core/options.hpp"

namespace arboretum {

// The size of a node that limits count: its rows or, where rows are divided, what is here of them.
inline double size_of(const GrowOptions& options, std::size_t n_rows, double weight) {
  if (!options.divides_rows()) return static_cast<double>(n_rows);
  return weight / options.row_weight * (1 + share_tolerance);
}

// Known before the weight is.
inline bool is_too_small(const GrowOptions& options, std::uint32_t depth, double size) {
  return depth >= options.max_depth || size < options.min_split_rows || size < 2.0 * options.min_leaf_rows;
}

// `weight` is the weight that decides splits.
inline bool must_stop(const GrowOptions& options, std::uint32_t depth, std::size_t n_rows, double weight) {
  return is_too_small(options, depth, size_of(options, n_rows, weight)) ||
         weight < 2 * options.min_leaf_weight * (1 - 1e-12);
}

}  // namespace arboretum
