// Fixed point: weights and real targets as 64-bit integers, because integers add up to the same sum in any order. A
// unit is a power of two; where the data allow it (integers, short fractions) nothing is rounded. A scale is chosen
// from a set of numbers, never from their order.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/wide.hpp"

namespace arboretum {

using Fixed = std::int64_t;

inline Fixed distance(Fixed a, Fixed b) { return a < b ? b - a : a - b; }

// Sums over all rows stay below 2^60: a sum, its double and the sum of two sides all fit into a Fixed.
inline constexpr int sum_bits = 60;

struct Scale {
  double centre = 0.0;
  double unit = 1.0;
  bool exact = true;

  Fixed fixed(double number) const { return static_cast<Fixed>(std::llrint((number - centre) / unit)); }
};

// The exponent of the lowest bit set in x: x is an integer multiple of 2^that.
inline int lowest_bit(double x) {
  constexpr std::uint64_t hidden = std::uint64_t{1} << 52;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);  // 0: denormal, without a hidden bit
  const std::uint64_t digits = (bits & (hidden - 1)) | (exponent > 0 ? hidden : 0);
  return std::max(exponent, 1) - 1075 + std::countr_zero(digits);
}

// Smallest t with |x| < 2^t.
inline int top_bit(double x) { return x != 0.0 ? std::ilogb(x) + 1 : -1074; }

struct Extent {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
  int finest = std::numeric_limits<int>::max();  // no number has a lower bit

  void add(double x) {
    lowest = std::min(lowest, x);
    highest = std::max(highest, x);
    if (x != 0.0) finest = std::min(finest, lowest_bit(x));
  }
  void add(const Extent& other) {
    lowest = std::min(lowest, other.lowest), highest = std::max(highest, other.highest);
    finest = std::min(finest, other.finest);
  }
  double reach() const { return std::max(std::abs(lowest), std::abs(highest)); }
};

// The bits that are free for one number when `n_terms` of them are to be added.
inline int free_bits(double n_terms) { return sum_bits - top_bit(n_terms); }

// The scale on which every number is exact, if it needs at most `exact_bits`; else the finest scale with so many `bits`
// around `centre`, from which no number is further away than `half`.
inline Scale choose_scale(const Extent& extent, double centre, double half, int exact_bits, int bits) {
  if (extent.reach() == 0.0) return {};
  if (top_bit(extent.reach()) - extent.finest <= exact_bits) return {0.0, std::ldexp(1.0, extent.finest), true};
  return {centre, std::ldexp(1.0, std::max(top_bit(half) - bits, -1074)), false};
}

// Weights are positive and have no centre. A positive weight never becomes zero: its rows would vanish from their node.
struct WeightScale : Scale {
  Fixed fixed(double weight) const { return std::max<Fixed>(1, Scale::fixed(weight)); }
};

inline WeightScale weight_scale(const Extent& extent, int bits) {
  return {choose_scale(extent, 0.0, extent.reach(), bits, bits)};
}

// The bits that are free for the heaviest row. If all rows might weigh that much, they are those that are free for one
// of `n_rows` numbers. Where that leaves the lightest row with few steps, the weights are added up to see how many
// more bits there are. `each` calls its argument with every weight. Whole numbers are added: their order does not
// matter.
template <class Each>
int free_weight_bits(const Extent& extent, double n_rows, Each&& each) {
  constexpr double few_steps = 1024;
  const int bits = free_bits(n_rows);
  const WeightScale scale = weight_scale(extent, bits);
  if (scale.exact || extent.lowest >= few_steps * scale.unit) return bits;
  Fixed total = 0;
  each([&](double weight) { total += scale.fixed(weight); });
  return bits + sum_bits - 1 - top_bit(static_cast<double>(total));
}

template <class Each>
WeightScale choose_weight_scale(const Extent& extent, double n_rows, Each&& each) {
  return weight_scale(extent, free_weight_bits(extent, n_rows, each));
}

// How far apart some numbers lie and how heavy their rows are, at most. In a node where either has shrunk this much
// since the scale was chosen, a scale that rounds is too coarse, and a finer one is due.
struct Spread {
  double numbers = 0.0;
  double weights = 0.0;
  bool much_less_than(const Spread& other) const {
    return numbers < other.numbers / 256 || weights < other.weights / 256;
  }
};

}  // namespace arboretum
