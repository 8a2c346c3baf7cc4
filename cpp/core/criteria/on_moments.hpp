// What criteria on weights and sums share: leaves that predict the mean, and levels ordered by their mean, which is
// exact for squared error and Poisson deviance (Fisher 1958; Breiman et al. 1984, section 8.8).
#pragma once
#include <algorithm>
#include <concepts>
#include <span>

#include "core/criteria/bound.hpp"
#include "core/criteria/criterion.hpp"
#include "core/moments.hpp"

namespace arboretum {

struct MomentsNode {
  RealScale scale;
  Moments total;
  bool same_targets = true;

  // Equal targets are found by comparing the targets themselves: rounded sums could not tell.
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

// The functions of one criterion, for code that is compiled once for all criteria on moments.
struct MomentsScoring {
  Centre centre;  // that targets are measured from
  double (*score)(const Moments& total, const Moments& left);
  double (*of_parts)(const Moments& total, std::span<const Moments> parts);
  double (*of_part)(const Moments& total, const Moments& part);
  double (*decrease)(double score, double weight, const RealScale& scale);
  bool (*admits)(const Moments& part);  // may a child hold this? Null: always
};

struct MomentsCriterion {
  static constexpr TargetKind target = TargetKind::numbers;
  using Plain = MomentsCriterion;
  using Target = RealTarget;
  using NodeScale = RealScale;
  using NodeTargets = MomentsNode;
  using Bucket = Moments;

  explicit MomentsCriterion(const MomentsScoring& scoring) : scoring{&scoring} {}

  const MomentsScoring* scoring;

  RealScale encode_rows(const Targets& source, std::span<const Row> rows, std::span<RealTarget> targets) const {
    return encode(source, rows, targets, scoring->centre);
  }
  bool coarse(const RealScale& scale, const Targets& source, std::span<const Row> rows) const {
    return too_coarse(scale, source, rows, scoring->centre);
  }
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
  bool admits(const Bucket& part) const { return scoring->admits == nullptr || scoring->admits(part); }
  bool homogeneous(const MomentsNode& node) const { return node.same_targets; }
  double score_parts(const MomentsNode& node, std::span<const Bucket> parts) const {
    return scoring->of_parts(node.total, parts);
  }
  double decrease(double score, const MomentsNode& node) const {
    return scoring->decrease(score, static_cast<double>(node.total.weight), node.scale);
  }
  // Where some cuts are not admissible, the best of the others need not follow the order.
  bool orders_exactly(const MomentsNode&, std::span<const Bucket> levels, const Bucket* missing) const {
    auto admitted = [&](const Bucket& part) { return admits(part); };
    return std::all_of(levels.begin(), levels.end(), admitted) && (missing == nullptr || admits(*missing));
  }
  std::uint32_t n_orders(const MomentsNode&) const { return 1; }
  bool ties(const MomentsNode& node, const Bucket& a, const Bucket& b) const {
    return same_rank({a.sum, a.weight, a.n_rows}, {b.sum, b.weight, b.n_rows}, node.scale.exact());
  }
  bool comes_before(const MomentsNode&, const Bucket& a, const Bucket& b, std::uint32_t) const {
    return Wide{a.sum} * b.weight < Wide{b.sum} * a.weight;
  }

  class Sweep {
   public:
    Sweep(const MomentsCriterion& criterion, const MomentsNode& node) : criterion_{&criterion}, node_{&node} {}
    void pass(std::span<const RealTarget> rows) {
      for (const RealTarget& row : rows) left_.add(row);
    }
    void pass(const Moments& bucket) { left_ += bucket; }
    void take_back(const Moments& bucket) { left_ -= bucket; }
    double score() const { return criterion_->scoring->score(node_->total, left_); }
    Row n_rows() const { return left_.n_rows; }
    Fixed weight() const { return left_.weight; }
    bool admissible() const {
      return criterion_->scoring->admits == nullptr || (criterion_->admits(left_) && criterion_->admits(right()));
    }
    double left_value() const { return node_->scale.mean(left_); }
    double right_value() const { return node_->scale.mean(right()); }

   private:
    Moments right() const {
      Moments right = node_->total;
      return right -= left_;
    }
    const MomentsCriterion* criterion_;
    const MomentsNode* node_;
    Moments left_;
  };
};

template <class C>
struct MomentsFunctions {
  static constexpr auto admits = [] {
    bool (*function)(const Moments&) = nullptr;
    if constexpr (requires(const Moments& part) { C::admits_part(part); }) function = &C::template admits_part<Moments>;
    return function;
  }();
  static constexpr MomentsScoring table{C::centre, &C::score, &C::of_parts, &C::of_part, &C::decrease_of, admits};
};

// The base of a criterion C on weights and sums, which defines
//   name, centre                                as users write it; what targets are measured from
//   score(total, left), of_parts(total, parts)  the canonical worth of a cut, and of a question with many answers
//   of_part(total, part)                        what one answer adds to the latter
//   decrease_of(score, weight, scale)           a score as a decrease of impurity
//   needs_logs, impurity(sums)                  the reported impurity, from sums that hold logarithms or squares
//   admits_part(part)                           only if some parts may not become children
// and, if it can, BoundedScore<C, S> (criteria/bound.hpp).
template <class C>
struct OnMoments : MomentsCriterion {
  OnMoments() : MomentsCriterion{MomentsFunctions<C>::table} {}
};

template <class S>
Wide deviation(const S& left, const S& total) {
  return Wide{left.sum} * total.total() - Wide{total.sum} * left.total();
}

inline Moments moments_of(const Sums& sums) { return {sums.weight, sums.sum, sums.n_rows()}; }

// For a criterion without a bound.
template <class C, class S>
  requires std::derived_from<C, MomentsCriterion> && std::same_as<S, Sums>
struct BoundedScore<C, S> {
  Sums total;

  explicit BoundedScore(const Sums& all) : total{all} {}

  double operator()(const Sums& left) const { return C::score(moments_of(total), moments_of(left)); }
  bool may_reach(const Sums&, double) const { return true; }
  bool may_hold(const Sums&, const Sums&, double) const { return true; }
};

}  // namespace arboretum
