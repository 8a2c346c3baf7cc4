#include "core/search/optimal/faultless.hpp"

#include <algorithm>
#include <limits>

namespace arboretum::optimal {
namespace {

constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

// The ranks of up to two classes, and whether one cut divides these.
class Ranks {
 public:
  // False from the first row on that makes a mistake unavoidable.
  bool add(std::uint16_t label, Rank rank) {
    Span* span = nullptr;
    for (Span& own : spans_)
      if (own.label == label || own.label == nobody) {
        span = &own;
        break;
      }
    if (span == nullptr) return false;
    span->label = label;
    span->least = std::min(span->least, rank), span->most = std::max(span->most, rank);
    return spans_[0].most < spans_[1].least || spans_[1].most < spans_[0].least || spans_[1].label == nobody;
  }

 private:
  struct Span {
    std::size_t label = nobody;
    Rank least = std::numeric_limits<Rank>::max(), most = 0;
  };
  std::array<Span, 2> spans_;
};

}  // namespace

// Is there a column whose order has the rows of one class before those of the other?
bool Faultless::has_stump(const Node& node, std::int32_t about) const {
  for (std::size_t f = 0; f < node.n_columns(); ++f) {
    if (about >= 0 && table_.columns[f].column != static_cast<std::uint32_t>(about)) continue;
    if (stump_end(node, f, f, false) == node.rows) return true;
  }
  return false;
}

// The last cut of the column, from the given end on, before which one question about the second column makes no mistake.
std::size_t Faultless::stump_end(const Node& node, std::size_t column, std::size_t second, bool from_right) const {
  const Row* order = node.order(column);
  const Rank* rank = table_.columns[second].rank.data();
  Ranks seen;
  std::size_t i = 0;
  auto at = [&](std::size_t k) { return from_right ? node.rows - 1 - k : k; };
  while (i < node.rows && (!is_row(order[at(i)]) || seen.add(table_.label[order[at(i)]], rank[order[at(i)]]))) ++i;
  while (i > 0 && i < node.rows && !node.can_cut(column, from_right ? node.rows - i : i)) --i;
  return i;
}

Faultless::Ends Faultless::ends(const Node& node, std::size_t column, bool from_right) const {
  const Row* order = node.order(column);
  auto at = [&](std::size_t k) { return from_right ? node.rows - 1 - k : k; };
  Ends ends;
  std::size_t label = nobody;
  for (; ends.leaf < node.rows; ++ends.leaf) {
    const Row row = order[at(ends.leaf)];
    if (!is_row(row)) continue;
    if (label == nobody) label = table_.label[row];
    if (table_.label[row] != label) break;
  }
  while (ends.leaf > 0 && ends.leaf < node.rows &&
         !node.can_cut(column, from_right ? node.rows - ends.leaf : ends.leaf))
    --ends.leaf;
  ends.stump = ends.leaf;
  for (std::size_t g = 0; g < node.n_columns(); ++g)
    ends.stump = std::max(ends.stump, stump_end(node, column, g, from_right));
  return ends;
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
  const bool stump = has_stump(node, task.root);
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
