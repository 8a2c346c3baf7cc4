// Checks of the two ways to the medians on both sides of a cut: foreseen in walks through the rows, or searched for by
// a Sweep that passes one row after the other.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/criteria/absolute_error.hpp"

namespace arboretum {

enum class Weights { unit, whole, rough, wandering };

// A node with its rows in the order of their targets, and a column over it.
struct MedianNode {
  std::vector<double> numbers, weights;
  std::vector<Row> ids;
  std::vector<OrderedTarget> targets;
  std::vector<SortedRow> rows;
  Row n_missing = 0;

  MedianNode(std::mt19937& random, Row n_rows, Weights kind) : ids(n_rows), targets(n_rows) {
    auto draw = [&](unsigned n) { return static_cast<Row>(random() % n); };
    const unsigned n_numbers = 1 + draw(2 * n_rows), n_codes = 1 + draw(2 * n_rows), one_in = 1 + draw(6);
    for (Row i = 0; i < n_rows; ++i) {
      numbers.push_back(draw(n_numbers) * 0.1);
      weights.push_back(kind == Weights::unit    ? 1.0
                        : kind == Weights::whole ? 1 + draw(4)
                                                 : std::pow(10.0, -static_cast<double>(draw(9))) * (1 + draw(9)));
      const bool is_missing = one_in < 5 && draw(8) < one_in;
      n_missing += is_missing;
      rows.push_back({is_missing ? n_codes : draw(n_codes), i});
    }
    if (kind == Weights::wandering) alternate();
    std::stable_sort(rows.begin(), rows.end(), [](SortedRow a, SortedRow b) { return a.code < b.code; });
    std::iota(ids.begin(), ids.end(), Row{0});
    criterion.put_in_order(source(), ids);
  }

  // Light rows in the middle, heavy ones on both sides that go by turns: the median crosses the middle every time.
  void alternate() {
    const auto n = static_cast<Row>(numbers.size());
    for (Row i = 0; i < n; ++i) {
      numbers[i] = i, weights[i] = i < n / 4 || i >= n - n / 4 ? 1e6 : 1.0;
      rows[i] = {i < n / 4 ? 2 * i : i >= n - n / 4 ? 2 * (n - 1 - i) + 1 : n, i};
    }
    n_missing = 0;
  }

  Targets source() const {
    Targets source;
    source.numbers = numbers, source.weights = weights;
    return source;
  }
  OrderedNode open() { return criterion.open(criterion.encode_rows(source(), ids, targets), source(), ids, targets); }

  AbsoluteError criterion;
};

// Every cut must be worth the same in both ways; `foreseen` tells whether the walk was completed.
template <class Expect>
void check_cuts(MedianNode& table, const OrderedNode& node, ForeseenCuts::Missing missing, const std::string& name,
                Expect&& expect, bool foreseen) {
  ForeseenCuts cuts;
  expect(cuts.foresee(node, table.rows, table.n_missing, missing, true) == foreseen, name + ": foreseen or not");
  if (!foreseen) return;
  AbsoluteError::Sweep twin{table.criterion, node};
  auto pass = [&](SortedRow row) { twin.pass(std::span<const OrderedTarget>{&table.targets[row.position], 1}); };
  const Row n_rows = node.n_rows(), n_present = n_rows - table.n_missing;
  if (missing == ForeseenCuts::Missing::left)
    for (Row i = n_present; i < n_rows; ++i) pass(table.rows[i]);
  bool same = true;
  for (Row n = 0; n <= n_present; ++n) {
    if (twin.n_rows() > 0 && twin.n_rows() < n_rows) {
      const ForeseenCut cut = cuts.cut(n);
      same &= cut.n_rows() == twin.n_rows() && cut.weight() == twin.weight() && cut.score() == twin.score();
      same &= cut.left_value() == twin.left_value() && cut.right_value() == twin.right_value();
    }
    if (n < n_present) pass(table.rows[n]);
  }
  expect(same, name + ": a foreseen cut differs from its twin");
}

template <class Expect>
void check_medians(std::mt19937& random, Expect&& expect) {
  for (const Weights kind : {Weights::unit, Weights::whole, Weights::rough}) {
    for (int round = 0; round < 200; ++round) {
      MedianNode table{random, 1 + static_cast<Row>(random() % 40), kind};
      const OrderedNode node = table.open();
      const std::string name = "medians " + std::to_string(static_cast<int>(kind)) + ", round " + std::to_string(round);
      // The fewer rows, the sooner a walk is given up: only equal weights are sure to be foreseen.
      ForeseenCuts cuts;
      for (const auto missing : {ForeseenCuts::Missing::right, ForeseenCuts::Missing::left})
        check_cuts(table, node, missing, name, expect,
                   kind != Weights::rough || cuts.foresee(node, table.rows, table.n_missing, missing, false));
    }
  }
  MedianNode table{random, 4000, Weights::wandering};
  check_cuts(table, table.open(), ForeseenCuts::Missing::right, "a median that wanders", expect, false);
}

}  // namespace arboretum
