// The choice: which of several questions wins. One order for ties everywhere: larger merit, lower column, larger score,
// earlier cut. Questions are tried in that order wherever possible, so that a later one wins only if it is `better`.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "core/dataset.hpp"
#include "core/grow/candidate.hpp"
#include "core/log_terms.hpp"
#include "core/options.hpp"

namespace arboretum {

// Numbers that differ by no more than this factor are equal but for rounding.
inline constexpr double rounding = 1 + 1e-12;

// Does a later question beat the best so far?
inline bool better(double merit, double best, double slack = 1.0) { return merit > best * slack; }

// The slack between columns. Scores of two parts of the same rows are exact; ratios, gains of different rows and sums
// over many parts are rounded.
inline double tie_factor(const GrowOptions& options) {
  const bool rounded = options.ratio.decides || options.leaves_aside() || options.nominal == Nominal::multiway;
  return rounded ? rounding : 1.0;
}

// The one place where the best question of a column gets the number by which it competes with those of other columns.
// Scores compare cuts of the same rows; where columns leave different rows aside, gains do. What is gained by chance has
// been taken off all three.
inline double worth_of(const GrowOptions& options, double score, double gain, double ratio) {
  return options.ratio.decides ? ratio : options.leaves_aside() ? gain : score;
}

// The worth, divided by the cost of the column.
inline double merit_of(const GrowOptions& options, std::uint32_t column, double worth) {
  return worth / options.cost(column);
}

// Split information: the entropy of the children's weights in bits, with F(w) = w log2 w: (F(W) - sum F(w)) / W. It
// takes weights as the whole numbers that stand for them, so that their unit makes no difference.
class Information {
 public:
  void add(Fixed weight) {
    if (weight <= 0) return;
    const double term = log_term(weight);
    total_ += weight, sum_ += term;
    if (weight > largest_) others_ += largest_term_, largest_ = weight, largest_term_ = term;
    else others_ += term;
  }
  double bits() const {
    if (total_ == largest_) return 0.0;
    const double all = static_cast<double>(total_), bits = std::max(0.0, log_term(total_) - sum_) / all;
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

// Which columns may win by gain ratio: those that gain at least as much as the average. Columns of very many levels
// gain much by chance; C4.5 leaves them out of the average, unless there are no others.
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

// The winner among the best questions of the columns, in the order of the columns; null if none may win. An entrant
// has a column and a corrected gain; merit(entrant) is asked only of those whose gain is large enough.
template <class Entrant, class Merit>
const Entrant* winner_of(std::span<const Entrant> entrants, const Dataset& data, const GrowOptions& options,
                         Merit&& merit) {
  RatioGuard guard{options.ratio.decides ? options.ratio.guard : Guard::none, data.n_rows};
  for (const Entrant& entrant : entrants) {
    const ColumnView& column = data.columns[entrant.column];
    guard.add(entrant.corrected, column.kind == Kind::nominal ? column.n_levels : 0);
  }
  const double least_gain = guard.least_gain(), slack = tie_factor(options);
  const Entrant* winner = nullptr;
  double most = 0.0;
  for (const Entrant& entrant : entrants) {
    if (!(entrant.corrected >= least_gain)) continue;
    const double own = merit(entrant);
    if (winner == nullptr || better(own, most, slack)) winner = &entrant, most = own;
  }
  return winner;
}

// Puts the best of the runners-up in order and lets the others go.
void rank_competitors(ChosenSplit& chosen, const GrowOptions& options);

// Picks the winner, and keeps the best of the others as competitors.
std::optional<ChosenSplit> choose(std::vector<std::optional<Candidate>> candidates, const Dataset& data,
                                  const GrowOptions& options);

// Where the columns are chosen outside: the question of the first that has one. `best_of` finds that of a column; the
// questions of all others are competitors.
template <class BestOf>
std::optional<ChosenSplit> first_of(std::span<const std::uint32_t> chosen, std::span<const std::uint32_t> columns,
                                    const GrowOptions& options, BestOf&& best_of) {
  std::optional<ChosenSplit> first;
  for (const std::uint32_t column : chosen) {
    if (std::optional<Candidate> found = best_of(column)) first.emplace(ChosenSplit{*std::move(found)});
    if (first) break;
  }
  if (!first || options.competitors == 0) return first;
  for (const std::uint32_t column : columns)
    if (column != first->column)
      if (std::optional<Candidate> found = best_of(column)) first->competitors.push_back(*std::move(found));
  rank_competitors(*first, options);
  return first;
}

}  // namespace arboretum
