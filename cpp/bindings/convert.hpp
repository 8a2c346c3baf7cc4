// Convert: arrays from Python to spans and vectors, and back; and Python's signals to interrupts.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/interrupt.hpp"

namespace arboretum {

namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> as_span(const Array<T>& array) {
  return {array.data(), array.shape(0)};
}

template <class T>
std::vector<T> as_vector(const Array<T>& array) {
  return {array.data(), array.data() + array.shape(0)};
}

// A NumPy array that owns what the vector held.
template <class T>
nb::ndarray<nb::numpy, T> as_numpy(std::vector<T> values, std::size_t n_columns = 0) {
  auto* held = new std::vector<T>(std::move(values));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (n_columns == 0) return nb::ndarray<nb::numpy, T>(held->data(), {held->size()}, owner);
  return nb::ndarray<nb::numpy, T>(held->data(), {held->size() / n_columns, n_columns}, owner);
}

// Values that travel as bytes.
using Bytes = Array<std::uint8_t>;

template <class T>
std::vector<T> from_bytes(const Bytes& bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (bytes.shape(0) % sizeof(T) != 0) throw std::invalid_argument("bytes of another kind were expected");
  std::vector<T> values(bytes.shape(0) / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.shape(0));
  return values;
}

template <class T>
nb::ndarray<nb::numpy, std::uint8_t> to_bytes(const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return as_numpy(std::move(bytes));
}

// Asks Python whether a signal such as Ctrl-C has come in; its exception passes through the core and back.
inline Interrupt python_interrupt() {
  return Interrupt{[] {
    nb::gil_scoped_acquire hold;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }};
}

}  // namespace arboretum
