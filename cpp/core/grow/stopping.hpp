// Stopping: when a node is not divided any further, whatever could be asked there.
#pragma once
#include <cstdint>

#include "core/options.hpp"

namespace arboretum {

// `size` is in rows, or in what is here of them; `weight` is the weight that decides splits.
inline bool is_final(const GrowOptions& options, std::uint32_t depth, double size, double weight) {
  return depth >= options.max_depth || size < options.min_split_rows || size < 2.0 * options.min_leaf_rows ||
         weight < 2 * options.min_leaf_weight * (1 - 1e-12);
}

}  // namespace arboretum
