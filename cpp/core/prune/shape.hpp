// Shape: which node is whose child, as pruners see a tree. Nodes come after their parent, siblings side by side.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/tree.hpp"

namespace arboretum {

struct Shape {
  std::span<const NodeId> parent, first_child;
  std::span<const std::int32_t> n_children;

  std::size_t size() const { return parent.size(); }
  bool is_leaf(std::size_t node) const { return n_children[node] == 0; }
  std::size_t above(std::size_t node) const { return static_cast<std::size_t>(parent[node]); }
  std::size_t child(std::size_t node, std::int32_t c) const { return static_cast<std::size_t>(first_child[node] + c); }

  // Whoever walks up or down ends, inside the arrays.
  void check() const {
    const auto n = static_cast<std::int64_t>(size());
    if (n == 0 || std::ssize(first_child) != n || std::ssize(n_children) != n || parent[0] != no_node)
      throw std::invalid_argument("the arrays of the tree do not belong together");
    for (std::int64_t node = 0; node < n; ++node) {
      const auto i = static_cast<std::size_t>(node);
      const bool below = node == 0 || (parent[i] >= 0 && parent[i] < node);
      const bool leads = n_children[i] == 0 || (n_children[i] > 0 && first_child[i] > node &&
                                                std::int64_t{first_child[i]} + n_children[i] <= n);
      if (!below || !leads) throw std::invalid_argument("parents and children of the tree do not agree");
    }
  }
};

// For each node the first step at which it, or a node above it, is a leaf; `step` is when the node alone becomes one.
inline std::vector<std::int32_t> nested_steps(const Shape& shape, std::span<const std::int32_t> step) {
  std::vector<std::int32_t> nested(step.begin(), step.end());
  for (std::size_t node = 1; node < nested.size(); ++node)
    nested[node] = std::min(nested[node], nested[shape.above(node)]);
  return nested;
}

// For each node the one where rows rest that reach it, at one of the steps: the first leaf on its path.
inline std::vector<NodeId> resting_places(const Shape& shape, std::span<const std::int32_t> nested, std::int32_t at) {
  std::vector<NodeId> place(nested.size(), 0);
  for (std::size_t node = 1; node < place.size(); ++node) {
    const std::size_t above = shape.above(node);
    place[node] = nested[above] <= at ? place[above] : static_cast<NodeId>(node);
  }
  return place;
}

}  // namespace arboretum
