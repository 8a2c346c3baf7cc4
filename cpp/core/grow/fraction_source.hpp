// FractionSource: the node source for rows that may be in several nodes at once. A row whose value is missing goes to every
// child, in shares as large as those of the rows whose value is known.  (C4.5: Quinlan 1993, chapter 3)
// Words: Part (a row and how much of it is here). Each node has a list of parts and works on a table of its own; its range
// names the list: `begin` is the number of the list, the size that of the list.
#pragma once
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/grow/column_questions.hpp"
#include "core/grow/node_source.hpp"

namespace arboretum {

struct Part {
  Row row;
  double share;
};

template <Criterion C>
class FractionSource {
 public:
  using Target = typename C::Target;
  using NodeTargets = typename C::NodeTargets;
  using SplitType = ChosenSplit;

  struct Node {
    Range range;
    std::uint32_t depth = 0;
    ColumnList columns;
    Bounds bounds;
  };
  using NodeType = Node;

  FractionSource(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
                 Interrupt& interrupt)
      : data_{data},
        targets_{targets},
        criterion_{criterion},
        options_{options},
        interrupt_{interrupt},
        questions_{criterion, options},
        columns_(data.columns.size()),
        scratch_(std::max(1u, options.n_threads)) {
    share(options.n_threads, data.columns.size(), [&](std::size_t column, unsigned worker) {
      Interrupt& own = worker == 0 ? interrupt : never_;
      columns_[column] = encode_column(data.columns[column], data.n_rows, options.max_bins, own);
    });
  }

  Node root() {
    std::vector<Row> rows(data_.n_rows);
    std::iota(rows.begin(), rows.end(), Row{0});
    if constexpr (Foresees<C>) criterion_.put_in_order(targets_, rows);
    std::vector<Part> parts;
    for (const Row row : rows) parts.push_back({row, 1.0});
    std::vector<std::uint32_t> columns(data_.columns.size());
    std::iota(columns.begin(), columns.end(), 0u);
    return {keep(std::move(parts)), 0, std::make_shared<const std::vector<std::uint32_t>>(std::move(columns)), {}};
  }

  // Lays out the node's table: what its rows are to teach, each weighing its share.
  NodeTargets open(const Node& node) {
    const std::vector<Part>& parts = parts_of(node.range);
    const std::size_t n = parts.size();
    rows_.resize(n), weights_.resize(n), node_targets_.resize(n);
    std::iota(rows_.begin(), rows_.end(), Row{0});
    classes_.resize(targets_.classes.empty() ? 0 : n), numbers_.resize(targets_.numbers.empty() ? 0 : n);
    for (std::size_t i = 0; i < n; ++i) {
      weights_[i] = parts[i].share * targets_.weight(parts[i].row);
      if (!classes_.empty()) classes_[i] = targets_.classes[parts[i].row];
      if (!numbers_.empty()) numbers_[i] = targets_.numbers[parts[i].row];
    }
    const Targets here{.classes = classes_, .n_classes = targets_.n_classes, .numbers = numbers_, .weights = weights_};
    const auto scale = criterion_.encode_rows(here, rows_, node_targets_);
    return criterion_.open(scale, here, rows_, node_targets_);
  }

  const Dataset& data() const { return data_; }
  bool homogeneous(const Node&, const NodeTargets& targets) const { return criterion_.homogeneous(targets); }
  double gain(const ChosenSplit& split, const NodeTargets&) const { return split.gain; }
  // Limits count what is here of the rows; thirds add up to a whole.
  double size(const Node&, const NodeTargets& targets) const {
    return targets.weight() / options_.row_weight * (1 + tolerance);
  }

  // The node must be the one that was opened last.
  std::optional<ChosenSplit> best_split(Node& node, const NodeTargets& targets) {
    const std::vector<std::uint32_t>& columns = *node.columns;
    const std::vector<Part>& parts = parts_of(node.range);
    std::vector<std::optional<Candidate>> best(columns.size());
    std::vector<std::uint8_t> varies(columns.size());
    const unsigned n_workers = parts.size() * columns.size() < 100'000 ? 1 : options_.n_threads;
    share(n_workers, columns.size(), [&](std::size_t i, unsigned worker) {
      Interrupt& interrupt = worker == 0 ? interrupt_ : never_;
      interrupt.poll();
      Scratch& scratch = scratch_[worker];
      gather_codes(columns[i], parts, scratch.codes);
      scratch.buckets.fill(scratch.codes.data(), std::span<const Target>{node_targets_}, columns_[columns[i]].n_codes);
      varies[i] = scratch.buckets.size() > 1;
      if (!varies[i]) return;
      best[i] = questions_.best(data_.columns[columns[i]], scratch.buckets, targets, limits(columns[i], node, targets),
                                interrupt);
      if (best[i]) best[i]->column = columns[i];
    });
    drop_constant(node.columns, varies);
    return choose(std::move(best), data_, options_);
  }

  ThresholdValue threshold(const Node& node, const Split& split) const {
    if (split.kind != QuestionKind::threshold) return {};
    const ColumnView& column = data_.columns[split.column];
    const auto [low, high] = rows_beside(node, split);
    return with_type(column.type, [&]<class T>(std::type_identity<T>) {
      return threshold_between(column.value<T>(low), column.value<T>(high), options_.thresholds);
    });
  }

  void prepare(const Node& node, ChosenSplit& split) {
    mark_children(node, split);
    split.missing_seen = std::ranges::find(child_, split.n_children) != child_.end();
  }

  std::vector<Node> divide(const Node& node, const ChosenSplit& split) {
    const std::vector<Part> parts = std::move(lists_[node.range.begin]);
    const std::vector<double> shares = shares_of(parts, split.n_children);
    std::vector<std::vector<Part>> lists(split.n_children);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (child_[i] < split.n_children) lists[child_[i]].push_back(parts[i]);
      else divide_part(parts[i], shares, lists);
    }
    std::vector<Node> children;
    for (std::vector<Part>& list : lists)
      children.push_back({keep(std::move(list)), node.depth + 1, node.columns, node.bounds});
    if (split.kind == QuestionKind::threshold && !options_.monotone.empty())
      narrow(split, options_.monotone[split.column], children[0].bounds, children[1].bounds);
    return children;
  }

  // All rows of an inner node have gone on to its children.
  template <class See>
  void each_own_row(Range range, const Range* last_child, See&& see) const {
    if (last_child != nullptr) return;
    for (const Part& part : parts_of(range)) see(part.row, part.share);
  }

 private:
  static constexpr double tolerance = 1e-9;
  static constexpr double least_share = 1e-6;  // smaller parts of a row are let go, or rows would fall to dust

  struct Scratch {
    std::vector<Code> codes;
    Buckets<Target> buckets;
  };

  Range keep(std::vector<Part> parts) {
    const auto list = static_cast<Row>(lists_.size());
    const auto n = static_cast<Row>(parts.size());
    lists_.push_back(std::move(parts));
    return {list, list + n};
  }
  const std::vector<Part>& parts_of(Range range) const { return lists_[range.begin]; }

  void gather_codes(std::uint32_t column, const std::vector<Part>& parts, std::vector<Code>& codes) const {
    codes.resize(parts.size());
    columns_[column].with_codes([&](const auto* all) {
      for (std::size_t i = 0; i < parts.size(); ++i) codes[i] = all[parts[i].row];
    });
  }

  Limits limits(std::uint32_t column, const Node& node, const NodeTargets& targets) const {
    const double unit = targets.weight() / static_cast<double>(targets.fixed_weight());
    const double least = std::max(options_.min_leaf_weight, options_.min_leaf_rows * options_.row_weight);
    return {1, static_cast<Fixed>(std::ceil(least / unit * (1 - tolerance))), !options_.monotone.empty(),
            options_.monotone.empty() ? 0 : options_.monotone[column], node.bounds};
  }

  std::pair<Row, Row> rows_beside(const Node& node, const Split& split) const {
    const CodedColumn& coded = columns_[split.column];
    if (coded.binned()) return {coded.highest_row[split.cut], coded.lowest_row[split.cut + 1]};
    return coded.with_codes([&](const auto* codes) {
      auto row_with = [&](Code code) {
        return std::ranges::find_if(parts_of(node.range), [&](const Part& part) { return codes[part.row] == code; })
            ->row;
      };
      return std::pair{row_with(split.cut), row_with(split.next)};
    });
  }

  // `n_children` for rows that miss the value.
  void mark_children(const Node& node, const Split& split) {
    const std::vector<Part>& parts = parts_of(node.range);
    const Code missing = columns_[split.column].n_codes;
    gather_codes(split.column, parts, scratch_[0].codes);
    child_.resize(parts.size());
    std::vector<std::uint32_t> level_child;
    if (split.kind == QuestionKind::levels) {
      level_child.assign(missing, split.n_children);
      for (const auto& [level, child] : split.levels) level_child[level] = child;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Code code = scratch_[0].codes[i];
      if (code == missing) child_[i] = split.n_children;
      else child_[i] = split.kind == QuestionKind::levels ? level_child[code] : child_of(code <= split.cut);
    }
  }

  // How the weight that is known divides among the children; summed in integers, so that the order of rows is no matter.
  std::vector<double> shares_of(const std::vector<Part>& parts, std::uint32_t n_children) const {
    auto weight = [&](const Part& part) { return part.share * targets_.case_weight(part.row); };
    Extent extent;
    for (const Part& part : parts) extent.add(weight(part));
    const WeightScale scale = choose_weight_scale(extent, static_cast<double>(parts.size()));
    std::vector<Fixed> sums(n_children + 1);
    Fixed known = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Fixed own = scale.fixed(weight(parts[i]));
      sums[child_[i]] += own;
      if (child_[i] < n_children) known += own;
    }
    std::vector<double> shares;
    for (std::uint32_t c = 0; c < n_children; ++c)
      shares.push_back(static_cast<double>(sums[c]) / static_cast<double>(known));
    return shares;
  }

  static void divide_part(const Part& part, const std::vector<double>& shares, std::vector<std::vector<Part>>& lists) {
    for (std::size_t c = 0; c < shares.size(); ++c)
      if (part.share * shares[c] > least_share) lists[c].push_back({part.row, part.share * shares[c]});
  }

  const Dataset& data_;
  const Targets& targets_;
  const C& criterion_;
  const GrowOptions& options_;
  Interrupt& interrupt_;
  Interrupt never_;  // for threads that have nobody to ask
  ColumnQuestions<C> questions_;
  std::vector<CodedColumn> columns_;
  std::vector<Scratch> scratch_;          // one per thread
  std::vector<std::vector<Part>> lists_;  // of every node that has not been divided
  std::vector<std::uint32_t> child_;
  // The table of the node at hand.
  std::vector<Row> rows_;
  std::vector<std::int32_t> classes_;
  std::vector<double> numbers_, weights_;
  std::vector<Target> node_targets_;
};

}  // namespace arboretum
