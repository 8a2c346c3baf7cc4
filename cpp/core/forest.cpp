#include "core/forest.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/parallel.hpp"

namespace arboretum {
namespace {

constexpr std::size_t block_bytes = 1u << 22;  // many rows: while they go down a tree, it stays in the cache
constexpr std::size_t crowd_size = 1u << 12;   // few rows are sent through several trees before they are added up
constexpr std::size_t few_rows = 32;           // each of them goes down several trees at once

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
    member.n_at_once = n_steps_at_once<double>(member.steps);
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
  std::size_t most_rows = std::clamp<std::size_t>(block_bytes / sizeof(T) / width, 64, 1u << 16);
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
  walk(crowd, block);
  for (std::size_t t = 0; t < crowd.trees.size(); ++t) {
    const Member& tree = crowd.trees[t];
    if (tree.router == nullptr) continue;
    Router::OpenNodes open;
    for (std::size_t i = 0; i < crowd.n_rows; ++i)
      crowd.leaves[t * crowd.n_rows + i] = tree.router->leaf_of(data, begin + static_cast<Row>(i), open);
  }
}

// One row, which goes down several trees.
template <class T>
struct Forest::TreesOfRow {
  const Crowd& crowd;
  std::span<const std::uint32_t> trees;  // their places in the crowd
  const T* row_values;
  std::size_t row;
  int n_at_once = 4;  // measured

  std::size_t size() const { return trees.size(); }
  const Step<T>& step(std::uint32_t number, std::uint32_t node) const {
    return crowd.trees[trees[number]].template first_step<T>()[node];
  }
  const T* values(std::uint32_t) const { return row_values; }
  void rest(std::uint32_t number, std::uint32_t node) const {
    crowd.leaves[trees[number] * crowd.n_rows + row] = static_cast<NodeId>(node);
  }
};

template <class T>
void Forest::walk(const Crowd& crowd, const Block<T>& block) {
  std::vector<std::uint32_t> walked;
  for (std::uint32_t t = 0; t < crowd.trees.size(); ++t)
    if (crowd.trees[t].router == nullptr) walked.push_back(t);
  if (crowd.n_rows < walked.size() && crowd.n_rows < few_rows) {
    for (std::size_t row = 0; row < crowd.n_rows; ++row) {
      const TreesOfRow<T> walks{crowd, walked, block.row(row), row};
      if (block.some_missing()) walk_all<true, 32, T>(walks);
      else walk_all<false, 32, T>(walks);
    }
  } else {
    for (const std::uint32_t t : walked)
      walk_rows(
          RowsOfTree<T>{crowd.trees[t].template first_step<T>(), block, crowd.leaves_of(t), crowd.trees[t].n_at_once});
  }
}

// Adds what the leaves of some rows predict. One or two numbers, known while this is compiled, take half the time.
template <class Width>
void Forest::add_values(const Member& tree, std::span<const NodeId> leaves, Width width, double* out) {
  const double* values = tree.values.data();
  for (const NodeId leaf : leaves) {
    const double* own = values + static_cast<std::size_t>(leaf) * width;
    for (std::size_t k = 0; k < width; ++k) out[k] += own[k];
    out += width;
  }
}

void Forest::sum(const Dataset& data, std::span<double> sums, unsigned n_threads, Interrupt& interrupt) const {
  std::ranges::fill(sums, 0.0);
  each_part(data, n_threads, interrupt, [&](std::size_t, const Crowd& crowd, Row begin) {
    for (std::size_t t = 0; t < crowd.trees.size(); ++t) {
      const Member& tree = crowd.trees[t];
      const std::span<const NodeId> leaves = crowd.leaves_of(t);
      double* out = sums.data() + begin * width_;
      if (tree.router != nullptr && tree.router->divides_rows()) add_shares(tree, data, begin, crowd.n_rows, out);
      else if (width_ == 1) add_values(tree, leaves, std::integral_constant<std::size_t, 1>{}, out);
      else if (width_ == 2) add_values(tree, leaves, std::integral_constant<std::size_t, 2>{}, out);
      else add_values(tree, leaves, width_, out);
    }
  });
}

// Adds what the leaves predict that a row is divided among.
void Forest::add_shares(const Member& tree, const Dataset& data, Row begin, std::size_t n_rows, double* out) const {
  Router::OpenNodes open;
  for (std::size_t i = 0; i < n_rows; ++i, out += width_)
    tree.router->visit_nodes(data, begin + static_cast<Row>(i), open, [&](std::size_t node, double share) {
      if (tree.router->n_children(node) > 0) return;
      for (std::size_t k = 0; k < width_; ++k) out[k] += share * tree.values[node * width_ + k];
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
