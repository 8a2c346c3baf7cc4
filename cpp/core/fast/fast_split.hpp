// FastSplit: a split with what the fast source needs besides: the left summary, and where exactly the cut lies.
// Cuts are not found in order here, so ties are decided by comparing places: larger score, lower column, earlier cut.
#pragma once
#include <compare>
#include <cstdint>

#include "core/grow/split.hpp"
#include "core/keys.hpp"
#include "core/questions/contest.hpp"

namespace arboretum {

// The place of a cut among the cuts of its column: by code, by key inside a code, missing rows right before left.
struct CutPlace {
  Code code = 0;
  Key key = 0;
  bool missing_left = false;
  auto operator<=>(const CutPlace&) const = default;
};
inline constexpr Key border = ~Key{0};  // the cut after all values of a code

template <class S>
struct FastSplit : Split {
  bool found = false;
  bool inside = false;      // the cut lies between two values of code `cut`: compare keys with `low`
  bool has_values = false;  // low and high are known
  bool by_code = false;     // they are codes, not keys
  Key low = 0, high = 0;    // the values beside the cut
  CutPlace place;
  S left{};

  bool beaten_by(double other_score, std::uint32_t other_column, const CutPlace& other) const {
    if (!found || other_score != score) return !found || other_score > score;
    return other_column != column ? other_column < column : other < place;
  }
};

}  // namespace arboretum
