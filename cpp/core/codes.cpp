#include "core/codes.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/keys.hpp"

namespace arboretum {

namespace {

std::vector<KeyedRow> keyed_rows(const ColumnView& column, Row n_rows) {
  std::vector<KeyedRow> items(n_rows);
  std::size_t n_known = 0;
  with_type(column.type, [&]<class T>(std::type_identity<T>) {
    for (Row row = 0; row < n_rows; ++row) {
      const T value = column.value<T>(row);
      items[n_known] = {key_of(value), row};  // of a missing value, to be written over
      n_known += !column.missing(row, value);
    }
  });
  items.resize(n_known);
  return items;
}

// Where each run of equal keys begins, and the end.
std::vector<std::size_t> runs(const std::vector<KeyedRow>& sorted) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (i == 0 || sorted[i].key != sorted[i - 1].key) begins.push_back(i);
  begins.push_back(sorted.size());
  return begins;
}

// Merges neighbouring runs into at most `max_bins` buckets of about equal numbers of rows. What is left over after each
// bucket is spread over those that remain, so a value that fills several shares gets one bucket and wastes none.
std::vector<std::size_t> merge_runs(const std::vector<std::size_t>& begins, std::size_t max_bins) {
  const std::size_t n_values = begins.size() - 1, n_rows = begins.back();
  if (n_values <= max_bins) return begins;
  std::vector<std::size_t> merged{0};
  for (std::size_t value = 0; value < n_values;) {
    const std::size_t bins_left = max_bins - (merged.size() - 1);
    const std::size_t share = (n_rows - begins[value] + bins_left - 1) / bins_left;
    std::size_t end = value + 1;
    // A bucket takes the next value while that brings it nearer to its share.
    while (end < n_values && (bins_left == 1 || begins[end + 1] + begins[end] <= 2 * (begins[value] + share))) ++end;
    merged.push_back(begins[end]);
    value = end;
  }
  return merged;
}

CodedColumn encode_levels(const ColumnView& column, Row n_rows) {
  CodedColumn coded{.kind = column.kind, .n_codes = column.n_levels};
  coded.allocate(n_rows);
  with_type(column.type, [&]<class T>(std::type_identity<T>) {
    coded.with_codes([&](auto* codes) {
      using Width = std::remove_pointer_t<decltype(codes)>;
      for (Row row = 0; row < n_rows; ++row) {
        const T value = column.value<T>(row);
        const bool missing = column.missing(row, value);
        if (!missing && (value < T{0} || static_cast<double>(value) >= coded.n_codes))
          throw std::out_of_range("level " + std::to_string(value) + " of row " + std::to_string(row) +
                                  " is not below " + std::to_string(coded.n_codes));
        coded.has_missing |= missing;
        codes[row] = missing ? static_cast<Width>(coded.n_codes) : static_cast<Width>(value);
      }
    });
  });
  return coded;
}

CodedColumn encode_numbers(const ColumnView& column, Row n_rows, std::size_t max_bins, Interrupt& interrupt) {
  std::vector<KeyedRow> items = keyed_rows(column, n_rows), scratch;
  interrupt.poll();
  sort_by_key(items, scratch);
  interrupt.poll();
  const std::vector<std::size_t> values = runs(items);
  const std::vector<std::size_t> begins = merge_runs(values, max_bins);
  CodedColumn coded{.kind = column.kind, .n_codes = static_cast<Code>(begins.size() - 1)};
  coded.has_missing = items.size() < n_rows;
  coded.allocate(n_rows);
  coded.with_codes([&](auto* codes) {
    using Width = std::remove_pointer_t<decltype(codes)>;
    if (coded.has_missing) std::fill_n(codes, n_rows, static_cast<Width>(coded.n_codes));
    for (Code code = 0; code < coded.n_codes; ++code)
      for (std::size_t i = begins[code]; i < begins[code + 1]; ++i) codes[items[i].row] = static_cast<Width>(code);
  });
  if (begins.size() < values.size()) {
    for (Code code = 0; code < coded.n_codes; ++code) {
      coded.lowest_row.push_back(items[begins[code]].row);
      coded.highest_row.push_back(items[begins[code + 1] - 1].row);
    }
  }
  return coded;
}

}  // namespace

CodedColumn encode_column(const ColumnView& column, Row n_rows, std::size_t max_bins, Interrupt& interrupt) {
  if (column.kind == Kind::numeric) return encode_numbers(column, n_rows, max_bins, interrupt);
  return encode_levels(column, n_rows);
}

}  // namespace arboretum
