// Contest: the best cut of one column in one node. Questions offer cuts; the contest keeps the first of the best.
#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/criteria/criterion.hpp"
#include "core/grow/choice.hpp"
#include "core/grow/limits.hpp"
#include "core/grow/split.hpp"
#include "core/interrupt.hpp"

namespace arboretum {

template <class C>
class Contest {
 public:
  using NodeTargets = typename C::NodeTargets;

  Contest(const C& criterion, const NodeTargets& node, const Limits& limits, Interrupt& interrupt)
      : criterion{criterion}, node{node}, limits_{limits}, interrupt_{interrupt} {}

  template <class Cut, class Describe>
  void offer(const Cut& cut, Describe&& describe) {
    if (limits_.allow_values(cut) && limits_.allow_cut(cut, node)) n_admissible_ += offer_unordered(cut, describe);
  }

  // A question whose answers have no order cannot break a constraint on the column. Rounding below zero counts as zero.
  // `describe` completes the split; it is called only for a new best cut. False if the cut is not admissible.
  template <class Cut, class Describe>
  bool offer_unordered(const Cut& cut, Describe&& describe) {
    if (++n_offers_ % 16 == 0 && node.n_rows() > 10'000) interrupt_.poll();  // a cut of a large node may take a while
    if (!cut.admissible()) return false;
    if (!limits_.allow_size(cut, node)) {
      if (scores_refused_) refused_ = std::max(refused_, cut.score());
      return false;
    }
    const double score = std::max(0.0, cut.score());
    admitted_ = std::max(admitted_, score);
    if (most_ > 0) {
      if (score >= least_) describe(kept_.emplace_back(split_of(cut, score)));
      if (kept_.size() / 2 > most_) drop_worst();
      return true;
    }
    if (best_ && !better(score, best_->score)) return true;
    describe(best_.emplace(split_of(cut, score)));
    return true;
  }

  std::optional<Split> take_best() { return std::exchange(best_, std::nullopt); }

  // From now on so many cuts are kept, not only the best.
  void keep_several(std::size_t most) { most_ = most; }
  bool keeps_several() const { return most_ > 0; }
  std::vector<Split> take_several() {
    drop_worst();
    return std::exchange(kept_, {});
  }

  // From now on cuts with a side that is too small are scored too, to see what the limits cost.
  void score_refused() { scores_refused_ = true; }
  // The best score that was refused, if it is better than all that were not.
  std::optional<double> best_refused() const { return refused_ > admitted_ ? std::optional{refused_} : std::nullopt; }
  const Limits& limits() const { return limits_; }

  std::uint32_t n_admissible() const { return n_admissible_; }  // of the cuts between values
  bool wants_values() const { return limits_.constrained; }

  const C& criterion;
  const NodeTargets& node;

 private:
  template <class Cut>
  Split split_of(const Cut& cut, double score) const {
    Split split;
    split.score = score, split.left_weight = cut.weight();
    if (limits_.constrained) split.left_value = cut.left_value(), split.right_value = cut.right_value();
    return split;
  }

  // The best cuts come first; of equals those that were offered first.
  void drop_worst() {
    std::ranges::stable_sort(kept_, std::ranges::greater{}, &Split::score);
    if (kept_.size() <= most_) return;
    kept_.resize(most_);
    least_ = kept_.back().score;
  }

  Limits limits_;
  Interrupt& interrupt_;
  std::uint32_t n_offers_ = 0, n_admissible_ = 0;
  std::optional<Split> best_;
  bool scores_refused_ = false;
  double refused_ = -1.0, admitted_ = -1.0;  // the best score of either sort
  std::size_t most_ = 0;
  double least_ = 0.0;
  std::vector<Split> kept_;
};

inline void ask_missing(Split& split) {
  split.kind = QuestionKind::missing;
  split.missing_left = split.missing_seen = true;
}

// "Is the value missing?" is a question of its own: the missing rows go left. It comes after all other cuts of a
// column.
template <class C, class Missing>
void offer_missing(Contest<C>& contest, const Missing& missing) {
  typename C::Sweep cut{contest.criterion, contest.node};
  cut.pass(missing);
  contest.offer_unordered(cut, ask_missing);
}

}  // namespace arboretum
