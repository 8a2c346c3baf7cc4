// Misclassification: the share of rows outside the most common class. Its decrease, times the node's weight, is what the
// majority-vote score of the lecture notes (rows in the majority of either side) adds to the majority of the node.
#pragma once
#include <algorithm>

#include "core/criteria/on_classes.hpp"

namespace arboretum {

struct Misclassification : OnClasses {
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
  using Sweep = ClassSweep<Misclassification>;

  double score_parts(const ClassNode& node, std::span<const Bucket> parts) const {
    return Score<ClassCounts>{node.total}.of_parts(parts);
  }

  template <class Counts>
  static double impurity_of(const Counts& node) {
    auto majority = node.count(0);
    for (std::size_t k = 1; k < node.n_classes(); ++k) majority = std::max(majority, node.count(k));
    return static_cast<double>(node.total() - majority) / static_cast<double>(node.total());
  }
  double impurity(const ClassNode& node) const { return impurity_of(node.total); }
  static double decrease_of(double score, double weight) { return score / weight; }
  double decrease(double score, const ClassNode& node) const {
    return decrease_of(score, static_cast<double>(node.total.weight));
  }
};

}  // namespace arboretum
