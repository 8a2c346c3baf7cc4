// The loop that grows a tree: open a node, stop or find its best split, divide, go on with the children. It is the page
// of the lecture notes without recursion: homogeneous, label, best_split. Trees of every kind are grown here.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "core/grow/frontier.hpp"
#include "core/grow/report.hpp"
#include "core/grow/stopping.hpp"
#include "core/questions/snap.hpp"
#include "core/sources/part_source.hpp"
#include "core/sources/plain_source.hpp"
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
  return source.homogeneous(node, targets) ||
         is_final(options, node.depth, source.size(node, targets), targets.weight());
}

// The finished tree, with the numbers that nodes show: they come from the targets of the rows that lie in each leaf.
template <class C, class Source>
Tree report(TreeBuilder grown, const Targets& targets, const C& criterion, const GrowOptions& options,
            const Source& source) {
  Tree tree;
  if constexpr (C::target == TargetKind::classes) {
    std::vector<Range> ranges;
    tree = std::move(grown).finish([&](const TreeNode& node) { ranges.push_back(node.range()); });
    tree.value.clear();
    report_classes(tree, targets, ranges, source);
  } else {
    report_numbers(grown, targets, criterion, source);
    tree = std::move(grown).finish([](const TreeNode&) {});
  }
  if (!options.ratio.decides) tree.gain_ratio = {};
  if (options.missing != Missing::surrogate) choose_missing_child(tree, options.missing);
  if (options.thresholds == Thresholds::table) snap_thresholds(tree, source.data());
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
      if (!next.split || tree_.n_leaves() + next.split->n_children - 1 > options_.max_leaves) continue;
      if (next.split->n_children > 2 && tree_.size() + next.split->n_children > most_nodes)
        throw TooManyNodes{next.split->column};
      if constexpr (requires { source_.prepare(next.node, *next.split); }) source_.prepare(next.node, *next.split);
      tree_.ask(next.id, *next.split, source_.threshold(next.node, *next.split), next.gain, next.priority);
      if constexpr (requires { next.split->surrogates; }) remember_others(next);
      for (Node& child : source_.divide(next.node, *next.split)) add(std::move(child), next.id);
    }
  }

 private:
  // Best-first must know the split of a node before its turn comes, depth-first when it comes.
  void add(Node node, NodeId parent) {
    Open open{tree_.add(parent, node.range.begin, node.range.end, node.bounds), std::move(node), std::nullopt};
    if (open.node.range.size() == 0) return;  // a level without rows
    if constexpr (requires { source_.is_final(open.node); }) {
      if (source_.is_final(open.node)) {
        tree_[open.id].impurity = source_.impurity(open.node);
        return;
      }
    }
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
    const double decrease = source_.gain(*open.split, summary);
    open.gain = decrease, open.priority = decrease * (summary.weight() / root_weight_);
    if (open.priority < options_.min_decrease) open.split.reset();
  }

  void remember_others(const Open& open) {
    for (const auto& competitor : open.split->competitors)
      tree_.add_competitor(open.id, competitor, source_.threshold(open.node, competitor));
    for (const auto& surrogate : open.split->surrogates)
      tree_.add_surrogate(open.id, surrogate, source_.threshold(open.node, surrogate));
  }

  Source& source_;
  const AnyCriterion& criterion_;
  const GrowOptions& options_;
  Interrupt& interrupt_;
  TreeBuilder& tree_;
  Frontier<Open> frontier_;
  double root_weight_ = 0.0;
};

template <template <class> class SourceOf, Criterion C>
Tree grow_from(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
               Interrupt& interrupt) {
  using Source = SourceOf<C>;
  Source source{data, targets, criterion, options, interrupt};
  TreeBuilder tree{!options.monotone.empty()};
  typename Source::NodeType root = source.root();
  const double root_weight = source.open(root).weight();
  Grower<Source, C>{source, criterion, options, interrupt, tree}.grow(std::move(root), root_weight,
                                                                      [](auto&) { return false; });
  return report(std::move(tree), targets, criterion, options, source);
}

template <Criterion C>
Tree grow_tree(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
               Interrupt& interrupt) {
  if (options.missing == Missing::fractional || options.searches())
    return grow_from<PartSource>(data, targets, criterion, options, interrupt);
  return grow_from<NodeSource>(data, targets, criterion, options, interrupt);
}

}  // namespace arboretum
