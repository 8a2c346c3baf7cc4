#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/dataset.hpp"
#include "core/dependence.hpp"
#include "core/forest.hpp"
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

nb::ndarray<nb::numpy, double> blend(
    const Router& router, const Dataset& data,
    const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& values) {
  check(router, data);
  if (!router.divides_rows() || values.shape(0) != router.n_nodes())
    throw std::invalid_argument("values of the nodes are blended where rows are divided, one row of values a node");
  const std::size_t width = values.shape(1);
  std::vector<double> blended(std::size_t{data.n_rows} * width);
  {
    const nb::gil_scoped_release release;
    Interrupt interrupt = python_interrupt();
    router.blend(data, {values.data(), values.size()}, width, blended, [&] { interrupt.poll(); });
  }
  return as_numpy(std::move(blended), width);
}

using NodeValues = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The cells of a grid that sets these columns; refuses what does not fit together.
GridCells grid_of(const Router& router, const PyDataset& cells, const std::vector<std::uint32_t>& columns,
                  const NodeValues& values) {
  const Dataset& data = cells.data();
  check(router, data);
  GridCells grid{data, std::vector<bool>(std::max(router.n_columns(), data.columns.size()))};
  for (const std::uint32_t column : columns) grid.set.at(column) = true;
  if (values.shape(0) != router.n_nodes()) throw std::invalid_argument("a grid needs one row of values a node");
  return grid;
}

nb::ndarray<nb::numpy, double> sums_in_cells(const Router& router, const PyDataset& cells,
                                             const std::vector<std::uint32_t>& columns, const NodeValues& values,
                                             const PyDataset* rows, const std::optional<Array<double>>& weights) {
  const GridCells grid = grid_of(router, cells, columns, values);
  if (rows != nullptr) check(router, rows->data());
  if (weights && (rows == nullptr || weights->shape(0) != rows->data().n_rows))
    throw std::invalid_argument("each row has one weight");
  const std::size_t width = values.shape(1);
  std::vector<double> sums(std::size_t{grid.cells.n_rows} * width);
  {
    const nb::gil_scoped_release release;
    Interrupt interrupt = python_interrupt();
    const std::span<const double> each = weights ? as_span(*weights) : std::span<const double>{};
    sum_over_rows(router, rows == nullptr ? nullptr : &rows->data(), each, grid, {values.data(), values.size()}, width,
                  sums, [&] { interrupt.poll(); });
  }
  return as_numpy(std::move(sums), width);
}

nb::ndarray<nb::numpy, double> rows_in_cells(const Router& router, const PyDataset& cells,
                                             const std::vector<std::uint32_t>& columns, const NodeValues& values,
                                             const PyDataset& rows) {
  const GridCells grid = grid_of(router, cells, columns, values);
  check(router, rows.data());
  const std::size_t width = values.shape(1);
  std::vector<double> found(std::size_t{rows.data().n_rows} * grid.cells.n_rows * width);
  {
    const nb::gil_scoped_release release;
    Interrupt interrupt = python_interrupt();
    each_row(router, rows.data(), grid, {values.data(), values.size()}, width, found, [&] { interrupt.poll(); });
  }
  return as_numpy(std::move(found), width);
}

MissingRule rule_of(const std::string& name) {
  if (name == "child") return MissingRule::child;
  if (name == "surrogates") return MissingRule::surrogates;
  if (name == "fractions") return MissingRule::fractions;
  throw nb::value_error("rows with missing values follow a child, surrogates, or are divided into fractions");
}

// What routing needs of the questions beside those that are asked.
OtherQuestions surrogates_of(const nb::dict& arrays) {
  OtherQuestions others;
  if (arrays.empty()) return others;
  auto read = [&]<class T>(const char* name, std::vector<T>& to) { to = as_vector(nb::cast<Array<T>>(arrays[name])); };
  read("begin", others.begin), read("role", others.role), read("kind", others.kind), read("flipped", others.flipped);
  read("column", others.column), read("threshold", others.threshold);
  read("threshold_floor", others.threshold_floor), read("level_begin", others.level_begin);
  read("level", others.level), read("level_child", others.level_child);
  return others;
}

TermArrays terms_of(const nb::dict& arrays) {
  TermArrays terms;
  if (arrays.empty()) return terms;
  auto read = [&]<class T>(const char* name, std::vector<T>& to) { to = as_vector(nb::cast<Array<T>>(arrays[name])); };
  read("begin", terms.begin), read("column", terms.column), read("kind", terms.kind), read("negated", terms.negated);
  read("threshold", terms.threshold), read("threshold_floor", terms.threshold_floor), read("level", terms.level);
  read("coefficient", terms.coefficient), read("fill", terms.fill);
  return terms;
}

// A forest, and the routers that it asks.
class PyForest {
 public:
  explicit PyForest(std::size_t width) : forest_{width} {}

  void add(const nb::object& router, const NodeValues& values) {
    const auto& of_tree = nb::cast<const Router&>(router);
    if (values.shape(0) != of_tree.n_nodes() || values.shape(1) != forest_.width())
      throw std::invalid_argument("a tree needs one row of values a node, as wide as those of the other trees");
    if (!forest_.add(of_tree, {values.data(), values.data() + values.size()})) asked_.push_back(router);
  }
  std::size_t size() const { return forest_.size(); }

  nb::ndarray<nb::numpy, double> sum(const Dataset& data, unsigned n_threads) const {
    check(data);
    std::vector<double> sums(std::size_t{data.n_rows} * forest_.width());
    {
      Interrupt interrupt = python_interrupt();
      const nb::gil_scoped_release release;
      forest_.sum(data, sums, n_threads, interrupt);
    }
    return as_numpy(std::move(sums), forest_.width());
  }

  nb::ndarray<nb::numpy, NodeId> leaves_of(const Dataset& data, unsigned n_threads) const {
    check(data);
    std::vector<NodeId> leaves(std::size_t{data.n_rows} * forest_.size());
    {
      Interrupt interrupt = python_interrupt();
      const nb::gil_scoped_release release;
      forest_.leaves_of(data, leaves, n_threads, interrupt);
    }
    return as_numpy(std::move(leaves), forest_.size());
  }

 private:
  void check(const Dataset& data) const {
    if (forest_.n_columns() > data.columns.size())
      throw std::invalid_argument("the trees ask about a column the data do not have");
  }

  Forest forest_;
  std::vector<nb::object> asked_;
};

}  // namespace

void bind_forest(nb::module_& m) {
  nb::class_<PyForest>(m, "Forest", "Many trees that predict together; `width` numbers for each row.")
      .def(nb::init<std::size_t>(), "width"_a)
      .def("add", &PyForest::add, "router"_a, "values"_a.noconvert(),
           nb::sig("def add(self, router: Router, values: numpy.typing.NDArray[numpy.float64]) -> None"),
           "Add a tree, with what each of its nodes predicts.")
      .def_prop_ro("n_trees", &PyForest::size)
      .def(
          "sum",
          [](const PyForest& self, const PyDataset& dataset, unsigned n_threads) {
            return self.sum(dataset.data(), n_threads);
          },
          "dataset"_a, "n_threads"_a,
          nb::sig("def sum(self, dataset: Dataset, n_threads: int) -> numpy.typing.NDArray[numpy.float64]"),
          "For each row the sum of what the trees predict.")
      .def(
          "sum_of_matrix",
          [](const PyForest& self, const Matrix& matrix, unsigned n_threads) {
            return self.sum(columns_of(matrix), n_threads);
          },
          "matrix"_a.noconvert(), "n_threads"_a,
          nb::sig("def sum_of_matrix(self, matrix: numpy.typing.NDArray[numpy.floating], n_threads: int) -> "
                  "numpy.typing.NDArray[numpy.float64]"),
          "The same for the rows of a matrix of floats, whose columns are all numeric.")
      .def(
          "leaves_of",
          [](const PyForest& self, const PyDataset& dataset, unsigned n_threads) {
            return self.leaves_of(dataset.data(), n_threads);
          },
          "dataset"_a, "n_threads"_a,
          nb::sig("def leaves_of(self, dataset: Dataset, n_threads: int) -> numpy.typing.NDArray[numpy.int32]"),
          "The number of the leaf of each row in each tree.");
}

void bind_router(nb::module_& m) {
  nb::class_<Router>(m, "Router", "Finds the leaf of each row; refuses arrays that do not make a tree.")
      .def(
          "__init__",
          [](Router* self, const Array<NodeId>& first_child, const Array<std::int32_t>& n_children,
             const Array<std::int32_t>& column, const Array<std::uint8_t>& kind, const Array<double>& threshold,
             const Array<std::int64_t>& threshold_floor, const Array<std::int32_t>& missing_child,
             const Array<std::int64_t>& level_begin, const Array<std::int32_t>& level,
             const Array<std::int32_t>& level_child, const Array<double>& weight, const std::string& missing,
             const nb::dict& others, const nb::dict& terms) {
            new (self) Router({as_vector(first_child), as_vector(n_children), as_vector(column), as_vector(kind),
                               as_vector(threshold), as_vector(threshold_floor), as_vector(missing_child),
                               as_vector(level_begin), as_vector(level), as_vector(level_child), as_vector(weight),
                               rule_of(missing), surrogates_of(others), terms_of(terms)});
          },
          "first_child"_a.noconvert(), "n_children"_a.noconvert(), "column"_a.noconvert(), "kind"_a.noconvert(),
          "threshold"_a.noconvert(), "threshold_floor"_a.noconvert(), "missing_child"_a.noconvert(),
          "level_begin"_a.noconvert(), "level"_a.noconvert(), "level_child"_a.noconvert(), "weight"_a.noconvert(),
          "missing"_a = "child", "others"_a = nb::dict(), "terms"_a = nb::dict(),
          nb::sig("def __init__(self, first_child: numpy.typing.NDArray[numpy.int32], "
                  "n_children: numpy.typing.NDArray[numpy.int32], column: numpy.typing.NDArray[numpy.int32], "
                  "kind: numpy.typing.NDArray[numpy.uint8], threshold: numpy.typing.NDArray[numpy.float64], "
                  "threshold_floor: numpy.typing.NDArray[numpy.int64], "
                  "missing_child: numpy.typing.NDArray[numpy.int32], "
                  "level_begin: numpy.typing.NDArray[numpy.int64], level: numpy.typing.NDArray[numpy.int32], "
                  "level_child: numpy.typing.NDArray[numpy.int32], weight: numpy.typing.NDArray[numpy.float64], "
                  "missing: str = 'child', others: dict[str, numpy.typing.NDArray[numpy.generic]] = {}, "
                  "terms: dict[str, numpy.typing.NDArray[numpy.generic]] = {}) -> None"))
      .def(
          "blend",
          [](const Router& self, const PyDataset& dataset,
             const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& values) {
            return blend(self, dataset.data(), values);
          },
          "dataset"_a, "values"_a.noconvert(),
          nb::sig("def blend(self, dataset: Dataset, values: numpy.typing.NDArray[numpy.float64]) -> "
                  "numpy.typing.NDArray[numpy.float64]"),
          "For each row the mean of the values of the leaves that it is divided among.")
      .def("sums_in_cells", &sums_in_cells, "cells"_a, "columns"_a, "values"_a.noconvert(), "rows"_a = nb::none(),
           "weights"_a = nb::none(),
           nb::sig("def sums_in_cells(self, cells: Dataset, columns: collections.abc.Sequence[int], "
                   "values: numpy.typing.NDArray[numpy.float64], rows: Dataset | None = None, "
                   "weights: numpy.typing.NDArray[numpy.float64] | None = None) -> "
                   "numpy.typing.NDArray[numpy.float64]"),
           "For each cell of a grid, which sets these columns, the sum of the values of the leaves that the rows come "
           "to; without rows, the mean by the weights of the nodes.")
      .def("rows_in_cells", &rows_in_cells, "cells"_a, "columns"_a, "values"_a.noconvert(), "rows"_a,
           nb::sig("def rows_in_cells(self, cells: Dataset, columns: collections.abc.Sequence[int], "
                   "values: numpy.typing.NDArray[numpy.float64], rows: Dataset) -> "
                   "numpy.typing.NDArray[numpy.float64]"),
           "The same for each row by itself: all cells of the first row, then those of the next.")
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
