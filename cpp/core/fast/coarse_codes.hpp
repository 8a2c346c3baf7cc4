// Coarse codes: each column as at most a few thousand codes that keep its order; several values may share one.
// Words: edge (the largest key a code covers), single (a code that covers one value only: nothing to refine).
// Edges come from a sample of the rows. They only steer the search, so the tree does not depend on them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "core/codes.hpp"
#include "core/dataset.hpp"
#include "core/keys.hpp"
#include "core/parallel.hpp"

namespace arboretum {

inline constexpr std::size_t padding = 64;  // vector code may read and write this far beyond the last row

struct CoarseColumn {
  Kind kind = Kind::numeric;
  Code n_codes = 0;  // a missing value has this code
  bool has_missing = false;
  bool all_single = false;
  std::vector<std::uint8_t> codes8;
  std::vector<std::uint16_t> codes16;
  std::vector<std::uint32_t> codes32;  // nominal columns with very many levels
  std::vector<Key> edges;              // numeric columns
  std::vector<std::uint8_t> single;

  template <class F>
  decltype(auto) with_codes(F&& f) {
    if (!codes8.empty()) return f(codes8.data());
    if (!codes16.empty()) return f(codes16.data());
    return f(codes32.data());
  }
  void allocate(Row n_rows) {
    if (n_codes < 0xff) codes8.resize(n_rows + padding);
    else if (n_codes < 0xffff) codes16.resize(n_rows + padding);
    else codes32.resize(n_rows + padding);
  }
};

// Quantile edges of a sorted sample. A value that fills a bucket by itself gets one of its own.
inline std::vector<Key> choose_edges(const std::vector<KeyedRow>& sample, std::size_t max_codes) {
  for (double share = std::max(1.0, static_cast<double>(sample.size()) / static_cast<double>(max_codes - 1));;
       share *= 1.25) {
    std::vector<Key> edges;
    double filled = 0;
    for (std::size_t i = 0, j = 0; i < sample.size(); i = j) {
      while (j < sample.size() && sample[j].key == sample[i].key) ++j;
      const auto run = static_cast<double>(j - i);
      if (run >= share && filled > 0) edges.push_back(sample[i - 1].key), filled = 0;
      if ((filled += run) >= share) edges.push_back(sample[i].key), filled = 0;
    }
    if (edges.empty() || edges.back() != ~Key{0}) edges.push_back(~Key{0});  // whatever lies above the sample
    if (edges.size() <= max_codes) return edges;
  }
}

// value -> code: a table over equal steps of the value says where to start, then as many halvings as the fullest step
// needs. No branch depends on the value. (Equal steps of the key would be logarithmic steps of the value.)
template <class T>
class EdgeIndex {
 public:
  EdgeIndex(const std::vector<Key>& edges, T lowest, T highest)
      : edges_(edges), table_(n_cells), low_{static_cast<double>(lowest)} {
    scale_ = (n_cells - 1) / (static_cast<double>(highest) - low_);
    if (!(scale_ > 0 && scale_ < 1e280)) scale_ = 0;  // infinite, empty or denormal range: one cell, all halvings
    std::uint32_t code = 0, widest = 0;
    for (std::uint32_t cell = 0; cell < n_cells; ++cell) {
      table_[cell] = code;  // edges in earlier cells lie below everything in this one
      const std::uint32_t first = code;
      while (code + 1 < edges.size() && cell_of(static_cast<double>(value_of<T>(edges[code]))) <= cell) ++code;
      widest = std::max(widest, code - first);
    }
    while (first_step_ * 2 <= widest + 1) first_step_ *= 2;
    edges_.resize(edges.size() + 2 * first_step_, ~Key{0});
  }
  std::uint32_t operator()(T value, Key key) const {
    std::uint32_t code = table_[cell_of(static_cast<double>(value))];
    for (std::uint32_t step = first_step_; step > 0; step /= 2) code += edges_[code + step - 1] < key ? step : 0;
    return code;
  }

 private:
  static constexpr std::uint32_t n_cells = 1u << 13;
  std::uint32_t cell_of(double value) const {  // monotone: subtracting, scaling and cutting off never change an order
    const double at = (value - low_) * scale_;
    return static_cast<std::uint32_t>(at > 0 ? std::min(at, static_cast<double>(n_cells - 1)) : 0.0);
  }
  std::vector<Key> edges_;
  std::vector<std::uint32_t> table_;
  double low_, scale_ = 0.0;
  std::uint32_t first_step_ = 1;
};

class CoarseEncoder {
 public:
  CoarseEncoder(const Dataset& data, std::size_t max_codes, std::size_t sample_size)
      : data_{data}, max_codes_{max_codes}, sample_size_{sample_size} {}

  // Columns that lie in the same rows of memory are read together, a block of rows at a time, so that a cache line is
  // fetched once for all of them.
  std::vector<CoarseColumn> encode(unsigned n_threads, Interrupt& interrupt) const {
    std::vector<CoarseColumn> coded(data_.columns.size());
    const std::size_t group = std::clamp<std::size_t>((coded.size() + n_threads - 1) / n_threads, 1, 16);
    share(n_threads, (coded.size() + group - 1) / group, [&](std::size_t g, unsigned worker) {
      const std::size_t begin = g * group, end = std::min(coded.size(), begin + group);
      std::vector<std::function<void(Row, Row)>> work;
      for (std::size_t c = begin; c < end; ++c) work.push_back(prepare(data_.columns[c], coded[c]));
      constexpr Row block = 2048;
      for (Row row = 0; row < data_.n_rows; row += std::min(block, data_.n_rows - row)) {
        if (worker == 0) interrupt.poll();
        for (auto& encode_block : work) encode_block(row, std::min(data_.n_rows, row + block));
      }
      for (std::size_t c = begin; c < end; ++c)
        coded[c].all_single =
            std::all_of(coded[c].single.begin(), coded[c].single.end(), [](auto s) { return s != 0; });
    });
    return coded;
  }

 private:
  std::function<void(Row, Row)> prepare(const ColumnView& column, CoarseColumn& coded) const {
    coded.kind = column.kind;
    return with_type(column.type, [&]<class T>(std::type_identity<T>) -> std::function<void(Row, Row)> {
      return column.kind == Kind::numeric ? prepare_numbers<T>(column, coded) : prepare_levels<T>(column, coded);
    });
  }

  template <class T>
  std::function<void(Row, Row)> prepare_levels(const ColumnView& column, CoarseColumn& coded) const {
    coded.n_codes = column.n_levels;
    coded.single.assign(coded.n_codes + 1, 1);
    coded.allocate(data_.n_rows);
    return [&](Row begin, Row end) {
      coded.with_codes([&]<class Width>(Width* codes) {
        for (Row row = begin; row < end; ++row) {
          const T value = column.value<T>(row);
          const bool missing = column.missing(row, value);
          if (!missing && (value < T{0} || static_cast<double>(value) >= coded.n_codes))
            throw std::out_of_range("a level is out of range");
          coded.has_missing |= missing;
          codes[row] = missing ? static_cast<Width>(coded.n_codes) : static_cast<Width>(value);
        }
      });
    };
  }

  template <class T>
  std::function<void(Row, Row)> prepare_numbers(const ColumnView& column, CoarseColumn& coded) const {
    std::vector<KeyedRow> sample, scratch;
    const std::size_t n_sample = std::min<std::size_t>(data_.n_rows, sample_size_);
    for (std::size_t i = 0; i < n_sample; ++i) {
      const auto row = static_cast<Row>(i * data_.n_rows / n_sample);
      const T value = column.value<T>(row);
      if (!column.missing(row, value)) sample.push_back({key_of(value), row});
    }
    sort_by_key(sample, scratch);
    coded.edges = choose_edges(sample, max_codes_);
    coded.n_codes = static_cast<Code>(coded.edges.size());
    coded.single.assign(coded.n_codes + 1, 1);
    coded.allocate(data_.n_rows);
    const T lowest = sample.empty() ? T{0} : column.value<T>(sample.front().row);
    const T highest = sample.empty() ? T{0} : column.value<T>(sample.back().row);
    return [&, index = EdgeIndex<T>{coded.edges, lowest, highest}](Row begin, Row end) {
      coded.with_codes([&]<class Width>(Width* codes) {
        for (Row row = begin; row < end; ++row) {
          const T value = column.value<T>(row);
          if (column.missing(row, value)) {
            codes[row] = static_cast<Width>(coded.n_codes), coded.has_missing = true;
            continue;
          }
          const Key key = key_of(value);
          const std::uint32_t code = index(value, key);
          if (coded.edges[code] != key) coded.single[code] = 0;
          codes[row] = static_cast<Width>(code);
        }
      });
    };
  }

  const Dataset& data_;
  std::size_t max_codes_, sample_size_;
};

}  // namespace arboretum
