// SecondLevel: what the best questions of both children would gain, for many ways to divide the same node. Its rows
// are put in the order of each column once; a child's rows in that order are then found by passing over them. Columns
// of levels, and those with missing values here, are left to PartSearch.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/questions/sorted_threshold.hpp"
#include "core/sources/part_search.hpp"
#include "core/sources/sorted_column.hpp"

namespace arboretum {

template <Criterion C>
class SecondLevel {
 public:
  using Target = typename C::Target;
  using NodeTargets = typename C::NodeTargets;

  // What one thread needs.
  struct Scratch {
    std::array<std::vector<SortedRow>, 2> rows;
    std::array<std::vector<Target>, 2> targets;
    Layout<C> layout;
    typename PartSearch<C>::Scratch part;
  };

  // The gain of a column's best question need not be that of its best cut, nor are cuts all there is to ask,
  // everywhere.
  static bool can_serve(const GrowOptions& options) { return !Foresees<C> && !options.ratio.decides; }

  SecondLevel(const PartSearch<C>& search, const std::vector<Part>& parts, std::span<const Target> targets,
              const NodeTargets& node, std::span<const std::uint32_t> columns)
      : search_{search}, parts_{parts}, targets_{targets}, node_{node} {
    std::vector<Code> codes;
    std::vector<Row> begins;
    for (const std::uint32_t column : columns) {
      const CodedColumn& coded = search.coded()[column];
      if (coded.kind == Kind::nominal || !sort(coded, codes, begins)) others_.push_back(column);
    }
    if constexpr (C::target == TargetKind::classes) note_classes();
  }

  // The gain of the best question of each child, times the child's share of the weight; `child` tells where the rows
  // go, each to one of two. Less may be told where the sum, with `gain` added, cannot exceed `to_beat`.
  double gain_below(std::span<const std::uint32_t> child, std::uint32_t depth, double gain, double to_beat,
                    Scratch& scratch, Interrupt& interrupt) const {
    std::array<std::vector<Target>, 2>& targets = scratch.targets;
    targets[0].clear(), targets[1].clear();
    for (std::size_t i = 0; i < child.size(); ++i) targets[child[i]].push_back(targets_[i]);
    std::array<Child, 2> children{Child{search_.criterion().known(node_, targets[0])},
                                  Child{search_.criterion().known(node_, targets[1])}};
    double possible = gain;
    constexpr bool foretells = requires(const C& criterion, const NodeTargets& node) { criterion.impurity(node); };
    for (std::size_t c = 0; c < 2; ++c) {
      Child& own = children[c];
      own.share = own.node.weight() / node_.weight();
      // Equal numbers are not told by their sums; they need not be, as there is nothing to gain from them.
      own.stops = (C::target == TargetKind::classes && search_.criterion().homogeneous(own.node)) ||
                  must_stop(search_.options(), depth + 1, targets[c].size(), own.node.weight());
      if constexpr (foretells)
        if (!own.stops) possible += own.share * search_.criterion().impurity(own.node);
    }
    if (children[0].stops && children[1].stops) return 0.0;
    if (foretells && possible * (1 + 1e-9) < to_beat) return possible - gain;
    ask_sorted(child, children, scratch, interrupt);
    if (!others_.empty()) ask_others(child, children, scratch, interrupt);
    return children[0].share * children[0].most + children[1].share * children[1].most;
  }

 private:
  struct Child {
    NodeTargets node;
    double share = 0.0;
    bool stops = false;
    double most = 0.0;  // the largest gain so far
  };

  // False if a value is missing.
  bool sort(const CodedColumn& coded, std::vector<Code>& codes, std::vector<Row>& begins) {
    codes.resize(parts_.size());
    coded.with_codes([&](const auto* all) {
      for (std::size_t i = 0; i < parts_.size(); ++i) codes[i] = all[parts_[i].row];
    });
    if (coded.has_missing && std::ranges::find(codes, coded.n_codes) != codes.end()) return false;
    std::vector<SortedRow>& sorted = sorted_.emplace_back();
    if (coded.n_codes < 4 * codes.size()) {
      sort_by_code(std::span<const Code>{codes}, coded.n_codes, sorted, begins);
    } else {
      for (Row i = 0; i < codes.size(); ++i) sorted.push_back({codes[i], i});
      std::ranges::sort(sorted, {}, [](const SortedRow& row) { return std::uint64_t{row.code} << 32 | row.position; });
    }
    return true;
  }

  void note_classes() {
    const bool whole = std::ranges::all_of(targets_, [](const Target& target) { return target.weight == 1; });
    if (!search_.criterion().scoring->squares_of_two || !whole || node_.scale.unit != 1.0 || node_.present.size() != 2)
      return;
    for (const Target& target : targets_) is_second_.push_back(target.label == node_.present.back());
  }

  void ask_sorted(std::span<const std::uint32_t> child, std::array<Child, 2>& children, Scratch& scratch,
                  Interrupt& interrupt) const {
    const Limits limits[2] = {limits_of(search_.options(), children[0].node),
                              limits_of(search_.options(), children[1].node)};
    for (const std::vector<SortedRow>& sorted : sorted_) {
      interrupt.poll();
      divide(sorted, child, scratch.rows);
      for (std::size_t c = 0; c < 2; ++c) {
        const std::vector<SortedRow>& rows = scratch.rows[c];
        if (children[c].stops || rows.front().code == rows.back().code) continue;
        children[c].most = std::max(children[c].most, best_gain(rows, children[c], limits[c], interrupt));
      }
    }
  }

  // Both lists are written and one of them advances: which one is a coin toss that no processor foresees.
  static void divide(std::span<const SortedRow> sorted, std::span<const std::uint32_t> child,
                     std::array<std::vector<SortedRow>, 2>& rows) {
    for (std::vector<SortedRow>& list : rows) list.resize(sorted.size());
    SortedRow *first = rows[0].data(), *second = rows[1].data();
    for (const SortedRow& row : sorted) {
      const std::uint32_t to = child[row.position];
      *first = *second = row;
      first += 1 - to, second += to;
    }
    rows[0].resize(static_cast<std::size_t>(first - rows[0].data()));
    rows[1].resize(static_cast<std::size_t>(second - rows[1].data()));
  }

  double best_gain(std::span<const SortedRow> rows, const Child& own, const Limits& limits,
                   Interrupt& interrupt) const {
    if constexpr (C::target == TargetKind::classes) {
      if (!is_second_.empty()) {
        const auto n = static_cast<double>(rows.size());
        const auto ones = static_cast<Row>(own.node.total.counts[node_.present.back()]);
        const std::optional<Split> found = best_cut_of_two(rows, is_second_, ones, limits, own.most * n * n);
        return found ? search_.criterion().scoring->decrease(found->score, n) : 0.0;
      }
    }
    Contest<C> contest{search_.criterion(), own.node, limits, interrupt};
    const std::optional<Split> found = best_sorted_threshold<C>(contest, rows, targets_);
    return found ? search_.criterion().decrease(found->score, own.node) : 0.0;
  }

  // Columns of levels, and those with missing values, are asked as everywhere.
  void ask_others(std::span<const std::uint32_t> child, std::array<Child, 2>& children, Scratch& scratch,
                  Interrupt& interrupt) const {
    std::vector<Part> parts;
    for (std::uint32_t c = 0; c < 2; ++c) {
      if (children[c].stops) continue;
      parts.clear();
      for (std::size_t i = 0; i < child.size(); ++i)
        if (child[i] == c) parts.push_back(parts_[i]);
      const NodeTargets node = search_.open(parts, scratch.layout);
      for (const std::uint32_t column : others_) {
        interrupt.poll();
        bool varies = false;
        const auto found = search_.best(column, scratch.layout, node, {}, scratch.part, varies, interrupt);
        if (found) children[c].most = std::max(children[c].most, found->corrected);
      }
    }
  }

  const PartSearch<C>& search_;
  const std::vector<Part>& parts_;
  std::span<const Target> targets_;
  const NodeTargets& node_;
  std::vector<std::vector<SortedRow>> sorted_;  // of the plain columns
  std::vector<std::uint32_t> others_;
  std::vector<std::uint8_t> is_second_;  // by position, where there are two classes and every row counts 1
};

}  // namespace arboretum
