// Variables: what may stand in a sum, as standardised numbers: a numeric column, or whether a nominal column has one
// level. A missing value counts as the mean of the known ones. Of a nominal column with few levels, every level
// present but the most frequent one is a variable; ordered columns, and numbers too large, too small or too close for
// sums, are left out.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/questions/threshold.hpp"
#include "core/search/node_table.hpp"
#include "core/search/responses.hpp"

namespace arboretum {

inline constexpr std::size_t most_variables = 50;  // if there are more, those that the targets go with best
inline constexpr std::size_t most_levels = 16;     // of a nominal column that takes part

struct Standard {
  double mean = 0.0, deviation = 1.0;
  double reach = 0.0;  // no number is further from zero
};

struct Variable {
  Term term{};
  Standard standard{};
  std::vector<double> values{};  // standardised, of the rows that are looked at
  double association = 0.0;
};

// The values of a column as numbers, by position; NaN where they are missing.
inline void read_numbers(const ColumnView& column, std::span<const Row> rows, std::vector<double>& numbers) {
  numbers.resize(rows.size());
  with_type(column.type, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const T value = column.value<T>(rows[i]);
      numbers[i] =
          column.missing(rows[i], value) ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(value);
    }
  });
}

// Nothing where the numbers cannot stand in a sum: they are infinite, do not vary, or do so far too little for their
// size; or they are so large or small that coefficients in their unit would leave the range of doubles.
inline std::optional<Standard> standard_of(std::span<const double> numbers, std::span<const double> weights) {
  constexpr double largest = 1e120, least = 1e-120, least_spread = 1e-7;
  double total = 0.0, sum = 0.0, reach = 0.0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isnan(numbers[i])) continue;
    reach = std::max(reach, std::abs(numbers[i]));
    total += weights[i], sum += weights[i] * numbers[i];
  }
  if (!(reach < largest) || total == 0.0) return std::nullopt;
  const double mean = sum / total;
  double squares = 0.0;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isnan(numbers[i])) squares += weights[i] * (numbers[i] - mean) * (numbers[i] - mean);
  const double deviation = std::sqrt(squares / total);
  if (!(deviation > least) || !(deviation > least_spread * reach)) return std::nullopt;
  return Standard{to_digits(mean, 12), deviation, reach};  // so that the order of rows does not show
}

// The levels of a nominal column that are present, ascending, without the heaviest; none if they are too many.
inline std::vector<std::int32_t> levels_but_one(std::span<const double> numbers, std::span<const double> weights) {
  std::vector<std::pair<std::int32_t, double>> present;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isnan(numbers[i])) continue;
    const auto level = static_cast<std::int32_t>(numbers[i]);
    auto found = std::ranges::find(present, level, &std::pair<std::int32_t, double>::first);
    if (found == present.end()) {
      if (present.size() == most_levels) return {};
      found = present.insert(found, {level, 0.0});
    }
    found->second += weights[i];
  }
  std::ranges::sort(present);
  std::vector<std::int32_t> levels;
  const auto heaviest = std::ranges::max_element(present, {}, &std::pair<std::int32_t, double>::second);
  for (auto it = present.begin(); it != present.end(); ++it)
    if (it != heaviest) levels.push_back(it->first);
  return levels;
}

// How much of the targets a variable, or its square, tells by itself: the larger share of their variance.
inline double association_of(std::span<const double> values, const Responses& responses) {
  double best = 0.0;
  const auto n = static_cast<double>(responses.size());
  for (const bool squared : {false, true}) {
    auto value = [&](std::size_t i) { return squared ? values[i] * values[i] : values[i]; };
    double mean = 0.0, variance = 0.0, told = 0.0;
    for (std::size_t i = 0; i < responses.size(); ++i) mean += responses.weights[i] * value(i) / n;
    for (std::size_t i = 0; i < responses.size(); ++i)
      variance += responses.weights[i] * (value(i) - mean) * (value(i) - mean) / n;
    if (!(variance > 0.0)) continue;
    if (responses.classes()) {
      std::vector<double> sums(responses.n_classes), weights(responses.n_classes);
      for (std::size_t i = 0; i < responses.size(); ++i) {
        sums[responses.labels[i]] += responses.weights[i] * (value(i) - mean);
        weights[responses.labels[i]] += responses.weights[i];
      }
      for (std::uint32_t k = 0; k < responses.n_classes; ++k)
        if (weights[k] > 0.0) told += sums[k] * sums[k] / weights[k] / n;
    } else {
      for (std::size_t i = 0; i < responses.size(); ++i)
        told += responses.weights[i] * (value(i) - mean) * responses.numbers[i] / n;
      told *= told;
    }
    best = std::max(best, told / variance);
  }
  return best;
}

// Keeps the best variables there is room for, in the order of their columns.
class VariableList {
 public:
  VariableList(const Responses& responses, bool crowded) : responses_{responses}, crowded_{crowded} {}

  void add(Variable variable) {
    ++n_offered_;
    if (crowded_) variable.association = association_of(variable.values, responses_);
    if (variables_.size() == most_variables) {
      const auto weakest = std::ranges::min_element(variables_, {}, &Variable::association);
      if (!(variable.association > weakest->association)) return;
      variables_.erase(weakest);
    }
    variables_.push_back(std::move(variable));
  }
  // How many variables came for each that was kept.
  double offered_for_each() const {
    return static_cast<double>(n_offered_) / static_cast<double>(std::max<std::size_t>(variables_.size(), 1));
  }
  std::vector<Variable> take() { return std::move(variables_); }

 private:
  const Responses& responses_;
  bool crowded_;
  std::size_t n_offered_ = 0;
  std::vector<Variable> variables_;
};

template <Criterion C>
VariableList variables_of(const NodeTable<C>& table, std::span<const Row> sample, const Responses& responses) {
  const std::vector<std::uint8_t>& usable = table.options.oblique.usable;
  std::vector<double> weights, numbers, indicator;
  for (const auto& target : table.targets) weights.push_back(static_cast<double>(target.weight));
  std::size_t room = 0;  // for all that might come
  for (const std::uint32_t column : table.columns)
    room += table.coded[column].kind == Kind::nominal ? most_levels - 1 : 1;
  VariableList list{responses, room > most_variables};

  auto offer = [&](std::span<const double> from, Term term) {
    const std::optional<Standard> standard = standard_of(from, weights);
    if (!standard) return;
    term.fill = standard->mean;
    Variable variable{.term = term, .standard = *standard};
    variable.values.reserve(sample.size());
    for (const Row position : sample) {
      const double number = from[position];
      variable.values.push_back(std::isnan(number) ? 0.0 : (number - standard->mean) / standard->deviation);
    }
    list.add(std::move(variable));
  };

  for (const std::uint32_t column : table.columns) {
    const Kind kind = table.coded[column].kind;
    if (kind == Kind::ordered || (!usable.empty() && !usable[column])) continue;
    table.interrupt.poll();
    read_numbers(table.data.columns[column], table.rows, numbers);
    if (kind == Kind::numeric) {
      offer(numbers, {.column = column, .kind = QuestionKind::linear});
      continue;
    }
    for (const std::int32_t level : levels_but_one(numbers, weights)) {
      indicator = numbers;
      for (double& x : indicator)
        if (!std::isnan(x)) x = x == level ? 1.0 : 0.0;
      offer(indicator, {.column = column, .kind = QuestionKind::levels, .level = level});
    }
  }
  return list;
}

}  // namespace arboretum
