// Split: a question together with what it achieves.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "core/codes.hpp"
#include "core/fixed_point.hpp"
#include "core/questions/term.hpp"

namespace arboretum {

struct Split {
  double score = 0.0;
  double by_chance = 0.0;  // what questions about its column score by chance, where that is taken off
  std::uint32_t column = 0;
  QuestionKind kind = QuestionKind::threshold;
  bool missing_left = false;
  bool missing_seen = false;  // were there missing values in this node?
  Code cut = 0;               // threshold: codes up to and including this one go left
  Code next = 0;              // the next code present in the node
  std::vector<std::pair<Code, std::uint32_t>>
      levels{};  // levels: those that go somewhere, ascending, and to which child
  std::uint32_t n_children = 2;
  Fixed left_weight = 0;
  std::vector<Term> terms{};  // of a question about several columns
  double bound = 0.0;         // how many of them must hold at least, or what their sum is at most

  double left_value = 0.0, right_value = 0.0;  // only under monotone constraints
};

inline std::uint32_t child_of(bool left) { return left ? 0 : 1; }

}  // namespace arboretum
