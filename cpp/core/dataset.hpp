// Dataset: the columns as the caller holds them, and the targets. Nothing is copied and nothing is owned.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/compiler.hpp"

namespace arboretum {

using Row = std::uint32_t;

// Numeric and ordered columns are cut by thresholds; the values of ordered and nominal ones are level numbers.
enum class Kind : std::uint8_t { numeric, ordered, nominal };

enum class ValueType : std::uint8_t { float32, float64, int8, int16, int32, int64, uint8, uint16, uint32 };

// Turns the run-time type into a compile-time one: the only switch over types.
template <class F>
decltype(auto) with_type(ValueType type, F&& f) {
  switch (type) {
    case ValueType::float32: return f(std::type_identity<float>{});
    case ValueType::float64: return f(std::type_identity<double>{});
    case ValueType::int8: return f(std::type_identity<std::int8_t>{});
    case ValueType::int16: return f(std::type_identity<std::int16_t>{});
    case ValueType::int32: return f(std::type_identity<std::int32_t>{});
    case ValueType::int64: return f(std::type_identity<std::int64_t>{});
    case ValueType::uint8: return f(std::type_identity<std::uint8_t>{});
    case ValueType::uint16: return f(std::type_identity<std::uint16_t>{});
    case ValueType::uint32: return f(std::type_identity<std::uint32_t>{});
  }
  unreachable();
}

struct ColumnView {
  Kind kind = Kind::numeric;
  ValueType type = ValueType::float64;
  const std::byte* values = nullptr;
  std::ptrdiff_t stride = 0;          // bytes from one row to the next; any sign
  const std::byte* masked = nullptr;  // one byte a row, not 0 where the value is missing; null: nothing is masked
  std::ptrdiff_t masked_stride = 0;
  std::uint32_t n_levels = 0;  // ordered and nominal columns
  // Of a nominal column, in the whole table that rows are taken from: the levels that occur, counted up to three, and
  // whether values are missing.
  std::uint8_t n_seen = 0;
  bool some_missing = false;

  template <class T>
  T value(Row row) const {
    T value;  // memcpy: the caller's memory need not be aligned
    std::memcpy(&value, values + static_cast<std::ptrdiff_t>(row) * stride, sizeof(T));
    return value;
  }

  template <class T>
  bool missing(Row row, T value) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (value != value) return true;
    }
    return masked != nullptr && masked[static_cast<std::ptrdiff_t>(row) * masked_stride] != std::byte{0};
  }
};

struct CodedTable;  // sources/coarse_codes.hpp
struct FastScale;   // sources/fast_criterion.hpp

// `rows` of a larger table whose columns were coded once, for all that are taken from it.
struct TakenFrom {
  const CodedTable* table = nullptr;
  std::span<const Row> rows{};
};

struct Dataset {
  Row n_rows = 0;
  std::vector<ColumnView> columns;
  TakenFrom taken_from{};
  std::vector<const Dataset*> also_seen{};  // other rows of the same columns, whose values thresholds may have
};

// What is to be learnt: a class number or a real number for each row, and how much each row counts.
struct Targets {
  std::span<const std::int32_t> classes{};  // empty for real targets
  std::uint32_t n_classes = 0;
  std::span<const double> numbers{};       // empty for classes
  std::span<const double> weights{};       // weights that decide the splits; empty: every row counts 1
  std::span<const double> case_weights{};  // weights that are reported, where they differ; empty: `weights`
  const FastScale* scale = nullptr;        // of a larger tree that these rows are part of; null: they choose their own

  double weight(Row row) const { return weights.empty() ? 1.0 : weights[row]; }
  double case_weight(Row row) const { return case_weights.empty() ? weight(row) : case_weights[row]; }
};

}  // namespace arboretum
