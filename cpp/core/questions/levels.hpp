// Levels: questions about nominal columns. `subset` asks "x in S?", `one_vs_rest` asks "x = v?".
// Subsets: cuts of the levels put in order by the criterion, where some order is known to hold the best subset; else all
// subsets while the node has at most `max_exhaustive_levels` levels; else cuts of the criterion's orders, a heuristic.
// Words: LevelCut (what lies left). Missing rows are tried on both sides, as for thresholds.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "core/questions/contest.hpp"

namespace arboretum {

// The levels present in a node, ascending, with what lies in each; and the missing rows, if any.
template <class C>
struct NodeLevels {
  std::vector<Code> codes;
  std::vector<typename C::Bucket> buckets;
  std::optional<typename C::Bucket> missing;
};

template <class C>
class LevelQuestions {
 public:
  LevelQuestions(Contest<C>& contest, const NodeLevels<C>& levels)
      : contest_{contest},
        levels_{levels},
        is_left_(levels.codes.size()),
        apart_{contest.criterion, contest.node},
        along_{contest.criterion, contest.node} {
    if (levels.missing) along_.pass(*levels.missing);
  }

  std::optional<Split> best_subset(std::uint32_t max_exhaustive_levels) {
    if (contest_.criterion.orders_exactly(contest_.node, levels_.buckets,
                                          levels_.missing ? &*levels_.missing : nullptr)) {
      offer_order(0);
    } else if (n_levels() <= max_exhaustive_levels) {
      offer_all();
    } else {
      for (std::uint32_t order = 0; order < contest_.criterion.n_orders(contest_.node); ++order) offer_order(order);
    }
    return take_best();
  }

  std::optional<Split> best_one_vs_rest() {
    for (std::size_t b = 0; b < n_levels(); ++b) {
      move(b);
      offer([&, b](LevelCut& cut) { cut.left = {b}; });
      move(b);
    }
    return take_best();
  }

  // The level whose question is worth most by another measure than the score.
  template <class Worth>
  std::optional<Split> best_one_vs_rest_by(Worth&& worth) {
    std::optional<Split> winner;
    double most = 0.0;
    auto compare = [&](const LevelCut& cut) {
      std::optional<Split> split = contest_.take_best();
      if (!split) return;
      const double own = worth(*split);
      if (winner && own <= most * rounding) return;
      winner = std::move(split), most = own;
      chosen_ = cut;
    };
    for (std::size_t b = 0; b < n_levels(); ++b) {
      move(b);
      for (const bool missing_left : {false, true}) {
        offer(missing_left, [&, b](LevelCut& cut) { cut.left = {b}; });
        compare({{b}});
      }
      move(b);
    }
    if (levels_.missing) offer_missing(contest_, *levels_.missing), compare({});
    best_ = std::move(chosen_);
    if (winner && winner->kind == QuestionKind::levels) describe(*winner);
    return winner;
  }

 private:
  // How to find the left side again. A new best cut comes up to once per level: writing down all levels each time would
  // take quadratic time, so a cut of an order is kept as the order and a position in it.
  struct LevelCut {
    std::vector<std::size_t> left;
    std::uint32_t order = 0;
    std::size_t n_of_order = 0;  // the first so many levels of that order; 0: see `left`
  };

  std::size_t n_levels() const { return levels_.codes.size(); }

  // Takes a level to the left side, or back.
  void move(std::size_t b) {
    is_left_[b] = !is_left_[b];
    if (is_left_[b]) apart_.pass(levels_.buckets[b]), along_.pass(levels_.buckets[b]), ++n_left_;
    else apart_.take_back(levels_.buckets[b]), along_.take_back(levels_.buckets[b]), --n_left_;
  }

  // All levels on one side is no question about levels; with missing rows on the other it is "is missing", asked apart.
  template <class Remember>
  void offer(bool missing_left, Remember&& remember) {
    if (n_left_ == n_levels() || (missing_left && !levels_.missing.has_value())) return;
    contest_.offer(missing_left ? along_ : apart_, [&](Split& split) {
      split.kind = QuestionKind::levels;
      split.missing_left = missing_left, split.missing_seen = levels_.missing.has_value();
      best_ = {};
      remember(best_);
      if (contest_.keeps_several()) describe(split);
    });
  }
  template <class Remember>
  void offer(Remember&& remember) {
    for (const bool missing_left : {false, true}) offer(missing_left, remember);
  }

  std::vector<std::size_t> in_order(std::uint32_t order) const {
    std::vector<std::size_t> sorted(n_levels());
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
      return contest_.criterion.comes_before(contest_.node, levels_.buckets[a], levels_.buckets[b], order);
    });
    return sorted;
  }

  void offer_order(std::uint32_t order) {
    const std::vector<std::size_t> sorted = in_order(order);
    for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
      move(sorted[i]);
      offer([&](LevelCut& cut) { cut.order = order, cut.n_of_order = i + 1; });
    }
    for (std::size_t i = 0; i + 1 < sorted.size(); ++i) move(sorted[i]);
  }

  // The first level stays left; the others change sides one at a time, in the order of a Gray code.
  void offer_all() {
    if (n_levels() < 2) return;
    auto remember = [&](LevelCut& cut) {
      for (std::size_t b = 0; b < n_levels(); ++b)
        if (is_left_[b]) cut.left.push_back(b);
    };
    move(0);
    offer(remember);
    const std::uint64_t n_sets = std::uint64_t{1} << (n_levels() - 1);
    for (std::uint64_t i = 1; i < n_sets; ++i) {
      move(1 + static_cast<std::size_t>(std::countr_zero(i)));
      offer(remember);
    }
  }

  std::optional<Split> take_best() {
    if (levels_.missing) offer_missing(contest_, *levels_.missing);
    std::optional<Split> best = contest_.take_best();
    if (best && best->kind == QuestionKind::levels) describe(*best);
    return best;
  }

  void describe(Split& split) {
    if (best_.n_of_order > 0) {
      best_.left = in_order(best_.order);
      best_.left.resize(best_.n_of_order);
    }
    for (std::size_t b = 0; b < n_levels(); ++b) split.levels.emplace_back(levels_.codes[b], child_of(false));
    for (std::size_t b : best_.left) split.levels[b].second = child_of(true);
  }

  Contest<C>& contest_;
  const NodeLevels<C>& levels_;
  std::size_t n_left_ = 0;
  std::vector<bool> is_left_;
  typename C::Sweep apart_, along_;
  LevelCut best_, chosen_;
};

}  // namespace arboretum
