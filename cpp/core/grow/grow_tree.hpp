// The loop that grows a tree: open a node, stop or find its best split, divide, go on with the children. It is the page
// of the lecture notes without recursion: homogeneous, label, best_split. Trees of every kind are grown here.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "core/grow/frontier.hpp"
#include "core/grow/node_source.hpp"
#include "core/grow/report.hpp"
#include "core/tree.hpp"

namespace arboretum {

template <class Source>
struct OpenNode {
  NodeId id;
  typename Source::NodeType node;
  std::optional<typename Source::SplitType> split;
  double gain = 0.0;      // impurity decrease
  double priority = 0.0;  // times the share of the root's weight
};

template <class Source, class Targets>
bool must_stop(const Source& source, const GrowOptions& options, const typename Source::NodeType& node,
               const Targets& targets) {
  return source.homogeneous(node, targets) || node.depth >= options.max_depth ||
         node.range.size() < options.min_split_rows || node.range.size() / 2 < options.min_leaf_rows ||
         targets.weight() < 2 * options.min_leaf_weight * (1 - 1e-12);
}

// The finished tree, with the numbers that nodes show: they come from the targets of the rows that lie in each leaf.
template <class C, class Source>
Tree report(TreeBuilder grown, const Targets& targets, const C& criterion, const Source& source) {
  Tree tree;
  if constexpr (C::target == TargetKind::classes) {
    std::vector<Range> ranges;
    tree = std::move(grown).finish([&](const TreeNode& node) { ranges.push_back({node.begin, node.end}); });
    tree.value.clear();
    report_classes(tree, targets, [&](std::size_t node) { return source.rows_of(ranges[node]); });
  } else {
    report_numbers(grown, targets, criterion,
                   [&](const TreeNode& node) { return source.rows_of({node.begin, node.end}); });
    tree = std::move(grown).finish([](const TreeNode&) {});
  }
  choose_missing_child(tree);
  return tree;
}

// The loop. `criterion` scores splits for the source; it may be the plain one or its fast twin.
template <class Source, class AnyCriterion>
class Grower {
 public:
  using Node = typename Source::NodeType;
  using Open = OpenNode<Source>;

  Grower(Source& source, const AnyCriterion& criterion, const GrowOptions& options, Interrupt& interrupt,
         TreeBuilder& tree)
      : source_{source},
        criterion_{criterion},
        options_{options},
        interrupt_{interrupt},
        tree_{tree},
        frontier_{options.order} {}

  // Grows everything below a node. `root_weight` is that of the whole tree; `hand_over` may take nodes away, to be grown
  // elsewhere.
  template <class HandOver>
  void grow(Node root, double root_weight, HandOver&& hand_over) {
    root_weight_ = root_weight;
    add(std::move(root), no_node);
    while (!frontier_.empty() && tree_.n_leaves() < options_.max_leaves) {
      interrupt_.poll();
      Open next = frontier_.pop();
      if (hand_over(next)) continue;
      if (options_.order == Order::depth_first) examine(next);
      if (!next.split) continue;
      tree_.ask(next.id, *next.split, source_.threshold(next.node, *next.split), next.gain, next.priority);
      for (Node& child : source_.divide(next.node, *next.split)) add(std::move(child), next.id);
    }
  }

 private:
  // Best-first must know the split of a node before its turn comes, depth-first when it comes.
  void add(Node node, NodeId parent) {
    Open open{tree_.add(parent, node.range.begin, node.range.end, node.bounds), std::move(node), std::nullopt};
    if (options_.order == Order::best_first) examine(open);
    if (open.split || options_.order == Order::depth_first) frontier_.push(std::move(open));
  }

  // Looks into a node: stop, or find its best split.
  void examine(Open& open) {
    const auto summary = source_.open(open.node);
    if constexpr (requires { criterion_.impurity(summary); }) tree_[open.id].impurity = criterion_.impurity(summary);
    if constexpr (requires { summary.median(); }) tree_[open.id].value = summary.median();
    if (must_stop(source_, options_, open.node, summary)) return;
    open.split = source_.best_split(open.node, summary);
    if (!open.split) return;
    const double decrease = criterion_.decrease(open.split->score, summary);
    open.gain = decrease, open.priority = decrease * (summary.weight() / root_weight_);
    if (open.priority < options_.min_decrease) open.split.reset();
  }

  Source& source_;
  const AnyCriterion& criterion_;
  const GrowOptions& options_;
  Interrupt& interrupt_;
  TreeBuilder& tree_;
  Frontier<Open> frontier_;
  double root_weight_ = 0.0;
};

template <Criterion C>
Tree grow_tree(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
               Interrupt& interrupt) {
  NodeSource<C> source{data, targets, criterion, options, interrupt};
  TreeBuilder tree{!options.monotone.empty()};
  Node<C> root = source.root();
  const double root_weight = source.open(root).weight();
  Grower<NodeSource<C>, C>{source, criterion, options, interrupt, tree}.grow(std::move(root), root_weight,
                                                                             [](auto&) { return false; });
  return report(std::move(tree), targets, criterion, source);
}

}  // namespace arboretum
