// SearchedSide: one side of a cut, whose rows come and go in any order. A Fenwick tree over the places holds the sums
// of weight and weight * y, so that moving a row and finding the median take log n steps. Where the order of the rows
// is known beforehand, ForeseenCuts is faster.
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/criteria/ordered_node.hpp"

namespace arboretum {

class SearchedSide {
 public:
  explicit SearchedSide(const OrderedNode& node) : node_{&node}, tree_(node.numbers.size() + 1) {}

  void add(const OrderedTarget& row, Fixed sign) {
    const Sums own = count(row, sign);
    for (std::size_t i = row.place + 1; i < tree_.size(); i += lowest_set(i)) tree_[i] += own;
  }

  // Adds many rows to an empty side.
  void fill(std::span<const OrderedTarget> rows) {
    for (const OrderedTarget& row : rows) tree_[row.place + 1] += count(row, 1);
    for (std::size_t i = 1; i < tree_.size(); ++i)
      if (const std::size_t above = i + lowest_set(i); above < tree_.size()) tree_[above] += tree_[i];
  }

  Row n_rows() const { return n_rows_; }
  Fixed weight() const { return all_.weight; }

  // With m the lower median: sum of w|y - m| = (sum above) - (sum below) + m (weight below - weight above).
  Wide deviation() const {
    if (all_.weight <= 0) return 0;
    const auto [place, below] = find(false);
    const Wide median = node_->numbers[place], above = Wide{all_.weight} - below.weight;
    return (all_.weighted - below.weighted) - below.weighted + median * (below.weight - above);
  }

  double median() const { return node_->mean_of(node_->ranks[find(false).place], node_->ranks[find(true).place]); }

 private:
  struct Sums {
    Fixed weight = 0;
    Wide weighted = 0;
    Sums& operator+=(const Sums& other) {
      weight += other.weight, weighted += other.weighted;
      return *this;
    }
  };

  static std::size_t lowest_set(std::size_t i) { return i & (~i + 1); }

  Sums count(const OrderedTarget& row, Fixed sign) {
    const Fixed weight = sign * row.weight;
    const Sums own{weight, Wide{weight} * node_->numbers[row.place]};
    all_ += own, n_rows_ += static_cast<Row>(sign);
    return own;
  }

  // The first place at which twice the weight up to and including it reaches the weight of all, or exceeds it
  // (`strictly`); and the sums strictly below the place.
  struct Found {
    std::uint32_t place;
    Sums below;
  };
  Found find(bool strictly) const {
    Found found{0, {}};
    for (std::size_t step = std::bit_floor(tree_.size() - 1); step > 0; step /= 2) {
      const std::size_t next = found.place + step;
      if (next >= tree_.size()) continue;
      const Fixed twice = 2 * (found.below.weight + tree_[next].weight);
      if (strictly ? twice <= all_.weight : twice < all_.weight) {
        found.place = static_cast<std::uint32_t>(next);
        found.below += tree_[next];
      }
    }
    return found;
  }

  const OrderedNode* node_;
  std::vector<Sums> tree_;
  Sums all_;
  Row n_rows_ = 0;
};

}  // namespace arboretum
