// FastRows: everything that belongs to a row, in the order of the nodes, and the scratch of the threads that work on it.
// Words: FastRows, Workplace (scratch of one thread).
#pragma once
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/options.hpp"
#include "core/sources/histogram.hpp"

namespace arboretum {

// Everything that belongs to a row; each node is one contiguous range of all of it. Threads that work on different nodes
// share it.
template <class S>
struct FastRows {
  std::vector<Row> ids;
  std::vector<typename S::Target> targets;
  std::vector<CoarseColumn> columns;
};

// More buckets leave less to refine, but each must be swept: measured. Summaries of many classes take longer to sweep.
template <class S>
inline constexpr std::size_t most_buckets = sizeof(S) < 64 ? 2048 : 1024;
template <class S>
inline constexpr std::size_t rows_per_bucket = 65'536 / most_buckets<S>;

// As many buckets or codes as pay off for that many rows.
template <class S>
std::uint32_t n_buckets_for(Row n_rows) {
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(n_rows / rows_per_bucket<S>, 16, most_buckets<S>));
}

// Where each row goes when rows are sorted by class; dividing keeps them so in every node.
inline std::vector<Row> places_by_class(const Targets& targets, Row n_rows) {
  std::vector<Row> next(targets.n_classes + 1), places(n_rows);
  for (Row row = 0; row < n_rows; ++row) ++next[static_cast<std::size_t>(targets.classes[row]) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (Row row = 0; row < n_rows; ++row) places[row] = next[static_cast<std::size_t>(targets.classes[row])]++;
  return places;
}

// Reads the table; done once, whoever works on it afterwards. Codes are not worth their while for a handful of rows.
template <class S>
FastRows<S> read_rows(const Dataset& data, const Targets& targets, bool with_codes, unsigned n_threads,
                      Interrupt& interrupt) {
  FastRows<S> rows;
  rows.ids.resize(data.n_rows + padding);
  rows.targets.resize(data.n_rows + padding);
  std::vector<Row> places;
  if constexpr (S::sorted_by_class) places = places_by_class(targets, data.n_rows);
  for (Row row = 0; row < data.n_rows; ++row) rows.ids[places.empty() ? row : places[row]] = row;
  if (with_codes && data.taken_from.table != nullptr)
    for (const CoarseColumn& column : data.taken_from.table->columns)
      rows.columns.push_back(taken_codes(column, data.taken_from.rows, places));
  else if (with_codes)
    rows.columns = CoarseEncoder{data, n_buckets_for<S>(data.n_rows), places}.encode(n_threads, interrupt);
  return rows;
}

template <class S>
struct Workplace {
  std::vector<std::uint8_t> hits{}, hopeful{}, spill{};
  std::vector<KeyedRow> items{};
  std::vector<std::uint64_t> words{};
  ColumnHistogram<S> part{};
};

}  // namespace arboretum
