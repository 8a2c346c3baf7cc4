#include "core/questions/sorted_threshold.hpp"

namespace arboretum {

std::optional<Split> best_cut_of_two(std::span<const SortedRow> rows, std::span<const std::uint8_t> is_second,
                                     Row all_ones, const Limits& limits, double score_to_beat) {
  constexpr double safe = 1 - 1e-9;  // far more than rounding, as long as the products below are exact: to 9e7 rows
  constexpr std::size_t block = 32;
  const auto all = static_cast<Fixed>(rows.size());
  const auto real_all = static_cast<double>(all), real_ones = static_cast<double>(all_ones);
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
      if (!limits.allow_side(static_cast<Row>(n), n) || !limits.allow_side(static_cast<Row>(all - n), all - n))
        continue;
      const Wide d = Wide{ones} * all - Wide{n} * all_ones;
      const double score = per_product(static_cast<double>(2 * d * d), n, all - n);
      if (better(score, best)) best = score, to_beat = std::max(to_beat, best * safe), best_cut = i;
    }
  }
  if (best < 0.0) return std::nullopt;
  Split split{.score = best, .cut = rows[best_cut].code, .next = rows[best_cut + 1].code};
  split.left_weight = static_cast<Fixed>(best_cut + 1);
  return split;
}

}  // namespace arboretum
