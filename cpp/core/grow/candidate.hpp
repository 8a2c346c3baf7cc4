// Candidate: the best question of one column in one node, with all the numbers that columns compete by.
// Words: gain (the impurity decrease, for the share of the rows whose value is known), ratio (gain / split information),
// information (of the answer: the entropy of the children's weights), merit (what the chosen strategy compares; between
// columns, divided by the cost of the column).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <optional>
#include <vector>

#include "core/criteria/entropy.hpp"
#include "core/grow/split.hpp"
#include "core/options.hpp"

namespace arboretum {

struct Candidate : Split {
  double gain = 0.0;
  double ratio = 0.0;
  double merit = 0.0;
};

// Entropy of weights in bits, with F(w) = w log2 w: (F(W) - sum F(w)) / W. It takes weights as the whole numbers that stand
// for them, so that their unit makes no difference.
class Information {
 public:
  void add(Fixed weight) {
    if (weight <= 0) return;
    const double term = Entropy::term(weight);
    total_ += weight, sum_ += term;
    if (weight > largest_) others_ += largest_term_, largest_ = weight, largest_term_ = term;
    else others_ += term;
  }
  double bits() const {
    if (total_ == largest_) return 0.0;
    const double all = static_cast<double>(total_), bits = std::max(0.0, Entropy::term(total_) - sum_) / all;
    if (bits >= 1e-8) return bits;
    // Nearly all the weight L is in one part, and the difference has few digits left. With R the weight of the others,
    // F(L + R) - F(L) = R log2 W + L log2(1 + R / L).
    const double rest = static_cast<double>(total_ - largest_), most = static_cast<double>(largest_);
    return (rest * std::log2(all) + most * std::log1p(rest / most) / std::numbers::ln2 - others_) / all;
  }

 private:
  Fixed total_ = 0, largest_ = 0;
  double sum_ = 0.0, largest_term_ = 0.0, others_ = 0.0;  // of F: of all parts, of the largest, of all but that
};

// Scores of two parts of the same rows are exact; ratios, gains of different rows and sums over many parts are rounded.
inline double tie_factor(const GrowOptions& options) {
  const bool rounded = options.ratio.decides || options.leaves_aside() || options.nominal == Nominal::multiway;
  return rounded ? rounding : 1.0;
}

// Which columns may win by gain ratio: those that gain at least as much as the average. Columns of very many levels gain
// much by chance; C4.5 leaves them out of the average, unless there are no others.
class RatioGuard {
 public:
  RatioGuard(Guard guard, Row n_table_rows) : guard_{guard}, many_{0.3 * n_table_rows} {}

  // `n_levels` is 0 for columns that are not nominal.
  void add(double gain, std::uint32_t n_levels) {
    sum_ += gain, n_ += 1.0;
    if (n_levels < many_) sum_few_ += gain, n_few_ += 1.0;
  }
  double least_gain() const {
    if (guard_ == Guard::none || n_ == 0.0) return 0.0;
    if (guard_ == Guard::average) return sum_ / n_ / rounding;
    return (n_few_ > 0.0 ? sum_few_ / n_few_ : sum_ / n_) - 1e-3;
  }

 private:
  Guard guard_;
  double many_;
  double sum_ = 0.0, n_ = 0.0, sum_few_ = 0.0, n_few_ = 0.0;
};

// A question that stands in for another where its value is missing.
struct SurrogateSplit : Split {
  bool flipped = false;  // codes up to and including the cut go right
  Fixed agreeing = 0;
  double agreement = 0.0, adjusted = 0.0;
  Row n_sent = 0;  // rows that it sent when the tree was grown
};

// The question that a node asks, with the runners-up; surrogates are found just before the node is divided.
struct ChosenSplit : Candidate {
  bool missing_stays = false;  // rows that nothing can send go no further
  std::vector<Candidate> competitors{};
  std::vector<SurrogateSplit> surrogates{};
};

// Puts the best of the runners-up in order and lets the others go.
inline void rank_competitors(ChosenSplit& chosen, const GrowOptions& options) {
  std::erase_if(chosen.competitors, [](const Candidate& candidate) { return candidate.gain <= 0.0; });
  std::ranges::stable_sort(chosen.competitors, std::ranges::greater{}, &Candidate::merit);
  if (chosen.competitors.size() > options.competitors) chosen.competitors.resize(options.competitors);
}

// Picks the winner, the first among equals, and the best of the others.
inline std::optional<ChosenSplit> choose(std::vector<std::optional<Candidate>> candidates, const Dataset& data,
                                         const GrowOptions& options) {
  RatioGuard guard{options.ratio.decides ? options.ratio.guard : Guard::none, data.n_rows};
  for (auto& candidate : candidates) {
    if (!candidate) continue;
    candidate->merit /= options.cost(candidate->column);
    const ColumnView& column = data.columns[candidate->column];
    guard.add(candidate->gain, column.kind == Kind::nominal ? column.n_levels : 0);
  }
  const double least_gain = guard.least_gain();
  const double slack = tie_factor(options);
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
    if (candidate) chosen.competitors.push_back(std::move(*candidate));
  rank_competitors(chosen, options);
  return chosen;
}

}  // namespace arboretum
