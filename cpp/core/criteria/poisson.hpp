// Poisson deviance (half of it): the mean of y log(y / mean) - y + mean, for counts and rates y >= 0.
// With m the node's mean the decrease is the sum over both sides of s log(s / (w m)). A child whose targets are all zero
// would predict a rate of zero, under which any later event is impossible: such a cut is not admissible.
// Where all means are nearly the same, the logarithms of both sides cancel. The decrease is then the sum of the
// divergences of both sums from what they would be if the question told nothing.
#pragma once
#include <algorithm>
#include <cmath>

#include "core/criteria/on_moments.hpp"
#include "core/divergence.hpp"
#include "core/real_sums.hpp"

namespace arboretum {

struct Poisson : OnMoments {
  static constexpr const char* name = "poisson";
  static constexpr bool needs_logs = true;

  RealScale encode_rows(const Targets& source, std::span<const Row> rows, std::span<RealTarget> targets) const {
    return encode(source, rows, targets, Centre::zero);
  }
  bool coarse(const RealScale& scale, const Targets& source, std::span<const Row> rows) const {
    return too_coarse(scale, source, rows, Centre::zero);
  }

  // Cuts that leave a side of zeros only are not admissible, and then the best of the others need not follow the order.
  template <class Sums>
  static bool all_positive(std::span<const Sums> levels, const Sums* missing) {
    return std::all_of(levels.begin(), levels.end(), [](const Sums& level) { return level.sum > 0; }) &&
           (missing == nullptr || missing->sum > 0);
  }
  bool orders_exactly(const MomentsNode&, std::span<const Bucket> levels, const Bucket* missing) const {
    return all_positive(levels, missing);
  }

  class Sweep : public OnMoments::Sweep {
   public:
    using OnMoments::Sweep::Sweep;
    bool admissible() const { return left_.sum > 0 && node_->total.sum - left_.sum > 0; }
    double score() const {
      if (node_->total.deviation(left_) == 0) return 0.0;
      const double score = term(node_->total, left_) + term(node_->total, right());
      return score >= weak(node_->total) ? score : finely(node_->total, left_, right());
    }
  };

  // Scores below this may be off by a millionth: logarithms are rounded to 2^-51 of the sums that they multiply.
  static double weak(const Moments& node) { return static_cast<double>(node.sum) * 0x1p-31; }

  // The same score to all digits.
  [[gnu::cold, gnu::noinline]] static double finely(const Moments& node, const Moments& left, const Moments& right) {
    return apart(node, left) + apart(node, right);
  }
  // How far the sum of a part lies from its share of the node's.
  static double apart(const Moments& node, const Moments& part) {
    const double expected = static_cast<double>(node.sum) * static_cast<double>(part.weight);
    return expected / static_cast<double>(node.weight) *
           divergence(static_cast<double>(node.deviation(part)) / expected);
  }

  static double term(const Moments& node, const Moments& part) {
    const auto sum = static_cast<double>(part.sum), weight = static_cast<double>(part.weight);
    const double mean = static_cast<double>(node.sum) / static_cast<double>(node.weight);
    return sum * std::log(sum / (weight * mean));
  }

  bool admits(const Bucket& part) const { return part.sum > 0; }
  double score_parts(const MomentsNode& node, std::span<const Bucket> parts) const {
    double sum = 0.0;
    bool gains = false;
    for (const Moments& part : parts)
      if (part.weight > 0) gains |= node.total.deviation(part) != 0, sum += term(node.total, part);
    if (!gains || sum >= weak(node.total)) return gains ? sum : 0.0;
    sum = 0.0;
    for (const Moments& part : parts)
      if (part.weight > 0) sum += apart(node.total, part);
    return sum;
  }

  static double decrease_of(double score, double weight, const RealScale& scale) {
    return score * scale.product.unit / (weight * scale.weight.unit);
  }
  double decrease(double score, const MomentsNode& node) const {
    return decrease_of(score, static_cast<double>(node.total.weight), node.scale);
  }
  double impurity(const RealSums<true>& sums) const { return sums.deviance; }
};

}  // namespace arboretum
