// The best threshold of rows that lie in the order of their values, none of them missing. Nothing is copied into buckets.
// Words: glance (a cheap estimate of a cut's score that passes over all cuts which cannot win; the others are scored as
// everywhere, so the answer is the same).
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "core/criteria/gini.hpp"
#include "core/grow/sorted_column.hpp"
#include "core/questions/contest.hpp"

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

// Two classes, where every row counts 1: `is_second` tells by position which of the two a row has.
// With d = ones N - n Ones the score is 2 d^2 / (n (N - n)).
inline std::optional<Split> best_sorted_threshold_of_two(Contest<Gini>& contest, std::span<const SortedRow> rows,
                                                         std::span<const std::uint8_t> is_second) {
  constexpr double safe = 1 - 1e-9;  // far more than rounding
  constexpr std::size_t block = 32;
  const ClassNode& node = contest.node;
  const auto all = static_cast<double>(node.total.weight),
             all_ones = static_cast<double>(node.total.counts[node.present.back()]);
  Gini::Sweep cut{contest.criterion, node};
  ClassCounts left{node.total.counts.size()};
  double to_beat = contest.best_score() * safe;
  auto hopeful = [&](double n, double ones) {
    const double d = ones * all - n * all_ones;
    return 2 * d * d > to_beat * (n * (all - n));
  };
  std::uint32_t ones = 0;
  const std::size_t n_cuts = rows.size() - 1;
  for (std::size_t begin = 0, end = 0; begin < n_cuts; begin = end) {
    end = std::min(begin + block, n_cuts);
    std::uint32_t more = 0;
    for (std::size_t i = begin; i < end; ++i) more += is_second[rows[i].position];
    // The score is convex: no cut of the block is better than the corners between which they all lie.
    const auto first = static_cast<double>(begin), last = static_cast<double>(end), low = ones + 0.0, step = more + 0.0;
    const bool any = hopeful(last, low + step) || hopeful(first + step, low + step) || hopeful(last - step, low) ||
                     hopeful(first, low);
    for (std::size_t i = begin; any && i < end; ++i) {
      ones += is_second[rows[i].position];
      if (rows[i].code == rows[i + 1].code || !hopeful(static_cast<double>(i + 1), ones)) continue;
      left.counts[node.present.front()] = static_cast<Fixed>(i + 1 - ones), left.counts[node.present.back()] = ones;
      left.weight = static_cast<Fixed>(i + 1), left.n_rows = static_cast<Row>(i + 1);
      cut.place(left);
      contest.offer(cut, describe_cut(rows, i));
      to_beat = contest.best_score() * safe;
    }
    if (!any) ones += more;
  }
  return contest.take_best();
}

}  // namespace arboretum
