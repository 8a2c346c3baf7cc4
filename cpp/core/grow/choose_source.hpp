// Which source grows a tree, for one criterion. grow.cpp compiles it for those of the registry.
#pragma once
#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>

#include "core/grow/grow.hpp"
#include "core/sources/count_source.hpp"
#include "core/sources/fast_search.hpp"
#include "core/sources/fast_summary.hpp"
#include "core/sources/grow_from_sources.hpp"
#include "core/taken_table.hpp"

namespace arboretum {
namespace detail {

// The fast source, if it has a summary for these targets.
template <class C>
std::optional<Tree> try_fast(const GrowInput& input, const C& criterion) {
  std::optional<Tree> tree;
  with_fast_summary<C>(input.targets.n_classes, !input.targets.weights.empty(), [&]<class S>(std::type_identity<S>) {
    tree = grow_fast(input, fast_form<S>(criterion, input.options));
  });
  return tree;
}

// Tables of nominal columns, level by level.
template <class C>
std::optional<Tree> try_counts(const GrowInput& input) {
  std::optional<Tree> tree;
  if constexpr (C::target == TargetKind::classes) {
    auto grow_by = [&]<class S>(std::type_identity<S>) { tree = grow_by_counting(input, count_scoring<S, C>()); };
    if (input.targets.n_classes <= 2) grow_by(std::type_identity<TwoCounts>{});
    else with_counts<2, UnitCounts>(input.targets.n_classes, grow_by);
  }
  return tree;
}

}  // namespace detail

// More classes than the largest summary holds, medians, fixed buckets, and all that looks beyond the best two-way
// split are left to the plain source; rows in parts, and questions about several columns or several levels of the
// tree, to the one for parts.
template <class C>
Tree grow(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
          Interrupt& interrupt, std::span<const Row> sample) {
  constexpr ReportedImpurity impurity = reported_impurity<C>();
  const GrowInput input{data, targets, options, impurity, interrupt, sample};
  const bool exact = options.max_bins == std::numeric_limits<std::uint32_t>::max();
  const bool multiway = options.nominal == Nominal::multiway;
  const bool of_table = !sample.empty() && options.thresholds == Thresholds::table;  // of the sample, as a table
  std::optional<Tree> tree;
  if (options.fast && exact && !multiway && !options.searches() && !options.leaves_aside() && !options.ratio.decides &&
      options.competitors == 0 && !options.choose_columns && !of_table)
    tree = detail::try_fast(input, criterion);
  if (!tree && !sample.empty()) {
    const TakenTable taken{data, targets, sample};
    return grow(taken.data(), taken.targets(), criterion, options, interrupt);
  }
  if (options.fast && multiway && !options.searches() && !options.choose_columns) tree = detail::try_counts<C>(input);
  if (tree) return *std::move(tree);
  if (options.divides_rows() || options.searches()) return grow_in_parts<typename C::Plain>(input, criterion);
  return grow_plainly<typename C::Plain>(input, criterion);
}

}  // namespace arboretum
