// Linear models of all nodes of a tree: ridge regression on the rows that pass each node.
//
// The sums of squares and products of a node are those of its children, moved to its own means: one pass over the rows
// serves all nodes. All sums are about means, so that nothing is lost where numbers are large and hardly differ.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "core/prune/shape.hpp"

namespace arboretum {

struct LinearRows {
  std::span<const NodeId> resting;  // the node at which each row rests
  std::span<const double> values;   // rows × columns; what is not a number is missing
  std::span<const double> targets;
  std::span<const double> weights;
  std::size_t n_columns;
};

// Arrays with an entry, or one per column, for each node. Nodes without rows have zeros.
struct LinearModels {
  std::vector<double> intercept, coefficient, fill, low, high, error;
};

// `used` says for each node which columns its model may have. The penalty is `ridge` times the average weight of the
// node's rows times the sum of squares of the coefficients of standardised columns. A missing value counts as the mean
// of the node, `fill`. A column that does not vary, or that the columns before it make up, has no coefficient.
LinearModels linear_models(const Shape& shape, const LinearRows& rows, std::span<const std::uint8_t> used, double ridge,
                           Interrupt& interrupt);

}  // namespace arboretum
