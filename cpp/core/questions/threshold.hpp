// Threshold: x <= t. The buckets are taken in the order of their values; a cut lies between two neighbours.
// Missing rows are tried on both sides: `apart` leaves them on the right, `along` takes them to the left.
// Words: Foresees (criteria that find the worth of all cuts of a column at once; to that end they keep the rows of every
// node in the order of their targets).
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

#include "core/options.hpp"
#include "core/questions/contest.hpp"
#include "core/sources/buckets.hpp"
#include "core/sources/sorted_column.hpp"

namespace arboretum {

template <Criterion C>
std::optional<Split> best_threshold(Contest<C>& contest, const Buckets<typename C::Target>& buckets) {
  typename C::Sweep apart{contest.criterion, contest.node}, along{contest.criterion, contest.node};
  const bool any_missing = !buckets.missing().empty();
  if (any_missing) along.pass(buckets.missing());
  for (std::size_t b = 0; b + 1 < buckets.size(); ++b) {
    auto describe = [&](bool missing_left) {
      return [&, missing_left](Split& split) {
        split.kind = QuestionKind::threshold;
        split.missing_left = missing_left, split.missing_seen = any_missing;
        split.cut = buckets.code(b), split.next = buckets.code(b + 1);
      };
    };
    apart.pass(buckets[b]);
    contest.offer(apart, describe(false));
    if (!any_missing) continue;
    along.pass(buckets[b]);
    contest.offer(along, describe(true));
  }
  if (any_missing) offer_missing(contest, buckets.missing());
  return contest.take_best();
}

template <class C>
concept Foresees = requires { typename C::Foresight; };

struct NoForesight {};
template <class C>
struct ForesightOf {
  using type = NoForesight;
};
template <Foresees C>
struct ForesightOf<C> {
  using type = typename C::Foresight;
};

// The same for rows in the order of their values, where the criterion can foresee all cuts at once, `apart` and `along`.
// False, and nothing is offered, if it cannot do so in this node.
template <Criterion C>
  requires Foresees<C>
bool offer_foreseen(Contest<C>& contest, std::span<const SortedRow> rows, Code missing_code,
                    typename C::Foresight& apart, typename C::Foresight& along) {
  using Missing = typename C::Foresight::Missing;
  const auto n_present =
      static_cast<Row>(std::ranges::lower_bound(rows, missing_code, {}, &SortedRow::code) - rows.begin());
  const Row n_missing = static_cast<Row>(rows.size()) - n_present;
  if (!apart.foresee(contest.node, rows, n_missing, Missing::right, contest.wants_values())) return false;
  if (n_missing > 0 && !along.foresee(contest.node, rows, n_missing, Missing::left, contest.wants_values()))
    return false;
  Wide best = -1;  // the largest gain that the contest has taken; who does not exceed it need not be shown
  auto offer = [&](const auto& cuts, Row n, bool missing_left) {
    if (cuts.gain(n) <= best) return;
    contest.offer(cuts.cut(n), [&](Split& split) {
      split.kind = QuestionKind::threshold;
      split.missing_left = missing_left, split.missing_seen = n_missing > 0;
      split.cut = rows[n - 1].code, split.next = rows[n].code;
      best = cuts.gain(n);
    });
  };
  for (Row n = 1; n < n_present; ++n) {
    if (rows[n - 1].code == rows[n].code) continue;
    offer(apart, n, false);
    if (n_missing > 0) offer(along, n, true);
  }
  if (n_missing > 0) contest.offer_unordered(along.cut(0), ask_missing);
  return true;
}

inline std::int64_t floor_of(double t) {
  if (t < -0x1p63) return std::numeric_limits<std::int64_t>::min();
  if (t >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::floor(t));
}

// The largest double that is not above the integer.
inline double round_down(std::int64_t integer) {
  const auto real = static_cast<double>(integer);
  const bool above = real >= 0x1p63 || static_cast<std::int64_t>(real) > integer;
  return above ? std::nextafter(real, -std::numeric_limits<double>::infinity()) : real;
}

// The number with so many significant decimal digits that is nearest to x; x itself where that takes more than one exact
// operation (very large and very small numbers).
inline double to_digits(double x, int digits) {
  static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (x == 0.0 || !std::isfinite(x)) return x;
  const int after_point = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(x))));
  if (after_point < 0 || after_point > 22) return x;
  return std::nearbyint(x * powers[after_point]) / powers[after_point];  // both exact below 2^53: rounded once
}

template <class T>
ThresholdValue threshold_between(T low, T high, Thresholds thresholds) {
  if constexpr (std::is_floating_point_v<T>) {
    const double a = low, b = high;
    double middle = (a + b) / 2;
    if (!std::isfinite(middle)) middle = a / 2 + b / 2;
    // The midpoint of 77.8 and 78.1 is 77.95 for a reader, and 77.94999999999999 in binary: what is shown shall be what
    // is used. As many digits as the type can tell apart, if they still separate the two.
    const double tidy = to_digits(middle, std::is_same_v<T, float> ? 8 : 15);
    if (tidy >= a && tidy < b) middle = tidy;
    // The midpoint may round up to `high`, or not exist beside an infinity; then `low` itself separates the two.
    const double real = thresholds == Thresholds::observed || !(middle >= a && middle < b) ? a : middle;
    return {real + 0.0, floor_of(real)};  // 0.0 for both zeros, whichever row came first
  } else {
    const auto a = static_cast<std::int64_t>(low);
    const std::uint64_t gap = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    if (thresholds == Thresholds::observed) return {round_down(a), a};
    const std::int64_t floor = a + static_cast<std::int64_t>(gap / 2);
    const double real = round_down(floor);
    const bool half = gap % 2 == 1 && std::abs(real) < 0x1p51;  // above that a double has no halves
    return {half ? real + 0.5 : real, floor};
  }
}

}  // namespace arboretum
