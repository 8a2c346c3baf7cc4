// Squared error: the mean squared distance to the mean, the variance of the node.  (CART: Breiman et al. 1984, ch. 8)
// Only means are needed: with d = s_left W - s w_left the weighted decrease is d^2 / (w_left w_right W).
#pragma once
#include "core/criteria/on_moments.hpp"
#include "core/real_sums.hpp"

namespace arboretum {

struct SquaredError : OnMoments {
  static constexpr const char* name = "squared_error";
  static constexpr bool needs_logs = false;

  RealScale encode_rows(const Targets& source, std::span<const Row> rows, std::span<RealTarget> targets) const {
    return encode(source, rows, targets, Centre::middle);
  }
  bool coarse(const RealScale& scale, const Targets& source, std::span<const Row> rows) const {
    return too_coarse(scale, source, rows, Centre::middle);
  }

  class Sweep : public OnMoments::Sweep {
   public:
    using OnMoments::Sweep::Sweep;
    double score() const {
      const auto d = static_cast<double>(node_->total.deviation(left_));
      return per_product(d * d, left_.weight, node_->total.weight - left_.weight);
    }
  };

  double score_parts(const MomentsNode& node, std::span<const Bucket> parts) const {
    double sum = 0.0;
    for (const Moments& part : parts) {
      const auto d = static_cast<double>(node.total.deviation(part));
      if (part.weight > 0) sum += per_product(d * d, part.weight, node.total.weight);
    }
    return sum;
  }

  static double decrease_of(double score, double weight, const RealScale& scale) {
    const double y_unit = scale.product.unit / scale.weight.unit;
    return score / weight / weight * y_unit * y_unit;
  }
  double decrease(double score, const MomentsNode& node) const {
    return decrease_of(score, static_cast<double>(node.total.weight), node.scale);
  }
  double impurity(const RealSums<false>& sums) const { return sums.variance(); }
};

}  // namespace arboretum
