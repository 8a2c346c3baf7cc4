// Candidate: the best question of one column in one node, with the numbers that columns compete by; and what a node
// keeps of them: the question it asks, competitors and surrogates.
#pragma once
#include <vector>

#include "core/grow/split.hpp"

namespace arboretum {

struct Candidate : Split {
  double gain = 0.0;       // the impurity decrease, for the share of the rows whose value is known
  double corrected = 0.0;  // the same without what is gained by chance
  double ratio = 0.0;      // corrected gain / split information
  double merit = 0.0;      // what columns are compared by, see choice.hpp
};

// A question that stands in for another where its value is missing.
struct SurrogateSplit : Split {
  bool flipped = false;  // codes up to and including the cut go right
  Fixed agreeing = 0;
  double agreement = 0.0, adjusted = 0.0;
  Row n_sent = 0;  // rows that it sent when the tree was grown
};

// The question that a node asks, with the runners-up; surrogates are found just before the node is divided.
struct ChosenSplit : Candidate {
  bool missing_stays = false;  // rows that nothing can send go no further
  std::vector<Candidate> competitors{};
  std::vector<SurrogateSplit> surrogates{};
};

}  // namespace arboretum
