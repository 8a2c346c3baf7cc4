// Sum terms: a slope as a person reads it, in the units of the columns and with few significant digits. The most
// important term comes first and has the coefficient 1, so that the bound is in its unit.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/options.hpp"
#include "core/questions/term.hpp"
#include "core/questions/threshold.hpp"
#include "core/search/cloud.hpp"
#include "core/search/variables.hpp"

namespace arboretum {

inline constexpr int all_digits = 17;

// So many significant digits, where that takes one exact operation; else x itself.
inline double in_digits(double x, int digits) {
  if (x == 0.0 || !std::isfinite(x) || digits >= all_digits) return x;
  const int zeros = static_cast<int>(std::floor(std::log10(std::abs(x)))) + 1 - digits;  // before the point
  if (zeros <= 0 || zeros > 22) return to_digits(x, digits);
  double power = 1.0;
  for (int i = 0; i < zeros; ++i) power *= 10.0;  // exact up to 10^22
  return std::nearbyint(x / power) * power;
}

struct SumTerms {
  std::vector<Term> terms{};
  double reach = 0.0;  // no sum, nor any part of it, is further from zero
};

// The terms of a slope over standardised variables; none if the coefficients are not numbers.
inline SumTerms terms_of(std::span<const Variable> variables, const Slope& slope, int digits) {
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < slope.size(); ++j)
    if (slope[j] != 0.0) order.push_back(j);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t j) { return std::abs(slope[j]); });
  SumTerms sum;
  for (const std::size_t j : order) {
    const std::size_t first = order.front();
    const Standard& own = variables[j].standard;
    const double unit = variables[first].standard.deviation / own.deviation;
    Term term = variables[j].term;
    term.coefficient = j == first ? 1.0 : in_digits(slope[j] / slope[first] * unit, digits);
    if (term.coefficient == 0.0) continue;
    sum.reach += std::abs(term.coefficient) * own.reach;
    sum.terms.push_back(term);
  }
  return std::isfinite(sum.reach) ? sum : SumTerms{};
}

// The shortest number in the middle half between two sums; anywhere between them if thresholds are round.
inline double bound_between(double low, double high, Thresholds thresholds) {
  const double plain = threshold_between(low, high, {thresholds}).real;
  if (thresholds == Thresholds::observed || thresholds == Thresholds::round) return plain;
  const double quarter = high / 4 - low / 4;
  for (int digits = 1; digits < 15; ++digits) {
    const double bound = in_digits(plain, digits) + 0.0;
    if (bound >= low + quarter && bound <= high - quarter && bound >= low && bound < high) return bound;
  }
  return plain;
}

}  // namespace arboretum
