// CountSource: the node source for tables of nominal columns that are asked level by level. All that a question is worth is
// told by a table of counts, levels by classes; one pass over the rows of a node fills the tables of all columns.
// Words: record (all codes of a row and its class, side by side: a row is moved and read as one piece of memory), cell (the
// counts of one level of one column), CountNode (a node's counts with what scoring needs).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "core/codes.hpp"
#include "core/grow/candidate.hpp"
#include "core/grow/partition.hpp"
#include "core/interrupt.hpp"
#include "core/options.hpp"
#include "core/parallel.hpp"
#include "core/questions/contest.hpp"
#include "core/questions/multiway.hpp"
#include "core/questions/threshold.hpp"
#include "core/sources/summaries.hpp"

namespace arboretum {

template <class C, class S>
struct CountNode {
  S total;
  typename C::template Score<S> score;

  explicit CountNode(const S& all) : total{all}, score{total} {}
  CountNode(const CountNode&) = delete;
  Row n_rows() const { return total.n_rows(); }
  double weight() const { return static_cast<double>(total.total()); }
};

template <class C, class S>
struct CountCriterion {
  double impurity(const CountNode<C, S>& node) const { return C::impurity_of(node.total); }
  double decrease(double score, const CountNode<C, S>& node) const { return C::decrease_of(score, node.weight()); }
};

template <class C, class S>
class CountSource {
 public:
  using NodeTargets = CountNode<C, S>;
  using SplitType = ChosenSplit;

  struct Node {
    Range range;
    std::uint32_t depth = 0;
    S total{};
    Bounds bounds{};
  };
  using NodeType = Node;

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

  CountSource(const Dataset& data, const Targets& targets, const CountCriterion<C, S>& criterion,
              const GrowOptions& options, Interrupt& interrupt)
      : data_{data},
        criterion_{criterion},
        options_{options},
        interrupt_{interrupt},
        stride_{1 + data.columns.size()},
        ids_(data.n_rows),
        records_(std::size_t{data.n_rows} * stride_),
        parts_(most_levels + 2) {
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
    Node node{.range = {0, data_.n_rows}};
    for (Row row = 0; row < data_.n_rows; ++row) node.total.add_rows(records_[row * stride_], 1);
    return node;
  }

  NodeTargets open(const Node& node) const { return NodeTargets{node.total}; }
  const Dataset& data() const { return data_; }
  bool homogeneous(const Node& node, const NodeTargets&) const { return n_present(node.total) < 2; }
  double size(const Node& node, const NodeTargets&) const { return node.range.size(); }
  double gain(const ChosenSplit& split, const NodeTargets&) const { return split.gain; }

  // Most nodes are leaves, and need not be opened to be known as such.
  bool is_final(const Node& node) const {
    return node.depth >= options_.max_depth || !may_split(node.range.size()) || n_present(node.total) < 2;
  }
  double impurity(const Node& node) const { return C::impurity_of(node.total); }

  std::optional<ChosenSplit> best_split(const Node& node, const NodeTargets& targets) {
    interrupt_.poll();
    count(node);
    ranked_.clear();
    for (std::uint32_t column = 0; column < data_.columns.size(); ++column) rank(column, targets);
    return choose();
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
      children[child].range = {node.range.begin + place_[child], node.range.begin + place_[child + 1]};
    }
    move(node.range, split.column, children);
    return children;
  }

  template <class See>
  void each_own_row(Range range, const Range* last_child, See&& see) const {
    for (Row i = last_child == nullptr ? range.begin : last_child->end; i < range.end; ++i) see(ids_[i], 1.0);
  }

 private:
  static constexpr std::uint32_t most_levels = 254;    // codes are bytes, and one is for missing values
  static constexpr std::size_t most_cells = 1u << 14;  // more would not stay in the cache
  static constexpr Row rows_per_thread = 1u << 15, rows_per_block = 512;

  struct Ranked {
    std::uint32_t column;
    double score, gain;
  };

  bool may_split(Row n_rows) const {
    return n_rows >= options_.min_split_rows && n_rows >= 2 * std::uint64_t{options_.min_leaf_rows};
  }

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

  // The worth of asking a column, if two of its levels could be leaves. As in `multiway`, two parts are scored as a cut.
  void rank(std::uint32_t column, const NodeTargets& node) {
    std::size_t n_large = 0, n_parts = 0;
    const double least = std::max<double>(options_.min_leaf_rows, options_.min_leaf_weight * (1 - 1e-12));
    for (const S& cell : cells_of(column)) {
      const Row n = cell.n_rows();
      n_large += n >= least;
      parts_[n_parts] = cell, n_parts += n > 0;  // one that is empty is written over by the next
    }
    if (n_large < 2) return;
    const std::span<const S> parts{parts_.data(), n_parts};
    const double score = std::max(0.0, n_parts == 2 ? node.score(parts[0]) : node.score.of_parts(parts));
    ranked_.push_back({column, score, criterion_.decrease(score, node)});
  }

  std::optional<ChosenSplit> choose() const {
    if (ranked_.empty()) return std::nullopt;
    RatioGuard guard{options_.ratio.decides ? options_.ratio.guard : Guard::none, data_.n_rows};
    for (const Ranked& ranked : ranked_) guard.add(ranked.gain, data_.columns[ranked.column].n_levels);
    const double slack = tie_factor(options_), least_gain = guard.least_gain();
    const Ranked* best = nullptr;
    double most = 0.0;
    for (const Ranked& ranked : ranked_) {
      if (ranked.gain < least_gain) continue;
      const double worth = options_.ratio.decides    ? ratio_of(ranked)
                           : options_.leaves_aside() ? ranked.gain
                                                     : ranked.score;
      const double merit = worth / options_.cost(ranked.column);
      if (best == nullptr || merit > most * slack) best = &ranked, most = merit;
    }
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
    return bits > 0.0 ? ranked.gain / bits : 0.0;
  }

  void describe(const Ranked& ranked, ChosenSplit& chosen) const {
    const std::uint32_t n_levels = data_.columns[ranked.column].n_levels;
    chosen.column = ranked.column, chosen.score = ranked.score, chosen.gain = ranked.gain;
    ask_every_level(chosen, n_levels, cells_of(ranked.column)[n_levels].n_rows() > 0);
  }

  // Sends every row to its child; where no child can be divided further, only the numbers of the rows.
  void move(Range range, std::uint32_t column, std::vector<Node>& children) {
    const bool with_records = children.front().depth < options_.max_depth &&
                              std::ranges::any_of(children, [&](auto& child) { return may_split(child.range.size()); });
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
  const CountCriterion<C, S>& criterion_;
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
};

}  // namespace arboretum
