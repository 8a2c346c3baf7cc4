// The loop that grows a tree: open a node, stop or find its best split, divide, go on with the children. It is the
// page of the lecture notes without recursion: homogeneous, must_stop, best_split, label, divide. Trees of every kind
// are grown here. How a node gets its numbers is left to a source; there are four (sources/): plain, parts, fast and
// counts. A source has
//   root(), summarise(node), homogeneous(node, summary)   the first node; what is in a node
//   best_split(node, summary), gain(split, summary)       the best question, if any, and its impurity decrease
//   threshold(node, split), divide(node, split)           the question's number, and the children
// and, where it needs them, impurity(summary), prepare(node, split) before a question is asked, known_leaf(node), and
// p_value() of the node whose columns were chosen last.
#pragma once
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/grow/frontier.hpp"
#include "core/grow/report.hpp"
#include "core/grow/stopping.hpp"
#include "core/interrupt.hpp"
#include "core/tree.hpp"

namespace arboretum {

template <class Source>
struct OpenNode {
  NodeId id;
  typename Source::Node node;
  std::optional<typename Source::SplitType> split;
  double gain = 0.0;       // impurity decrease
  double corrected = 0.0;  // without what is gained by chance
  double priority = 0.0;   // the gain times the share of the root's weight
};

template <class Source>
class Grower {
 public:
  using Node = typename Source::Node;
  using Open = OpenNode<Source>;
  using HandOver = std::function<bool(Open&)>;

  Grower(Source& source, const GrowOptions& options, Interrupt& interrupt, TreeBuilder& tree)
      : source_{source}, options_{options}, interrupt_{interrupt}, tree_{tree}, frontier_{options.order} {}

  // Grows everything below a node. `root_weight` is that of the whole tree; `hand_over` may take nodes away, to be
  // grown elsewhere.
  void grow(Node root, double root_weight, const HandOver& hand_over = {}) {
    root_weight_ = root_weight;
    add(std::move(root), no_node);
    while (!frontier_.empty() && tree_.n_leaves() < options_.max_leaves) {
      interrupt_.poll();
      Open next = frontier_.pop();
      if (hand_over && hand_over(next)) continue;
      if (options_.order == Order::depth_first) examine(next);
      if (!next.split || !has_room_for(*next.split)) continue;
      ask(next);
      for (Node& child : source_.divide(next.node, *next.split)) add(std::move(child), next.id);
    }
  }

 private:
  // Best-first must know the split of a node before its turn comes, depth-first when it comes.
  void add(Node node, NodeId parent) {
    Open open{tree_.add(parent, node.range, node.bounds), std::move(node), std::nullopt};
    if (open.node.range.size() == 0) return;  // a level without rows
    if constexpr (requires { source_.known_leaf(open.node); }) {
      if (source_.known_leaf(open.node)) return label(open.id, source_.summarise(open.node));
    }
    if (options_.order == Order::best_first) examine(open);
    if (open.split || options_.order == Order::depth_first) frontier_.push(std::move(open));
  }

  // Looks into a node: stop, or find its best split.
  void examine(Open& open) {
    const auto summary = source_.summarise(open.node);
    label(open.id, summary);
    if (source_.homogeneous(open.node, summary) ||
        must_stop(options_, open.node.depth, open.node.range.size(), summary.weight()))
      return;
    open.split = source_.best_split(open.node, summary);
    if constexpr (requires { source_.p_value(); })
      if (options_.choose_columns) tree_.test(open.id, source_.p_value());
    if (!open.split) return;
    open.gain = source_.gain(*open.split, summary), open.corrected = source_.corrected_gain(*open.split, summary);
    open.priority = open.gain * (summary.weight() / root_weight_);
    if (open.priority < options_.min_decrease) open.split.reset();
  }

  // What the search knows of a node's label; the rest is summed up when the tree stands (report.hpp).
  template <class Summary>
  void label(NodeId id, const Summary& summary) {
    if constexpr (requires { source_.impurity(summary); }) tree_[id].impurity = source_.impurity(summary);
    if constexpr (requires { summary.median(); }) tree_[id].value = summary.median();
  }

  bool has_room_for(const Split& split) const {
    if (tree_.n_leaves() + split.n_children - 1 > options_.max_leaves) return false;
    if (split.n_children > 2 && tree_.size() + split.n_children > most_nodes) throw TooManyNodes{split.column};
    return true;
  }

  void ask(Open& open) {
    if constexpr (requires { source_.prepare(open.node, *open.split); }) source_.prepare(open.node, *open.split);
    tree_.ask(open.id, *open.split, source_.threshold(open.node, *open.split),
              {.gain = open.gain, .improvement = open.priority, .corrected_gain = open.corrected});
    if constexpr (requires { open.split->surrogates; }) {
      for (const auto& competitor : open.split->competitors)
        tree_.add_competitor(open.id, competitor, source_.threshold(open.node, competitor));
      for (const auto& surrogate : open.split->surrogates)
        tree_.add_surrogate(open.id, surrogate, source_.threshold(open.node, surrogate));
    }
  }

  Source& source_;
  const GrowOptions& options_;
  Interrupt& interrupt_;
  TreeBuilder& tree_;
  Frontier<Open> frontier_;
  double root_weight_ = 0.0;
};

// The weight that shares of the whole tree refer to.
inline double root_weight_of(const GrowOptions& options, double own) {
  return options.root_weight > 0.0 ? options.root_weight : own;
}

// A whole tree from one source, by one thread; threads may help within a node.
template <class Source>
TreeBuilder grow_from(Source& source, const GrowOptions& options, Interrupt& interrupt) {
  TreeBuilder tree{!options.monotone.empty()};
  typename Source::Node root = source.root();
  const double root_weight = root_weight_of(options, source.summarise(root).weight());
  Grower<Source>{source, options, interrupt, tree}.grow(std::move(root), root_weight);
  return tree;
}

}  // namespace arboretum
