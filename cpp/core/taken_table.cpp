#include "core/taken_table.hpp"

namespace arboretum {
namespace {

template <class T>
void copy_strided(const std::byte* from, std::ptrdiff_t stride, std::span<const Row> rows, std::byte* to) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::memcpy(to + i * sizeof(T), from + static_cast<std::ptrdiff_t>(rows[i]) * stride, sizeof(T));
}

template <class T>
std::vector<T> taken(std::span<const T> values, std::span<const Row> rows) {
  std::vector<T> some;
  if (values.empty()) return some;
  some.reserve(rows.size());
  for (const Row row : rows) some.push_back(values[row]);
  return some;
}

}  // namespace

TakenColumns::TakenColumns(const Dataset& data, std::span<const Row> rows) {
  for (const ColumnView& column : data.columns) {
    ColumnView view = column;
    with_type(column.type, [&]<class T>(std::type_identity<T>) {
      std::vector<std::byte>& values = held_.emplace_back(rows.size() * sizeof(T));
      copy_strided<T>(column.values, column.stride, rows, values.data());
      view.values = values.data(), view.stride = sizeof(T);
    });
    if (column.masked != nullptr) {
      std::vector<std::byte>& masked = held_.emplace_back(rows.size());
      copy_strided<std::byte>(column.masked, column.masked_stride, rows, masked.data());
      view.masked = masked.data(), view.masked_stride = 1;
    }
    columns.push_back(view);
  }
}

TakenTable::TakenTable(const Dataset& data, const Targets& targets, std::span<const Row> rows)
    : columns_{data, rows},
      classes_{taken(targets.classes, rows)},
      numbers_{taken(targets.numbers, rows)},
      weights_{taken(targets.weights, rows)},
      case_weights_{taken(targets.case_weights, rows)},
      data_{.n_rows = static_cast<Row>(rows.size()), .columns = columns_.columns, .also_seen = data.also_seen},
      targets_{.classes = classes_,
               .n_classes = targets.n_classes,
               .numbers = numbers_,
               .weights = weights_,
               .case_weights = case_weights_} {}

}  // namespace arboretum
