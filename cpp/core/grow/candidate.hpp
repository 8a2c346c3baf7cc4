// Candidate: the best question of one column in one node, with all the numbers that columns compete by.
// Words: gain (the impurity decrease, for the share of the rows whose value is known), ratio (gain / split information),
// information (of the answer: the entropy of the children's weights), merit (what the chosen strategy compares).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/grow/split.hpp"
#include "core/options.hpp"

namespace arboretum {

struct Candidate : Split {
  double gain = 0.0;
  double ratio = 0.0;
  double merit = 0.0;
};

// Entropy of weights in bits. It is summed over shares, so that the unit of weight makes no difference.
class Information {
 public:
  void add(double weight) {
    if (weight > 0.0) total_ += weight, weights_.push_back(weight);
  }
  double bits() const {
    double sum = 0.0;
    for (const double weight : weights_) sum -= weight / total_ * std::log2(weight / total_);
    return sum;
  }

 private:
  double total_ = 0.0;
  std::vector<double> weights_;
};

// Numbers that differ by no more than this factor are equal but for rounding: the first of them wins.
inline constexpr double rounding = 1 + 1e-12;

// Which columns may win by gain ratio: those that gain at least as much as the average. Columns of very many levels gain
// much by chance; C4.5 leaves them out of the average, unless there are no others.
class RatioGuard {
 public:
  RatioGuard(Guard guard, Row n_table_rows) : guard_{guard}, many_{0.3 * n_table_rows} {}

  template <class LevelsOf>
  double least_gain(const std::vector<std::optional<Candidate>>& candidates, LevelsOf&& n_levels_of) const {
    if (guard_ == Guard::none) return 0.0;
    double sum = 0.0, n = 0.0, sum_few = 0.0, n_few = 0.0;
    for (const auto& candidate : candidates) {
      if (!candidate) continue;
      sum += candidate->gain, n += 1.0;
      if (n_levels_of(candidate->column) < many_) sum_few += candidate->gain, n_few += 1.0;
    }
    if (n == 0.0) return 0.0;
    if (guard_ == Guard::average) return sum / n / rounding;
    return (n_few > 0.0 ? sum_few / n_few : sum / n) - 1e-3;
  }

 private:
  Guard guard_;
  double many_;
};

// The question that a node asks, with the runners-up; surrogates are found once the node is divided.
struct SurrogateSplit : Split {
  bool flipped = false;  // codes up to and including the cut go right
  Fixed agreeing = 0;
  double agreement = 0.0, adjusted = 0.0;
  Row n_sent = 0;  // rows that it sent when the tree was grown
};

struct ChosenSplit : Candidate {
  bool missing_stays = false;  // rows that nothing can send go no further
  std::vector<Candidate> competitors{};
  std::vector<SurrogateSplit> surrogates{};
};

// Picks the winner, the first among equals, and the best of the others.
inline std::optional<ChosenSplit> choose(std::vector<std::optional<Candidate>> candidates, const Dataset& data,
                                         const GrowOptions& options) {
  double least_gain = 0.0;
  if (options.ratio.decides)
    least_gain = RatioGuard{options.ratio.guard, data.n_rows}.least_gain(candidates, [&](std::uint32_t column) {
      return data.columns[column].kind == Kind::nominal ? data.columns[column].n_levels : 0;
    });
  // Scores of the same rows are exact; ratios, and gains of different rows, are equal up to rounding.
  const double slack = options.ratio.decides || options.leaves_aside() ? rounding : 1.0;
  std::optional<Candidate>* winner = nullptr;
  for (auto& candidate : candidates)
    if (candidate && candidate->gain >= least_gain &&
        (winner == nullptr || candidate->merit > (*winner)->merit * slack))
      winner = &candidate;
  if (winner == nullptr) return std::nullopt;
  ChosenSplit chosen{std::move(**winner)};
  winner->reset();
  if (options.competitors == 0) return chosen;
  for (auto& candidate : candidates)
    if (candidate && candidate->gain > 0.0) chosen.competitors.push_back(std::move(*candidate));
  std::ranges::stable_sort(chosen.competitors, std::ranges::greater{}, &Candidate::merit);
  if (chosen.competitors.size() > options.competitors) chosen.competitors.resize(options.competitors);
  return chosen;
}

}  // namespace arboretum
