// One function for each source, compiled apart: once per summary (fast, counts) or per kind of plain criterion (plain,
// parts).
#pragma once
#include <optional>

#include "core/grow/grow.hpp"

namespace arboretum {

template <class S>
struct FastForm;
template <class S>
struct CountScoring;

template <class S>
Tree grow_fast(const GrowInput& input, const FastForm<S>& form);

// Nothing if the table asks for more than counts can tell.
template <class S>
std::optional<Tree> grow_by_counting(const GrowInput& input, const CountScoring<S>& scoring);

template <class Plain>
Tree grow_plainly(const GrowInput& input, const Plain& criterion);

template <class Plain>
Tree grow_in_parts(const GrowInput& input, const Plain& criterion);

}  // namespace arboretum
