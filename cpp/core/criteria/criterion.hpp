// Criterion: what makes a cut good. A criterion offers a Sweep, the cut that travels over the rows of a node:
//   pass(rows) / take_back(rows)   rows move from the right side to the left / back
//   score()                        the canonical worth of the cut: every path through the engine compares this number
//   n_rows(), weight()             of the left side
//   left_value(), right_value()    what the two children would predict (asked only under monotone constraints)
// A score is a pure function of (left, total), equal for a cut and its mirror image, and exactly zero where nothing is
// gained; so ties are ties, whatever the order of rows or threads. `decrease` turns it into the impurity's own unit.
//   score_parts(node, parts)       the same for a question with any number of answers
// NodeTargets are the targets of one node with their scale and total; a Bucket holds the rows of one level; `known` is
// the node without the rows whose value is missing. The bases OnClasses and OnMoments provide nearly all of this.
#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>

#include "core/dataset.hpp"
#include "core/fixed_point.hpp"

namespace arboretum {

enum class TargetKind : std::uint8_t { classes, numbers };

template <class C>
concept Criterion = requires(const C criterion, const typename C::Sweep sweep, typename C::Sweep moving,
                             std::span<const typename C::Target> rows, const typename C::NodeTargets node,
                             const typename C::Bucket bucket, std::span<const typename C::Bucket> buckets) {
  { C::target } -> std::convertible_to<TargetKind>;
  {
    criterion.orders_exactly(node, buckets, &bucket)
  } -> std::same_as<bool>;  // is some order of the levels sure to hold the best subset?
  { criterion.n_orders(node) } -> std::same_as<std::uint32_t>;
  { criterion.ties(node, bucket, bucket) } -> std::same_as<bool>;  // do two levels differ in size only?
  { criterion.comes_before(node, bucket, bucket, 0u) } -> std::same_as<bool>;
  { criterion.homogeneous(node) } -> std::same_as<bool>;
  { criterion.decrease(0.0, node) } -> std::same_as<double>;
  { criterion.bucket(node, rows) } -> std::same_as<typename C::Bucket>;
  { criterion.known(node, rows) } -> std::convertible_to<const typename C::NodeTargets&>;
  { criterion.score_parts(node, buckets) } -> std::same_as<double>;
  moving.pass(rows);
  moving.pass(bucket);
  moving.take_back(bucket);
  { sweep.score() } -> std::same_as<double>;
  { sweep.admissible() } -> std::same_as<bool>;
  { sweep.n_rows() } -> std::same_as<Row>;
  { sweep.weight() } -> std::same_as<Fixed>;
  { sweep.left_value() } -> std::same_as<double>;
  { sweep.right_value() } -> std::same_as<double>;
};

// What a level is ordered by: the share of a class, or the mean.
struct LevelRank {
  Fixed part, weight;
  Row n_rows;
};

// Are two ranks the same? Where numbers were rounded, each row may be off by half a unit above and below the line.
inline bool same_rank(const LevelRank& a, const LevelRank& b, bool exact) {
  auto per_weight = [](const LevelRank& rank, auto x) {
    return static_cast<double>(x) / static_cast<double>(rank.weight);
  };
  const double x = per_weight(a, a.part), y = per_weight(b, b.part), size = std::max(std::abs(x), std::abs(y));
  const double off = exact ? 0.0 : (1.0 + size) * (per_weight(a, a.n_rows) + per_weight(b, b.n_rows)) / 2;
  return std::abs(x - y) <= off + 1e-12 * size;
}

// numerator / (weight_left * weight_right): the form of every score that is a squared deviation.
inline double per_product(double numerator, Fixed left, Fixed right) {
  return numerator / (static_cast<double>(left) * static_cast<double>(right));
}

}  // namespace arboretum
