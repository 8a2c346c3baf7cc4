// CutSearch: what the summaries of a column's buckets tell about its cuts in one node. The borders of buckets are scored;
// bounds tell which buckets may hold something better. Whoever holds the rows refines these (ColumnSearch): in memory
// the node's own source, elsewhere many shares of the rows (shares/node_search.hpp).
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/grow/partition.hpp"
#include "core/interrupt.hpp"
#include "core/sources/coarse_codes.hpp"
#include "core/sources/fast_criterion.hpp"
#include "core/sources/fast_split.hpp"
#include "core/sources/histogram.hpp"
#include "core/sources/level_search.hpp"

namespace arboretum {

template <class C, class S>
class CutSearch {
 public:
  using Criterion = FastCriterion<C, S>;
  using NodeTargets = FastNode<C, S>;
  using Sweep = typename Criterion::Sweep;
  using Found = FastSplit<S>;

  // A column in a node.
  struct Here {
    const NodeTargets& targets;
    const ColumnHistogram<S>& histogram;
    std::uint32_t column;
    Limits limits;
  };

  CutSearch(const Criterion& criterion, const GrowOptions& options, const Dataset& data,
            const std::vector<CoarseColumn>& columns)
      : criterion_{criterion}, options_{options}, data_{data}, columns_{columns} {}

  void sweep_borders(const Here& here, Found& best, Interrupt& interrupt) const {
    const auto& [targets, h, f, limits] = here;
    Sweep apart{criterion_, targets}, along{criterion_, targets};  // missing rows right, left
    const bool missing = h.missing().n_rows() > 0;
    if (missing) along.pass(h.missing());
    const Row n_present = targets.n_rows() - h.missing().n_rows();
    const Code last_code = columns_[f].n_codes - 1;  // a coarse last bucket reaches beyond it
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
    const auto& [targets, h, f, limits] = here;
    NodeLevels<Criterion> levels;
    for (std::uint32_t b = 0; b < h.view.n_buckets; ++b)
      if (h.buckets[b].n_rows() > 0)
        levels.codes.push_back(h.view.first_code(b)), levels.buckets.push_back(h.buckets[b]);
    if (h.missing().n_rows() > 0) levels.missing = h.missing();
    ask_levels(criterion_, options_, data_.columns[f], targets, levels, f, limits, interrupt, best);
  }

  // Calls visit(bucket, apart, along) for each bucket that may hold a cut as good as `best` is at that moment. Not
  // only a better one: an equal score in a lower column or an earlier cut wins. `among` marks the buckets to ask
  // about; null: all.
  template <class F>
  void each_hopeful(const Here& here, const Found& best, const std::uint8_t* among, F&& visit) const {
    const ColumnHistogram<S>& h = here.histogram;
    const NodeTargets& targets = here.targets;
    const CoarseColumn& column = columns_[here.column];
    Sweep apart{criterion_, targets}, along{criterion_, targets};
    const bool missing = h.missing().n_rows() > 0;
    if (missing) along.pass(h.missing());
    for (std::uint32_t b = 0; b < h.view.n_buckets; ++b) {
      const S& bucket = h.buckets[b];
      const bool divisible = (among == nullptr || among[b]) && bucket.n_rows() > 1 &&
                             !(h.view.shift == 0 && column.single[h.view.first + b]);
      if (divisible && may_hold(apart, along, bucket, here.column, best)) visit(b, apart, along);
      apart.pass(bucket);
      if (missing) along.pass(bucket);
    }
  }

  // Cuts between the parts of a bucket, which come in the order of their values: rows, or all rows of some values.
  // parts.low(i) and parts.high(i) are the least and the largest key of a part, parts.code(key, i) is the code of one of
  // them, and parts.summary(i) what lies in it.
  template <class Parts>
  void sweep_inside(const Here& here, std::size_t n, const Parts& parts, Sweep apart, Sweep along, Found& best) const {
    const auto& [targets, h, f, limits] = here;
    const bool missing = along.n_rows() > apart.n_rows();
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const S one = parts.summary(i);
      apart.pass(one);
      if (missing) along.pass(one);
      const Key low = parts.high(i), high = parts.low(i + 1);
      if (low == high) continue;
      const Code code = parts.code(low, i);
      const bool inside = code == parts.code(high, i + 1);
      Cut cut{f, {code, inside ? low : border, false}, inside, missing, low, high};
      if (may_win(apart, f, best)) consider(targets, apart, cut, limits, best);
      if (!missing) continue;
      cut.place.missing_left = true;
      if (may_win(along, f, best)) consider(targets, along, cut, limits, best);
    }
  }

  // May a cut inside these rows, which lie right of `apart`, be as good as the best so far? Where rows are missing,
  // `along` has them on the left.
  bool may_hold(const Sweep& apart, const Sweep& along, const S& rows, std::uint32_t column, const Found& best) const {
    if (!best.found || !options_.bounds) return true;
    const double bar = best.bar(options_.cost(column));
    return apart.may_hold(rows, bar) || (along.n_rows() > apart.n_rows() && along.may_hold(rows, bar));
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

  const Criterion& criterion_;
  const GrowOptions& options_;
  const Dataset& data_;
  const std::vector<CoarseColumn>& columns_;
};

}  // namespace arboretum
