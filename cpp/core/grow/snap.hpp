// Snap: thresholds moved down to the nearest value that occurs in the column, as C4.5 does, so that a rule names only values
// that were seen. No row of the table changes sides.
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/dataset.hpp"
#include "core/questions/threshold.hpp"
#include "core/tree.hpp"

namespace arboretum {

template <class T>
std::vector<T> sorted_values(const ColumnView& column, Row n_rows) {
  std::vector<T> values;
  for (Row row = 0; row < n_rows; ++row)
    if (const T value = column.value<T>(row); !column.missing(row, value)) values.push_back(value);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// The largest of the values that is not above the threshold.
template <class T>
ThresholdValue snapped(const std::vector<T>& values, const ThresholdValue& threshold) {
  const auto above = std::partition_point(values.begin(), values.end(), [&](T value) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<double>(value) <= threshold.real;
    else return static_cast<std::int64_t>(value) <= threshold.floor;
  });
  if (above == values.begin()) return threshold;
  return threshold_between(*std::prev(above), *std::prev(above), Thresholds::observed);
}

inline void snap_thresholds(Tree& tree, const Dataset& data) {
  std::vector<std::vector<ThresholdPlace>> asked(data.columns.size());
  tree.each_threshold(
      [&](std::int32_t column, ThresholdPlace place) { asked[static_cast<std::size_t>(column)].push_back(place); });
  for (std::size_t c = 0; c < asked.size(); ++c) {
    const ColumnView& column = data.columns[c];
    if (asked[c].empty()) continue;
    with_type(column.type, [&]<class T>(std::type_identity<T>) {
      const std::vector<T> values = sorted_values<T>(column, data.n_rows);
      for (const ThresholdPlace& place : asked[c]) {
        const ThresholdValue to = snapped(values, {*place.real, *place.floor});
        *place.real = to.real, *place.floor = to.floor;
      }
    });
  }
}

}  // namespace arboretum
