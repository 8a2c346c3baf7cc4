// FastSource: the node source that finds the same splits sooner. Large nodes keep a histogram per column, in which ColumnSearch
// finds the best cut. The smaller child is counted, the larger one is what is left. Small nodes are left to SmallNodes.
#pragma once
#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/grow/partition.hpp"
#include "core/interrupt.hpp"
#include "core/options.hpp"
#include "core/parallel.hpp"
#include "core/questions/levels.hpp"
#include "core/questions/threshold.hpp"
#include "core/sources/column_search.hpp"
#include "core/sources/fast_criterion.hpp"
#include "core/sources/fast_split.hpp"
#include "core/sources/small_nodes.hpp"
#include "core/sources/stable_division.hpp"

namespace arboretum {

template <class C, class S>
class FastSource {
 public:
  using Criterion = FastCriterion<C, S>;
  using NodeTargets = FastNode<C, S>;
  using Target = typename S::Target;
  using SplitType = FastSplit<S>;

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
  };

  using NodeType = Node;

  FastSource(const Dataset& data, const Targets& targets, const Criterion& criterion, const GrowOptions& options,
             Interrupt& interrupt, FastRows<S>& rows, unsigned n_workers)
      : data_{data},
        targets_{targets},
        criterion_{criterion},
        options_{options},
        interrupt_{interrupt},
        small_{data, criterion, options},
        search_{data, criterion, options, rows},
        ids_{rows.ids},
        row_targets_{rows.targets},
        columns_{rows.columns},
        mask_(data.n_rows / 8 + 2 * padding),
        places_(n_workers, Workplace<S>{.hits = std::vector<std::uint8_t>(data.n_rows / 8 + 2 * padding)}) {}

  // Reads the table, for this source and others that share it.
  static FastRows<S> read(const Dataset& data, const Targets& targets, const GrowOptions& options,
                          Interrupt& interrupt) {
    return read_rows<S>(data, targets, data.n_rows > small_limit(options), options.n_threads, interrupt);
  }

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
    Node node{.range = {0, data_.n_rows}};
    rescale(node);
    stack_.resize(data_.columns.size());
    std::iota(stack_.begin(), stack_.end(), 0u);
    node.n_columns = static_cast<std::uint32_t>(stack_.size());
    if (!is_small(node)) {
      node.histogram.resize(node.n_columns);
      share(n_workers(node), node.n_columns, [&](std::size_t c, unsigned worker) {
        of(worker).poll();
        count_all(node, c);
      });
    }
    return node;
  }

  NodeTargets open(Node& node) const { return NodeTargets{node.total, *node.scale}; }
  bool homogeneous(const Node& node, const NodeTargets& targets) const {
    if constexpr (Criterion::on_classes) return criterion_.homogeneous(targets);
    else return node.same_targets;
  }

  std::optional<SplitType> best_split(Node& node, const NodeTargets& targets) {
    interrupt_.poll();
    if (options_.order == Order::depth_first)
      stack_.resize(node.columns_begin + node.n_columns);  // the rest belonged to finished subtrees
    SplitType best = is_small(node) ? best_of_small(node, targets) : best_of_large(node, targets);
    // Many nodes may be waiting best-first; their histograms would fill the memory. The children are counted anew.
    if (options_.order == Order::best_first) node.histogram = {};
    if (!best.found) return std::nullopt;
    return best;
  }

  ThresholdValue threshold(const Node&, const SplitType& split) const {
    if (split.kind != QuestionKind::threshold) return {};
    const ColumnView& column = data_.columns[split.column];
    auto key = [&](Key k) {
      return split.by_code && column.kind == Kind::numeric ? columns_[split.column].edges[k] : k;
    };
    const Key low = key(split.low), high = key(split.high);
    if (column.kind != Kind::numeric)
      return threshold_between(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high), options_.thresholds);
    return with_type(column.type, [&]<class T>(std::type_identity<T>) {
      return threshold_between(value_of<T>(low), value_of<T>(high), options_.thresholds);
    });
  }

  // The children, left first.
  std::array<Node, 2> divide(Node& node, const SplitType& split) {
    Node left{.range = {node.range.begin, node.range.begin + split.left.n_rows()},
              .depth = node.depth + 1,
              .bounds = node.bounds};
    left.columns_begin = node.columns_begin, left.n_columns = node.n_columns, left.loaded = node.loaded;
    left.total = split.left, left.scale = node.scale;
    Node right = left;
    right.range = {left.range.end, node.range.end};
    right.total = node.total, right.total -= split.left;
    set_bounds(split, left, right);
    if (node.loaded) divide_small(node, split, left, right);
    else divide_large(node, split, left, right);
    return {std::move(left), std::move(right)};
  }

  const Dataset& data() const { return data_; }
  double size(const Node& node, const NodeTargets&) const { return node.range.size(); }
  double gain(const SplitType& split, const NodeTargets& targets) const {
    return criterion_.decrease(split.score, targets);
  }

  template <class See>
  void each_own_row(Range range, const Range* last_child, See&& see) const {
    const Row begin = last_child == nullptr ? range.begin : last_child->end;
    for (const Row row : rows_of({begin, range.end})) see(row, 1.0);
  }

 private:
  std::span<const Row> rows_of(Range range) const { return {ids_.data() + range.begin, range.size()}; }
  // Sorted lists serve one subtree at a time: nodes that wait their turn best-first cannot use them.
  static Row small_limit(const GrowOptions& options) {
    return options.order == Order::depth_first ? std::min<Row>(options.small_limit, most_places) : 0;
  }
  bool simd() const { return options_.simd && has_avx2(); }
  bool is_small(const Node& node) const { return node.range.size() <= small_limit(options_); }
  std::uint32_t wanted(const Node& node) const { return n_buckets_for<S>(node.range.size()); }
  std::span<const std::uint32_t> columns_of(const Node& node) const {
    return {stack_.data() + node.columns_begin, node.n_columns};
  }
  std::span<Target> targets_of(const Node& node) { return {row_targets_.data() + node.range.begin, node.range.size()}; }

  // --- targets ---------------------------------------------------------------------------------------------------------

  // Writes the node's targets on the scale that suits just its rows, and sums them.
  void rescale(Node& node) {
    scales_.push_back(encode_into(rows_of(node.range), targets_of(node)));
    node.scale = &scales_.back();
    node.total = S{};
    for (const Target& target : targets_of(node)) node.total += S::of(target);
    note_targets(node);
  }

  FastScale encode_into(std::span<const Row> ids, std::span<Target> to) const {
    FastScale scale;
    if constexpr (std::is_same_v<Target, std::uint8_t>) {
      for (std::size_t i = 0; i < ids.size(); ++i) to[i] = static_cast<Target>(targets_.classes[ids[i]]);
    } else if constexpr (std::is_same_v<Target, ClassTarget>) {
      scale.classes = encode(targets_, ids, to);
    } else if constexpr (std::is_same_v<S, UnitSums>) {
      std::vector<RealTarget> plain(ids.size());
      scale.numbers = criterion_.plain.encode_rows(targets_, ids, plain);
      Fixed reach = 1;
      for (std::size_t i = 0; i < ids.size(); ++i)
        to[i] = plain[i].weighted, reach = std::max(reach, std::abs(plain[i].weighted));
      // The squares of all rows must add up to less than 2^62.
      const int room = (62 - top_bit(real(static_cast<Fixed>(ids.size())))) / 2 - 1;
      scale.square_shift = std::max(0, top_bit(real(reach)) - room);
      scale.square_unit = std::ldexp(1.0, 2 * scale.square_shift);
    } else {
      std::vector<RealTarget> plain(ids.size());
      scale.numbers = criterion_.plain.encode_rows(targets_, ids, plain);
      double reach = 1.0;
      for (const RealTarget& t : plain)
        reach = std::max(reach, real(std::abs(t.weighted)) * std::abs(real(t.weighted)) / real(t.weight));
      // Units of 2^shift, so that the sum over all rows stays below 2^61.
      const int shift = std::max(0, top_bit(reach) + top_bit(real(static_cast<Fixed>(ids.size()))) - 61);
      scale.square_unit = std::ldexp(1.0, shift);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const double square = real(plain[i].weighted) * real(plain[i].weighted) / real(plain[i].weight);
        to[i] = {plain[i].weighted, static_cast<Fixed>(std::ceil(square / scale.square_unit)) + 1, plain[i].weight};
      }
    }
    return scale;
  }

  // Is the scale too coarse for the rows of this node? The same rule as in the plain source.
  bool is_coarse(const Node& node) const {
    if constexpr (std::is_same_v<Target, std::uint8_t>) return false;
    else if constexpr (std::is_same_v<Target, ClassTarget>)
      return criterion_.plain.coarse(node.scale->classes, targets_, rows_of(node.range));
    else return criterion_.plain.coarse(node.scale->numbers, targets_, rows_of(node.range));
  }

  // The impurity of a leaf is told by its class weights; of numbers, only the search needs the scale.
  bool wants_finer(const Node& node) const { return (Criterion::on_classes || !is_final(node)) && is_coarse(node); }

  void note_targets(Node& node) const {
    if constexpr (Criterion::on_classes) return;
    const auto ids = rows_of(node.range);
    if (ids.size() == 1) {
      node.same_targets = true;
      return;
    }
    node.same_targets = std::all_of(ids.begin(), ids.end(),
                                    [&](Row id) { return targets_.numbers[id] == targets_.numbers[ids.front()]; });
  }

  Limits limits(const Node& node, const NodeTargets& targets) const {
    return {options_.min_leaf_rows,
            static_cast<Fixed>(std::ceil(options_.min_leaf_weight / targets.weight_unit() * (1 - 1e-12))),
            !options_.monotone.empty(), 0, node.bounds};
  }
  int direction(std::uint32_t column) const { return options_.monotone.empty() ? 0 : options_.monotone[column]; }

  void set_bounds(const SplitType& split, Node& left, Node& right) const {
    if (split.kind == QuestionKind::threshold) narrow(split, direction(split.column), left.bounds, right.bounds);
  }

  // --- small nodes -------------------------------------------------------------------------------------------------

  SplitType best_of_small(Node& node, const NodeTargets& targets) {
    if (!node.loaded) {
      const auto from = static_cast<std::uint32_t>(stack_.size());
      for (std::uint32_t c = 0; c < node.n_columns; ++c) stack_.push_back(stack_[node.columns_begin + c]);
      small_.load(rows_of(node.range), targets_of(node), columns_, node.range.begin, stack_, from);
      node.columns_begin = from, node.n_columns = static_cast<std::uint32_t>(stack_.size()) - from;
      node.loaded = true;
    }
    varying_.clear();
    SplitType best = small_.best_split(targets, node.range.begin, columns_of(node), limits(node, targets), varying_);
    keep_columns(node, varying_);
    return best;
  }

  void keep_columns(Node& node, const std::vector<std::uint32_t>& columns) {
    if (columns.size() == node.n_columns) return;
    node.columns_begin = static_cast<std::uint32_t>(stack_.size()),
    node.n_columns = static_cast<std::uint32_t>(columns.size());
    stack_.insert(stack_.end(), columns.begin(), columns.end());
  }

  void divide_small(Node& node, const SplitType& split, Node& left, Node& right) {
    confirm(small_.divide_rows(split, node.range.begin, node.range.size(), ids_.data() + node.range.begin), left);
    note_targets(left), note_targets(right);
    if (!is_final(left) || !is_final(right)) small_.divide_lists(node.range.begin, node.range.size(), columns_of(node));
    for (Node* child : {&left, &right}) {
      if (!wants_finer(*child)) continue;
      rescale(
          *child);  // the targets of loaded rows are out of order; those of the child are written anew, in its order
      small_.replace_targets(child->range.begin, targets_of(*child));
    }
  }

  // Known without looking at the rows: what is divided for such a node is divided in vain.
  bool is_final(const Node& node) const {
    bool pure = node.same_targets;
    if constexpr (Criterion::on_classes) {
      pure = n_present(node.total) < 2;
    }
    return pure || node.depth >= options_.max_depth || node.range.size() < options_.min_split_rows ||
           node.range.size() / 2 < options_.min_leaf_rows;
  }

  static void confirm(Row n_left, const Node& left) {
    if (n_left != left.range.size())
      throw std::logic_error("a split promised " + std::to_string(left.range.size()) + " rows, but " +
                             std::to_string(n_left) + " went left");
  }

  // --- large nodes: borders first, then the buckets that may hold something better -----------------------------------

  // Which thread looks at which column may vary; the best of their best is the same.
  SplitType best_of_large(Node& node, const NodeTargets& targets) {
    drop_constant_columns(node);
    const Limits shared = limits(node, targets);
    auto here = [&](std::size_t c) {
      const std::uint32_t f = columns_of(node)[c];
      typename ColumnSearch<C, S>::Here at{node.range, targets, node.histogram[c], f, shared};
      at.limits.direction = columns_[f].kind == Kind::nominal ? 0 : direction(f);
      return at;
    };
    const unsigned workers = n_workers(node);
    std::vector<SplitType> best(workers);
    share(workers, node.n_columns, [&](std::size_t c, unsigned worker) {
      of(worker).poll();
      if (columns_[columns_of(node)[c]].kind == Kind::nominal) search_.search_levels(here(c), best[worker], of(worker));
      else search_.sweep_borders(here(c), best[worker], of(worker));
    });
    merge(best);
    share(workers, node.n_columns, [&](std::size_t c, unsigned worker) {
      of(worker).poll();
      const CoarseColumn& column = columns_[columns_of(node)[c]];
      if (column.kind == Kind::nominal || (column.all_single && node.histogram[c].view.shift == 0)) return;
      search_.refine(here(c), best[worker], places_[worker]);
    });
    merge(best);
    if (best[0].found && best[0].kind == QuestionKind::threshold && !best[0].has_values)
      search_.find_values(node.range, best[0], places_[0]);
    return std::move(best[0]);
  }

  static void merge(std::vector<SplitType>& best) {
    for (std::size_t w = 1; w < best.size(); ++w)
      if (best[w].found && best[0].beaten_by(best[w].score, best[w].column, best[w].cost, best[w].place))
        best[0] = best[w];
    for (std::size_t w = 1; w < best.size(); ++w) best[w] = best[0];
  }

  void drop_constant_columns(Node& node) {
    std::vector<std::uint32_t>& kept = varying_;
    kept.clear();
    std::size_t n_kept = 0;
    for (std::uint32_t c = 0; c < node.n_columns; ++c) {
      const std::uint32_t f = columns_of(node)[c];
      if (!varies(node.histogram[c], columns_[f])) continue;
      if (n_kept != c) node.histogram[n_kept] = std::move(node.histogram[c]);
      ++n_kept;
      kept.push_back(f);
    }
    node.histogram.resize(n_kept);
    keep_columns(node, kept);
  }

  static bool varies(const ColumnHistogram<S>& h, const CoarseColumn& column) {
    std::uint32_t n_filled = 0, filled = 0;
    for (std::uint32_t b = 0; b < h.view.n_buckets && n_filled < 2; ++b)
      if (h.buckets[b].n_rows() > 0) ++n_filled, filled = b;
    if (h.missing().n_rows() > 0) return n_filled > 0;
    return n_filled > 1 || (n_filled == 1 && (h.view.shift > 0 || !column.single[h.view.first_code(filled)]));
  }

  // Only the calling thread can ask whether to stop.
  Interrupt& of(unsigned worker) { return worker == 0 ? interrupt_ : never_; }

  // Threads pay off only where there is much to read.
  unsigned n_workers(const Node& node) const {
    return std::uint64_t{node.range.size()} * node.n_columns < 500'000 ? 1 : static_cast<unsigned>(places_.size());
  }

  // --- dividing large nodes --------------------------------------------------------------------------------------------

  void mark_left(const Node& node, const SplitType& split) {
    CoarseColumn& column = columns_[split.column];
    const Row n = node.range.size();
    std::uint8_t* mask = mask_.data();
    Workplace<S>& place = places_[0];
    auto send_left = [&](Row i) { mask[i >> 3] |= static_cast<std::uint8_t>(1u << (i & 7)); };
    column.with_codes([&]<class Width>(const Width* all) {
      const Width* codes = all + node.range.begin;
      if (split.kind == QuestionKind::levels) {
        level_left_.resize(std::max<std::size_t>(level_left_.size(), column.n_codes + 1));
        for (const auto& [level, child] : split.levels) level_left_[level] = child == 0;
        level_left_[column.n_codes] = split.missing_left;
        std::memset(mask, 0, n / 8 + 1);
        for (Row i = 0; i < n; ++i)
          if (level_left_[codes[i]]) send_left(i);
        return;
      }
      const Code limit = split.kind == QuestionKind::missing ? 0
                         : split.inside                      ? split.cut
                                                             : split.cut + 1;  // codes below go left
      if (limit == 0) std::memset(mask, 0, n / 8 + 1);
      else mask_within(codes, n, 0, limit - 1, mask, simd());
      if (split.missing_left) {
        mask_within(codes, n, column.n_codes, 0, place.hits.data(), simd());
        each_set(place.hits.data(), n, send_left);
      }
      if (split.inside) {
        mask_within(codes, n, split.cut, 0, place.hits.data(), simd());
        place.items.clear();
        each_set(place.hits.data(), n, [&](Row i) { place.items.push_back({0, i}); });
        search_.read_item_keys(split.column, node.range.begin, place.items);
        for (const KeyedRow& item : place.items)
          if (item.key <= split.low) send_left(item.row);
      }
    });
  }

  template <class T>
  Row move(T* values, const Node& node, std::vector<std::uint8_t>& spill) {
    const std::size_t room = (node.range.size() + padding) * sizeof(T);
    if (spill.size() < room) spill.resize(room);
    return divide_stably(values + node.range.begin, node.range.size(), mask_.data(), reinterpret_cast<T*>(spill.data()),
                         simd());
  }

  void divide_large(Node& node, const SplitType& split, Node& left, Node& right) {
    mark_left(node, split);
    confirm(move(ids_.data(), node, places_[0].spill), left);
    move(row_targets_.data(), node, places_[0].spill);
    note_targets(left), note_targets(right);
    if (!is_final(left) || !is_final(right)) divide_columns(node, left, right);
    for (Node* child : {&left, &right}) {
      if (!wants_finer(*child)) continue;
      rescale(*child);
      for (std::uint32_t c = 0; c < child->histogram.size(); ++c)
        count(child->histogram[c], *child, columns_[columns_of(*child)[c]]);
    }
  }

  // The smaller child is counted, the larger one is the rest.
  void divide_columns(Node& node, Node& left, Node& right) {
    Node& less = left.range.size() < right.range.size() ? left : right;
    Node& more = left.range.size() < right.range.size() ? right : left;
    const bool count_less = !is_small(less) && !is_final(less), count_more = !is_small(more) && !is_final(more);
    if (count_less) less.histogram.resize(node.n_columns);
    if (count_more && node.histogram.empty()) more.histogram.resize(node.n_columns);
    share(n_workers(node), node.n_columns, [&](std::size_t c, unsigned worker) {
      CoarseColumn& column = columns_[columns_of(node)[c]];
      column.with_codes([&](auto* codes) { move(codes, node, places_[worker].spill); });
      if (!count_less && !count_more) return;
      of(worker).poll();
      if (node.histogram.empty()) {
        if (count_less) count_all(less, c);
        if (count_more) count_all(more, c);
        return;
      }
      ColumnHistogram<S>& part = places_[worker].part;
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

  void count(ColumnHistogram<S>& h, const Node& node, CoarseColumn& column) {
    column.with_codes([&](const auto* codes) {
      h.count(codes + node.range.begin, row_targets_.data() + node.range.begin, node.total, column,
              node.scale->square_shift);
    });
  }
  void count_all(Node& node, std::size_t c) {
    CoarseColumn& column = columns_[columns_of(node)[c]];
    ColumnHistogram<S>& h = node.histogram[c];
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
  void fit_or_recount(ColumnHistogram<S>& h, const Node& node, CoarseColumn& column) {
    if (column.kind == Kind::nominal || h.fit(wanted(node))) return;  // levels are not merged
    const std::uint32_t n_codes = h.view.n_buckets << h.view.shift;
    set_shift(h.view, n_codes, node);
    count(h, node, column);
  }

  const Dataset& data_;
  const Targets& targets_;
  const Criterion& criterion_;
  const GrowOptions& options_;
  Interrupt& interrupt_;
  SmallNodes<C, S> small_;
  ColumnSearch<C, S> search_;
  std::vector<Row>& ids_;
  std::vector<Target>& row_targets_;
  std::vector<CoarseColumn>& columns_;
  std::vector<std::uint32_t> stack_, varying_;
  std::vector<std::uint8_t> mask_, level_left_;
  std::vector<Workplace<S>> places_;
  Interrupt never_;
  std::deque<FastScale> scales_;  // those in use stay where they are
};

}  // namespace arboretum
