#include "core/forest.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/parallel.hpp"

namespace arboretum {
namespace {

constexpr std::size_t block_values = 1u << 16;  // a block stays in the cache together with a tree of some size
constexpr std::size_t crowd_size = 1u << 12;    // rows of few blocks are sent through several trees at once
constexpr int steps_at_once = 4;                // before a lane is asked whether it has come to rest: measured

}  // namespace

std::uint32_t Forest::place_of(std::uint32_t column) {
  if (places_.size() <= column) places_.resize(column + 1, -1);
  if (places_[column] < 0) {
    places_[column] = static_cast<std::int32_t>(columns_.size());
    columns_.push_back(column);
  }
  return static_cast<std::uint32_t>(places_[column]);
}

template <class T>
std::vector<Step<T>> Forest::steps_of(const Router& router) {
  std::vector<Step<T>> steps;
  steps.reserve(router.n_nodes());
  for (std::size_t node = 0; node < router.n_nodes(); ++node)
    steps.push_back(step_of<T>(router, node, [&](std::uint32_t column) { return place_of(column); }));
  return steps;
}

bool Forest::add(const Router& router, std::vector<double> values) {
  Member member;
  if (router.walks()) {
    member.steps = steps_of<double>(router);  // from here on its columns have places
    small_ = small_ && router.n_nodes() <= Step<float>::max_nodes && columns_.size() <= Step<float>::max_columns;
    if (small_) member.floats = steps_of<float>(router);
  } else {
    member.router = &router;
  }
  member.values = std::move(values);
  n_columns_ = std::max(n_columns_, router.n_columns());
  trees_.push_back(std::move(member));
  return trees_.back().router == nullptr;
}

bool Forest::walks_in_floats(const Dataset& data) const {
  return small_ && std::ranges::all_of(columns_, [&](std::uint32_t column) {
           return with_type(data.columns[column].type, []<class U>(std::type_identity<U>) {
             return std::numeric_limits<U>::digits <= std::numeric_limits<float>::digits;
           });
         });
}

template <class Visit>
void Forest::each_part(const Dataset& data, unsigned n_threads, Interrupt& interrupt, Visit&& visit) const {
  if (walks_in_floats(data)) each_part_as<float>(data, n_threads, interrupt, visit);
  else each_part_as<double>(data, n_threads, interrupt, visit);
}

template <class T, class Visit>
void Forest::each_part_as(const Dataset& data, unsigned n_threads, Interrupt& interrupt, Visit&& visit) const {
  const std::size_t n_rows = data.n_rows, width = std::max<std::size_t>(columns_.size(), 1);
  std::size_t most_rows = std::clamp<std::size_t>(block_values / width, 64, 1u << 12);
  // Every thread gets some rows.
  most_rows =
      std::clamp<std::size_t>((n_rows + n_threads - 1) / n_threads, std::min<std::size_t>(n_rows, 64), most_rows);
  if (most_rows == 0) return;
  const std::size_t n_blocks = (n_rows + most_rows - 1) / most_rows;
  const std::size_t n_trees = std::max<std::size_t>(1, crowd_size / most_rows);
  share(n_threads, n_blocks, [&](std::size_t number, unsigned worker) {
    const std::size_t begin = number * most_rows, n = std::min(most_rows, n_rows - begin);
    Block<T> block{data, columns_, most_rows};
    block.fill(static_cast<Row>(begin), n);
    std::vector<NodeId> leaves(std::min(n_trees, trees_.size()) * n);
    for (std::size_t first = 0; first < trees_.size(); first += n_trees) {
      if (worker == 0) interrupt.poll();
      const Crowd crowd{std::span{trees_}.subspan(first, std::min(n_trees, trees_.size() - first)), n, leaves};
      rest(crowd, data, static_cast<Row>(begin), block);
      visit(first, crowd, static_cast<Row>(begin));
    }
  });
}

// Finds the leaves of a crowd.
template <class T>
void Forest::rest(const Crowd& crowd, const Dataset& data, Row begin, const Block<T>& block) const {
  if (block.some_missing()) walk<true>(crowd, block);
  else walk<false>(crowd, block);
  for (std::size_t t = 0; t < crowd.trees.size(); ++t) {
    const Member& tree = crowd.trees[t];
    if (tree.router == nullptr) continue;
    Router::OpenNodes open;
    for (std::size_t i = 0; i < crowd.n_rows; ++i)
      crowd.leaves[t * crowd.n_rows + i] = tree.router->leaf_of(data, begin + static_cast<Row>(i), open);
  }
}

// A lane takes the next row, or the first row of the next tree, when its own has come to rest. To look after each step
// would cost more than the steps that a lane takes in vain: a leaf leads to itself.
template <bool some_missing, class T>
void Forest::walk(const Crowd& crowd, const Block<T>& block) {
  struct Lane {
    const Step<T>* steps;
    const T* values;
    std::uint32_t node;
    NodeId* leaf;

    std::uint32_t next() const { return next_step<some_missing>(steps[node], values); }
  };
  std::array<Lane, 32> lanes;
  std::size_t n_lanes = 0, tree = 0, row = 0;
  auto start = [&](Lane& lane) {
    if (row == crowd.n_rows) ++tree, row = 0;
    while (tree < crowd.trees.size() && crowd.trees[tree].router != nullptr) ++tree;
    if (tree == crowd.trees.size()) return false;
    lane = {crowd.trees[tree].first_step<T>(), block.row(row), 0, &crowd.leaves[tree * crowd.n_rows + row]};
    ++row;
    return true;
  };
  while (n_lanes < lanes.size() && start(lanes[n_lanes])) ++n_lanes;
  while (n_lanes > 0) {
    for (int step = 1; step < steps_at_once; ++step)
      for (Lane& lane : std::span{lanes}.first(n_lanes)) lane.node = lane.next();
    for (std::size_t i = 0; i < n_lanes; ++i) {
      Lane& lane = lanes[i];
      const std::uint32_t next = lane.next();
      if (next != lane.node) {
        lane.node = next;
        continue;
      }
      *lane.leaf = static_cast<NodeId>(next);
      if (!start(lane)) lane = lanes[--n_lanes];
    }
  }
}

void Forest::sum(const Dataset& data, std::span<double> sums, unsigned n_threads, Interrupt& interrupt) const {
  std::ranges::fill(sums, 0.0);
  each_part(data, n_threads, interrupt, [&](std::size_t, const Crowd& crowd, Row begin) {
    for (std::size_t t = 0; t < crowd.trees.size(); ++t) {
      const Member& tree = crowd.trees[t];
      double* out = sums.data() + begin * width_;
      Router::OpenNodes open;
      for (std::size_t i = 0; i < crowd.n_rows; ++i, out += width_) {
        auto add = [&](std::size_t node, double share) {
          for (std::size_t k = 0; k < width_; ++k) out[k] += share * tree.values[node * width_ + k];
        };
        if (tree.router == nullptr || !tree.router->divides_rows())
          add(static_cast<std::size_t>(crowd.leaves[t * crowd.n_rows + i]), 1.0);
        else
          tree.router->visit_nodes(data, begin + static_cast<Row>(i), open, [&](std::size_t node, double share) {
            if (tree.router->n_children(node) == 0) add(node, share);
          });
      }
    }
  });
}

void Forest::leaves_of(const Dataset& data, std::span<NodeId> leaves, unsigned n_threads, Interrupt& interrupt) const {
  each_part(data, n_threads, interrupt, [&](std::size_t first, const Crowd& crowd, Row begin) {
    for (std::size_t t = 0; t < crowd.trees.size(); ++t)
      for (std::size_t i = 0; i < crowd.n_rows; ++i)
        leaves[(begin + i) * trees_.size() + first + t] = crowd.leaves[t * crowd.n_rows + i];
  });
}

}  // namespace arboretum
