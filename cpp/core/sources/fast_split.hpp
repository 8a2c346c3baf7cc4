// FastSplit: a split with what the fast source needs besides: where exactly the cut lies, and the left summary. Cuts
// are not found in order here, so ties are decided by comparing places (the order is that of grow/choice.hpp).
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/grow/choice.hpp"
#include "core/grow/split.hpp"
#include "core/keys.hpp"

namespace arboretum {

// The place of a cut among the cuts of its column: by code, by key inside a code, missing rows right before left.
struct CutPlace {
  Code code = 0;
  Key key = 0;
  bool missing_left = false;
  auto operator<=>(const CutPlace&) const = default;
};
inline constexpr Key border = ~Key{0};  // the cut after all values of a code

struct FastCut : Split {
  bool found = false;
  bool inside = false;      // the cut lies between two values of code `cut`: compare keys with `low`
  bool has_values = false;  // low and high are known
  bool by_code = false;     // they are codes, not keys
  Key low = 0, high = 0;    // the values beside the cut
  CutPlace place;
  double cost = 1.0;  // of its column

  // Where the fast source can be used, the worth of a question is its score.
  double merit() const { return (score - by_chance) / cost; }

  // What a cut of a column of this cost must score to be as good, if its column scores so much by chance. It may be a
  // little less, but is never more.
  double bar(double other_cost, double other_by_chance = 0.0) const {
    if (other_cost == cost && other_by_chance == by_chance) return score;
    return (merit() * other_cost + other_by_chance) * (1 - 1e-9);
  }

  // For columns that come in ascending order: a later one must be better.
  bool beaten_by(double other_score, std::uint32_t other_column, double other_cost,
                 double other_by_chance = 0.0) const {
    if (!found) return true;
    if (other_column == column) return better(other_score, score);
    return better((other_score - other_by_chance) / other_cost, merit());
  }
  bool beaten_by(double other_score, std::uint32_t other_column, double other_cost, const CutPlace& other,
                 double other_by_chance = 0.0) const {
    if (beaten_by(other_score, other_column, other_cost, other_by_chance)) return true;
    if (other_column == column) return other_score == score && other < place;
    return other_column < column && (other_score - other_by_chance) / other_cost == merit();
  }
};

template <class S>
struct FastSplit : FastCut {
  S left{};

  // Takes a question about levels, or about missing values, if it is better.
  void merge(std::optional<Split> other, std::uint32_t other_column, double other_cost, const S& other_left) {
    if (!other || !beaten_by(other->score, other_column, other_cost, other->by_chance)) return;
    static_cast<Split&>(*this) = *std::move(other);
    column = other_column, cost = other_cost, found = true, inside = has_values = false;
    place = {~Code{0}, border, true};
    left = other_left;
  }
};

}  // namespace arboretum
