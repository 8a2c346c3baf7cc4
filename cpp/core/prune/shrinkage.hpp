// Hierarchical shrinkage (Agarwal and others 2022): predictions are drawn towards those of the nodes above. On the way
// down, each step from what a parent predicts by its own rows to what its child does counts for
// 1 / (1 + strength / rows of the parent).
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include "core/tree.hpp"

namespace arboretum {

// `predicted` is to hold what the root predicts; nodes come after their parents, each with `width` numbers.
inline void shrink(std::span<const NodeId> parent, std::span<const std::int64_t> n_rows, std::span<const double> own,
                   std::size_t width, double strength, std::span<double> predicted) {
  for (std::size_t node = 1; node < parent.size(); ++node) {
    const auto above = static_cast<std::size_t>(parent[node]);
    const double share = 1.0 / (1.0 + strength / static_cast<double>(std::max<std::int64_t>(n_rows[above], 1)));
    for (std::size_t i = 0; i < width; ++i) {
      const double step = own[node * width + i] - own[above * width + i];
      predicted[node * width + i] = predicted[above * width + i] + step * share;
    }
  }
}

}  // namespace arboretum
