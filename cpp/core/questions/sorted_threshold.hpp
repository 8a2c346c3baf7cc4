// The best threshold of rows that lie in the order of their values, none of them missing. Nothing is copied into buckets.
// Words: glance (a cheap estimate of a cut's score that passes over all cuts which cannot win; the others are scored as
// everywhere, so the answer is the same).
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "core/criteria/criterion.hpp"
#include "core/questions/contest.hpp"
#include "core/sources/sorted_column.hpp"

namespace arboretum {

inline auto describe_cut(std::span<const SortedRow> rows, std::size_t i) {
  return [=](Split& split) {
    split.kind = QuestionKind::threshold;
    split.cut = rows[i].code, split.next = rows[i + 1].code;
  };
}

template <Criterion C>
std::optional<Split> best_sorted_threshold(Contest<C>& contest, std::span<const SortedRow> rows,
                                           std::span<const typename C::Target> targets) {
  typename C::Sweep cut{contest.criterion, contest.node};
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    cut.pass(targets.subspan(rows[i].position, 1));
    if (rows[i].code != rows[i + 1].code) contest.offer(cut, describe_cut(rows, i));
  }
  return contest.take_best();
}

// Two classes, where every row counts 1: `is_second` tells by position which of the two a row has, `all_ones` how many have
// the second; monotone constraints are for others to keep. A cut that scores less than `score_to_beat` may be missed. With d = ones N - n Ones the score is 2 d^2 / (n (N - n)), the same number that a Sweep finds.
inline std::optional<Split> best_cut_of_two(std::span<const SortedRow> rows, std::span<const std::uint8_t> is_second,
                                            Row all_ones, const Limits& limits, double score_to_beat) {
  constexpr double safe = 1 - 1e-9;  // far more than rounding, as long as the products below are exact: to 9e7 rows
  constexpr std::size_t block = 32;
  const auto all = static_cast<Fixed>(rows.size());
  const auto real_all = static_cast<double>(all), real_ones = static_cast<double>(all_ones);
  const Fixed least = std::max<Fixed>(limits.min_leaf_rows, limits.min_leaf_weight);
  double best = -1.0, to_beat = score_to_beat > 0.0 ? score_to_beat * safe : -1.0;
  std::size_t best_cut = 0;
  auto hopeful = [&](double n, double ones) {
    const double d = ones * real_all - n * real_ones;
    return 2 * d * d > to_beat * (n * (real_all - n));
  };
  Row ones = 0;
  for (std::size_t begin = 0, end = 0; begin + 1 < rows.size(); begin = end) {
    end = std::min(begin + block, rows.size() - 1);
    Row more = 0;
    for (std::size_t i = begin; i < end; ++i) more += is_second[rows[i].position];
    // The score is convex: no cut of the block is better than the corners between which they all lie.
    const auto first = static_cast<double>(begin), last = static_cast<double>(end), low = static_cast<double>(ones),
               step = static_cast<double>(more);
    if (!hopeful(last, low + step) && !hopeful(first + step, low + step) && !hopeful(last - step, low)) {
      ones += more;
      continue;
    }
    for (std::size_t i = begin; i < end; ++i) {
      ones += is_second[rows[i].position];
      if (rows[i].code == rows[i + 1].code || !hopeful(static_cast<double>(i + 1), ones)) continue;
      const auto n = static_cast<Fixed>(i + 1);
      if (n < least || all - n < least) continue;
      const Wide d = Wide{ones} * all - Wide{n} * all_ones;
      const double score = per_product(static_cast<double>(2 * d * d), n, all - n);
      if (score > best) best = score, to_beat = std::max(to_beat, best * safe), best_cut = i;
    }
  }
  if (best < 0.0) return std::nullopt;
  Split split{.score = best, .cut = rows[best_cut].code, .next = rows[best_cut + 1].code};
  split.left_weight = static_cast<Fixed>(best_cut + 1);
  return split;
}

}  // namespace arboretum
