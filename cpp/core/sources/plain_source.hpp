// NodeSource: answers the grow loop's questions about nodes (what is in it, what is its best split, which are its
// children) and hides how: codes, buckets, scratch memory, threads. Faster ways of answering go behind this class.
// Words: Node (a range of rows and what it inherits from its parent).
#pragma once
#include <atomic>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/grow/partition.hpp"
#include "core/options.hpp"
#include "core/parallel.hpp"
#include "core/questions/column_questions.hpp"
#include "core/questions/sorted_threshold.hpp"
#include "core/questions/surrogates.hpp"
#include "core/questions/threshold.hpp"
#include "core/sources/buckets.hpp"

namespace arboretum {

using ColumnList =
    std::shared_ptr<const std::vector<std::uint32_t>>;  // columns that may still vary, shared by siblings

inline void drop_constant(ColumnList& columns, const std::vector<std::uint8_t>& varies) {
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < varies.size(); ++i)
    if (varies[i]) kept.push_back((*columns)[i]);
  if (kept.size() < varies.size()) columns = std::make_shared<const std::vector<std::uint32_t>>(std::move(kept));
}

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
  using SplitType = ChosenSplit;

  NodeSource(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
             Interrupt& interrupt)
      : data_{data},
        targets_{targets},
        criterion_{criterion},
        options_{options},
        interrupt_{interrupt},
        questions_{criterion, options},
        scratch_(std::max(1u, options.n_threads)) {
    rows_.ids.resize(data.n_rows);
    std::iota(rows_.ids.begin(), rows_.ids.end(), Row{0});
    if constexpr (Foresees<C>) criterion.put_in_order(targets, rows_.ids);
    rows_.targets.resize(data.n_rows);
    rows_.columns.resize(data.columns.size()), sorted_.resize(data.columns.size());
    share(options.n_threads, data.columns.size(),
          [&](std::size_t column, unsigned worker) { read_column(column, worker == 0 ? interrupt : never_); });
    any_sorted_ = std::ranges::any_of(sorted_, [](const SortedColumn& column) { return !column.empty(); });
    if (options.missing == Missing::surrogate) weigh_rows();
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
  const Dataset& data() const { return data_; }
  double size(const Node<C>& node, const NodeTargets&) const { return node.range.size(); }
  double gain(const ChosenSplit& split, const NodeTargets&) const { return split.gain; }

  // Columns found constant are dropped from the node, and so from all nodes below it.
  std::optional<ChosenSplit> best_split(Node<C>& node, const NodeTargets& targets) {
    const std::vector<std::uint32_t>& columns = *node.columns;
    note_classes(node.range, targets);
    best_gain_ = 0.0;
    std::vector<std::optional<Candidate>> best(columns.size());
    std::vector<std::uint8_t> varies(columns.size());
    share(n_workers(node), columns.size(), [&](std::size_t i, unsigned worker) {
      Interrupt& interrupt = worker == 0 ? interrupt_ : never_;
      interrupt.poll();
      varies[i] = arrange_rows(columns[i], node.range, scratch_[worker]);
      if (varies[i]) best[i] = best_of_column(columns[i], node, targets, scratch_[worker], interrupt);
      if (best[i]) raise_best_gain(best[i]->gain / options_.cost(columns[i]));
    });
    drop_constant(node.columns, varies);
    return choose(std::move(best), data_, options_);
  }

  ThresholdValue threshold(const Node<C>& node, const Split& split) const {
    if (split.kind != QuestionKind::threshold) return {};
    const ColumnView& column = data_.columns[split.column];
    const auto [low, high] = rows_beside(node.range, split);
    return with_type(column.type, [&]<class T>(std::type_identity<T>) {
      return threshold_between(column.value<T>(low), column.value<T>(high), options_.thresholds);
    });
  }

  // Before a node is divided: the surrogates of its split, and where rows go that none of them can send.
  void prepare(const Node<C>& node, ChosenSplit& split) {
    if (options_.missing != Missing::surrogate) return;
    mark_children(node.range, split);
    split.missing_seen = std::ranges::find(child_, split.n_children) != child_.end();
    split.missing_stays = options_.surrogates.send != Send::always;
    find_surrogates(node, split);
    if (split.missing_seen) send_missing(node.range, split);
  }

  // The children in their order; those of a multiway split may be empty. Rows that go to no child stay at the end.
  std::vector<Node<C>> divide(const Node<C>& node, const ChosenSplit& split) {
    if (options_.missing != Missing::surrogate) mark_children(node.range, split);  // else `prepare` has done so
    const bool two_way = divide_rows(node, split);
    if (node.depth + 1 < options_.max_depth && largest_part() >= options_.min_split_rows &&
        largest_part() >= std::uint64_t{2} * options_.min_leaf_rows)
      divide_columns(node, two_way);  // else nobody will ask for them
    std::vector<Node<C>> children;
    for (std::uint32_t child = 0; child < split.n_children; ++child) {
      const Range range{node.range.begin + part_begins_[child], node.range.begin + part_begins_[child + 1]};
      children.push_back({range, node.depth + 1, node.scale, node.columns, node.bounds});
    }
    if (split.kind == QuestionKind::threshold && !options_.monotone.empty())
      narrow(split, options_.monotone[split.column], children[0].bounds, children[1].bounds);
    return children;
  }

  // Calls see(row, share) for the rows that belong to this node and no child: all those of a leaf, and of an inner node those
  // behind its last child. A row is here with a share of 1.
  template <class See>
  void each_own_row(Range range, const Range* last_child, See&& see) const {
    const Row begin = last_child == nullptr ? range.begin : last_child->end;
    for (const Row row : rows_.ids_of({begin, range.end})) see(row, 1.0);
  }

 private:
  struct Scratch {
    Buckets<Target> buckets;
    std::span<const SortedRow> rows;  // in the order of their values
    std::vector<SortedRow> sorted;
    std::vector<Row> begins;
    std::vector<Lean> leans;
    std::vector<std::uint8_t> seen;
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
    if (!keeps_sorted(column) || coded.few()) return;
    sorted_[column] = SortedColumn{coded};
    coded.codes = {};  // from here on the sorted rows carry them
  }

  bool foresees(std::size_t column) const {
    return Foresees<C> && options_.fast && rows_.columns[column].kind != Kind::nominal;
  }

  // Rows in the order of their values pay off where a column is read more than once in a node.
  bool keeps_sorted(std::size_t column) const {
    return foresees(column) || (options_.missing == Missing::surrogate && options_.fast && !Foresees<C> &&
                                rows_.columns[column].kind != Kind::nominal);
  }

  // Puts the rows of the node in the order of their values: in buckets, or one by one where cuts are foreseen. Few codes
  // are sorted here and now, which takes less memory. False if the column is constant in this node.
  bool arrange_rows(std::uint32_t column, Range range, Scratch& scratch) {
    const CodedColumn& coded = rows_.columns[column];
    if (!sorted_[column].empty()) {
      scratch.rows = sorted_[column].rows_of(range);
    } else if (foresees(column)) {
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

  std::optional<Candidate> best_of_column(std::uint32_t column, const Node<C>& node, const NodeTargets& targets,
                                          Scratch& scratch, Interrupt& interrupt) {
    const Limits own = limits(column, node, targets);
    std::optional<Candidate> best;
    if (foresees(column)) best = best_foreseen(column, node.range, targets, own, scratch, interrupt);
    else if (!sorted_[column].empty()) best = best_of_sorted(column, node.range, targets, own, scratch, interrupt);
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

  // The same, without a look at more than a byte a row.
  std::optional<Candidate> best_of_two(std::uint32_t column, const NodeTargets& targets, const Limits& own,
                                       std::span<const SortedRow> rows) const {
    if constexpr (std::is_same_v<C, Gini>) {
      auto ones = static_cast<Row>(targets.total.counts[targets.present.back()]);
      for (; !rows.empty() && rows.back().code == rows_.columns[column].n_codes; rows = rows.first(rows.size() - 1))
        ones -= is_second_[rows.back().position];
      const auto known = static_cast<double>(rows.size());
      const double gain_to_beat = best_gain_.load(std::memory_order_relaxed) * options_.cost(column);
      const double to_beat = gain_to_beat * known * targets.weight();
      std::optional<Split> split = best_cut_of_two(rows, is_second_, ones, own, to_beat);
      if (!split) return std::nullopt;
      const double decrease = Gini::decrease_of(split->score, known);
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
    if constexpr (std::is_same_v<C, Gini>) {
      is_second_.clear();
      if (!any_sorted_ || !targets_.weights.empty() || targets.present.size() != 2) return;
      for (const Target& target : targets_of(range)) is_second_.push_back(target.label == targets.present.back());
    }
  }

  Limits limits(std::uint32_t column, const Node<C>& node, const NodeTargets& targets) const {
    const double unit = targets.weight() / static_cast<double>(targets.fixed_weight());
    return {options_.min_leaf_rows, static_cast<Fixed>(std::ceil(options_.min_leaf_weight / unit * (1 - 1e-12))),
            !options_.monotone.empty(), options_.monotone.empty() ? 0 : options_.monotone[column], node.bounds};
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

  // Which child each row of the node goes to; `n_children` where the split cannot tell.
  void mark_children(Range range, const Split& split) {
    child_.resize(range.size());
    const bool multiway = split.kind == QuestionKind::levels && options_.nominal == Nominal::multiway;
    const std::uint32_t of_missing = options_.leaves_aside() ? split.n_children
                                     : multiway              ? split.n_children - 1
                                                             : child_of(split.missing_left);
    mark(range, split, of_missing, [&](Row i, std::uint32_t child) { child_[i] = child; });
  }

  // Calls tell(i, child) for every row of the range.
  template <class Tell>
  void mark(Range range, const Split& split, std::uint32_t of_missing, Tell&& tell) {
    switch (split.kind) {
      case QuestionKind::threshold:
        return tell_codes(range, split.column, of_missing, tell,
                          [&](Code code) { return child_of(code <= split.cut); });
      case QuestionKind::missing:
        return tell_codes(range, split.column, of_missing, tell, [](Code) { return child_of(false); });
      case QuestionKind::levels:
        level_child_.assign(rows_.columns[split.column].n_codes, of_missing);
        for (const auto& [level, child] : split.levels) level_child_[level] = child;
        return tell_codes(range, split.column, of_missing, tell, [&](Code code) { return level_child_[code]; });
      case QuestionKind::leaf:
      case QuestionKind::at_least:
      case QuestionKind::linear: throw std::logic_error("this source does not divide by such a question");
    }
  }

  template <class Tell, class ChildOf>
  void tell_codes(Range range, std::uint32_t column, std::uint32_t of_missing, Tell&& tell, ChildOf&& child) {
    const CodedColumn& coded = rows_.columns[column];
    auto side = [&](Code code) { return code == coded.n_codes ? of_missing : child(code); };
    if (!sorted_[column].empty()) {
      for (const SortedRow& row : sorted_[column].rows_of(range)) tell(row.position, side(row.code));
    } else {
      coded.with_codes([&](const auto* codes) {
        for (Row i = 0; i < range.size(); ++i) tell(i, side(codes[range.begin + i]));
      });
    }
  }

  // --- dividing --------------------------------------------------------------------------------------------------------

  // Moves the rows; `part_begins_` tells where each child begins, and where those begin that stay. True if there are just
  // two children and nothing stays.
  bool divide_rows(const Node<C>& node, const Split& split) {
    part_begins_.assign(split.n_children + 2, 0);
    for (const std::uint32_t child : child_) ++part_begins_[child + 1];
    if (*std::ranges::max_element(part_begins_) == node.range.size())
      throw std::logic_error("a split of " + std::to_string(node.range.size()) + " rows divides nothing");
    std::partial_sum(part_begins_.begin(), part_begins_.end(), part_begins_.begin());
    const bool two_way = split.n_children == 2 && part_begins_[2] == node.range.size();
    if (two_way) {
      is_left_.resize(child_.size());
      for (std::size_t i = 0; i < child_.size(); ++i) is_left_[i] = child_[i] == 0;
    }
    if (!two_way || any_sorted_) note_moves();
    move_array(rows_.ids.data() + node.range.begin, id_spill_, two_way);
    move_array(rows_.targets.data() + node.range.begin, target_spill_, two_way);
    return two_way;
  }

  Row largest_part() const {
    Row most = 0;
    for (std::size_t part = 0; part + 2 < part_begins_.size(); ++part)
      most = std::max(most, part_begins_[part + 1] - part_begins_[part]);
    return most;
  }

  template <class T>
  void move_array(T* data, std::vector<T>& spill, bool two_way) {
    if (two_way) return divide_array(data, is_left_, spill);
    spill.assign(data, data + moved_.size());
    for (std::size_t i = 0; i < moved_.size(); ++i) data[moved_[i]] = spill[i];
  }

  void divide_columns(const Node<C>& node, bool two_way) {
    for (std::uint32_t column : *node.columns) {
      interrupt_.poll();
      if (!sorted_[column].empty()) {
        if (two_way) sorted_[column].divide(node.range, moved_, part_begins_[1], sorted_spill_);
        else sorted_[column].divide(node.range, moved_, child_, part_begins_, sorted_spill_);
        continue;
      }
      rows_.columns[column].with_codes([&]<class Width>(Width* codes) {
        move_array(codes + node.range.begin, std::get<std::vector<Width>>(code_spill_), two_way);
      });
    }
  }

  // Where in the range of its node each row goes.
  void note_moves() {
    moved_.resize(child_.size());
    std::vector<Row> places(part_begins_.begin(), part_begins_.end());
    for (std::size_t i = 0; i < child_.size(); ++i) moved_[i] = places[child_[i]]++;
  }

  // --- surrogates ------------------------------------------------------------------------------------------------------

  // Case weights as integers, which add up to the same sum in any order.
  void weigh_rows() {
    if (targets_.weights.empty() && targets_.case_weights.empty()) return;
    Extent extent;
    auto each = [&](auto&& read) {
      for (Row row = 0; row < data_.n_rows; ++row) read(targets_.case_weight(row));
    };
    each([&](double weight) { extent.add(weight); });
    const WeightScale scale = choose_weight_scale(extent, data_.n_rows, each);
    case_weights_.resize(data_.n_rows);
    for (Row row = 0; row < data_.n_rows; ++row) case_weights_[row] = scale.fixed(targets_.case_weight(row));
  }

  void find_surrogates(const Node<C>& node, ChosenSplit& split) {
    if (case_weights_.empty()) find_surrogates(node, split, unit_leanings_, [](Row) { return std::int8_t{1}; });
    else find_surrogates(node, split, leanings_, [&](Row row) { return case_weights_[row]; });
  }

  template <class Leaning, class WeightOf>
  void find_surrogates(const Node<C>& node, ChosenSplit& split, std::vector<Leaning>& leanings, WeightOf&& weight_of) {
    leanings.resize(node.range.size());
    Lean primary;
    for (Row i = 0; i < node.range.size(); ++i) {
      const Leaning weight = weight_of(rows_.ids[node.range.begin + i]);
      leanings[i] = child_[i] == 0 ? weight : child_[i] == 1 ? static_cast<Leaning>(-weight) : Leaning{0};
      primary += lean_of(leanings[i]);
    }
    split.missing_left = primary.left >= primary.right;
    if (options_.surrogates.most == 0) return;
    const std::vector<std::uint32_t>& columns = *node.columns;
    std::vector<std::optional<SurrogateSplit>> found(columns.size());
    const SurrogateSearch search{primary, options_.surrogates.agreement};
    share(n_workers(node), columns.size(), [&](std::size_t i, unsigned worker) {
      (worker == 0 ? interrupt_ : never_).poll();
      if (columns[i] == split.column) return;
      found[i] = best_surrogate<Leaning>(search, columns[i], node.range, primary, leanings, scratch_[worker]);
      if (found[i]) found[i]->column = columns[i];
    });
    for (auto& surrogate : found)
      if (surrogate) split.surrogates.push_back(std::move(*surrogate));
    std::ranges::stable_sort(split.surrogates, std::ranges::greater{}, &SurrogateSplit::agreement);
    if (split.surrogates.size() > options_.surrogates.most) split.surrogates.resize(options_.surrogates.most);
  }

  template <class Leaning>
  std::optional<SurrogateSplit> best_surrogate(const SurrogateSearch& search, std::uint32_t column, Range range,
                                               const Lean& primary, std::span<const Leaning> leanings,
                                               Scratch& scratch) const {
    const CodedColumn& coded = rows_.columns[column];
    Lean known = primary;
    if (!sorted_[column].empty()) {
      std::span<const SortedRow> rows = sorted_[column].rows_of(range);
      for (; !rows.empty() && rows.back().code == coded.n_codes; rows = rows.first(rows.size() - 1))
        known -= lean_of(leanings[rows.back().position]);
      return search.best_threshold(known, rows, leanings);
    }
    scratch.leans.assign(std::size_t{coded.n_codes} + 1, {});
    scratch.seen.assign(scratch.leans.size(), 0);
    coded.with_codes([&](const auto* codes) {
      for (Row i = 0; i < range.size(); ++i) {
        const Code code = codes[range.begin + i];
        scratch.leans[code] += lean_of(leanings[i]), scratch.seen[code] = 1;
      }
    });
    known -= scratch.leans[coded.n_codes];
    auto groups = [&](auto&& group) {
      for (Code code = 0; code < coded.n_codes; ++code)
        if (scratch.seen[code]) group(code, scratch.leans[code]);
    };
    return coded.kind == Kind::nominal ? search.best_levels(known, groups) : search.best_threshold(known, groups);
  }

  // Rows that the primary cannot send go where the first surrogate that can tell sends them.
  void send_missing(Range range, ChosenSplit& split) {
    constexpr std::uint32_t stays = 2;
    if (options_.surrogates.send == Send::never) return;
    for (SurrogateSplit& surrogate : split.surrogates)
      mark(range, surrogate, stays, [&](Row i, std::uint32_t child) {
        if (child_[i] != stays || child == stays) return;
        child_[i] = surrogate.flipped ? 1 - child : child;
        ++surrogate.n_sent;
      });
    if (options_.surrogates.send == Send::surrogates) return;
    for (std::uint32_t& child : child_)
      if (child == stays) child = child_of(split.missing_left);
  }

  const Dataset& data_;
  const Targets& targets_;
  const C& criterion_;
  const GrowOptions& options_;
  Interrupt& interrupt_;
  Interrupt never_;  // for threads that have nobody to ask
  ColumnQuestions<C> questions_;
  Rows<Target> rows_;
  std::vector<SortedColumn> sorted_;  // by column; empty where its codes are kept in rows_
  bool any_sorted_ = false;
  std::vector<Scratch> scratch_;  // one per thread
  std::vector<std::uint8_t> is_left_;
  std::vector<std::uint32_t> child_, level_child_;  // of each row of the node at hand; of each level
  std::vector<Row> id_spill_, moved_, part_begins_;
  std::atomic<double> best_gain_ = 0.0;  // for a column of cost 1, among those looked at in the node at hand
  std::vector<std::uint8_t> is_second_;  // of the node at hand, see `note_classes`
  std::vector<Fixed> case_weights_;      // by row; empty where all are 1
  std::vector<Fixed> leanings_;
  std::vector<std::int8_t> unit_leanings_;
  std::vector<SortedRow> sorted_spill_;
  std::vector<Target> target_spill_;
  std::tuple<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> code_spill_;
};

}  // namespace arboretum
