#include "bindings/dataset.hpp"

#include <algorithm>
#include <cstring>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace arboretum {

using namespace nb::literals;

namespace {

ValueType value_type(const Values& values) {
  const nb::dlpack::dtype type = values.dtype();
  if (type == nb::dtype<float>()) return ValueType::float32;
  if (type == nb::dtype<double>()) return ValueType::float64;
  if (type == nb::dtype<std::int8_t>()) return ValueType::int8;
  if (type == nb::dtype<std::int16_t>()) return ValueType::int16;
  if (type == nb::dtype<std::int32_t>()) return ValueType::int32;
  if (type == nb::dtype<std::int64_t>()) return ValueType::int64;
  if (type == nb::dtype<std::uint8_t>()) return ValueType::uint8;
  if (type == nb::dtype<std::uint16_t>()) return ValueType::uint16;
  if (type == nb::dtype<std::uint32_t>()) return ValueType::uint32;
  throw nb::type_error("a column holds values of a type the core does not know");
}

Kind kind_of(const std::string& name) {
  if (name == "numeric") return Kind::numeric;
  if (name == "ordered") return Kind::ordered;
  if (name == "nominal") return Kind::nominal;
  throw nb::value_error("a column is numeric, ordered or nominal");
}

void note_levels(ColumnView& column, Row n_rows) {
  with_type(column.type, [&]<class T>(std::type_identity<T>) {
    T seen[2]{};
    for (Row row = 0; row < n_rows && column.n_seen < 3; ++row) {
      const T value = column.value<T>(row);
      if (column.missing(row, value)) column.some_missing = true;
      else if (column.n_seen == 0 || (value != seen[0] && (column.n_seen == 1 || value != seen[1]))) {
        if (column.n_seen < 2) seen[column.n_seen] = value;
        ++column.n_seen;
      }
    }
  });
}

}  // namespace

void PyDataset::add_column(Values values, std::optional<Mask> missing, const std::string& kind,
                           std::uint32_t n_levels) {
  if (values.shape(0) != data_.n_rows || (missing && missing->shape(0) != data_.n_rows))
    throw nb::value_error("a column has another number of rows than the data set");
  ColumnView view{.kind = kind_of(kind), .type = value_type(values), .n_levels = n_levels};
  view.values = static_cast<const std::byte*>(values.data());
  view.stride = values.stride(0) * static_cast<std::ptrdiff_t>(values.itemsize());
  if (missing) {
    view.masked = reinterpret_cast<const std::byte*>(missing->data());
    view.masked_stride = missing->stride(0);
    masks_.push_back(*std::move(missing));
  }
  values_.push_back(std::move(values));
  if (view.kind == Kind::nominal) note_levels(view, data_.n_rows);
  data_.columns.push_back(view);
}

// Codes for everything that will be taken from this table: as many as pay off for growing from most of its rows. Few
// rows deserve more of them than one tree alone would: all trees share the work, and with finer codes less is sorted.
void PyDataset::encode(unsigned n_threads) {
  constexpr std::size_t fewest_codes = 128, most_codes = 2048, rows_per_code = 32;
  Interrupt interrupt = python_interrupt();
  const std::size_t n_codes = std::clamp<std::size_t>(data_.n_rows / rows_per_code, fewest_codes, most_codes);
  const nb::gil_scoped_release release;
  coded_ = std::make_shared<CodedTable>(CodedTable{encode_coarsely(data_, n_codes, {}, n_threads, interrupt)});
}

PyDataset PyDataset::take(const Array<Row>& rows) const {
  for (const Row row : as_span(rows))
    if (row >= data_.n_rows) throw nb::index_error("a row is not there");
  PyDataset taken{static_cast<Row>(rows.shape(0))};
  taken.rows_ = as_vector(rows);
  if (rows_.empty()) taken.coded_ = coded_;  // of rows that are taken twice, the numbers are not those of the codes
  const nb::gil_scoped_release release;
  taken.taken_ = TakenColumns{data_, taken.rows_};
  taken.data_.columns = taken.taken_.columns;
  if (taken.coded_) taken.data_.taken_from = {taken.coded_.get(), taken.rows_};
  return taken;
}

// The same columns; their codes, if the table is coded, are found by the numbers of its own rows.
Dataset PyDataset::to_sample_from() const {
  Dataset data = data_;
  if (coded_ && rows_.empty()) data.taken_from = {coded_.get(), {}};
  return data;
}

void PyDataset::belongs_to(const std::vector<std::uint8_t>& n_seen, const std::vector<bool>& missing) {
  if (n_seen.size() != data_.columns.size() || missing.size() != data_.columns.size())
    throw nb::value_error("what is seen must be told of every column");
  for (std::size_t c = 0; c < n_seen.size(); ++c)
    data_.columns[c].n_seen = n_seen[c], data_.columns[c].some_missing = missing[c];
}

void PyDataset::also_saw(const PyDataset& other) {
  if (other.data_.columns.size() != data_.columns.size())
    throw nb::value_error("the data sets have not the same columns");
  data_.also_seen.push_back(&other.data_);
}

void bind_dataset(nb::module_& m) {
  nb::class_<PyDataset>(m, "Dataset", "Named columns as the core reads them; the arrays are kept alive, not copied.")
      .def(nb::init<std::uint32_t>(), "n_rows"_a)
      .def("add_column", &PyDataset::add_column, "values"_a.noconvert(), "missing"_a.noconvert().none(), "kind"_a,
           "n_levels"_a = 0,
           nb::sig("def add_column(self, values: numpy.typing.NDArray[numpy.generic], missing: "
                   "numpy.typing.NDArray[numpy.bool_] | None, kind: str, n_levels: int = 0) -> None"),
           "Add the next column: its values, a mask of missing ones or None, its kind.")
      .def("encode", &PyDataset::encode, "n_threads"_a,
           "Code the columns once, for all data sets that are taken from this one.")
      .def("take", &PyDataset::take, "rows"_a.noconvert(),
           nb::sig("def take(self, rows: numpy.typing.NDArray[numpy.uint32]) -> Dataset"),
           "A data set of these rows, by number; it keeps what it needs.")
      .def("belongs_to", &PyDataset::belongs_to, "n_seen"_a, "missing"_a,
           "The rows are some of a larger table, in which each column has so many levels, counted up to three, and "
           "missing values or none.")
      .def("also_saw", &PyDataset::also_saw, "other"_a, nb::keep_alive<1, 2>(),
           "Thresholds that are to be values of the table may also be values of these rows.")
      .def_prop_ro("n_rows", [](const PyDataset& self) { return self.data().n_rows; })
      .def_prop_ro("n_columns", [](const PyDataset& self) { return self.data().columns.size(); });
}

}  // namespace arboretum
