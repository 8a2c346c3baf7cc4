// Stable division of an array by a bit mask: left values stay in place, right ones pass through `spill` and follow
// them. The vector versions move eight values a step with a table of shuffles. Where the processor lacks AVX2, which
// is decided at run time, plain versions take their place; tests compare the two.
#pragma once
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/codes.hpp"
#include "core/dataset.hpp"

namespace arboretum {

bool has_avx2();

template <class T>
struct Sides {
  T* left;
  T* right;
};

// Both stores happen; only the pointer that moves keeps its value.
template <class T>
Sides<T> divide_plain(const T* values, Row i, Row n, const std::uint8_t* mask, Sides<T> to) {
  for (; i < n; ++i) {
    const T value = values[i];
    const bool left = mask[i >> 3] >> (i & 7) & 1;
    *to.left = value, *to.right = value;
    to.left += left, to.right += !left;
  }
  return to;
}

// One bit a row: is its code within [low, low + width]? Nothing beyond the n codes is read: it may be another thread's.
void mask_within(const std::uint8_t* codes, Row n, Code low, Code width, std::uint8_t* mask, bool vector);
void mask_within(const std::uint16_t* codes, Row n, Code low, Code width, std::uint8_t* mask, bool vector);
void mask_within(const std::uint32_t* codes, Row n, Code low, Code width, std::uint8_t* mask, bool vector);

// The word whose lowest byte comes first in memory, wherever this machine puts it. Bit i of a mask is in byte i / 8.
template <std::unsigned_integral T>
constexpr T lowest_first(T word) {
  if constexpr (std::endian::native == std::endian::little) return word;
  T turned = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) turned = static_cast<T>(turned << 8 | (word >> 8 * i & 0xff));
  return turned;
}

// Calls found(i) for the rows whose bit is set, in order.
template <class F>
void each_set(const std::uint8_t* mask, Row n, F&& found) {
  for (Row i = 0; i < n; i += 64) {
    std::uint64_t bits;
    std::memcpy(&bits, mask + (i >> 3), 8);
    bits = lowest_first(bits);
    if (n - i < 64) bits &= (std::uint64_t{1} << (n - i)) - 1;
    for (; bits; bits &= bits - 1) found(i + static_cast<Row>(std::countr_zero(bits)));
  }
}

// Returns how many went left. `values` and `spill` have room for eight more than n.
Row divide_stably(std::uint8_t* values, Row n, const std::uint8_t* mask, std::uint8_t* spill, bool vector);
Row divide_stably(std::uint16_t* values, Row n, const std::uint8_t* mask, std::uint16_t* spill, bool vector);
Row divide_stably(std::uint32_t* values, Row n, const std::uint8_t* mask, std::uint32_t* spill, bool vector);

template <class T>
Row gather_right(T* values, Sides<T> to, const T* spill) {
  std::memcpy(static_cast<void*>(to.left), static_cast<const void*>(spill),
              static_cast<std::size_t>(to.right - spill) * sizeof(T));
  return static_cast<Row>(to.left - values);
}

template <class T>
Row divide_stably(T* values, Row n, const std::uint8_t* mask, T* spill, bool) {
  return gather_right(values, divide_plain(values, 0, n, mask, Sides<T>{values, spill}), spill);
}

}  // namespace arboretum
