// just_enough: of levels that differ in size only, those that make a side of a cut large enough and no heavier than it
// must be. A score is convex along such levels, so the best cut among them lies as near to either end as the limits
// allow.
#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "core/questions/contest.hpp"

namespace arboretum {

struct SideSize {
  Fixed weight = 0;
  Row n_rows = 0;

  auto operator<=>(const SideSize&) const = default;
  SideSize& operator+=(const SideSize& other) {
    weight += other.weight, n_rows += other.n_rows;
    return *this;
  }
  friend SideSize operator+(SideSize a, const SideSize& b) { return a += b; }
};

// Sums of sizes that are not large enough yet, each with the level that was added last and the sum before it.
class SizeSums {
 public:
  SizeSums(const SideSize& have, const Limits& limits) : limits_{limits}, sums_{{have, 0, 0}} {}

  bool enough(const SideSize& size) const { return limits_.allow_side(size.n_rows, size.weight); }

  // Adds the level to every sum. Sums of equal size serve equally well: one of them is kept.
  void add(std::size_t level, const SideSize& size) {
    const std::size_t n_sums = sums_.size();
    for (std::size_t s = 0; s < n_sums && n_steps_ < most_steps; ++s, ++n_steps_) {
      const Sum sum{sums_[s].size + size, level, s};
      if (is_found_ && sum.size.weight >= lightest_.size.weight) continue;
      if (enough(sum.size)) lightest_ = sum, is_found_ = true;
      else if (seen_.insert(sum.size).second) sums_.push_back(sum);
    }
  }

  // The levels of the lightest sum that is large enough; none if there was no time to find one.
  std::vector<std::size_t> lightest() const {
    std::vector<std::size_t> levels;
    if (!is_found_) return levels;
    levels.push_back(lightest_.level);
    for (std::size_t s = lightest_.before; s > 0; s = sums_[s].before) levels.push_back(sums_[s].level);
    return levels;
  }

 private:
  struct Sum {
    SideSize size;
    std::size_t level, before;
  };
  static constexpr std::size_t most_steps = 100'000;

  const Limits& limits_;
  std::vector<Sum> sums_;
  std::set<SideSize> seen_;
  Sum lightest_{};
  bool is_found_ = false;
  std::size_t n_steps_ = 0;
};

// Places in `sizes` of the levels to add to a side that has `have` and is not large enough; with all of them it is.
// The answer depends on the sizes only, not on the order in which they come.
inline std::vector<std::size_t> just_enough(std::span<const SideSize> sizes, const SideSize& have,
                                            const Limits& limits) {
  std::vector<std::size_t> ascending(sizes.size());
  std::iota(ascending.begin(), ascending.end(), std::size_t{0});
  std::ranges::stable_sort(ascending, {}, [&](std::size_t level) { return sizes[level]; });
  SizeSums sums{have, limits};
  SideSize alike = have;  // with as many levels of the size at hand as were added
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const SideSize& size = sizes[ascending[i]];
    if (i == 0 || size != sizes[ascending[i - 1]]) alike = have;
    else if (sums.enough(alike)) continue;  // no side needs more of them
    sums.add(ascending[i], size), alike += size;
  }
  std::vector<std::size_t> chosen = sums.lightest();
  if (!chosen.empty()) return chosen;
  for (SideSize side = have; chosen.empty() || !sums.enough(side); ascending.pop_back())  // the heaviest first
    chosen.push_back(ascending.back()), side += sizes[ascending.back()];
  return chosen;
}

}  // namespace arboretum
