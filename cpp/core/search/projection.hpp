// Projection: the best cut along a sum, judged by the criterion. Sums that differ by no more than a hair are the same
// but for rounding.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/keys.hpp"
#include "core/questions/sorted_threshold.hpp"
#include "core/questions/threshold.hpp"
#include "core/search/node_table.hpp"
#include "core/search/responses.hpp"
#include "core/sources/sorted_column.hpp"

namespace arboretum {

// Between which two neighbouring sums to cut, and what that is worth.
struct SumCut {
  double score = 0.0;
  Fixed left_weight = 0;
  double low = 0.0, high = 0.0;
};

template <Criterion C>
class Projection {
 public:
  // Of some rows of the node, by position; or of all.
  Projection(const NodeTable<C>& table, std::span<const Row> sample) : table_{table}, limits_{table.limits} {
    if (sample.size() == table.targets.size()) return;
    for (const Row position : sample) some_targets_.push_back(table.targets[position]);
    const double share = static_cast<double>(sample.size()) / static_cast<double>(table.targets.size());
    limits_.min_leaf_rows = static_cast<Row>(limits_.min_leaf_rows * share);
    limits_.min_leaf_weight = static_cast<Fixed>(static_cast<double>(limits_.min_leaf_weight) * share);
    limits_.min_cut_weight = static_cast<Fixed>(static_cast<double>(limits_.min_cut_weight) * share);
    some_.emplace(table.criterion.known(table.node, some_targets_));
  }

  explicit Projection(const NodeTable<C>& table) : table_{table}, limits_{table.limits} {}

  // The score of a perfect question about the same rows.
  double whole() const {
    if (some_) return whole_score<C>(table_.criterion, *some_, some_targets_);
    return whole_score<C>(table_.criterion, table_.node, table_.targets);
  }
  std::optional<SumCut> best_cut(std::span<const double> sums, double hair) {
    table_.interrupt.poll();
    sort(sums, hair);
    if (begins_.size() < 2) return std::nullopt;
    const std::optional<Split> split = some_ ? scan(*some_, some_targets_) : scan_all();
    if (!split) return std::nullopt;
    const std::size_t next = begins_[split->next];
    return SumCut{split->score, split->left_weight, sums[rows_[next - 1].position], sums[rows_[next].position]};
  }

 private:
  using Target = typename C::Target;
  using Some = std::remove_cvref_t<decltype(std::declval<const C&>().known(
      std::declval<const typename C::NodeTargets&>(), std::declval<std::span<const Target>>()))>;

  // The codes of the rows are the numbers of their sums, equal ones counted once.
  void sort(std::span<const double> sums, double hair) {
    items_.clear(), rows_.clear(), begins_.clear();
    for (Row i = 0; i < sums.size(); ++i) items_.push_back({key_of(sums[i]), i});
    sort_by_key(items_, scratch_);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (i == 0 || sums[items_[i].row] - sums[items_[i - 1].row] > hair) begins_.push_back(i);
      rows_.push_back({static_cast<Code>(begins_.size() - 1), items_[i].row});
    }
  }

  std::optional<Split> scan(const typename C::NodeTargets& node, std::span<const Target> targets) {
    Contest<C> contest{table_.criterion, node, limits_, table_.interrupt};
    return best_sorted_threshold<C>(contest, rows_, targets);
  }

  std::optional<Split> scan_all() {
    if constexpr (Foresees<C>) {
      Contest<C> contest{table_.criterion, table_.node, limits_, table_.interrupt};
      if (offer_foreseen(contest, rows_, static_cast<Code>(begins_.size()), foresight_, foresight_))
        return contest.take_best();
    }
    return scan(table_.node, table_.targets);
  }

  const NodeTable<C>& table_;
  Limits limits_;
  std::vector<Target> some_targets_;
  std::optional<Some> some_;
  std::vector<KeyedRow> items_, scratch_;
  std::vector<SortedRow> rows_;
  std::vector<std::size_t> begins_;  // of each sum among the rows in order
  typename ForesightOf<C>::type foresight_;
};

}  // namespace arboretum
