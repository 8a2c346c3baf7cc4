// Misclassification: the share of rows outside the most common class. Its decrease, times the node's weight, is what
// the majority-vote score of the lecture notes (rows in the majority of either side) adds to the majority of the node.
#pragma once
#include <algorithm>

#include "core/criteria/bound.hpp"
#include "core/criteria/on_classes.hpp"

namespace arboretum {

struct Misclassification : OnClasses<Misclassification> {
  static constexpr const char* name = "misclassification";

  template <class Counts>
  class Score {
   public:
    explicit Score(const Counts& total) : total_{total} {
      for (std::size_t k = 0; k < total.n_classes(); ++k) majority_ = std::max<Fixed>(majority_, total.count(k));
    }
    double operator()(const Counts& left) const {
      Fixed l = 0, r = 0;
      for (std::size_t k = 0; k < left.n_classes(); ++k)
        l = std::max<Fixed>(l, left.count(k)), r = std::max<Fixed>(r, total_.count(k) - left.count(k));
      return static_cast<double>(l + r - majority_);
    }

    double of_parts(std::span<const Counts> parts) const {
      Fixed right = 0;
      for (const Counts& part : parts) {
        Fixed majority = 0;
        for (std::size_t k = 0; k < part.n_classes(); ++k) majority = std::max<Fixed>(majority, part.count(k));
        right += majority;
      }
      return static_cast<double>(right - majority_);
    }

   private:
    const Counts& total_;
    Fixed majority_ = 0;
  };
  template <class Counts>
  static double impurity_of(const Counts& node) {
    auto majority = node.count(0);
    for (std::size_t k = 1; k < node.n_classes(); ++k) majority = std::max(majority, node.count(k));
    return static_cast<double>(node.total() - majority) / static_cast<double>(node.total());
  }
  static double decrease_of(double score, double weight) { return score / weight; }
};

template <class S>
struct BoundedScore<Misclassification, S> {
  S total;
  Misclassification::Score<S> exact;

  explicit BoundedScore(const S& all) : total{all}, exact{total} {}
  BoundedScore(const BoundedScore&) = delete;

  double operator()(const S& left) const { return exact(left); }
  bool may_reach(const S&, double) const { return true; }
  // The majority left of a cut inside is at most that with the whole bucket, the one right at most that before it.
  bool may_hold(const S& left, const S& bucket, double best) const {
    Fixed l = 0, r = 0, majority = 0;
    for (std::size_t k = 0; k < S::most_classes; ++k) {
      l = std::max(l, left.count(k) + bucket.count(k)), r = std::max(r, total.count(k) - left.count(k));
      majority = std::max(majority, total.count(k));
    }
    return real(l + r - majority) >= best;
  }
};

}  // namespace arboretum
