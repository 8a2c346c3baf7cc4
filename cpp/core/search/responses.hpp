// Responses: the targets of some rows of a node as plain numbers, for fits and climbs that only look for directions.
// Classes stay labels, numbers are standardised. What a question is worth is for the criterion to say.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/criteria/on_classes.hpp"
#include "core/criteria/on_moments.hpp"
#include "core/criteria/ordered_node.hpp"
#include "core/search/node_table.hpp"
#include "core/search/pushes.hpp"

namespace arboretum {

// What directions are fitted to: the target itself; where medians count, its place among the others, which no outlier
// bends.
inline double number_of(const MomentsNode& node, const RealTarget& target) {
  const RealScale& scale = node.scale;
  return scale.product.centre + static_cast<double>(target.weighted) * scale.product.unit /
                                    (static_cast<double>(target.weight) * scale.weight.unit);
}
inline double number_of(const OrderedNode&, const OrderedTarget& target) { return target.place; }

// The score of a question that leaves nothing to ask: it would have an answer for every class, or every row.
template <Criterion C>
double whole_score(const C& criterion, const typename C::NodeTargets& node,
                   std::span<const typename C::Target> targets) {
  if constexpr (C::target == TargetKind::classes) {
    std::vector<ClassCounts> parts;
    for (const std::uint32_t k : node.present) {
      parts.emplace_back(node.total.n_classes());
      parts.back().counts[k] = parts.back().weight = node.total.counts[k];
    }
    return criterion.score_parts(node, parts);
  } else if constexpr (requires { node.deviation; }) {
    return static_cast<double>(node.deviation);
  } else {
    double whole = 0.0;
    for (const auto& target : targets) {
      const auto part = criterion.bucket(node, {&target, 1});
      if (criterion.admits(part)) whole += criterion.score_parts(node, {&part, 1});
    }
    return whole;
  }
}

// So many rows of a node, ascending and evenly spread: one of each stretch, but not always the same one, lest rows that
// alternate in some rhythm fall in step. All, if they are no more than `most`.
inline std::vector<Row> even_sample(std::size_t n_rows, std::size_t most) {
  std::vector<Row> positions(std::min(n_rows, most));
  Pushes pushes{0};
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const std::uint64_t begin = i * n_rows / positions.size(), end = (i + 1) * n_rows / positions.size();
    positions[i] = static_cast<Row>(begin + pushes.below(end - begin));
  }
  return positions;
}

struct Responses {
  std::vector<double> weights{};        // 1 on average
  std::vector<std::uint32_t> labels{};  // classes, numbered among those of the node; else empty
  std::uint32_t n_classes = 0;
  std::vector<double> numbers{};  // if there are no classes: their mean is 0, their variance 1

  std::size_t size() const { return weights.size(); }
  bool classes() const { return n_classes > 0; }

  // How many numbers a row responds with; of two classes one tells all.
  std::uint32_t n_responses() const { return n_classes == 0 || n_classes == 2 ? 1 : n_classes; }

  // One of them for all rows, with mean 0.
  std::vector<double> response(std::uint32_t which) const {
    if (!classes()) return numbers;
    std::vector<double> response(size());
    double share = 0.0;
    for (std::size_t i = 0; i < size(); ++i) share += labels[i] == which ? weights[i] : 0.0;
    share /= static_cast<double>(size());
    for (std::size_t i = 0; i < size(); ++i) response[i] = (labels[i] == which ? 1.0 : 0.0) - share;
    return response;
  }

  Responses at(std::span<const Row> places) const {
    Responses some{.n_classes = n_classes};
    for (const Row place : places) {
      some.weights.push_back(weights[place]);
      if (classes()) some.labels.push_back(labels[place]);
      else some.numbers.push_back(numbers[place]);
    }
    return some;
  }
};

inline void standardise(std::vector<double>& numbers, std::span<const double> weights) {
  double reach = 0.0, mean = 0.0, variance = 0.0, total = 0.0;
  for (const double y : numbers) reach = std::max(reach, std::abs(y));
  if (reach == 0.0) return;
  for (double& y : numbers) y /= reach;  // squares of very large numbers would be infinite
  for (std::size_t i = 0; i < numbers.size(); ++i) mean += weights[i] * numbers[i], total += weights[i];
  mean /= total;
  for (std::size_t i = 0; i < numbers.size(); ++i) variance += weights[i] * (numbers[i] - mean) * (numbers[i] - mean);
  const double deviation = std::sqrt(variance / total);
  for (double& y : numbers) y = deviation > 0.0 ? (y - mean) / deviation : 0.0;
}

template <Criterion C>
Responses responses_of(const NodeTable<C>& table, std::span<const Row> positions) {
  Responses responses;
  const double share = static_cast<double>(table.targets.size()) / static_cast<double>(table.node.fixed_weight());
  for (const Row position : positions)
    responses.weights.push_back(static_cast<double>(table.targets[position].weight) * share);
  if constexpr (C::target == TargetKind::classes) {
    responses.n_classes = static_cast<std::uint32_t>(table.node.present.size());
    std::vector<std::uint32_t> number(table.criterion.n_classes);
    for (std::uint32_t k = 0; k < responses.n_classes; ++k) number[table.node.present[k]] = k;
    for (const Row position : positions) responses.labels.push_back(number[table.targets[position].label]);
  } else {
    for (const Row position : positions) responses.numbers.push_back(number_of(table.node, table.targets[position]));
    standardise(responses.numbers, responses.weights);
  }
  return responses;
}

}  // namespace arboretum
