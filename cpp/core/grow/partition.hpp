// Partition: everything that belongs to a row (its number, its target, its codes), kept so that each node is one
// contiguous range. Dividing a node is a stable partition of that range in every array.
// Words: Range, Rows, divide.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/codes.hpp"

namespace arboretum {

struct Range {
  Row begin = 0, end = 0;
  Row size() const { return end - begin; }
};

template <class Target>
struct Rows {
  std::vector<Row> ids;
  std::vector<Target> targets;
  std::vector<CodedColumn> columns;

  std::span<const Row> ids_of(Range range) const { return {ids.data() + range.begin, range.size()}; }
  std::span<Target> targets_of(Range range) { return {targets.data() + range.begin, range.size()}; }
};

// Moves the elements marked left to the front, keeping the order on both sides. `spill` is scratch.
// Each element is written to both sides and one of them advances: which one is a coin toss that no processor foresees.
template <class T>
void divide_array(T* data, const std::vector<std::uint8_t>& is_left, std::vector<T>& spill) {
  spill.resize(is_left.size());
  T *left = data, *right = spill.data();
  for (std::size_t i = 0; i < is_left.size(); ++i) {
    const T element = data[i];
    *left = element, left += is_left[i] != 0;
    *right = element, right += is_left[i] == 0;
  }
  std::copy(spill.data(), right, left);
}

}  // namespace arboretum
