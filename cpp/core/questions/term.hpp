// Term: one part of a question about several columns. A literal, a term of "at least m of: …", holds or not; about a
// missing value neither it nor its negation holds. In a sum a missing value counts as the term's `fill`. So there
// always is an answer.
#pragma once
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/codes.hpp"
#include "core/dataset.hpp"
#include "core/questions/threshold_value.hpp"

namespace arboretum {

enum class QuestionKind : std::uint8_t { leaf, threshold, levels, missing, at_least, linear };

inline bool is_composite(QuestionKind kind) { return kind == QuestionKind::at_least || kind == QuestionKind::linear; }

struct Term {
  std::uint32_t column = 0;
  QuestionKind kind = QuestionKind::threshold;  // threshold: x <= t; levels: x = level; linear: x itself
  bool negated = false;                         // of a literal
  Code cut = 0, next = 0;                       // of x <= t while the tree grows: the codes beside the cut, in the node
  ThresholdValue threshold{};
  std::int32_t level = -1;
  double coefficient = 1.0;  // of a sum
  double fill = 0.0;         // of a sum
};

inline bool holds(const Term& literal, const Dataset& data, Row row) {
  const ColumnView& column = data.columns[literal.column];
  return with_type(column.type, [&]<class T>(std::type_identity<T>) {
    const T value = column.value<T>(row);
    if (column.missing(row, value)) return false;
    const bool is_so = literal.kind == QuestionKind::threshold ? is_at_most(value, literal.threshold)
                                                               : static_cast<std::int64_t>(value) == literal.level;
    return is_so != literal.negated;
  });
}

// A level that the column did not have when the tree was grown is a missing value here: it never comes as far as this.
inline double addend(const Term& term, const Dataset& data, Row row) {
  const ColumnView& column = data.columns[term.column];
  return with_type(column.type, [&]<class T>(std::type_identity<T>) {
    const T value = column.value<T>(row);
    double number = static_cast<double>(value);
    if (column.missing(row, value)) number = term.fill;
    else if (term.kind == QuestionKind::levels) number = static_cast<std::int64_t>(value) == term.level ? 1.0 : 0.0;
    return term.coefficient * number;
  });
}

// Every reader of a tree adds up in this order, so that rounding is the same everywhere.
inline double sum_of(std::span<const Term> terms, const Dataset& data, Row row) {
  double sum = 0.0;
  for (const Term& term : terms) sum += addend(term, data, row);
  return sum;
}

// Which child a row goes to: 0 where at least `bound` literals hold, or the sum is at most `bound`.
inline std::uint32_t answer_of(QuestionKind kind, std::span<const Term> terms, double bound, const Dataset& data,
                               Row row) {
  if (kind == QuestionKind::linear) return sum_of(terms, data, row) <= bound ? 0 : 1;
  std::uint32_t n_true = 0;
  for (const Term& term : terms) n_true += holds(term, data, row);
  return static_cast<double>(n_true) >= bound ? 0 : 1;
}

}  // namespace arboretum
