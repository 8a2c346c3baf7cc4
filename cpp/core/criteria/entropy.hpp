// Entropy: the expected number of bits needed to tell the class of a row.  (Shannon 1948; ID3: Quinlan 1986)
// With F(c) = c log2 c the weight times the entropy is F(N) - sum F(t_k). The terms are rounded to one grid per node, on
// which sums are exact: the score does not depend on the order of classes or on which side is called left.
// Where heavy rows of one class leave little to be told, the gain drowns in that rounding. It is then the sum of the
// divergences of all counts from what they would be if the question told nothing: e_k = t_k n / N on a side of weight n.
#pragma once
#include <cmath>
#include <numbers>

#include "core/criteria/bound.hpp"
#include "core/criteria/on_classes.hpp"
#include "core/divergence.hpp"
#include "core/log_terms.hpp"
#include "core/twofold.hpp"

namespace arboretum {

// Rounds numbers up to `largest` in size to multiples of one power of two, so that a few thousand of them add exactly.
class Grid {
 public:
  explicit Grid(double largest) : shift_{std::ldexp(1.5, std::ilogb(largest + 1.0) + 2)} {}
  double operator()(double x) const { return (x + shift_) - shift_; }
  double step() const { return shift_ * 0x1p-51; }

 private:
  double shift_;  // adding it pushes the bits below the grid out of the double
};

struct Entropy : OnClasses<Entropy> {
  static constexpr const char* name = "entropy";
  static constexpr std::size_t least_classes = 8;
  static constexpr double bits_by_chance = 0.5 / std::numbers::ln2;  // Miller and Madow

  template <class Counts>
  class Score {
   public:
    explicit Score(const Counts& total) : total_{total}, grid_{c_log_c(static_cast<double>(total.total()))} {
      whole_ = term(total.total());
      std::size_t n_present = 0;
      for (std::size_t k = 0; k < total.n_classes(); ++k) {
        whole_ -= term(total.count(k));
        n_present += total.count(k) > 0;
      }
      weak_ = 0x1p20 * grid_.step() * static_cast<double>(n_present + 1);
    }
    double operator()(const Counts& left) const {
      bool gains = false;
      double l = term(left.total()), r = term(total_.total() - left.total());
      for (std::size_t k = 0; k < left.n_classes(); ++k) {
        l -= term(left.count(k)), r -= term(total_.count(k) - left.count(k));
        gains |= deviation(left, total_, k) != 0;
      }
      if (!gains) return 0.0;
      const double score = whole_ - (l + r);
      return score >= weak_ ? score : finely(left);
    }

    double of_parts(std::span<const Counts> parts) const {
      bool gains = false;
      double sides = 0.0;
      for (const Counts& part : parts) {
        sides += term(part.total());
        for (std::size_t k = 0; k < part.n_classes(); ++k) {
          sides -= term(part.count(k));
          gains = gains || deviation(part, total_, k) != 0;
        }
      }
      if (!gains) return 0.0;
      const double score = whole_ - sides;
      return score >= weak_ ? score : finely(parts);
    }

    // What rounding to the grid can add up to.
    double noise() const { return grid_.step() * static_cast<double>(2 * total_.n_classes() + 4); }

    // The gain if both sides were as impure as they are without the bucket: an upper bound for cuts inside it.
    double within(const Counts& left, const Counts& bucket) const {
      double sides = term(left.total()) + term(total_.total() - left.total() - bucket.total());
      for (std::size_t k = 0; k < left.n_classes(); ++k)
        sides -= term(left.count(k)) + term(total_.count(k) - left.count(k) - bucket.count(k));
      return whole_ - sides;
    }

   private:
    double term(Fixed count) const { return grid_(log_term(count)); }

    // The same scores to all digits, for few cuts of few nodes: each takes several logarithms. Both sides of a class
    // are added first, and classes in doubled precision: the order of neither shows.
    [[gnu::cold, gnu::noinline]] double finely(const Counts& left) const {
      Twofold sum;
      for (std::size_t k = 0; k < left.n_classes(); ++k)
        if (const auto d = static_cast<double>(deviation(left, total_, k)); d != 0.0)
          sum += apart(k, left.total(), d) + apart(k, total_.total() - left.total(), -d);
      return sum.value() / std::numbers::ln2;
    }
    [[gnu::cold, gnu::noinline]] double finely(std::span<const Counts> parts) const {
      Twofold sum;
      for (const Counts& part : parts)
        for (std::size_t k = 0; k < part.n_classes(); ++k)
          if (const auto d = static_cast<double>(deviation(part, total_, k)); d != 0.0)
            sum += apart(k, part.total(), d);
      return sum.value() / std::numbers::ln2;
    }
    // How far class k lies from its share of a side of this weight.
    double apart(std::size_t k, Fixed weight, double deviation) const {
      const double expected = static_cast<double>(total_.count(k)) * static_cast<double>(weight);
      return expected / static_cast<double>(total_.total()) * divergence(deviation / expected);
    }

    const Counts& total_;
    Grid grid_;
    double whole_ = 0.0;
    double weak_ = 0.0;  // scores below this may be off by more than a millionth: rounding is up to 2^-20 of it
  };
  template <class Counts>
  static double impurity_of(const Counts& node) {
    double bits = 0.0;
    const auto weight = static_cast<double>(node.total());
    for (std::size_t k = 0; k < node.n_classes(); ++k) {
      const double share = static_cast<double>(node.count(k)) / weight;
      const double others = static_cast<double>(node.total() - node.count(k)) / weight;
      // A share this close to 1 has lost the digits that its logarithm is made of; the others still have them.
      if (others < 0x1p-24) bits -= share * std::log1p(-others) / std::numbers::ln2;
      else if (node.count(k) > 0) bits -= share * std::log2(share);
    }
    return n_present(node) < 2 ? 0.0 : bits;
  }
  static double decrease_of(double score, double weight) { return score / weight; }
};

// Weight times impurity never falls when rows are added. So inside a bucket the left side is at least as impure as
// before it and the right side as after it: gain <= I(total) - I(before) - I(after), for every concave impurity.
template <class S>
struct BoundedScore<Entropy, S> {
  S total;
  Entropy::Score<S> exact;

  explicit BoundedScore(const S& all) : total{all}, exact{total} {}
  BoundedScore(const BoundedScore&) = delete;

  double operator()(const S& left) const { return exact(left); }
  double noise() const { return exact.noise(); }
  bool may_reach(const S&, double) const { return true; }
  bool reaches(const S& left, double best) const {
    return left.total() > 0 && left.total() < total.total() && exact(left) * slack + exact.noise() >= best;
  }
  bool may_hold(const S& left, const S& bucket, double best) const {
    if constexpr (std::is_same_v<S, TwoCounts>) return corner_may_hold(*this, left, bucket, best);
    else return exact.within(left, bucket) * slack + exact.noise() >= best;
  }
};

}  // namespace arboretum
