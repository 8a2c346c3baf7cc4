// Keys: unsigned integers that sort as the values they stand for, so that one sort serves every type. Missing values
// have no key; -0.0 and 0.0 share one.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/dataset.hpp"

namespace arboretum {

using Key = std::uint64_t;

template <class T>
Key key_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
    const Bits bits = std::bit_cast<Bits>(value + T{0});  // -0.0 + 0.0 is 0.0
    return (bits & sign) ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | sign);
  } else {
    return static_cast<Key>(static_cast<std::int64_t>(value)) ^ (Key{1} << 63);
  }
}

// The value a key stands for.
template <class T>
T value_of(Key key) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
    const auto bits = static_cast<Bits>(key);
    return std::bit_cast<T>((bits & sign) ? static_cast<Bits>(bits ^ sign) : static_cast<Bits>(~bits));
  } else {
    return static_cast<T>(static_cast<std::int64_t>(key ^ (Key{1} << 63)));
  }
}

// The key of a column's value: level numbers are their own keys.
template <class T>
Key key_in(Kind kind, T value) {
  return kind == Kind::numeric ? key_of(value) : static_cast<Key>(value);
}

struct KeyedRow {
  Key key;
  Row row;
};

inline Key sort_key(Key key) { return key; }
inline Key sort_key(const KeyedRow& item) { return item.key; }

// Sorts by key, least significant digit first; digits in which all keys agree cost one pass of reading only.
// Stable, so rows of one key stay in their order.
template <class Item>
void sort_by_key(std::vector<Item>& items, std::vector<Item>& scratch) {
  if (items.size() < 512) {
    std::stable_sort(items.begin(), items.end(),
                     [](const Item& a, const Item& b) { return sort_key(a) < sort_key(b); });
    return;
  }
  constexpr unsigned bits = 11;
  constexpr std::size_t n_digits = std::size_t{1} << bits;
  scratch.resize(items.size());
  Key differing = 0;
  for (const Item& item : items) differing |= sort_key(item) ^ sort_key(items.front());
  for (unsigned shift = 0; shift < 64; shift += bits) {
    if (((differing >> shift) & (n_digits - 1)) == 0) continue;
    std::array<std::size_t, n_digits + 1> place{};
    for (const Item& item : items) ++place[((sort_key(item) >> shift) & (n_digits - 1)) + 1];
    for (std::size_t digit = 0; digit < n_digits; ++digit) place[digit + 1] += place[digit];
    for (const Item& item : items) scratch[place[(sort_key(item) >> shift) & (n_digits - 1)]++] = item;
    items.swap(scratch);
  }
}

}  // namespace arboretum
