// Tree: the grown tree as arrays, one entry per node, children next to each other, numbered breadth-first.
// Words: NodeId, Tree, TreeBuilder. Every node keeps its summary, so labels, pruning and drawings need no second pass.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
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

// A node while the tree grows. There may be millions: what only some nodes have is kept aside.
struct TreeNode {
  NodeId parent = no_node, first_child = no_node;
  std::int32_t n_children = 0, depth = 0;
  Row begin = 0, end = 0;  // its rows
  std::int32_t column = -1;
  std::int32_t levels = -1;  // place among the lists of levels
  QuestionKind kind = QuestionKind::leaf;
  bool missing_left = false, missing_seen = false;
  ThresholdValue threshold;
  double impurity = 0.0, value = 0.0, gain = 0.0, improvement = 0.0;
};

// A tree whose numbers are still to be reported, and where its nodes find their rows.
struct GrownTree {
  Tree tree;
  std::vector<Row> begin, end;
};

// Collects nodes in the order of growth; `finish` renumbers them breadth-first, so that the order of growth is forgotten.
class TreeBuilder {
 public:
  explicit TreeBuilder(bool constrained) : constrained_{constrained} {}

  NodeId add(NodeId parent, Row begin, Row end, const Bounds& bounds) {
    const auto id = static_cast<NodeId>(nodes_.size());
    TreeNode& node = nodes_.emplace_back();
    node.parent = parent, node.begin = begin, node.end = end;
    if (constrained_) bounds_.push_back(bounds);
    if (parent != no_node) {
      TreeNode& above = (*this)[parent];
      node.depth = above.depth + 1;
      if (above.n_children++ == 0) above.first_child = id, --n_leaves_;
    }
    ++n_leaves_;
    return id;
  }
  void ask(NodeId id, const Split& split, const ThresholdValue& threshold) {
    TreeNode& node = (*this)[id];
    node.column = static_cast<std::int32_t>(split.column), node.kind = split.kind, node.threshold = threshold;
    node.missing_left = split.missing_left, node.missing_seen = split.missing_seen;
    if (!split.levels.empty()) node.levels = static_cast<std::int32_t>(levels_.size()), levels_.push_back(split.levels);
  }
  // Puts a tree that was grown apart in the place of one of the leaves.
  void graft(NodeId at, TreeBuilder part) {
    const auto shift = static_cast<NodeId>(nodes_.size()) - 1;
    const auto level_shift = static_cast<std::int32_t>(levels_.size());
    const TreeNode leaf = (*this)[at];
    for (std::size_t i = 0; i < part.nodes_.size(); ++i) {
      TreeNode node = part.nodes_[i];
      if (node.n_children > 0) node.first_child += shift;
      if (node.levels >= 0) node.levels += level_shift;
      node.depth += leaf.depth;
      node.parent = i == 0 ? leaf.parent : node.parent == 0 ? at : node.parent + shift;
      if (i == 0) (*this)[at] = node;
      else nodes_.push_back(node);
      if (constrained_ && i > 0) bounds_.push_back(part.bounds_[i]);
    }
    std::move(part.levels_.begin(), part.levels_.end(), std::back_inserter(levels_));
    n_leaves_ += part.n_leaves_ - 1;
  }
  TreeNode& operator[](NodeId id) { return nodes_[static_cast<std::size_t>(id)]; }
  std::uint32_t n_leaves() const { return n_leaves_; }

  GrownTree finish() && {
    const std::vector<NodeId> order = renumber();
    GrownTree grown;
    reserve(grown, order.size());
    for (NodeId id : order) write((*this)[id], id, grown);
    grown.tree.level_begin.push_back(static_cast<std::int64_t>(grown.tree.level.size()));
    return grown;
  }

 private:
  // New number -> old number; parents and children already go by their new numbers.
  std::vector<NodeId> renumber() {
    std::vector<NodeId> order{0};
    order.reserve(nodes_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      TreeNode& node = (*this)[order[i]];
      if (node.n_children == 0) continue;
      const NodeId old_child = node.first_child;
      node.first_child = static_cast<NodeId>(order.size());
      for (NodeId c = 0; c < node.n_children; ++c) {
        (*this)[old_child + c].parent = static_cast<NodeId>(i);
        order.push_back(old_child + c);
      }
    }
    return order;
  }

  void reserve(GrownTree& grown, std::size_t n) const {
    Tree& t = grown.tree;
    for (auto* array : {&t.parent, &t.first_child, &t.n_children, &t.depth, &t.column, &t.missing_child})
      array->reserve(n);
    for (auto* array : {&t.threshold, &t.impurity, &t.gain, &t.improvement, &t.value}) array->reserve(n);
    t.kind.reserve(n), t.missing_seen.reserve(n), t.threshold_floor.reserve(n), t.level_begin.reserve(n + 1),
        t.n_rows.reserve(n);
    grown.begin.reserve(n), grown.end.reserve(n);
  }

  void write(const TreeNode& node, NodeId id, GrownTree& grown) const {
    Tree& t = grown.tree;
    const bool asks = node.n_children > 0;  // a node left over by max_leaves has a split it never asked
    t.parent.push_back(node.parent), t.first_child.push_back(node.first_child);
    t.n_children.push_back(node.n_children), t.depth.push_back(node.depth);
    t.kind.push_back(static_cast<std::uint8_t>(node.kind)), t.column.push_back(node.column);
    t.threshold.push_back(node.threshold.real), t.threshold_floor.push_back(node.threshold.floor);
    t.missing_child.push_back(node.missing_left ? 0 : 1), t.missing_seen.push_back(node.missing_seen);
    t.level_begin.push_back(static_cast<std::int64_t>(t.level.size()));
    if (node.levels >= 0) {
      for (const auto& [level, left] : levels_[static_cast<std::size_t>(node.levels)]) {
        t.level.push_back(static_cast<std::int32_t>(level));
        t.level_child.push_back(left ? 0 : 1);
      }
    }
    t.n_rows.push_back(node.end - node.begin);
    t.impurity.push_back(node.impurity), t.value.push_back(node.value);
    t.gain.push_back(asks ? node.gain : 0.0), t.improvement.push_back(asks ? node.improvement : 0.0);
    grown.begin.push_back(node.begin), grown.end.push_back(node.end);
    if (!constrained_) return;
    t.lower.push_back(bounds_[static_cast<std::size_t>(id)].lower);
    t.upper.push_back(bounds_[static_cast<std::size_t>(id)].upper);
  }

  bool constrained_;
  std::vector<TreeNode> nodes_;
  std::vector<Bounds> bounds_;
  std::vector<std::vector<std::pair<Code, bool>>> levels_;
  std::uint32_t n_leaves_ = 0;
};

}  // namespace arboretum
