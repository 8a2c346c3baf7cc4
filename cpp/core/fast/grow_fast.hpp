// Which source grows a tree: the fast one where it knows the summaries, else the plain one. Both give the same tree.
#pragma once
#include "core/fast/fast_source.hpp"
#include "core/grow/grow.hpp"
#include "core/grow/grow_tree.hpp"

namespace arboretum {

template <class S, Criterion C>
Tree grow_with(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
               Interrupt& interrupt) {
  const FastCriterion<C, S> fast{criterion};
  FastSource<C, S> source{data, targets, fast, options, interrupt};
  const std::vector<TreeNode> nodes = grow_nodes(source, fast, options, interrupt);
  return report(nodes, targets, criterion, options, source);
}

// Each summary costs compile time for each criterion, so there are only a few sizes; more classes than the largest, medians
// and fixed buckets are left to the plain source.
template <class C>
Tree grow(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
          Interrupt& interrupt) {
  const bool exact = options.max_bins == std::numeric_limits<std::uint32_t>::max();
  if (options.fast && exact) {
    if constexpr (C::target == TargetKind::classes) {
      const bool unit = targets.weights.empty();
      if (targets.n_classes <= 2 && unit) return grow_with<TwoCounts>(data, targets, criterion, options, interrupt);
      if (targets.n_classes <= 8 && unit) return grow_with<UnitCounts<8>>(data, targets, criterion, options, interrupt);
      if (targets.n_classes <= 32 && unit)
        return grow_with<UnitCounts<32>>(data, targets, criterion, options, interrupt);
      if (targets.n_classes <= 2) return grow_with<WeightCounts<2>>(data, targets, criterion, options, interrupt);
      if (targets.n_classes <= 8) return grow_with<WeightCounts<8>>(data, targets, criterion, options, interrupt);
      if (targets.n_classes <= 32) return grow_with<WeightCounts<32>>(data, targets, criterion, options, interrupt);
    } else if constexpr (requires { FastScore<C, Sums>{Sums{}}; } || requires { FastScore<C, Sums>{Sums{}, 1.0}; }) {
      return grow_with<Sums>(data, targets, criterion, options, interrupt);
    }
  }
  return grow_tree(data, targets, criterion, options, interrupt);
}

}  // namespace arboretum
