// BlockBound: passes a block of neighbouring rows at once where no cut among them can be worth as much as one already
// known. The score of a cut is a convex function of what lies left of it. A cut inside a block takes none to all of
// its rows of each class: its left side lies in a box whose corners take all rows of some classes, and so it is worth
// no more than the best corner. For other targets no bound is known here, and no block is passed.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/class_counts.hpp"
#include "core/criteria/criterion.hpp"
#include "core/grow/choice.hpp"

namespace arboretum {

template <Criterion C>
class BlockBound {
 public:
  explicit BlockBound(const typename C::NodeTargets&) {}
  static constexpr std::size_t length() { return 1; }
  static constexpr bool passes(typename C::Sweep&, std::span<const typename C::Target>, double) { return false; }
};

template <Criterion C>
  requires(C::target == TargetKind::classes)
class BlockBound<C> {
 public:
  explicit BlockBound(const typename C::NodeTargets& node)
      : node_{node}, block_{node.total.n_classes()}, part_{node.total.n_classes()} {}

  // Of a block, in cuts: 2^k corners for k classes must cost less than they save.
  std::size_t length() const { return std::size_t{16} << std::min<std::size_t>(node_.present.size(), most_classes); }

  // Passes the rows unless a cut among them, or behind them, may be worth `to_beat`.
  bool passes(typename C::Sweep& cut, std::span<const ClassTarget> rows, double to_beat) {
    const std::size_t k = node_.present.size();
    if (k > most_classes || to_beat <= 0.0) return false;
    clear(block_);
    for (const ClassTarget& row : rows) block_.add(row);
    for (std::uint32_t corner = 0; corner < 1u << k; ++corner) {
      clear(part_);
      for (std::size_t i = 0; i < k; ++i) {
        const std::uint32_t label = node_.present[i];
        if (corner >> i & 1) part_.counts[label] = block_.counts[label], part_.weight += block_.counts[label];
      }
      cut.pass(part_);
      const bool divides = cut.weight() > 0 && cut.weight() < node_.fixed_weight();
      const bool may_be_worth_it = divides && cut.score() * rounding >= to_beat;
      cut.take_back(part_);
      if (may_be_worth_it) return false;
    }
    cut.pass(block_);
    return true;
  }

 private:
  static constexpr std::size_t most_classes = 4;

  static void clear(ClassCounts& counts) {
    std::ranges::fill(counts.counts, Fixed{0});
    counts.weight = 0, counts.n_rows = 0;
  }

  const typename C::NodeTargets& node_;
  ClassCounts block_, part_;  // scratch
};

}  // namespace arboretum
