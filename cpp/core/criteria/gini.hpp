// Gini impurity: the chance that two rows drawn from the node, with replacement, disagree.  (Breiman et al. 1984, ch. 4)
// With d_k = l_k N - t_k n (l_k of class k on the left, t_k in the node, n and N the weights), the weighted decrease is
// sum d_k^2 / (n (N - n) N). The score leaves out the constant N.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "core/compiler.hpp"
#include "core/criteria/bound.hpp"
#include "core/criteria/on_classes.hpp"

namespace arboretum {

struct Gini : OnClasses<Gini> {
  static constexpr const char* name = "gini";
  static constexpr std::size_t least_classes = 2;
  // Of two classes the score is 2 d^2 / (n (N - n)): best_cut_of_two (questions/sorted_threshold.hpp) finds it faster.
  static constexpr bool squares_of_two = true;

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
  static double decrease_of(double score, double weight) { return score / weight / weight; }
};

template <>
struct BoundedScore<Gini, TwoCounts> {
  TwoCounts total;
  explicit BoundedScore(const TwoCounts& total) : total{total} {}

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
    const double all = real(total.total()), n = real(left.total()), k = real(left.ones()), ones = real(bucket.ones()),
                 zeros = real(bucket.total()) - ones;
    const Pair at = Pair{n, n} + Pair{ones, zeros}, a = (Pair{k, k} + Pair{ones, 0.0}) * all,
               b = at * real(total.ones()), d = a - b, sides = at * (all - at);
    // d is the difference of two numbers that are rounded when a node has more than 2^26 rows.
    const Pair reach = 2.0 * d * d * slack + 1e-15 * (a * a + b * b), asked = sides * best;
    return ((sides[0] > 0) & (reach[0] >= asked[0])) | ((sides[1] > 0) & (reach[1] >= asked[1]));
  }
};

// Two classes with weights: the same corners. Weights may be anything, so sides are subtracted as integers, before they
// are rounded.
template <>
struct BoundedScore<Gini, WeightCounts<2>> {
  WeightCounts<2> total;
  Gini::Score<WeightCounts<2>> exact;
  double all, all_ones;

  explicit BoundedScore(const WeightCounts<2>& node)
      : total{node}, exact{total}, all{real(node.total())}, all_ones{real(node.count(1))} {}
  BoundedScore(const BoundedScore&) = delete;

  double operator()(const WeightCounts<2>& left) const { return exact(left); }
  [[gnu::always_inline]] bool may_reach(const WeightCounts<2>& left, double best) const {
    return reaches(left.counts[0], left.counts[1], best);
  }
  [[gnu::always_inline]] bool may_hold(const WeightCounts<2>& left, const WeightCounts<2>& bucket, double best) const {
    return reaches(left.counts[0], left.counts[1] + bucket.counts[1], best) |
           reaches(left.counts[0] + bucket.counts[0], left.counts[1], best);
  }

 private:
  bool reaches(Fixed zeros, Fixed ones, double best) const {
    const Fixed weight = zeros + ones;
    const double n = real(weight), a = real(ones) * all, b = n * all_ones, d = a - b;
    const double sides = n * real(total.counts[0] + total.counts[1] - weight);
    // a and b are rounded when the node weighs more than 2^26.
    return (sides > 0) & (2.0 * d * d * slack + 1e-15 * (a * a + b * b) >= best * sides);
  }
};

// More classes: each deviation d_k stays in a known interval inside the bucket, and n (N - n), concave in n, is least
// at an end. In the first and the last bucket that product may be zero: no bound there.
template <class S>
struct BoundedScore<Gini, S> {
  S total;
  Gini::Score<S> exact;
  double weight;
  std::array<double, S::most_classes> counts;

  explicit BoundedScore(const S& all) : total{all}, exact{total}, weight{real(all.total())} {
    for (std::size_t k = 0; k < S::most_classes; ++k) counts[k] = real(all.count(k));
  }
  BoundedScore(const BoundedScore&) = delete;

  double operator()(const S& left) const { return exact(left); }
  // Inlined by force: the sweeps spend most of their time here.
  [[gnu::always_inline]] bool may_reach(const S& left, double best) const {
    const double n = real(left.total());
    Pair sum{};
    for (std::size_t k = 0; k < S::most_classes; k += 2) {
      const Pair d = pair(left, k) * weight - n * Pair{counts[k], counts[k + 1]};
      sum += d * d;
    }
    return reached(sum, n) >= best * (n * real(total.total() - left.total()));
  }
  bool may_hold(const S& left, const S& bucket, double best) const {
    const double n = real(left.total()), m = real(bucket.total());
    const Fixed right = total.total() - left.total(), after = right - bucket.total();
    const double sides = std::min(n * real(right), real(left.total() + bucket.total()) * real(after));
    if (!(sides > 0.0)) return true;
    Pair sum{};
    for (std::size_t k = 0; k < S::most_classes; k += 2) {
      const Pair all{counts[k], counts[k + 1]}, own = pair(bucket, k), d = pair(left, k) * weight - n * all;
      const Pair high = d + own * (weight - all), low = d - (m - own) * all;
      sum += larger(high * high, low * low);
    }
    return reached(sum, n + m) >= best * sides;
  }

 private:
  static Pair pair(const S& summary, std::size_t k) {
    return Pair{static_cast<double>(summary.counts[k]), static_cast<double>(summary.counts[k + 1])};
  }
  // At least (r + e)^2 with r^2 the sum and e the error of a deviation, of which each product is off by a few parts in
  // 10^16 of n W: r^2 + 2 r e + e^2 <= r^2 (1 + t) + e^2 (1 + 1 / t) for every t, here 10^-9.
  double reached(Pair sum, double n) const {
    const double product = n * weight;
    return ((sum[0] + sum[1]) * (1 + 1e-9) + 5e-19 * product * product) * slack;
  }
};

// Gini of two classes: with d as above, each row adds the same to d as all others of its class. Here d is exact, and
// floats decide, whose rounding the slack covers.
template <>
class Glance<Gini, TwoCounts> {
 public:
  static constexpr bool known = true;

  void look(const BoundedScore<Gini, TwoCounts>& score, const std::array<TwoCounts, most_places>& targets,
            const Place* order, Row n) {
    const auto all = static_cast<std::int32_t>(n), ones = static_cast<std::int32_t>(score.total.ones());
    for (Row i = 0; i < n; ++i) step_[order[i]] = targets[order[i]].ones() > 0 ? all - ones : -ones;
    for (std::int32_t i = 0; i < all; ++i)
      sides_[static_cast<std::size_t>(i)] = static_cast<float>((i + 1) * (all - 1 - i));
  }

  // In two loops, so that compilers look at several cuts at once.
  bool may_reach(const Place* list, Row from, Row to, double best) const {
    std::array<std::int32_t, most_places> deviation;
    std::int32_t d = 0;
    for (Row i = 0; i < to; ++i) deviation[i] = d += step_[list[i]];
    constexpr float twice = 2.0f * (1.0f + 1e-6f);
    const auto bar = static_cast<float>(best);
    int found = 0;
    for (Row i = from; i < to; ++i) {
      const auto here = static_cast<float>(deviation[i]);
      found |= twice * here * here >= bar * sides_[i];
    }
    return found != 0;
  }

 private:
  std::array<std::int32_t, most_places> step_;
  std::array<float, most_places> sides_;
};

// Gini with more than two classes: with l_k rows of class k left of the cut and t_k in the node, the numerator of the
// score is N^2 sum l_k^2 - 2 N n sum l_k t_k + n^2 sum t_k^2, and one more row of class k adds 2 l_k + 1 and t_k to
// the two sums.
template <std::size_t K>
class Glance<Gini, UnitCounts<K>> {
 public:
  static constexpr bool known = true;

  void look(const BoundedScore<Gini, UnitCounts<K>>& score, const std::array<UnitCounts<K>, most_places>& targets,
            const Place* order, Row n) {
    n_ = n, total_ = score.total.counts;
    squares_ = 0;
    for (std::uint32_t count : total_) squares_ += Fixed{count} * count;
    for (Row i = 0; i < n; ++i) {
      const auto& own = targets[order[i]].counts;
      std::uint8_t label = 0;
      while (own[label] == 0) ++label;
      label_[order[i]] = label;
    }
  }

  bool may_reach(const Place* list, Row from, Row to, double best) const {
    std::array<std::uint32_t, K> left{};
    Fixed squares = 0, products = 0;
    const Fixed all = n_;
    bool found = false;
    for (Row i = 0; i < to; ++i) {
      const std::size_t k = label_[list[i]];
      squares += 2 * left[k]++ + 1, products += total_[k];
      if (i < from) continue;
      const Fixed n = i + 1, numerator = all * all * squares - n * (2 * all * products - n * squares_);
      found |= real(numerator) * slack >= best * real(n * (all - n));
    }
    return found;
  }

 private:
  std::array<std::uint8_t, most_places> label_;
  std::array<std::uint32_t, K> total_{};
  Fixed squares_ = 0;
  Row n_ = 0;
};

}  // namespace arboretum
