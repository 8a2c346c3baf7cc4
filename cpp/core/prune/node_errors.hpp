// Node errors: what the rows of a table cost at every node they pass, if the node were a leaf. Sums of squared losses
// are kept in a unit in which they do not overflow.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/dataset.hpp"
#include "core/prune/shape.hpp"
#include "core/route.hpp"
#include "core/twofold.hpp"

namespace arboretum {

enum class NumberLoss : std::uint8_t { squared, absolute, poisson };

struct Losses {
  std::span<const double> of_class{};  // classes: node * n_classes + class -> loss
  std::uint32_t n_classes = 0;
  std::span<const double> value{};  // numbers: what each node predicts
  NumberLoss number = NumberLoss::squared;
  double unit = 1.0;  // of losses before they are squared

  double at(std::size_t node, const Targets& targets, Row row) const {
    if (n_classes > 0) return of_class[node * n_classes + static_cast<std::size_t>(targets.classes[row])];
    const double y = targets.numbers[row], mean = value[node];
    switch (number) {
      case NumberLoss::squared: return (y - mean) * (y - mean);
      case NumberLoss::absolute: return std::abs(y - mean);
      case NumberLoss::poisson: return (y > 0.0 ? y * std::log(y / mean) : 0.0) - y + mean;
    }
    return 0.0;
  }
};

// Losses that are infinite are left out of the sums, which could not be undone; `infinite` is the weight of their rows.
// Twice as long as the tree has nodes: first what passes each node, then what goes no further than an inner node.
// In doubled precision, so that sums over parts of the rows add up to those over all of them.
struct NodeErrors {
  std::vector<Twofold> sum, squares, infinite;
};

// A row that is divided counts at each node by its share there.
template <class Poll>
NodeErrors errors_at_nodes(const Router& router, const Shape& shape, const Dataset& data, const Targets& targets,
                           const Losses& losses, Poll&& poll) {
  const std::vector<Twofold> none(2 * shape.size());
  NodeErrors errors{none, none, none};
  auto add_at = [&](std::size_t place, double loss, double weight) {
    if (std::isinf(loss)) {
      errors.infinite[place] += weight;
      return;
    }
    const double in_units = loss / losses.unit;
    errors.sum[place] += weight * loss, errors.squares[place] += weight * in_units * in_units;
  };
  auto add = [&](std::size_t node, Row row, double weight) { add_at(node, losses.at(node, targets, row), weight); };
  if (router.divides_rows()) {
    Router::OpenNodes open;
    for (Row row = 0; row < data.n_rows; ++row) {
      if (row % (1u << 12) == 0) poll();
      router.visit_nodes(data, row, open,
                         [&](std::size_t node, double share) { add(node, row, share * targets.weight(row)); });
    }
  } else {
    std::vector<NodeId> rests(data.n_rows);
    router.leaves_of(data, rests, poll);
    for (Row row = 0; row < data.n_rows; ++row) {
      if (row % (1u << 14) == 0) poll();
      const auto last = static_cast<std::size_t>(rests[row]);
      if (!shape.is_leaf(last)) add_at(shape.size() + last, losses.at(last, targets, row), targets.weight(row));
      for (NodeId node = rests[row]; node != no_node; node = shape.parent[static_cast<std::size_t>(node)])
        add(static_cast<std::size_t>(node), row, targets.weight(row));
    }
  }
  return errors;
}

// What a sequence of ever smaller trees costs. At step k a node is a leaf if it is the highest on its path whose own
// step is at most k; the last step is at or above that of the root. What rests at an inner node counts until it is a
// leaf, too.
inline std::vector<double> sums_along(const Shape& shape, std::span<const std::int32_t> step, std::int32_t n_steps,
                                      std::span<const double> at_node, std::span<const double> resting) {
  std::vector<Twofold> change(static_cast<std::size_t>(n_steps) + 1);
  std::vector<std::int32_t> first(shape.size());  // the first step at which the node or one above it is a leaf
  for (std::size_t node = 0; node < shape.size(); ++node) {
    if (step[node] < 0 || step[node] > n_steps) throw std::invalid_argument("a step is out of range");
    const std::int32_t end = node == 0 ? n_steps : first[shape.above(node)];
    first[node] = std::min(step[node], end);
    if (!resting.empty() && resting[node] != 0.0) {
      change[0] += resting[node];
      change[static_cast<std::size_t>(first[node])] += -resting[node];
    }
    if (step[node] >= end) continue;
    change[static_cast<std::size_t>(step[node])] += at_node[node];
    change[static_cast<std::size_t>(end)] += -at_node[node];
  }
  std::vector<double> sums;
  Twofold sum;
  for (std::size_t k = 0; k < static_cast<std::size_t>(n_steps); ++k) sums.push_back((sum += change[k]).value());
  return sums;
}

}  // namespace arboretum
