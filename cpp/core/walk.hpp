// Walk: many rows go down a tree at once, so that one finds its next node in memory while the others are compared. It
// knows only questions about numbers, with two answers; the plain twin, Router::leaf_of, knows all.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/block.hpp"
#include "core/dataset.hpp"
#include "core/tree.hpp"

namespace arboretum {

// A node. The second of its two children takes the rows for which x <= threshold does not hold; these include missing
// values, which are NaN, unless `missing_left`. A leaf leads to itself.
template <class T>
struct Step {
  T threshold;
  std::uint32_t column;  // its place in a Block
  std::uint32_t missing_left : 1;
  std::uint32_t first_child : 31;

  static constexpr std::size_t max_nodes = std::size_t{1} << 31;
  static constexpr std::size_t max_columns = 1024;  // of more, a row asks about too few to copy them all
};

// The same in eight bytes, half as many: most trees then stay in the cache.
template <>
struct Step<float> {
  float threshold;
  std::uint32_t column : 8;
  std::uint32_t missing_left : 1;
  std::uint32_t first_child : 23;

  static constexpr std::size_t max_nodes = std::size_t{1} << 23;
  static constexpr std::size_t max_columns = std::size_t{1} << 8;
};

// The largest T that is not above t: every x of type T is at most that exactly if it is at most t.
template <class T>
T round_down_to(double t) {
  const auto rounded = static_cast<T>(t);
  return static_cast<double>(rounded) > t ? std::nextafter(rounded, -std::numeric_limits<T>::infinity()) : rounded;
}

// The node that a row goes to next; at a leaf, the leaf.
template <bool some_missing, class T>
std::uint32_t next_step(const Step<T>& step, const T* values) {
  const T value = values[step.column];
  bool right = !(value <= step.threshold);
  if constexpr (some_missing) right &= !(step.missing_left & (value != value));
  const std::uint32_t first = step.first_child;  // not an int, which would have to be widened
  return first + right;
}

// The step of a node, whose column lies in a Block where place_of(column) says.
template <class T, class Router, class PlaceOf>
Step<T> step_of(const Router& router, std::size_t node, PlaceOf&& place_of) {
  if (router.n_children(node) == 0)
    return {.threshold = std::numeric_limits<T>::infinity(),
            .column = 0,
            .missing_left = 1,
            .first_child = static_cast<std::uint32_t>(node)};
  const bool asks_missing = router.kind(node) == QuestionKind::missing;
  return {// nothing is at most NaN, so that all but missing values go right
          .threshold = asks_missing ? std::numeric_limits<T>::quiet_NaN() : round_down_to<T>(router.bound(node)),
          .column = place_of(router.column(node)),
          .missing_left = asks_missing || router.missing_child(node) == 0,
          .first_child = static_cast<std::uint32_t>(router.first_child(node))};
}

// How many steps a row takes before anyone looks whether it has come to rest: all of them in a tree that is not deep.
template <class T>
int n_steps_at_once(std::span<const Step<T>> steps) {
  constexpr int most = 16, of_deep_trees = 10;  // measured
  std::vector<int> depth(steps.size());
  int deepest = 0;
  for (std::size_t node = 0; node < steps.size(); ++node) {
    const std::size_t first = steps[node].first_child;
    if (first == node) continue;
    deepest = std::max(deepest, depth[first] = depth[first + 1] = depth[node] + 1);
  }
  return deepest < most ? deepest + 1 : of_deep_trees;
}

// The rows of a block, which go down one tree.
template <class T>
struct RowsOfTree {
  const Step<T>* steps;
  const Block<T>& block;
  std::span<NodeId> leaves;
  int n_at_once;

  std::size_t size() const { return leaves.size(); }
  const Step<T>& step(std::uint32_t, std::uint32_t node) const { return steps[node]; }
  const T* values(std::uint32_t row) const { return block.row(row); }
  void rest(std::uint32_t row, std::uint32_t node) const { leaves[row] = static_cast<NodeId>(node); }
};

// Walks are what size() numbers stand for. A lane takes the next one when its own has come to rest. Whether it has is
// seldom foreseen by the processor, so that no branch depends on it; and it is asked only after some steps, since a leaf
// leads to itself. Lanes hide most of the time that memory takes; many more of them than a processor has registers
// would cost more than that.
template <bool some_missing, std::size_t n_lanes, class T, class Walks>
void walk_all(const Walks& walks) {
  const auto n_walks = static_cast<std::uint32_t>(walks.size());
  const std::uint32_t n_used = std::min<std::uint32_t>(n_lanes, n_walks);
  std::array<std::uint32_t, n_lanes> node{}, walk{};
  std::array<const T*, n_lanes> values{};
  for (std::uint32_t lane = 0; lane < n_used; ++lane) walk[lane] = lane, values[lane] = walks.values(lane);
  auto next = [&](std::size_t lane) {
    return next_step<some_missing>(walks.step(walk[lane], node[lane]), values[lane]);
  };

  for (std::uint32_t n_started = n_used; n_started < n_walks;) {
    for (int step = 1; step < walks.n_at_once; ++step)
      for (std::size_t lane = 0; lane < n_lanes; ++lane) node[lane] = next(lane);
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
      const std::uint32_t to = next(lane);
      walks.rest(walk[lane], to);  // as long as it goes on, this is overwritten
      const std::uint32_t starts = to == node[lane], mask = 0 - starts;
      const std::uint32_t fresh = std::min(n_started, n_walks - 1);  // some lanes may walk the last one again
      node[lane] = to & ~mask;
      walk[lane] ^= (walk[lane] ^ fresh) & mask;
      values[lane] += (walks.values(fresh) - values[lane]) & -static_cast<std::ptrdiff_t>(starts);
      n_started += starts;
    }
  }
  for (std::uint32_t moved = 1; moved != 0;) {
    moved = 0;
    for (std::uint32_t lane = 0; lane < n_used; ++lane) {
      const std::uint32_t to = next(lane);
      moved |= to ^ node[lane];
      node[lane] = to;
    }
  }
  for (std::uint32_t lane = 0; lane < n_used; ++lane) walks.rest(walk[lane], node[lane]);
}

// Many rows down one tree.
template <class T>
void walk_rows(const RowsOfTree<T>& walks) {
  constexpr std::size_t n_lanes = 10;  // measured
  if (walks.block.some_missing()) walk_all<true, n_lanes, T>(walks);
  else walk_all<false, n_lanes, T>(walks);
}

template <class T>
class Walk {
 public:
  Walk(std::vector<Step<T>> steps, std::vector<std::uint32_t> columns)
      : steps_{std::move(steps)}, columns_{std::move(columns)}, n_at_once_{n_steps_at_once<T>(steps_)} {}

  template <class Poll>
  void leaves_of(const Dataset& data, std::span<NodeId> leaves, Poll&& poll) const {
    Block<T> block{data, columns_};
    for (std::size_t begin = 0; begin < leaves.size(); begin += block.max_rows()) {
      poll();
      const std::span<NodeId> part = leaves.subspan(begin, std::min(block.max_rows(), leaves.size() - begin));
      block.fill(static_cast<Row>(begin), part.size());
      walk_rows(RowsOfTree<T>{steps_.data(), block, part, n_at_once_});
    }
  }

 private:
  std::vector<Step<T>> steps_;
  std::vector<std::uint32_t> columns_;
  int n_at_once_;
};

}  // namespace arboretum
