// The best question about the levels of a nominal column in the fast source, against the best question so far.
#pragma once
#include <cstdint>
#include <optional>

#include "core/grow/chance.hpp"
#include "core/options.hpp"
#include "core/questions/levels.hpp"
#include "core/sources/fast_criterion.hpp"
#include "core/sources/fast_split.hpp"

namespace arboretum {

template <class C, class S>
void ask_levels(const FastCriterion<C, S>& criterion, const GrowOptions& options, const ColumnView& view,
                const FastNode<C, S>& node, const NodeLevels<FastCriterion<C, S>>& levels, std::uint32_t column,
                const Limits& limits, Interrupt& interrupt, FastSplit<S>& best) {
  using Criterion = FastCriterion<C, S>;
  const std::size_t n_levels = levels.codes.size() + (levels.missing ? 1 : 0);
  const double by_chance = corrects(options, view) ? score_by_chance(options, node.chance, n_levels) : 0.0;
  if (by_chance > node.chance.whole) return;  // a column of single rows is never asked
  Contest<Criterion> contest{criterion, node, limits, interrupt};
  LevelQuestions<Criterion> questions{contest, levels};
  const double cost = options.cost(column);
  const double to_beat = best.found && options.bounds ? criterion.surely_below(best.bar(cost, by_chance), node) : 0.0;
  std::optional<Split> found = options.nominal == Nominal::subset
                                   ? questions.best_subset(options.max_exhaustive_levels, to_beat)
                                   : questions.best_one_vs_rest();
  if (!found || !beats_chance(found->score, by_chance)) return;
  found->by_chance = by_chance;
  S left{};
  for (std::size_t b = 0; b < found->levels.size(); ++b)
    if (found->levels[b].second == 0) left += levels.buckets[b];
  if (levels.missing && found->missing_left) left += *levels.missing;
  best.merge(std::move(found), column, cost, left);
}

}  // namespace arboretum
