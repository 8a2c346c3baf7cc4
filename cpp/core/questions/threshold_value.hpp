// The t of x <= t: where it lies between two values, and the comparison itself.
#pragma once
#include <cstdint>
#include <type_traits>

#include "core/dataset.hpp"
#include "core/keys.hpp"
#include "core/options.hpp"

namespace arboretum {

// A threshold in the two forms in which values are compared with it, both rounded down, so that x <= t is decided
// exactly for values of any type: as a double for real numbers, as an integer for integers. Below -2^63 there is no
// integer to round down to: `floor` is then the lowest one, and `real` says that no integer is at most t.
struct ThresholdValue {
  double real = 0.0;
  std::int64_t floor = 0;
};

// The one rule for x <= t about values; while a tree grows, codes stand for values (grow/row_to_child.hpp).
template <class T>
bool is_at_most(T value, const ThresholdValue& threshold) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<double>(value) <= threshold.real;
  else return static_cast<std::int64_t>(value) <= threshold.floor && threshold.real >= -0x1p63;
}

std::int64_t floor_of(double t);

// The number with so many significant decimal digits that is nearest to x; x itself where that takes more than one
// exact operation (very large and very small numbers).
double to_digits(double x, int digits);

// The threshold between two neighbouring values.
ThresholdValue threshold_between(float low, float high, const CutRule& rule);
ThresholdValue threshold_between(double low, double high, const CutRule& rule);
ThresholdValue threshold_between(std::int64_t low, std::int64_t high, const CutRule& rule);
template <class T>
  requires std::is_integral_v<T>
ThresholdValue threshold_between(T low, T high, const CutRule& rule) {
  return threshold_between(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high), rule);
}

// The same for the values of two rows.
ThresholdValue threshold_between_rows(const ColumnView& column, Row low, Row high, const CutRule& rule);

// The same for the values that two keys of a column stand for.
ThresholdValue threshold_between_keys(const ColumnView& column, Key low, Key high, const CutRule& rule);

}  // namespace arboretum
