// FastRows: everything that belongs to a row in the fast source, and how its targets become integers.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/grow/column_draw.hpp"
#include "core/interrupt.hpp"
#include "core/options.hpp"
#include "core/sources/coarse_rows.hpp"
#include "core/sources/fast_criterion.hpp"

namespace arboretum {

// More buckets leave less to refine, but each must be swept: measured. Summaries of many classes take longer to sweep.
template <class S>
inline constexpr std::size_t most_buckets = sizeof(S) < 64 ? 2048 : 1024;
template <class S>
inline constexpr std::size_t rows_per_bucket = 65'536 / most_buckets<S>;

// As many buckets or codes as pay off for that many rows.
template <class S>
std::uint32_t n_buckets_for(Row n_rows) {
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(n_rows / rows_per_bucket<S>, 16, most_buckets<S>));
}

// Sorted lists serve one subtree at a time: nodes that wait their turn best-first cannot use them.
inline Row small_limit(const GrowOptions& options) {
  return options.order == Order::depth_first ? std::min<Row>(options.small_limit, most_places) : 0;
}

// Everything that belongs to a row; each node is one contiguous range of all of it. Threads that work on different
// nodes share it. Codes are not worth their while for a handful of rows.
template <class S>
struct FastRows {
  CoarseRows rows;
  std::vector<typename S::Target> targets;

  FastRows(const Dataset& data, const Targets& targets, std::span<const Row> sample, const GrowOptions& options,
           Interrupt& interrupt)
      : rows{data,
             targets,
             sample,
             layout_for(sample.empty() ? data.n_rows : sample.size(), data, options),
             options.n_threads,
             interrupt},
        targets(rows.ids.size()) {}

 private:
  static CoarseLayout layout_for(std::size_t n_rows, const Dataset& data, const GrowOptions& options) {
    return {.by_class = S::sorted_by_class,
            .n_codes = n_rows > small_limit(options) ? n_buckets_for<S>(static_cast<Row>(n_rows)) : 0,
            .lazy = ColumnDraw{options, data.columns.size()}.draws()};
  }
};

// What squares are made of, for the bounds: the target itself where rows count 1, else its square by its weight.
template <class S>
double square_of(const RealTarget& target) {
  if constexpr (std::is_same_v<S, UnitSums>) return real(std::abs(target.weighted));
  else return real(target.weighted) * real(target.weighted) / real(target.weight);
}

template <class S>
typename S::Target fast_target(const RealTarget& plain, const FastScale& scale) {
  if constexpr (std::is_same_v<S, UnitSums>) return plain.weighted;
  else
    return {plain.weighted, static_cast<Fixed>(std::ceil(square_of<S>(plain) / scale.square_unit)) + 1, plain.weight};
}

// One row's target on a scale.
template <class S>
typename S::Target fast_target(const Targets& targets, Row row, const FastScale& scale, Centre centre) {
  using Target = typename S::Target;
  if constexpr (std::is_same_v<Target, std::uint8_t>) {
    return static_cast<Target>(targets.classes[row]);
  } else if constexpr (std::is_same_v<Target, ClassTarget>) {
    return {scale.classes.fixed(targets.weight(row)), static_cast<std::uint32_t>(targets.classes[row])};
  } else {
    return fast_target<S>(fixed_target(scale.numbers, targets.weight(row), targets.numbers[row], centre), scale);
  }
}

// Sets the unit of squares, so that those of all rows may be added; `reach` is the largest square_of.
template <class S>
void set_square_unit(FastScale& scale, double reach, Row n_rows) {
  if constexpr (std::is_same_v<S, UnitSums>) {
    // The squares of all rows must add up to less than 2^62.
    const int room = (62 - top_bit(real(static_cast<Fixed>(n_rows)))) / 2 - 1;
    scale.square_shift = std::max(0, top_bit(reach) - room);
    scale.square_unit = std::ldexp(1.0, 2 * scale.square_shift);
  } else if constexpr (std::is_same_v<S, Sums>) {
    // Units of 2^shift, so that the sum over all rows stays below 2^61.
    const int shift = std::max(0, top_bit(reach) + top_bit(real(static_cast<Fixed>(n_rows))) - 61);
    scale.square_unit = std::ldexp(1.0, shift);
  }
}

// Writes the targets of some rows on the scale that suits just these rows; or on the one that they are given.
template <class S>
FastScale encode_targets(const Targets& targets, Centre centre, std::span<const Row> ids,
                         std::span<typename S::Target> to, const FastScale* given = nullptr) {
  using Target = typename S::Target;
  FastScale scale;
  if (given != nullptr) {
    scale = *given;
    for (std::size_t i = 0; i < ids.size(); ++i) to[i] = fast_target<S>(targets, ids[i], scale, centre);
  } else if constexpr (std::is_same_v<Target, std::uint8_t>) {
    for (std::size_t i = 0; i < ids.size(); ++i) to[i] = static_cast<Target>(targets.classes[ids[i]]);
  } else if constexpr (std::is_same_v<Target, ClassTarget>) {
    scale.classes = encode(targets, ids, to);
  } else {
    std::vector<RealTarget> plain(ids.size());
    scale.numbers = encode(targets, ids, plain, centre);
    double reach = 1.0;
    for (const RealTarget& target : plain) reach = std::max(reach, square_of<S>(target));
    set_square_unit<S>(scale, reach, static_cast<Row>(ids.size()));
    for (std::size_t i = 0; i < ids.size(); ++i) to[i] = fast_target<S>(plain[i], scale);
  }
  return scale;
}

// Is the scale too coarse for these rows? The same rule as in the plain source.
template <class S>
bool is_coarse(const FastScale& scale, const Targets& targets, Centre centre, std::span<const Row> ids) {
  if constexpr (std::is_same_v<typename S::Target, std::uint8_t>) return false;
  else if constexpr (std::is_same_v<typename S::Target, ClassTarget>) return too_coarse(scale.classes, targets, ids);
  else return too_coarse(scale.numbers, targets, ids, centre);
}

}  // namespace arboretum
