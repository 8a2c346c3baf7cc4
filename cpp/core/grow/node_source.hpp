// NodeSource: answers the grow loop's questions about nodes (what is in it, what is its best split, which are its
// children) and hides how: codes, buckets, scratch memory, threads. Faster ways of answering go behind this class.
// Words: Node (a range of rows and what it inherits from its parent).
#pragma once
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/grow/buckets.hpp"
#include "core/grow/partition.hpp"
#include "core/options.hpp"
#include "core/parallel.hpp"
#include "core/questions/levels.hpp"
#include "core/questions/threshold.hpp"

namespace arboretum {

using ColumnList =
    std::shared_ptr<const std::vector<std::uint32_t>>;  // columns that may still vary, shared by siblings

template <Criterion C>
struct Node {
  Range range;
  std::uint32_t depth = 0;
  typename C::NodeScale scale;
  ColumnList columns;
  Bounds bounds;
};

template <Criterion C>
class NodeSource {
 public:
  using Target = typename C::Target;
  using NodeTargets = typename C::NodeTargets;
  using NodeType = Node<C>;
  using SplitType = Split;

  NodeSource(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
             Interrupt& interrupt)
      : data_{data},
        targets_{targets},
        criterion_{criterion},
        options_{options},
        interrupt_{interrupt},
        scratch_(std::max(1u, options.n_threads)) {
    rows_.ids.resize(data.n_rows);
    std::iota(rows_.ids.begin(), rows_.ids.end(), Row{0});
    if constexpr (Foresees<C>) criterion.put_in_order(targets, rows_.ids);
    rows_.targets.resize(data.n_rows);
    rows_.columns.resize(data.columns.size()), sorted_.resize(data.columns.size());
    share(options.n_threads, data.columns.size(),
          [&](std::size_t column, unsigned worker) { read_column(column, worker == 0 ? interrupt : never_); });
  }

  Node<C> root() {
    const Range all{0, data_.n_rows};
    std::vector<std::uint32_t> columns(data_.columns.size());
    std::iota(columns.begin(), columns.end(), 0u);
    return {all,
            0,
            criterion_.encode_rows(targets_, rows_.ids_of(all), rows_.targets_of(all)),
            std::make_shared<const std::vector<std::uint32_t>>(std::move(columns)),
            {}};
  }

  // Reads the node's targets. Where they lie so close together that the inherited scale is too coarse, a finer one is
  // chosen: an outlier far above does not blur the nodes it has left.
  NodeTargets open(Node<C>& node) {
    if (criterion_.coarse(node.scale, targets_, rows_.ids_of(node.range)))
      node.scale = criterion_.encode_rows(targets_, rows_.ids_of(node.range), rows_.targets_of(node.range));
    return criterion_.open(node.scale, targets_, rows_.ids_of(node.range), rows_.targets_of(node.range));
  }

  bool homogeneous(const Node<C>&, const NodeTargets& targets) const { return criterion_.homogeneous(targets); }

  // Columns found constant are dropped from the node, and so from all nodes below it.
  std::optional<Split> best_split(Node<C>& node, const NodeTargets& targets) {
    const std::vector<std::uint32_t>& columns = *node.columns;
    std::vector<std::optional<Split>> best(columns.size());
    std::vector<std::uint8_t> varies(columns.size());
    share(n_workers(node), columns.size(), [&](std::size_t i, unsigned worker) {
      Interrupt& interrupt = worker == 0 ? interrupt_ : never_;
      interrupt.poll();
      varies[i] = arrange_rows(columns[i], node.range, scratch_[worker]);
      if (varies[i]) best[i] = best_of_column(columns[i], node, targets, scratch_[worker], interrupt);
    });
    std::optional<Split> winner;
    for (std::optional<Split>& split : best)
      if (better(split, winner)) winner = std::move(split);
    drop_constant(node, varies);
    return winner;
  }

  ThresholdValue threshold(const Node<C>& node, const Split& split) const {
    if (split.kind != QuestionKind::threshold) return {};
    const ColumnView& column = data_.columns[split.column];
    const auto [low, high] = rows_beside(node.range, split);
    return with_type(column.type, [&]<class T>(std::type_identity<T>) {
      return threshold_between(column.value<T>(low), column.value<T>(high), options_.thresholds);
    });
  }

  // The children, left first.
  std::vector<Node<C>> divide(const Node<C>& node, const Split& split) {
    mark_left(node.range, split);
    Row n_left = 0;
    for (std::uint8_t left : is_left_) n_left += left;
    if (n_left == 0 || n_left == node.range.size())
      throw std::logic_error("a split of " + std::to_string(node.range.size()) + " rows left one side empty");
    divide_array(rows_.ids.data() + node.range.begin, is_left_, id_spill_);
    divide_array(rows_.targets.data() + node.range.begin, is_left_, target_spill_);
    if (node.depth + 1 < options_.max_depth) divide_columns(node, n_left);  // else nobody will ask for them
    Node<C> left{{node.range.begin, node.range.begin + n_left}, node.depth + 1, node.scale, node.columns, node.bounds};
    Node<C> right{{node.range.begin + n_left, node.range.end}, node.depth + 1, node.scale, node.columns, node.bounds};
    if (const int direction = direction_of(split); direction != 0) {
      const double middle = split.left_value / 2 + split.right_value / 2;
      (direction > 0 ? left.bounds.upper : left.bounds.lower) = middle;
      (direction > 0 ? right.bounds.lower : right.bounds.upper) = middle;
    }
    return {std::move(left), std::move(right)};
  }

  std::span<const Row> rows_of(Range range) const { return rows_.ids_of(range); }

 private:
  struct Scratch {
    Buckets<Target> buckets;
    std::span<const SortedRow> rows;  // in the order of their values
    std::vector<SortedRow> sorted;
    std::vector<Row> begins;
    typename ForesightOf<C>::type apart, along;
  };

  std::span<const Target> targets_of(Range range) { return rows_.targets_of(range); }

  // Threads pay off only where there is much to read.
  unsigned n_workers(const Node<C>& node) const {
    return std::uint64_t{node.range.size()} * node.columns->size() < 100'000 ? 1 : options_.n_threads;
  }

  void read_column(std::size_t column, Interrupt& interrupt) {
    CodedColumn& coded = rows_.columns[column];
    coded = encode_column(data_.columns[column], data_.n_rows, options_.max_bins, interrupt);
    if constexpr (Foresees<C>) coded.arrange(rows_.ids);
    if (!foresees(column) || coded.few()) return;
    sorted_[column] = SortedColumn{coded};
    coded.codes = {};  // from here on the sorted rows carry them
  }

  bool foresees(std::size_t column) const {
    return Foresees<C> && options_.fast && rows_.columns[column].kind != Kind::nominal;
  }

  // Puts the rows of the node in the order of their values: in buckets, or one by one where cuts are foreseen. Few codes
  // are sorted here and now, which takes less memory. False if the column is constant in this node.
  bool arrange_rows(std::uint32_t column, Range range, Scratch& scratch) {
    const CodedColumn& coded = rows_.columns[column];
    if (!foresees(column)) {
      coded.with_codes(
          [&](const auto* codes) { scratch.buckets.fill(codes + range.begin, targets_of(range), coded.n_codes); });
      return !scratch.buckets.constant();
    }
    if (sorted_[column].empty()) {
      coded.with_codes([&]<class Width>(const Width* codes) {
        sort_by_code(std::span<const Width>{codes + range.begin, range.size()}, coded.n_codes, scratch.sorted,
                     scratch.begins);
      });
    }
    scratch.rows = sorted_[column].empty() ? scratch.sorted : sorted_[column].rows_of(range);
    return scratch.rows.front().code != scratch.rows.back().code;
  }

  std::optional<Split> best_of_column(std::uint32_t column, const Node<C>& node, const NodeTargets& targets,
                                      Scratch& scratch, Interrupt& interrupt) {
    Contest<C> contest{criterion_, targets, limits(column, node, targets), interrupt};
    std::optional<Split> best;
    if (foresees(column)) {
      best = best_foreseen(column, node.range, contest, scratch);
    } else if (rows_.columns[column].kind != Kind::nominal) {
      best = best_threshold(contest, scratch.buckets);
    } else {
      const NodeLevels<C> present = levels_of(targets, scratch.buckets);
      LevelQuestions<C> levels{contest, present};
      best = options_.nominal == Nominal::subset ? levels.best_subset(options_.max_exhaustive_levels)
                                                 : levels.best_one_vs_rest();
    }
    if (best) best->column = column;
    return best;
  }

  std::optional<Split> best_foreseen(std::uint32_t column, Range range, Contest<C>& contest, Scratch& scratch) {
    const Code missing_code = rows_.columns[column].n_codes;
    if constexpr (Foresees<C>) {
      if (offer_foreseen(contest, scratch.rows, missing_code, scratch.apart, scratch.along)) return contest.take_best();
    }
    scratch.buckets.fill(scratch.rows, targets_of(range), missing_code);
    return best_threshold(contest, scratch.buckets);
  }

  NodeLevels<C> levels_of(const NodeTargets& targets, const Buckets<Target>& buckets) const {
    NodeLevels<C> levels;
    levels.buckets.reserve(buckets.size());
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      levels.codes.push_back(buckets.code(b));
      levels.buckets.push_back(criterion_.bucket(targets, buckets[b]));
    }
    if (!buckets.missing().empty()) levels.missing = criterion_.bucket(targets, buckets.missing());
    return levels;
  }

  Limits limits(std::uint32_t column, const Node<C>& node, const NodeTargets& targets) const {
    const double unit = targets.weight() / static_cast<double>(targets.fixed_weight());
    return {options_.min_leaf_rows, static_cast<Fixed>(std::ceil(options_.min_leaf_weight / unit * (1 - 1e-12))),
            !options_.monotone.empty(), options_.monotone.empty() ? 0 : options_.monotone[column], node.bounds};
  }

  int direction_of(const Split& split) const {
    const bool ordered = split.kind == QuestionKind::threshold;
    return ordered && !options_.monotone.empty() ? options_.monotone[split.column] : 0;
  }

  void drop_constant(Node<C>& node, const std::vector<std::uint8_t>& varies) {
    std::vector<std::uint32_t> kept;
    for (std::size_t i = 0; i < varies.size(); ++i)
      if (varies[i]) kept.push_back((*node.columns)[i]);
    if (kept.size() < varies.size()) node.columns = std::make_shared<const std::vector<std::uint32_t>>(std::move(kept));
  }

  // A row with the largest value left of the cut, and one with the smallest value right of it. Buckets of several values
  // have fixed borders, the same in every node.
  std::pair<Row, Row> rows_beside(Range range, const Split& split) const {
    const CodedColumn& coded = rows_.columns[split.column];
    if (coded.binned()) return {coded.highest_row[split.cut], coded.lowest_row[split.cut + 1]};
    if (!sorted_[split.column].empty()) {
      const auto rows = sorted_[split.column].rows_of(range);
      const auto next = std::ranges::upper_bound(rows, split.cut, {}, &SortedRow::code);
      return {rows_.ids[range.begin + std::prev(next)->position], rows_.ids[range.begin + next->position]};
    }
    return coded.with_codes([&](const auto* codes) {
      auto row_with = [&](Code code) {
        Row i = range.begin;
        while (codes[i] != code) ++i;
        return rows_.ids[i];
      };
      return std::pair{row_with(split.cut), row_with(split.next)};
    });
  }

  void mark_left(Range range, const Split& split) {
    is_left_.resize(range.size());
    switch (split.kind) {
      case QuestionKind::threshold: mark(range, split, [&](Code code) { return code <= split.cut; }); break;
      case QuestionKind::missing: mark(range, split, [](Code) { return false; }); break;
      case QuestionKind::levels: {
        level_is_left_.resize(std::max<std::size_t>(level_is_left_.size(), rows_.columns[split.column].n_codes));
        for (const auto& [level, left] : split.levels) level_is_left_[level] = left;
        mark(range, split, [&](Code code) { return level_is_left_[code] != 0; });
        break;
      }
      case QuestionKind::leaf: throw std::logic_error("a leaf has no question to divide by");
    }
  }

  template <class GoesLeft>
  void mark(Range range, const Split& split, GoesLeft&& goes_left) {
    const CodedColumn& coded = rows_.columns[split.column];
    auto side = [&](Code code) { return code == coded.n_codes ? split.missing_left : goes_left(code); };
    if (!sorted_[split.column].empty()) {
      for (const SortedRow& row : sorted_[split.column].rows_of(range)) is_left_[row.position] = side(row.code);
    } else {
      coded.with_codes([&](const auto* codes) {
        for (Row i = 0; i < range.size(); ++i) is_left_[i] = side(codes[range.begin + i]);
      });
    }
  }

  void divide_columns(const Node<C>& node, Row n_left) {
    if constexpr (Foresees<C>) note_moves(n_left);
    for (std::uint32_t column : *node.columns) {
      interrupt_.poll();
      if (!sorted_[column].empty()) {
        sorted_[column].divide(node.range, moved_, n_left, sorted_spill_);
        continue;
      }
      rows_.columns[column].with_codes([&]<class Width>(Width* codes) {
        divide_array(codes + node.range.begin, is_left_, std::get<std::vector<Width>>(code_spill_));
      });
    }
  }

  // Where in the range of its node each row goes.
  void note_moves(Row n_left) {
    moved_.resize(is_left_.size());
    Row left = 0, right = n_left;
    for (std::size_t i = 0; i < is_left_.size(); ++i) {
      moved_[i] = is_left_[i] ? left : right;
      left += is_left_[i] != 0, right += is_left_[i] == 0;
    }
  }

  const Dataset& data_;
  const Targets& targets_;
  const C& criterion_;
  const GrowOptions& options_;
  Interrupt& interrupt_;
  Interrupt never_;  // for threads that have nobody to ask
  Rows<Target> rows_;
  std::vector<SortedColumn> sorted_;  // by column; empty where its codes are kept in rows_
  std::vector<Scratch> scratch_;      // one per thread
  std::vector<std::uint8_t> is_left_, level_is_left_;
  std::vector<Row> id_spill_, moved_;
  std::vector<SortedRow> sorted_spill_;
  std::vector<Target> target_spill_;
  std::tuple<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> code_spill_;
};

}  // namespace arboretum
