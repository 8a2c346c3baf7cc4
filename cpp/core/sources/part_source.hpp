// PartSource: the node source for trees that want more than the best question of each column. Every node has a list of
// its rows, which costs more than a range of a common array, but rows may be in several nodes at once, and questions
// may be tried that are not asked in the end. Where missing="fractional", a row whose value is missing goes to every
// child, in shares as large as those of the rows whose value is known.  (C4.5: Quinlan 1993, chapter 3)
#pragma once
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "core/grow/column_draw.hpp"
#include "core/grow/planned.hpp"
#include "core/search/lookahead.hpp"
#include "core/search/m_of_n.hpp"
#include "core/search/node_table.hpp"
#include "core/search/oblique.hpp"
#include "core/sources/column_list.hpp"
#include "core/sources/part_search.hpp"

namespace arboretum {

template <Criterion C>
class PartSource : public RowsOfNodes {
 public:
  using Target = typename C::Target;
  using NodeTargets = typename C::NodeTargets;
  using SplitType = ChosenSplit;

  struct Node {
    Range range;  // begins at the number of its list, and is as long as the list
    std::uint32_t depth = 0;
    ColumnList columns;
    Bounds bounds;
    DrawKey key;
    std::int32_t planned = 0;  // its place in the plan, if there is one
  };

  PartSource(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
             Interrupt& interrupt)
      : criterion_{criterion},
        options_{options},
        interrupt_{interrupt},
        search_{data, targets, criterion, options, interrupt},
        lookahead_{search_, interrupt},
        draw_{options, data.columns.size()},
        scratch_(std::max(1u, options.n_threads)) {}

  Node root() { return {keep(search_.all_parts()), 0, all_columns(data().columns.size()), {}, options_.draw_seed}; }

  NodeTargets summarise(const Node& node) { return search_.open(parts_of(node.range), layout_); }

  const Dataset& data() const { return search_.data(); }
  bool homogeneous(const Node&, const NodeTargets& targets) const { return criterion_.homogeneous(targets); }
  double gain(const ChosenSplit& split, const NodeTargets&) const { return split.gain; }
  double corrected_gain(const ChosenSplit& split, const NodeTargets&) const { return split.corrected; }
  double impurity(const NodeTargets& targets) const
    requires requires(const C& criterion) { criterion.impurity(targets); }
  {
    return criterion_.impurity(targets);
  }

  // The node must be the one that was summarised last.
  std::optional<ChosenSplit> best_split(Node& node, const NodeTargets& targets) {
    if (options_.plan) return planned(node, targets);
    if (options_.choose_columns) return best_of_chosen(node, targets);
    if (!draw_.draws()) return best_among(node, targets);
    return draw_.best(node.key, [&](std::span<const std::uint32_t> columns) {
      Node drawn = node;  // its children draw among all columns again
      drawn.columns = std::make_shared<const std::vector<std::uint32_t>>(columns.begin(), columns.end());
      return best_among(drawn, targets);
    });
  }

  double p_value() const { return p_value_; }

  ThresholdValue threshold(const Node& node, const Split& split) const {
    if (is_composite(split.kind)) return {split.bound, floor_of(split.bound)};
    if (split.kind != QuestionKind::threshold) return {};
    return search_.threshold(parts_of(node.range), split.column, split.cut, split.next);
  }

  void prepare(const Node& node, ChosenSplit& split) {
    search_.answer(parts_of(node.range), split, child_);
    if (options_.divides_rows()) split.missing_seen = std::ranges::find(child_, split.n_children) != child_.end();
  }

  std::vector<Node> divide(const Node& node, const ChosenSplit& split) {
    const std::vector<Part> parts = std::move(lists_[node.range.begin]);
    std::vector<Node> children;
    for (std::vector<Part>& list : search_.divide(parts, child_, split.n_children)) {
      const DrawKey key = child_key(node.key, static_cast<std::uint32_t>(children.size()));
      children.push_back({keep(std::move(list)), node.depth + 1, node.columns, node.bounds, key});
    }
    if (options_.plan) {
      const Planned& here = (*options_.plan)[static_cast<std::size_t>(node.planned)];
      children[0].planned = here.left, children[1].planned = here.right;
    }
    if (split.kind == QuestionKind::threshold)
      narrow(split, direction_of(options_, split.column), children[0].bounds, children[1].bounds);
    return children;
  }

  // All rows of an inner node have gone on to its children.
  OwnRows own_rows(Range range, const Range* last_child) const override {
    if (last_child != nullptr) return {};
    return {.parts = parts_of(range)};
  }

 private:
  Range keep(std::vector<Part> parts) {
    const auto list = static_cast<Row>(lists_.size());
    const auto n = static_cast<Row>(parts.size());
    lists_.push_back(std::move(parts));
    return {list, list + n};
  }
  const std::vector<Part>& parts_of(Range range) const { return lists_[range.begin]; }

  // Threads pay off only where there is much to read.
  unsigned n_workers(const Node& node) const {
    return parts_of(node.range).size() * node.columns->size() < 100'000 ? 1 : options_.n_threads;
  }

  // The best question about any of the node's columns.
  std::optional<ChosenSplit> best_among(Node& node, const NodeTargets& targets) {
    if (options_.lookahead.depth > 0) return look_ahead(node, targets);
    if (options_.questions == Questions::m_of_n && literals_suffice()) {
      Node others = node;
      others.columns = columns_beyond_literals(*node.columns);
      std::optional<ChosenSplit> best_other = choose(best_by_column(others, targets), data(), options_);
      std::optional<Split> composite = find_composite(node, targets, best_other);
      if (composite) return combine(std::move(best_other), std::move(composite), node, targets);
    }
    std::optional<ChosenSplit> chosen = choose(best_by_column(node, targets), data(), options_);
    if (options_.questions == Questions::axis) return chosen;
    std::optional<Split> composite = find_composite(node, targets, chosen);
    return combine(std::move(chosen), std::move(composite), node, targets);
  }

  // The question that was planned for the node, if any; it is asked whatever it gains.
  std::optional<ChosenSplit> planned(const Node& node, const NodeTargets& targets) {
    if (node.planned < 0 || static_cast<std::size_t>(node.planned) >= options_.plan->size()) return std::nullopt;
    const Split& split = (*options_.plan)[static_cast<std::size_t>(node.planned)].split;
    std::optional<Candidate> measured = search_.measure_asked(split, parts_of(node.range), layout_, targets, child_);
    return measured ? std::optional{ChosenSplit{*std::move(measured)}} : std::nullopt;
  }

  // The best question of the first chosen column that has one.
  std::optional<ChosenSplit> best_of_chosen(const Node& node, const NodeTargets& targets) {
    std::vector<double> shares;
    for (const Part& part : parts_of(node.range)) shares.push_back(part.share);
    const ColumnChoice choice = options_.choose_columns(layout_.rows(), shares);
    p_value_ = choice.p_value;
    auto best_of = [&](std::uint32_t column) {
      interrupt_.poll();
      bool any = false;
      return search_.best(column, layout_, targets, node.bounds, scratch_[0], any, interrupt_);
    };
    return first_of(choice.columns, *node.columns, options_, best_of);
  }

  std::vector<std::optional<Candidate>> best_by_column(Node& node, const NodeTargets& targets) {
    const std::vector<std::uint32_t>& columns = *node.columns;
    std::vector<std::optional<Candidate>> best(columns.size());
    std::vector<std::uint8_t> varies(columns.size());
    share(n_workers(node), columns.size(), [&](std::size_t i, unsigned worker) {
      Interrupt never;  // threads have nobody to ask
      Interrupt& interrupt = worker == 0 ? interrupt_ : never;
      interrupt.poll();
      bool any = false;
      best[i] = search_.best(columns[i], layout_, targets, node.bounds, scratch_[worker], any, interrupt);
      varies[i] = any;
    });
    drop_constant(node.columns, varies);
    return best;
  }

  std::optional<ChosenSplit> look_ahead(Node& node, const NodeTargets& targets) {
    if (lookahead_.is_late()) return choose(best_by_column(node, targets), data(), options_);
    std::vector<std::uint8_t> varies;
    std::vector<Candidate> candidates = lookahead_.candidates(*node.columns, layout_, targets, &varies);
    if (lookahead_.is_late()) return choose(best_by_column(node, targets), data(), options_);
    drop_constant(node.columns, varies);
    if (candidates.empty()) return std::nullopt;
    const std::optional<std::size_t> winner =
        lookahead_.most_promising(candidates, parts_of(node.range), layout_, targets, *node.columns, node.depth);
    if (!winner) return std::nullopt;
    ChosenSplit chosen{std::move(candidates[*winner])};
    if (options_.competitors > 0) {
      candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(*winner));
      std::vector<std::uint8_t> seen(data().columns.size());
      seen[chosen.column] = 1;
      for (Candidate& candidate : candidates)  // best first: the first of each column is its best
        if (!std::exchange(seen[candidate.column], std::uint8_t{1})) chosen.competitors.push_back(std::move(candidate));
      rank_competitors(chosen, options_);
    }
    return chosen;
  }

  std::optional<Split> find_composite(const Node& node, const NodeTargets& targets,
                                      const std::optional<ChosenSplit>& ordinary) {
    const Limits limits = limits_of(options_, targets);
    const NodeTable<C> table{data(),         criterion_,    options_,        limits,    targets, layout_.targets(),
                             layout_.rows(), *node.columns, search_.coded(), interrupt_};
    const double to_beat = ordinary ? ordinary->score - ordinary->by_chance : -1.0;
    return options_.questions == Questions::m_of_n ? best_m_of_n(table, to_beat) : best_oblique(table, to_beat);
  }

  // The climb begins with the best literal, so that it is enough to look for ordinary questions that are none, if
  // nobody wants to know of the others.
  bool literals_suffice() const { return options_.competitors == 0 && !options_.ratio.decides; }

  ColumnList columns_beyond_literals(const std::vector<std::uint32_t>& columns) const {
    std::vector<std::uint32_t> others;
    for (const std::uint32_t column : columns)
      if (const CodedColumn& coded = search_.coded()[column]; coded.kind == Kind::nominal || coded.has_missing)
        others.push_back(column);
    return std::make_shared<const std::vector<std::uint32_t>>(std::move(others));
  }

  // The composite question takes the place of the ordinary one, which is then its first competitor.
  std::optional<ChosenSplit> combine(std::optional<ChosenSplit> ordinary, std::optional<Split> composite,
                                     const Node& node, const NodeTargets& targets) {
    if (!composite) return ordinary;
    for (Term& term : composite->terms)
      if (term.kind == QuestionKind::threshold)
        term.threshold = search_.threshold(parts_of(node.range), term.column, term.cut, term.next);
    std::optional<Candidate> measured = search_.measure(*std::move(composite), targets);
    // By gain ratio a question must be better in both respects: it was looked for by its gain.
    if (!measured || (ordinary && options_.ratio.decides && !better(measured->ratio, ordinary->ratio, rounding)))
      return ordinary;
    ChosenSplit chosen{*std::move(measured)};
    if (ordinary && options_.competitors > 0) {
      chosen.competitors = std::move(ordinary->competitors);
      chosen.competitors.push_back(std::move(*ordinary));
      rank_competitors(chosen, options_);
    }
    return chosen;
  }

  const C& criterion_;
  const GrowOptions& options_;
  Interrupt& interrupt_;
  PartSearch<C> search_;
  Lookahead<C> lookahead_;
  ColumnDraw draw_;
  Layout<C> layout_;                                      // of the node at hand
  std::vector<typename PartSearch<C>::Scratch> scratch_;  // one per thread
  std::vector<std::vector<Part>> lists_;                  // of every node that has not been divided
  std::vector<std::uint32_t> child_;
  double p_value_ = 1.0;  // of the node at hand, where a test chooses the columns
};

}  // namespace arboretum
