// Growing a tree, as the outside sees it. The template is compiled once per criterion, in cpp/instances, so that the
// compiler can work on them side by side.
#pragma once
#include "core/dataset.hpp"
#include "core/interrupt.hpp"
#include "core/options.hpp"
#include "core/tree.hpp"

namespace arboretum {

template <class C>
Tree grow(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
          Interrupt& interrupt);

}  // namespace arboretum
