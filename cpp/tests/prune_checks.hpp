// Checks of pruning: the core's pruners against plain recursion over all nodes, on the trees of the other checks.
#pragma once
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/grow/grow.hpp"
#include "core/prune/node_errors.hpp"
#include "core/prune/pessimistic.hpp"
#include "core/prune/reduced_error.hpp"
#include "core/prune/weakest_link.hpp"
#include "core/route.hpp"
#include "core/sources/coarse_codes.hpp"

namespace arboretum {

using Expect = std::function<void(bool, const std::string&)>;

inline Shape shape_of(const Tree& tree) { return {tree.parent, tree.first_child, tree.n_children}; }

// The least cost of all pruned trees, by looking at every node once, and the leaves of the smallest tree that has it.
struct Cheapest {
  double cost;
  std::int64_t leaves;
};
inline Cheapest cheapest(const Shape& shape, std::size_t node, const std::vector<double>& risk, double alpha) {
  const Cheapest leaf{risk[node] + alpha, 1};
  if (shape.is_leaf(node)) return leaf;
  Cheapest below{0.0, 0};
  for (std::int32_t c = 0; c < shape.n_children[node]; ++c) {
    const Cheapest child = cheapest(shape, shape.child(node, c), risk, alpha);
    below.cost += child.cost, below.leaves += child.leaves;
  }
  return leaf.cost <= below.cost ? leaf : below;
}

inline std::int64_t count_leaves(const Shape& shape, std::size_t node,
                                 const std::function<bool(std::size_t)>& is_leaf) {
  if (shape.is_leaf(node) || is_leaf(node)) return 1;
  std::int64_t leaves = 0;
  for (std::int32_t c = 0; c < shape.n_children[node]; ++c)
    leaves += count_leaves(shape, shape.child(node, c), is_leaf);
  return leaves;
}

inline double cost_of(const Shape& shape, std::size_t node, const std::vector<double>& own,
                      const std::vector<std::uint8_t>& leaf) {
  if (leaf[node]) return own[node];
  double sum = 0.0;
  for (std::int32_t c = 0; c < shape.n_children[node]; ++c) sum += cost_of(shape, shape.child(node, c), own, leaf);
  return sum;
}

// Whole numbers as risks, so that all sums are exact.
inline void check_pruners(const Tree& tree, std::mt19937& random, const std::string& name, const Expect& expect) {
  const Shape shape = shape_of(tree);
  shape.check();
  std::vector<double> risk(tree.size());
  for (double& r : risk) r = static_cast<double>(random() % 50);
  const std::vector<double> alpha = weakest_links(shape, risk);
  std::vector<double> prices{0.0, 0.25, 1.0, 3.5, 10.0};
  for (std::size_t i = 0; i < std::min<std::size_t>(alpha.size(), 20); ++i)
    if (alpha[i] > 0.0) prices.push_back(alpha[i]);
  bool least = true;
  for (const double price : prices) {
    const std::int64_t leaves = count_leaves(shape, 0, [&](std::size_t node) { return alpha[node] <= price + 1e-9; });
    least &= leaves == cheapest(shape, 0, risk, price + 1e-9).leaves;
  }
  expect(least, name + ": a tree of the sequence is not the smallest of least cost");
  bool falls = true;
  for (std::size_t node = 1; node < tree.size(); ++node)
    falls &= shape.is_leaf(node) || alpha[node] <= alpha[shape.above(node)];
  expect(falls, name + ": a node outlives the one above it");

  std::vector<std::int32_t> step(tree.size());
  for (std::size_t node = 0; node < tree.size(); ++node)
    step[node] = shape.is_leaf(node) ? 0 : static_cast<std::int32_t>(random() % 6);
  step[0] = std::min(step[0], 4);
  const std::vector<double> sums = sums_along(shape, step, 5, risk, {});
  bool adds_up = true;
  for (std::int32_t k = 0; k < 5; ++k) {
    std::vector<std::uint8_t> leaf(tree.size());
    for (std::size_t node = 0; node < tree.size(); ++node) leaf[node] = shape.is_leaf(node) || step[node] <= k;
    adds_up &= sums[static_cast<std::size_t>(k)] == cost_of(shape, 0, risk, leaf);
  }
  expect(adds_up, name + ": sums along a sequence");

  for (const PruneOrder order : {PruneOrder::greedy, PruneOrder::leaves, PruneOrder::bottom_up}) {
    ReducedError pruner{shape, risk, {}};
    const std::vector<PruneStep> steps = pruner.prune(order, [] {});
    const double cost = cost_of(shape, 0, risk, pruner.leaves());
    double told = cost;
    for (const PruneStep& s : steps)
      if (s.pruned) told = s.after;
    expect(told == cost, name + ": the log of reduced-error pruning ends with another error");
    if (order == PruneOrder::bottom_up)
      expect(cost == cheapest(shape, 0, risk, 0.0).cost, name + ": bottom-up pruning finds the least error");
  }
}

inline void check_pessimistic(const Tree& tree, const Router& router, const Dataset& data, const Targets& targets,
                              bool raise, const std::string& name, const Expect& expect) {
  const Shape shape = shape_of(tree);
  Pessimistic pruner{
      router, shape, data, targets, PessimisticOptions{.limit = {0.25, 0.6744897501960817}, .raise = raise}, [] {}};
  pruner.prune();
  const Regrown pruned = pruner.result();
  const std::size_t n = pruned.source.size();
  double weight = 0.0, counted = 0.0;
  for (Row row = 0; row < data.n_rows; ++row) weight += targets.weight(row);
  for (std::size_t k = 0; k < targets.n_classes; ++k) counted += pruned.counts[k];
  expect(n <= tree.size() && pruned.parent.size() == n && pruned.counts.size() == n * targets.n_classes,
         name + ": a pruned tree is no larger");
  expect(std::abs(weight - counted) <= 1e-9 * weight, name + ": pruning loses rows");
  bool before = true;
  for (std::size_t i = 1; i < n; ++i)
    before &= pruned.parent[i] >= 0 && static_cast<std::size_t>(pruned.parent[i]) < i &&
              !pruned.leaf[static_cast<std::size_t>(pruned.parent[i])];
  expect(before, name + ": parents of a pruned tree");

  Losses losses{.n_classes = targets.n_classes};
  std::vector<double> table(tree.size() * targets.n_classes);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<double>(i % 3);
  losses.of_class = table;
  const NodeErrors errors = errors_at_nodes(router, shape, data, targets, losses, [] {});
  double least = 0.0;
  for (Row row = 0; row < data.n_rows; ++row) least += targets.weight(row) * losses.at(0, targets, row);
  expect(std::abs(errors.sum[0].value() - least) <= 1e-9 * (1.0 + least), name + ": errors of the root");
}

// Every third row, with the codes of the whole table and with its own: the same tree.
template <class C>
void check_taken(const Dataset& data, const std::vector<std::int32_t>& classes, const std::vector<double>& numbers,
                 const C& criterion, std::uint32_t n_classes, const std::string& name, const Expect& expect) {
  Interrupt interrupt;
  const CodedTable coded{encode_coarsely(data, 64, {}, 1, interrupt)};
  std::vector<Row> rows;
  std::vector<std::int32_t> taken_classes;
  std::vector<double> taken_numbers;
  for (Row row = 0; row < data.n_rows; row += 3)
    rows.push_back(row), taken_classes.push_back(classes[row]), taken_numbers.push_back(numbers[row]);
  Dataset taken{.n_rows = static_cast<Row>(rows.size()), .columns = data.columns};
  for (ColumnView& column : taken.columns) column.stride *= 3, column.masked_stride *= 3;
  Targets targets{.n_classes = n_classes};
  if (C::target == TargetKind::classes) targets.classes = taken_classes;
  else targets.numbers = taken_numbers;
  GrowOptions options;
  options.small_limit = 20;
  const Tree alone = grow(taken, targets, criterion, options, interrupt);
  taken.taken_from = {&coded, rows};
  const Tree shared = grow(taken, targets, criterion, options, interrupt);
  expect(alone.column == shared.column && alone.threshold == shared.threshold && alone.gain == shared.gain &&
             alone.level == shared.level && alone.n_rows == shared.n_rows,
         name + ": changed by codes of more rows");
}

}  // namespace arboretum
