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

// What a scale is chosen from. It adds up over parts of the rows, in any order.
struct TargetExtents {
  Extent weights, numbers, products;

  void add(double y) { weights.add(1.0), numbers.add(y), products.add(y); }
  void add(double w, double y) {
    weights.add(w), numbers.add(y), products.add(w * y);
    if (y != 0.0) products.finest = std::min(products.finest, lowest_bit(w) + lowest_bit(y));  // w * y may have rounded
  }
  void add(const TargetExtents& other) {
    weights.add(other.weights), numbers.add(other.numbers), products.add(other.products);
  }
};

// `each` is that of free_weight_bits.
template <class Each>
RealScale choose_real_scale(const TargetExtents& extents, double n_rows, Centre where, Each&& each) {
  const auto& [weights, numbers, products] = extents;
  const double centre = where == Centre::zero ? 0.0 : numbers.lowest / 2 + numbers.highest / 2;
  const double half = std::max(numbers.highest - centre, centre - numbers.lowest);
  const int bits = free_weight_bits(weights, n_rows, each);
  return {weight_scale(weights, bits),
          choose_scale(products, centre, half * weights.highest, free_bits(n_rows), bits),
          {half, weights.highest}};
}

inline RealTarget fixed_target(const RealScale& scale, double w, double y, Centre where) {
  const double product = w * (y - scale.product.centre);
  auto weighted = static_cast<Fixed>(std::llrint(product / scale.product.unit));
  if (where == Centre::zero && y > 0.0) weighted = std::max<Fixed>(1, weighted);  // an event is an event, however light
  return {scale.weight.fixed(w), weighted};
}

inline RealScale encode(const Targets& source, std::span<const Row> rows, std::span<RealTarget> targets, Centre where) {
  TargetExtents extents;
  if (source.weights.empty()) {
    for (Row row : rows) extents.add(source.numbers[row]);
  } else {
    for (Row row : rows) extents.add(source.weight(row), source.numbers[row]);
  }
  const RealScale scale = choose_real_scale(extents, static_cast<double>(rows.size()), where, [&](auto&& read) {
    for (Row row : rows) read(source.weight(row));
  });
  for (std::size_t i = 0; i < rows.size(); ++i)
    targets[i] = fixed_target(scale, source.weight(rows[i]), source.numbers[rows[i]], where);
  return scale;
}

// How far apart these targets lie.
inline Spread spread_of(const TargetExtents& extents, Centre where) {
  const auto& [lowest, highest, finest] = extents.numbers;
  return {where == Centre::zero ? highest : highest / 2 - lowest / 2, extents.weights.highest};
}

// Coarse in either sense: light rows left alone, or targets that lie close together after the far ones have left.
inline bool too_coarse(const RealScale& scale, const Spread& spread) {
  return !scale.exact() && spread.much_less_than(scale.spread);
}

inline bool too_coarse(const RealScale& scale, const Targets& source, std::span<const Row> rows, Centre where) {
  if (scale.exact()) return false;
  TargetExtents seen;
  for (Row row : rows) {
    seen.numbers.lowest = std::min(seen.numbers.lowest, source.numbers[row]);
    seen.numbers.highest = std::max(seen.numbers.highest, source.numbers[row]);
    seen.weights.highest = std::max(seen.weights.highest, source.weight(row));
    if (!too_coarse(scale, spread_of(seen, where))) return false;  // more rows can only spread further
  }
  return true;
}

}  // namespace arboretum
