// Bounds: what is known of trees by where their root cuts. The cuts of a column are divided into cells; each cell has a
// lower bound on the cost of trees whose root question lies in it. A node's bounds hold for every node with more rows
// too, and where some rows are lost, less what these can cost.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "core/search/optimal/node.hpp"

namespace arboretum::optimal {

inline constexpr std::size_t most_cells = 16;

using Bounds = std::vector<Cost>;  // by column and cell

inline Cost lowest(const Bounds& bounds) {
  return bounds.empty() ? far : *std::min_element(bounds.begin(), bounds.end());
}

class Cells {
 public:
  // The borders divide this node's rows evenly.
  Cells(const Node& node, std::size_t n) : n_{n}, border_(node.n_columns() * (n + 1)) {
    for (std::size_t f = 0; f < node.n_columns(); ++f)
      for (std::size_t c = 1; c < n; ++c) border_[f * (n + 1) + c] = node.ranks(f)[node.rows * c / n];
  }
  std::size_t size() const { return n_; }
  std::size_t of_question(std::size_t question) const { return question % n_; }

  // Where the borders fall among a node's rows: cell c holds the cuts from at[c] to at[c + 1], both included.
  void places(const Node& node, std::size_t column, std::size_t* at) const {
    const Rank* ranks = node.ranks(column);
    at[0] = 0, at[n_] = node.rows;
    for (std::size_t c = 1; c < n_; ++c)
      at[c] = static_cast<std::size_t>(
          std::lower_bound(ranks + at[c - 1], ranks + node.rows, border_[column * (n_ + 1) + c]) - ranks);
  }

 private:
  std::size_t n_;
  std::vector<Rank> border_;
};

// How much the cost of one side can fall while a cut moves over some rows of a column.
class Reach {
 public:
  Reach(const Node& node, std::size_t column) : goal_{node.table().goal}, unit_{node.table().unit}, rows_{node.rows} {
    if (goal_ != Goal::credits) return;
    sums_.resize(rows_ + 1);
    const Row* order = node.order(column);
    for (std::size_t i = 0; i < rows_; ++i) sums_[i + 1] = sums_[i] + node.table().influence(order[i]);
  }

  Cost between(std::size_t from, std::size_t to) const { return goal_ == Goal::squares ? far : sum(to) - sum(from); }

  // The first cut above `at` whose cost may be below that of the cut there by more than `excess`, and the last below.
  std::size_t first_after(std::size_t at, Cost excess) const {
    if (goal_ == Goal::squares || excess < 0.0) return at + 1;
    if (goal_ == Goal::counts)
      return at + 1 + std::min(rows_ + 1, static_cast<std::size_t>(std::min(excess / unit_, 1e9)));
    const auto found =
        std::upper_bound(sums_.begin() + static_cast<std::ptrdiff_t>(at), sums_.end(), sums_[at] + excess);
    return std::max(at + 1, static_cast<std::size_t>(found - sums_.begin()));
  }
  std::ptrdiff_t last_before(std::size_t at, Cost excess) const {
    const auto here = static_cast<std::ptrdiff_t>(at);
    if (goal_ == Goal::squares || excess < 0.0) return here - 1;
    if (goal_ == Goal::counts) return here - 1 - static_cast<std::ptrdiff_t>(std::min(excess / unit_, 1e9));
    const auto found = std::lower_bound(sums_.begin(), sums_.begin() + here, sums_[at] - excess);
    return std::min(here - 1, static_cast<std::ptrdiff_t>(found - sums_.begin()) - 1);
  }

 private:
  Cost sum(std::size_t at) const { return goal_ == Goal::counts ? unit_ * static_cast<Cost>(at) : sums_[at]; }

  Goal goal_;
  Cost unit_;
  std::size_t rows_;
  std::vector<Cost> sums_;
};

}  // namespace arboretum::optimal
