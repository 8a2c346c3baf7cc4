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
  std::uint32_t column : 31;  // its place in a Block
  std::uint32_t missing_left : 1;
  std::uint32_t first_child;

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
  return step.first_child + right;
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

template <class T>
class Walk {
 public:
  Walk(std::vector<Step<T>> steps, std::vector<std::uint32_t> columns)
      : steps_{std::move(steps)}, columns_{std::move(columns)} {}

  template <class Poll>
  void leaves_of(const Dataset& data, std::span<NodeId> leaves, Poll&& poll) const {
    Block<T> block{data, columns_};
    for (std::size_t begin = 0; begin < leaves.size(); begin += block.max_rows()) {
      poll();
      const std::span<NodeId> part = leaves.subspan(begin, std::min(block.max_rows(), leaves.size() - begin));
      block.fill(static_cast<Row>(begin), part.size());
      if (block.some_missing()) walk<true>(block, part);
      else walk<false>(block, part);
    }
  }

 private:
  struct Lane {
    const T* values;
    std::uint32_t node;
    std::uint32_t row;
  };

  // A lane takes the next row as soon as its own has come to rest, and is given up when there is none.
  template <bool some_missing>
  void walk(const Block<T>& block, std::span<NodeId> leaves) const {
    std::array<Lane, 32> lanes;
    std::size_t n_lanes = 0;
    std::uint32_t n_started = 0;
    auto start = [&](Lane& lane) { lane = {block.row(n_started), 0, n_started}, ++n_started; };
    while (n_lanes < std::min(lanes.size(), leaves.size())) start(lanes[n_lanes++]);
    while (n_lanes > 0)
      for (std::size_t i = 0; i < n_lanes; ++i) {
        Lane& lane = lanes[i];
        const std::uint32_t next = next_step<some_missing>(steps_[lane.node], lane.values);
        if (next != lane.node) {
          lane.node = next;
          continue;
        }
        leaves[lane.row] = static_cast<NodeId>(next);
        if (n_started < leaves.size()) start(lane);
        else lane = lanes[--n_lanes];
      }
  }

  std::vector<Step<T>> steps_;
  std::vector<std::uint32_t> columns_;
};

}  // namespace arboretum
