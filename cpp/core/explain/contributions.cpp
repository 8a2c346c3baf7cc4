#include "core/explain/contributions.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "core/explain/game.hpp"
#include "core/explain/shared_leaves.hpp"
#include "core/parallel.hpp"

namespace arboretum {
namespace {

constexpr std::size_t fewest_shared = 24;  // of fewer rows, the integrals of a leaf serve too few

// How many columns may lie on one way down, surrogates' and all.
std::size_t most_on_a_way(const Router& router, std::size_t n_columns) {
  std::vector<std::uint32_t> times(n_columns);
  std::size_t n_now = 0, most = 0;
  auto each_column = [&](std::size_t node, auto&& visit) {
    if (router.n_children(node) == 0) return;
    visit(router.column(node));
    for (const Term& term : router.terms_of(node)) visit(term.column);
    router.visit_surrogates(node,
                            [&](std::size_t surrogate) { return visit(router.surrogate_column(surrogate)), true; });
  };
  struct Step {
    std::size_t node;
    bool leaves;  // the node, upwards
  };
  std::vector<Step> open{{0, false}};
  while (!open.empty()) {
    const Step step = open.back();
    open.pop_back();
    if (step.leaves) {
      each_column(step.node, [&](std::uint32_t column) { n_now -= --times[column] == 0; });
      continue;
    }
    each_column(step.node, [&](std::uint32_t column) { n_now += times[column]++ == 0; });
    most = std::max(most, n_now);
    open.push_back({step.node, true});
    for (std::size_t k = 0; k < router.n_children(step.node); ++k)
      open.push_back({router.first_child(step.node) + k, false});
  }
  return most;
}

bool asks_composites(const Router& router) {
  for (std::size_t node = 0; node < router.n_nodes(); ++node)
    if (router.n_children(node) > 0 && is_composite(router.kind(node))) return true;
  return false;
}

// The part of the arrays of all rows from one row on.
Found from_row(const Found& found, const Explained& explained, Row row) {
  const std::size_t n_columns = explained.data->columns.size(), width = n_columns * explained.nodes.n_targets;
  return {found.values.subspan(row * width),
          found.interactions.empty() ? found.interactions : found.interactions.subspan(row * width * n_columns)};
}

// What a column contributes by itself is what its pairs leave of its contribution.
void fill_diagonals(const Explained& explained, const Found& found) {
  if (found.interactions.empty()) return;
  const std::size_t n_columns = explained.data->columns.size(), n_targets = explained.nodes.n_targets;
  for (Row row = 0; row < explained.data->n_rows; ++row) {
    const Found here = from_row(found, explained, row);
    for (std::size_t i = 0; i < n_columns; ++i)
      for (std::size_t target = 0; target < n_targets; ++target) {
        double rest = here.values[i * n_targets + target];
        for (std::size_t j = 0; j < n_columns; ++j)
          if (j != i) rest -= here.interactions[(i * n_columns + j) * n_targets + target];
        here.interactions[(i * n_columns + i) * n_targets + target] = rest;
      }
  }
}

// Calls work(item, tools), where each thread has its own tools, made when it begins.
template <class Make, class Work>
void share_with_tools(unsigned n_threads, std::size_t n_items, const Make& make, const Work& work) {
  std::vector<decltype(make())> tools(std::max(1u, n_threads));
  share(n_threads, n_items, [&](std::size_t item, unsigned worker) {
    if (!tools[worker]) tools[worker] = make();
    work(item, *tools[worker]);
  });
}

struct RowTools {
  Shapley shapley;
  WeightGame game;
  std::function<void()> poll;
};

void add_row_by_row(const Explained& explained, const std::vector<double>& shares, std::span<const Row> rows,
                    unsigned n_threads, const Found& found, const MakePoll& make_poll) {
  const Router& router = *explained.router;
  const std::size_t n_columns = explained.data->columns.size(), most = most_on_a_way(router, n_columns);
  auto make = [&] {
    return std::make_unique<RowTools>(RowTools{Shapley{router, explained.nodes, n_columns, most},
                                               WeightGame{router, shares, *explained.data}, make_poll()});
  };
  share_with_tools(n_threads, rows.size(), make, [&](std::size_t item, RowTools& tools) {
    tools.poll();
    tools.game.look_at(rows[item]);
    tools.shapley.add(tools.game, 1.0, from_row(found, explained, rows[item]), tools.poll);
  });
}

struct SharedTools {
  SharedLeaves leaves;
  std::function<void()> poll;
};

// Returns the rows that are left to do, one by one.
std::vector<Row> add_shared(const Explained& explained, const std::vector<double>& shares, unsigned n_threads,
                            const Found& found, const MakePoll& make_poll) {
  const std::size_t n_rows = explained.data->n_rows, n_columns = explained.data->columns.size();
  const std::size_t width = n_columns * explained.nodes.n_targets;
  const bool interactions = !found.interactions.empty();
  auto make = [&] {
    return std::make_unique<SharedTools>(SharedTools{
        SharedLeaves{*explained.router, shares, explained.nodes, *explained.data, interactions}, make_poll()});
  };
  const std::size_t each = std::min(make()->leaves.most_rows(), (n_rows + n_threads - 1) / n_threads);
  const std::size_t n_blocks = (n_rows + each - 1) / each;
  std::vector<std::vector<Row>> apart(n_blocks);
  share_with_tools(n_threads, n_blocks, make, [&](std::size_t block, SharedTools& tools) {
    const std::size_t first = block * each, n = std::min(each, n_rows - first);
    apart[block] =
        tools.leaves.add(static_cast<Row>(first), n, from_row(found, explained, static_cast<Row>(first)), tools.poll);
  });
  std::vector<Row> left;
  for (const std::vector<Row>& rows : apart)
    for (Row row : rows) {
      const Found here = from_row(found, explained, row);
      std::fill_n(here.values.begin(), width, 0.0);
      if (interactions) std::fill_n(here.interactions.begin(), width * n_columns, 0.0);
      left.push_back(row);
    }
  return left;
}

}  // namespace

std::vector<double> weighted_base(const Explained& explained) {
  const Router& router = *explained.router;
  const std::size_t n_targets = explained.nodes.n_targets;
  std::vector<double> part = shares_of_parents(router), base(n_targets);
  for (std::size_t node = 0; node < router.n_nodes(); ++node) {  // children come after their parents
    for (std::size_t k = 0; k < router.n_children(node); ++k) part[router.first_child(node) + k] *= part[node];
    if (router.n_children(node) > 0) continue;
    for (std::size_t target = 0; target < n_targets; ++target)
      base[target] += part[node] * explained.nodes.values[node * n_targets + target];
  }
  return base;
}

void add_contributions(const Explained& explained, const ExplainOptions& options, const Found& found,
                       const MakePoll& make_poll) {
  const Router& router = *explained.router;
  const std::vector<double> shares = shares_of_parents(router);
  const bool shared = options.way == Way::fast && explained.data->n_rows >= fewest_shared && !asks_composites(router) &&
                      most_on_a_way(router, explained.data->columns.size()) <= most_bits;
  std::vector<Row> left;
  if (shared) left = add_shared(explained, shares, options.n_threads, found, make_poll);
  else
    for (Row row = 0; row < explained.data->n_rows; ++row) left.push_back(row);
  if (!left.empty()) add_row_by_row(explained, shares, left, options.n_threads, found, make_poll);
  fill_diagonals(explained, found);
}

namespace {

struct BackgroundTools {
  Shapley shapley;
  RowGame game;
  std::function<void()> poll;
};

}  // namespace

void add_contributions(const Explained& explained, const Dataset& background, const ExplainOptions& options,
                       const Found& found, const MakePoll& make_poll) {
  const Router& router = *explained.router;
  const std::vector<double> shares = shares_of_parents(router);
  const std::size_t n_columns = explained.data->columns.size(), most = most_on_a_way(router, n_columns);
  auto make = [&] {
    return std::make_unique<BackgroundTools>(BackgroundTools{Shapley{router, explained.nodes, n_columns, most},
                                                             RowGame{router, shares, *explained.data, background},
                                                             make_poll()});
  };
  const double scale = 1.0 / static_cast<double>(background.n_rows);
  share_with_tools(options.n_threads, explained.data->n_rows, make, [&](std::size_t item, BackgroundTools& tools) {
    const auto row = static_cast<Row>(item);
    const Found here = from_row(found, explained, row);
    for (Row other = 0; other < background.n_rows; ++other) {
      if (other % 64 == 0) tools.poll();
      tools.game.look_at(row, other);
      tools.shapley.add(tools.game, scale, here, tools.poll);
    }
  });
  fill_diagonals(explained, found);
}

}  // namespace arboretum
