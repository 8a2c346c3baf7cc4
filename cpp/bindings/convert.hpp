// Convert: arrays from Python to spans and vectors, and back. Nothing is copied on the way in, nothing on the way out.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

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

}  // namespace arboretum
