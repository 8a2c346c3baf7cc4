// Growing one tree for several outputs: its questions are common to all, and each output reports its own numbers.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/dataset.hpp"
#include "core/interrupt.hpp"
#include "core/options.hpp"
#include "core/tree.hpp"

namespace arboretum {

// What is to be learnt of one output.
struct OutputTask {
  std::string criterion;
  Targets targets;
  double share = 1.0;  // of the combined criterion
};

// First a tree that knows no more than the weights of the rows, given by `rows`; then that of each output.
std::vector<Tree> grow_several(const Dataset& data, const Targets& rows, std::span<const OutputTask> outputs,
                               const GrowOptions& options, Interrupt& interrupt);

}  // namespace arboretum
