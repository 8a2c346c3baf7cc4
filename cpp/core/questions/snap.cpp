#include "core/questions/snap.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/questions/term.hpp"
#include "core/questions/threshold_value.hpp"

namespace arboretum {
namespace {

template <class T>
std::vector<T> sorted_values(const ColumnView& column, Row n_rows) {
  std::vector<T> values;
  for (Row row = 0; row < n_rows; ++row)
    if (const T value = column.value<T>(row); !column.missing(row, value)) values.push_back(value);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// The largest of the values that is not above the threshold, if there is one.
template <class T>
std::optional<ThresholdValue> snapped(const std::vector<T>& values, const ThresholdValue& threshold) {
  const auto above =
      std::partition_point(values.begin(), values.end(), [&](T value) { return is_at_most(value, threshold); });
  if (above == values.begin()) return std::nullopt;
  return threshold_between(*std::prev(above), *std::prev(above), {Thresholds::observed});
}

}  // namespace

void snap_thresholds(Tree& tree, const Dataset& data) {
  std::vector<std::vector<ThresholdPlace>> asked(data.columns.size());
  tree.each_threshold(
      [&](std::int32_t column, ThresholdPlace place) { asked[static_cast<std::size_t>(column)].push_back(place); });
  std::vector<const Dataset*> tables = data.also_seen;
  tables.push_back(&data);
  for (std::size_t c = 0; c < asked.size(); ++c) {
    if (asked[c].empty()) continue;
    std::vector<std::optional<ThresholdValue>> best(asked[c].size());
    for (const Dataset* table : tables) {
      const ColumnView& column = table->columns[c];
      with_type(column.type, [&]<class T>(std::type_identity<T>) {
        const std::vector<T> values = sorted_values<T>(column, table->n_rows);
        for (std::size_t i = 0; i < best.size(); ++i) {
          const std::optional<ThresholdValue> to = snapped(values, {*asked[c][i].real, *asked[c][i].floor});
          const bool higher =
              to && (!best[i] || std::pair{to->real, to->floor} > std::pair{best[i]->real, best[i]->floor});
          if (higher) best[i] = to;
        }
      });
    }
    for (std::size_t i = 0; i < best.size(); ++i)
      if (best[i]) *asked[c][i].real = best[i]->real, *asked[c][i].floor = best[i]->floor;
  }
}

}  // namespace arboretum
