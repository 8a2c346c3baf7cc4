// Small nodes: read the rows once, sort every column once into a list of byte-sized places, then only divide lists. Most
// nodes of a full tree live here. One subtree is loaded at a time, so growth below it must be depth-first.
// Words: place (a row's number among the loaded rows), list (the places of a node in the order of a column).
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/options.hpp"
#include "core/questions/levels.hpp"
#include "core/sources/coarse_codes.hpp"
#include "core/sources/fast_criterion.hpp"
#include "core/sources/fast_split.hpp"
#include "core/sources/glance.hpp"

namespace arboretum {

// Reads the keys of some rows, and which are missing.
inline void read_keys(const ColumnView& column, const Row* rows, std::uint32_t n, Key* keys, std::uint8_t* missing) {
  with_type(column.type, [&]<class T>(std::type_identity<T>) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const T value = column.value<T>(rows[i]);
      missing[i] = column.missing(rows[i], value);
      keys[i] = missing[i] ? 0 : key_in(column.kind, value);
      if (column.kind != Kind::numeric && !missing[i] && keys[i] >= column.n_levels)
        throw std::out_of_range("a level is out of range");
    }
  });
}

// Sorts the places of the present rows by key; missing ones follow. `hints` roughly tell the order and spare most of the work.
class PlaceSorter {
 public:
  template <class Hint>
  void sort(const Key* keys, const std::uint8_t* missing, std::uint32_t n, const Hint* hints, Place* list) {
    Key low = ~Key{0}, high = 0;
    Code first = ~Code{0}, last = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (missing[i]) continue;
      low = std::min(low, keys[i]), high = std::max(high, keys[i]);
      if (hints) first = std::min<Code>(first, hints[i]), last = std::max<Code>(last, hints[i]);
    }
    const unsigned lost =
        std::max(0, static_cast<int>(std::bit_width(high - low)) - 56);  // bits that leave no room for the place
    auto item = [&](std::uint32_t i) { return ((keys[i] - low) >> lost) << 8 | i; };
    std::uint32_t n_present = 0;
    if (hints && first <= last) {
      n_present = scatter(missing, n, hints, first, last, item);
    } else {
      for (std::uint32_t i = 0; i < n; ++i)
        if (!missing[i]) items_[n_present++] = item(i);
      std::sort(items_.begin(), items_.begin() + n_present);
    }
    for (std::uint32_t i = 0; i < n_present; ++i) list[i] = static_cast<Place>(items_[i]);
    if (lost > 0) insert(keys, list, n_present);
    for (std::uint32_t i = 0, k = n_present; i < n; ++i)
      if (missing[i]) list[k++] = static_cast<Place>(i);
  }

 private:
  // A bucket by hint, then insertion; where too many share a bucket, a full sort.
  template <class Hint, class Item>
  std::uint32_t scatter(const std::uint8_t* missing, std::uint32_t n, const Hint* hints, Code first, Code last,
                        Item&& item) {
    std::array<std::uint16_t, most_places + 1> begin{};
    std::array<Place, most_places> bucket;
    const std::uint64_t scale = (std::uint64_t{most_places} << 32) / (std::uint64_t{last} - first + 1);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (missing[i]) continue;
      bucket[i] = static_cast<Place>(((hints[i] - first) * scale) >> 32);
      ++begin[bucket[i] + 1u];
    }
    std::uint32_t fullest = 0;
    for (std::uint32_t b = 0; b < most_places; ++b) {
      fullest = std::max<std::uint32_t>(fullest, begin[b + 1]);
      begin[b + 1] = static_cast<std::uint16_t>(begin[b + 1] + begin[b]);
    }
    const std::uint32_t n_present = begin[most_places];
    for (std::uint32_t i = 0; i < n; ++i)
      if (!missing[i]) items_[begin[bucket[i]]++] = item(i);
    if (fullest > 24) {
      std::sort(items_.begin(), items_.begin() + n_present);
    } else {
      for (std::uint32_t i = 1; i < n_present; ++i) {
        const std::uint64_t moving = items_[i];
        std::uint32_t j = i;
        for (; j > 0 && items_[j - 1] > moving; --j) items_[j] = items_[j - 1];
        items_[j] = moving;
      }
    }
    return n_present;
  }

  // Keys that agree in the bits kept so far may still differ: neighbours are put right by the whole key.
  static void insert(const Key* keys, Place* list, std::uint32_t n) {
    for (std::uint32_t i = 1; i < n; ++i) {
      const Place moving = list[i];
      std::uint32_t j = i;
      for (; j > 0 && keys[list[j - 1]] > keys[moving]; --j) list[j] = list[j - 1];
      list[j] = moving;
    }
  }

  std::array<std::uint64_t, most_places> items_;
};

template <class C, class S>
class SmallNodes {
 public:
  using Criterion = FastCriterion<C, S>;
  using Sweep = typename Criterion::Sweep;
  using Target = typename S::Target;
  using Found = FastSplit<S>;

  SmallNodes(const Dataset& data, const Criterion& criterion, const GrowOptions& options)
      : data_{data},
        criterion_{criterion},
        options_{options},
        keys_(data.columns.size() * width),
        missing_(data.columns.size() * width),
        lists_(data.columns.size() * width),
        flags_(data.columns.size()) {}

  // Reads rows and sorts `columns` from position `from` on; keeps there those that vary.
  void load(std::span<const Row> ids, std::span<const Target> targets, std::vector<CoarseColumn>& coded, Row begin,
            std::vector<std::uint32_t>& columns, std::size_t from) {
    begin_ = begin;
    const auto n = static_cast<std::uint32_t>(ids.size());
    for (std::uint32_t i = 0; i < n; ++i) single_[i] = S::of(targets[i]), order_[i] = static_cast<Place>(i);
    std::size_t kept = from;
    for (std::size_t c = from; c < columns.size(); ++c) {
      const std::uint32_t f = columns[c];
      if (load_column(f, ids, coded)) columns[kept++] = f;
    }
    columns.resize(kept);
  }

  // Ascending columns and cuts, so "larger" is the tie rule. Columns that vary in the node are added to `varying`.
  Found best_split(const FastNode<C, S>& node, Row begin, std::span<const std::uint32_t> columns, const Limits& limits,
                   std::vector<std::uint32_t>& varying) {
    Found best;
    const Row n = node.n_rows();
    const bool glances = Glance<C, S>::known && options_.bounds;
    if constexpr (Glance<C, S>::known)
      if (glances) glance_.look(node.score, single_, &order_[begin - begin_], n);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::uint32_t f = columns[c];
      if (options_.costs.empty() &&
          is_perfect(best, node)) {  // nothing can beat it, and nothing below will ask which columns vary
        varying.insert(varying.end(), columns.begin() + static_cast<std::ptrdiff_t>(c), columns.end());
        break;
      }
      const Place* list = list_of(f, begin);
      const Key* keys = keys_of(f);
      const Row n_present = count_present(f, list, n);
      if (flags_[f].repeats && n_present == n && keys[list[0]] == keys[list[n - 1]]) continue;
      if (n_present == 0) continue;
      varying.push_back(f);
      Limits own = limits;
      own.direction = options_.monotone.empty() ? 0 : options_.monotone[f];
      if (data_.columns[f].kind == Kind::nominal) search_levels(node, f, list, n_present, own, best);
      else if (const Row n_low = count_lowest(f, list, n_present); n_present == n && n_low > 0)
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

  // Divides the rows of the node: `ids`, and their order here. Lists follow if the children need them.
  Row divide_rows(const Found& split, Row begin, Row n, Row* ids) {
    const Key* keys = keys_of(split.column);
    const std::uint8_t* missing = missing_of(split.column);
    level_left_.resize(std::max<std::size_t>(level_left_.size(), data_.columns[split.column].n_levels));
    for (const auto& [level, child] : split.levels) level_left_[level] = child == 0;
    Place* order = &order_[begin - begin_];
    std::array<Row, most_places> right_ids;
    Row l = 0, r = 0;
    for (Row i = 0; i < n; ++i) {
      const Place p = order[i];
      if (missing[p]) left_[p] = split.missing_left;
      else if (split.kind == QuestionKind::threshold) left_[p] = keys[p] <= split.low;
      else left_[p] = split.kind == QuestionKind::levels && level_left_[keys[p]] != 0;
      const Row id = ids[i];
      ids[l] = id, right_ids[r] = id;
      l += left_[p] != 0, r += left_[p] == 0;
    }
    std::copy_n(right_ids.begin(), r, ids + l);
    divide_list(order, n, left_.data());
    return l;
  }
  void divide_lists(Row begin, Row n, std::span<const std::uint32_t> columns) {
    for (std::uint32_t f : columns) divide_list(list_of(f, begin), n, left_.data());
  }

  // The rows of a node get other targets: their scale has changed.
  void replace_targets(Row begin, std::span<const Target> targets) {
    for (std::size_t i = 0; i < targets.size(); ++i) single_[order_[begin - begin_ + i]] = S::of(targets[i]);
  }

 private:
  static constexpr std::size_t width = most_places + padding;
  struct Flags {
    bool repeats = false;  // some value occurs twice, or is missing
    bool by_code = false;  // keys are codes
  };

  Place* list_of(std::uint32_t f, Row begin) { return &lists_[f * width] + (begin - begin_); }
  Key* keys_of(std::uint32_t f) { return &keys_[f * width]; }
  std::uint8_t* missing_of(std::uint32_t f) { return &missing_[f * width]; }

  bool load_column(std::uint32_t f, std::span<const Row> ids, std::vector<CoarseColumn>& coded) {
    const auto n = static_cast<std::uint32_t>(ids.size());
    Key* keys = keys_of(f);
    std::uint8_t* missing = missing_of(f);
    if (coded.empty()) {
      flags_[f].by_code = false;
      read_keys(data_.columns[f], ids.data(), n, keys, missing);
      return sort_column<std::uint8_t>(f, n, nullptr);
    }
    CoarseColumn& column = coded[f];
    return column.with_codes([&](const auto* all) {
      const auto* codes = all + begin_;
      flags_[f].by_code = column.all_single;
      if (column.all_single) {
        for (std::uint32_t i = 0; i < n; ++i) keys[i] = codes[i], missing[i] = codes[i] == column.n_codes;
      } else {
        read_keys(data_.columns[f], ids.data(), n, keys, missing);
      }
      return sort_column(f, n, codes);
    });
  }

  template <class Hint>
  bool sort_column(std::uint32_t f, std::uint32_t n, const Hint* hints) {
    const Key* keys = keys_of(f);
    const std::uint8_t* missing = missing_of(f);
    bool varies = false;
    for (std::uint32_t i = 1; i < n; ++i) varies |= missing[i] != missing[0] || (!missing[i] && keys[i] != keys[0]);
    if (!varies) return false;
    Place* list = &lists_[f * width];
    sorter_.sort(keys, missing, n, hints, list);
    bool repeats = missing[list[n - 1]] != 0;
    for (std::uint32_t i = 1; i < n; ++i) repeats |= keys[list[i]] == keys[list[i - 1]];
    flags_[f].repeats = repeats;
    return true;
  }

  // Both children are pure: no other split has a larger score.
  static bool is_perfect(const Found& best, const FastNode<C, S>& node) {
    if (!best.found) return false;
    if constexpr (Criterion::on_classes) {
      S right = node.total;
      right -= best.left;
      return n_present(best.left) < 2 && n_present(right) < 2;
    } else {
      return node.n_rows() == 2;
    }
  }

  Row count_present(std::uint32_t f, const Place* list, Row n) {
    if (!flags_[f].repeats) return n;
    const std::uint8_t* missing = missing_of(f);
    while (n > 0 && missing[list[n - 1]]) --n;
    return n;
  }

  // How many rows have the lower value, if there are just two values; else 0.
  Row count_lowest(std::uint32_t f, const Place* list, Row n) {
    if (!flags_[f].repeats) return 0;
    const Key *keys = keys_of(f), low = keys[list[0]];
    const Place* above = std::partition_point(list, list + n, [&](Place p) { return keys[p] == low; });
    return keys[*above] == keys[list[n - 1]] ? static_cast<Row>(above - list) : 0;
  }

  static void divide_list(Place* list, Row n, const std::uint8_t* left) {
    std::array<Place, most_places + 8> spill;
    Place *to_left = list, *to_right = spill.data();
    for (Row i = 0; i < n; ++i) {
      const Place p = list[i];
      const bool l = left[p] != 0;
      *to_left = p, *to_right = p;
      to_left += l, to_right += !l;
    }
    std::memcpy(to_left, spill.data(), static_cast<std::size_t>(to_right - spill.data()));
  }

  void take(Found& best, const Sweep& cut, double score, std::uint32_t f, const Limits& limits, Key low, Key high,
            bool missing_left, bool missing_seen) {
    best.found = best.has_values = true;
    best.score = score, best.column = f, best.cost = options_.cost(f), best.kind = QuestionKind::threshold;
    best.missing_left = missing_left, best.missing_seen = missing_seen;
    best.low = low, best.high = high, best.by_code = flags_[f].by_code, best.left = cut.left();
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
    const Key* keys = keys_of(f);
    if (best.beaten_by(score, f, cost))
      take(best, cut, score, f, limits, keys[list[n_low - 1]], keys[list[n_low]], false, false);
  }

  // No missing rows: the common case, kept tight.
  void sweep(const FastNode<C, S>& node, std::uint32_t f, const Place* list, const Key* keys, const Limits& limits,
             Found& best) {
    Sweep cut{criterion_, node};
    const Row n = node.n_rows(), last = n - limits.min_leaf_rows;
    const bool repeats = flags_[f].repeats;
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
    merge(contest.take_best(), f, cost, absent, best);
  }

  void search_levels(const FastNode<C, S>& node, std::uint32_t f, const Place* list, Row n_present,
                     const Limits& limits, Found& best) {
    const Key* keys = keys_of(f);
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
    Contest<Criterion> contest{criterion_, node, limits, never_};
    LevelQuestions<Criterion> questions{contest, levels};
    const double cost = options_.cost(f);
    const double to_beat = best.found && options_.bounds ? criterion_.surely_below(best.bar(cost), node) : 0.0;
    std::optional<Split> found = options_.nominal == Nominal::subset
                                     ? questions.best_subset(options_.max_exhaustive_levels, to_beat)
                                     : questions.best_one_vs_rest();
    merge_levels(std::move(found), f, cost, levels, best);
  }

 public:
  // The best question about levels, or about missing values, against the best so far.
  static void merge(std::optional<Split> found, std::uint32_t f, double cost, const S& left, Found& best) {
    if (!found || !best.beaten_by(found->score, f, cost)) return;
    static_cast<Split&>(best) = *std::move(found);
    best.column = f, best.cost = cost, best.found = true, best.inside = best.has_values = false;
    best.place = {~Code{0}, border, true};
    best.left = left;
  }
  static void merge_levels(std::optional<Split> found, std::uint32_t f, double cost,
                           const NodeLevels<Criterion>& levels, Found& best) {
    if (!found) return;
    S left{};
    for (std::size_t b = 0; b < found->levels.size(); ++b)
      if (found->levels[b].second == 0) left += levels.buckets[b];
    if (levels.missing && found->missing_left) left += *levels.missing;
    merge(std::move(found), f, cost, left, best);
  }

 private:
  const Dataset& data_;
  const Criterion& criterion_;
  const GrowOptions& options_;
  std::vector<Key> keys_;
  std::vector<std::uint8_t> missing_;
  std::vector<Place> lists_;
  std::vector<Flags> flags_;
  std::vector<std::uint8_t> level_left_;
  PlaceSorter sorter_;
  Glance<C, S> glance_;
  std::array<S, most_places> single_;           // each row as a summary of its own: passing a row is one addition
  std::array<Place, most_places> order_;        // the loaded rows in the order of `ids`
  std::array<std::uint8_t, most_places> left_;  // where the last division sent each place
  Row begin_ = 0;
  Interrupt never_;  // small nodes take no time
};

}  // namespace arboretum
