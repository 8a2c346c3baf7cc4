// Weakest links: for every inner node the alpha from which on it, or one above it, is a leaf of the smallest tree that
// minimises risk + alpha * leaves.
//
// Children first. At a node, let everything below it be collapsed to its children: then it saves (children - 1) leaves
// at the price of its own risk less theirs. A link below that is dearer than this is collapsed later than the node
// itself, so it is undone, the dearest first, and the node's own price becomes the average of both. Every link is
// undone once, hence n log n in all with heaps that can be merged, where collapsing one link after the other climbs to
// the root each time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/prune/shape.hpp"

namespace arboretum {

// Prices are compared without dividing: exact where risks are whole numbers.
struct WeakLink {
  double risk = 0.0;
  double leaves = 1.0;

  double alpha() const { return risk / leaves; }
  bool operator<(const WeakLink& other) const { return risk * other.leaves < other.risk * leaves; }
};

// Leftist heaps over the nodes, the dearest link on top.
class WeakLinkHeaps {
 public:
  explicit WeakLinkHeaps(std::size_t n_nodes)
      : links(n_nodes), left_(n_nodes, none), right_(n_nodes, none), rank_(n_nodes) {}

  static constexpr NodeId none = no_node;
  std::vector<WeakLink> links;

  NodeId merge(NodeId a, NodeId b) {
    path_.clear();
    while (a != none && b != none) {  // down the right spines, which are short
      if (links[at(a)] < links[at(b)]) std::swap(a, b);
      path_.push_back(a);
      a = right_[at(a)];
    }
    NodeId merged = a == none ? b : a;
    for (; !path_.empty(); path_.pop_back()) {
      const std::size_t top = at(path_.back());
      right_[top] = merged;
      if (rank(left_[top]) < rank(right_[top])) std::swap(left_[top], right_[top]);
      rank_[top] = rank(right_[top]) + 1;
      merged = path_.back();
    }
    return merged;
  }
  NodeId pop(NodeId top) { return merge(left_[at(top)], right_[at(top)]); }

 private:
  static std::size_t at(NodeId node) { return static_cast<std::size_t>(node); }
  std::int32_t rank(NodeId node) const { return node == none ? -1 : rank_[at(node)]; }

  std::vector<NodeId> left_, right_;
  std::vector<std::int32_t> rank_;
  std::vector<NodeId> path_;
};

// 0 for leaves: they are leaves whatever alpha is.
inline std::vector<double> weakest_links(const Shape& shape, std::span<const double> risk) {
  WeakLinkHeaps heaps{shape.size()};
  std::vector<NodeId> below(shape.size(), WeakLinkHeaps::none);
  std::vector<double> alpha(shape.size());
  for (std::size_t node = shape.size(); node-- > 0;) {
    if (shape.is_leaf(node)) continue;
    WeakLink own{risk[node], static_cast<double>(shape.n_children[node] - 1)};
    NodeId heap = WeakLinkHeaps::none;
    for (std::int32_t c = 0; c < shape.n_children[node]; ++c) {
      const std::size_t child = shape.child(node, c);
      own.risk -= risk[child];
      heap = heaps.merge(heap, below[child]);
    }
    while (heap != WeakLinkHeaps::none && !(heaps.links[static_cast<std::size_t>(heap)] < own)) {
      const WeakLink& dearer = heaps.links[static_cast<std::size_t>(heap)];
      own.risk += dearer.risk, own.leaves += dearer.leaves;
      heap = heaps.pop(heap);
    }
    heaps.links[node] = own;
    below[node] = heaps.merge(heap, static_cast<NodeId>(node));
    alpha[node] = own.alpha();
  }
  // What lies below a node that is cheaper to collapse goes with it, and is never a leaf by itself.
  for (std::size_t node = 1; node < shape.size(); ++node)
    if (!shape.is_leaf(node)) alpha[node] = std::min(alpha[node], alpha[shape.above(node)]);
  return alpha;
}

}  // namespace arboretum
