// Elimination: a slope over fewer and fewer axes, so that sums become short. Each step leaves out the axis without
// which the sum changes least, in least squares, and the others take over what they can of it. The slopes on the way
// down are a ladder.
#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/search/cloud.hpp"
#include "core/search/dense.hpp"

namespace arboretum {

inline std::size_t n_terms(const Slope& slope) {
  return static_cast<std::size_t>(std::ranges::count_if(slope, [](double b) { return b != 0.0; }));
}

// With P the inverse of the covariances, the nearest sum without axis j is b - P_j b_j / P_jj, at a distance of
// b_j^2 / P_jj; and P becomes P - P_j P_j' / P_jj.
class Elimination {
 public:
  Elimination(Square inverse, Slope slope) : inverse_{std::move(inverse)}, slope_{std::move(slope)} {
    for (std::size_t j = 0; j < slope_.size(); ++j) kept_.push_back(j);
  }
  const Slope& slope() const { return slope_; }
  std::size_t size() const { return kept_.size(); }

  // Another slope over the axes that are left.
  void settle(Slope slope) { slope_ = std::move(slope); }

  void drop_one() {
    const auto least = std::ranges::min_element(
        kept_, {}, [&](std::size_t j) { return slope_[j] * slope_[j] / std::max(inverse_(j, j), tiny); });
    const std::size_t out = *least;
    const std::vector<double> line(inverse_.row(out).begin(), inverse_.row(out).end());
    const double own = std::max(line[out], tiny), step = slope_[out] / own;
    kept_.erase(least), slope_[out] = 0.0;
    for (const std::size_t i : kept_) {
      slope_[i] -= line[i] * step;
      for (const std::size_t j : kept_) inverse_(i, j) -= line[i] * line[j] / own;
    }
  }

 private:
  static constexpr double tiny = 1e-300;  // instead of nothing, where rounding has left nothing

  Square inverse_;
  std::vector<std::size_t> kept_;
  Slope slope_;
};

// Slopes of at most `most` terms, of about three quarters of them, and so on down to two.
inline std::vector<Slope> ladder_of(const Square& inverse, const Slope& from, std::size_t most) {
  std::vector<Slope> ladder;
  Elimination elimination{inverse, from};
  for (std::size_t size = std::min(most, n_terms(from)); size >= 2; size -= std::max<std::size_t>(1, size / 4)) {
    while (elimination.size() > size) elimination.drop_one();
    ladder.push_back(elimination.slope());
  }
  return ladder;
}

}  // namespace arboretum
