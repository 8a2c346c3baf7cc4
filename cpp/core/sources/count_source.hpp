// CountSource: the node source for tables of nominal columns that are asked level by level. All that a question is
// worth is told by a table of counts, levels by classes; one pass over the rows of a node fills the tables of all
// columns. The codes of a row and its class lie side by side in a record, so that a row is moved and read as one piece
// of memory.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "core/codes.hpp"
#include "core/criteria/on_classes.hpp"
#include "core/grow/chance.hpp"
#include "core/grow/choice.hpp"
#include "core/grow/column_draw.hpp"
#include "core/grow/limits.hpp"
#include "core/grow/partition.hpp"
#include "core/grow/report.hpp"
#include "core/grow/stopping.hpp"
#include "core/interrupt.hpp"
#include "core/options.hpp"
#include "core/parallel.hpp"
#include "core/questions/multiway.hpp"
#include "core/questions/threshold_value.hpp"
#include "core/summaries.hpp"

namespace arboretum {

// The functions of one criterion, each called once per node or column.
template <class S>
struct CountScoring {
  static constexpr std::size_t room = ClassScoring::room;

  double (*impurity)(const S& total);
  double (*decrease)(double score, double weight);
  void (*start)(void* state, const S& total);
  double (*of_parts)(const void* state, std::span<const S> parts);  // of two parts, the score of the cut between them
  double bits_by_chance;
};

template <class S, class C>
constexpr CountScoring<S> count_scoring() {
  using Score = typename C::template Score<S>;
  static_assert(sizeof(Score) <= CountScoring<S>::room && alignof(Score) <= alignof(double) &&
                std::is_trivially_copyable_v<Score>);
  return {&C::template impurity_of<S>, &C::decrease_of, [](void* state, const S& total) { new (state) Score{total}; },
          [](const void* state, std::span<const S> parts) {
            const Score& score = *static_cast<const Score*>(state);
            return parts.size() == 2 ? score(parts[0]) : score.of_parts(parts);
          },
          C::bits_by_chance};
}

template <class S>
class CountSource : public RowsOfNodes {
 public:
  using SplitType = ChosenSplit;

  struct Summary {
    const S& total;
    double weight() const { return static_cast<double>(total.total()); }
    Fixed fixed_weight() const { return total.total(); }
  };

  struct Node {
    Range range;
    std::uint32_t depth = 0;
    S total{};
    Bounds bounds{};
    DrawKey key = 0;
  };

  // Whether the options ask for no more than counts can tell. Missing values must be a category of their own.
  static bool can_grow(const Dataset& data, const Targets& targets, const GrowOptions& options) {
    std::size_t n_cells = 0;
    for (const ColumnView& column : data.columns) {
      if (column.kind != Kind::nominal || column.n_levels > most_levels) return false;
      n_cells += column.n_levels + 1;
    }
    return options.nominal == Nominal::multiway && options.missing != Missing::surrogate && options.competitors == 0 &&
           options.monotone.empty() && targets.weights.empty() && n_cells <= most_cells;
  }

  CountSource(const Dataset& data, const Targets& targets, const CountScoring<S>& scoring, const GrowOptions& options,
              Interrupt& interrupt)
      : data_{data},
        scoring_{scoring},
        options_{options},
        interrupt_{interrupt},
        stride_{1 + data.columns.size()},
        ids_(data.n_rows),
        records_(std::size_t{data.n_rows} * stride_),
        parts_(most_levels + 2),
        draw_{options, data.columns.size()},
        columns_(data.columns.size()) {
    std::iota(columns_.begin(), columns_.end(), 0u);
    std::iota(ids_.begin(), ids_.end(), Row{0});
    for (Row row = 0; row < data.n_rows; ++row)
      records_[row * stride_] = static_cast<std::uint8_t>(targets.classes[row]);
    for (const ColumnView& column : data.columns)
      first_cell_.push_back(static_cast<std::uint32_t>(n_cells_)), n_cells_ += column.n_levels + 1;
    for (Row begin = 0; begin < data.n_rows; begin += rows_per_block) {  // a block of records stays in the cache
      interrupt.poll();
      const Row end = begin + std::min(rows_per_block, data.n_rows - begin);
      for (std::size_t column = 0; column < data.columns.size(); ++column) read(column, begin, end);
    }
  }

  bool has_missing() const { return has_missing_; }

  Node root() const {
    Node node{.range = {0, data_.n_rows}, .key = options_.draw_seed};
    for (Row row = 0; row < data_.n_rows; ++row) node.total.add_rows(records_[row * stride_], 1);
    return node;
  }

  Summary summarise(const Node& node) const { return {node.total}; }
  bool homogeneous(const Node& node, const Summary&) const { return n_present(node.total) < 2; }
  double impurity(const Summary& node) const { return scoring_.impurity(node.total); }
  double gain(const ChosenSplit& split, const Summary&) const { return split.gain; }
  double corrected_gain(const ChosenSplit& split, const Summary&) const { return split.corrected; }

  // Most nodes are leaves, and need not be opened to be known as such.
  bool known_leaf(const Node& node) const {
    return is_too_small(options_, node.depth, node.range.size()) || n_present(node.total) < 2;
  }

  std::optional<ChosenSplit> best_split(const Node& node, const Summary& summary) {
    interrupt_.poll();
    count(node);
    const Limits limits = limits_of(options_, summary);
    scoring_.start(score_, node.total);
    if (options_.correct_levels) note_chance(node.total);
    auto best_among = [&](std::span<const std::uint32_t> columns) {
      ranked_.clear();
      for (const std::uint32_t column : columns) rank(column, summary, limits);
      return choose();
    };
    return draw_.draws() ? draw_.best(node.key, best_among) : best_among(columns_);
  }

  ThresholdValue threshold(const Node&, const Split&) const { return {}; }

  std::vector<Node> divide(const Node& node, const ChosenSplit& split) {
    place_.assign(split.n_children + 1, 0);
    std::vector<Node> children(split.n_children);
    const std::uint8_t* codes = record(node.range.begin) + 1 + split.column;
    for (Row i = 0; i < node.range.size(); ++i) ++place_[codes[i * stride_] + 1u];
    std::partial_sum(place_.begin(), place_.end(), place_.begin());
    for (std::uint32_t child = 0; child < split.n_children; ++child) {
      children[child].depth = node.depth + 1;
      children[child].key = child_key(node.key, child);
      children[child].range = {node.range.begin + place_[child], node.range.begin + place_[child + 1]};
    }
    move(node.range, split.column, children);
    return children;
  }

  OwnRows own_rows(Range range, const Range* last_child) const override {
    const Row begin = last_child == nullptr ? range.begin : last_child->end;
    return {.whole = {ids_.data() + begin, range.end - begin}};
  }

 private:
  static constexpr std::uint32_t most_levels = 254;    // codes are bytes, and one is for missing values
  static constexpr std::size_t most_cells = 1u << 14;  // more would not stay in the cache
  static constexpr Row rows_per_thread = 1u << 15, rows_per_block = 512;

  // A column in the competition.
  struct Ranked {
    std::uint32_t column;
    double score, by_chance, gain, corrected;
  };

  std::uint8_t* record(Row row) { return records_.data() + row * stride_; }
  const std::uint8_t* record(Row row) const { return records_.data() + row * stride_; }

  void read(std::size_t column, Row begin, Row end) {
    const ColumnView& view = data_.columns[column];
    std::uint8_t* to = record(begin) + 1 + column;
    bool known = true, missing = false;
    if (view.type == ValueType::int8 && view.masked == nullptr) {
      const std::byte* from = view.values + static_cast<std::ptrdiff_t>(begin) * view.stride;
      std::uint8_t most = 0;
      for (Row row = begin; row < end; ++row, to += stride_, from += view.stride) {
        *to = std::to_integer<std::uint8_t>(*from);  // what is negative becomes larger than any level
        most = std::max(most, *to);
      }
      if (most >= view.n_levels) throw undeclared(column);
      return;
    }
    with_type(view.type, [&]<class T>(std::type_identity<T>) {
      for (Row row = begin; row < end; ++row, to += stride_) {
        const T value = view.value<T>(row);
        const bool misses = view.missing(row, value);
        missing |= misses, known &= misses || (value >= T{0} && value < static_cast<T>(view.n_levels));
        *to = misses ? static_cast<std::uint8_t>(view.n_levels) : static_cast<std::uint8_t>(value);
      }
    });
    if (!known) throw undeclared(column);
    has_missing_ |= missing;
  }

  static std::out_of_range undeclared(std::size_t column) {
    return std::out_of_range("a level of column " + std::to_string(column) + " is not declared");
  }

  // Fills the cells of all columns. Threads count for themselves; whole numbers add up in any order.
  void count(const Node& node) {
    const unsigned n_workers = std::min<unsigned>(options_.n_threads, 1 + node.range.size() / rows_per_thread);
    cells_.assign(n_cells_ * n_workers, S{});
    share(n_workers, n_workers, [&](std::size_t part, unsigned) {
      const auto n = std::uint64_t{node.range.size()};
      const auto begin = static_cast<Row>(node.range.begin + n * part / n_workers),
                 end = static_cast<Row>(node.range.begin + n * (part + 1) / n_workers);
      count(begin, end, cells_.data() + part * n_cells_);
    });
    for (unsigned part = 1; part < n_workers; ++part)
      for (std::size_t cell = 0; cell < n_cells_; ++cell) cells_[cell] += cells_[part * n_cells_ + cell];
  }

  // Bytes may alias anything: without the promise that they do not, every cell would be read anew.
  void count(Row begin, Row end, S* __restrict cells) const {
    const std::size_t n_columns = first_cell_.size();
    const std::uint32_t* __restrict first = first_cell_.data();
    const std::uint8_t* __restrict row = record(begin);
    for (Row i = begin; i < end; ++i, row += stride_) {
      const std::uint8_t label = row[0];
      for (std::size_t column = 0; column < n_columns; ++column)
        cells[first[column] + row[1 + column]].add_rows(label, 1);
    }
  }

  std::span<const S> cells_of(std::uint32_t column) const {
    return {cells_.data() + first_cell_[column], data_.columns[column].n_levels + 1};
  }

  // The worth of asking a column, if two of its levels could be leaves. As in `multiway`, two parts are scored as a
  // cut.
  void rank(std::uint32_t column, const Summary& node, const Limits& limits) {
    std::size_t n_large = 0, n_parts = 0;
    for (const S& cell : cells_of(column)) {
      const Row n = cell.n_rows();
      n_large += limits.allow_side(n, n);
      parts_[n_parts] = cell, n_parts += n > 0;  // one that is empty is written over by the next
    }
    if (n_large < 2) return;
    const std::span<const S> parts{parts_.data(), n_parts};
    const double score = std::max(0.0, scoring_.of_parts(score_, parts));
    const double by_chance =
        corrects(options_, data_.columns[column]) ? score_by_chance(options_, chance_, n_parts) : 0.0;
    if (!beats_chance(score, by_chance)) return;
    const double gain = scoring_.decrease(score, node.weight());
    const double corrected = by_chance > 0.0 ? scoring_.decrease(score - by_chance, node.weight()) : gain;
    ranked_.push_back({column, score, by_chance, gain, corrected});
  }

  void note_chance(const S& total) {
    EffectiveRows rows;
    rows.add_units(total.n_rows());
    chance_ = chance_of_classes(total, rows.value(), scoring_.impurity(total),
                                scoring_.decrease(1.0, static_cast<double>(total.total())), scoring_.bits_by_chance);
  }

  std::optional<ChosenSplit> choose() const {
    const Ranked* best = winner_of(std::span<const Ranked>{ranked_}, data_, options_, [&](const Ranked& ranked) {
      const double ratio = options_.ratio.decides ? ratio_of(ranked) : 0.0;
      return merit_of(options_, ranked.column,
                      worth_of(options_, ranked.score - ranked.by_chance, ranked.corrected, ratio));
    });
    if (best == nullptr) return std::nullopt;
    ChosenSplit chosen;
    describe(*best, chosen);
    if (options_.ratio.decides) chosen.ratio = ratio_of(*best);
    return chosen;
  }

  double ratio_of(const Ranked& ranked) const {
    Information information;
    for (const S& cell : cells_of(ranked.column)) information.add(cell.total());
    const double bits = information.bits();
    return bits > 0.0 ? ranked.corrected / bits : 0.0;
  }

  void describe(const Ranked& ranked, ChosenSplit& chosen) const {
    const std::uint32_t n_levels = data_.columns[ranked.column].n_levels;
    chosen.column = ranked.column, chosen.score = ranked.score, chosen.by_chance = ranked.by_chance;
    chosen.gain = ranked.gain, chosen.corrected = ranked.corrected;
    ask_every_level(chosen, n_levels, cells_of(ranked.column)[n_levels].n_rows() > 0);
  }

  // Sends every row to its child; where no child can be divided further, only the numbers of the rows.
  void move(Range range, std::uint32_t column, std::vector<Node>& children) {
    const bool with_records = std::ranges::any_of(
        children, [&](auto& child) { return !is_too_small(options_, child.depth, child.range.size()); });
    id_spill_.assign(ids_.begin() + range.begin, ids_.begin() + range.end);
    if (with_records) spill_.assign(record(range.begin), record(range.end));
    const std::uint8_t* from = with_records ? spill_.data() : record(range.begin);
    for (Row i = 0; i < range.size(); ++i, from += stride_) {
      const std::uint32_t child = from[1 + column];
      const Row to = range.begin + place_[child]++;
      children[child].total.add_rows(from[0], 1);
      ids_[to] = id_spill_[i];
      if (with_records) std::memcpy(record(to), from, stride_);
    }
  }

  const Dataset& data_;
  CountScoring<S> scoring_;
  alignas(double) std::byte score_[CountScoring<S>::room];  // of the node at hand
  const GrowOptions& options_;
  Interrupt& interrupt_;
  std::size_t stride_;
  std::vector<Row> ids_, id_spill_, place_;
  std::vector<std::uint8_t> records_, spill_;
  std::vector<std::uint32_t> first_cell_;  // of each column
  std::size_t n_cells_ = 0;
  bool has_missing_ = false;
  std::vector<S> cells_, parts_;  // of all columns; of one, without those that are empty
  std::vector<Ranked> ranked_;
  ColumnDraw draw_;
  std::vector<std::uint32_t> columns_;  // all of them
  Chance chance_;                       // of the node at hand, where levels are corrected
};

}  // namespace arboretum
