// Task: what is asked of a search in a node, and what is known.
#pragma once
#include "core/search/optimal/bounds.hpp"

namespace arboretum::optimal {

struct Task {
  const Node& node;
  std::uint32_t depth = 0, leaves = 1;  // at most
  Cost limit = far;                     // trees that cost as much are of no interest
  const Cells& cells;
  Bounds& bounds;            // raised on return
  std::int32_t root = -1;    // the root asks about this column of the dataset; -1: any
  bool wants_first = false;  // of the trees that cost the same, the first in turn; else any of them
};

}  // namespace arboretum::optimal
