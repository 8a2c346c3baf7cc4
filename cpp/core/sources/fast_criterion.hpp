// The fast twin of a criterion: the same scores over compact summaries, in the shape that contests and level questions
// ask for.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "core/criteria/bound.hpp"
#include "core/criteria/on_classes.hpp"
#include "core/criteria/on_moments.hpp"
#include "core/grow/chance.hpp"

namespace arboretum {

// How the targets of a node were made integers. Unit counts need no scale.
struct FastScale {
  ClassScale classes;
  RealScale numbers;
  double square_unit = 1.0;  // of squares, in units of sum^2
  int square_shift = 0;      // the same, as UnitSums wants it
};

template <class C, class S>
struct FastCriterion;

// A node's summary on its scale.
template <class S>
struct FastSummary {
  S total;
  const FastScale& scale;

  Row n_rows() const { return total.n_rows(); }
  Fixed fixed_weight() const { return total.total(); }
  double unit() const {
    if constexpr (requires { S::most_classes; }) return scale.classes.unit;
    else return scale.numbers.weight.unit;
  }
  double weight() const { return real(total.total()) * unit(); }
};

// The same, with what scoring needs.
template <class C, class S>
struct FastNode : FastSummary<S> {
  BoundedScore<C, S> score;
  Chance chance{};  // only where some column is corrected

  explicit FastNode(const FastSummary<S>& node) : FastSummary<S>{node}, score{make(node)} {}
  FastNode(const FastNode&) = delete;

 private:
  static BoundedScore<C, S> make(const FastSummary<S>& node) {
    if constexpr (std::is_constructible_v<BoundedScore<C, S>, const S&, double>)
      return BoundedScore<C, S>(node.total, node.scale.square_unit);
    else return BoundedScore<C, S>(node.total);
  }
};

template <class C, class S>
class FastSweep {
 public:
  FastSweep(const FastCriterion<C, S>& criterion, const FastNode<C, S>& node) : criterion_{&criterion}, node_{&node} {}

  void pass(const S& bucket) { left_ += bucket; }
  void take_back(const S& bucket) { left_ -= bucket; }
  const S& left() const { return left_; }
  Row n_rows() const { return left_.n_rows(); }
  Fixed weight() const { return left_.total(); }
  double score() const { return node_->score(left_); }
  bool may_reach(double best) const { return node_->score.may_reach(left_, best); }
  bool may_hold(const S& bucket, double best) const { return node_->score.may_hold(left_, bucket, best); }
  bool admissible() const {
    if constexpr (requires { C::admits_part(left_); }) return C::admits_part(left_) && C::admits_part(right());
    else return true;
  }
  double left_value() const { return criterion_->value(left_, *node_); }
  double right_value() const { return criterion_->value(right(), *node_); }

 private:
  S right() const {
    S right = node_->total;
    return right -= left_;
  }

  const FastCriterion<C, S>* criterion_;
  const FastNode<C, S>* node_;
  S left_{};
};

template <class C, class S>
struct FastCriterion {
  using Target = typename S::Target;
  using Bucket = S;
  using NodeTargets = FastNode<C, S>;
  using Sweep = FastSweep<C, S>;
  static constexpr bool on_classes = C::target == TargetKind::classes;

  C plain;

  double value(const S& side, const NodeTargets& node) const {
    if constexpr (on_classes) {
      const double unit = node.unit(), m = plain.smoothing.m;
      return (real(side.count(plain.n_classes - 1)) * unit + m * plain.smoothing.prior) /
             (real(side.total()) * unit + m);
    } else {
      return node.scale.numbers.mean(Moments{side.total(), side.sum, side.n_rows()});
    }
  }

  // What some rows of a node add to what is known of chance. each_row(read) calls read(row) with each of them as a
  // summary of its own.
  template <class EachRow>
  static ChanceSums chance_sums(const S& total, EachRow&& each_row) {
    if constexpr (on_classes) {
      ChanceSums sums;
      if constexpr (S::sorted_by_class) sums.rows.add_units(total.n_rows());
      else each_row([&](const S& row) { sums.rows.add(row.total()); });
      return sums;
    } else {
      return sums_of_numbers(Moments{total.total(), total.sum, total.n_rows()}, &C::of_part,
                             [&](auto&& read) { each_row([&](const S& row) { read(row.total(), row.sum); }); });
    }
  }

  Chance chance_from(const NodeTargets& node, const ChanceSums& sums) const {
    if constexpr (on_classes)
      return chance_of_classes(node.total, sums.rows.value(), C::impurity_of(node.total),
                               C::decrease_of(1.0, real(node.total.total())), C::bits_by_chance);
    else return chance_of_numbers(sums);
  }

  template <class EachRow>
  Chance chance(const NodeTargets& node, EachRow&& each_row) const {
    return chance_from(node, chance_sums(node.total, each_row));
  }

  bool admits(const S& part) const {
    if constexpr (requires { C::admits_part(part); }) return C::admits_part(part);
    else return true;
  }
  // Scores below this one are less than `best`, however they were rounded.
  double surely_below(double best, const NodeTargets& node) const {
    if constexpr (requires { node.score.noise(); }) return best / slack - node.score.noise();
    else return best / slack;
  }

  bool orders_exactly(const NodeTargets& node, std::span<const S> levels, const S* missing) const {
    if constexpr (on_classes) return n_present(node.total) <= 2;
    auto admitted = [&](const S& part) { return admits(part); };
    return std::all_of(levels.begin(), levels.end(), admitted) && (missing == nullptr || admits(*missing));
  }
  std::uint32_t n_orders(const NodeTargets& node) const {
    if constexpr (on_classes) return n_present(node.total) <= 2 ? 1 : static_cast<std::uint32_t>(n_present(node.total));
    else return 1;
  }
  bool ties(const NodeTargets& node, const S& a, const S& b) const {
    if constexpr (on_classes) {
      const std::size_t k = class_of_order(node, 0);
      return n_orders(node) == 1 && same_rank({a.count(k), a.total(), a.n_rows()}, {b.count(k), b.total(), b.n_rows()},
                                              node.scale.classes.exact);
    } else {
      return same_rank({a.sum, a.total(), a.n_rows()}, {b.sum, b.total(), b.n_rows()}, node.scale.numbers.exact());
    }
  }
  bool comes_before(const NodeTargets& node, const S& a, const S& b, std::uint32_t order) const {
    if constexpr (on_classes) {
      const std::size_t k = class_of_order(node, order);
      return Wide{a.count(k)} * b.total() < Wide{b.count(k)} * a.total();
    } else {
      return Wide{a.sum} * b.total() < Wide{b.sum} * a.total();
    }
  }

 private:
  // The last of the classes present, or the one so many before it.
  static std::size_t class_of_order(const NodeTargets& node, std::uint32_t order)
    requires on_classes
  {
    std::size_t k = S::most_classes - 1;
    for (std::uint32_t before = 0; node.total.count(k) == 0 || before++ < order;) --k;
    return k;
  }
};

}  // namespace arboretum
