// The fingerprint of a column's values.
#include "core/fingerprint.hpp"

#include <nanobind/stl/optional.h>

#include "bindings/dataset.hpp"

namespace arboretum {
namespace {

template <class T>
std::uint64_t fingerprint_of(const Values& values, const std::optional<Mask>& missing) {
  const auto* data = static_cast<const T*>(values.data());
  const std::int64_t stride = values.stride(0);
  Fingerprint print;
  for (std::size_t i = 0; i < values.shape(0); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    if (missing && missing->data()[place * missing->stride(0)]) {
      print.add_missing();
    } else {
      print.add_value(data[place * stride]);
    }
  }
  return print.finish();
}

std::uint64_t fingerprint(const Values& values, const std::optional<Mask>& missing) {
  if (missing && missing->shape(0) != values.shape(0)) throw std::invalid_argument("the mask has another length");
  const auto type = values.dtype();
  const auto is = [&]<class T>(T) { return type == nb::dtype<T>(); };
  if (is(double{})) return fingerprint_of<double>(values, missing);
  if (is(float{})) return fingerprint_of<float>(values, missing);
  if (is(std::int64_t{})) return fingerprint_of<std::int64_t>(values, missing);
  if (is(std::int32_t{})) return fingerprint_of<std::int32_t>(values, missing);
  if (is(std::int16_t{})) return fingerprint_of<std::int16_t>(values, missing);
  if (is(std::int8_t{})) return fingerprint_of<std::int8_t>(values, missing);
  if (is(std::uint64_t{})) return fingerprint_of<std::uint64_t>(values, missing);
  if (is(std::uint32_t{})) return fingerprint_of<std::uint32_t>(values, missing);
  if (is(std::uint16_t{})) return fingerprint_of<std::uint16_t>(values, missing);
  if (is(std::uint8_t{})) return fingerprint_of<std::uint8_t>(values, missing);
  throw std::invalid_argument("values of this type have no fingerprint");
}

}  // namespace

void bind_fingerprint(nb::module_& m) {
  using namespace nb::literals;
  m.def("fingerprint", &fingerprint, "values"_a.noconvert(), "missing"_a.noconvert() = nb::none(),
        nb::call_guard<nb::gil_scoped_release>(),
        nb::sig("def fingerprint(values: numpy.typing.NDArray[numpy.generic], missing: "
                "numpy.typing.NDArray[numpy.bool_] | None = None) -> int"),
        "A number that tells the values of a column from others.");
}

}  // namespace arboretum
