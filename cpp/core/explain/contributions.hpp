// Contributions: Shapley values of many rows, by threads; the numbers do not depend on how many there are.
#pragma once
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/explain/shapley.hpp"
#include "core/route.hpp"

namespace arboretum {

struct Explained {
  const Router* router;
  Targeted nodes;
  const Dataset* data;
};

struct ExplainOptions {
  unsigned n_threads = 1;
  Way way = Way::fast;                                               // Way::plain goes row by row
  std::size_t most_steps = std::numeric_limits<std::size_t>::max();  // then TooManyWays is thrown
};

using MakePoll = std::function<std::function<void()>()>;  // one for each thread

// What is predicted if no column is known: the mean over the leaves, by the weights of children.
std::vector<double> weighted_base(const Explained& explained);

// The game of weights. `found` holds the arrays of all rows, row after row, and nothing but zeros.
void add_contributions(const Explained& explained, const ExplainOptions& options, const Found& found,
                       const MakePoll& make_poll);

// The mean of the games against each of the background's rows.
void add_contributions(const Explained& explained, const Dataset& background, const ExplainOptions& options,
                       const Found& found, const MakePoll& make_poll);

}  // namespace arboretum
