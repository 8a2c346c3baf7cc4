#include "core/search/optimal/faultless.hpp"

#include <algorithm>
#include <limits>

namespace arboretum::optimal {
namespace {

constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

}  // namespace

Faultless::Faultless(const OptimalTable& table, const OptimalOptions& options, Budget& budget)
    : table_{table},
      passes_{passes_for(options.simd)},
      width_{(table.columns.size() + rank_group - 1) / rank_group * rank_group} {
  if (!table.has_simple_mistakes() || !budget.take(table.n_rows * width_ * sizeof(std::int16_t))) return;
  // Columns that are not there put all rows into one place.
  ranks_.resize(table.n_rows * width_);
  for (std::size_t f = 0; f < table.columns.size(); ++f)
    for (Row row = 0; row < table.n_rows; ++row)
      ranks_[row * width_ + f] =
          static_cast<std::int16_t>(static_cast<std::int32_t>(table.columns[f].rank[row]) - 32'767);
}

// Does one question make no mistake?
bool Faultless::has_stump(const Task& task) const {
  for (std::size_t f = 0; f < task.node.n_columns(); ++f) {
    if (task.root >= 0 && table_.columns[f].column != static_cast<std::uint32_t>(task.root)) continue;
    if (left_[f] + right_[f] >= task.node.rows) return true;
  }
  return false;
}

// How many rows from here on, or back from here, one question about any column tells apart.
std::size_t Faultless::reach(const Row* row, std::ptrdiff_t step, std::size_t n) const {
  return passes_.apart({.row = row,
                        .step = step,
                        .n = n,
                        .label = table_.label.data(),
                        .weight = table_.weight.empty() ? nullptr : table_.weight.data(),
                        .ranks = ranks_.data(),
                        .width = width_});
}

// A cut in the middle or above needs a stump for the rows below the middle, and the other way round. Nearly always there
// is neither, which the rows in the middle show: those at the ends are often of one class.
bool Faultless::may_divide(const Node& node, std::size_t column) const {
  const std::size_t middle = (left_[column] + node.rows - right_[column]) / 2, above = node.rows - middle;
  const Row* order = node.order(column);
  return middle == 0 || reach(order + middle - 1, -1, middle) == middle || reach(order + middle, 1, above) == above;
}

// The last cut of the column, from the given end on, before which all rows are of one class.
std::size_t Faultless::pure_end(const Node& node, std::size_t column, bool from_right) const {
  const Row* order = node.order(column);
  std::size_t label = nobody, i = 0;
  for (; i < node.rows; ++i) {
    const Row row = order[from_right ? node.rows - 1 - i : i];
    if (!is_row(row)) continue;
    if (label == nobody) label = table_.label[row];
    if (table_.label[row] != label) break;
  }
  while (i > 0 && i < node.rows && !node.can_cut(column, from_right ? node.rows - i : i)) --i;
  return i;
}

Faultless::Ends Faultless::ends(const Node& node, std::size_t column, bool from_right) const {
  const Row* order = node.order(column);
  const std::size_t leaf = from_right ? right_[column] : left_[column];
  std::size_t stump = from_right ? reach(order + node.rows - 1, -1, node.rows) : reach(order, 1, node.rows);
  while (stump > leaf && stump < node.rows && !node.can_cut(column, from_right ? node.rows - stump : stump)) --stump;
  return {leaf, std::max(leaf, stump)};
}

std::array<Faultless::Way, 3> Faultless::ways(const Task& task, std::size_t column) const {
  const Node& node = task.node;
  const Ends left = ends(node, column, false), right = ends(node, column, true);
  auto way = [&](std::size_t most_left, std::size_t most_right, bool with_left, bool with_right) {
    const int n_stumps = static_cast<int>(with_left) + static_cast<int>(with_right);
    Way way{table_.penalty * (1 + n_stumps), std::max<std::size_t>(node.rows - most_right, 1),
            std::min(most_left, node.rows - 1), with_left, with_right};
    while (way.first < way.last && !node.can_cut(column, way.first)) ++way.first;
    while (way.first < way.last && !node.can_cut(column, way.last)) --way.last;
    if (way.first > way.last || !node.can_cut(column, way.first) || (n_stumps == 2 && task.leaves < 4)) way.cost = far;
    return way;
  };
  return {way(left.leaf, right.stump, false, true), way(left.stump, right.leaf, true, false),
          way(left.stump, right.stump, true, true)};
}

void Faultless::solve(const Task& task, Plan& plan) {
  const Node& node = task.node;
  const Cost at_fault = table_.penalty + table_.unit;
  Cost best = std::min(task.limit, plan.cost);
  left_.resize(node.n_columns()), right_.resize(node.n_columns());
  for (std::size_t f = 0; f < node.n_columns(); ++f)
    left_[f] = pure_end(node, f, false), right_[f] = pure_end(node, f, true);
  const bool stump = has_stump(task);
  if (stump && table_.penalty < best) {
    const Cut cut = task.root >= 0 ? best_stump(node, task.root).cut : Cut{};
    plan = {table_.penalty, task.root >= 0 ? joined(cut, nullptr, nullptr) : a_stump()};
  }
  if (stump || task.depth == 1) {
    for (Cost& bound : task.bounds) bound = std::max(bound, stump ? table_.penalty : at_fault);
    return;
  }
  const std::size_t n = task.cells.size();
  std::array<std::size_t, most_cells + 1> at{};
  for (std::size_t f = 0; f < node.n_columns(); ++f) {
    if (task.root >= 0 && table_.columns[f].column != static_cast<std::uint32_t>(task.root)) continue;
    Cost* bound = task.bounds.data() + f * n;
    if (*std::min_element(bound, bound + n) >= best) continue;
    if (!may_divide(node, f)) {
      for (std::size_t c = 0; c < n; ++c) bound[c] = std::max(bound[c], at_fault);
      continue;
    }
    const std::array<Way, 3> all = ways(task, f);
    task.cells.places(node, f, at.data());
    for (std::size_t c = 0; c < n; ++c) {
      Cost here = at_fault;
      for (const Way& way : all)
        if (std::max(way.first, at[c]) <= std::min(way.last, at[c + 1])) here = std::min(here, way.cost);
      bound[c] = std::max(bound[c], here);
    }
    const Way& way = *std::ranges::min_element(
        all, [](const Way& a, const Way& b) { return a.cost != b.cost ? a.cost < b.cost : a.first < b.first; });
    if (way.cost >= best) continue;
    best = plan.cost = way.cost;
    const Cut cut{static_cast<std::int32_t>(f), node.ranks(f)[way.first]};
    plan.root = joined(cut, way.left ? a_stump() : nullptr, way.right ? a_stump() : nullptr);
  }
}

}  // namespace arboretum::optimal
