// OrderedNode: the targets of a node in ascending order, for criteria about medians. Rows are put into the order of
// their targets once, at the root; dividing a node keeps the order, so no node sorts its targets. A rank counts the
// distinct targets of a scale, a place those of the node, and a position the rows of the node.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/dataset.hpp"
#include "core/fixed_point.hpp"

namespace arboretum {

struct OrderedTarget {
  std::uint32_t rank;
  std::uint32_t place;
  Fixed weight;
};

struct OrderedScale {
  WeightScale weight;
  Scale number;
  std::shared_ptr<const std::vector<double>> numbers;  // the distinct targets, by rank
  Spread spread;
};

// The lower and the upper median of rows in order: where half of the weight is reached, and where it is exceeded.
struct Middle {
  std::size_t low = 0, high = 0;
  Fixed below = 0, total = 0;  // the weight of the rows before `low`, and of all

  explicit Middle(std::span<const OrderedTarget> rows) {
    for (const OrderedTarget& row : rows) total += row.weight;
    while (2 * (below + rows[low].weight) < total) below += rows[low++].weight;
    high = 2 * (below + rows[low].weight) == total ? low + 1 : low;
  }
};

struct OrderedNode {
  OrderedScale scale;
  std::span<const OrderedTarget> rows;  // in order
  Middle middle;
  std::vector<Fixed> numbers;        // y on its scale, by place
  std::vector<std::uint32_t> ranks;  // by place
  std::vector<Fixed> row_numbers;    // y on its scale, by position
  Wide deviation = 0;                // sum of weight * |y - median|

  OrderedNode(const OrderedScale& scale, std::span<OrderedTarget> targets)
      : scale{scale}, rows{targets}, middle{targets}, row_numbers(targets.size() + 2) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i == 0 || rows[i].rank != rows[i - 1].rank) {
        ranks.push_back(rows[i].rank);
        numbers.push_back(scale.number.fixed((*scale.numbers)[rows[i].rank]));
      }
      targets[i].place = static_cast<std::uint32_t>(numbers.size() - 1);
      row_numbers[i + 1] = numbers.back();
    }
    const Fixed median = row_numbers[middle.low + 1];
    for (std::size_t i = 0; i < rows.size(); ++i)
      deviation += Wide{rows[i].weight} * distance(row_numbers[i + 1], median);
  }

  // Some rows of a node, in order; places are those of the whole node.
  OrderedNode(const OrderedNode& whole, std::span<const OrderedTarget> some)
      : scale{whole.scale}, rows{some}, middle{some}, numbers{whole.numbers}, ranks{whole.ranks} {
    const Fixed median = numbers[rows[middle.low].place];
    for (const OrderedTarget& row : rows) deviation += Wide{row.weight} * distance(numbers[row.place], median);
  }

  Row n_rows() const { return static_cast<Row>(rows.size()); }
  Fixed fixed_weight() const { return middle.total; }
  double weight() const { return static_cast<double>(middle.total) * scale.weight.unit; }
  bool unit_weights() const { return middle.total == n_rows(); }  // no weight is below 1 on its scale

  double median() const { return mean_of(rows[middle.low].rank, rows[middle.high].rank); }

  // The mean of two targets, say of the lower and the upper median.
  double mean_of(std::uint32_t low_rank, std::uint32_t high_rank) const {
    const double low = (*scale.numbers)[low_rank], high = (*scale.numbers)[high_rank];
    return low == high ? low : low / 2 + high / 2;
  }
};

}  // namespace arboretum
