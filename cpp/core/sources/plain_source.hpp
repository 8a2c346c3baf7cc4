// PlainSource: the node source for every criterion and nearly every option. It scores every cut of every column, which
// makes it the reference for faster sources.
#pragma once
#include <atomic>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/grow/column_draw.hpp"
#include "core/grow/limits.hpp"
#include "core/grow/report.hpp"
#include "core/grow/stopping.hpp"
#include "core/options.hpp"
#include "core/parallel.hpp"
#include "core/questions/column_questions.hpp"
#include "core/questions/sorted_threshold.hpp"
#include "core/questions/threshold.hpp"
#include "core/sources/buckets.hpp"
#include "core/sources/coded_rows.hpp"
#include "core/sources/column_list.hpp"
#include "core/sources/surrogate_finder.hpp"

namespace arboretum {

template <Criterion C>
class PlainSource : public RowsOfNodes {
 public:
  using Target = typename C::Target;
  using NodeTargets = typename C::NodeTargets;
  using SplitType = ChosenSplit;

  // A range of rows, and what it inherits from its parent.
  struct Node {
    Range range;
    std::uint32_t depth = 0;
    typename C::NodeScale scale;
    ColumnList columns;
    Bounds bounds;
    DrawKey key;
  };

  PlainSource(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
              Interrupt& interrupt)
      : data_{data},
        targets_{targets},
        criterion_{criterion},
        options_{options},
        interrupt_{interrupt},
        questions_{criterion, options},
        rows_{data, options},
        row_targets_(data.n_rows),
        draw_{options, data.columns.size()},
        scratch_(std::max(1u, options.n_threads)) {
    if constexpr (Foresees<C>) criterion.put_in_order(targets, rows_.ids);
    share(options.n_threads, data.columns.size(), [&](std::size_t column, unsigned worker) {
      rows_.read_column(
          column, Foresees<C>, [&](const CodedColumn& coded) { return keeps_sorted(coded.kind); }, of(worker));
    });
    rows_.note_sorted();
    if (options.missing == Missing::surrogate) surrogates_.emplace(data, targets, options, rows_, interrupt);
  }

  Node root() {
    const Range all{0, data_.n_rows};
    return {all,
            0,
            criterion_.encode_rows(targets_, rows_.ids_of(all), targets_of(all)),
            all_columns(data_.columns.size()),
            {},
            options_.draw_seed};
  }

  // Reads the node's targets. Where they lie so close together that the inherited scale is too coarse, a finer one is
  // chosen: an outlier far above does not blur the nodes it has left.
  NodeTargets summarise(Node& node) {
    if (criterion_.coarse(node.scale, targets_, rows_.ids_of(node.range)))
      node.scale = criterion_.encode_rows(targets_, rows_.ids_of(node.range), targets_of(node.range));
    return criterion_.open(node.scale, targets_, rows_.ids_of(node.range), targets_of(node.range));
  }

  bool homogeneous(const Node&, const NodeTargets& targets) const { return criterion_.homogeneous(targets); }
  double impurity(const NodeTargets& targets) const
    requires requires(const C& criterion) { criterion.impurity(targets); }
  {
    return criterion_.impurity(targets);
  }
  double gain(const ChosenSplit& split, const NodeTargets&) const { return split.gain; }
  double corrected_gain(const ChosenSplit& split, const NodeTargets&) const { return split.corrected; }

  // Columns found constant are dropped from the node, and so from all nodes below it.
  std::optional<ChosenSplit> best_split(Node& node, const NodeTargets& targets) {
    if (options_.choose_columns) return best_of_chosen(node, targets);
    note_classes(node.range, targets);
    best_gain_ = 0.0;
    if (draw_.draws()) return draw_.best(node.key, [&](auto columns) { return best_among(columns, node, targets); });
    std::optional<ChosenSplit> best = best_among(*node.columns, node, targets);
    drop_constant(node.columns, varies_);
    return best;
  }

  double p_value() const { return p_value_; }

  ThresholdValue threshold(const Node& node, const Split& split) const { return rows_.threshold(node.range, split); }

  // Before a node is divided: the surrogates of its split, and where rows go that none of them can send.
  void prepare(const Node& node, ChosenSplit& split) {
    if (surrogates_) surrogates_->prepare(node.range, *node.columns, n_workers(node), split);
    else rows_.mark_children(node.range, split);
  }

  // The children in their order; those of a multiway split may be empty. Rows that go to no child stay at the end.
  std::vector<Node> divide(const Node& node, const ChosenSplit& split) {
    rows_.divide(node.range, split.n_children);
    rows_.move(row_targets_.data() + node.range.begin, target_spill_);
    if (!is_too_small(options_, node.depth + 1, rows_.largest_part()))
      rows_.divide_columns(node.range, *node.columns, interrupt_);  // else nobody will ask for them
    std::vector<Node> children;
    for (std::uint32_t child = 0; child < split.n_children; ++child)
      children.push_back({rows_.part(node.range, child), node.depth + 1, node.scale, node.columns, node.bounds,
                          child_key(node.key, child)});
    if (split.kind == QuestionKind::threshold)
      narrow(split, direction_of(options_, split.column), children[0].bounds, children[1].bounds);
    return children;
  }

  OwnRows own_rows(Range range, const Range* last_child) const override {
    return {.whole = rows_.ids_of({last_child == nullptr ? range.begin : last_child->end, range.end})};
  }

 private:
  struct Scratch {
    Buckets<Target> buckets;
    std::span<const SortedRow> rows;  // in the order of their values
    std::vector<SortedRow> sorted;
    std::vector<Row> begins;
    typename ForesightOf<C>::type apart, along;
  };

  std::span<Target> targets_of(Range range) { return {row_targets_.data() + range.begin, range.size()}; }

  // Only the calling thread can ask whether to stop.
  Interrupt& of(unsigned worker) { return worker == 0 ? interrupt_ : never_; }

  // Threads pay off only where there is much to read.
  unsigned n_workers(const Node& node) const {
    return std::uint64_t{node.range.size()} * node.columns->size() < 100'000 ? 1 : options_.n_threads;
  }

  bool foresees(Kind kind) const { return Foresees<C> && options_.fast && kind != Kind::nominal; }

  // Rows in the order of their values pay off where a column is read more than once in a node.
  bool keeps_sorted(Kind kind) const {
    return foresees(kind) || (options_.missing == Missing::surrogate && options_.fast && !Foresees<C> &&
                              kind != Kind::nominal && !options_.choose_columns);
  }

  // Puts the rows of the node in the order of their values: in buckets, or one by one where cuts are foreseen. Few
  // codes are sorted here and now, which takes less memory. False if the column is constant in this node.
  bool arrange_rows(std::uint32_t column, Range range, Scratch& scratch) {
    const CodedColumn& coded = rows_.columns[column];
    if (!rows_.sorted[column].empty()) {
      scratch.rows = rows_.sorted[column].rows_of(range);
    } else if (foresees(coded.kind)) {
      coded.with_codes([&]<class Width>(const Width* codes) {
        sort_by_code(std::span<const Width>{codes + range.begin, range.size()}, coded.n_codes, scratch.sorted,
                     scratch.begins);
      });
      scratch.rows = scratch.sorted;
    } else {
      coded.with_codes(
          [&](const auto* codes) { scratch.buckets.fill(codes + range.begin, targets_of(range), coded.n_codes); });
      return !scratch.buckets.constant();
    }
    return scratch.rows.front().code != scratch.rows.back().code;
  }

  // The best question about any of these columns; notes which of them vary.
  std::optional<ChosenSplit> best_among(std::span<const std::uint32_t> columns, const Node& node,
                                        const NodeTargets& targets) {
    std::vector<std::optional<Candidate>> best(columns.size());
    varies_.assign(columns.size(), 0);
    share(n_workers(node), columns.size(), [&](std::size_t i, unsigned worker) {
      of(worker).poll();
      varies_[i] = arrange_rows(columns[i], node.range, scratch_[worker]);
      if (varies_[i]) best[i] = best_of_column(columns[i], node, targets, scratch_[worker], of(worker));
      if (best[i]) raise_best_gain(best[i]->corrected / options_.cost(columns[i]));
    });
    return choose(std::move(best), data_, options_);
  }

  // The best question of the first chosen column that has one.
  std::optional<ChosenSplit> best_of_chosen(const Node& node, const NodeTargets& targets) {
    const ColumnChoice choice = options_.choose_columns(rows_.ids_of(node.range), {});
    p_value_ = choice.p_value;
    auto best_of = [&](std::uint32_t column) -> std::optional<Candidate> {
      interrupt_.poll();
      if (!arrange_rows(column, node.range, scratch_[0])) return std::nullopt;
      return best_of_column(column, node, targets, scratch_[0], interrupt_);
    };
    return first_of(choice.columns, *node.columns, options_, best_of);
  }

  std::optional<Candidate> best_of_column(std::uint32_t column, const Node& node, const NodeTargets& targets,
                                          Scratch& scratch, Interrupt& interrupt) {
    Limits own = limits_of(options_, targets, node.bounds);
    own.direction = direction_of(options_, column);
    std::optional<Candidate> best;
    if (foresees(rows_.columns[column].kind))
      best = best_foreseen(column, node.range, targets, own, scratch, interrupt);
    else if (!rows_.sorted[column].empty()) best = best_of_sorted(column, node.range, targets, own, scratch, interrupt);
    else best = questions_.best(data_.columns[column], scratch.buckets, targets, own, interrupt);
    if (best) best->column = column;
    return best;
  }

  std::optional<Candidate> best_foreseen(std::uint32_t column, Range range, const NodeTargets& targets,
                                         const Limits& own, Scratch& scratch, Interrupt& interrupt) {
    const Code missing_code = rows_.columns[column].n_codes;
    if constexpr (Foresees<C>) {
      if (!options_.leaves_aside() || scratch.rows.back().code != missing_code) {
        Contest<C> contest{criterion_, targets, own, interrupt};
        if (offer_foreseen(contest, scratch.rows, missing_code, scratch.apart, scratch.along))
          return questions_.measure(contest.take_best(), contest.n_admissible(), targets, targets);
      }
    }
    scratch.buckets.fill(scratch.rows, targets_of(range), missing_code);
    return questions_.best(data_.columns[column], scratch.buckets, targets, own, interrupt);
  }

  // Rows in order are kept only where those that miss the value are left aside.
  std::optional<Candidate> best_of_sorted(std::uint32_t column, Range range, const NodeTargets& targets,
                                          const Limits& own, const Scratch& scratch, Interrupt& interrupt) {
    if constexpr (requires { criterion_.without(targets, criterion_.bucket(targets, targets_of(range))); }) {
      if (!is_second_.empty()) return best_of_two(column, targets, own, scratch.rows);
      auto left_out = criterion_.bucket(targets, {});
      std::span<const SortedRow> rows = scratch.rows;
      for (; !rows.empty() && rows.back().code == rows_.columns[column].n_codes; rows = rows.first(rows.size() - 1))
        left_out.add(targets_of(range)[rows.back().position]);
      if (rows.size() < 2) return std::nullopt;
      if (left_out.n_rows == 0) return best_of_sorted(rows, range, targets, targets, own, interrupt);
      return best_of_sorted(rows, range, criterion_.without(targets, left_out), targets, own, interrupt);
    } else {
      throw std::logic_error("rows are kept in the order of their values for a criterion that cannot use it");
    }
  }

  std::optional<Candidate> best_of_sorted(std::span<const SortedRow> rows, Range range, const NodeTargets& known,
                                          const NodeTargets& targets, const Limits& own, Interrupt& interrupt) {
    Contest<C> contest{criterion_, known, questions_.cut_limits(own, known), interrupt};
    std::optional<Split> split = best_sorted_threshold<C>(contest, rows, targets_of(range));
    return questions_.measure(std::move(split), contest.n_admissible(), known, targets);
  }

  // The same, reading no more than a byte a row.
  std::optional<Candidate> best_of_two(std::uint32_t column, const NodeTargets& targets, const Limits& own,
                                       std::span<const SortedRow> rows) const {
    if constexpr (C::target == TargetKind::classes) {
      auto ones = static_cast<Row>(targets.total.counts[targets.present.back()]);
      for (; !rows.empty() && rows.back().code == rows_.columns[column].n_codes; rows = rows.first(rows.size() - 1))
        ones -= is_second_[rows.back().position];
      const auto known = static_cast<double>(rows.size());
      const double gain_to_beat = best_gain_.load(std::memory_order_relaxed) * options_.cost(column);
      const double to_beat = gain_to_beat * known * targets.weight();
      std::optional<Split> split = best_cut_of_two(rows, is_second_, ones, own, to_beat);
      if (!split) return std::nullopt;
      const double decrease = criterion_.scoring->decrease(split->score, known);
      return questions_.with_gain(*std::move(split), decrease, known / targets.weight());
    }
    return std::nullopt;
  }

  // What other columns gain need only be known if it is more; unless they are to be remembered.
  void raise_best_gain(double gain) {
    if (options_.competitors > 0) return;
    double known = best_gain_.load(std::memory_order_relaxed);
    while (gain > known && !best_gain_.compare_exchange_weak(known, gain, std::memory_order_relaxed)) {
    }
  }

  // One byte a row tells two classes apart, where rows count 1; else there is none.
  void note_classes(Range range, const NodeTargets& targets) {
    if constexpr (C::target == TargetKind::classes) {
      is_second_.clear();
      if (!criterion_.scoring->squares_of_two || options_.ratio.decides || !rows_.any_sorted() ||
          !targets_.weights.empty() || targets.present.size() != 2)
        return;
      for (const Target& target : targets_of(range)) is_second_.push_back(target.label == targets.present.back());
    }
  }

  const Dataset& data_;
  const Targets& targets_;
  const C& criterion_;
  const GrowOptions& options_;
  Interrupt& interrupt_;
  Interrupt never_;  // for threads that have nobody to ask
  ColumnQuestions<C> questions_;
  CodedRows rows_;
  std::vector<Target> row_targets_, target_spill_;
  std::optional<SurrogateFinder> surrogates_;
  ColumnDraw draw_;
  std::vector<Scratch> scratch_;         // one per thread
  std::vector<std::uint8_t> varies_;     // of the columns that were looked at last
  std::atomic<double> best_gain_ = 0.0;  // for a column of cost 1, among those looked at in the node at hand
  double p_value_ = 1.0;                 // of the node at hand, where a test chooses the columns
  std::vector<std::uint8_t> is_second_;  // of the node at hand, see `note_classes`
};

}  // namespace arboretum
