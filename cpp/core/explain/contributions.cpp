#include "core/explain/contributions.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>

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
    for (const std::size_t surrogate : router.surrogates_of(node)) visit(router.surrogate_column(surrogate));
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

using Poll = std::function<void()>;
struct Stopped {};

// Calls work(item, tools), where each thread has its own tools, made when it begins. If one thread is interrupted, the
// others stop as well when they poll next.
template <class Make, class Work>
void share_with_tools(unsigned n_threads, std::size_t n_items, const MakePoll& make_poll, const Make& make,
                      const Work& work) {
  std::atomic<bool> stopped{false};
  std::vector<decltype(make(Poll{}))> tools(std::max(1u, n_threads));
  share(n_threads, n_items, [&](std::size_t item, unsigned worker) {
    try {
      if (!tools[worker])
        tools[worker] = make([&stopped, poll = make_poll()] { return stopped ? throw Stopped{} : poll(); });
      work(item, *tools[worker]);
    } catch (const Stopped&) {  // the thread that was interrupted tells why
    } catch (...) {
      stopped = true;
      throw;
    }
  });
}

struct RowTools {
  Shapley shapley;
  WeightGame game;
  Poll poll;
};

void add_row_by_row(const Explained& explained, const std::vector<double>& shares, std::span<const Row> rows,
                    const ExplainOptions& options, const Found& found, const MakePoll& make_poll) {
  const Router& router = *explained.router;
  const std::size_t n_columns = explained.data->columns.size(), most = most_on_a_way(router, n_columns);
  auto make = [&](const Poll& poll) {
    return std::make_unique<RowTools>(RowTools{Shapley{router, explained.nodes, n_columns, most, options.most_steps},
                                               WeightGame{router, shares, *explained.data}, poll});
  };
  share_with_tools(options.n_threads, rows.size(), make_poll, make, [&](std::size_t item, RowTools& tools) {
    tools.poll();
    tools.game.look_at(rows[item]);
    tools.shapley.add(tools.game, 1.0, from_row(found, explained, rows[item]), tools.poll);
  });
}

struct SharedTools {
  SharedLeaves leaves;
  Poll poll;
};

// All rows at once; those that go apart are cleared, and returned.
std::vector<Row> add_shared(const Explained& explained, const std::vector<double>& shares, const Behind& behind,
                            unsigned n_threads, const Found& found, const MakePoll& make_poll) {
  const std::size_t n_rows = explained.data->n_rows, n_columns = explained.data->columns.size();
  const std::size_t width = n_columns * explained.nodes.n_targets;
  const bool interactions = !found.interactions.empty();
  auto make = [&](const Poll& poll) {
    return std::make_unique<SharedTools>(SharedTools{
        SharedLeaves{*explained.router, shares, explained.nodes, *explained.data, behind, interactions}, poll});
  };
  const std::size_t each = std::min(make({})->leaves.most_rows(), (n_rows + n_threads - 1) / n_threads);
  share_with_tools(n_threads, (n_rows + each - 1) / each, make_poll, make, [&](std::size_t block, SharedTools& tools) {
    const std::size_t first = block * each, n = std::min(each, n_rows - first);
    tools.leaves.write(static_cast<Row>(first), n, from_row(found, explained, static_cast<Row>(first)), tools.poll);
  });
  const std::vector<bool> apart = rows_apart(*explained.router, *explained.data, make_poll());
  std::vector<Row> left;
  for (Row row = 0; row < n_rows; ++row) {
    if (!apart[row]) continue;
    const Found here = from_row(found, explained, row);
    std::fill_n(here.values.begin(), width, 0.0);
    if (interactions) std::fill_n(here.interactions.begin(), width * n_columns, 0.0);
    left.push_back(row);
  }
  return left;
}

// Whether rows can share work: each column on a way down needs a bit.
bool can_share(const Explained& explained, const ExplainOptions& options) {
  return options.way == Way::fast && !asks_composites(*explained.router) &&
         most_on_a_way(*explained.router, explained.data->columns.size()) <= most_bits;
}

std::vector<Row> all_rows(const Dataset& data) {
  std::vector<Row> rows(data.n_rows);
  std::iota(rows.begin(), rows.end(), Row{0});
  return rows;
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
  const std::vector<double> shares = shares_of_parents(*explained.router);
  const bool shared = explained.data->n_rows >= fewest_shared && can_share(explained, options);
  const std::vector<Row> left =
      shared ? add_shared(explained, shares, {}, options.n_threads, found, make_poll) : all_rows(*explained.data);
  if (!left.empty()) add_row_by_row(explained, shares, left, options, found, make_poll);
  fill_diagonals(explained, found);
}

namespace {

struct PairTools {
  Shapley shapley;
  RowGame game;
  Poll poll;
};

// Each of the rows against each of the others, pair by pair.
void add_pairs(const Explained& explained, const Dataset& background, std::span<const Row> rows,
               std::span<const Row> others, const ExplainOptions& options, const Found& found,
               const MakePoll& make_poll) {
  if (rows.empty() || others.empty()) return;
  const Router& router = *explained.router;
  const std::vector<double> shares = shares_of_parents(router);
  const std::size_t n_columns = explained.data->columns.size(), most = most_on_a_way(router, n_columns);
  auto make = [&](const Poll& poll) {
    return std::make_unique<PairTools>(PairTools{Shapley{router, explained.nodes, n_columns, most, options.most_steps},
                                                 RowGame{router, shares, *explained.data, background}, poll});
  };
  const double scale = 1.0 / static_cast<double>(background.n_rows);
  share_with_tools(options.n_threads, rows.size(), make_poll, make, [&](std::size_t item, PairTools& tools) {
    const Found here = from_row(found, explained, rows[item]);
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (i % 64 == 0) tools.poll();
      tools.game.look_at(rows[item], others[i]);
      tools.shapley.add(tools.game, scale, here, tools.poll);
    }
  });
}

}  // namespace

void add_contributions(const Explained& explained, const Dataset& background, const ExplainOptions& options,
                       const Found& found, const MakePoll& make_poll) {
  const std::vector<Row> rows = all_rows(*explained.data), others = all_rows(background);
  // Sharing goes through the whole tree, a pair only where its two rows lead.
  const bool pays = 4.0 * static_cast<double>(rows.size()) * static_cast<double>(others.size()) >=
                    static_cast<double>(explained.router->n_nodes());
  if (!pays || !can_share(explained, options)) {
    add_pairs(explained, background, rows, others, options, found, make_poll);
    return fill_diagonals(explained, found);
  }
  const std::vector<bool> apart = rows_apart(*explained.router, background, make_poll());
  std::vector<double> counts(background.n_rows, 1.0 / static_cast<double>(background.n_rows));
  std::vector<Row> others_apart;
  for (Row other : others)
    if (apart[other]) counts[other] = 0.0, others_apart.push_back(other);
  const std::vector<Row> left = add_shared(explained, shares_of_parents(*explained.router), {&background, counts},
                                           options.n_threads, found, make_poll);
  std::vector<Row> shared;
  std::set_difference(rows.begin(), rows.end(), left.begin(), left.end(), std::back_inserter(shared));
  add_pairs(explained, background, shared, others_apart, options, found, make_poll);
  add_pairs(explained, background, left, others, options, found, make_poll);
  fill_diagonals(explained, found);
}

}  // namespace arboretum
