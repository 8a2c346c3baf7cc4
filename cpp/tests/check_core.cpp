// Exercises the core without Python, so that sanitizers see every path: random tables of all kinds, all criteria, all
// options; each grown tree must satisfy the laws below. Prints "N passed, M failed" and returns 1 if anything failed.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/grow/grow.hpp"
#include "core/registry.hpp"
#include "core/route.hpp"
#include "tests/expect.hpp"
#include "tests/median_checks.hpp"
#include "tests/prune_checks.hpp"
#include "tests/random_table.hpp"

namespace arboretum {
namespace {

Router router_of(const Tree& tree, MissingRule rule = MissingRule::child) {
  return Router{{tree.first_child, tree.n_children, tree.column, tree.kind, tree.threshold, tree.threshold_floor,
                 tree.missing_child, tree.level_begin, tree.level, tree.level_child, tree.weight, rule, tree.others}};
}

// Rows of the children add up to those of the parent, limits hold, and every row is routed to the leaf it was grown in.
void check_tree(const Tree& tree, const Dataset& data, const GrowOptions& options, const std::string& name) {
  const Router router = router_of(tree);
  std::vector<std::int64_t> routed(tree.size());
  for (Row row = 0; row < data.n_rows; ++row) ++routed[static_cast<std::size_t>(router.leaf_of(data, row))];
  bool adds_up = true, within_limits = true, routes = true;
  std::uint32_t n_leaves = 0;
  for (std::size_t node = 0; node < tree.size(); ++node) {
    std::int64_t below = 0;
    for (std::int32_t c = 0; c < tree.n_children[node]; ++c)
      below += tree.n_rows[static_cast<std::size_t>(tree.first_child[node] + c)];
    const bool is_leaf = tree.n_children[node] == 0;
    n_leaves += is_leaf;
    adds_up &= is_leaf || below == tree.n_rows[node];
    routes &= !is_leaf || routed[node] == tree.n_rows[node];
    within_limits &= (node == 0 || tree.n_rows[node] >= options.min_leaf_rows) &&
                     tree.depth[node] <= static_cast<std::int64_t>(options.max_depth);
    within_limits &= tree.gain[node] >= 0.0 && tree.impurity[node] >= 0.0;
  }
  expect(adds_up, name + ": rows of children do not add up");
  expect(within_limits, name + ": a node breaks a limit");
  expect(n_leaves <= options.max_leaves, name + ": too many leaves");
  expect(routes, name + ": rows are routed elsewhere than they were grown");
}

MissingRule rule_of(const Tree& tree, const GrowOptions& options) {
  const bool sends = options.missing == Missing::surrogate && options.surrogates.send != Send::never;
  if (options.missing == Missing::fractional) return MissingRule::fractions;
  return sends && tree.others.size() > 0 ? MissingRule::surrogates : MissingRule::child;
}

// The same where rows may be divided or stay at an inner node.
void check_rest(const Tree& tree, const Dataset& data, const GrowOptions& options, const std::string& name) {
  const MissingRule rule = rule_of(tree, options);
  const Router router = router_of(tree, rule);
  if (rule == MissingRule::fractions) {
    const std::vector<double> ones(tree.size(), 1.0);
    std::vector<double> shares(data.n_rows);
    router.blend(data, ones, 1, shares, [] {});
    bool whole = true;
    for (const double share : shares) whole &= std::abs(share - 1.0) < 1e-9;
    expect(whole, name + ": the parts of a row are no whole");
    return;
  }
  std::vector<std::int64_t> rest(tree.size()), own = tree.n_rows;
  for (Row row = 0; row < data.n_rows; ++row) ++rest[static_cast<std::size_t>(router.leaf_of(data, row))];
  for (std::size_t node = 1; node < tree.size(); ++node)
    own[static_cast<std::size_t>(tree.parent[node])] -= tree.n_rows[node];
  expect(rest == own, name + ": rows rest elsewhere than they were grown");
  std::uint32_t n_leaves = 0;
  for (const std::int32_t n : tree.n_children) n_leaves += n == 0;
  expect(n_leaves <= options.max_leaves, name + ": too many leaves");
}

bool same(const Tree& a, const Tree& b) {
  return a.column == b.column && a.kind == b.kind && a.threshold == b.threshold &&
         a.threshold_floor == b.threshold_floor && a.weight == b.weight && a.impurity == b.impurity &&
         a.level == b.level && a.level_child == b.level_child && a.n_rows == b.n_rows && a.gain == b.gain &&
         a.missing_child == b.missing_child && a.value == b.value && a.counts == b.counts &&
         a.gain_ratio == b.gain_ratio && a.others.begin == b.others.begin && a.others.column == b.others.column &&
         a.others.threshold == b.others.threshold && a.others.level == b.others.level &&
         a.others.gain == b.others.gain && a.others.agreement == b.others.agreement &&
         a.others.n_rows == b.others.n_rows;
}

// Every way to grow that must not change the tree.
std::vector<std::pair<std::string, GrowOptions>> ways(const GrowOptions& plain) {
  std::vector<std::pair<std::string, GrowOptions>> all;
  auto add = [&](const char* name, auto&& change) {
    GrowOptions options = plain;
    options.fast = true;
    change(options);
    all.emplace_back(name, options);
  };
  add("threads", [](GrowOptions& o) { o.fast = false, o.n_threads = 3; });
  add("fast", [](GrowOptions&) {});
  add("fast without bounds", [](GrowOptions& o) { o.bounds = false; });
  add("fast without subtraction", [](GrowOptions& o) { o.subtraction = false; });
  add("fast without vector instructions", [](GrowOptions& o) { o.simd = false; });
  add("fast without small nodes", [](GrowOptions& o) { o.small_limit = 0; });
  add("fast with tiny small nodes", [](GrowOptions& o) { o.small_limit = 7; });
  add("fast with threads", [](GrowOptions& o) { o.n_threads = 3; });
  return all;
}

template <class C>
void check_criterion(std::mt19937& random) {
  for (int round = 0; round < 24; ++round) {
    const Row n_rows = round < 20 ? 1 + static_cast<Row>(random() % 120) : 21'000;
    const std::uint32_t n_classes = 1 + static_cast<std::uint32_t>(random() % 4);
    Table table{random, n_rows, round % 2 ? 30u : 4u, n_classes};
    GrowOptions options;
    options.min_leaf_rows = 1 + static_cast<Row>(random() % 3);
    options.max_depth = round % 3 ? 6 : 30;
    options.nominal = round % 4 == 0 ? Nominal::one_vs_rest : Nominal::subset;
    options.thresholds = round % 5 == 0 ? Thresholds::observed : Thresholds::midpoint;
    if (round % 6 == 0) options.max_leaves = 5, options.order = Order::best_first;
    if (round % 7 == 0) options.max_bins = 8;
    if (round % 8 == 3 && (C::target == TargetKind::numbers || n_classes == 2)) options.monotone = {1, -1, 0, 0, 0, 0};
    Targets targets{.n_classes = n_classes};
    if (C::target == TargetKind::classes) targets.classes = table.classes;
    else targets.numbers = table.numbers;
    if (round % 2) targets.weights = table.weights;
    C criterion{};
    if constexpr (C::target == TargetKind::classes) criterion.n_classes = n_classes;
    Interrupt interrupt;
    options.fast = false;
    const Tree tree = grow(table.data, targets, criterion, options, interrupt);
    const std::string name = std::string{C::name} + ", round " + std::to_string(round);
    check_tree(tree, table.data, options, name);
    check_taken(table.data, table.classes, table.numbers, criterion, n_classes, name, expect);
    for (const auto& [way, way_options] : ways(options))
      expect(same(tree, grow(table.data, targets, criterion, way_options, interrupt)), name + ": changed by " + way);
  }
}

// Trees with many branches, surrogates, fractions and competitors: rows rest where they were grown, whole or in parts, and
// neither threads nor faster ways change the tree.
template <class C>
void check_kinds(std::mt19937& random) {
  for (int round = 0; round < 24; ++round) {
    const Row n_rows = round < 20 ? 1 + static_cast<Row>(random() % 400) : 8'000;
    const std::uint32_t n_classes = 2 + static_cast<std::uint32_t>(random() % 3);
    Table table{random, n_rows, 4u, n_classes};
    if (round % 5 == 4) table.data.columns = {table.data.columns[3], table.data.columns[3]};  // nothing but levels
    GrowOptions options;
    options.missing = static_cast<Missing>(round % 3);
    options.nominal = options.missing == Missing::surrogate ? Nominal::subset : static_cast<Nominal>(round % 4 % 3);
    options.surrogates.send = static_cast<Send>(round % 9 / 3);
    options.competitors = round % 2 ? 2 : 0;
    options.thresholds = round % 7 ? Thresholds::midpoint : Thresholds::table;
    options.min_leaf_rows = 1 + static_cast<Row>(random() % 3);
    if (C::target == TargetKind::classes && std::string{C::name} == "entropy" && round % 4 > 1)
      options.ratio = {true, static_cast<Guard>(round % 3), round % 2 == 0};
    if (round % 6 == 5) options.max_leaves = 12, options.order = Order::best_first;
    Targets targets{.n_classes = n_classes};
    if (C::target == TargetKind::classes) targets.classes = table.classes;
    else targets.numbers = table.numbers;
    if (round % 4 == 1) targets.weights = table.weights;
    C criterion{};
    if constexpr (C::target == TargetKind::classes) criterion.n_classes = n_classes;
    Interrupt interrupt;
    const Tree tree = grow(table.data, targets, criterion, options, interrupt);
    const std::string name = std::string{C::name} + " of another kind, round " + std::to_string(round);
    check_rest(tree, table.data, options, name);
    check_pruners(tree, random, name, expect);
    if (C::target == TargetKind::classes) {
      const Router router = router_of(tree, rule_of(tree, options));
      check_pessimistic(tree, router, table.data, targets, round % 2 == 0, name, expect);
    }
    GrowOptions other = options;
    other.fast = false;
    expect(same(tree, grow(table.data, targets, criterion, other, interrupt)), name + ": changed by a faster way");
    other.n_threads = 3;
    expect(same(tree, grow(table.data, targets, criterion, other, interrupt)), name + ": changed by threads");
  }
}

// Rows that walk together come to the leaves they come to one by one: all columns of real numbers, of mixed types with a
// mask, and integers beyond what a double holds.
void check_walk(std::mt19937& random) {
  Table table{random, 5000, 4, 3};
  const std::vector<ColumnView> all = table.data.columns;
  const std::vector<std::vector<std::size_t>> choices{{0}, {0, 1}, {1, 4, 0, 5}, {2, 0}};
  Targets targets{};
  targets.numbers = table.numbers;
  Interrupt interrupt;
  for (const auto& chosen : choices) {
    table.data.columns.clear();
    for (std::size_t column : chosen) table.data.columns.push_back(all[column]);
    const Router router = router_of(grow(table.data, targets, SquaredError{}, GrowOptions{}, interrupt));
    std::vector<NodeId> fast(table.data.n_rows), plain(table.data.n_rows);
    int n_polls = 0;
    router.leaves_of(table.data, fast, [&] { ++n_polls; });
    router.leaves_of(table.data, plain, [] {}, Way::plain);
    expect(fast == plain, "rows that walk together end elsewhere");
    expect(n_polls > 0, "a walk can be stopped");
  }
}

// A router made from damaged arrays must refuse them, whatever was damaged.
void check_damage(std::mt19937& random) {
  Table table{random, 80, 6, 3};
  Targets targets{.n_classes = 3};
  targets.classes = table.classes;
  Gini gini{};
  gini.n_classes = 3;
  Interrupt interrupt;
  const Tree whole = grow(table.data, targets, gini, GrowOptions{}, interrupt);
  GrowOptions with_surrogates;
  with_surrogates.missing = Missing::surrogate;
  const Tree other = grow(table.data, targets, gini, with_surrogates, interrupt);
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    Tree tree = round < 2000 ? whole : other;
    auto spoil = [&](auto& values) {
      if (!values.empty())
        values[random() % values.size()] = static_cast<std::remove_cvref_t<decltype(values[0])>>(random() % 400) - 100;
    };
    const auto rule = static_cast<MissingRule>(round < 2000 ? round % 3 == 0 ? 2 : 0 : 1);
    switch (round < 2000 ? round % 7 : 7 + round % 6) {
      case 0: spoil(tree.first_child); break;
      case 1: spoil(tree.n_children); break;
      case 2: spoil(tree.kind); break;
      case 3: spoil(tree.missing_child); break;
      case 4: spoil(tree.level_begin); break;
      case 5: spoil(tree.level_child); break;
      case 7: spoil(tree.others.begin); break;
      case 8: spoil(tree.others.kind); break;
      case 9: spoil(tree.others.column); break;
      case 10: spoil(tree.others.level_begin); break;
      case 11: spoil(tree.others.level_child); break;
      case 12: tree.others.threshold.pop_back(); break;
      default: tree.weight.pop_back(); break;
    }
    try {
      const Router router = router_of(tree, rule);
      if (router.n_columns() <= table.data.columns.size())
        for (Row row = 0; row < table.data.n_rows; ++row) router.leaf_of(table.data, row);
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  }
  expect(refused > 1000, "damaged trees are refused (" + std::to_string(refused) + " of 4000)");
}

void check_interrupt(std::mt19937& random) {
  struct Stop {};
  Table table{random, 300'000, 5, 2};
  Targets targets{.n_classes = 2};
  targets.classes = table.classes;
  Gini gini{};
  gini.n_classes = 2;
  GrowOptions options;
  options.n_threads = 2;
  Interrupt interrupt{[] { throw Stop{}; }};
  bool stopped = false;
  try {
    grow(table.data, targets, gini, options, interrupt);
  } catch (const Stop&) {
    stopped = true;
  }
  expect(stopped, "an interrupted fit ends");
}

}  // namespace
}  // namespace arboretum

int main() {
  using namespace arboretum;
  std::mt19937 random{20'260'101};
  Criteria::for_each([&]<class C>(std::type_identity<C>) { check_criterion<C>(random), check_kinds<C>(random); });
  check_walk(random);
  check_damage(random);
  check_interrupt(random);
  check_medians(random, expect);
  return finish();
}
