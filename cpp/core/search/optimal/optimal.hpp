// The best tree within limits of depth and leaves, with a proof, or with a bound on how much better another could be.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "core/grow/planned.hpp"
#include "core/search/optimal/budget.hpp"
#include "core/search/optimal/table.hpp"

namespace arboretum::optimal {

// Costs are in the caller's units: weighted mistakes or losses, or squared errors, and the price of leaves after the
// first.
struct Found {
  PlannedTree tree{};
  double objective = 0.0, bound = 0.0;
  std::int32_t column = -1;  // of the root, where it was given
};

struct Moment {
  double seconds = 0.0, objective = 0.0, bound = 0.0;
};

struct Outcome {
  Found best{};
  Stop stop = Stop::proof;
  double seconds = 0.0, passes = 0.0;
  std::vector<Moment> history{};
  std::vector<Found> alternatives{};  // the best tree for each root column, if asked for
};

using Report = std::function<void(const Moment&)>;

Outcome search(const Dataset& data, const Targets& targets, const OptimalOptions& options, Interrupt& interrupt,
               const Report& report = {});

}  // namespace arboretum::optimal
