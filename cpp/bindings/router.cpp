#include <nanobind/stl/optional.h>

#include "bindings/dataset.hpp"
#include "core/interrupt.hpp"
#include "core/route.hpp"

namespace arboretum {

using namespace nb::literals;

namespace {

void check(const Router& router, const Dataset& data) {
  if (router.n_columns() > data.columns.size())
    throw std::invalid_argument("the tree asks about a column the data do not have");
}

nb::ndarray<nb::numpy, NodeId> leaves_of(const Router& router, const PyDataset& dataset) {
  const Dataset& data = dataset.data();
  check(router, data);
  std::vector<NodeId> leaves(data.n_rows);
  {
    const nb::gil_scoped_release release;
    Interrupt interrupt = python_interrupt();
    router.leaves_of(data, leaves, [&] { interrupt.poll(); });
  }
  return as_numpy(std::move(leaves));
}

}  // namespace

void bind_router(nb::module_& m) {
  nb::class_<Router>(m, "Router", "Finds the leaf of each row; refuses arrays that do not make a tree.")
      .def(
          "__init__",
          [](Router* self, const Array<NodeId>& first_child, const Array<std::int32_t>& n_children,
             const Array<std::int32_t>& column, const Array<std::uint8_t>& kind, const Array<double>& threshold,
             const Array<std::int64_t>& threshold_floor, const Array<std::int32_t>& missing_child,
             const Array<std::int64_t>& level_begin, const Array<std::int32_t>& level,
             const Array<std::int32_t>& level_child, const Array<double>& weight) {
            new (self) Router({as_vector(first_child), as_vector(n_children), as_vector(column), as_vector(kind),
                               as_vector(threshold), as_vector(threshold_floor), as_vector(missing_child),
                               as_vector(level_begin), as_vector(level), as_vector(level_child), as_vector(weight)});
          },
          "first_child"_a.noconvert(), "n_children"_a.noconvert(), "column"_a.noconvert(), "kind"_a.noconvert(),
          "threshold"_a.noconvert(), "threshold_floor"_a.noconvert(), "missing_child"_a.noconvert(),
          "level_begin"_a.noconvert(), "level"_a.noconvert(), "level_child"_a.noconvert(), "weight"_a.noconvert())
      .def("leaves_of", &leaves_of, "dataset"_a, "The number of the leaf in which each row comes to rest.");
}

}  // namespace arboretum
