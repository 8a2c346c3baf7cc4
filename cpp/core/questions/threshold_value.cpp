#include "core/questions/threshold_value.hpp"

#include <cmath>
#include <limits>

#include "core/questions/rounding.hpp"

namespace arboretum {

std::int64_t floor_of(double t) {
  if (t < -0x1p63) return std::numeric_limits<std::int64_t>::min();
  if (t >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::floor(t));
}

double to_digits(double x, int digits) {
  static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (x == 0.0 || !std::isfinite(x)) return x;
  const int after_point = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(x))));
  if (after_point < 0 || after_point > 22) return x;
  return std::nearbyint(x * powers[after_point]) / powers[after_point];  // both exact below 2^53: rounded once
}

namespace {

// The largest double that is not above the integer.
double round_down(std::int64_t integer) {
  const auto real = static_cast<double>(integer);
  const bool above = real >= 0x1p63 || static_cast<std::int64_t>(real) > integer;
  return above ? std::nextafter(real, -std::numeric_limits<double>::infinity()) : real;
}

template <class T>
ThresholdValue between_reals(T low, T high, const CutRule& rule) {
  const double a = low, b = high;
  double middle = (a + b) / 2;
  if (!std::isfinite(middle)) middle = a / 2 + b / 2;
  // The midpoint of 77.8 and 78.1 is 77.95 for a reader, and 77.94999999999999 in binary: what is shown shall be what
  // is used. As many digits as the type can tell apart, if they still separate the two.
  const double tidy = to_digits(middle, std::is_same_v<T, float> ? 8 : 15);
  if (tidy >= a && tidy < b) middle = tidy;
  // The midpoint may round up to `high`, or not exist beside an infinity; then `low` itself separates the two.
  double real = rule.thresholds == Thresholds::observed || !(middle >= a && middle < b) ? a : middle;
  if (rule.thresholds == Thresholds::round) real = shortest_between(low, high, real);
  return {real + 0.0, floor_of(real)};  // 0.0 for both zeros, whichever row came first
}

ThresholdValue whole(std::int64_t floor) { return {round_down(floor), floor}; }

}  // namespace

ThresholdValue threshold_between(float low, float high, const CutRule& rule) { return between_reals(low, high, rule); }
ThresholdValue threshold_between(double low, double high, const CutRule& rule) {
  return between_reals(low, high, rule);
}
ThresholdValue threshold_between(std::int64_t low, std::int64_t high, const CutRule& rule) {
  if (rule.thresholds == Thresholds::observed) return whole(low);
  if (rule.thresholds == Thresholds::round && rule.round != nullptr && !rule.round->steps.empty())
    return whole(shortest_between(low, high, *rule.round));
  const std::uint64_t gap = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::int64_t floor = low + static_cast<std::int64_t>(gap / 2);
  const double real = round_down(floor);
  const bool half = gap % 2 == 1 && std::abs(real) < 0x1p51;  // above that a double has no halves
  return {half ? real + 0.5 : real, floor};
}

ThresholdValue threshold_between_rows(const ColumnView& column, Row low, Row high, const CutRule& rule) {
  return with_type(column.type, [&]<class T>(std::type_identity<T>) {
    return threshold_between(column.value<T>(low), column.value<T>(high), rule);
  });
}

ThresholdValue threshold_between_keys(const ColumnView& column, Key low, Key high, const CutRule& rule) {
  if (column.kind != Kind::numeric)
    return threshold_between(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high), rule);
  return with_type(column.type, [&]<class T>(std::type_identity<T>) {
    return threshold_between(value_of<T>(low), value_of<T>(high), rule);
  });
}

}  // namespace arboretum
