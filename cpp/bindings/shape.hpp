// The shape of a tree as Python hands it over.
#pragma once
#include <stdexcept>
#include <utility>

#include "bindings/convert.hpp"
#include "core/prune/shape.hpp"

namespace arboretum {

inline void require(bool fits, const char* what) {
  if (!fits) throw std::invalid_argument(what);
}

// The arrays of a tree's shape, kept alive while pruners look at them.
struct PyShape {
  Array<NodeId> parent, first_child;
  Array<std::int32_t> n_children;
  Shape shape;

  PyShape(Array<NodeId> parents, Array<NodeId> first_children, Array<std::int32_t> numbers)
      : parent{std::move(parents)},
        first_child{std::move(first_children)},
        n_children{std::move(numbers)},
        shape{as_span(parent), as_span(first_child), as_span(n_children)} {
    shape.check();
  }
};

}  // namespace arboretum
