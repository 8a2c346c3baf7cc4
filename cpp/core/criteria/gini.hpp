// Gini impurity: the chance that two rows drawn from the node, with replacement, disagree.  (Breiman et al. 1984, ch. 4)
// With d_k = l_k N - t_k n (l_k of class k on the left, t_k in the node, n and N the weights), the weighted decrease is
// sum d_k^2 / (n (N - n) N). The score leaves out the constant N.
#pragma once
#include "core/criteria/on_classes.hpp"

namespace arboretum {

struct Gini : OnClasses {
  static constexpr const char* name = "gini";

  template <class Counts>
  class Score {
   public:
    explicit Score(const Counts& total) : total_{total} {}
    double operator()(const Counts& left) const {
      return per_product(squares(left), left.total(), total_.total() - left.total());
    }

    // Of several parts: sum d_k^2 / (n N) over all of them, which is the above for two.
    double of_parts(std::span<const Counts> parts) const {
      double sum = 0.0;
      for (const Counts& part : parts)
        if (part.total() > 0) sum += per_product(squares(part), part.total(), total_.total());
      return sum;
    }

   private:
    // Exact in integers while the node's weight has at most 31 bits: sum d_k^2 <= N^4 / 4.
    double squares(const Counts& left) const {
      if (total_.total() < (Fixed{1} << 31)) {
        Wide sum = 0;
        for (std::size_t k = 0; k < left.n_classes(); ++k) {
          const Fixed d = left.count(k) * total_.total() - total_.count(k) * left.total();
          sum += Wide{d} * d;
        }
        return static_cast<double>(sum);
      }
      double sum = 0.0;
      for (std::size_t k = 0; k < left.n_classes(); ++k) {
        const auto d = static_cast<double>(deviation(left, total_, k));
        sum += d * d;
      }
      return sum;
    }
    const Counts& total_;
  };
  using Sweep = ClassSweep<Gini>;

  double score_parts(const ClassNode& node, std::span<const Bucket> parts) const {
    return Score<ClassCounts>{node.total}.of_parts(parts);
  }

  template <class Counts>
  static double impurity_of(const Counts& node) {
    double agree = 0.0, differ = 0.0;
    const auto weight = static_cast<double>(node.total());
    for (std::size_t k = 0; k < node.n_classes(); ++k) {
      const double share = static_cast<double>(node.count(k)) / weight;
      agree += share * share;
      differ += share * (static_cast<double>(node.total() - node.count(k)) / weight);
    }
    if (n_present(node) < 2) return 0.0;
    return 1.0 - agree >= 0x1p-24 ? 1.0 - agree : differ;  // the same, but a small difference has few digits left
  }
  double impurity(const ClassNode& node) const { return impurity_of(node.total); }
  static double decrease_of(double score, double weight) { return score / weight / weight; }
  double decrease(double score, const ClassNode& node) const {
    return decrease_of(score, static_cast<double>(node.total.weight));
  }
};

}  // namespace arboretum
