// Random trees with all kinds of questions and ways with missing values, and tables to send through them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "core/dataset.hpp"
#include "core/route.hpp"

namespace arboretum {

inline constexpr std::size_t n_columns = 6;

template <class T>
constexpr ValueType type_of() {
  if constexpr (std::is_same_v<T, float>) return ValueType::float32;
  else if constexpr (std::is_same_v<T, double>) return ValueType::float64;
  else if constexpr (std::is_same_v<T, std::int8_t>) return ValueType::int8;
  else return ValueType::int64;
}

// Whole numbers from 0 to 9, some of them missing where T can tell.
template <class T>
struct Table {
  std::vector<T> values;
  Dataset data;

  Table(std::mt19937& random, Row rows) : values(rows * n_columns) {
    constexpr bool tells = std::is_floating_point_v<T>;
    for (T& value : values)
      value = tells && random() % 8 == 0 ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(random() % 10);
    data.n_rows = rows;
    for (std::size_t column = 0; column < n_columns; ++column)
      data.columns.push_back({.type = type_of<T>(),
                              .values = reinterpret_cast<const std::byte*>(values.data() + column),
                              .stride = sizeof(T) * n_columns});
  }
};

inline void add_terms(std::mt19937& random, Router::Arrays& tree, std::size_t node) {
  const bool sum = random() % 2 == 0;
  tree.kind[node] = static_cast<std::uint8_t>(sum ? QuestionKind::linear : QuestionKind::at_least);
  tree.threshold[node] = sum ? 4.0 : 2.0;
  for (int i = 0; i < 3; ++i) {
    Term term{.column = static_cast<std::uint32_t>(random() % n_columns),
              .kind = sum ? QuestionKind::linear : QuestionKind::threshold};
    term.negated = random() % 2 == 0, term.threshold = {4.5, 4}, term.coefficient = random() % 2 ? 1.0 : -0.5;
    term.fill = 3.0;
    tree.terms.add(term);
  }
}

inline void add_surrogates(std::mt19937& random, Router::Arrays& tree) {
  OtherQuestions& others = tree.others;
  for (int i = 0; i < 2; ++i) {
    others.role.push_back(static_cast<std::uint8_t>(Role::surrogate));
    others.kind.push_back(static_cast<std::uint8_t>(QuestionKind::threshold));
    others.flipped.push_back(random() % 2), others.column.push_back(static_cast<std::int32_t>(random() % n_columns));
    others.threshold.push_back(4.5), others.threshold_floor.push_back(4), others.level_begin.push_back(0);
  }
}

// Breadth-first, with children of random weights, some of them none.
inline Router::Arrays random_tree(std::mt19937& random, MissingRule rule, bool composites) {
  Router::Arrays tree;
  tree.rule = rule;
  tree.level_begin.push_back(0);
  tree.others.level_begin.push_back(0);
  std::size_t n_nodes = 1;
  for (std::size_t node = 0; node < n_nodes; ++node) {
    const bool inner = node < 3 || (node < 40 && random() % 3 > 0);
    tree.first_child.push_back(inner ? static_cast<NodeId>(n_nodes) : no_node);
    tree.n_children.push_back(inner ? 2 : 0);
    n_nodes += inner ? 2 : 0;
    tree.column.push_back(static_cast<std::int32_t>(random() % n_columns));
    tree.kind.push_back(static_cast<std::uint8_t>(inner ? QuestionKind::threshold : QuestionKind::leaf));
    const auto floor = static_cast<std::int64_t>(random() % 9);
    tree.threshold.push_back(static_cast<double>(floor) + 0.5), tree.threshold_floor.push_back(floor);
    tree.missing_child.push_back(static_cast<std::int32_t>(random() % 3) - 1);
    tree.level_begin.push_back(0);
    tree.weight.push_back(static_cast<double>(1 + random() % 5));
    if (composites) tree.terms.begin.push_back(static_cast<std::int64_t>(tree.terms.size()));
    if (composites && inner && random() % 2 == 0) add_terms(random, tree, node);
    tree.others.begin.push_back(static_cast<std::int64_t>(tree.others.size()));
    if (rule == MissingRule::surrogates && inner) add_surrogates(random, tree);
  }
  if (composites) tree.terms.begin.push_back(static_cast<std::int64_t>(tree.terms.size()));
  tree.others.begin.push_back(static_cast<std::int64_t>(tree.others.size()));
  return tree;
}

}  // namespace arboretum
