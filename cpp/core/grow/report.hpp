// Report: the numbers that nodes show, summed from the targets themselves once the tree stands: leaves first, inner nodes
// as sums of their children. Kept apart from the search, which works on rounded integers.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "core/criteria/criterion.hpp"
#include "core/options.hpp"
#include "core/real_sums.hpp"
#include "core/tree.hpp"
#include "core/twofold.hpp"

namespace arboretum {

inline std::size_t last_child(const Tree& tree, std::size_t node) {
  return static_cast<std::size_t>(tree.first_child[node] + tree.n_children[node] - 1);
}

// `ranges` are those of the nodes. An inner node may have rows of its own, that went to no child.
template <class Source>
void report_classes(Tree& tree, const Targets& targets, const std::vector<Range>& ranges, const Source& source) {
  const std::size_t n_classes = targets.n_classes;
  std::vector<Twofold> counts(tree.size() * n_classes);
  for (std::size_t node = tree.size(); node-- > 0;) {
    Twofold* own = &counts[node * n_classes];
    source.each_own_row(ranges[node], tree.n_children[node] > 0 ? &ranges[last_child(tree, node)] : nullptr,
                        [&](Row row, double share) { own[targets.classes[row]] += share * targets.case_weight(row); });
    Twofold weight;
    for (std::size_t k = 0; k < n_classes; ++k) weight += own[k];
    tree.weight[node] = weight.value();
    if (tree.parent[node] == no_node) continue;
    Twofold* above = &counts[static_cast<std::size_t>(tree.parent[node]) * n_classes];
    for (std::size_t k = 0; k < n_classes; ++k) above[k] += own[k];
  }
  tree.counts.reserve(counts.size());
  for (const Twofold& count : counts) tree.counts.push_back(count.value());
}

// Where a row weighs so many times as much as another, the order of the rows would show in sums of doubled precision.
inline RowOrder row_order(const Targets& targets) {
  const std::span<const double> weights = targets.case_weights.empty() ? targets.weights : targets.case_weights;
  if (weights.empty()) return RowOrder::any;
  const auto [lightest, heaviest] = std::ranges::minmax(weights);
  return heaviest > lightest * 0x1p26 ? RowOrder::sorted : RowOrder::any;
}

// Depth-first, so that only the sums along one path are held at a time: a tree may have as many leaves as there are rows.
template <class C, class Source>
void report_numbers(TreeBuilder& tree, const Targets& targets, const C& criterion, const Source& source) {
  struct Visit {
    NodeId node;
    std::int32_t n_seen = 0;  // children that are summed already
    RealSums<C::needs_logs> sums{};
  };
  const RowOrder order = row_order(targets);
  std::vector<Visit> path{{0}};
  while (!path.empty()) {
    Visit& visit = path.back();
    TreeNode& node = tree[visit.node];
    if (visit.n_seen < node.n_children) {
      path.push_back({node.first_child + visit.n_seen++});
      continue;
    }
    const bool is_leaf = node.n_children == 0;
    const Range last = is_leaf ? Range{} : tree[node.first_child + node.n_children - 1].range();
    auto each_row = [&](auto&& read) {
      source.each_own_row(node.range(), is_leaf ? nullptr : &last,
                          [&](Row row, double share) { read(share * targets.case_weight(row), targets.numbers[row]); });
    };
    visit.sums += RealSums<C::needs_logs>::of(each_row, order);
    node.weight = visit.sums.weight.value();
    if constexpr (requires { criterion.impurity(visit.sums); }) {
      if (node.begin == node.end) node.impurity = node.value = 0.0;  // a level without rows
      else node.impurity = criterion.impurity(visit.sums), node.value = visit.sums.mean();
    }
    if (path.size() > 1) path[path.size() - 2].sums += visit.sums;
    path.pop_back();
  }
}

// Where no value was missing, missing values follow the heavier child. Where rows are divided, that one has most of them.
inline void choose_missing_child(Tree& tree, Missing missing) {
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.n_children[node] == 0) continue;
    if (tree.missing_seen[node] && missing != Missing::fractional) continue;
    const auto first = static_cast<std::size_t>(tree.first_child[node]);
    std::int32_t heaviest = 0;
    for (std::int32_t c = 1; c < tree.n_children[node]; ++c)
      if (tree.weight[first + static_cast<std::size_t>(c)] > tree.weight[first + static_cast<std::size_t>(heaviest)])
        heaviest = c;
    tree.missing_child[node] = heaviest;
  }
}

}  // namespace arboretum
