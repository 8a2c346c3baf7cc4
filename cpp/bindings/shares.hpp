// What the bindings of shares have in common: summaries as bytes, views as numbers, the form of targets.
#pragma once
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <string>
#include <vector>

#include "bindings/dataset.hpp"
#include "core/shares/share.hpp"

namespace arboretum {

inline std::span<const std::byte> as_bytes(const Bytes& bytes) { return std::as_bytes(as_span(bytes)); }

inline nb::ndarray<nb::numpy, std::uint8_t> as_numpy_bytes(const std::vector<std::byte>& bytes) {
  std::vector<std::uint8_t> copy(bytes.size());
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  return as_numpy(std::move(copy));
}

// Three numbers a view.
inline std::span<const View> as_views(const Array<std::uint32_t>& numbers) {
  static_assert(sizeof(View) == 3 * sizeof(std::uint32_t));
  if (numbers.shape(0) % 3 != 0) throw std::invalid_argument("a view has three numbers");
  return {reinterpret_cast<const View*>(numbers.data()), numbers.shape(0) / 3};
}

inline nb::ndarray<nb::numpy, std::uint32_t> as_numpy_views(const std::vector<View>& views) {
  std::vector<std::uint32_t> numbers;
  for (const View& view : views) numbers.insert(numbers.end(), {view.first, view.shift, view.n_buckets});
  return as_numpy(std::move(numbers));
}

inline std::vector<std::vector<Key>> as_edges(const std::vector<Array<Key>>& edges, const Dataset& data) {
  if (edges.size() != data.columns.size()) throw std::invalid_argument("each column has a list of edges");
  std::vector<std::vector<Key>> lists;
  for (std::size_t c = 0; c < edges.size(); ++c) {
    lists.push_back(as_vector(edges[c]));
    if (data.columns[c].kind == Kind::numeric && (lists[c].empty() || lists[c].back() != ~Key{0}))
      throw std::invalid_argument("the last edge of a numeric column takes whatever lies above the others");
  }
  return lists;
}

// What the targets of a criterion are, as the caller keeps it.
struct PyForm {
  std::string criterion;
  std::uint32_t n_classes;
  bool weighted;

  TargetForm form() const { return {criterion.c_str(), n_classes, weighted}; }
};

}  // namespace arboretum
