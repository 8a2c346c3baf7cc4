// Moves thresholds down to the nearest value that occurs in the column, as C4.5 does, so that a rule names only values
// that were seen. No row of the table changes sides.
#pragma once
#include "core/dataset.hpp"
#include "core/tree.hpp"

namespace arboretum {

void snap_thresholds(Tree& tree, const Dataset& data);

}  // namespace arboretum
