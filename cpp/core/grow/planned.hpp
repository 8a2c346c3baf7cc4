// Planned: a question of a tree that was found as a whole.
#pragma once
#include <cstdint>
#include <vector>

#include "core/grow/split.hpp"
#include "core/options.hpp"

namespace arboretum {

// The first of a plan is the root; an empty plan is one leaf.
struct Planned {
  Split split{};
  std::int32_t left = -1, right = -1;  // places of the children; -1: a leaf
};

}  // namespace arboretum
