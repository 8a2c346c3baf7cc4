// What all criteria on classes share. A criterion adds its score, its impurity and, to be fast, its bound. Levels are
// ordered by the share of one class. That is exact for two classes (Breiman et al. 1984, section 9.4); with more
// classes each class gives an order, a heuristic used where trying all subsets would take too long.
#pragma once
#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "core/class_counts.hpp"
#include "core/criteria/bound.hpp"
#include "core/criteria/criterion.hpp"

namespace arboretum {

// The counts of a node, on their scale.
struct ClassNode {
  ClassScale scale;
  ClassCounts total;
  std::vector<std::uint32_t> present;  // the classes with rows in this node

  ClassNode(const ClassScale& scale, std::span<const ClassTarget> rows, std::size_t n_classes)
      : scale{scale}, total{n_classes} {
    for (const ClassTarget& row : rows) total.add(row);
    for (std::uint32_t k = 0; k < n_classes; ++k)
      if (total.counts[k] > 0) present.push_back(k);
  }
  Row n_rows() const { return total.n_rows; }
  Fixed fixed_weight() const { return total.weight; }
  double weight() const { return static_cast<double>(total.weight) * scale.unit; }
};

// P(class 1) = (count + m * prior) / (weight + m). The core needs it only to keep monotone constraints.
struct Smoothing {
  double m = 0.0;
  double prior = 0.0;
};

// The functions of one criterion. The plain source and the searches call them through this table, so that they are
// compiled once for all criteria on classes; the fast source has them inlined.
struct ClassScoring {
  static constexpr std::size_t room = 48;  // for what a score remembers of the node

  void (*start)(void* state, const ClassCounts& total);
  double (*score)(const void* state, const ClassCounts& left);
  double (*of_parts)(const ClassCounts& total, std::span<const ClassCounts> parts);
  double (*impurity)(const ClassCounts& node);
  double (*decrease)(double score, double weight);
  double bits_by_chance;  // see OnClasses
  bool squares_of_two;    // see Gini
};

struct ClassCriterion {
  static constexpr TargetKind target = TargetKind::classes;
  using Plain = ClassCriterion;
  using Target = ClassTarget;
  using NodeScale = ClassScale;
  using NodeTargets = ClassNode;
  using Bucket = ClassCounts;

  explicit ClassCriterion(const ClassScoring& scoring) : scoring{&scoring} {}

  const ClassScoring* scoring;
  std::uint32_t n_classes = 0;
  Smoothing smoothing{};

  ClassScale encode_rows(const Targets& source, std::span<const Row> rows, std::span<ClassTarget> targets) const {
    return encode(source, rows, targets);
  }
  bool coarse(const ClassScale& scale, const Targets& source, std::span<const Row> rows) const {
    return too_coarse(scale, source, rows);
  }
  ClassNode open(const ClassScale& scale, const Targets&, std::span<const Row>, std::span<ClassTarget> rows) const {
    return {scale, rows, n_classes};
  }
  Bucket bucket(const ClassNode&, std::span<const ClassTarget> rows) const {
    ClassCounts counts{n_classes};
    for (const ClassTarget& row : rows) counts.add(row);
    return counts;
  }

  ClassNode known(const ClassNode& node, std::span<const ClassTarget> rows) const {
    return {node.scale, rows, n_classes};
  }
  // The same, given the rows that are left out.
  ClassNode without(ClassNode node, const ClassCounts& left_out) const {
    node.total -= left_out;
    std::erase_if(node.present, [&](std::uint32_t k) { return node.total.counts[k] == 0; });
    return node;
  }
  bool admits(const Bucket&) const { return true; }

  bool homogeneous(const ClassNode& node) const { return node.present.size() < 2; }
  double impurity(const ClassNode& node) const { return scoring->impurity(node.total); }
  double score_parts(const ClassNode& node, std::span<const Bucket> parts) const {
    return scoring->of_parts(node.total, parts);
  }
  double decrease(double score, const ClassNode& node) const {
    return scoring->decrease(score, static_cast<double>(node.total.weight));
  }
  bool orders_exactly(const ClassNode& node, std::span<const Bucket>, const Bucket*) const {
    return node.present.size() <= 2;
  }
  std::uint32_t n_orders(const ClassNode& node) const {
    return node.present.size() <= 2 ? 1 : static_cast<std::uint32_t>(node.present.size());
  }
  bool ties(const ClassNode& node, const Bucket& a, const Bucket& b) const {
    const std::uint32_t k = node.present.back();
    return node.present.size() <= 2 &&
           same_rank({a.counts[k], a.weight, a.n_rows}, {b.counts[k], b.weight, b.n_rows}, node.scale.exact);
  }
  // By the share of one class, starting with the last class present: of two classes, the second is rare on the left.
  bool comes_before(const ClassNode& node, const Bucket& a, const Bucket& b, std::uint32_t order) const {
    const std::uint32_t k = node.present[node.present.size() - 1 - order];
    return Wide{a.counts[k]} * b.weight < Wide{b.counts[k]} * a.weight;
  }

  class Sweep {
   public:
    Sweep(const ClassCriterion& criterion, const ClassNode& node)
        : criterion_{&criterion}, node_{&node}, score_{criterion.scoring->score}, left_{node.total.counts.size()} {
      criterion.scoring->start(state_, node.total);
    }

    void pass(std::span<const ClassTarget> rows) {
      for (const ClassTarget& row : rows) left_.add(row);
    }
    void pass(const ClassCounts& bucket) { left_ += bucket; }
    void take_back(const ClassCounts& bucket) { left_ -= bucket; }
    double score() const { return score_(state_, left_); }
    Row n_rows() const { return left_.n_rows; }
    Fixed weight() const { return left_.weight; }
    bool admissible() const { return true; }
    double left_value() const { return value(left_.counts.back(), left_.weight); }
    double right_value() const {
      return value(node_->total.counts.back() - left_.counts.back(), node_->total.weight - left_.weight);
    }

   private:
    double value(Fixed count, Fixed weight) const {
      const double unit = node_->scale.unit;
      return (static_cast<double>(count) * unit + criterion_->smoothing.m * criterion_->smoothing.prior) /
             (static_cast<double>(weight) * unit + criterion_->smoothing.m);
    }

    const ClassCriterion* criterion_;
    const ClassNode* node_;
    double (*score_)(const void*, const ClassCounts&);
    alignas(double) std::byte state_[ClassScoring::room];
    ClassCounts left_;
  };
};

// How far class k on the left lies from its share of the node, times both weights; without rounding.
template <class Counts>
Wide deviation(const Counts& left, const Counts& total, std::size_t k) {
  return Wide{left.count(k)} * total.total() - Wide{total.count(k)} * left.total();
}

template <class Counts>
std::size_t n_present(const Counts& node) {
  std::size_t n = 0;
  for (std::size_t k = 0; k < node.n_classes(); ++k) n += node.count(k) > 0;
  return n;
}

template <class C>
struct ClassFunctions {
  using Score = typename C::template Score<ClassCounts>;
  static_assert(sizeof(Score) <= ClassScoring::room && alignof(Score) <= alignof(double) &&
                std::is_trivially_copyable_v<Score>);

  static void start(void* state, const ClassCounts& total) { new (state) Score{total}; }
  static double score(const void* state, const ClassCounts& left) { return (*static_cast<const Score*>(state))(left); }
  static double of_parts(const ClassCounts& total, std::span<const ClassCounts> parts) {
    return Score{total}.of_parts(parts);
  }
  static constexpr bool squares_of_two = requires { requires C::squares_of_two; };
  static constexpr ClassScoring table{.start = &start,
                                      .score = &score,
                                      .of_parts = &of_parts,
                                      .impurity = &C::template impurity_of<ClassCounts>,
                                      .decrease = &C::decrease_of,
                                      .bits_by_chance = C::bits_by_chance,
                                      .squares_of_two = squares_of_two};
};

// The base of a criterion C on classes, which defines
//   name                             as users write it
//   Score<Counts>{total}(left)       the canonical worth of a cut; .of_parts(parts) that of a question with many answers
//   impurity_of(counts)              of a node
//   decrease_of(score, weight)       a score as a decrease of impurity
// and, if it can, BoundedScore<C, S> (criteria/bound.hpp).
template <class C>
struct OnClasses : ClassCriterion {
  OnClasses() : ClassCriterion{ClassFunctions<C>::table} {}

  // Each pair of criterion and summary costs compile time: a criterion makes do with larger summaries unless it says
  // otherwise.
  static constexpr std::size_t least_classes = 32;

  // What the impurity gains by chance from each further level and class, times the rows, where that is known and may be
  // more than its share (grow/chance.hpp).
  static constexpr double bits_by_chance = 0.0;
};

// For a criterion without a bound.
template <class C, class S>
  requires requires { typename C::template Score<S>; }
struct BoundedScore<C, S> {
  S total;
  typename C::template Score<S> exact;

  explicit BoundedScore(const S& all) : total{all}, exact{total} {}
  BoundedScore(const BoundedScore&) = delete;

  double operator()(const S& left) const { return exact(left); }
  bool may_reach(const S&, double) const { return true; }
  bool may_hold(const S&, const S&, double) const { return true; }
};

}  // namespace arboretum
