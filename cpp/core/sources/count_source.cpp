#include "core/sources/count_source.hpp"

#include "core/grow/grow_tree.hpp"
#include "core/sources/grow_from_sources.hpp"

namespace arboretum {

template <class S>
std::optional<Tree> grow_by_counting(const GrowInput& input, const CountScoring<S>& scoring) {
  const auto& [data, targets, options, impurity, interrupt, sample] = input;
  if (!sample.empty()) return std::nullopt;
  if (!CountSource<S>::can_grow(data, targets, options)) return std::nullopt;
  CountSource<S> source{data, targets, scoring, options, interrupt};
  if (source.has_missing() && options.leaves_aside()) return std::nullopt;
  TreeBuilder tree = grow_from(source, options, interrupt);
  return report(std::move(tree), data, targets, impurity, options, source);
}

template std::optional<Tree> grow_by_counting(const GrowInput&, const CountScoring<TwoCounts>&);
template std::optional<Tree> grow_by_counting(const GrowInput&, const CountScoring<UnitCounts<8>>&);
template std::optional<Tree> grow_by_counting(const GrowInput&, const CountScoring<UnitCounts<32>>&);

}  // namespace arboretum
