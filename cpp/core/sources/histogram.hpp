// Histogram: per column, the summaries of ordered buckets of codes. A View says which codes share a bucket: it narrows
// and coarsens as nodes shrink, so that a node of n rows sweeps about n/32 buckets, whatever the number of codes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/compiler.hpp"
#include "core/sources/coarse_codes.hpp"

namespace arboretum {

struct View {
  Code first = 0;           // smallest code covered
  std::uint32_t shift = 0;  // 2^shift codes to a bucket
  std::uint32_t n_buckets = 0;

  std::uint32_t bucket(Code code) const { return (code - first) >> shift; }
  Code first_code(std::uint32_t bucket) const { return first + (bucket << shift); }
};

// How many bytes are `code`: sixteen at a time, in lanes that are emptied before they overflow.
inline Row count_equal(const std::uint8_t* codes, Row n, std::uint8_t code) {
#ifdef ARBORETUM_GNU
  using Bytes = std::uint8_t __attribute__((vector_size(16)));
  constexpr Row lanes = sizeof(Bytes), most_steps = 255;
  Row found = 0, i = 0;
  while (n - i >= lanes) {
    Bytes sums{};
    for (Row step = 0; step < most_steps && n - i >= lanes; ++step, i += lanes) {
      Bytes some;
      std::memcpy(&some, codes + i, sizeof some);
      sums -= static_cast<Bytes>(some == code);  // true is -1
    }
    for (Row lane = 0; lane < lanes; ++lane) found += sums[lane];
  }
  for (; i < n; ++i) found += codes[i] == code;
  return found;
#else
  return static_cast<Row>(std::count(codes, codes + n, code));
#endif
}

template <class S>
struct ColumnHistogram {
  View view;
  std::vector<S> buckets;  // view.n_buckets of them, then the missing rows

  const S& missing() const { return buckets[view.n_buckets]; }

  // Counts the rows of a node; `total` is their sum, `shift` the unit of squares.
  template <class Width>
  void count(const Width* codes, const typename S::Target* targets, const S& total, const CoarseColumn& column,
             int shift) {
    buckets.assign(view.n_buckets + 1, S{});
    if constexpr (S::sorted_by_class) {
      for (std::size_t label = 0; label < S::n_classes(); ++label) {
        const auto n = static_cast<Row>(total.count(label));
        bool counted = false;
        if constexpr (sizeof(Width) == 1)
          if ((counted = is_countable_by_code(column))) count_by_code(codes, n, column, label);
        if (!counted) count_run(codes, n, column, [&](S& to, Row) { to.add_rows(label, 1); });
        codes += n;
      }
    } else {
      count_run(codes, total.n_rows(), column, [&](S& to, Row i) { to.add(targets[i], shift); });
    }
  }

  void subtract(const ColumnHistogram& part) {
    for (std::size_t b = 0; b < buckets.size(); ++b) buckets[b] -= part.buckets[b];
  }

  // Drops empty ends and merges neighbours until about `wanted` buckets remain. Returns false when so few are left that
  // counting again with a finer view would pay.
  bool fit(std::uint32_t wanted) {
    std::uint32_t begin = 0, end = view.n_buckets;
    while (begin < end && buckets[begin].n_rows() == 0) ++begin;
    while (end > begin && buckets[end - 1].n_rows() == 0) --end;
    const S absent = missing();
    std::uint32_t fold = 0;
    while (((end - begin) >> fold) > wanted + wanted / 2) ++fold;
    const std::uint32_t n_new = (end - begin + (1u << fold) - 1) >> fold;
    if (begin > 0 || fold > 0) {
      for (std::uint32_t to = 0; to < n_new; ++to) {
        const std::uint32_t from = begin + (to << fold), stop = std::min(end, from + (1u << fold));
        S merged = buckets[from];
        for (std::uint32_t b = from + 1; b < stop; ++b) merged += buckets[b];
        buckets[to] = merged;
      }
    }
    view = {view.first_code(begin), view.shift + fold, n_new};
    buckets.resize(n_new + 1);
    buckets[n_new] = absent;
    return view.shift == 0 || n_new * 3 > wanted;
  }

 private:
  template <class Width, class Add>
  void count_run(const Width* codes, Row n, const CoarseColumn& column, Add&& add) {
    S* to = buckets.data();
    if (column.has_missing) {  // told by its code, not by its bucket: a coarse last bucket reaches beyond the last code
      for (Row i = 0; i < n; ++i) add(to[codes[i] == column.n_codes ? view.n_buckets : view.bucket(codes[i])], i);
    } else if (view.n_buckets > 32 || n < 1024) {
      for (Row i = 0; i < n; ++i) add(to[view.bucket(codes[i])], i);
    } else {
      count_apart(codes, n, add);
    }
  }

  // Few buckets: neighbours often hit the same one and would wait for each other's store. Four copies, then one sum.
  template <class Width, class Add>
  void count_apart(const Width* codes, Row n, Add&& add) {
    const std::size_t stride = view.n_buckets + 1;
    std::vector<S> copies(4 * stride);
    for (Row i = 0; i < n; ++i) add(copies[(i & 3) * stride + view.bucket(codes[i])], i);
    for (std::size_t i = 0; i < copies.size(); ++i) buckets[i % stride] += copies[i];
  }

  // Yes or no, and little more: counting the rows of each code in turn, many rows at a time, is quickest.
  bool is_countable_by_code(const CoarseColumn& column) const {
    return view.shift == 0 && view.n_buckets >= 1 && view.n_buckets <= 3 && column.n_codes <= 8;
  }

  void count_by_code(const std::uint8_t* codes, Row n, const CoarseColumn& column, std::size_t label) {
    Row rest = n;
    auto put = [&](std::uint32_t bucket, Row n_rows) { buckets[bucket].add_rows(label, n_rows), rest -= n_rows; };
    if (column.has_missing) put(view.n_buckets, count_equal(codes, n, static_cast<std::uint8_t>(column.n_codes)));
    for (std::uint32_t b = 0; b + 1 < view.n_buckets; ++b)
      put(b, count_equal(codes, n, static_cast<std::uint8_t>(view.first_code(b))));
    put(view.n_buckets - 1, rest);
  }
};

// Does the column have several values in this node?
template <class S>
bool varies(const ColumnHistogram<S>& h, const CoarseColumn& column) {
  std::uint32_t n_filled = 0, filled = 0;
  for (std::uint32_t b = 0; b < h.view.n_buckets && n_filled < 2; ++b)
    if (h.buckets[b].n_rows() > 0) ++n_filled, filled = b;
  if (h.missing().n_rows() > 0) return n_filled > 0;
  return n_filled > 1 || (n_filled == 1 && (h.view.shift > 0 || !column.single[h.view.first_code(filled)]));
}

}  // namespace arboretum
