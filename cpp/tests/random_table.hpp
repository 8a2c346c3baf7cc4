// Random tables of columns of all kinds, the same on every machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "core/dataset.hpp"

namespace arboretum {

// A table that owns its columns: floats, doubles, integers, levels, each with and without missing values.
struct Table {
  std::vector<float> floats;
  std::vector<double> doubles, numbers, weights;
  std::vector<std::int64_t> integers;
  std::vector<std::int32_t> levels, ordered, many, classes;
  std::vector<std::uint8_t> masked;
  Dataset data;

  Table(std::mt19937& random, Row n_rows, std::uint32_t n_levels, std::uint32_t n_classes) {
    auto draw = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (Row row = 0; row < n_rows; ++row) {
      floats.push_back(draw(10) == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(draw(40)) / 8);
      doubles.push_back(draw(20) == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(random()) / 1e9);
      integers.push_back((std::int64_t{1} << 62) + draw(5));
      levels.push_back(draw(static_cast<int>(n_levels)));
      ordered.push_back(draw(3));
      many.push_back(draw(90));
      masked.push_back(draw(8) == 0);
      classes.push_back(draw(static_cast<int>(n_classes)));
      numbers.push_back(draw(6) + many.back() % 7 + (draw(50) == 0 ? 1e12 : 0.1));
      weights.push_back(draw(3) == 0 ? tenth(draw(12)) : 0.25 * (1 + draw(8)));
    }
    data.n_rows = n_rows;
    add(Kind::numeric, ValueType::float32, floats.data(), sizeof(float));
    add(Kind::numeric, ValueType::float64, doubles.data(), sizeof(double));
    add(Kind::numeric, ValueType::int64, integers.data(), sizeof(std::int64_t), true);
    add(Kind::nominal, ValueType::int32, levels.data(), sizeof(std::int32_t), true, n_levels);
    add(Kind::ordered, ValueType::int32, ordered.data(), sizeof(std::int32_t), false, 3);
    add(Kind::ordered, ValueType::int32, many.data(), sizeof(std::int32_t), true, 90);
  }
  Table(const Table&) = delete;

  // 10^-n, the same on every machine: 10^n is a double, and a quotient has one nearest double.
  static double tenth(int n) {
    double power = 1.0;
    for (int i = 0; i < n; ++i) power *= 10.0;
    return 1.0 / power;
  }

  void add(Kind kind, ValueType type, const void* values, std::ptrdiff_t stride, bool mask = false,
           std::uint32_t n_levels = 0) {
    ColumnView view{.kind = kind, .type = type, .n_levels = n_levels};
    view.values = static_cast<const std::byte*>(values), view.stride = stride;
    if (mask) view.masked = reinterpret_cast<const std::byte*>(masked.data()), view.masked_stride = 1;
    data.columns.push_back(view);
  }
};

}  // namespace arboretum
