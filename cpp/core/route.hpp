// Route: which leaf a row comes to. One rule for every kind of question; used to predict, to apply and to draw.
// Words: Router. It is built from arrays that may come from a file, so the constructor checks every index.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/dataset.hpp"
#include "core/tree.hpp"

namespace arboretum {

class Router {
 public:
  struct Arrays {
    std::vector<NodeId> first_child;
    std::vector<std::int32_t> n_children, column;
    std::vector<std::uint8_t> kind;
    std::vector<double> threshold;
    std::vector<std::int64_t> threshold_floor;
    std::vector<std::int32_t> missing_child;
    std::vector<std::int64_t> level_begin;
    std::vector<std::int32_t> level, level_child;
    std::vector<double> weight;
  };

  explicit Router(Arrays arrays) : arrays_{std::move(arrays)}, heavier_child_(arrays_.first_child.size()) {
    check();
    for (std::size_t node = 0; node < heavier_child_.size(); ++node)
      for (std::int32_t c = 1; c < arrays_.n_children[node]; ++c)
        if (child_weight(node, c) > child_weight(node, heavier_child_[node])) heavier_child_[node] = c;
  }

  std::size_t n_columns() const { return n_columns_; }

  // The leaves of all rows. Where every column is of one real type and nothing but thresholds is asked, as in most
  // tables of numbers, several rows walk at once through a compact copy of the tree.
  template <class Poll>
  void leaves_of(const Dataset& data, std::span<NodeId> leaves, Poll&& poll) const {
    constexpr Row block = 1u << 15;
    const bool worthwhile = thresholds_only_ && data.n_rows > heavier_child_.size() / 4;
    if (worthwhile && uniform<float>(data)) walk_together(data, pack<float>(), leaves, poll, block);
    else if (worthwhile && uniform<double>(data)) walk_together(data, pack<double>(), leaves, poll, block);
    else
      for (Row row = 0; row < data.n_rows; ++row) {
        if (row % block == 0) poll();
        leaves[row] = leaf_of(data, row);
      }
  }

  NodeId leaf_of(const Dataset& data, Row row) const {
    std::size_t node = 0;
    while (arrays_.n_children[node] > 0)
      node = static_cast<std::size_t>(arrays_.first_child[node] +
                                      child_of(node, data.columns[at(arrays_.column, node)], row));
    return static_cast<NodeId>(node);
  }

 private:
  template <class T>
  static std::size_t at(const std::vector<T>& values, std::size_t i) {
    return static_cast<std::size_t>(values[i]);
  }

  // A node for walking: a leaf leads to itself.
  template <class T>
  struct Step {
    T threshold;  // the largest T that is not above the threshold, so that x <= t is decided as for doubles
    NodeId first_child;
    std::uint32_t column : 30;
    std::uint32_t missing_right : 1;
    std::uint32_t inner : 1;
  };

  template <class T>
  static bool uniform(const Dataset& data) {
    constexpr ValueType type = std::is_same_v<T, float> ? ValueType::float32 : ValueType::float64;
    return std::all_of(data.columns.begin(), data.columns.end(), [&](const ColumnView& column) {
      return column.type == type && column.masked == nullptr && column.kind == Kind::numeric;
    });
  }

  template <class T>
  std::vector<Step<T>> pack() const {
    std::vector<Step<T>> steps(arrays_.first_child.size());
    for (std::size_t node = 0; node < steps.size(); ++node) {
      const bool inner = arrays_.n_children[node] > 0;
      auto threshold = static_cast<T>(arrays_.threshold[node]);
      if (static_cast<double>(threshold) > arrays_.threshold[node])
        threshold = std::nextafter(threshold, -std::numeric_limits<T>::infinity());
      steps[node].threshold = threshold;
      steps[node].first_child = inner ? arrays_.first_child[node] : static_cast<NodeId>(node);
      steps[node].column = inner ? static_cast<std::uint32_t>(arrays_.column[node]) : 0;
      steps[node].missing_right = arrays_.missing_child[node] == 1;
      steps[node].inner = inner;
    }
    return steps;
  }

  template <class T, class Poll>
  void walk_together(const Dataset& data, const std::vector<Step<T>>& steps, std::span<NodeId> leaves, Poll&& poll,
                     Row block) const {
    constexpr std::size_t lanes = 16;  // enough to hide the wait for memory
    for (Row begin = 0; begin < data.n_rows; begin += lanes) {
      if (begin % block == 0) poll();
      const std::size_t n = std::min<std::size_t>(lanes, data.n_rows - begin);
      std::array<NodeId, lanes> at{};
      for (bool moving = true; moving;) {
        moving = false;
        for (std::size_t lane = 0; lane < n; ++lane) {
          const Step<T>& step = steps[static_cast<std::size_t>(at[lane])];
          const T value = data.columns[step.column].template value<T>(begin + static_cast<Row>(lane));
          const bool right = value != value ? step.missing_right : !(value <= step.threshold);
          const NodeId next = step.first_child + static_cast<NodeId>(right & step.inner);
          moving |= next != at[lane];
          at[lane] = next;
        }
      }
      std::copy_n(at.begin(), n, leaves.begin() + begin);
    }
  }

  std::int32_t child_of(std::size_t node, const ColumnView& column, Row row) const {
    return with_type(column.type, [&]<class T>(std::type_identity<T>) -> std::int32_t {
      const T value = column.value<T>(row);
      const bool missing = column.missing(row, value);
      switch (static_cast<QuestionKind>(arrays_.kind[node])) {
        case QuestionKind::missing: return missing ? 0 : 1;
        case QuestionKind::threshold:
          if (missing) return arrays_.missing_child[node];
          if constexpr (std::is_floating_point_v<T>)
            return static_cast<double>(value) <= arrays_.threshold[node] ? 0 : 1;
          else return static_cast<std::int64_t>(value) <= arrays_.threshold_floor[node] ? 0 : 1;
        case QuestionKind::levels:
          return missing ? arrays_.missing_child[node] : child_of_level(node, static_cast<std::int64_t>(value));
        case QuestionKind::leaf: break;
      }
      return 0;
    });
  }

  // A level that had no rows in the node follows the heavier child.
  std::int32_t child_of_level(std::size_t node, std::int64_t level) const {
    const auto begin = arrays_.level.begin() + arrays_.level_begin[node],
               end = arrays_.level.begin() + arrays_.level_begin[node + 1];
    const auto found = std::lower_bound(begin, end, level);
    if (found == end || *found != level) return heavier_child_[node];
    return arrays_.level_child[static_cast<std::size_t>(found - arrays_.level.begin())];
  }

  double child_weight(std::size_t node, std::int32_t child) const {
    return arrays_.weight[static_cast<std::size_t>(arrays_.first_child[node] + child)];
  }

  static void require(bool holds, const char* what, std::size_t node) {
    if (!holds) throw std::invalid_argument("node " + std::to_string(node) + " of the tree is damaged: " + what);
  }

  // Children come after their parent, so every walk ends; every index lies inside its array.
  void check() {
    const Arrays& a = arrays_;
    const std::size_t n = a.first_child.size();
    for (std::size_t size :
         {a.n_children.size(), a.column.size(), a.kind.size(), a.threshold.size(), a.threshold_floor.size(),
          a.missing_child.size(), a.level_begin.size() - 1, a.weight.size()})
      if (size != n) throw std::invalid_argument("the arrays of the tree differ in length");
    if (n == 0) throw std::invalid_argument("the tree has no nodes");
    if (a.level.size() != a.level_child.size()) throw std::invalid_argument("the arrays of levels differ in length");
    require(a.level_begin[0] == 0 && a.level_begin[n] == static_cast<std::int64_t>(a.level.size()),
            "its levels end elsewhere", 0);
    for (std::size_t node = 0; node < n; ++node)  // all of them, before any is used as an index
      require(a.level_begin[node] <= a.level_begin[node + 1], "its levels run backwards", node);
    for (std::size_t node = 0; node < n; ++node) {
      require(a.n_children[node] >= 0, "a negative number of children", node);
      if (a.n_children[node] == 0) continue;
      require(a.first_child[node] > static_cast<NodeId>(node) &&
                  static_cast<std::int64_t>(a.first_child[node]) + a.n_children[node] <= static_cast<std::int64_t>(n),
              "a child that is not there", node);
      require(a.n_children[node] >= 2, "a question with a single child", node);
      require(a.kind[node] >= 1 && a.kind[node] <= 3, "an unknown kind of question", node);
      require(a.column[node] >= 0, "a question about no column", node);
      require(a.missing_child[node] >= 0 && a.missing_child[node] < a.n_children[node], "missing values go nowhere",
              node);
      n_columns_ = std::max(n_columns_, at(a.column, node) + 1);
      thresholds_only_ &= static_cast<QuestionKind>(a.kind[node]) == QuestionKind::threshold && a.n_children[node] == 2;
      for (std::int64_t i = a.level_begin[node]; i < a.level_begin[node + 1]; ++i) {
        const auto k = static_cast<std::size_t>(i);
        require(a.level_child[k] >= 0 && a.level_child[k] < a.n_children[node], "a level goes nowhere", node);
        require(i == a.level_begin[node] || a.level[k - 1] < a.level[k], "its levels are not in order", node);
      }
    }
  }

  Arrays arrays_;
  std::vector<std::int32_t> heavier_child_;
  std::size_t n_columns_ = 0;
  bool thresholds_only_ = true;
};

}  // namespace arboretum
