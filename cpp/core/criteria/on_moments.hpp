// On moments: what squared error and Poisson deviance share: nodes summarised by weight and sum, leaves that predict
// the mean, and levels ordered by their mean, which is exact for both (Fisher 1958; Breiman et al. 1984, section 8.8).
#pragma once
#include <span>

#include "core/criteria/criterion.hpp"
#include "core/moments.hpp"

namespace arboretum {

struct MomentsNode {
  RealScale scale;
  Moments total;
  bool same_targets = true;

  // Equal targets are asked of the targets themselves: rounded sums could not tell.
  MomentsNode(const RealScale& scale, const Targets& source, std::span<const Row> ids, std::span<const RealTarget> rows)
      : scale{scale} {
    for (const RealTarget& row : rows) total.add(row);
    for (Row id : ids) same_targets &= source.numbers[id] == source.numbers[ids.front()];
  }
  // Some rows of a node, to judge questions by.
  MomentsNode(const RealScale& scale, std::span<const RealTarget> rows) : scale{scale} {
    for (const RealTarget& row : rows) total.add(row);
  }
  Row n_rows() const { return total.n_rows; }
  Fixed fixed_weight() const { return total.weight; }
  double weight() const { return static_cast<double>(total.weight) * scale.weight.unit; }
};

struct OnMoments {
  static constexpr TargetKind target = TargetKind::numbers;
  using Target = RealTarget;
  using NodeScale = RealScale;
  using NodeTargets = MomentsNode;
  using Bucket = Moments;

  MomentsNode open(const RealScale& scale, const Targets& source, std::span<const Row> ids,
                   std::span<RealTarget> rows) const {
    return {scale, source, ids, rows};
  }
  Bucket bucket(const MomentsNode&, std::span<const RealTarget> rows) const {
    Moments moments;
    for (const RealTarget& row : rows) moments.add(row);
    return moments;
  }
  MomentsNode known(const MomentsNode& node, std::span<const RealTarget> rows) const { return {node.scale, rows}; }
  MomentsNode without(MomentsNode node, const Moments& left_out) const {
    node.total -= left_out;
    return node;
  }
  bool admits(const Bucket&) const { return true; }
  bool homogeneous(const MomentsNode& node) const { return node.same_targets; }
  bool orders_exactly(const MomentsNode&, std::span<const Bucket>, const Bucket*) const { return true; }
  std::uint32_t n_orders(const MomentsNode&) const { return 1; }
  bool ties(const MomentsNode& node, const Bucket& a, const Bucket& b) const {
    return same_rank({a.sum, a.weight, a.n_rows}, {b.sum, b.weight, b.n_rows}, node.scale.exact());
  }
  bool comes_before(const MomentsNode&, const Bucket& a, const Bucket& b, std::uint32_t) const {
    return Wide{a.sum} * b.weight < Wide{b.sum} * a.weight;
  }

  class Sweep {
   public:
    Sweep(const OnMoments&, const MomentsNode& node) : node_{&node} {}
    void pass(std::span<const RealTarget> rows) {
      for (const RealTarget& row : rows) left_.add(row);
    }
    void pass(const Moments& bucket) { left_ += bucket; }
    void take_back(const Moments& bucket) { left_ -= bucket; }
    Row n_rows() const { return left_.n_rows; }
    Fixed weight() const { return left_.weight; }
    bool admissible() const { return true; }
    double left_value() const { return node_->scale.mean(left_); }
    double right_value() const { return node_->scale.mean(right()); }

   protected:
    Moments right() const {
      Moments right = node_->total;
      return right -= left_;
    }
    const MomentsNode* node_;
    Moments left_;
  };
};

}  // namespace arboretum
