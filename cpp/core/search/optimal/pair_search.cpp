#include "core/search/optimal/pair_search.hpp"

#include <algorithm>

namespace arboretum::optimal {

void PairSearch::solve(const Task& task, const Stump& stump, Plan& plan) {
  const Node& node = task.node;
  leaves_ = task.leaves;
  best_ = std::min({task.limit, plan.cost});
  if (task.root < 0) best_ = std::min({best_, node.leaf(), stump.allowed});
  tie_ = task.wants_first ? table_.tie : 0.0;
  turn_ = best_ < task.limit ? Turn::no_question() : Turn::none();
  const SideCost whole{node.leaf(), std::min(node.leaf(), stump.least), std::min(node.leaf(), stump.allowed)};
  trial_.open(node);
  for (std::size_t f = 0; f < node.n_columns() && !budget_.stopped(); ++f) {
    column_ = static_cast<std::int32_t>(f);
    if (task.root >= 0 && table_.columns[f].column != static_cast<std::uint32_t>(task.root)) continue;
    const auto begin = task.bounds.begin() + static_cast<std::ptrdiff_t>(f * task.cells.size());
    if (*std::min_element(begin, begin + static_cast<std::ptrdiff_t>(task.cells.size())) >= limit()) continue;
    if (table_.columns[f].ordered) search_thresholds(task, f, whole, plan);
    else search_levels(task, f, whole, plan);
  }
}

// Of knots that have been tried: is any of them the best so far?
void PairSearch::note(const Task& task, std::size_t column, const Knot& knot, Plan& plan) {
  if (knot.at < table_.min_leaf_rows || task.node.rows - knot.at < table_.min_leaf_rows) return;
  const Cost cost = joined(knot.left, knot.right, &SideCost::allowed);
  if (cost >= limit()) return;
  const bool ordered = table_.columns[column].ordered;
  const Cut cut{static_cast<std::int32_t>(column), ordered ? task.node.ranks(column)[knot.at] : knot.number};
  const Turn turn{cut.column, cut.number};
  if (!is_better(cost, turn)) return;
  best_ = plan.cost = cost, turn_ = turn;
  bool left = is_deep(knot.left), right = is_deep(knot.right);
  if (leaves_ < 4 && left && right) {  // only one of them
    left = knot.left.allowed + knot.right.leaf < knot.left.leaf + knot.right.allowed;
    right = !left;
  }
  plan.root = arboretum::optimal::joined(cut, left ? a_stump() : nullptr, right ? a_stump() : nullptr);
}

bool PairSearch::try_knots(const Task& task, std::size_t column, Plan& plan) {
  if (!trial_.run(column, knots_, budget_, asks_)) return false;
  if (table_.limits_leaves()) {
    if (std::ranges::none_of(knots_, [&](const Knot& knot) { return sum(knot) < limit(); })) return true;
    if (!trial_.run_limited(column, knots_, budget_, asks_)) return false;
  }
  for (const Knot& knot : knots_) note(task, column, knot, plan);
  return true;
}

// Raises the bounds of the column's cells to `best_` or to their true values; lowers `best_` where a cut is better.
void PairSearch::search_thresholds(const Task& task, std::size_t column, const SideCost& whole, Plan& plan) {
  const Node& node = task.node;
  const std::size_t n = task.cells.size();
  Cost* bound = task.bounds.data() + column * n;
  std::array<std::size_t, most_cells + 1> at{};
  std::array<Cost, most_cells> known{};
  task.cells.places(node, column, at.data());
  std::copy(bound, bound + n, known.begin());
  // First the borders of the cells that are open.
  knots_.clear();
  for (std::size_t c = 1; c < n; ++c)
    if ((bound[c - 1] < limit() || bound[c] < limit()) && node.can_cut(column, at[c]) &&
        (knots_.empty() || knots_.back().at != at[c]))
      knots_.push_back({.at = at[c]});
  const Cost before = limit();
  std::vector<Knot> borders;
  for (std::size_t begin = 0; begin < knots_.size(); begin += trial_.n_cuts()) {
    std::vector<Knot> all = std::move(knots_);
    knots_.assign(all.begin() + static_cast<std::ptrdiff_t>(begin),
                  all.begin() + static_cast<std::ptrdiff_t>(std::min(begin + trial_.n_cuts(), all.size())));
    if (!try_knots(task, column, plan)) return;
    borders.insert(borders.end(), knots_.begin(), knots_.end());
    knots_ = std::move(all);
  }
  auto knot_at = [&](std::size_t place) {
    if (place == 0) return Knot{.right = whole};
    if (place == node.rows) return Knot{.at = place, .left = whole};
    return *std::ranges::find(borders, place, &Knot::at);
  };
  gaps_.clear();
  for (std::size_t c = 0; c < n; ++c) {
    if (known[c] >= before) continue;
    const Knot lo = knot_at(at[c]), hi = knot_at(at[c + 1]);
    bound[c] = std::min(sum(lo), sum(hi));  // to be lowered by what is found inside
    gaps_.push_back({.lo = lo, .hi = hi, .cell = c});
  }
  if (!spread(task, column, bound, known.data(), Reach{node, column}, plan))
    return void(std::copy_n(known.begin(), n, bound));
  for (std::size_t c = 0; c < n; ++c) bound[c] = std::max(bound[c], known[c]);
}

// Goes on inside the gaps until they hold nothing better. False if the budget is spent.
bool PairSearch::spread(const Task& task, std::size_t column, Cost* bound, const Cost* known, const Reach& reach,
                        Plan& plan) {
  const Node& node = task.node;
  const auto least = static_cast<std::ptrdiff_t>(table_.min_leaf_rows);
  while (true) {
    open_.clear();
    std::size_t width = 0;
    for (Gap gap : gaps_) {
      const Cost floor = joined(gap.lo.left, gap.hi.right, &SideCost::least);
      // Nearer to a knot the cost stays at least what is the best already.
      auto first = static_cast<std::ptrdiff_t>(reach.first_after(gap.lo.at, sum(gap.lo) - limit()));
      auto last = reach.last_before(gap.hi.at, sum(gap.hi) - limit());
      auto can_cut = [&](std::ptrdiff_t cut) { return node.can_cut(column, static_cast<std::size_t>(cut)); };
      while (first <= last && !can_cut(first)) ++first;
      while (first <= last && !can_cut(last)) --last;
      const bool ruled_out = first > last;
      const auto from = first, to = last;
      // Cuts that leave too few rows are not asked; of their costs no more is known than the gap's bound.
      first = std::max(first, least), last = std::min(last, static_cast<std::ptrdiff_t>(node.rows) - least);
      while (first <= last && !can_cut(first)) ++first;
      while (first <= last && !can_cut(last)) --last;
      if (std::max(floor, known[gap.cell]) < limit() && first <= last) {
        if (first != from || last != to) bound[gap.cell] = std::min(bound[gap.cell], floor);
        gap.first = static_cast<std::size_t>(first), gap.last = static_cast<std::size_t>(last);
        width += gap.last - gap.first + 1;
        open_.push_back(gap);
      } else if (gap.hi.at - gap.lo.at > 1) {
        bound[gap.cell] = std::min(bound[gap.cell], ruled_out ? std::max(floor, limit()) : floor);
      }
    }
    if (open_.empty()) return true;
    gaps_.clear();
    const std::size_t n_cuts = trial_.n_cuts();
    for (std::size_t begin = 0; begin < open_.size();) {
      knots_.clear();
      std::size_t end = begin;
      for (; end < open_.size() && knots_.size() < n_cuts; ++end) {
        Gap& gap = open_[end];
        const std::size_t size = gap.last - gap.first + 1, spare = n_cuts > open_.size() ? n_cuts - open_.size() : 0;
        const std::size_t share = std::min({n_cuts - knots_.size(), size, 1 + size * spare / width});
        gap.from = knots_.size();
        for (std::size_t s = 0; s < share; ++s) {
          std::size_t cut = gap.first + size * (2 * s + 1) / (2 * share);
          while (cut < gap.last && !node.can_cut(column, cut)) ++cut;
          if (s == 0 || knots_.back().at < cut) knots_.push_back({.at = cut});
        }
        gap.to = knots_.size();
      }
      if (!try_knots(task, column, plan)) return false;
      for (; begin < end; ++begin) {
        const Gap& gap = open_[begin];
        Knot lo = gap.lo;
        for (std::size_t i = gap.from; i < gap.to; lo = knots_[i++]) {
          bound[gap.cell] = std::min(bound[gap.cell], sum(knots_[i]));
          gaps_.push_back({.lo = lo, .hi = knots_[i], .cell = gap.cell});
        }
        gaps_.push_back({.lo = lo, .hi = gap.hi, .cell = gap.cell});
      }
    }
  }
}

// Questions about levels have no order, so each of them is tried that is not known to be worse.
void PairSearch::search_levels(const Task& task, std::size_t column, const SideCost& whole, Plan& plan) {
  const Node& node = task.node;
  const Asked& asked = table_.columns[column];
  const std::size_t n = task.cells.size();
  Cost* bound = task.bounds.data() + column * n;
  std::array<Cost, most_cells> fresh{};
  fresh.fill(far);
  std::array<bool, most_cells> complete{};
  complete.fill(true);
  std::vector<std::size_t> rows_of(asked.n_ranks);
  for (std::size_t i = 0; i < node.rows; ++i) ++rows_of[node.ranks(column)[i]];
  auto flush = [&] {
    if (knots_.empty()) return true;
    if (!try_knots(task, column, plan)) return false;
    for (const Knot& knot : knots_) {
      Cost& own = fresh[task.cells.of_question(knot.number)];
      own = std::min(own, sum(knot));
    }
    knots_.clear();
    return true;
  };
  knots_.clear();
  for (std::uint32_t q = 0; q < asked.questions.size(); ++q) {
    const std::size_t cell = task.cells.of_question(q);
    if (bound[cell] >= limit()) {
      complete[cell] = false;
      continue;
    }
    std::size_t left = 0;
    for (Rank rank = 0; rank < asked.n_ranks; ++rank)
      if (asked.questions[q].sends_left(rank, asked.missing)) left += rows_of[rank];
    if (left == 0 || left == node.rows) {  // the whole node on one side
      fresh[cell] = std::min(fresh[cell], whole.least + table_.penalty);
      continue;
    }
    knots_.push_back({.at = left, .number = q});
    if (knots_.size() == trial_.n_cuts() && !flush()) return;
  }
  if (!flush()) return;
  for (std::size_t c = 0; c < n; ++c)
    if (complete[c]) bound[c] = std::max(bound[c], fresh[c]);
}

}  // namespace arboretum::optimal
