#include "core/search/optimal/stump.hpp"

#include <cmath>
#include <cstdlib>

namespace arboretum::optimal {
namespace {

// The rows of one side, one after the other, and the cost of their leaf. Classes: the weight of each label; numbers:
// their sum above the node's mean, and the weight.
class Sums {
 public:
  explicit Sums(const OptimalTable& table) : table_{table}, sums_(table.goal == Goal::squares ? 2 : table.n_labels) {}

  void clear() {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    rows_ = 0;
  }
  void add(Row row, double mean) {
    ++rows_;
    if (table_.goal != Goal::squares) sums_[table_.label[row]] += table_.weight.empty() ? 1.0 : table_.weight[row];
    else sums_[0] += table_.weight[row] * (table_.number[row] - mean), sums_[1] += table_.weight[row];
  }
  void add(const Sums& other) {
    rows_ += other.rows_;
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
  }
  std::size_t rows() const { return rows_; }
  const std::vector<double>& sums() const { return sums_; }

  // What the leaves left and right earn together; `all` is the whole node.
  double earned(const Sums& all) const {
    if (table_.goal == Goal::squares) {
      const double w = sums_[1], product = w * (all.sums_[1] - w);
      return product > 0.0 ? sums_[0] * sums_[0] * all.sums_[1] / product : 0.0;
    }
    double most_left = 0.0, most_right = 0.0;
    if (!table_.has_loss) {
      for (std::size_t c = 0; c < sums_.size(); ++c) {
        most_left = std::max(most_left, sums_[c]);
        most_right = std::max(most_right, all.sums_[c] - sums_[c]);
      }
      return most_left + most_right;
    }
    for (std::size_t a = 0; a < sums_.size(); ++a) {
      double left = 0.0, right = 0.0;
      for (std::size_t c = 0; c < sums_.size(); ++c) {
        const double credit = table_.credit[c * sums_.size() + a];
        left += credit * sums_[c], right += credit * (all.sums_[c] - sums_[c]);
      }
      most_left = std::max(most_left, left), most_right = std::max(most_right, right);
    }
    return most_left + most_right;
  }

 private:
  const OptimalTable& table_;
  std::vector<double> sums_;
  std::size_t rows_ = 0;
};

// The best cut of a column where rows count 1: how many of them its two leaves get right.
class Counted {
 public:
  explicit Counted(const Node& node) : node_{node}, label_{node.table().label.data()} {
    for (std::size_t c = 0; c < node.table().n_labels; ++c)
      if (node.has_label(c)) present_.push_back(static_cast<std::uint16_t>(c));
    all_.resize(node.table().n_labels), left_.resize(all_.size()), right_.resize(all_.size());
    for (std::size_t i = 0; i < node.rows; ++i) ++all_[label_[node.order(0)[i]]];
  }

  struct Best {
    std::int32_t earned = -1;
    std::size_t at = 0;  // rows on its left
  };
  // The first of the best cuts.
  Best best(std::size_t column) { return present_.size() <= 2 ? of_two(column) : of_many(column); }

 private:
  // Of all n rows, of which one label has s more than the other, a cut gets (n + max(|s|, |2 d - s|)) / 2 right, if the
  // label has d more on its left.
  Best of_two(std::size_t column) const {
    const Row* order = node_.order(column);
    const Rank* ranks = node_.ranks(column);
    const std::uint16_t first = present_.front();
    const auto n = static_cast<std::int32_t>(node_.rows);
    const std::int32_t lead = 2 * all_[first] - n, least = std::abs(lead);
    std::int32_t most = least - 1, now = -lead;
    Best best;
    for (std::size_t i = 0; i + 1 < node_.rows; ++i) {
      now += label_[order[i]] == first ? 2 : -2;
      const std::int32_t here = std::max(least, std::abs(now));
      if (here > most && ranks[i] != ranks[i + 1]) most = here, best.at = i + 1;
    }
    if (best.at > 0) best.earned = (n + most) / 2;
    return best;
  }

  // The most rows of one label grow on the left, and change on the right only when they become fewer.
  Best of_many(std::size_t column) {
    const Row* order = node_.order(column);
    const Rank* ranks = node_.ranks(column);
    std::ranges::fill(left_, 0), right_ = all_;
    std::int32_t most_left = 0, most_right = *std::ranges::max_element(right_);
    Best best;
    for (std::size_t i = 0; i + 1 < node_.rows; ++i) {
      const std::uint16_t label = label_[order[i]];
      most_left = std::max(most_left, ++left_[label]);
      if (right_[label]-- == most_right) {
        most_right = 0;
        for (const std::uint16_t c : present_) most_right = std::max(most_right, right_[c]);
      }
      if (most_left + most_right > best.earned && ranks[i] != ranks[i + 1]) best = {most_left + most_right, i + 1};
    }
    return best;
  }

  const Node& node_;
  const std::uint16_t* label_;
  std::vector<std::uint16_t> present_;
  std::vector<std::int32_t> all_, left_, right_;  // rows by label
};

// Thresholds only, of leaves of any size.
Stump counted_stump(const Node& node, std::int32_t about) {
  const OptimalTable& table = node.table();
  Counted counted{node};
  Counted::Best most;
  Stump best;
  for (std::size_t f = 0; f < node.n_columns(); ++f) {
    if (about >= 0 && table.columns[f].column != static_cast<std::uint32_t>(about)) continue;
    const Counted::Best here = counted.best(f);
    if (here.earned <= most.earned) continue;
    most = here;
    best.cut = {static_cast<std::int32_t>(f), node.ranks(f)[here.at]};
  }
  if (most.earned >= 0)
    best.least = best.allowed = table.unit * (static_cast<double>(node.rows) - most.earned) + table.penalty;
  return best;
}

}  // namespace

Stump best_stump(const Node& node, std::int32_t about) {
  const OptimalTable& table = node.table();
  if (table.only_counts() && !table.limits_leaves()) return counted_stump(node, about);
  const double mean = table.goal == Goal::squares ? node.mean() : 0.0;
  Sums all{table}, none{table}, left{table};
  for (std::size_t i = 0; i < node.rows; ++i) all.add(node.order(0)[i], mean);
  // A leaf earns what it does without a question.
  double nothing = none.earned(all);
  const double unit = table.goal == Goal::squares ? 1.0 : table.unit;
  Stump best;
  auto offer = [&](const Sums& side, Cut cut) {
    const Cost cost = std::max(0.0, node.leaf() - unit * (side.earned(all) - nothing)) + table.penalty;
    best.least = std::min(best.least, cost);
    // Of costs that are equal but for rounding, the first is kept.
    const bool is_less = table.goal == Goal::squares ? cost + table.tie < best.allowed : cost < best.allowed;
    if (!is_less || side.rows() < table.min_leaf_rows || node.rows - side.rows() < table.min_leaf_rows) return;
    best.allowed = cost, best.cut = cut;
  };
  for (std::size_t f = 0; f < node.n_columns(); ++f) {
    const Row* order = node.order(f);
    const Rank* ranks = node.ranks(f);
    const Asked& column = table.columns[f];
    const auto number = static_cast<std::int32_t>(f);
    if (about >= 0 && column.column != static_cast<std::uint32_t>(about)) continue;
    if (column.ordered) {
      left.clear();
      for (std::size_t i = 0; i + 1 < node.rows; ++i) {
        left.add(order[i], mean);
        if (ranks[i] != ranks[i + 1]) offer(left, {number, ranks[i + 1]});
      }
      continue;
    }
    std::vector<Sums> levels(column.n_ranks, Sums{table});
    for (std::size_t i = 0; i < node.rows; ++i) levels[ranks[i]].add(order[i], mean);
    for (std::uint32_t q = 0; q < column.questions.size(); ++q) {
      const LevelQuestion& question = column.questions[q];
      left.clear();
      if (question.left == 0) {
        left.add(levels[question.level]);
        if (question.with_missing) left.add(levels[column.missing]);
      } else {
        for (Rank rank = 0; rank < column.n_ranks; ++rank)
          if (question.left >> rank & 1) left.add(levels[rank]);
      }
      if (left.rows() > 0 && left.rows() < node.rows) offer(left, {number, q});
    }
  }
  if (!table.may_split(node.rows)) best.allowed = far;
  return best;
}

}  // namespace arboretum::optimal
