// FastSource: the node source that finds the same splits sooner, by bounds (FastSearch). Large nodes keep a histogram
// per column: the smaller child is counted, the larger one is what is left. Small nodes work on sorted lists
// (SmallRows). Where each node draws its columns, codes and lists of the others are left alone: codes are fetched from the
// table for the columns of the node at hand, and a small node sorts only these.
#pragma once
#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/grow/column_draw.hpp"
#include "core/grow/limits.hpp"
#include "core/grow/partition.hpp"
#include "core/grow/report.hpp"
#include "core/grow/stopping.hpp"
#include "core/interrupt.hpp"
#include "core/options.hpp"
#include "core/parallel.hpp"
#include "core/sources/coarse_rows.hpp"
#include "core/sources/fast_rows.hpp"
#include "core/sources/fast_search.hpp"
#include "core/sources/fast_split.hpp"
#include "core/sources/histogram.hpp"
#include "core/sources/small_rows.hpp"

namespace arboretum {

template <class S>
class FastSource : public RowsOfNodes {
 public:
  using Target = typename S::Target;
  using SplitType = FastSplit<S>;
  static constexpr bool on_classes = requires { S::most_classes; };

  struct Node {
    Range range;
    std::uint32_t depth = 0;
    Bounds bounds{};
    S total{};
    const FastScale* scale = nullptr;
    std::uint32_t columns_begin = 0, n_columns = 0;  // slice of the stack of columns that may still vary
    bool loaded = false;                             // its sorted lists are in place
    bool same_targets = false;                       // numbers: all equal
    std::vector<ColumnHistogram<S>> histogram{};     // large nodes, one per column
    DrawKey key = 0;
  };

  FastSource(const Dataset& data, const Targets& targets, const FastForm<S>& form, const GrowOptions& options,
             Interrupt& interrupt, FastRows<S>& rows, unsigned n_workers)
      : data_{data},
        targets_{targets},
        form_{form},
        options_{options},
        interrupt_{interrupt},
        rows_{rows.rows},
        row_targets_{rows.targets},
        small_{data},
        search_{form.search({data, rows_, row_targets_, small_, singles_})},
        mask_(rows_.n_rows() / 8 + 2 * padding),
        places_(n_workers, Workplace{.hits = std::vector<std::uint8_t>(rows_.n_rows() / 8 + 2 * padding)}),
        parts_(n_workers),
        draw_{options, data.columns.size()} {}
  FastSource(const FastSource&) = delete;

  // A node that another source has divided off, with the columns that may still vary in it.
  Node adopt(Node node, const std::vector<std::uint32_t>& columns) {
    stack_ = columns;
    node.columns_begin = 0;
    return node;
  }
  std::vector<std::uint32_t> columns_of_node(const Node& node) const {
    return {columns_of(node).begin(), columns_of(node).end()};
  }

  Node root() {
    Node node{.range = {0, rows_.n_rows()}, .key = options_.draw_seed};
    rescale(node, targets_.scale);
    stack_.resize(data_.columns.size());
    std::iota(stack_.begin(), stack_.end(), 0u);
    node.n_columns = static_cast<std::uint32_t>(stack_.size());
    if (!is_small(node) && !draw_.draws()) {
      node.histogram.resize(node.n_columns);
      share(n_workers(node), node.n_columns, [&](std::size_t c, unsigned worker) {
        of(worker).poll();
        count_all(node, c);
      });
    }
    return node;
  }

  FastSummary<S> summarise(const Node& node) const { return {node.total, *node.scale}; }
  bool homogeneous(const Node& node, const FastSummary<S>&) const { return is_pure(node); }
  double impurity(const FastSummary<S>& node) const
    requires on_classes
  {
    return form_.impurity(node.total);
  }
  double gain(const SplitType& split, const FastSummary<S>& node) const { return form_.decrease(split.score, node); }
  double corrected_gain(const SplitType& split, const FastSummary<S>& node) const {
    return form_.decrease(split.score - split.by_chance, node);
  }

  std::optional<SplitType> best_split(Node& node, const FastSummary<S>& summary) {
    interrupt_.poll();
    if (draw_.draws()) return best_of_drawn(node, summary);
    if (options_.order == Order::depth_first)
      stack_.resize(node.columns_begin + node.n_columns);  // the rest belonged to finished subtrees
    SplitType best = is_small(node) ? best_of_small(node, summary) : best_of_large(node, summary);
    // Many nodes may be waiting best-first; their histograms would fill the memory. The children are counted anew.
    if (options_.order == Order::best_first) node.histogram = {};
    if (!best.found) return std::nullopt;
    return best;
  }

  ThresholdValue threshold(const Node&, const SplitType& split) const {
    return rows_.threshold(split, options_.cut_rule(split.column));
  }

  // The children, left first.
  std::array<Node, 2> divide(Node& node, const SplitType& split) {
    Node left{.range = {node.range.begin, node.range.begin + split.left.n_rows()},
              .depth = node.depth + 1,
              .bounds = node.bounds};
    left.columns_begin = node.columns_begin, left.n_columns = node.n_columns, left.loaded = node.loaded;
    left.total = split.left, left.scale = node.scale, left.key = child_key(node.key, 0);
    Node right = left;
    right.range = {left.range.end, node.range.end};
    right.total = node.total, right.total -= split.left, right.key = child_key(node.key, 1);
    if (split.kind == QuestionKind::threshold)
      narrow(split, direction_of(options_, split.column), left.bounds, right.bounds);
    if (draw_.draws() && is_small(node)) divide_small_drawn(node, split, left, right);
    else if (node.loaded) divide_small(node, split, left, right);
    else divide_large(node, split, left, right);
    return {std::move(left), std::move(right)};
  }

  OwnRows own_rows(Range range, const Range* last_child) const override {
    return {.whole = rows_of({last_child == nullptr ? range.begin : last_child->end, range.end})};
  }

 private:
  std::span<const Row> rows_of(Range range) const { return rows_.ids_of(range); }
  bool simd() const { return options_.simd && has_avx2(); }
  bool is_small(const Node& node) const { return node.range.size() <= small_limit(options_); }
  std::uint32_t wanted(const Node& node) const { return n_buckets_for<S>(node.range.size()); }
  std::span<const std::uint32_t> columns_of(const Node& node) const {
    return {stack_.data() + node.columns_begin, node.n_columns};
  }
  std::span<Target> targets_of(const Node& node) { return {row_targets_.data() + node.range.begin, node.range.size()}; }

  // Only the calling thread can ask whether to stop.
  Interrupt& of(unsigned worker) { return worker == 0 ? interrupt_ : never_; }

  // Threads pay off only where there is much to read.
  unsigned n_workers(const Node& node) const {
    return std::uint64_t{node.range.size()} * node.n_columns < 500'000 ? 1 : static_cast<unsigned>(places_.size());
  }

  bool is_pure(const Node& node) const {
    if constexpr (on_classes) return n_present(node.total) < 2;
    else return node.same_targets;
  }

  // Known before the node is opened: what is divided for such a node is divided in vain.
  bool is_surely_leaf(const Node& node) const {
    return is_pure(node) || is_too_small(options_, node.depth, node.range.size());
  }

  // --- targets
  // ---------------------------------------------------------------------------------------------------------

  // Writes the node's targets on the scale that suits just its rows, and sums them.
  void rescale(Node& node, const FastScale* given = nullptr) {
    scales_.push_back(encode_targets<S>(targets_, form_.centre, rows_of(node.range), targets_of(node), given));
    node.scale = &scales_.back();
    node.total = S{};
    for (const Target& target : targets_of(node)) node.total += S::of(target);
    note_targets(node);
  }

  // The impurity of a leaf is told by its class weights; of numbers, only the search needs the scale.
  bool wants_finer(const Node& node) const {
    return (on_classes || !is_surely_leaf(node)) &&
           is_coarse<S>(*node.scale, targets_, form_.centre, rows_of(node.range));
  }

  void note_targets(Node& node) const {
    if constexpr (on_classes) return;
    const auto ids = rows_of(node.range);
    if (ids.size() == 1) {
      node.same_targets = true;
      return;
    }
    node.same_targets = std::all_of(ids.begin(), ids.end(),
                                    [&](Row id) { return targets_.numbers[id] == targets_.numbers[ids.front()]; });
  }

  // --- small nodes -------------------------------------------------------------------------------------------------

  SplitType best_of_small(Node& node, const FastSummary<S>& summary) {
    if (!node.loaded) {
      const auto from = static_cast<std::uint32_t>(stack_.size());
      for (std::uint32_t c = 0; c < node.n_columns; ++c) stack_.push_back(stack_[node.columns_begin + c]);
      load_small(node, stack_, from);
      node.columns_begin = from, node.n_columns = static_cast<std::uint32_t>(stack_.size()) - from;
      node.loaded = true;
    }
    varying_.clear();
    SplitType best = search_->best_of_small(summary, node.range.begin, columns_of(node),
                                            limits_of(options_, summary, node.bounds), varying_);
    keep_columns(node, varying_);
    return best;
  }

  // Reads the node's rows; of the columns from `from` on, those that vary are kept.
  void load_small(const Node& node, std::vector<std::uint32_t>& columns, std::size_t from) {
    const std::span<const Target> targets{row_targets_.data() + node.range.begin, node.range.size()};
    for (std::size_t i = 0; i < targets.size(); ++i) singles_[i] = S::of(targets[i]);
    small_.load(rows_of(node.range), rows_.columns, node.range.begin, columns, from);
  }

  void keep_columns(Node& node, const std::vector<std::uint32_t>& columns) {
    if (columns.size() == node.n_columns) return;
    node.columns_begin = static_cast<std::uint32_t>(stack_.size()),
    node.n_columns = static_cast<std::uint32_t>(columns.size());
    stack_.insert(stack_.end(), columns.begin(), columns.end());
  }

  void divide_small(Node& node, const SplitType& split, Node& left, Node& right) {
    confirm(small_.divide_rows(split, node.range.begin, node.range.size(), rows_.ids.data() + node.range.begin), left);
    note_targets(left), note_targets(right);
    if (!is_surely_leaf(left) || !is_surely_leaf(right))
      small_.divide_lists(node.range.begin, node.range.size(), columns_of(node));
    for (Node* child : {&left, &right}) {
      if (!wants_finer(*child)) continue;
      rescale(
          *child);  // the targets of loaded rows are out of order: those of the child are written anew, in its order
      const std::span<const Target> targets = targets_of(*child);
      const Place* order = small_.order(child->range.begin);
      for (std::size_t i = 0; i < targets.size(); ++i) singles_[order[i]] = S::of(targets[i]);
    }
  }

  static void confirm(Row n_left, const Node& left) {
    if (n_left != left.range.size())
      throw std::logic_error("a split promised " + std::to_string(left.range.size()) + " rows, but " +
                             std::to_string(n_left) + " went left");
  }

  // --- nodes that draw their columns -------------------------------------------------------------------------------

  std::optional<SplitType> best_of_drawn(const Node& node, const FastSummary<S>& summary) {
    return draw_.best(node.key, [&](std::span<const std::uint32_t> columns) -> std::optional<SplitType> {
      drawn_.assign(columns.begin(), columns.end());
      if (rows_.coded())
        for (const std::uint32_t column : drawn_) rows_.fetch_codes(column, node.range);
      SplitType best = is_small(node) ? best_of_small_drawn(node, summary) : best_of_large_drawn(node, summary);
      if (!best.found) return std::nullopt;
      return best;
    });
  }

  SplitType best_of_small_drawn(const Node& node, const FastSummary<S>& summary) {
    load_small(node, drawn_, 0);
    varying_.clear();
    return search_->best_of_small(summary, node.range.begin, drawn_, limits_of(options_, summary, node.bounds),
                                  varying_);
  }

  SplitType best_of_large_drawn(const Node& node, const FastSummary<S>& summary) {
    drawn_histograms_.resize(drawn_.size());
    std::size_t n_kept = 0;
    for (const std::uint32_t column : drawn_) {
      ColumnHistogram<S>& histogram = drawn_histograms_[n_kept];
      count_all(histogram, node, rows_.columns[column]);
      if (varies(histogram, rows_.columns[column])) drawn_[n_kept++] = column;
    }
    drawn_.resize(n_kept), drawn_histograms_.resize(n_kept);
    return best_among(node, summary, drawn_, drawn_histograms_);
  }

  // The rows are those that were loaded last. All that follows them are their targets.
  void divide_small_drawn(const Node& node, const SplitType& split, Node& left, Node& right) {
    confirm(small_.divide_rows(split, node.range.begin, node.range.size(), rows_.ids.data() + node.range.begin), left);
    note_targets(left), note_targets(right);
    if (is_surely_leaf(left) && is_surely_leaf(right)) return;
    small_.mark_left(node.range.size(), mask_.data());
    divide_values(row_targets_.data(), node.range, mask_.data(), places_[0].spill, simd());
    for (Node* child : {&left, &right})
      if (wants_finer(*child)) rescale(*child);
  }

  // --- large nodes -------------------------------------------------------------------------------------------------

  SplitType best_of_large(Node& node, const FastSummary<S>& summary) {
    drop_constant_columns(node);
    return best_among(node, summary, columns_of(node), node.histogram);
  }

  SplitType best_among(const Node& node, const FastSummary<S>& summary, std::span<const std::uint32_t> columns,
                       std::span<const ColumnHistogram<S>> histograms) {
    const LargeNode<S> large{node.range, summary, columns, histograms, limits_of(options_, summary, node.bounds)};
    SplitType best = search_->best_of_large(large, std::span{places_}.first(n_workers(node)), interrupt_);
    if (best.found && best.kind == QuestionKind::threshold && !best.has_values)
      rows_.find_values(node.range, best, places_[0], simd());
    return best;
  }

  void drop_constant_columns(Node& node) {
    std::vector<std::uint32_t>& kept = varying_;
    kept.clear();
    std::size_t n_kept = 0;
    for (std::uint32_t c = 0; c < node.n_columns; ++c) {
      const std::uint32_t f = columns_of(node)[c];
      if (!varies(node.histogram[c], rows_.columns[f])) continue;
      if (n_kept != c) node.histogram[n_kept] = std::move(node.histogram[c]);
      ++n_kept;
      kept.push_back(f);
    }
    node.histogram.resize(n_kept);
    keep_columns(node, kept);
  }

  void divide_large(Node& node, const SplitType& split, Node& left, Node& right) {
    rows_.mark_left(node.range, split, mask_.data(), levels_, places_[0], simd());
    confirm(rows_.divide_ids(node.range, mask_.data(), places_[0], simd()), left);
    divide_values(row_targets_.data(), node.range, mask_.data(), places_[0].spill, simd());
    note_targets(left), note_targets(right);
    if ((!is_surely_leaf(left) || !is_surely_leaf(right)) && !draw_.draws()) divide_columns(node, left, right);
    for (Node* child : {&left, &right}) {
      if (!wants_finer(*child)) continue;
      rescale(*child);
      for (std::uint32_t c = 0; c < child->histogram.size(); ++c)
        count(child->histogram[c], *child, rows_.columns[columns_of(*child)[c]]);
    }
  }

  // The smaller child is counted, the larger one is the rest.
  void divide_columns(Node& node, Node& left, Node& right) {
    Node& less = left.range.size() < right.range.size() ? left : right;
    Node& more = left.range.size() < right.range.size() ? right : left;
    const bool count_less = !is_small(less) && !is_surely_leaf(less),
               count_more = !is_small(more) && !is_surely_leaf(more);
    if (count_less) less.histogram.resize(node.n_columns);
    if (count_more && node.histogram.empty()) more.histogram.resize(node.n_columns);
    share(n_workers(node), node.n_columns, [&](std::size_t c, unsigned worker) {
      const CoarseColumn& column = rows_.columns[columns_of(node)[c]];
      rows_.divide_codes(columns_of(node)[c], node.range, mask_.data(), places_[worker], simd());
      if (!count_less && !count_more) return;
      of(worker).poll();
      if (node.histogram.empty()) {
        if (count_less) count_all(less, c);
        if (count_more) count_all(more, c);
        return;
      }
      ColumnHistogram<S>& part = parts_[worker];
      part.view = node.histogram[c].view;
      count(part, less, column);
      if (count_more) {
        if (options_.subtraction) node.histogram[c].subtract(part);
        else count(node.histogram[c], more, column);
        fit_or_recount(node.histogram[c], more, column);
      }
      if (count_less) {
        fit_or_recount(part, less, column);
        less.histogram[c] = std::move(part);
      }
    });
    if (count_more && !node.histogram.empty()) more.histogram = std::move(node.histogram);
  }

  void count(ColumnHistogram<S>& h, const Node& node, const CoarseColumn& column) {
    column.with_codes([&](const auto* codes) {
      h.count(codes + node.range.begin, row_targets_.data() + node.range.begin, node.total, column,
              node.scale->square_shift);
    });
  }
  void count_all(Node& node, std::size_t c) { count_all(node.histogram[c], node, rows_.columns[columns_of(node)[c]]); }
  void count_all(ColumnHistogram<S>& h, const Node& node, const CoarseColumn& column) {
    h.view = {0, 0, column.n_codes};
    if (column.kind != Kind::nominal) set_shift(h.view, column.n_codes, node);
    count(h, node, column);
    if (column.kind != Kind::nominal) fit_or_recount(h, node, column);
  }
  void set_shift(View& view, std::uint32_t n_codes, const Node& node) const {
    view.shift = 0;
    while ((n_codes >> view.shift) > wanted(node) + wanted(node) / 2) ++view.shift;
    view.n_buckets = (n_codes + (1u << view.shift) - 1) >> view.shift;
  }
  void fit_or_recount(ColumnHistogram<S>& h, const Node& node, const CoarseColumn& column) {
    if (column.kind == Kind::nominal || h.fit(wanted(node))) return;  // levels are not merged
    const std::uint32_t n_codes = h.view.n_buckets << h.view.shift;
    set_shift(h.view, n_codes, node);
    count(h, node, column);
  }

  const Dataset& data_;
  const Targets& targets_;
  const FastForm<S>& form_;
  const GrowOptions& options_;
  Interrupt& interrupt_;
  CoarseRows& rows_;
  std::vector<Target>& row_targets_;
  SmallRows small_;
  std::array<S, most_places> singles_;  // of the rows that are loaded, by place
  std::unique_ptr<FastSearch<S>> search_;
  std::vector<std::uint32_t> stack_, varying_;
  std::vector<std::uint8_t> mask_;
  LevelChildren levels_;
  std::vector<Workplace> places_;  // one per thread
  std::vector<ColumnHistogram<S>> parts_;
  ColumnDraw draw_;
  std::vector<std::uint32_t> drawn_;                  // of the node at hand
  std::vector<ColumnHistogram<S>> drawn_histograms_;  // large nodes, one per column
  Interrupt never_;
  std::deque<FastScale> scales_;  // those in use stay where they are
};

}  // namespace arboretum
