// SmallSearch: the best question of a small node, from the sorted lists of its columns.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/grow/limits.hpp"
#include "core/options.hpp"
#include "core/sources/fast_criterion.hpp"
#include "core/sources/fast_split.hpp"
#include "core/sources/level_search.hpp"
#include "core/sources/small_rows.hpp"

namespace arboretum {

template <class C, class S>
class SmallSearch {
 public:
  using Criterion = FastCriterion<C, S>;
  using Sweep = typename Criterion::Sweep;
  using Found = FastSplit<S>;
  using Singles = std::array<S, most_places>;  // each row as a summary of its own: passing a row is one addition

  SmallSearch(const Criterion& criterion, const GrowOptions& options, const Dataset& data, const SmallRows& rows,
              const Singles& single)
      : criterion_{criterion}, options_{options}, data_{data}, rows_{rows}, single_{single} {}

  // The rows of a node, each as a summary of its own.
  auto each_row(Row n, Row begin) const {
    return [this, n, begin](auto&& read) {
      const Place* order = rows_.order(begin);
      for (Row i = 0; i < n; ++i) read(single_[order[i]]);
    };
  }

  // Ascending columns and cuts, so "larger" is the tie rule. Columns that vary in the node are added to `varying`.
  Found best_split(const FastNode<C, S>& node, Row begin, std::span<const std::uint32_t> columns, const Limits& limits,
                   std::vector<std::uint32_t>& varying) {
    Found best;
    const Row n = node.n_rows();
    const bool glances = Glance<C, S>::known && options_.bounds;
    if constexpr (Glance<C, S>::known)
      if (glances) glance_.look(node.score, single_, rows_.order(begin), n);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::uint32_t f = columns[c];
      if (options_.costs.empty() &&
          is_perfect(best, node)) {  // nothing can beat it, and nothing below will ask which columns vary
        varying.insert(varying.end(), columns.begin() + static_cast<std::ptrdiff_t>(c), columns.end());
        break;
      }
      const Place* list = rows_.list(f, begin);
      const Key* keys = rows_.keys(f);
      const Row n_present = rows_.count_present(f, list, n);
      if (rows_.repeats(f) && n_present == n && keys[list[0]] == keys[list[n - 1]]) continue;
      if (n_present == 0) continue;
      varying.push_back(f);
      Limits own = limits;
      own.direction = direction_of(options_, f);
      if (data_.columns[f].kind == Kind::nominal) search_levels(node, f, list, n_present, own, best);
      else if (const Row n_low = rows_.count_lowest(f, list, n_present); n_present == n && n_low > 0)
        ask_once(node, f, list, n_low, own, best);
      else if (n_present == n) {
        if constexpr (Glance<C, S>::known)
          if (glances && best.found && n > own.min_leaf_rows &&
              !glance_.may_reach(list, own.min_leaf_rows - 1, n - own.min_leaf_rows, best.bar(options_.cost(f))))
            continue;
        sweep(node, f, list, keys, own, best);
      } else sweep_missing(node, f, list, keys, n_present, own, best);
    }
    return best;
  }

 private:
  // Both children are pure: no other split has a larger score. One that is corrected may lose nevertheless.
  static bool is_perfect(const Found& best, const FastNode<C, S>& node) {
    if (!best.found || best.by_chance > 0.0) return false;
    if constexpr (Criterion::on_classes) {
      S right = node.total;
      right -= best.left;
      return n_present(best.left) < 2 && n_present(right) < 2;
    } else {
      return node.n_rows() == 2;
    }
  }

  void take(Found& best, const Sweep& cut, double score, std::uint32_t f, const Limits& limits, Key low, Key high,
            bool missing_left, bool missing_seen) {
    best.found = best.has_values = true;
    best.score = score, best.by_chance = 0.0, best.column = f, best.cost = options_.cost(f),
    best.kind = QuestionKind::threshold;
    best.missing_left = missing_left, best.missing_seen = missing_seen;
    best.low = low, best.high = high, best.by_code = rows_.by_code(f), best.left = cut.left();
    best.levels.clear();
    if (limits.constrained) best.left_value = cut.left_value(), best.right_value = cut.right_value();
  }

  // A column of two values has one cut, and the shorter side tells both.
  void ask_once(const FastNode<C, S>& node, std::uint32_t f, const Place* list, Row n_low, const Limits& limits,
                Found& best) {
    const Row n = node.n_rows();
    S left{};
    if (2 * n_low <= n) {
      for (Row i = 0; i < n_low; ++i) left += single_[list[i]];
    } else {
      left = node.total;
      for (Row i = n_low; i < n; ++i) left -= single_[list[i]];
    }
    Sweep cut{criterion_, node};
    cut.pass(left);
    const double cost = options_.cost(f);
    if (best.found && options_.bounds && !cut.may_reach(best.bar(cost))) return;
    if (!limits.allow_size(cut, node) || !cut.admissible() || !limits.allow_values(cut)) return;
    const double score = std::max(0.0, cut.score());
    const Key* keys = rows_.keys(f);
    if (best.beaten_by(score, f, cost))
      take(best, cut, score, f, limits, keys[list[n_low - 1]], keys[list[n_low]], false, false);
  }

  // No missing rows: the common case, kept tight.
  void sweep(const FastNode<C, S>& node, std::uint32_t f, const Place* list, const Key* keys, const Limits& limits,
             Found& best) {
    Sweep cut{criterion_, node};
    const Row n = node.n_rows(), last = n - limits.min_leaf_rows;
    const bool repeats = rows_.repeats(f);
    const bool plain = limits.min_leaf_weight <= 0 && limits.direction == 0;  // rows are counted by the loop itself
    const double cost = options_.cost(f);
    double bar = best.bar(cost);
    for (Row i = 0; i < last; ++i) {
      cut.pass(single_[list[i]]);
      if (i + 1 < limits.min_leaf_rows || (repeats && keys[list[i]] == keys[list[i + 1]])) continue;
      if (best.found && options_.bounds && !cut.may_reach(bar)) continue;
      if (!cut.admissible() || (!plain && !(limits.allow_size(cut, node) && limits.allow_values(cut)))) continue;
      const double score = std::max(0.0, cut.score());
      if (!best.beaten_by(score, f, cost)) continue;
      take(best, cut, score, f, limits, keys[list[i]], keys[list[i + 1]], false, false);
      bar = score;
    }
  }

  void sweep_missing(const FastNode<C, S>& node, std::uint32_t f, const Place* list, const Key* keys, Row n_present,
                     const Limits& limits, Found& best) {
    Sweep apart{criterion_, node}, along{criterion_, node};
    const Row n = node.n_rows();
    S absent{};
    for (Row i = n_present; i < n; ++i) absent += single_[list[i]];
    along.pass(absent);
    const double cost = options_.cost(f);
    for (Row i = 0; i + 1 < n_present; ++i) {
      apart.pass(single_[list[i]]), along.pass(single_[list[i]]);
      if (keys[list[i]] == keys[list[i + 1]]) continue;
      for (const bool left : {false, true}) {
        const Sweep& cut = left ? along : apart;
        if (best.found && options_.bounds && !cut.may_reach(best.bar(cost))) continue;
        if (!limits.allow_size(cut, node) || !cut.admissible() || !limits.allow_values(cut)) continue;
        const double score = std::max(0.0, cut.score());
        if (best.beaten_by(score, f, cost))
          take(best, cut, score, f, limits, keys[list[i]], keys[list[i + 1]], left, true);
      }
    }
    Contest<Criterion> contest{criterion_, node, limits, never_};
    offer_missing(contest, absent);
    best.merge(contest.take_best(), f, cost, absent);
  }

  void search_levels(const FastNode<C, S>& node, std::uint32_t f, const Place* list, Row n_present,
                     const Limits& limits, Found& best) {
    const Key* keys = rows_.keys(f);
    NodeLevels<Criterion> levels;
    for (Row i = 0; i < n_present; ++i) {
      if (i == 0 || keys[list[i]] != keys[list[i - 1]])
        levels.codes.push_back(static_cast<Code>(keys[list[i]])), levels.buckets.emplace_back();
      levels.buckets.back() += single_[list[i]];
    }
    for (Row i = n_present; i < node.n_rows(); ++i) {
      if (!levels.missing) levels.missing.emplace();
      *levels.missing += single_[list[i]];
    }
    ask_levels(criterion_, options_, data_.columns[f], node, levels, f, limits, never_, best);
  }

  const Criterion& criterion_;
  const GrowOptions& options_;
  const Dataset& data_;
  const SmallRows& rows_;
  const Singles& single_;
  Glance<C, S> glance_;
  Interrupt never_;  // small nodes take no time
};

}  // namespace arboretum
