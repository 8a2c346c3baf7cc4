// FastSearch: what the fast source asks of the criterion. Nodes are searched behind virtual calls, one per node, so
// that the source is compiled once per summary and only the search once per criterion and summary.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "core/sources/column_search.hpp"
#include "core/sources/small_search.hpp"

namespace arboretum {

// A large node: its rows, its summary, and a histogram of each column that varies.
template <class S>
struct LargeNode {
  Range range;
  FastSummary<S> summary;
  std::span<const std::uint32_t> columns;
  std::span<const ColumnHistogram<S>> histograms;
  Limits limits;
};

// What a search reads; it belongs to the source.
template <class S>
struct SearchedRows {
  const Dataset& data;
  const CoarseRows& rows;
  const std::vector<typename S::Target>& targets;
  const SmallRows& small;
  const std::array<S, most_places>& small_singles;
};

template <class S>
class FastSearch {
 public:
  virtual ~FastSearch() = default;

  // Columns that vary in the node are added to `varying`.
  virtual FastSplit<S> best_of_small(const FastSummary<S>& node, Row begin, std::span<const std::uint32_t> columns,
                                     const Limits& limits, std::vector<std::uint32_t>& varying) = 0;
  // One thread for each workplace.
  virtual FastSplit<S> best_of_large(const LargeNode<S>& node, std::span<Workplace> places, Interrupt& interrupt) = 0;
};

template <class C, class S>
class CriterionSearch : public FastSearch<S> {
 public:
  CriterionSearch(const C& criterion, const GrowOptions& options, const SearchedRows<S>& from)
      : criterion_{criterion},
        options_{options},
        data_{from.data},
        rows_{from.rows},
        small_{criterion_, options, from.data, from.small, from.small_singles},
        columns_{criterion_, options, from.data, from.rows, from.targets} {}

  FastSplit<S> best_of_small(const FastSummary<S>& node, Row begin, std::span<const std::uint32_t> columns,
                             const Limits& limits, std::vector<std::uint32_t>& varying) override {
    FastNode<C, S> targets{node};
    if (corrects_any(columns)) targets.chance = criterion_.chance(targets, small_.each_row(node.n_rows(), begin));
    return small_.best_split(targets, begin, columns, limits, varying);
  }

  // Which thread looks at which column may vary; the best of their best is the same.
  FastSplit<S> best_of_large(const LargeNode<S>& node, std::span<Workplace> places, Interrupt& interrupt) override {
    FastNode<C, S> targets{node.summary};
    if (corrects_any(node.columns)) targets.chance = criterion_.chance(targets, columns_.each_row(node.range));
    auto column_of = [&](std::size_t c) -> const CoarseColumn& { return rows_.columns[node.columns[c]]; };
    auto here = [&](std::size_t c) {
      typename ColumnSearch<C, S>::Here at{targets, node.histograms[c], node.columns[c], node.limits};
      at.limits.direction = column_of(c).kind == Kind::nominal ? 0 : direction_of(options_, node.columns[c]);
      return at;
    };
    auto of = [&](unsigned worker) -> Interrupt& { return worker == 0 ? interrupt : never_; };
    const auto n_workers = static_cast<unsigned>(places.size());
    std::vector<FastSplit<S>> best(n_workers);
    share(n_workers, node.columns.size(), [&](std::size_t c, unsigned worker) {
      of(worker).poll();
      if (column_of(c).kind == Kind::nominal) columns_.search_levels(here(c), best[worker], of(worker));
      else columns_.sweep_borders(here(c), best[worker], of(worker));
    });
    merge(best);
    share(n_workers, node.columns.size(), [&](std::size_t c, unsigned worker) {
      of(worker).poll();
      const CoarseColumn& column = column_of(c);
      if (column.kind == Kind::nominal || (column.all_single && node.histograms[c].view.shift == 0)) return;
      columns_.refine(here(c), node.range, best[worker], places[worker]);
    });
    merge(best);
    return std::move(best[0]);
  }

 private:
  bool corrects_any(std::span<const std::uint32_t> columns) const {
    return options_.correct_levels && std::ranges::any_of(columns, [&](std::uint32_t column) {
             return corrects(options_, data_.columns[column]);
           });
  }

  static void merge(std::vector<FastSplit<S>>& best) {
    for (std::size_t w = 1; w < best.size(); ++w)
      if (const FastSplit<S>& own = best[w];
          own.found && best[0].beaten_by(own.score, own.column, own.cost, own.place, own.by_chance))
        best[0] = own;
    for (std::size_t w = 1; w < best.size(); ++w) best[w] = best[0];
  }

  FastCriterion<C, S> criterion_;
  const GrowOptions& options_;
  const Dataset& data_;
  const CoarseRows& rows_;
  SmallSearch<C, S> small_;
  ColumnSearch<C, S> columns_;
  Interrupt never_;  // for threads that have nobody to ask
};

// What the fast source wants to know of a criterion.
template <class S>
struct FastForm {
  Centre centre = Centre::zero;                  // that numbers are measured from
  double (*impurity)(const S& total) = nullptr;  // of classes
  double (*decrease)(double score, const FastSummary<S>& node) = nullptr;
  std::function<std::unique_ptr<FastSearch<S>>(const SearchedRows<S>&)> search{};
};

template <class S, class C>
FastForm<S> fast_form(const C& criterion, const GrowOptions& options) {
  FastForm<S> form;
  if constexpr (C::target == TargetKind::classes) {
    form.impurity = &C::template impurity_of<S>;
    form.decrease = [](double score, const FastSummary<S>& node) {
      return C::decrease_of(score, real(node.total.total()));
    };
  } else {
    form.centre = C::centre;
    form.decrease = [](double score, const FastSummary<S>& node) {
      return C::decrease_of(score, real(node.total.total()), node.scale.numbers);
    };
  }
  form.search = [&](const SearchedRows<S>& rows) {
    return std::make_unique<CriterionSearch<C, S>>(criterion, options, rows);
  };
  return form;
}

}  // namespace arboretum
