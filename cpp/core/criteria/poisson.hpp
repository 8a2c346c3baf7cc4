// Poisson deviance (half of it): the mean of y log(y / mean) - y + mean, for counts and rates y >= 0. With m the
// node's mean the decrease is the sum over both sides of s log(s / (w m)). A child whose targets are all zero would
// predict a rate of zero, under which any later event is impossible: such a cut is not admissible. Where all means are
// nearly the same, the logarithms of both sides cancel. The decrease is then the sum of the divergences of both sums
// from what they would be if the question told nothing.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/criteria/bound.hpp"
#include "core/criteria/on_moments.hpp"
#include "core/divergence.hpp"
#include "core/real_sums.hpp"

namespace arboretum {

struct Poisson : OnMoments<Poisson> {
  static constexpr const char* name = "poisson";
  static constexpr Centre centre = Centre::zero;
  static constexpr bool needs_logs = true;

  template <class Part>
  static bool admits_part(const Part& part) {
    return part.sum > 0;
  }
  static double score(const Moments& total, const Moments& left) {
    if (total.deviation(left) == 0) return 0.0;
    Moments right = total;
    right -= left;
    const double score = term(total, left) + term(total, right);
    return score >= weak(total) ? score : finely(total, left, right);
  }
  static double of_parts(const Moments& total, std::span<const Moments> parts) {
    double sum = 0.0;
    bool gains = false;
    for (const Moments& part : parts)
      if (part.weight > 0) gains |= total.deviation(part) != 0, sum += term(total, part);
    if (!gains || sum >= weak(total)) return gains ? sum : 0.0;
    sum = 0.0;
    for (const Moments& part : parts)
      if (part.weight > 0) sum += of_part(total, part);
    return sum;
  }

  // Scores below this may be off by a millionth: logarithms are rounded to 2^-51 of the sums that they multiply.
  static double weak(const Moments& node) { return static_cast<double>(node.sum) * 0x1p-31; }

  // The same score to all digits.
  [[gnu::cold, gnu::noinline]] static double finely(const Moments& node, const Moments& left, const Moments& right) {
    return of_part(node, left) + of_part(node, right);
  }
  // How far the sum of a part lies from its share of the node's.
  static double of_part(const Moments& node, const Moments& part) {
    const double expected = static_cast<double>(node.sum) * static_cast<double>(part.weight);
    return expected / static_cast<double>(node.weight) *
           divergence(static_cast<double>(node.deviation(part)) / expected);
  }

  static double term(const Moments& node, const Moments& part) {
    const auto sum = static_cast<double>(part.sum), weight = static_cast<double>(part.weight);
    const double mean = static_cast<double>(node.sum) / static_cast<double>(node.weight);
    return sum * std::log(sum / (weight * mean));
  }

  static double decrease_of(double score, double weight, const RealScale& scale) {
    return score * scale.product.unit / (weight * scale.weight.unit);
  }
  static double impurity(const RealSums<true>& sums) { return sums.deviance; }
};

// Poisson. The gain is convex in (weight, sum) left of the cut, and both grow as it travels: corners of the box, as
// above.
template <>
struct BoundedScore<Poisson, Sums> {
  Sums total;
  double mean, weak;

  explicit BoundedScore(const Sums& all)
      : total{all}, mean{real(all.sum) / real(all.weight)}, weak{Poisson::weak(moments_of(all))} {}

  double operator()(const Sums& left) const {
    if (deviation(left, total) == 0) return 0.0;
    const double score = term(left.sum, left.weight) + term(total.sum - left.sum, total.weight - left.weight);
    return score >= weak ? score : finely(left);
  }
  // Of the logarithms, each of which is multiplied by a part of the sum.
  double noise() const { return 1e-14 * real(total.sum); }
  bool may_reach(const Sums&, double) const { return true; }
  bool may_hold(const Sums& left, const Sums& bucket, double best) const {
    return at(left.sum + bucket.sum, left.weight) * slack + noise() >= best ||
           at(left.sum, left.weight + bucket.weight) * slack + noise() >= best;
  }

 private:
  [[gnu::cold, gnu::noinline]] double finely(const Sums& left) const {
    Sums right = total;
    right -= left;
    return Poisson::finely(moments_of(total), moments_of(left), moments_of(right));
  }
  double term(Fixed sum, Fixed weight) const { return real(sum) * std::log(real(sum) / (real(weight) * mean)); }
  double at(Fixed sum, Fixed weight) const {
    const Fixed rest = total.sum - sum, other = total.weight - weight;
    if ((weight <= 0 && sum > 0) || (other <= 0 && rest > 0)) return std::numeric_limits<double>::infinity();
    return (sum > 0 ? term(sum, weight) : 0.0) + (rest > 0 ? term(rest, other) : 0.0);
  }
};

}  // namespace arboretum
