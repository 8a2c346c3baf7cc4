// Fast criteria: the criteria once more, over compact summaries, with bounds. Scores come from the same functions as in
// the plain source, so they agree to the last bit; only what need not be scored is found out sooner.
//   may_reach(left, best)         false only if the cut scores less than `best`; no division
//   may_hold(left, bucket, best)  false only if no cut inside the bucket, which lies right of `left`, scores `best`
// Words: slack (bounds err upwards, by more than rounding can). A criterion without a bound answers true: all is searched.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>

#include "core/criteria/entropy.hpp"
#include "core/criteria/gini.hpp"
#include "core/criteria/misclassification.hpp"
#include "core/criteria/poisson.hpp"
#include "core/criteria/squared_error.hpp"
#include "core/sources/summaries.hpp"

namespace arboretum {

inline constexpr double slack = 1.0 + 1e-9;

inline double real(Fixed x) { return static_cast<double>(x); }

// --- classes ---------------------------------------------------------------------------------------------------------

// The gain is convex in the class weights left of the cut, so within the box that a bucket spans it is largest at a corner:
// of two classes, at the borders of the bucket or where all rows of one class lie left and none of the other.
template <class Score>
bool corner_may_hold(const Score& score, const TwoCounts& left, const TwoCounts& bucket, double best) {
  const std::uint64_t ones = bucket.packed >> 32, zeros = (bucket.packed & 0xffffffffu) - ones;
  return score.reaches(TwoCounts{left.packed + (ones << 32 | ones)}, best) |
         score.reaches(TwoCounts{left.packed + zeros}, best);
}

template <class C, class S>
struct FastScore;

template <>
struct FastScore<Gini, TwoCounts> {
  TwoCounts total;
  explicit FastScore(const TwoCounts& total) : total{total} {}

  Fixed deviation(const TwoCounts& left) const { return left.ones() * total.total() - left.total() * total.ones(); }
  double operator()(const TwoCounts& left) const {
    const Fixed d = deviation(left);
    return per_product(static_cast<double>(2 * (Wide{d} * d)), left.total(), total.total() - left.total());
  }
  bool reaches(const TwoCounts& left, double best) const {
    const double d = real(deviation(left)), sides = real(left.total()) * real(total.total() - left.total());
    return (sides > 0) & (2 * d * d * slack >= best * sides);  // a side without rows is no cut
  }
  bool may_reach(const TwoCounts& left, double best) const { return reaches(left, best); }
  // Both corners at once: all ones of the bucket left and no zero, or the reverse.
  bool may_hold(const TwoCounts& left, const TwoCounts& bucket, double best) const {
    using Pair = double __attribute__((vector_size(16)));
    const double all = real(total.total()), n = real(left.total()), k = real(left.ones()), ones = real(bucket.ones()),
                 zeros = real(bucket.total()) - ones;
    const Pair at = Pair{n, n} + Pair{ones, zeros}, a = (Pair{k, k} + Pair{ones, 0.0}) * all,
               b = at * real(total.ones()), d = a - b, sides = at * (all - at);
    // d is the difference of two numbers that are rounded when a node has more than 2^26 rows.
    const Pair reach = 2.0 * d * d * slack + 1e-15 * (a * a + b * b), asked = sides * best;
    return ((sides[0] > 0) & (reach[0] >= asked[0])) | ((sides[1] > 0) & (reach[1] >= asked[1]));
  }
};

// More classes: each deviation d_k stays in a known interval inside the bucket, and n (N - n), concave in n, is least at
// an end. In the first and the last bucket that product may be zero: no bound there.
template <class S>
struct FastScore<Gini, S> {
  S total;
  Gini::Score<S> exact;
  double weight;
  std::array<double, S::most_classes> counts;

  explicit FastScore(const S& all) : total{all}, exact{total}, weight{real(all.total())} {
    for (std::size_t k = 0; k < S::most_classes; ++k) counts[k] = real(all.count(k));
  }
  FastScore(const FastScore&) = delete;

  double operator()(const S& left) const { return exact(left); }
  bool may_reach(const S& left, double best) const {
    const double n = real(left.total());
    double sum = 0.0, noise = 0.0;
    for (std::size_t k = 0; k < S::most_classes; ++k) {
      const double a = real(left.count(k)) * weight, b = n * counts[k], d = a - b;
      sum += d * d, noise = std::max(noise, a + b);
    }
    const double reach = std::sqrt(sum) + 1e-14 * noise;
    return reach * reach * slack >= best * (n * real(total.total() - left.total()));
  }
  bool may_hold(const S& left, const S& bucket, double best) const {
    const double n = real(left.total()), m = real(bucket.total());
    const Fixed right = total.total() - left.total(), after = right - bucket.total();
    const double sides = std::min(n * real(right), real(left.total() + bucket.total()) * real(after));
    if (!(sides > 0.0)) return true;
    double sum = 0.0, noise = 0.0;
    for (std::size_t k = 0; k < S::most_classes; ++k) {
      const double a = real(left.count(k)) * weight, b = n * counts[k], own = real(bucket.count(k));
      const double up = own * (weight - counts[k]), down = (m - own) * counts[k];
      const double high = std::abs(a - b + up), low = std::abs(a - b - down);
      sum += std::max(high * high, low * low), noise = std::max(noise, a + b + up + down);
    }
    const double reach = std::sqrt(sum) + 1e-14 * noise;
    return reach * reach * slack >= best * sides;
  }
};

// Weight times impurity never falls when rows are added. So inside a bucket the left side is at least as impure as before
// it and the right side as after it: gain <= I(total) - I(before) - I(after), for every concave impurity.
template <class S>
struct FastScore<Entropy, S> {
  S total;
  Entropy::Score<S> exact;

  explicit FastScore(const S& all) : total{all}, exact{total} {}
  FastScore(const FastScore&) = delete;

  double operator()(const S& left) const { return exact(left); }
  bool may_reach(const S&, double) const { return true; }
  bool reaches(const S& left, double best) const {
    return left.total() > 0 && left.total() < total.total() && exact(left) * slack + exact.noise() >= best;
  }
  bool may_hold(const S& left, const S& bucket, double best) const {
    if constexpr (std::is_same_v<S, TwoCounts>) return corner_may_hold(*this, left, bucket, best);
    else return exact.within(left, bucket) * slack + exact.noise() >= best;
  }
};

template <class S>
struct FastScore<Misclassification, S> {
  S total;
  Misclassification::Score<S> exact;

  explicit FastScore(const S& all) : total{all}, exact{total} {}
  FastScore(const FastScore&) = delete;

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

// --- numbers ---------------------------------------------------------------------------------------------------------

template <class S>
Wide deviation(const S& left, const S& total) {
  return Wide{left.sum} * total.total() - Wide{total.sum} * left.total();
}

// Squared error. Inside a bucket of weight m, the left sum (centred at the node's mean) differs from the middle of its two
// ends by at most half the bucket's sum of |y|, which is at most sqrt(m * sum of y^2) / 2.
template <class S>
struct FastScore<SquaredError, S> {
  S total;
  double weight, mean, square_unit, weight_squared;  // the last with slack

  explicit FastScore(const S& all, double unit)
      : total{all},
        weight{real(all.total())},
        mean{real(all.sum) / weight},
        square_unit{unit},
        weight_squared{weight * weight * slack} {}

  double operator()(const S& left) const {
    const auto d = static_cast<double>(deviation(left, total));
    return per_product(d * d, left.total(), total.total() - left.total());
  }
  // Scores are d^2 / (w (W - w)) with d = W z: the tests below work with z.
  bool may_reach(const S& left, double best) const {
    const double w = real(left.total()), s = real(left.sum), drift = w * mean,
                 z = std::abs(s - drift) + 1e-14 * (std::abs(s) + std::abs(drift));
    return z * z * weight_squared >= best * (w * real(total.total() - left.total()));
  }
  bool may_hold(const S& left, const S& bucket, double best) const {
    const double w = real(left.total()), m = real(bucket.total()), z = real(left.sum) - w * mean,
                 step = real(bucket.sum) - m * mean;
    const double raw = real(bucket.squares) * square_unit, drift = mean * mean * m;
    const double spread = std::max(0.0, raw - 2 * mean * real(bucket.sum) + drift) + 1e-12 * (raw + drift);
    // Weights are subtracted before they are rounded: the side of a light row beside heavy ones must not look heavier.
    const Fixed right = total.total() - left.total(), after = right - bucket.total();
    const double sides = std::min(w * real(right), real(left.total() + bucket.total()) * real(after));
    // In the first and the last bucket, z^2 <= w sum y^2 of the smaller side leaves sum y^2 / (weight of the other).
    if (!(sides > 0.0)) return spread * weight_squared >= best * (w <= 0.0 ? real(after) : w);
    const double noise = 1e-14 * (std::abs(real(left.sum)) + std::abs(real(bucket.sum)) + std::abs((w + m) * mean));
    const double reach = std::abs(z + step / 2) + 0.5 * std::sqrt(m * spread) + noise;
    return reach * reach * weight_squared >= best * sides;
  }
};

// Poisson. The gain is convex in (weight, sum) left of the cut, and both grow as it travels: corners of the box, as above.
template <>
struct FastScore<Poisson, Sums> {
  Sums total;
  double mean, weak;

  explicit FastScore(const Sums& all)
      : total{all}, mean{real(all.sum) / real(all.weight)}, weak{Poisson::weak(moments(all))} {}

  double operator()(const Sums& left) const {
    if (deviation(left, total) == 0) return 0.0;
    const double score = term(left.sum, left.weight) + term(total.sum - left.sum, total.weight - left.weight);
    return score >= weak ? score : finely(left);
  }
  bool may_reach(const Sums&, double) const { return true; }
  bool may_hold(const Sums& left, const Sums& bucket, double best) const {
    const double noise =
        1e-14 * real(total.sum);  // of the logarithms, each of which is multiplied by a part of the sum
    return at(left.sum + bucket.sum, left.weight) * slack + noise >= best ||
           at(left.sum, left.weight + bucket.weight) * slack + noise >= best;
  }

 private:
  static Moments moments(const Sums& sums) { return {sums.weight, sums.sum, sums.n_rows()}; }
  [[gnu::cold, gnu::noinline]] double finely(const Sums& left) const {
    Sums right = total;
    right -= left;
    return Poisson::finely(moments(total), moments(left), moments(right));
  }
  double term(Fixed sum, Fixed weight) const { return real(sum) * std::log(real(sum) / (real(weight) * mean)); }
  double at(Fixed sum, Fixed weight) const {
    const Fixed rest = total.sum - sum, other = total.weight - weight;
    if ((weight <= 0 && sum > 0) || (other <= 0 && rest > 0)) return std::numeric_limits<double>::infinity();
    return (sum > 0 ? term(sum, weight) : 0.0) + (rest > 0 ? term(rest, other) : 0.0);
  }
};

}  // namespace arboretum
