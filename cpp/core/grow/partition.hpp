// Partition: everything that belongs to a row (its number, its target, its codes) is kept so that each node is one
// contiguous range. Dividing a node is a stable partition of that range in every array.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/dataset.hpp"

namespace arboretum {

struct Range {
  Row begin = 0, end = 0;
  Row size() const { return end - begin; }
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
