// Plan: a tree as the search keeps it, questions only. A stump is looked for again when the plan is written out, so that
// the many that are tried need not say what they ask.
#pragma once
#include <memory>
#include <utility>

#include "core/search/optimal/node.hpp"

namespace arboretum::optimal {

struct PlanNode;
using PlanPart = std::shared_ptr<const PlanNode>;  // null: a leaf

struct PlanNode {
  Cut cut{};  // none: the best stump
  PlanPart left{}, right{};
};

struct Plan {
  Cost cost = far;
  PlanPart root{};
};

inline PlanPart a_stump() {
  static const PlanPart stump = std::make_shared<const PlanNode>();
  return stump;
}
inline PlanPart joined(Cut cut, PlanPart left, PlanPart right) {
  return std::make_shared<const PlanNode>(PlanNode{cut, std::move(left), std::move(right)});
}

}  // namespace arboretum::optimal
