// Absolute error: the mean distance to the median. Not a sum over rows that could be added and subtracted, so a node
// keeps its targets in order. Cuts of an ordered column are foreseen all at once (ForeseenCuts); for levels, and where
// weights differ too much for that, a Sweep searches the medians of both sides in a Fenwick tree. No order of levels
// is sure to hold the best subset; beyond the exhaustive limit they are ordered by their median.
#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "core/criteria/criterion.hpp"
#include "core/criteria/foreseen_cuts.hpp"
#include "core/criteria/ordered_node.hpp"
#include "core/criteria/searched_side.hpp"
#include "core/keys.hpp"

namespace arboretum {

struct AbsoluteError {
  static constexpr const char* name = "absolute_error";
  static constexpr bool needs_logs = false;
  static constexpr TargetKind target = TargetKind::numbers;
  using Plain = AbsoluteError;
  using Target = OrderedTarget;
  using NodeScale = OrderedScale;
  using NodeTargets = OrderedNode;
  using Foresight = ForeseenCuts;
  struct Bucket {
    std::span<const OrderedTarget> rows;
    double median = 0.0;
  };

  // All that follows takes rows in the order of their targets.
  void put_in_order(const Targets& source, std::span<Row> rows) const {
    std::vector<KeyedRow> items, scratch;
    items.reserve(rows.size());
    for (Row row : rows) items.push_back({key_of(source.numbers[row]), row});
    sort_by_key(items, scratch);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = items[i].row;
  }

  OrderedScale encode_rows(const Targets& source, std::span<const Row> rows, std::span<OrderedTarget> targets) const {
    Extent weights, extent;
    std::vector<double> numbers;
    for (Row row : rows) {
      weights.add(source.weight(row)), extent.add(source.numbers[row]);
      if (numbers.empty() || numbers.back() < source.numbers[row]) numbers.push_back(source.numbers[row] + 0.0);
    }
    const double centre = extent.lowest / 2 + extent.highest / 2;
    const double half = std::max(extent.highest - centre, centre - extent.lowest);
    auto each_weight = [&](auto&& read) {
      for (Row row : rows) read(source.weight(row));
    };
    OrderedScale scale{choose_weight_scale(weights, static_cast<double>(rows.size()), each_weight),
                       choose_scale(extent, centre, half, sum_bits, sum_bits),
                       nullptr,
                       {half, weights.highest}};
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rank += numbers[rank] < source.numbers[rows[i]];
      targets[i] = {rank, 0, scale.weight.fixed(source.weight(rows[i]))};
    }
    scale.numbers = std::make_shared<const std::vector<double>>(std::move(numbers));
    return scale;
  }
  bool coarse(const OrderedScale& scale, const Targets& source, std::span<const Row> rows) const {
    if (scale.weight.exact && scale.number.exact) return false;
    Spread spread{source.numbers[rows.back()] / 2 - source.numbers[rows.front()] / 2, 0.0};
    for (Row row : rows) spread.weights = std::max(spread.weights, source.weight(row));
    return spread.much_less_than(scale.spread);
  }
  OrderedNode open(const OrderedScale& scale, const Targets&, std::span<const Row>,
                   std::span<OrderedTarget> rows) const {
    return {scale, rows};
  }
  Bucket bucket(const OrderedNode& node, std::span<const OrderedTarget> rows) const {
    const Middle middle{rows};
    return {rows, node.mean_of(rows[middle.low].rank, rows[middle.high].rank)};
  }

  // Places stay those of the whole node, so that buckets filled for it can be used.
  struct Known {
    std::vector<OrderedTarget> rows;
    OrderedNode node;
    operator const OrderedNode&() const { return node; }
  };
  Known known(const OrderedNode& whole, std::span<const OrderedTarget> rows) const {
    std::vector<OrderedTarget> sorted(rows.begin(), rows.end());
    std::ranges::stable_sort(sorted, {}, &OrderedTarget::place);
    OrderedNode node{whole, sorted};
    return {std::move(sorted), std::move(node)};
  }
  bool admits(const Bucket&) const { return true; }
  double score_parts(const OrderedNode& node, std::span<const Bucket> parts) const {
    Wide left_over = node.deviation;
    SearchedSide side{node};
    for (const Bucket& part : parts) {
      for (const OrderedTarget& row : part.rows) side.add(row, 1);
      left_over -= side.deviation();
      for (const OrderedTarget& row : part.rows) side.add(row, -1);
    }
    return static_cast<double>(left_over);
  }

  bool homogeneous(const OrderedNode& node) const { return node.numbers.size() < 2; }
  bool orders_exactly(const OrderedNode&, std::span<const Bucket>, const Bucket*) const { return false; }
  std::uint32_t n_orders(const OrderedNode&) const { return 1; }
  bool ties(const OrderedNode&, const Bucket&, const Bucket&) const { return false; }
  bool comes_before(const OrderedNode&, const Bucket& a, const Bucket& b, std::uint32_t) const {
    return a.median < b.median;
  }

  class Sweep {
   public:
    Sweep(const AbsoluteError&, const OrderedNode& node) : node_{&node}, left_{node}, right_{node} {
      right_.fill(node.rows);
    }
    void pass(std::span<const OrderedTarget> rows) { move(rows, left_, right_); }
    void pass(const Bucket& bucket) { move(bucket.rows, left_, right_); }
    void take_back(const Bucket& bucket) { move(bucket.rows, right_, left_); }
    Row n_rows() const { return left_.n_rows(); }
    Fixed weight() const { return left_.weight(); }
    bool admissible() const { return true; }
    double score() const { return static_cast<double>(node_->deviation - left_.deviation() - right_.deviation()); }
    double left_value() const { return left_.median(); }
    double right_value() const { return right_.median(); }

   private:
    static void move(std::span<const OrderedTarget> rows, SearchedSide& to, SearchedSide& from) {
      for (const OrderedTarget& row : rows) to.add(row, 1), from.add(row, -1);
    }
    const OrderedNode* node_;
    SearchedSide left_, right_;
  };

  double decrease(double score, const OrderedNode& node) const {
    return score * node.scale.number.unit / static_cast<double>(node.fixed_weight());
  }
  double impurity(const OrderedNode& node) const { return decrease(static_cast<double>(node.deviation), node); }
};

}  // namespace arboretum
