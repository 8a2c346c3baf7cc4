#include "core/questions/rounding.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/fixed_point.hpp"

namespace arboretum {
namespace {

// Real numbers

// digits * 10^exponent: how a number is written.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

// The shortest text of a positive number. No number needs more than 17 digits.
Decimal shortest_text(double number) {
  char text[32];
  const char* const end = std::to_chars(text, text + sizeof text, number, std::chars_format::scientific).ptr;
  const char* const exponent = std::find(static_cast<const char*>(text), end, 'e');
  Decimal decimal;
  for (const char* at = text; at != exponent; ++at)
    if (*at != '.') decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*at - '0');
  const char* const power = exponent + (exponent[1] == '+' ? 2 : 1);  // from_chars knows no plus sign
  std::from_chars(power, end, decimal.exponent);
  decimal.exponent -= static_cast<int>(std::max<std::ptrdiff_t>(0, exponent - text - 2));  // digits after the point
  return decimal;
}

// Without a decimal point, which is another one in other languages, strtod reads the same everywhere.
double number_of(const Decimal& decimal) {
  const std::string text = std::to_string(decimal.digits) + "e" + std::to_string(decimal.exponent);
  return std::strtod(text.c_str(), nullptr);
}

template <class T>
bool separates(double t, T low, T high) {
  return t >= static_cast<double>(low) && t < static_cast<double>(high) && static_cast<T>(t) < high;
}

// What lies in the middle where the middle itself does not separate, or is no number: beside an infinity.
template <class T>
double centre_of(T low, T high, double middle) {
  if (std::isfinite(middle) && separates(middle, low, high)) return middle;
  if (std::isfinite(low)) return low;
  return std::nextafter(high, -std::numeric_limits<T>::infinity());
}

// The numbers of up to k digits beside the centre are the only ones to look at: if neither separates, none of k digits
// does. The centre itself separates, so the search ends.
template <class T>
double shortest_real(T low, T high, double middle) {
  if (low <= T{0} && high > T{0}) return 0.0;
  const double centre = centre_of(low, high, middle);
  if (!std::isfinite(centre)) return low;
  const double sign = centre < 0.0 ? -1.0 : 1.0;
  const Decimal exact = shortest_text(std::abs(centre));
  std::uint64_t unit = 1;
  while (unit <= exact.digits / 10) unit *= 10;
  for (; unit > 0; unit /= 10) {
    const std::uint64_t inner = exact.digits / unit * unit, outer = inner == exact.digits ? inner : inner + unit;
    const double near_zero = sign * number_of({inner, exact.exponent}),
                 off_zero = sign * number_of({outer, exact.exponent});
    const bool first = separates(near_zero, low, high), second = separates(off_zero, low, high);
    if (!first && !second) continue;
    if (first != second) return first ? near_zero : off_zero;
    const std::uint64_t inward = exact.digits - inner, outward = outer - exact.digits;
    if (inward != outward) return inward < outward ? near_zero : off_zero;
    return std::min(near_zero, off_zero);
  }
  return centre;
}

// Whole numbers

Wide floor_divide(Wide number, Wide step) { return (number - ((number % step) + step) % step) / step; }

// Everything between two whole numbers; what is round there is asked of a pair of numbers around the middle.
struct Gap {
  Wide low, high;  // high itself does not separate

  Wide twice_middle() const { return low + high; }
  Wide below_middle() const { return floor_divide(twice_middle(), 2); }
  Wide above_middle() const { return twice_middle() - below_middle(); }

  // The nearer of two numbers, one not above the middle and one not below it, that separates.
  std::optional<Wide> nearer(Wide below, Wide above) const {
    const bool first = below >= low, second = above < high;
    if (!first && !second) return std::nullopt;
    if (first != second) return first ? below : above;
    return twice_middle() - 2 * below <= 2 * above - twice_middle() ? below : above;
  }
};

std::optional<Wide> multiple_between(const Gap& gap, Wide step) {
  return gap.nearer(floor_divide(gap.below_middle(), step) * step, -floor_divide(-gap.above_middle(), step) * step);
}

// The multiple of the step whose count has the fewest digits.
std::optional<Wide> shortest_multiple(const Gap& gap, Wide step) {
  if (gap.low <= 0 && gap.high > 0) return Wide{0};
  auto size = [](Wide number) { return number < 0 ? -number : number; };
  const Wide count = std::min(size(gap.below_middle()), size(gap.above_middle())) / step;
  Wide unit = 1;
  while (unit <= count / 10) unit *= 10;
  for (; unit > 0; unit /= 10)
    if (const std::optional<Wide> found = multiple_between(gap, unit * step)) return found;
  return std::nullopt;
}

// The calendar

// Months are counted from the year 0. A year that begins in March ends with the leap day; the months of such a year
// begin (153 m + 2) / 5 days after it.
Wide first_day_of(Wide month) {
  const Wide year = floor_divide(month - 2, 12), m = month - 2 - 12 * year;
  return 365 * year + floor_divide(year, 4) - floor_divide(year, 100) + floor_divide(year, 400) + (153 * m + 2) / 5 -
         719468;
}

Wide month_of(Wide day) {
  Wide month = 1970 * 12 + floor_divide(day * 4800, 146097);  // 4800 months of the calendar have 146097 days
  while (first_day_of(month) > day) --month;
  while (first_day_of(month + 1) <= day) ++month;
  return month;
}

// The first of some n-th month: of every month, or of every January.
std::optional<Wide> month_between(const Gap& gap, Wide n_months, Wide ticks_of_day) {
  const Wide first = floor_divide(month_of(floor_divide(gap.below_middle(), ticks_of_day)), n_months) * n_months;
  const Wide below = first_day_of(first) * ticks_of_day;
  const bool exact = 2 * below == gap.twice_middle();
  return gap.nearer(below, exact ? below : first_day_of(first + n_months) * ticks_of_day);
}

Wide shortest_whole(const Gap& gap, const RoundSteps& round) {
  const Wide longest = round.steps.front();
  std::optional<Wide> found;
  if (round.calendar) {
    found = month_between(gap, 12, longest);
    if (!found) found = month_between(gap, 1, longest);
  } else {
    found = shortest_multiple(gap, longest);
  }
  for (std::size_t i = 0; !found && i < round.steps.size(); ++i) found = multiple_between(gap, round.steps[i]);
  return found.value_or(gap.low);
}

}  // namespace

double shortest_between(float low, float high, double middle) { return shortest_real(low, high, middle); }
double shortest_between(double low, double high, double middle) { return shortest_real(low, high, middle); }

std::int64_t shortest_between(std::int64_t low, std::int64_t high, const RoundSteps& round) {
  const Wide offset = round.offset;
  return static_cast<std::int64_t>(shortest_whole({low + offset, high + offset}, round) - offset);
}

}  // namespace arboretum
