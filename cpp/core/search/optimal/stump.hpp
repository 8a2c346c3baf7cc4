// The best stump of one node: a single question and two leaves, found cut by cut.
#pragma once
#include <algorithm>
#include <vector>

#include "core/search/optimal/node.hpp"

namespace arboretum::optimal {

// What one side of a question may cost.
struct SideCost {
  Cost leaf = 0.0;
  Cost least = 0.0;    // as a leaf or a stump, whatever the size of the leaves
  Cost allowed = 0.0;  // the same, with leaves as large as asked for
};

struct Stump {
  Cost least = far;  // whatever the size of the leaves
  Cost allowed = far;
  Cut cut{};  // of the allowed one
};

// About this column of the dataset only, if it is not negative.
Stump best_stump(const Node& node, std::int32_t about = -1);

}  // namespace arboretum::optimal
