// The part of Trial for rows that count 1 in columns that are cut by thresholds, which most tables have: what the sides
// hold is counted cell by cell, and the steps of all lanes are the same for every column.
#include <algorithm>
#include <cstdlib>

#include "core/search/optimal/trial.hpp"

namespace arboretum::optimal {

// What each side holds: of cells that follow each other, those up to a knot are on its left.
void Trial::count_in_cells(std::size_t column, std::span<const Knot> knots) {
  const std::size_t k = present_.size(), half = lanes_ / 2;
  const Row* order = node_->order(column);
  counts_.assign(k, 0);
  rows_.assign(lanes_, 0.0), total_.assign(k * lanes_, 0.0), leaf_.assign(lanes_, 0.0);
  for (std::size_t j = 0, i = 0; j <= knots.size(); ++j) {
    const std::size_t end = j < knots.size() ? knots[j].at : node_->rows;
    if (k == 2) {
      std::int32_t second = 0;
      const auto begin = static_cast<std::int32_t>(i);
      for (; i < end; ++i) {
        const std::uint16_t label = label_[order[i]];
        code_[order[i]] = static_cast<std::uint16_t>(2 * j + label), second += label;
      }
      counts_[0] += static_cast<std::int32_t>(end) - begin - second, counts_[1] += second;
    } else {
      for (; i < end; ++i) {
        const std::uint16_t label = label_[order[i]];
        code_[order[i]] = static_cast<std::uint16_t>(j * k + label), ++counts_[label];
      }
    }
    if (j == knots.size()) break;
    rows_[j] = static_cast<double>(end), rows_[half + j] = static_cast<double>(node_->rows - end);
    for (std::size_t c = 0; c < k; ++c) total_[c * lanes_ + j] = counts_[c];
  }
  for (std::size_t c = 0; c < k; ++c) {
    double* total = total_.data() + c * lanes_;
    for (std::size_t j = 0; j < knots.size(); ++j) {
      total[half + j] = counts_[c] - total[j];
      leaf_[j] = std::max(leaf_[j], total[j]), leaf_[half + j] = std::max(leaf_[half + j], total[half + j]);
    }
  }
  full_ = rows_;
}

// What a row adds to the sum of each lane, by its cell and its label. Lanes without a knot take what comes.
void Trial::count_steps() {
  const std::size_t k = present_.size(), half = lanes_ / 2;
  step_.resize((half + 1) * k * lanes_);
  for (std::size_t cell = 0; cell <= half; ++cell)
    for (std::size_t c = 0; c < k; ++c) {
      const std::int8_t sign = k == 2 && c == 1 ? -1 : 1;
      std::int8_t* step = step_.data() + (cell * k + c) * lanes_;
      for (std::size_t lane = 0; lane < half; ++lane)
        step[lane] = cell <= lane ? sign : std::int8_t{0}, step[half + lane] = cell <= lane ? std::int8_t{0} : sign;
    }
}

bool Trial::pass_counts(Budget& budget, bool asks) {
  const std::size_t k = present_.size();
  const CountSides sides{code_.data(), step_.data(), k};
  const bool wide = node_->rows > 32'767;
  leads_by_lane_.assign(lanes_, 0);
  for (std::size_t g = 0; g < node_->n_columns(); ++g) {
    if (node_->rows > 20'000 && budget.look(asks)) return false;
    if (!table_.columns[g].ordered) {
      earn_from_levels(g, false);
    } else if (k == 2) {
      passes_.two_counts(walk(g), sides, wide, two_counts_);
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        // Left leaf one label, right leaf the other: the extremes of the running sum are all that is needed.
        const std::int32_t last = two_counts_.last[lane];
        const std::int32_t lead = std::max(2 * two_counts_.high[lane] - last, last - 2 * two_counts_.low[lane]);
        leads_by_lane_[lane] = std::max(leads_by_lane_[lane], lead);
      }
    } else {
      passes_.many_counts(walk(g), sides, wide, leads_);
      for (std::size_t a = 0; a < k; ++a)
        for (std::size_t b = 0; b < k; ++b) {
          const std::int32_t* lead = leads_.lead.data() + (a * k + b) * lanes_;
          const double* total = total_.data() + b * lanes_;
          for (std::size_t lane = 0; lane < lanes_; ++lane)
            stump_[lane] = std::max(stump_[lane], total[lane] + lead[lane]);
        }
    }
  }
  if (k == 2)
    for (std::size_t lane = 0; lane < lanes_; ++lane)
      stump_[lane] = std::max(stump_[lane], (rows_[lane] + leads_by_lane_[lane]) / 2.0);
  return true;
}

}  // namespace arboretum::optimal
