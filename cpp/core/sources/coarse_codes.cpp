#include "core/sources/coarse_codes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "core/parallel.hpp"

namespace arboretum {
namespace {

// An edge is the largest key that a code covers; edges come from a sample of the rows. The edges of a column, and what
// a sorted sample of its keys tells about them.
struct Edges {
  std::vector<Key> keys;
  std::vector<std::uint8_t> mixed;  // the sample holds several values of this code: it is not single, no need to look

  bool all_mixed() const {  // the last code takes what lies above the sample: of no interest
    return std::all_of(mixed.begin(), mixed.end() - 1, [](auto m) { return m != 0; });
  }
};

// Quantile edges. A value that fills a bucket by itself gets one of its own.
Edges edges_of(const std::vector<Key>& sample, std::size_t max_codes) {
  for (double share = std::max(1.0, static_cast<double>(sample.size()) / static_cast<double>(max_codes - 1));;
       share *= 1.25) {
    Edges edges;
    double filled = 0;
    std::size_t n_values = 0;
    auto close = [&](Key edge) {
      edges.keys.push_back(edge), edges.mixed.push_back(n_values > 1);
      filled = 0, n_values = 0;
    };
    for (std::size_t i = 0, j = 0; i < sample.size(); i = j) {
      while (j < sample.size() && sample[j] == sample[i]) ++j;
      const auto run = static_cast<double>(j - i);
      if (run >= share && filled > 0) close(sample[i - 1]);
      ++n_values;
      if ((filled += run) >= share) close(sample[i]);
    }
    if (edges.keys.empty() || edges.keys.back() != ~Key{0}) close(~Key{0});  // whatever lies above the sample
    if (edges.keys.size() <= max_codes) return edges;
  }
}

// value -> code. A table over equal steps of the value tells how many edges certainly lie below; the few that may lie
// on either side are compared one by one, or by halvings where a step holds many. No branch depends on the value.
template <class T>
class EdgeIndex {
 public:
  EdgeIndex(const std::vector<Key>& keys, T lowest, T highest)
      : table_(std::min(most_cells, cells_per_edge * std::bit_ceil(keys.size()))),
        low_{static_cast<Real>(lowest)},
        last_cell_{static_cast<Real>(table_.size() - 1)} {
    scale_ = last_cell_ / (static_cast<Real>(highest) - low_);
    if (!(scale_ > 0 && scale_ < largest / (last_cell_ + 1)))
      scale_ = 0;  // infinite, empty or denormal range: a single cell
    for (std::size_t code = 0; code + 1 < keys.size(); ++code) edges_.push_back(value_of<T>(keys[code]));
    std::uint32_t code = 0;
    for (std::size_t cell = 0; cell < table_.size(); ++cell) {
      table_[cell] = static_cast<std::uint16_t>(code);
      const std::uint32_t first = code;
      while (code < edges_.size() && cell_of(edges_[code]) <= static_cast<std::int32_t>(cell)) ++code;
      widest_ = std::max(widest_, code - first);
    }
    n_edges_ = edges_.size();
    edges_.resize(n_edges_ + 2 * std::size_t{widest_} + 6, above_all);
  }

  // The codes of n values; a missing value gets any code.
  template <class Width>
  void operator()(const T* values, std::uint32_t n, Width* codes) const {
    if (n_edges_ <= few_edges) return compare_all(values, n, codes);
    std::array<std::int32_t, block> cells;
    for (std::uint32_t i = 0; i < n; ++i) cells[i] = cell_of(values[i]);
    switch (widest_) {
      case 0:
      case 1: return compare<1>(values, cells, n, codes);
      case 2: return compare<2>(values, cells, n, codes);
      case 3: return compare<3>(values, cells, n, codes);
      case 4: return compare<4>(values, cells, n, codes);
      case 5:
      case 6: return compare<6>(values, cells, n, codes);
      default: return halve(values, cells, n, codes);
    }
  }

  // A code that holds anything but its edge is not single. The last code has no edge.
  template <class Width>
  void note_mixed(const T* values, std::uint32_t n, const Width* codes, std::uint8_t* single) const {
    for (std::uint32_t i = 0; i < n; ++i)
      if ((edges_[codes[i]] != values[i]) | (codes[i] >= n_edges_)) single[codes[i]] = 0;
  }

  static constexpr std::uint32_t block = 2048;  // values at a time, at most

 private:
  using Real = std::conditional_t<std::is_same_v<T, float>, float, double>;
  static constexpr std::size_t most_cells = 1 << 14, cells_per_edge = 8;
  static constexpr std::size_t few_edges = 4;
  static constexpr Real largest = std::numeric_limits<Real>::max();
  static constexpr T above_all =
      std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();

  // Monotone: subtracting, scaling and cutting off never change an order.
  std::int32_t cell_of(T value) const {
    Real at = (static_cast<Real>(value) - low_) * scale_;
    at = at > Real{0} ? at : Real{0};
    at = at < last_cell_ ? at : last_cell_;
    return static_cast<std::int32_t>(at);
  }

  template <class Width>
  void compare_all(const T* values, std::uint32_t n, Width* codes) const {
    std::fill_n(codes, n, Width{0});
    for (std::size_t e = 0; e < n_edges_; ++e)
      for (std::uint32_t i = 0; i < n; ++i) codes[i] = static_cast<Width>(codes[i] + (edges_[e] < values[i]));
  }

  template <std::uint32_t n_edges, class Width>
  void compare(const T* values, const std::array<std::int32_t, block>& cells, std::uint32_t n, Width* codes) const {
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t below = table_[static_cast<std::size_t>(cells[i])];
      const T *edges = &edges_[below], value = values[i];
      std::uint32_t more = 0;
      for (std::uint32_t e = 0; e < n_edges; ++e) more += edges[e] < value;
      codes[i] = static_cast<Width>(below + more);
    }
  }

  template <class Width>
  void halve(const T* values, const std::array<std::int32_t, block>& cells, std::uint32_t n, Width* codes) const {
    const std::uint32_t first_step = std::bit_floor(widest_ + 1);
    for (std::uint32_t i = 0; i < n; ++i) {
      std::uint32_t code = table_[static_cast<std::size_t>(cells[i])];
      for (std::uint32_t step = first_step; step > 0; step /= 2) code += edges_[code + step - 1] < values[i] ? step : 0;
      codes[i] = static_cast<Width>(code);
    }
  }

  std::vector<T> edges_;  // all but the last, which nothing exceeds; then some more that nothing exceeds
  std::size_t n_edges_ = 0;
  std::vector<std::uint16_t> table_;
  Real low_, last_cell_, scale_ = 0;
  std::uint32_t widest_ = 0;
};

// Writes the codes of all columns. `places` tells where the code of each row goes; empty: to the row's own number.
class CoarseEncoder {
 public:
  CoarseEncoder(const Dataset& data, std::size_t max_codes, std::span<const Row> places)
      : data_{data}, max_codes_{max_codes}, places_{places} {}
  CoarseEncoder(const Dataset& data, std::span<const std::vector<Key>> edges) : data_{data}, edges_{edges} {}

  // Columns that lie in the same rows of memory are read together, a block of rows at a time, so that a cache line is
  // fetched once for all of them.
  std::vector<CoarseColumn> encode(unsigned n_threads, Interrupt& interrupt) const {
    std::vector<CoarseColumn> coded(data_.columns.size());
    const std::size_t group = std::clamp<std::size_t>((coded.size() + n_threads - 1) / n_threads, 1, 64);
    share(n_threads, (coded.size() + group - 1) / group, [&](std::size_t g, unsigned worker) {
      const std::size_t begin = g * group, end = std::min(coded.size(), begin + group);
      std::vector<std::function<void(Row, Row)>> work;
      for (std::size_t c = begin; c < end; ++c) work.push_back(prepare(c, coded[c]));
      for (Row row = 0; row < data_.n_rows; row += std::min(block, data_.n_rows - row)) {
        if (worker == 0) interrupt.poll();
        for (auto& encode_block : work) encode_block(row, std::min(data_.n_rows - row, block));
      }
      for (std::size_t c = begin; c < end; ++c)
        coded[c].all_single =  // but for that of missing values
            std::all_of(coded[c].single.begin(), coded[c].single.end() - 1, [](auto s) { return s != 0; });
    });
    return coded;
  }

 private:
  static constexpr Row block = 512;
  static constexpr std::size_t sampled_per_code = 4;

  // What encodes n rows from `begin` on.
  std::function<void(Row begin, Row n)> prepare(std::size_t c, CoarseColumn& coded) const {
    const ColumnView& column = data_.columns[c];
    coded.kind = column.kind;
    return with_type(column.type, [&]<class T>(std::type_identity<T>) -> std::function<void(Row, Row)> {
      if (column.kind != Kind::numeric) return prepare_levels<T>(column, coded);
      return edges_.empty() ? prepare_numbers<T>(column, coded) : prepare_given<T>(column, coded, edges_[c]);
    });
  }

  template <class Width>
  void put(const Width* from, Row begin, Row n, Width* codes) const {
    if (places_.empty()) std::copy_n(from, n, codes + begin);
    else
      for (Row i = 0; i < n; ++i) codes[places_[begin + i]] = from[i];
  }

  template <class T>
  std::function<void(Row, Row)> prepare_levels(const ColumnView& column, CoarseColumn& coded) const {
    coded.n_codes = column.n_levels;
    coded.single.assign(coded.n_codes + 1, 1);
    coded.allocate(data_.n_rows);
    return [&](Row begin, Row n) {
      coded.with_codes([&]<class Width>(Width* codes) {
        std::array<Width, block> found{};
        for (Row i = 0; i < n; ++i) {
          const T value = column.value<T>(begin + i);
          const bool missing = column.missing(begin + i, value);
          if (!missing && (value < T{0} || static_cast<double>(value) >= coded.n_codes))
            throw std::out_of_range("a level is out of range");
          coded.has_missing |= missing;
          found[i] = missing ? static_cast<Width>(coded.n_codes) : static_cast<Width>(value);
        }
        put(found.data(), begin, n, codes);
      });
    };
  }

  template <class T>
  std::vector<Key> sample(const ColumnView& column) const {
    std::vector<Key> keys, scratch;
    const std::size_t n_sample = std::min<std::size_t>(data_.n_rows, sampled_per_code * max_codes_);
    keys.reserve(n_sample);
    for (std::size_t i = 0; i < n_sample; ++i) {
      const auto row = static_cast<Row>(i * data_.n_rows / n_sample);
      const T value = column.value<T>(row);
      if (!column.missing(row, value)) keys.push_back(key_of(value));
    }
    sort_by_key(keys, scratch);
    return keys;
  }

  template <class T>
  std::function<void(Row, Row)> prepare_numbers(const ColumnView& column, CoarseColumn& coded) const {
    const std::vector<Key> keys = sample<T>(column);
    Edges edges = edges_of(keys, max_codes_);
    return number_coder<T>(column, coded, std::move(edges.keys), !edges.all_mixed(), keys);
  }

  // Edges that were chosen from other rows too; what a code covers here must be seen here.
  template <class T>
  std::function<void(Row, Row)> prepare_given(const ColumnView& column, CoarseColumn& coded,
                                              const std::vector<Key>& edges) const {
    return number_coder<T>(column, coded, edges, true, {edges.begin(), edges.end() - 1});
  }

  // `span` are sorted keys, the first and the last of which tell where most values lie.
  template <class T>
  std::function<void(Row, Row)> number_coder(const ColumnView& column, CoarseColumn& coded, std::vector<Key> edges,
                                             bool look_for_singles, const std::vector<Key>& span) const {
    coded.edges = std::move(edges);
    coded.n_codes = static_cast<Code>(coded.edges.size());
    coded.single.assign(coded.n_codes + 1, look_for_singles);
    coded.allocate(data_.n_rows);
    const T lowest = span.empty() ? T{0} : value_of<T>(span.front()),
            highest = span.empty() ? T{0} : value_of<T>(span.back());
    return [&, look_for_singles, index = EdgeIndex<T>{coded.edges, lowest, highest}](Row begin, Row n) {
      std::array<T, block> values{};
      for (Row i = 0; i < n; ++i) values[i] = column.value<T>(begin + i);
      coded.with_codes([&]<class Width>(Width* codes) {
        std::array<Width, block> found{};
        index(values.data(), n, found.data());
        mark_missing(column, coded, values.data(), begin, n, found.data());
        if (look_for_singles) index.note_mixed(values.data(), n, found.data(), coded.single.data());
        put(found.data(), begin, n, codes);
      });
    };
  }

  template <class T, class Width>
  static void mark_missing(const ColumnView& column, CoarseColumn& coded, const T* values, Row begin, Row n,
                           Width* codes) {
    std::uint32_t n_suspect = column.masked != nullptr;  // a sum of integers, so that compilers use vectors
    if constexpr (std::is_floating_point_v<T>)
      for (Row i = 0; i < n; ++i) n_suspect += values[i] != values[i];
    if (n_suspect == 0) return;
    for (Row i = 0; i < n; ++i)
      if (column.missing(begin + i, values[i])) codes[i] = static_cast<Width>(coded.n_codes), coded.has_missing = true;
  }

  const Dataset& data_;
  std::size_t max_codes_ = 0;
  std::span<const Row> places_{};
  std::span<const std::vector<Key>> edges_{};  // of each column; none: they are chosen from a sample
};

}  // namespace

std::vector<CoarseColumn> encode_coarsely(const Dataset& data, std::size_t max_codes, std::span<const Row> places,
                                          unsigned n_threads, Interrupt& interrupt) {
  return CoarseEncoder{data, max_codes, places}.encode(n_threads, interrupt);
}

std::vector<CoarseColumn> encode_by_edges(const Dataset& data, std::span<const std::vector<Key>> edges,
                                          unsigned n_threads, Interrupt& interrupt) {
  return CoarseEncoder{data, edges}.encode(n_threads, interrupt);
}

std::vector<Key> choose_edges(const std::vector<Key>& sample, std::size_t max_codes) {
  return edges_of(sample, max_codes).keys;
}

CoarseColumn same_codes(const CoarseColumn& column, Row n_rows) {
  CoarseColumn same;
  same.kind = column.kind, same.n_codes = column.n_codes, same.has_missing = column.has_missing;
  same.all_single = column.all_single, same.edges = column.edges, same.single = column.single;
  same.allocate(n_rows);
  return same;
}

}  // namespace arboretum
