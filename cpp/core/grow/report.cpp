#include "core/grow/report.hpp"

#include <algorithm>
#include <vector>

#include "core/grow/chance.hpp"
#include "core/questions/snap.hpp"
#include "core/twofold.hpp"

namespace arboretum {
namespace {

std::size_t last_child(const Tree& tree, std::size_t node) {
  return static_cast<std::size_t>(tree.first_child[node] + tree.n_children[node] - 1);
}

// `ranges` are those of the nodes. An inner node may have rows of its own, that went to no child.
void report_classes(Tree& tree, const Targets& targets, const std::vector<Range>& ranges, const RowsOfNodes& rows) {
  const std::size_t n_classes = targets.n_classes;
  std::vector<Twofold> counts(tree.size() * n_classes);
  for (std::size_t node = tree.size(); node-- > 0;) {
    Twofold* own = &counts[node * n_classes];
    const OwnRows here =
        rows.own_rows(ranges[node], tree.n_children[node] > 0 ? &ranges[last_child(tree, node)] : nullptr);
    for (const Row row : here.whole) own[targets.classes[row]] += targets.case_weight(row);
    for (const Part& part : here.parts) own[targets.classes[part.row]] += part.share * targets.case_weight(part.row);
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
RowOrder row_order(const Targets& targets) {
  const std::span<const double> weights = targets.case_weights.empty() ? targets.weights : targets.case_weights;
  if (weights.empty()) return RowOrder::any;
  const auto [lightest, heaviest] = std::ranges::minmax(weights);
  return heaviest > lightest * 0x1p26 ? RowOrder::sorted : RowOrder::any;
}

// Depth-first, so that only the sums along one path are held at a time: a tree may have as many leaves as there are
// rows.
template <bool with_logs>
void report_numbers(TreeBuilder& tree, const Targets& targets, double (*impurity)(const RealSums<with_logs>&),
                    const RowsOfNodes& rows) {
  struct Visit {
    NodeId node;
    std::int32_t n_seen = 0;  // children that are summed already
    RealSums<with_logs> sums{};
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
    const OwnRows here = rows.own_rows(node.range(), is_leaf ? nullptr : &last);
    auto each_row = [&](auto&& read) {
      for (const Row row : here.whole) read(targets.case_weight(row), targets.numbers[row]);
      for (const Part& part : here.parts) read(part.share * targets.case_weight(part.row), targets.numbers[part.row]);
    };
    visit.sums += RealSums<with_logs>::of(each_row, order);
    node.weight = visit.sums.weight.value();
    if (impurity != nullptr) {
      if (node.begin == node.end) node.impurity = node.value = 0.0;  // a level without rows
      else node.impurity = impurity(visit.sums), node.value = visit.sums.mean();
    }
    if (path.size() > 1) path[path.size() - 2].sums += visit.sums;
    path.pop_back();
  }
}

// Where no value was missing, missing values follow the heavier child. Where rows are divided, that one has most of
// them.
void choose_missing_child(Tree& tree, Missing missing) {
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

}  // namespace

Tree report(TreeBuilder grown, const Dataset& data, const Targets& targets, const ReportedImpurity& impurity,
            const GrowOptions& options, const RowsOfNodes& rows) {
  Tree tree;
  if (impurity.target == TargetKind::classes) {
    std::vector<Range> ranges;
    tree = std::move(grown).finish(&ranges);
    tree.value.clear();
    report_classes(tree, targets, ranges, rows);
  } else {
    if (impurity.of_logs != nullptr) report_numbers(grown, targets, impurity.of_logs, rows);
    else report_numbers(grown, targets, impurity.of_squares, rows);
    tree = std::move(grown).finish(nullptr);
  }
  if (!options.ratio.decides) tree.gain_ratio = {};
  if (!corrects_any(options, data)) tree.corrected_gain = {}, tree.others.corrected_gain = {};
  if (options.missing != Missing::surrogate) choose_missing_child(tree, options.missing);
  if (options.thresholds == Thresholds::table) snap_thresholds(tree, data);
  return tree;
}

}  // namespace arboretum
