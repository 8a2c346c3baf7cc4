// Histogram: per column, the summaries of ordered buckets of codes. A View says which codes share a bucket: it narrows and
// coarsens as nodes shrink, so that a node of n rows sweeps about n/16 buckets, whatever the number of codes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/fast/coarse_codes.hpp"

namespace arboretum {

struct View {
  Code first = 0;           // smallest code covered
  std::uint32_t shift = 0;  // 2^shift codes to a bucket
  std::uint32_t n_buckets = 0;

  std::uint32_t bucket(Code code) const { return (code - first) >> shift; }
  Code first_code(std::uint32_t bucket) const { return first + (bucket << shift); }
};

template <class S>
struct ColumnHistogram {
  View view;
  std::vector<S> buckets;  // view.n_buckets of them, then the missing rows

  const S& missing() const { return buckets[view.n_buckets]; }

  template <class Width>
  void count(const Width* codes, const typename S::Target* targets, Row n, const CoarseColumn& column) {
    buckets.assign(view.n_buckets + 1, S{});
    S* to = buckets.data();
    if (column.has_missing) {  // told by its code, not by its bucket: a coarse last bucket reaches beyond the last code
      for (Row i = 0; i < n; ++i)
        to[codes[i] == column.n_codes ? view.n_buckets : view.bucket(codes[i])].add(targets[i]);
    } else if (view.n_buckets > 32 || n < 1024) {
      for (Row i = 0; i < n; ++i) to[view.bucket(codes[i])].add(targets[i]);
    } else {
      count_few(codes, targets, n);
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
  // Few buckets: neighbours often hit the same one and would wait for each other's store. Four copies, then one sum.
  template <class Width>
  void count_few(const Width* codes, const typename S::Target* targets, Row n) {
    const std::size_t stride = view.n_buckets + 1;
    std::vector<S> copies(4 * stride);
    for (Row i = 0; i < n; ++i) copies[(i & 3) * stride + view.bucket(codes[i])].add(targets[i]);
    for (std::size_t i = 0; i < copies.size(); ++i) buckets[i % stride] += copies[i];
  }
};

}  // namespace arboretum
