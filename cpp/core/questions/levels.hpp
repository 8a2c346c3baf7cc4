// Levels: questions about nominal columns. `subset` asks "x in S?", `one_vs_rest` asks "x = v?". Where some order of
// the levels is known to hold the best subset, its cuts are offered, and unless the limits refuse the best of them
// that is all. Otherwise all subsets are tried while the node has at most `max_exhaustive_levels` levels. Of more
// levels, the cuts of the criterion's orders and each level against the rest are tried: a heuristic. Missing rows are
// tried on both sides, as for thresholds.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/questions/contest.hpp"
#include "core/questions/just_enough.hpp"

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
  using Bucket = typename C::Bucket;

  LevelQuestions(Contest<C>& contest, const NodeLevels<C>& levels)
      : contest_{contest},
        levels_{levels},
        is_left_(levels.codes.size()),
        apart_{contest.criterion, contest.node},
        along_{contest.criterion, contest.node} {
    if (levels.missing) along_.pass(*levels.missing);
  }

  // Subsets that score less than `to_beat` may be missed.
  std::optional<Split> best_subset(std::uint32_t max_exhaustive_levels, double to_beat = 0.0) {
    is_subset_ = true;
    is_ordered_ = contest_.criterion.orders_exactly(contest_.node, levels_.buckets,
                                                    levels_.missing ? &*levels_.missing : nullptr);
    if (is_ordered_) {
      contest_.score_refused();
      offer_order(0);
      offer_missing_rows();
      const std::optional<double> refused = contest_.best_refused();
      if (!refused || *refused < to_beat) return take_best();
      contest_.take_several();  // or they would be offered twice
    }
    if (n_levels() <= max_exhaustive_levels) {
      offer_all();
    } else {
      for (std::uint32_t order = 0; order < contest_.criterion.n_orders(contest_.node); ++order) offer_groups(order);
      offer_positions();
      offer_singles();
    }
    offer_missing_rows();
    return take_best();
  }

  std::optional<Split> best_one_vs_rest() {
    offer_singles();
    offer_missing_rows();
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
      if (winner && !better(own, most, rounding)) return;
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
    offer_missing_rows();
    compare({});
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

  void offer_singles() {
    for (std::size_t b = 0; b < n_levels(); ++b) {
      move(b);
      offer([&, b](LevelCut& cut) { cut.left = {b}; });
      move(b);
    }
  }

  void offer_missing_rows() {
    if (levels_.missing) offer_missing(contest_, *levels_.missing);
  }

  // Cuts between levels that differ in the order. Those that tie are divided only where limits ask for it.
  void offer_groups(std::uint32_t order) {
    std::vector<std::size_t> sorted = in_order(order);
    for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
      move(sorted[i]);
      if (!ties(sorted[i], sorted[i + 1])) offer([&](LevelCut& cut) { cut.order = order, cut.n_of_order = i + 1; });
    }
    for (std::size_t i = 0; i + 1 < sorted.size(); ++i) move(sorted[i]);
    for (const bool left : {true, false}) {
      for (const bool missing_left : {false, true})
        if (!missing_left || levels_.missing) offer_within_tie(sorted, left, missing_left);
      std::ranges::reverse(sorted);
    }
  }

  // Cuts of an order that is made of all levels together.
  void offer_positions() {
    if constexpr (requires { contest_.criterion.positions(contest_.node, levels_.buckets); }) {
      const std::vector<double> positions = contest_.criterion.positions(contest_.node, levels_.buckets);
      std::vector<std::size_t> sorted(n_levels());
      std::iota(sorted.begin(), sorted.end(), std::size_t{0});
      std::ranges::stable_sort(sorted, {}, [&](std::size_t b) { return positions[b]; });
      for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
        move(sorted[i]);
        offer([&](LevelCut& cut) { note_left(cut); });
      }
      for (std::size_t i = 0; i + 1 < sorted.size(); ++i) move(sorted[i]);
    }
  }

  bool ties(std::size_t a, std::size_t b) const {
    return contest_.criterion.ties(contest_.node, levels_.buckets[a], levels_.buckets[b]);
  }

  // Fills one side in the order of the levels. Where it becomes large enough by levels that tie, it takes no more than
  // needed.
  void offer_within_tie(std::span<const std::size_t> sorted, bool left, bool missing_left) {
    SideSize side;
    bool admitted = false;
    auto add = [&](const Bucket& bucket, const SideSize& size) {
      side += size, admitted = admitted || contest_.criterion.admits(bucket);
    };
    if (levels_.missing && left == missing_left) add(*levels_.missing, size_of(*levels_.missing));
    auto enough = [&] { return admitted && contest_.limits().allow_side(side.n_rows, side.weight); };
    for (std::size_t begin = 0, end = 0; begin < sorted.size() && !enough(); begin = end) {
      const SideSize before = side;
      std::vector<SideSize> sizes;
      for (end = begin; end == begin || (end < sorted.size() && ties(sorted[end - 1], sorted[end])); ++end) {
        sizes.push_back(size_of(levels_.buckets[sorted[end]]));
        add(levels_.buckets[sorted[end]], sizes.back());
      }
      if (!enough() || sizes.size() < 2) continue;
      std::vector<std::size_t> own{sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(begin)};
      for (std::size_t place : just_enough(sizes, before, contest_.limits())) own.push_back(sorted[begin + place]);
      offer_side(own, left, missing_left);
    }
  }

  SideSize size_of(const Bucket& bucket) {
    if (n_left_ > 0) throw std::logic_error("a level is measured while others lie left");
    apart_.pass(bucket);
    const SideSize size{apart_.weight(), apart_.n_rows()};
    apart_.take_back(bucket);
    return size;
  }

  // These levels on one side, the others on the other.
  void offer_side(std::span<const std::size_t> own, bool left, bool missing_left) {
    std::vector<bool> goes_left(n_levels(), !left);
    for (std::size_t b : own) goes_left[b] = left;
    auto move_all = [&] {
      for (std::size_t b = 0; b < n_levels(); ++b)
        if (goes_left[b]) move(b);
    };
    move_all();
    offer(missing_left, [&](LevelCut& cut) { note_left(cut); });
    move_all();
  }

  void note_left(LevelCut& cut) const {
    for (std::size_t b = 0; b < n_levels(); ++b)
      if (is_left_[b]) cut.left.push_back(b);
  }

  // The first level stays left; the others change sides one at a time, in the order of a Gray code.
  void offer_all() {
    if (n_levels() < 2) return;
    auto remember = [&](LevelCut& cut) { note_left(cut); };
    move(0);
    offer(remember);
    const std::uint64_t n_sets = std::uint64_t{1} << (n_levels() - 1);
    for (std::uint64_t i = 1; i < n_sets; ++i) {
      move(1 + static_cast<std::size_t>(std::countr_zero(i)));
      offer(remember);
    }
  }

  std::optional<Split> take_best() {
    std::optional<Split> best = contest_.take_best();
    if (best && best->kind == QuestionKind::levels) describe(*best);
    return best;
  }

  void describe(Split& split) {
    if (best_.n_of_order > 0) {
      best_.left = in_order(best_.order);
      best_.left.resize(best_.n_of_order);
    }
    const bool turned = is_turned();
    for (std::size_t b = 0; b < n_levels(); ++b) split.levels.emplace_back(levels_.codes[b], child_of(turned));
    for (std::size_t b : best_.left) split.levels[b].second = child_of(!turned);
    if (!turned) return;
    split.missing_left = split.missing_left != split.missing_seen;
    split.left_weight = contest_.node.fixed_weight() - split.left_weight;
    std::swap(split.left_value, split.right_value);
  }

  // Is what lies left to be called right?
  bool is_turned() const {
    if (is_ordered_) return best_.n_of_order == 0 && comes_second(best_.left);
    if constexpr (requires { C::first_level_goes_left; })
      return is_subset_ && std::ranges::find(best_.left, std::size_t{0}) == best_.left.end();
    return false;
  }

  // In the order of levels, left is the side that comes first; so it is for subsets that are no cuts of it.
  bool comes_second(std::span<const std::size_t> left) const {
    if constexpr (requires(Bucket sum) { sum += sum; }) {
      std::vector<bool> is_left(n_levels());
      for (std::size_t b : left) is_left[b] = true;
      std::optional<Bucket> sums[2];
      for (std::size_t b = 0; b < n_levels(); ++b)
        if (auto& sum = sums[is_left[b]]) *sum += levels_.buckets[b];
        else sum = levels_.buckets[b];
      return contest_.criterion.comes_before(contest_.node, *sums[0], *sums[1], 0);
    }
    return false;
  }

  Contest<C>& contest_;
  const NodeLevels<C>& levels_;
  bool is_subset_ = false;   // rather than a single level
  bool is_ordered_ = false;  // is the first order exact?
  std::size_t n_left_ = 0;
  std::vector<bool> is_left_;
  typename C::Sweep apart_, along_;
  LevelCut best_, chosen_;
};

}  // namespace arboretum
