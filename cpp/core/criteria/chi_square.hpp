// Pearson's chi-square of the two sides by class. It compares the cuts of a column that a test has chosen; how much a
// question gains, and all that nodes show, is up to the criterion of the tree. With d_k = l_k N - t_k n (l_k of class k
// on the left, t_k in the node, n and N the weights), it is sum d_k^2 / t_k / (n (N - n)): a rare class counts as much
// as a common one. Of two classes, the best cut is that of Gini.
#pragma once
#include "core/criteria/on_classes.hpp"

namespace arboretum {

struct ChiSquare : OnClasses<ChiSquare> {
  template <class Counts>
  class Score {
   public:
    explicit Score(const Counts& total) : total_{total} {}
    double operator()(const Counts& left) const {
      return per_product(squares(left), left.total(), total_.total() - left.total());
    }
    double of_parts(std::span<const Counts> parts) const {
      double sum = 0.0;
      for (const Counts& part : parts)
        if (part.total() > 0) sum += per_product(squares(part), part.total(), total_.total());
      return sum;
    }

   private:
    double squares(const Counts& left) const {
      double sum = 0.0;
      for (std::size_t k = 0; k < left.n_classes(); ++k) {
        if (total_.count(k) == 0) continue;
        const auto d = static_cast<double>(deviation(left, total_, k));
        sum += d * d / static_cast<double>(total_.count(k));
      }
      return sum;
    }
    const Counts& total_;
  };
  // What is left to explain: chi-square per row is at most the number of classes less one.
  template <class Counts>
  static double impurity_of(const Counts& node) {
    return static_cast<double>(n_present(node)) - 1.0;
  }
  static double decrease_of(double score, double weight) { return score / weight; }
};

}  // namespace arboretum
