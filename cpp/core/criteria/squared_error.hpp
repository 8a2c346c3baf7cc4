// Squared error: the mean squared distance to the mean, the variance of the node.  (CART: Breiman et al. 1984, ch. 8)
// Only means are needed: with d = s_left W - s w_left the weighted decrease is d^2 / (w_left w_right W).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "core/criteria/bound.hpp"
#include "core/criteria/on_moments.hpp"
#include "core/real_sums.hpp"

namespace arboretum {

struct SquaredError : OnMoments<SquaredError> {
  static constexpr const char* name = "squared_error";
  static constexpr Centre centre = Centre::middle;
  static constexpr bool needs_logs = false;

  static double score(const Moments& total, const Moments& left) {
    const auto d = static_cast<double>(total.deviation(left));
    return per_product(d * d, left.weight, total.weight - left.weight);
  }
  static double of_parts(const Moments& total, std::span<const Moments> parts) {
    double sum = 0.0;
    for (const Moments& part : parts)
      if (part.weight > 0) sum += of_part(total, part);
    return sum;
  }
  static double of_part(const Moments& total, const Moments& part) {
    const auto d = static_cast<double>(total.deviation(part));
    return per_product(d * d, part.weight, total.weight);
  }
  static double decrease_of(double score, double weight, const RealScale& scale) {
    const double y_unit = scale.product.unit / scale.weight.unit;
    return score / weight / weight * y_unit * y_unit;
  }
  static double impurity(const RealSums<false>& sums) { return sums.variance(); }
};

// Squared error. Inside a bucket of weight m, the left sum (centred at the node's mean) differs from the middle of its
// two ends by at most half the bucket's sum of |y|, which is at most sqrt(m * sum of y^2) / 2.
template <class S>
struct BoundedScore<SquaredError, S> {
  S total;
  double weight, mean, square_unit, weight_squared;  // the last with slack

  explicit BoundedScore(const S& all, double unit)
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

// Squared error: the score is W^2 z^2 / (w (W - w)), z the sum left of the cut of targets centred at the node's mean.
// Here z is summed in doubles; what rounding may hide is added, so that nothing is missed.
template <>
class Glance<SquaredError, UnitSums> {
 public:
  static constexpr bool known = true;

  Glance() {
    for (std::size_t w = 1; w < root_.size(); ++w) root_[w] = 1.0 / std::sqrt(static_cast<double>(w));
  }

  void look(const BoundedScore<SquaredError, UnitSums>& score, const std::array<UnitSums, most_places>& targets,
            const Place* order, Row n) {
    n_ = n, weight_squared_ = score.weight_squared;
    double size = 0.0;
    for (Row i = 0; i < n; ++i) {
      centred_[order[i]] = real(targets[order[i]].sum) - score.mean;
      size += std::abs(centred_[order[i]]) + std::abs(score.mean);
    }
    noise_ = 1e-13 * size;  // 256 additions, each off by at most 2^-53 of the largest sum
  }

  bool may_reach(const Place* list, Row from, Row to, double best) const {
    double z = 0.0, reach = 0.0;
    for (Row i = 0; i < from; ++i) z += centred_[list[i]];
    for (Row i = from; i < to; ++i) {
      z += centred_[list[i]];
      const double here = (std::abs(z) + noise_) * (root_[i + 1] * root_[n_ - 1 - i]);
      reach = here > reach ? here : reach;
    }
    return reach * reach * weight_squared_ >= best;
  }

 private:
  std::array<double, most_places> centred_;
  std::array<double, most_places + 1> root_{};
  double noise_ = 0.0, weight_squared_ = 0.0;
  Row n_ = 0;
};

}  // namespace arboretum
