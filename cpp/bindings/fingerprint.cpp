// The fingerprint of a column's values.
#include "core/fingerprint.hpp"

#include <nanobind/stl/optional.h>

#include "bindings/dataset.hpp"

namespace arboretum {
namespace {

template <class T>
void add_values(Fingerprint& print, const Values& values, const std::optional<Mask>& missing) {
  const auto* data = static_cast<const T*>(values.data());
  const std::int64_t stride = values.stride(0);
  for (std::size_t i = 0; i < values.shape(0); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    if (missing && missing->data()[place * missing->stride(0)]) {
      print.add_missing();
    } else {
      print.add_value(data[place * stride]);
    }
  }
}

void add_column(Fingerprint& print, const Values& values, const std::optional<Mask>& missing) {
  if (missing && missing->shape(0) != values.shape(0)) throw std::invalid_argument("the mask has another length");
  const auto type = values.dtype();
  const auto is = [&]<class T>(T) { return type == nb::dtype<T>(); };
  if (is(double{})) return add_values<double>(print, values, missing);
  if (is(float{})) return add_values<float>(print, values, missing);
  if (is(std::int64_t{})) return add_values<std::int64_t>(print, values, missing);
  if (is(std::int32_t{})) return add_values<std::int32_t>(print, values, missing);
  if (is(std::int16_t{})) return add_values<std::int16_t>(print, values, missing);
  if (is(std::int8_t{})) return add_values<std::int8_t>(print, values, missing);
  if (is(std::uint64_t{})) return add_values<std::uint64_t>(print, values, missing);
  if (is(std::uint32_t{})) return add_values<std::uint32_t>(print, values, missing);
  if (is(std::uint16_t{})) return add_values<std::uint16_t>(print, values, missing);
  if (is(std::uint8_t{})) return add_values<std::uint8_t>(print, values, missing);
  throw std::invalid_argument("values of this type have no fingerprint");
}

std::uint64_t fingerprint(const Values& values, const std::optional<Mask>& missing) {
  Fingerprint print;
  add_column(print, values, missing);
  return print.finish();
}

std::array<std::uint64_t, 5> state_from(const Array<std::uint64_t>& state) {
  std::array<std::uint64_t, 5> numbers{};
  if (state.shape(0) != numbers.size()) throw std::invalid_argument("the state of a fingerprint is five numbers");
  std::copy_n(state.data(), numbers.size(), numbers.begin());
  return numbers;
}

}  // namespace

void bind_fingerprint(nb::module_& m) {
  using namespace nb::literals;
  m.def("fingerprint", &fingerprint, "values"_a.noconvert(), "missing"_a.noconvert() = nb::none(),
        nb::call_guard<nb::gil_scoped_release>(),
        nb::sig("def fingerprint(values: numpy.typing.NDArray[numpy.generic], missing: "
                "numpy.typing.NDArray[numpy.bool_] | None = None) -> int"),
        "A number that tells the values of a column from others.");
  m.def(
      "fingerprint_begin",
      [] {
        const auto state = Fingerprint{}.state();
        return as_numpy(std::vector<std::uint64_t>(state.begin(), state.end()));
      },
      nb::sig("def fingerprint_begin() -> numpy.typing.NDArray[numpy.uint64]"),
      "The state of a fingerprint before the first value.");
  m.def(
      "fingerprint_add",
      [](const Array<std::uint64_t>& state, const Values& values, const std::optional<Mask>& missing) {
        Fingerprint print = Fingerprint::going_on(state_from(state));
        add_column(print, values, missing);
        const auto now = print.state();
        return as_numpy(std::vector<std::uint64_t>(now.begin(), now.end()));
      },
      "state"_a.noconvert(), "values"_a.noconvert(), "missing"_a.noconvert() = nb::none(),
      nb::sig("def fingerprint_add(state: numpy.typing.NDArray[numpy.uint64], values: "
              "numpy.typing.NDArray[numpy.generic], missing: numpy.typing.NDArray[numpy.bool_] | None = None) -> "
              "numpy.typing.NDArray[numpy.uint64]"),
      "The state after more values of the same column.");
  m.def(
      "fingerprint_end",
      [](const Array<std::uint64_t>& state) { return Fingerprint::going_on(state_from(state)).finish(); },
      "state"_a.noconvert(), nb::sig("def fingerprint_end(state: numpy.typing.NDArray[numpy.uint64]) -> int"),
      "The fingerprint of all values that were added.");
}

}  // namespace arboretum
