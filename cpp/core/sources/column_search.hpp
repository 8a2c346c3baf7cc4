// ColumnSearch: the best cut of one column in one large node. The borders of buckets are scored first. Then only
// hopeful buckets are refined, those whose bound says that they may hold something better.
#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "core/grow/partition.hpp"
#include "core/interrupt.hpp"
#include "core/sources/coarse_rows.hpp"
#include "core/sources/fast_criterion.hpp"
#include "core/sources/fast_split.hpp"
#include "core/sources/histogram.hpp"
#include "core/sources/level_search.hpp"

namespace arboretum {

template <class C, class S>
class ColumnSearch {
 public:
  using Criterion = FastCriterion<C, S>;
  using NodeTargets = FastNode<C, S>;
  using Sweep = typename Criterion::Sweep;
  using Found = FastSplit<S>;

  // A column in a node.
  struct Here {
    Range range;
    const NodeTargets& targets;
    const ColumnHistogram<S>& histogram;
    std::uint32_t column;
    Limits limits;
  };

  ColumnSearch(const Criterion& criterion, const GrowOptions& options, const Dataset& data, const CoarseRows& rows,
               const std::vector<typename S::Target>& row_targets)
      : criterion_{criterion},
        options_{options},
        data_{data},
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
    const auto& [range, targets, h, f, limits] = here;
    Sweep apart{criterion_, targets}, along{criterion_, targets};  // missing rows right, left
    const bool missing = h.missing().n_rows() > 0;
    if (missing) along.pass(h.missing());
    const Row n_present = range.size() - h.missing().n_rows();
    const Code last_code = rows_.columns[f].n_codes - 1;  // a coarse last bucket reaches beyond it
    Row passed = 0;
    for (std::uint32_t b = 0; b < h.view.n_buckets; ++b) {
      const Row n_bucket = h.buckets[b].n_rows();
      if (n_bucket == 0) continue;                   // the same cut as the one before
      if ((passed += n_bucket) == n_present) break;  // everything known lies left: only "is missing" is left to ask
      Cut cut{f, {std::min(h.view.first_code(b + 1) - 1, last_code), border, false}, false, missing, 0, 0};
      apart.pass(h.buckets[b]);
      if (may_win(apart, f, best)) consider(targets, apart, cut, limits, best);
      if (!missing) continue;
      cut.place.missing_left = true;
      along.pass(h.buckets[b]);
      if (may_win(along, f, best)) consider(targets, along, cut, limits, best);
    }
    if (missing) {
      Contest<Criterion> contest{criterion_, targets, limits, interrupt};
      offer_missing(contest, h.missing());
      best.merge(contest.take_best(), f, options_.cost(f), h.missing());
    }
  }

  void search_levels(const Here& here, Found& best, Interrupt& interrupt) const {
    const auto& [range, targets, h, f, limits] = here;
    NodeLevels<Criterion> levels;
    for (std::uint32_t b = 0; b < h.view.n_buckets; ++b)
      if (h.buckets[b].n_rows() > 0)
        levels.codes.push_back(h.view.first_code(b)), levels.buckets.push_back(h.buckets[b]);
    if (h.missing().n_rows() > 0) levels.missing = h.missing();
    ask_levels(criterion_, options_, data_.columns[f], targets, levels, f, limits, interrupt, best);
  }

  void refine(const Here& here, Found& best, Workplace& place) const {
    const auto& [range, targets, h, f, limits] = here;
    place.hopeful.assign(h.view.n_buckets + 1, 0);
    Row n_hopeful = 0;
    std::uint32_t first = 0, last = 0;
    each_hopeful(here, best, nullptr, [&](std::uint32_t b, const Sweep&, const Sweep&) {
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
      each_hopeful(here, best, place.hopeful.data(), [&](std::uint32_t b, const Sweep& apart, const Sweep& along) {
        for (; done < b; ++done)
          if (place.hopeful[done]) at += h.buckets[done].n_rows();
        sweep_inside(here, codes, {&place.items[at], h.buckets[b].n_rows()}, apart, along, best);
      });
    });
  }

 private:
  struct Cut {
    std::uint32_t column;
    CutPlace place;
    bool inside, missing_seen;
    Key low, high;
  };

  bool may_win(const Sweep& sweep, std::uint32_t column, const Found& best) const {
    return !best.found || !options_.bounds || sweep.may_reach(best.bar(options_.cost(column)));
  }

  void consider(const NodeTargets& node, const Sweep& sweep, const Cut& cut, const Limits& limits, Found& best) const {
    if (!limits.allow_size(sweep, node) || !sweep.admissible() || !limits.allow_values(sweep)) return;
    const double score = std::max(0.0, sweep.score());
    const double cost = options_.cost(cut.column);
    if (!best.beaten_by(score, cut.column, cost, cut.place)) return;
    best.found = true, best.score = score, best.by_chance = 0.0, best.column = cut.column, best.cost = cost,
    best.place = cut.place;
    best.kind = QuestionKind::threshold, best.cut = cut.place.code, best.inside = cut.inside;
    best.missing_left = cut.place.missing_left, best.missing_seen = cut.missing_seen;
    best.has_values = cut.low != cut.high, best.by_code = false, best.low = cut.low, best.high = cut.high;
    best.left = sweep.left();
    best.levels.clear();
    if (limits.constrained) best.left_value = sweep.left_value(), best.right_value = sweep.right_value();
  }

  // Calls visit(bucket, apart, along) for each bucket that may hold a cut as good as `best` is at that moment. Not
  // only a better one: an equal score in a lower column or an earlier cut wins. `among` marks the buckets to ask
  // about; null: all.
  template <class F>
  void each_hopeful(const Here& here, const Found& best, const std::uint8_t* among, F&& visit) const {
    const ColumnHistogram<S>& h = here.histogram;
    const NodeTargets& targets = here.targets;
    const CoarseColumn& column = rows_.columns[here.column];
    const double cost = options_.cost(here.column);
    Sweep apart{criterion_, targets}, along{criterion_, targets};
    const bool missing = h.missing().n_rows() > 0;
    if (missing) along.pass(h.missing());
    for (std::uint32_t b = 0; b < h.view.n_buckets; ++b) {
      const S& bucket = h.buckets[b];
      const double bar = best.bar(cost);
      const bool divisible = (among == nullptr || among[b]) && bucket.n_rows() > 1 &&
                             !(h.view.shift == 0 && column.single[h.view.first + b]);
      if (divisible &&
          (!best.found || !options_.bounds || apart.may_hold(bucket, bar) || (missing && along.may_hold(bucket, bar))))
        visit(b, apart, along);
      apart.pass(bucket);
      if (missing) along.pass(bucket);
    }
  }

  template <class Width>
  void sweep_inside(const Here& here, const Width* codes, std::span<const KeyedRow> items, Sweep apart, Sweep along,
                    Found& best) const {
    const auto& [range, targets, h, f, limits] = here;
    const bool missing = along.n_rows() > apart.n_rows();
    for (std::size_t i = 0; i + 1 < items.size(); ++i) {
      const S one = S::of(row_targets_[range.begin + items[i].row]);
      apart.pass(one);
      if (missing) along.pass(one);
      const Key low = items[i].key, high = items[i + 1].key;
      if (low == high) continue;
      const Code code = codes[items[i].row];
      const bool inside = code == codes[items[i + 1].row];
      Cut cut{f, {code, inside ? low : border, false}, inside, missing, low, high};
      if (may_win(apart, f, best)) consider(targets, apart, cut, limits, best);
      if (!missing) continue;
      cut.place.missing_left = true;
      if (may_win(along, f, best)) consider(targets, along, cut, limits, best);
    }
  }

  const Criterion& criterion_;
  const GrowOptions& options_;
  const Dataset& data_;
  const CoarseRows& rows_;
  const std::vector<typename S::Target>& row_targets_;
  bool simd_;
};

}  // namespace arboretum
