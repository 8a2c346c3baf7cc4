// Absolute error: the mean distance to the median. Not a sum over rows that could be added and subtracted, so a node keeps
// its targets in order, and a Fenwick tree over them gives the median and the distances of either side in log n steps.
// Words: place (a target's position among the distinct targets of the node), Deviations.
// No order of levels is sure to hold the best subset; beyond the exhaustive limit they are ordered by their median.
#pragma once
#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <vector>

#include "core/criteria/criterion.hpp"

namespace arboretum {

struct OrderedTarget {
  std::uint32_t rank;   // among the distinct targets of the rows that share a scale
  std::uint32_t place;  // among those of the node
  Fixed weight;
};

struct OrderedScale {
  WeightScale weight;
  Scale number;
  std::shared_ptr<const std::vector<double>> numbers;  // the distinct targets, by rank
  Spread spread;
};

// Prefix sums of weight and weight * y over places, with updates in log n steps.
class PrefixSums {
 public:
  struct Sums {
    Fixed weight = 0;
    Wide weighted = 0;
  };

  explicit PrefixSums(std::size_t n_places) : tree_(n_places + 1) {}

  void add(std::uint32_t place, Fixed weight, Wide weighted) {
    for (std::size_t i = place + 1; i < tree_.size(); i += i & (~i + 1)) {
      tree_[i].weight += weight;
      tree_[i].weighted += weighted;
    }
  }

  // The first place at which twice the weight up to and including it reaches `twice`; and the sums up to it. The weights
  // are those of this tree, or of `whole` less this tree when `whole` is given: one side of a cut, or the other.
  struct Found {
    std::uint32_t place;
    Sums below;  // strictly below the place
  };
  Found find(Fixed half_of, bool strictly, const PrefixSums* whole) const {
    Found found{0, {}};
    for (std::size_t step = std::bit_floor(tree_.size() - 1); step > 0; step /= 2) {
      const std::size_t next = found.place + step;
      if (next >= tree_.size()) continue;
      Sums part = whole ? Sums{whole->tree_[next].weight - tree_[next].weight,
                               whole->tree_[next].weighted - tree_[next].weighted}
                        : tree_[next];
      const Wide twice = 2 * (Wide{found.below.weight} + part.weight);
      if (strictly ? twice <= half_of : twice < half_of) {
        found.place = static_cast<std::uint32_t>(next);
        found.below.weight += part.weight, found.below.weighted += part.weighted;
      }
    }
    return found;
  }

 private:
  std::vector<Sums> tree_;
};

struct OrderedNode {
  OrderedScale scale;
  std::vector<Fixed> numbers;       // y on its scale, by place
  std::vector<double> raw_numbers;  // y itself, by place
  PrefixSums sums;
  Fixed total_weight = 0;
  Wide total_weighted = 0;
  Row rows = 0;
  Wide deviation = 0;  // sum of weight * |y - median|

  OrderedNode(const OrderedScale& scale, std::span<OrderedTarget> targets)
      : scale{scale}, sums{assign_places(targets)} {
    for (const OrderedTarget& target : targets) {
      const Wide weighted = Wide{target.weight} * numbers[target.place];
      sums.add(target.place, target.weight, weighted);
      total_weight += target.weight, total_weighted += weighted, ++rows;
    }
    deviation = deviation_of(sums, total_weight, total_weighted, nullptr);
  }

  Row n_rows() const { return rows; }
  Fixed fixed_weight() const { return total_weight; }
  double weight() const { return static_cast<double>(total_weight) * scale.weight.unit; }

  // With m the lower median: sum of w|y - m| = (sum above) - (sum below) + m (weight below - weight above).
  Wide deviation_of(const PrefixSums& side, Fixed weight, Wide weighted, const PrefixSums* whole) const {
    if (weight <= 0) return 0;
    const auto [place, below] = side.find(weight, false, whole);
    const Wide median = numbers[place], above = Wide{weight} - below.weight;
    return (weighted - below.weighted) - below.weighted + median * (below.weight - above);
  }

  // Mean of the lower and the upper median.
  double median_of(const PrefixSums& side, Fixed weight, const PrefixSums* whole) const {
    const double low = raw_numbers[side.find(weight, false, whole).place];
    const double high = raw_numbers[side.find(weight, true, whole).place];
    return low == high ? low : low / 2 + high / 2;
  }
  double median() const { return median_of(sums, total_weight, nullptr); }

 private:
  std::size_t assign_places(std::span<OrderedTarget> targets) {
    std::vector<std::uint32_t> ranks;
    ranks.reserve(targets.size());
    for (const OrderedTarget& target : targets) ranks.push_back(target.rank);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    for (std::uint32_t rank : ranks) {
      raw_numbers.push_back((*scale.numbers)[rank]);
      numbers.push_back(scale.number.fixed(raw_numbers.back()));
    }
    for (OrderedTarget& target : targets)
      target.place =
          static_cast<std::uint32_t>(std::lower_bound(ranks.begin(), ranks.end(), target.rank) - ranks.begin());
    return ranks.size();
  }
};

struct AbsoluteError {
  static constexpr const char* name = "absolute_error";
  static constexpr bool needs_logs = false;
  static constexpr TargetKind target = TargetKind::numbers;
  using Target = OrderedTarget;
  using NodeScale = OrderedScale;
  using NodeTargets = OrderedNode;
  struct Bucket {
    std::span<const OrderedTarget> rows;
    double median = 0.0;
  };

  OrderedScale encode_rows(const Targets& source, std::span<const Row> rows, std::span<OrderedTarget> targets) const {
    Extent weights, extent;
    std::vector<double> numbers;
    numbers.reserve(rows.size());
    for (Row row : rows) {
      weights.add(source.weight(row)), extent.add(source.numbers[row]);
      numbers.push_back(source.numbers[row] + 0.0);
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    const double centre = extent.lowest / 2 + extent.highest / 2;
    const double half = std::max(extent.highest - centre, centre - extent.lowest);
    OrderedScale scale{choose_weight_scale(weights, static_cast<double>(rows.size())),
                       choose_scale(extent, centre, half, sum_bits),
                       nullptr,
                       {half, weights.highest}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto at = std::lower_bound(numbers.begin(), numbers.end(), source.numbers[rows[i]]);
      targets[i] = {static_cast<std::uint32_t>(at - numbers.begin()), 0, scale.weight.fixed(source.weight(rows[i]))};
    }
    scale.numbers = std::make_shared<const std::vector<double>>(std::move(numbers));
    return scale;
  }
  bool coarse(const OrderedScale& scale, const Targets& source, std::span<const Row> rows) const {
    if (scale.weight.exact && scale.number.exact) return false;
    double lowest = source.numbers[rows.front()], highest = lowest;
    Spread spread;
    for (Row row : rows) {
      lowest = std::min(lowest, source.numbers[row]), highest = std::max(highest, source.numbers[row]);
      spread.weights = std::max(spread.weights, source.weight(row));
    }
    spread.numbers = highest / 2 - lowest / 2;
    return spread.much_less_than(scale.spread);
  }
  OrderedNode open(const OrderedScale& scale, const Targets&, std::span<const Row>,
                   std::span<OrderedTarget> rows) const {
    return {scale, rows};
  }
  Bucket bucket(const OrderedNode& node, std::span<const OrderedTarget> rows) const {
    PrefixSums sums{node.numbers.size()};
    Fixed weight = 0;
    for (const OrderedTarget& row : rows) sums.add(row.place, row.weight, 0), weight += row.weight;
    return {rows, node.median_of(sums, weight, nullptr)};
  }

  bool homogeneous(const OrderedNode& node) const { return node.numbers.size() < 2; }
  bool orders_exactly(const OrderedNode&, std::span<const Bucket>, const Bucket*) const { return false; }
  std::uint32_t n_orders(const OrderedNode&) const { return 1; }
  bool comes_before(const OrderedNode&, const Bucket& a, const Bucket& b, std::uint32_t) const {
    return a.median < b.median;
  }

  class Sweep {
   public:
    Sweep(const AbsoluteError&, const OrderedNode& node) : node_{&node}, left_{node.numbers.size()} {}
    void pass(std::span<const OrderedTarget> rows) { move(rows, 1); }
    void pass(const Bucket& bucket) { move(bucket.rows, 1); }
    void take_back(const Bucket& bucket) { move(bucket.rows, -1); }
    Row n_rows() const { return rows_; }
    Fixed weight() const { return weight_; }
    bool admissible() const { return true; }
    double score() const {
      const Wide left = node_->deviation_of(left_, weight_, weighted_, nullptr);
      const Wide right =
          node_->deviation_of(left_, node_->total_weight - weight_, node_->total_weighted - weighted_, &node_->sums);
      return static_cast<double>(node_->deviation - left - right);
    }
    double left_value() const { return node_->median_of(left_, weight_, nullptr); }
    double right_value() const { return node_->median_of(left_, node_->total_weight - weight_, &node_->sums); }

   private:
    void move(std::span<const OrderedTarget> rows, Fixed sign) {
      for (const OrderedTarget& row : rows) {
        const Fixed weight = sign * row.weight;
        const Wide weighted = Wide{weight} * node_->numbers[row.place];
        left_.add(row.place, weight, weighted);
        weight_ += weight, weighted_ += weighted, rows_ += static_cast<Row>(sign);
      }
    }
    const OrderedNode* node_;
    PrefixSums left_;
    Fixed weight_ = 0;
    Wide weighted_ = 0;
    Row rows_ = 0;
  };

  double decrease(double score, const OrderedNode& node) const {
    return score * node.scale.number.unit / static_cast<double>(node.total_weight);
  }
  double impurity(const OrderedNode& node) const { return decrease(static_cast<double>(node.deviation), node); }
};

}  // namespace arboretum
