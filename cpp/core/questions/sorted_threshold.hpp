// The best threshold of rows that lie in the order of their values, none of them missing. Nothing is copied into
// buckets.
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

// For criteria whose score of two classes is 2 d^2 / (n (N - n)), with d = ones N - n Ones, where every row counts 1.
// `is_second` tells by position which of the two classes a row has, `all_ones` how many have the second. Constraints
// are not looked at, and a cut that scores less than `score_to_beat` may be missed. The score is the one that a Sweep
// finds.
std::optional<Split> best_cut_of_two(std::span<const SortedRow> rows, std::span<const std::uint8_t> is_second,
                                     Row all_ones, const Limits& limits, double score_to_beat);

}  // namespace arboretum
