// On classes: what gini, entropy and misclassification share. Each of them adds only its score and its impurity.
// Words: ClassNode (the node's counts and scale), Smoothing (how leaves estimate probabilities).
// Levels are ordered by the share of one class: exact for two classes (Breiman et al. 1984, section 9.4), and for more
// classes the best of the orders by each class in turn, a heuristic used where trying all subsets would take too long.
#pragma once
#include <span>

#include "core/class_counts.hpp"
#include "core/criteria/criterion.hpp"

namespace arboretum {

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

// P(class 1) = (count + m * prior) / (weight + m): needed in the core only to keep monotone constraints.
struct Smoothing {
  double m = 0.0;
  double prior = 0.0;
};

struct OnClasses {
  static constexpr TargetKind target = TargetKind::classes;
  using Target = ClassTarget;
  using NodeScale = ClassScale;
  using NodeTargets = ClassNode;
  using Bucket = ClassCounts;

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
  // The same, told by the rows that are left out.
  ClassNode without(ClassNode node, const ClassCounts& left_out) const {
    node.total -= left_out;
    std::erase_if(node.present, [&](std::uint32_t k) { return node.total.counts[k] == 0; });
    return node;
  }
  bool admits(const Bucket&) const { return true; }

  bool homogeneous(const ClassNode& node) const { return node.present.size() < 2; }
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
  // By the share of one class, the last of those present first: of two classes left is where the second is rare.
  bool comes_before(const ClassNode& node, const Bucket& a, const Bucket& b, std::uint32_t order) const {
    const std::uint32_t k = node.present[node.present.size() - 1 - order];
    return Wide{a.counts[k]} * b.weight < Wide{b.counts[k]} * a.weight;
  }
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

// The cut of a criterion on classes: all but the score is the same for all of them.
template <class C>
class ClassSweep {
 public:
  ClassSweep(const OnClasses& criterion, const ClassNode& node)
      : criterion_{&criterion}, node_{&node}, score_{node.total}, left_{node.total.counts.size()} {}

  void pass(std::span<const ClassTarget> rows) {
    for (const ClassTarget& row : rows) left_.add(row);
  }
  void pass(const ClassCounts& bucket) { left_ += bucket; }
  void take_back(const ClassCounts& bucket) { left_ -= bucket; }
  double score() const { return score_(left_); }
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

  const OnClasses* criterion_;
  const ClassNode* node_;
  typename C::template Score<ClassCounts> score_;
  ClassCounts left_;
};

}  // namespace arboretum
