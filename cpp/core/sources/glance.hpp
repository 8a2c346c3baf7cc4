// Glance: a quick look at a column of a small node. It tells whether any cut may reach the best score so far; only then is
// the column swept. Where no quick look is known, every column is swept.
//   look(targets, order, n)     once per node: its rows in any order
//   may_reach(list, from, to, best)  the column's rows in order; cuts after the rows [from, to). Equal values are not told
//                                    apart: a cut between them may call for a sweep in vain, but none is missed.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>

#include "core/sources/criteria.hpp"

namespace arboretum {

using Place = std::uint8_t;
inline constexpr std::uint32_t most_places = 256;

template <class C, class S>
struct Glance {
  static constexpr bool known = false;
};

// Squared error: the score is W^2 z^2 / (w (W - w)), z the sum left of the cut of targets centred at the node's mean. Here z
// is summed in doubles; what rounding may hide is added, so that nothing is missed.
template <>
class Glance<SquaredError, UnitSums> {
 public:
  static constexpr bool known = true;

  Glance() {
    for (std::size_t w = 1; w < root_.size(); ++w) root_[w] = 1.0 / std::sqrt(static_cast<double>(w));
  }

  void look(const FastScore<SquaredError, UnitSums>& score, const std::array<UnitSums, most_places>& targets,
            const Place* order, Row n) {
    n_ = n, weight_squared_ = score.weight_squared;
    double size = 0.0;
    for (Row i = 0; i < n; ++i) {
      centred_[order[i]] = real(targets[order[i]].sum) - score.mean;
      size += std::abs(centred_[order[i]]) + std::abs(score.mean);
    }
    noise_ = 1e-13 * size;  // 256 additions, each off by at most 2^-53 of the largest sum
  }

  bool may_reach(const Place* list, Row from, Row to, double best) const {
    double z = 0.0, reach = 0.0;
    for (Row i = 0; i < from; ++i) z += centred_[list[i]];
    for (Row i = from; i < to; ++i) {
      z += centred_[list[i]];
      const double here = (std::abs(z) + noise_) * (root_[i + 1] * root_[n_ - 1 - i]);
      reach = here > reach ? here : reach;
    }
    return reach * reach * weight_squared_ >= best;
  }

 private:
  std::array<double, most_places> centred_;
  std::array<double, most_places + 1> root_{};
  double noise_ = 0.0, weight_squared_ = 0.0;
  Row n_ = 0;
};

// Gini with more than two classes: with l_k rows of class k left of the cut and t_k in the node, the numerator of the score
// is N^2 sum l_k^2 - 2 N n sum l_k t_k + n^2 sum t_k^2, and one more row of class k adds 2 l_k + 1 and t_k to the two sums.
template <std::size_t K>
class Glance<Gini, UnitCounts<K>> {
 public:
  static constexpr bool known = true;

  void look(const FastScore<Gini, UnitCounts<K>>& score, const std::array<UnitCounts<K>, most_places>& targets,
            const Place* order, Row n) {
    n_ = n, total_ = score.total.counts;
    squares_ = 0;
    for (std::uint32_t count : total_) squares_ += Fixed{count} * count;
    for (Row i = 0; i < n; ++i) {
      const auto& own = targets[order[i]].counts;
      std::uint8_t label = 0;
      while (own[label] == 0) ++label;
      label_[order[i]] = label;
    }
  }

  bool may_reach(const Place* list, Row from, Row to, double best) const {
    std::array<std::uint32_t, K> left{};
    Fixed squares = 0, products = 0;
    const Fixed all = n_;
    bool found = false;
    for (Row i = 0; i < to; ++i) {
      const std::size_t k = label_[list[i]];
      squares += 2 * left[k]++ + 1, products += total_[k];
      if (i < from) continue;
      const Fixed n = i + 1, numerator = all * all * squares - n * (2 * all * products - n * squares_);
      found |= real(numerator) * slack >= best * real(n * (all - n));
    }
    return found;
  }

 private:
  std::array<std::uint8_t, most_places> label_;
  std::array<std::uint32_t, K> total_{};
  Fixed squares_ = 0;
  Row n_ = 0;
};

}  // namespace arboretum
