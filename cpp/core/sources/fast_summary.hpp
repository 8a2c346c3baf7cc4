// Which summary holds the targets of a node in the fast source.
#pragma once
#include <cstddef>
#include <type_traits>

#include "core/criteria/bound.hpp"
#include "core/criteria/criterion.hpp"
#include "core/summaries.hpp"

namespace arboretum {

// Calls use(type) with the smallest summary of at least `least` classes that holds n of them. False if none does.
template <std::size_t least, template <std::size_t> class Counts, class Use>
bool with_counts(std::size_t n_classes, Use&& use) {
  if constexpr (least <= 8)
    if (n_classes <= 8) return use(std::type_identity<Counts<8>>{}), true;
  if (n_classes <= 32) return use(std::type_identity<Counts<32>>{}), true;
  return false;
}

// The same for the targets of a criterion: so many classes, or numbers. False if it has no summary for them.
template <class C, class Use>
bool with_fast_summary(std::size_t n_classes, bool weighted, Use&& use) {
  if constexpr (C::target == TargetKind::classes) {
    if (!weighted) {
      if constexpr (C::least_classes <= 8)
        if (n_classes <= 2) return use(std::type_identity<TwoCounts>{}), true;
      if constexpr (C::least_classes <= 2) {
        if (n_classes <= 4) return use(std::type_identity<UnitCounts<4>>{}), true;
        if (n_classes > 8 && n_classes <= 16) return use(std::type_identity<UnitCounts<16>>{}), true;
      }
      return with_counts<C::least_classes, UnitCounts>(n_classes, use);
    }
    if constexpr (C::least_classes <= 2)
      if (n_classes <= 2) return use(std::type_identity<WeightCounts<2>>{}), true;
    return with_counts<C::least_classes, WeightCounts>(n_classes, use);
  } else {
    if constexpr (ScoresFast<C, UnitSums>)
      if (!weighted) return use(std::type_identity<UnitSums>{}), true;
    if constexpr (ScoresFast<C, Sums>) return use(std::type_identity<Sums>{}), true;
  }
  return false;
}

}  // namespace arboretum
