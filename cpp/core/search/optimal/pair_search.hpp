// PairSearch: the best tree of two levels. Questions about a column are tried several at once; where the intervals
// between them may still hold something better, the next ones are spread over these.
#pragma once
#include <array>
#include <vector>

#include "core/search/optimal/budget.hpp"
#include "core/search/optimal/plan.hpp"
#include "core/search/optimal/task.hpp"
#include "core/search/optimal/trial.hpp"

namespace arboretum::optimal {

class PairSearch {
 public:
  PairSearch(const OptimalTable& table, const OptimalOptions& options, Budget& budget, bool asks)
      : table_{table}, trial_{table, options}, budget_{budget}, asks_{asks} {}

  std::size_t n_cuts() const { return trial_.n_cuts(); }

  // The best tree of at most four leaves, if it is below the limit. Trees of one question are not looked at: their best
  // is given.
  void solve(const Task& task, const Stump& stump, Plan& plan);

 private:
  // The questions strictly between two knots.
  struct Gap {
    Knot lo, hi;
    std::size_t cell = 0;
    std::size_t first = 0, last = 0;  // that may be better
    std::size_t from = 0, to = 0;     // knots tried inside
  };

  Cost joined(const SideCost& left, const SideCost& right, Cost SideCost::* of) const {
    const Cost deep = left.*of + right.*of, left_leaf = left.leaf + right.*of, right_leaf = left.*of + right.leaf;
    return (leaves_ >= 4 ? deep : std::min(left_leaf, right_leaf)) + table_.penalty;
  }
  // Only trees of the column that cost less are of interest.
  Cost limit() const { return column_ <= turn_.column ? best_ + tie_ : best_; }
  bool is_better(Cost cost, Turn turn) const {
    return tie_ > 0.0 ? cost + tie_ <= best_ || (cost < best_ + tie_ && turn < turn_) : cost < best_;
  }
  Cost sum(const Knot& knot) const { return joined(knot.left, knot.right, &SideCost::least); }
  bool is_deep(const SideCost& side) const { return side.allowed < side.leaf; }
  bool try_knots(const Task& task, std::size_t column, Plan& plan);
  void note(const Task& task, std::size_t column, const Knot& knot, Plan& plan);
  void search_thresholds(const Task& task, std::size_t column, const SideCost& whole, Plan& plan);
  void search_levels(const Task& task, std::size_t column, const SideCost& whole, Plan& plan);
  bool spread(const Task& task, std::size_t column, Cost* bound, const Cost* known, const Reach& reach, Plan& plan);

  const OptimalTable& table_;
  Trial trial_;
  Budget& budget_;
  bool asks_;
  std::uint32_t leaves_ = 4;
  Cost best_ = far;
  Cost tie_ = 0.0;  // where the first of equals is wanted
  Turn turn_{};     // of the best
  std::int32_t column_ = 0;
  std::vector<Knot> knots_;
  std::vector<Gap> gaps_, open_;
};

}  // namespace arboretum::optimal
