#include "bindings/dataset.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

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
  data_.columns.push_back(view);
}

void bind_dataset(nb::module_& m) {
  nb::class_<PyDataset>(m, "Dataset", "Named columns as the core reads them; the arrays are kept alive, not copied.")
      .def(nb::init<std::uint32_t>(), "n_rows"_a)
      .def("add_column", &PyDataset::add_column, "values"_a.noconvert(), "missing"_a.noconvert().none(), "kind"_a,
           "n_levels"_a = 0,
           nb::sig("def add_column(self, values: numpy.typing.NDArray[numpy.generic], missing: "
                   "numpy.typing.NDArray[numpy.bool_] | None, kind: str, n_levels: int = 0) -> None"),
           "Add the next column: its values, a mask of missing ones or None, its kind.")
      .def_prop_ro("n_rows", [](const PyDataset& self) { return self.data().n_rows; })
      .def_prop_ro("n_columns", [](const PyDataset& self) { return self.data().columns.size(); });
}

}  // namespace arboretum
