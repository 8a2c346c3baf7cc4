// Node: the rows of a node in the order of each column, and what its leaf would cost.
#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/search/optimal/table.hpp"

namespace arboretum::optimal {

// A question, as the search asks it.
struct Cut {
  std::int32_t column = -1;  // among the asked ones; -1: none
  std::uint32_t number = 0;  // ranks below this go left; or the number of the question about levels
};

// The order of trees that cost the same: by the column of the root, then by its cut, then by the leaves on its left.
struct Turn {
  std::int32_t column = std::numeric_limits<std::int32_t>::max();
  std::uint32_t number = 0, left_leaves = 0;

  auto operator<=>(const Turn&) const = default;
  static constexpr Turn none() { return {}; }           // after all trees
  static constexpr Turn no_question() { return {-1}; }  // before all trees
};

class Node {
 public:
  // With room for so many rows.
  Node(const OptimalTable& table, std::size_t capacity)
      : table_{&table}, capacity_{capacity}, order_(table.columns.size() * capacity), ranks_(order_.size()) {}

  static Node root(const OptimalTable& table);

  std::size_t rows = 0;
  const OptimalTable& table() const { return *table_; }
  std::size_t n_columns() const { return table_->columns.size(); }
  const Row* order(std::size_t column) const { return order_.data() + column * capacity_; }
  const Rank* ranks(std::size_t column) const { return ranks_.data() + column * capacity_; }

  // Is there a cut of the column with so many rows on its left?
  bool can_cut(std::size_t column, std::size_t at) const {
    return at > 0 && at < rows && ranks(column)[at - 1] != ranks(column)[at];
  }
  Cost leaf() const { return leaf_; }
  bool has_label(std::size_t label) const { return sums_[label] > 0.0; }
  double mean() const { return sums_[0] / sums_[1]; }

  void divide(Cut cut, Node& left, Node& right) const;
  static std::size_t bytes(const OptimalTable& table, std::size_t capacity) {
    return table.columns.size() * capacity * (sizeof(Row) + sizeof(Rank));
  }

 private:
  void sum_up();

  const OptimalTable* table_;
  std::size_t capacity_;
  std::vector<Row> order_;  // column after column
  std::vector<Rank> ranks_;
  std::vector<double> sums_;  // of classes: weight by label; of numbers: their sum, and the weight
  Cost leaf_ = 0.0;
};

// Does a row go left?
inline bool sends_left(const OptimalTable& table, Cut cut, Rank rank) {
  const Asked& column = table.columns[static_cast<std::size_t>(cut.column)];
  return column.ordered ? rank < cut.number : column.questions[cut.number].sends_left(rank, column.missing);
}

}  // namespace arboretum::optimal
