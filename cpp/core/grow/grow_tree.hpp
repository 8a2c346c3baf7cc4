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
  double priority = 0.0;  // impurity decrease times weight
};

template <class Source, class Targets>
bool must_stop(const Source& source, const GrowOptions& options, const typename Source::NodeType& node,
               const Targets& targets) {
  return source.homogeneous(node, targets) || node.depth >= options.max_depth ||
         node.range.size() < options.min_split_rows || node.range.size() / 2 < options.min_leaf_rows ||
         targets.weight() < 2 * options.min_leaf_weight * (1 - 1e-12);
}

// Fills in the numbers that nodes show, from the targets of the rows that lie in each leaf.
template <class C, class Source>
Tree report(const std::vector<TreeNode>& nodes, const Targets& targets, const C& criterion, const GrowOptions& options,
            const Source& source) {
  Tree tree = to_arrays(nodes, !options.monotone.empty());
  auto rows_of = [&](std::size_t node) { return source.rows_of({nodes[node].begin, nodes[node].end}); };
  tree.weight.resize(tree.size());
  if constexpr (C::target == TargetKind::classes) {
    report_classes(tree, targets, rows_of);
  } else {
    for (const TreeNode& node : nodes) tree.value.push_back(node.value);
    report_numbers(tree, targets, criterion, rows_of);
  }
  choose_missing_child(tree);
  return tree;
}

// `criterion` scores splits for the source; it may be the plain one or its fast twin.
template <class Source, class AnyCriterion>
std::vector<TreeNode> grow_nodes(Source& source, const AnyCriterion& criterion, const GrowOptions& options,
                                 Interrupt& interrupt) {
  TreeBuilder tree;
  Frontier<OpenNode<Source>> frontier{options.order};
  double root_weight = 0.0;

  // Looks into a node: stop, or find its best split.
  auto examine = [&](OpenNode<Source>& open) {
    const auto summary = source.open(open.node);
    if (open.id == 0) root_weight = summary.weight();
    if constexpr (requires { criterion.impurity(summary); }) tree[open.id].impurity = criterion.impurity(summary);
    if constexpr (requires { summary.median(); }) tree[open.id].value = summary.median();
    if (must_stop(source, options, open.node, summary)) return;
    open.split = source.best_split(open.node, summary);
    if (!open.split) return;
    const double decrease = criterion.decrease(open.split->score, summary);
    open.priority = decrease * (summary.weight() / root_weight);
    tree[open.id].gain = decrease, tree[open.id].improvement = open.priority;
    if (open.priority < options.min_decrease) open.split.reset();
  };
  // Best-first must know the split of a node before its turn comes, depth-first when it comes.
  auto add = [&](typename Source::NodeType node, NodeId parent) {
    OpenNode<Source> open{tree.add(parent, node.range.begin, node.range.end, node.bounds), std::move(node),
                          std::nullopt};
    if (options.order == Order::best_first) examine(open);
    if (open.split || options.order == Order::depth_first) frontier.push(std::move(open));
  };

  add(source.root(), no_node);
  while (!frontier.empty() && tree.n_leaves() < options.max_leaves) {
    interrupt.poll();
    OpenNode<Source> next = frontier.pop();
    if (options.order == Order::depth_first) examine(next);
    if (!next.split) continue;
    tree.ask(next.id, *next.split, source.threshold(next.node, *next.split));
    for (auto& child : source.divide(next.node, *next.split)) add(std::move(child), next.id);
  }
  return std::move(tree).finish();
}

template <Criterion C>
Tree grow_tree(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
               Interrupt& interrupt) {
  NodeSource<C> source{data, targets, criterion, options, interrupt};
  const std::vector<TreeNode> nodes = grow_nodes(source, criterion, options, interrupt);
  return report(nodes, targets, criterion, options, source);
}

}  // namespace arboretum
