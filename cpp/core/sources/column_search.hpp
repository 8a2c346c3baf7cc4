// ColumnSearch: the best cut of one column in one large node. The borders of buckets are scored first. Then only
// hopeful buckets are refined, those whose bound says that they may hold something better.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "core/sources/coarse_rows.hpp"
#include "core/sources/cut_search.hpp"

namespace arboretum {

template <class C, class S>
class ColumnSearch {
 public:
  using Criterion = FastCriterion<C, S>;
  using Sweep = typename Criterion::Sweep;
  using Found = FastSplit<S>;
  using Here = typename CutSearch<C, S>::Here;

  ColumnSearch(const Criterion& criterion, const GrowOptions& options, const Dataset& data, const CoarseRows& rows,
               const std::vector<typename S::Target>& row_targets)
      : cuts_{criterion, options, data, rows.columns},
        rows_{rows},
        row_targets_{row_targets},
        simd_{options.simd && has_avx2()} {}

  // The rows of a node, each as a summary of its own.
  auto each_row(Range range) const {
    return [this, range](auto&& read) {
      for (Row i = range.begin; i < range.end; ++i) read(S::of(row_targets_[i]));
    };
  }

  void sweep_borders(const Here& here, Found& best, Interrupt& interrupt) const {
    cuts_.sweep_borders(here, best, interrupt);
  }
  void search_levels(const Here& here, Found& best, Interrupt& interrupt) const {
    cuts_.search_levels(here, best, interrupt);
  }

  void refine(const Here& here, Range range, Found& best, Workplace& place) const {
    const ColumnHistogram<S>& h = here.histogram;
    const std::uint32_t f = here.column;
    place.hopeful.assign(h.view.n_buckets + 1, 0);
    Row n_hopeful = 0;
    std::uint32_t first = 0, last = 0;
    cuts_.each_hopeful(here, best, nullptr, [&](std::uint32_t b, const Sweep&, const Sweep&) {
      if (n_hopeful == 0) first = b;
      place.hopeful[b] = 1, n_hopeful += h.buckets[b].n_rows(), last = b;
    });
    if (n_hopeful == 0) return;
    const CoarseColumn& column = rows_.columns[f];
    column.with_codes([&](const auto* all) {
      const auto* codes = all + range.begin;
      const Code low = h.view.first_code(first),
                 width = std::min(h.view.first_code(last + 1), column.n_codes) - 1 - low;
      mask_within(codes, range.size(), low, width, place.hits.data(), simd_);
      place.items.resize(n_hopeful + 1);  // each row is written, and stays if its bucket is hopeful
      std::size_t n_items = 0;
      each_set(place.hits.data(), range.size(), [&](Row i) {
        place.items[n_items].row = i;
        n_items += place.hopeful[h.view.bucket(codes[i])];
      });
      place.items.resize(n_items);
      rows_.read_keys(f, range.begin, place.items);
      sort_items(place);
      std::size_t at = 0;
      std::uint32_t done = 0;  // hopeful buckets before `done` hold `at` items
      cuts_.each_hopeful(here, best, place.hopeful.data(),
                         [&](std::uint32_t b, const Sweep& apart, const Sweep& along) {
                           for (; done < b; ++done)
                             if (place.hopeful[done]) at += h.buckets[done].n_rows();
                           cuts_.sweep_inside(here, h.buckets[b].n_rows(), parts_from(range, codes, &place.items[at]),
                                              apart, along, best);
                         });
    });
  }

 private:
  // The rows of a bucket, in the order of their keys, each of which is a part of its own.
  template <class Width>
  auto parts_from(Range range, const Width* codes, const KeyedRow* items) const {
    struct Parts {
      const ColumnSearch& from;
      Range range;
      const Width* codes;
      const KeyedRow* items;

      Key low(std::size_t i) const { return items[i].key; }
      Key high(std::size_t i) const { return items[i].key; }
      Code code(Key, std::size_t i) const { return codes[items[i].row]; }
      S summary(std::size_t i) const { return S::of(from.row_targets_[range.begin + items[i].row]); }
    };
    return Parts{*this, range, codes, items};
  }

  CutSearch<C, S> cuts_;
  const CoarseRows& rows_;
  const std::vector<typename S::Target>& row_targets_;
  bool simd_;
};

}  // namespace arboretum
