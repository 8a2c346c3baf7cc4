// Block: a few rows of some columns, copied row by row into one type, so that a walk has them at hand. Missing values
// become NaN. The caller must know that the type can hold the values.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "core/dataset.hpp"

namespace arboretum {

// Columns without masks that are neighbours in memory, as those of a matrix are: their rows are copied in one go.
struct Run {
  ColumnView first;
  std::size_t place, length;

  bool goes_on_with(const ColumnView& next) const {
    const std::size_t size = with_type(first.type, []<class U>(std::type_identity<U>) { return sizeof(U); });
    return next.type == first.type && next.stride == first.stride && next.masked == nullptr &&
           first.masked == nullptr && next.values == first.values + length * size;
  }
};

template <class T>
class Block {
 public:
  Block(const Dataset& data, std::span<const std::uint32_t> columns)
      : Block(data, columns,
              std::clamp(cached_values / std::max<std::size_t>(columns.size(), 1), min_rows, cached_values)) {}
  Block(const Dataset& data, std::span<const std::uint32_t> columns, std::size_t max_rows)
      : width_{columns.size()},
        max_rows_{max_rows},
        values_(max_rows_ * width_ + 1) {  // a tree of one leaf compares a value, even where there is none
    for (std::size_t place = 0; place < width_; ++place) {
      const ColumnView& column = data.columns[columns[place]];
      if (!runs_.empty() && runs_.back().goes_on_with(column)) ++runs_.back().length;
      else runs_.push_back({column, place, 1});
    }
  }

  std::size_t max_rows() const { return max_rows_; }
  const T* row(std::size_t number) const { return values_.data() + number * width_; }
  bool some_missing() const { return some_missing_; }

  void fill(Row begin, std::size_t n_rows) {
    for (const Run& run : runs_)
      with_type(run.first.type, [&]<class U>(std::type_identity<U>) {
        if (run.length > 1) copy_run<U>(run, begin, n_rows);
        else copy_column<U>(run, begin, n_rows);
      });
    int missing = 0;  // neither a bool nor an early end, so that compilers look at several values at once
    for (const T value : std::span{values_}.first(n_rows * width_)) missing |= value != value;
    some_missing_ = missing != 0;
  }

 private:
  static constexpr std::size_t cached_values = 1u << 13, min_rows = 64;

  template <class U>
  void copy_run(const Run& run, Row begin, std::size_t n_rows) {
    for (std::size_t row = 0; row < n_rows; ++row) {
      const std::byte* from = run.first.values + static_cast<std::ptrdiff_t>(begin + row) * run.first.stride;
      T* to = values_.data() + row * width_ + run.place;
      for (std::size_t i = 0; i < run.length; ++i) {
        U value;  // memcpy: the caller's memory need not be aligned
        std::memcpy(&value, from + i * sizeof(U), sizeof(U));
        to[i] = static_cast<T>(value);
      }
    }
  }

  template <class U>
  void copy_column(const Run& run, Row begin, std::size_t n_rows) {
    const ColumnView column = run.first;
    const Row end = begin + static_cast<Row>(n_rows);
    T* to = values_.data() + run.place;
    for (Row row = begin; row < end; ++row, to += width_) *to = static_cast<T>(column.value<U>(row));
    if (column.masked == nullptr) return;
    to = values_.data() + run.place;
    for (Row row = begin; row < end; ++row, to += width_)
      if (column.missing(row, U{})) *to = std::numeric_limits<T>::quiet_NaN();
  }

  std::size_t width_, max_rows_;
  std::vector<T> values_;
  std::vector<Run> runs_;
  bool some_missing_ = false;
};

}  // namespace arboretum
