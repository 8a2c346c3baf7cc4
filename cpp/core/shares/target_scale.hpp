// The scale on which targets of many shares become whole numbers: the same one that a node chooses whose rows lie in one
// place, from what adds up over the shares.
#pragma once
#include <cstddef>

#include "core/moments.hpp"
#include "core/sources/fast_criterion.hpp"

namespace arboretum {

// What the targets of a criterion are: classes or numbers, and whether rows have weights.
struct TargetForm {
  const char* criterion;
  std::size_t n_classes;
  bool weighted;
};

// Chosen from the extents of so many rows. Throws std::domain_error where weights lie so far apart that their sum would
// have to be known.
FastScale choose_shared_scale(const TargetForm& form, const TargetExtents& extents, Row n_rows);

// Sets what bounds need to know of squares; `reach` is the largest that Share::totals found.
void set_shared_reach(const TargetForm& form, FastScale& scale, double reach, Row n_rows);

// Is the scale too coarse for rows with these extents?
bool is_coarse_for(const TargetForm& form, const FastScale& scale, const TargetExtents& extents);

}  // namespace arboretum
