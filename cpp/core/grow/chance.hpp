// Chance: what the questions about a column of L levels gain where the levels say nothing about the target. The more
// levels there are to choose from, the more the best choice gains. With n rows, the question with one answer per level
// is expected to gain (L - 1) / (n - 1) of the impurity: exactly so for Gini impurity and squared error, and no
// question about the same levels gains more. Where a class is rare, gains by chance vary widely: there, the best subset
// and the best single level are charged as if there were fewer rows, n times the bits that tell the class of a row.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/criteria/criterion.hpp"
#include "core/criteria/entropy.hpp"
#include "core/moments.hpp"
#include "core/options.hpp"
#include "core/twofold.hpp"

namespace arboretum {

// What a node tells about chance. Scores are those of its criterion.
struct Chance {
  double whole = 0.0;      // the score of a question that told everything about the target
  double n_rows = 0.0;     // rows of unequal weight count as fewer: (sum w)^2 / sum w^2
  double bits = 1.0;       // that tell the class of a row, at most 1; of numbers 1
  double per_level = 0.0;  // entropy: what each further level scores by chance in a large node, if that is more
  double n_classes = 0.0;  // with rows in the node; 0 for numbers
};

// Whole numbers, so that the order of the rows does not show.
class EffectiveRows {
 public:
  void add(Fixed weight) { sum_ += weight, squares_ += Wide{weight} * weight; }
  void add_units(Row n) { sum_ += n, squares_ += n; }
  EffectiveRows& operator+=(const EffectiveRows& other) {
    sum_ += other.sum_, squares_ += other.squares_;
    return *this;
  }
  double value() const {
    const auto sum = static_cast<double>(sum_);
    return squares_ > 0 ? sum * sum / static_cast<double>(squares_) : 0.0;
  }

 private:
  Fixed sum_ = 0;
  Wide squares_ = 0;
};

// What rows add up to where chance is to be known: their number, and the score of telling all of them apart.
struct ChanceSums {
  EffectiveRows rows;
  Twofold whole;  // of numbers

  ChanceSums& operator+=(const ChanceSums& other) {
    rows += other.rows, whole += other.whole;
    return *this;
  }
};

// `unit` is the decrease of impurity that a score of 1 stands for.
template <class Counts>
Chance chance_of_classes(const Counts& total, double n_rows, double impurity, double unit, double bits_per_class) {
  const auto n_classes = static_cast<double>(n_present(total));
  return {impurity / unit, n_rows, std::min(1.0, Entropy::impurity_of(total)),
          bits_per_class * (n_classes - 1.0) / n_rows / unit, n_classes};
}

// Every row is a part of its own. each_row(read) calls read(weight, weighted target).
template <class OfPart, class EachRow>
ChanceSums sums_of_numbers(const Moments& total, OfPart&& of_part, EachRow&& each_row) {
  ChanceSums sums;
  each_row(
      [&](Fixed weight, Fixed sum) { sums.whole += of_part(total, Moments{weight, sum, 1}), sums.rows.add(weight); });
  return sums;
}
inline Chance chance_of_numbers(const ChanceSums& sums) {
  return {.whole = sums.whole.value(), .n_rows = sums.rows.value()};
}

// What these rows tell, which are those of the node.
template <Criterion C>
Chance chance_of(const C& criterion, const typename C::NodeTargets& node, std::span<const typename C::Target> rows) {
  if constexpr (requires { node.total.sum; }) {
    return chance_of_numbers(sums_of_numbers(node.total, criterion.scoring->of_part, [&](auto&& read) {
      for (const auto& row : rows) read(row.weight, row.weighted);
    }));
  } else {
    EffectiveRows effective;
    for (const auto& row : rows) effective.add(row.weight);
    if constexpr (C::target == TargetKind::classes)
      return chance_of_classes(node.total, effective.value(), criterion.impurity(node), criterion.decrease(1.0, node),
                               criterion.scoring->bits_by_chance);
    else return {.whole = static_cast<double>(node.deviation), .n_rows = effective.value()};
  }
}

// Two answers leave nothing to choose from.
inline bool corrects(const GrowOptions& options, const ColumnView& column) {
  if (!options.correct_levels || column.kind != Kind::nominal) return false;
  return column.n_seen + (column.some_missing && !options.leaves_aside() ? 1 : 0) > 2;
}
inline bool corrects_any(const GrowOptions& options, const Dataset& data) {
  return std::ranges::any_of(data.columns, [&](const ColumnView& column) { return corrects(options, column); });
}

// What the best question about so many levels scores by chance; missing values count as a level.
inline double score_by_chance(const GrowOptions& options, const Chance& chance, std::size_t n_levels) {
  const bool nothing_to_gain = !(chance.whole > 0.0) || !(chance.bits > 0.0);
  if (nothing_to_gain || !(chance.n_rows > 1.0)) return std::numeric_limits<double>::infinity();
  const auto levels = static_cast<double>(n_levels);
  // Of L single levels, the best is the largest of L numbers with a chi-square distribution, about 2 log L.
  const bool single = options.nominal == Nominal::one_vs_rest && chance.n_classes > 0.0;
  const double choices = single ? std::min(levels - 1.0, 2.0 * std::log(levels)) : levels - 1.0;
  const double bits = options.nominal == Nominal::multiway ? 1.0 : chance.bits;
  const double sparse = 1.0 + (levels + 1.0) * (chance.n_classes + 1.0) / (6.0 * chance.n_rows);  // Williams 1976
  return choices * std::max(chance.whole / ((chance.n_rows - 1.0) * bits), chance.per_level * sparse);
}

// Is a score more than chance, and more than rounding?
inline bool beats_chance(double score, double by_chance) { return by_chance == 0.0 || score > by_chance * (1 + 1e-9); }

}  // namespace arboretum
