// Bounds: how the fast source learns that a cut, or a whole bucket of cuts, cannot win, without scoring it. Each
// criterion keeps its own beside its score, as a specialisation of BoundedScore:
//   score(left)                   the same number, to the last bit, as in the plain source
//   may_reach(left, best)         false only if the cut scores less than `best`; no division
//   may_hold(left, bucket, best)  false only if no cut inside the bucket, which lies right of `left`, scores `best`
//   noise()                       only if scores are rounded: how far two equal ones may differ
// A criterion without a bound works as well: every cut is scored.
#pragma once
#include <cstdint>

#include "core/summaries.hpp"

namespace arboretum {

// Bounds err upwards, by more than rounding can.
inline constexpr double slack = 1.0 + 1e-9;

inline double real(Fixed x) { return static_cast<double>(x); }

template <class C, class S>
struct BoundedScore;

// Does criterion C score summaries of type S in the fast source?
template <class C, class S>
concept ScoresFast = requires { sizeof(BoundedScore<C, S>); };

// The gain is convex in the class weights left of the cut, so within the box that a bucket spans it is largest at a
// corner. Of two classes these are the borders of the bucket, and the cuts that take all its rows of one class and
// none of the other.
template <class Score>
bool corner_may_hold(const Score& score, const TwoCounts& left, const TwoCounts& bucket, double best) {
  const std::uint64_t ones = bucket.packed >> 32, zeros = (bucket.packed & 0xffffffffu) - ones;
  return score.reaches(TwoCounts{left.packed + (ones << 32 | ones)}, best) |
         score.reaches(TwoCounts{left.packed + zeros}, best);
}

// A place is the number of a row among the rows of a small node.
using Place = std::uint8_t;
inline constexpr std::uint32_t most_places = 256;

// A glance tells whether any cut of a column of a small node may reach the best score so far; only then is the column
// swept.
//   look(score, targets, order, n)   once per node: its rows in any order
//   may_reach(list, from, to, best)  the column's rows in order; cuts after the rows [from, to). Equal values are not told
//                                    apart: a cut between them may cause a needless sweep, but none is missed.
// A criterion that knows none has every column swept.
template <class C, class S>
struct Glance {
  static constexpr bool known = false;
};

}  // namespace arboretum
