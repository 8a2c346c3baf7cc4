// Class counts: the summary of classes. One weight per class, and the number of rows; adds and subtracts exactly.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/dataset.hpp"
#include "core/fixed_point.hpp"

namespace arboretum {

// What a row contributes.
struct ClassTarget {
  Fixed weight;
  std::uint32_t label;
};

struct ClassCounts {
  std::vector<Fixed> counts;
  Fixed weight = 0;
  Row n_rows = 0;

  explicit ClassCounts(std::size_t n_classes) : counts(n_classes) {}

  std::size_t n_classes() const { return counts.size(); }
  Fixed count(std::size_t k) const { return counts[k]; }
  Fixed total() const { return weight; }

  void add(const ClassTarget& target) { counts[target.label] += target.weight, weight += target.weight, ++n_rows; }

  ClassCounts& operator+=(const ClassCounts& other) {
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += other.counts[k];
    weight += other.weight, n_rows += other.n_rows;
    return *this;
  }
  ClassCounts& operator-=(const ClassCounts& other) {
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] -= other.counts[k];
    weight -= other.weight, n_rows -= other.n_rows;
    return *this;
  }
};

// How weights became integers.
struct ClassScale : WeightScale {
  Spread spread;
};

template <class Each>
ClassScale choose_class_scale(const Extent& weights, double n_rows, Each&& each) {
  return {choose_weight_scale(weights, n_rows, each), {0.0, weights.highest}};
}

// Writes the targets of some rows on the scale that suits just these rows.
inline ClassScale encode(const Targets& source, std::span<const Row> rows, std::span<ClassTarget> targets) {
  Extent extent;
  auto each = [&](auto&& read) {
    for (Row row : rows) read(source.weight(row));
  };
  each([&](double weight) { extent.add(weight); });
  const ClassScale scale = choose_class_scale(extent, static_cast<double>(rows.size()), each);
  for (std::size_t i = 0; i < rows.size(); ++i)
    targets[i] = {scale.fixed(source.weight(rows[i])), static_cast<std::uint32_t>(source.classes[rows[i]])};
  return scale;
}

inline bool too_coarse(const ClassScale& scale, double heaviest) {
  return !scale.exact && Spread{0.0, heaviest}.much_less_than(scale.spread);
}

inline bool too_coarse(const ClassScale& scale, const Targets& source, std::span<const Row> rows) {
  return !scale.exact &&
         std::all_of(rows.begin(), rows.end(), [&](Row row) { return too_coarse(scale, source.weight(row)); });
}

}  // namespace arboretum
