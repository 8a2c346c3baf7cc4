#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

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

using Leaves = nb::ndarray<nb::numpy, NodeId>;
using Matrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

Leaves leaves_of(const Router& router, const Dataset& data, Way way) {
  check(router, data);
  std::vector<NodeId> leaves(data.n_rows);
  {
    const nb::gil_scoped_release release;
    Interrupt interrupt = python_interrupt();
    router.leaves_of(data, leaves, [&] { interrupt.poll(); }, way);
  }
  return as_numpy(std::move(leaves));
}

// The columns of a matrix of real numbers, as they lie there.
Dataset columns_of(const Matrix& matrix) {
  ColumnView column;
  if (matrix.dtype() == nb::dtype<float>()) column.type = ValueType::float32;
  else if (matrix.dtype() == nb::dtype<double>()) column.type = ValueType::float64;
  else throw nb::type_error("a matrix holds floats of 32 or 64 bits");
  if (matrix.shape(0) > std::numeric_limits<Row>::max()) throw nb::value_error("a matrix has too many rows");
  const auto size = static_cast<std::ptrdiff_t>(matrix.itemsize());
  column.values = static_cast<const std::byte*>(matrix.data());
  column.stride = matrix.stride(0) * size;
  Dataset data{.n_rows = static_cast<Row>(matrix.shape(0)), .columns{matrix.shape(1), column}};
  for (std::size_t i = 0; i < data.columns.size(); ++i)
    data.columns[i].values += static_cast<std::ptrdiff_t>(i) * matrix.stride(1) * size;
  return data;
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
      .def(
          "leaves_of",
          [](const Router& self, const PyDataset& dataset, bool plain) {
            return leaves_of(self, dataset.data(), plain ? Way::plain : Way::fast);
          },
          "dataset"_a, "plain"_a = false,
          "The number of the leaf in which each row comes to rest; `plain` goes row by row, to the same leaves.")
      .def(
          "leaves_of_matrix",
          [](const Router& self, const Matrix& matrix) { return leaves_of(self, columns_of(matrix), Way::fast); },
          "matrix"_a.noconvert(),
          nb::sig("def leaves_of_matrix(self, matrix: numpy.typing.NDArray[numpy.floating]) -> "
                  "numpy.typing.NDArray[numpy.int32]"),
          "The same for the rows of a matrix of floats, whose columns are all numeric.");
}

}  // namespace arboretum
