// Moments: the summary of real targets. Weight, weighted sum and number of rows; adds and subtracts exactly.
#pragma once
#include <cstdint>
#include <span>

#include "core/dataset.hpp"
#include "core/fixed_point.hpp"

namespace arboretum {

// What a row contributes.
struct RealTarget {
  Fixed weight;
  Fixed weighted;  // weight * (y - centre), rounded once
};

struct Moments {
  Fixed weight = 0;
  Fixed sum = 0;
  Row n_rows = 0;

  void add(const RealTarget& target) { weight += target.weight, sum += target.weighted, ++n_rows; }
  Moments& operator+=(const Moments& other) {
    weight += other.weight, sum += other.sum, n_rows += other.n_rows;
    return *this;
  }
  Moments& operator-=(const Moments& other) {
    weight -= other.weight, sum -= other.sum, n_rows -= other.n_rows;
    return *this;
  }

  // sum_left * weight - sum * weight_left, without rounding: how far the left mean lies from the node's, times both
  // weights. Zero exactly when the means are equal, and of equal size for a cut and its mirror image.
  Wide deviation(const Moments& left) const { return Wide{left.sum} * weight - Wide{sum} * left.weight; }
};

// How weights and products became integers.
struct RealScale {
  WeightScale weight;
  Scale product;
  Spread spread;
  bool exact() const { return weight.exact && product.exact; }
  double mean(const Moments& s) const {
    return product.centre + static_cast<double>(s.sum) * product.unit / (static_cast<double>(s.weight) * weight.unit);
  }
};

enum class Centre : std::uint8_t { middle, zero };  // Poisson needs sums of y itself

inline RealScale encode(const Targets& source, std::span<const Row> rows, std::span<RealTarget> targets, Centre where) {
  Extent weights, numbers, products;
  if (source.weights.empty()) {
    for (Row row : rows) numbers.add(source.numbers[row]);
    weights.add(1.0), products = numbers;
  } else {
    for (Row row : rows) {
      const double w = source.weight(row), y = source.numbers[row];
      weights.add(w), numbers.add(y);
      products.add(w * y);
      if (y != 0.0)
        products.finest = std::min(products.finest, lowest_bit(w) + lowest_bit(y));  // w * y may have rounded
    }
  }
  const auto n_rows = static_cast<double>(rows.size());
  const double centre = where == Centre::zero ? 0.0 : numbers.lowest / 2 + numbers.highest / 2;
  const double half = std::max(numbers.highest - centre, centre - numbers.lowest);
  const int bits = free_weight_bits(weights, n_rows, [&](auto&& read) {
    for (Row row : rows) read(source.weight(row));
  });
  const RealScale scale{weight_scale(weights, bits),
                        choose_scale(products, centre, half * weights.highest, free_bits(n_rows), bits),
                        {half, weights.highest}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double w = source.weight(rows[i]), y = source.numbers[rows[i]];
    const double product = w * (y - scale.product.centre);
    auto weighted = static_cast<Fixed>(std::llrint(product / scale.product.unit));
    if (where == Centre::zero && y > 0.0)
      weighted = std::max<Fixed>(1, weighted);  // an event is an event, however light
    targets[i] = {scale.weight.fixed(w), weighted};
  }
  return scale;
}

// Coarse in either sense: light rows left alone, or targets that lie close together after the far ones have left.
inline bool too_coarse(const RealScale& scale, const Targets& source, std::span<const Row> rows, Centre where) {
  if (scale.exact()) return false;
  Extent numbers;
  Spread spread;
  for (Row row : rows) {
    numbers.lowest = std::min(numbers.lowest, source.numbers[row]);
    numbers.highest = std::max(numbers.highest, source.numbers[row]);
    spread.weights = std::max(spread.weights, source.weight(row));
    spread.numbers = where == Centre::zero ? numbers.highest : numbers.highest / 2 - numbers.lowest / 2;
    if (!spread.much_less_than(scale.spread)) return false;  // more rows can only spread further
  }
  return true;
}

}  // namespace arboretum
