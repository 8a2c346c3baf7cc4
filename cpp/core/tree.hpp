// Tree: the grown tree as arrays, one entry per node, children next to each other, numbered breadth-first.
// Words: NodeId, Tree, TreeBuilder. Every node keeps its summary, so labels, pruning and drawings need no second pass.
#pragma once
#include <cstdint>
#include <vector>

#include "core/grow/split.hpp"
#include "core/questions/contest.hpp"
#include "core/questions/threshold.hpp"

namespace arboretum {

using NodeId = std::int32_t;
inline constexpr NodeId no_node = -1;

struct Tree {
  std::vector<NodeId> parent, first_child;
  std::vector<std::int32_t> n_children, depth, column;
  std::vector<std::uint8_t> kind;             // QuestionKind
  std::vector<double> threshold;              // rounded down to a double
  std::vector<std::int64_t> threshold_floor;  // rounded down to an integer
  std::vector<std::int32_t> missing_child;    // which child takes missing values
  std::vector<std::uint8_t> missing_seen;     // had the node missing values in that column?
  std::vector<std::int64_t> level_begin;      // levels[level_begin[node], level_begin[node + 1])
  std::vector<std::int32_t> level, level_child;
  std::vector<std::int64_t> n_rows;
  std::vector<double> weight, impurity, gain;
  std::vector<double> improvement;   // gain times the node's share of the root's weight
  std::vector<double> value;         // real targets: what the node predicts
  std::vector<double> counts;        // classes: weight of each class, n_classes per node
  std::vector<double> lower, upper;  // under monotone constraints: what the node may predict

  std::size_t size() const { return parent.size(); }
};

struct TreeNode {
  NodeId parent = no_node, first_child = no_node;
  std::int32_t n_children = 0, depth = 0;
  Row begin = 0, end = 0;  // its rows
  double impurity = 0.0, value = 0.0, gain = 0.0, improvement = 0.0;
  Bounds bounds;
  Split split{.kind = QuestionKind::leaf};
  ThresholdValue threshold;
};

// Collects nodes in the order of growth; `finish` renumbers them breadth-first, so that the order of growth is forgotten.
class TreeBuilder {
 public:
  NodeId add(NodeId parent, Row begin, Row end, const Bounds& bounds) {
    TreeNode node;
    node.parent = parent, node.begin = begin, node.end = end, node.bounds = bounds;
    if (parent != no_node) {
      TreeNode& above = nodes_[static_cast<std::size_t>(parent)];
      node.depth = above.depth + 1;
      if (above.n_children++ == 0) above.first_child = static_cast<NodeId>(nodes_.size()), --n_leaves_;
    }
    ++n_leaves_;
    nodes_.push_back(std::move(node));
    return static_cast<NodeId>(nodes_.size() - 1);
  }
  void ask(NodeId id, const Split& split, const ThresholdValue& threshold) {
    (*this)[id].split = split, (*this)[id].threshold = threshold;
  }
  TreeNode& operator[](NodeId id) { return nodes_[static_cast<std::size_t>(id)]; }
  std::uint32_t n_leaves() const { return n_leaves_; }

  std::vector<TreeNode> finish() && {
    std::vector<NodeId> order{0};  // new number -> old number
    order.reserve(nodes_.size());
    std::vector<TreeNode> sorted;
    sorted.reserve(nodes_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      TreeNode node = std::move((*this)[order[i]]);
      const NodeId old_child = node.first_child;
      if (node.n_children > 0) node.first_child = static_cast<NodeId>(order.size());
      for (NodeId c = 0; c < node.n_children; ++c) {
        (*this)[old_child + c].parent = static_cast<NodeId>(i);
        order.push_back(old_child + c);
      }
      sorted.push_back(std::move(node));
    }
    return sorted;
  }

 private:
  std::vector<TreeNode> nodes_;
  std::uint32_t n_leaves_ = 0;
};

// The arrays that describe structure and questions; summaries are filled in by the report.
inline Tree to_arrays(const std::vector<TreeNode>& nodes, bool constrained) {
  Tree tree;
  for (const TreeNode& node : nodes) {
    tree.parent.push_back(node.parent), tree.first_child.push_back(node.first_child);
    tree.n_children.push_back(node.n_children), tree.depth.push_back(node.depth);
    tree.kind.push_back(static_cast<std::uint8_t>(node.split.kind));
    tree.column.push_back(node.n_children > 0 ? static_cast<std::int32_t>(node.split.column) : -1);
    tree.threshold.push_back(node.threshold.real), tree.threshold_floor.push_back(node.threshold.floor);
    tree.missing_child.push_back(node.split.missing_left ? 0 : 1), tree.missing_seen.push_back(node.split.missing_seen);
    tree.level_begin.push_back(static_cast<std::int64_t>(tree.level.size()));
    for (const auto& [level, left] : node.split.levels) {
      tree.level.push_back(static_cast<std::int32_t>(level));
      tree.level_child.push_back(left ? 0 : 1);
    }
    tree.n_rows.push_back(node.end - node.begin);
    tree.impurity.push_back(node.impurity),
        tree.gain.push_back(node.n_children > 0 ? node.gain : 0.0);  // a node left over by max_leaves never asked
    tree.improvement.push_back(node.n_children > 0 ? node.improvement : 0.0);
    if (constrained) tree.lower.push_back(node.bounds.lower), tree.upper.push_back(node.bounds.upper);
  }
  tree.level_begin.push_back(static_cast<std::int64_t>(tree.level.size()));
  return tree;
}

}  // namespace arboretum
