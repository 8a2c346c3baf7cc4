// Limits: what every child of a question must satisfy, and what a node may predict. All sources ask here.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/fixed_point.hpp"
#include "core/grow/split.hpp"
#include "core/options.hpp"

namespace arboretum {

// What a node may predict, so that no question above it is contradicted.
struct Bounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  // The bounds are midpoints of predictions, rounded as these are: a hair outside is a tie. Predictions are clipped.
  bool contains(double value) const {
    const double hair = 1e-12 * std::abs(value);
    return lower - hair <= value && value <= upper + hair;
  }
};

struct Limits {
  Row min_leaf_rows = 1;
  Fixed min_leaf_weight = 0;
  bool constrained = false;  // do monotone constraints hold anywhere in this tree?
  int direction = 0;         // of the column at hand: +1 left <= right, -1 left >= right
  Bounds bounds{};
  Fixed min_cut_weight = 0;  // of each side of a cut between values

  // Is one side large enough?
  bool allow_side(Row n_rows, Fixed weight) const {
    return n_rows >= min_leaf_rows && weight >= min_leaf_weight && n_rows > 0;
  }
  template <class Sweep, class Node>
  bool allow_size(const Sweep& cut, const Node& node) const {
    return allow_side(cut.n_rows(), cut.weight()) &&
           allow_side(node.n_rows() - cut.n_rows(), node.fixed_weight() - cut.weight());
  }
  template <class Sweep, class Node>
  bool allow_cut(const Sweep& cut, const Node& node) const {
    return cut.weight() >= min_cut_weight && node.fixed_weight() - cut.weight() >= min_cut_weight;
  }
  // Do the predictions keep to the constraint? As in scikit-learn: a question about a free column may lead out of the
  // bounds, its predictions are then clipped.
  template <class Sweep>
  bool allow_values(const Sweep& cut) const {
    if (direction == 0) return true;
    const double left = cut.left_value(), right = cut.right_value();
    return bounds.contains(left) && bounds.contains(right) && (left - right) * direction <= 0.0;
  }
};

// What the children of a cut along a constrained column may predict: their predictions never cross the middle.
inline void narrow(const Split& split, int direction, Bounds& left, Bounds& right) {
  if (direction == 0) return;
  const double middle = split.left_value / 2 + split.right_value / 2;
  (direction > 0 ? left.upper : left.lower) = middle;
  (direction > 0 ? right.lower : right.upper) = middle;
}

// What one unit of a node's fixed weights weighs.
template <class Node>
double weight_unit(const Node& node) {
  return node.weight() / static_cast<double>(node.fixed_weight());
}

// The constraint on a column: +1, -1, or 0 for none.
inline int direction_of(const GrowOptions& options, std::uint32_t column) {
  return options.monotone.empty() ? 0 : options.monotone[column];
}

// The limits of a node, for columns without a constraint. Where rows are divided, limits count the weight that is here
// of them, with a tolerance for shares that add up to a whole.
template <class Node>
Limits limits_of(const GrowOptions& options, const Node& node, const Bounds& bounds = {}) {
  Limits limits{.min_leaf_rows = options.min_leaf_rows, .constrained = !options.monotone.empty(), .bounds = bounds};
  double weight = options.min_leaf_weight, tolerance = 1e-12;
  if (options.divides_rows()) {
    weight = std::max(weight, options.min_leaf_rows * options.row_weight), tolerance = share_tolerance;
    limits.min_leaf_rows = 1;
  }
  limits.min_leaf_weight = static_cast<Fixed>(std::ceil(weight / weight_unit(node) * (1 - tolerance)));
  return limits;
}

}  // namespace arboretum
