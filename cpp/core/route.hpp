// Route: which leaf a row comes to. One rule for every kind of question; used to predict, to apply and to draw.
// Words: Router, Way. It is built from arrays that may come from a file, so the constructor checks every index.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/dataset.hpp"
#include "core/questions/threshold.hpp"
#include "core/tree.hpp"
#include "core/walk.hpp"

namespace arboretum {

enum class Way : std::uint8_t { fast, plain };

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
    look_at_columns();
  }

  std::size_t n_columns() const { return n_columns_; }

  // The leaves of all rows. Where the tree and the types of the columns allow it, many rows walk at once: the answer is
  // the same, and Way::plain lets tests see that.
  template <class Poll>
  void leaves_of(const Dataset& data, std::span<NodeId> leaves, Poll&& poll, Way way = Way::fast) const {
    const bool pays = way == Way::fast && leaves.size() >= 16 && leaves.size() >= heavier_child_.size() / 128;
    if (pays && walks_as<float>(data)) walk_as(float_walk_).leaves_of(data, leaves, poll);
    else if (pays && walks_as<double>(data)) walk_as(double_walk_).leaves_of(data, leaves, poll);
    else
      for (Row row = 0; row < leaves.size(); ++row) {
        if (row % (1u << 15) == 0) poll();
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

  // A compact copy of the tree, made when first needed.
  template <class T>
  struct LazyWalk {
    std::once_flag once;
    std::optional<Walk<T>> walk;
  };

  // Whether T can stand for every value that is asked about without changing an answer. Rounding an integer to T keeps
  // it on its side of all thresholds that are nearer to zero than the integers which T does not have.
  template <class T>
  bool walks_as(const Dataset& data) const {
    constexpr double first_gap = std::uint64_t{1} << std::numeric_limits<T>::digits;
    return two_way_ && !asked_.empty() && heavier_child_.size() <= Step<T>::max_nodes &&
           asked_.size() <= Step<T>::max_columns &&
           std::all_of(asked_.begin(), asked_.end(), [&](std::uint32_t column) {
             return with_type(data.columns[column].type, [&]<class U>(std::type_identity<U>) {
               return std::is_floating_point_v<U> ? sizeof(U) <= sizeof(T) : reach_[column] < first_gap;
             });
           });
  }

  template <class T>
  const Walk<T>& walk_as(LazyWalk<T>& lazy) const {
    std::call_once(lazy.once, [&] { lazy.walk = pack<T>(); });
    return *lazy.walk;
  }

  template <class T>
  Walk<T> pack() const {
    std::vector<std::uint32_t> place(n_columns_);
    for (std::uint32_t i = 0; i < asked_.size(); ++i) place[asked_[i]] = i;
    std::vector<Step<T>> steps;
    steps.reserve(heavier_child_.size());
    for (std::size_t node = 0; node < heavier_child_.size(); ++node) {
      if (arrays_.n_children[node] == 0) {
        const auto itself = static_cast<std::uint32_t>(node);
        steps.push_back(
            {.threshold = std::numeric_limits<T>::infinity(), .column = 0, .missing_left = 1, .first_child = itself});
        continue;
      }
      const bool asks_missing = static_cast<QuestionKind>(arrays_.kind[node]) == QuestionKind::missing;
      steps.push_back(
          {// nothing is at most NaN, so that all but missing values go right
           .threshold = asks_missing ? std::numeric_limits<T>::quiet_NaN() : round_down_to<T>(arrays_.threshold[node]),
           .column = place[at(arrays_.column, node)],
           .missing_left = asks_missing || arrays_.missing_child[node] == 0,
           .first_child = static_cast<std::uint32_t>(arrays_.first_child[node])});
    }
    return {std::move(steps), asked_};
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
      two_way_ &= static_cast<QuestionKind>(a.kind[node]) != QuestionKind::levels && a.n_children[node] == 2;
      for (std::int64_t i = a.level_begin[node]; i < a.level_begin[node + 1]; ++i) {
        const auto k = static_cast<std::size_t>(i);
        require(a.level_child[k] >= 0 && a.level_child[k] < a.n_children[node], "a level goes nowhere", node);
        require(i == a.level_begin[node] || a.level[k - 1] < a.level[k], "its levels are not in order", node);
      }
    }
  }

  // Thresholds whose two forms disagree for integers reach to infinity.
  void look_at_columns() {
    std::vector<bool> asked(n_columns_);
    reach_.resize(n_columns_);
    for (std::size_t node = 0; node < heavier_child_.size(); ++node) {
      if (arrays_.n_children[node] == 0) continue;
      const std::size_t column = at(arrays_.column, node);
      asked[column] = true;
      if (static_cast<QuestionKind>(arrays_.kind[node]) != QuestionKind::threshold) continue;
      const double size = std::abs(arrays_.threshold[node]);
      const bool agree = size < 0x1p53 && floor_of(arrays_.threshold[node]) == arrays_.threshold_floor[node];
      reach_[column] = std::max(reach_[column], agree ? size : std::numeric_limits<double>::infinity());
    }
    for (std::uint32_t column = 0; column < n_columns_; ++column)
      if (asked[column]) asked_.push_back(column);
  }

  Arrays arrays_;
  std::vector<std::int32_t> heavier_child_;
  std::size_t n_columns_ = 0;
  bool two_way_ = true;               // two children everywhere, no question about levels
  std::vector<std::uint32_t> asked_;  // the columns that questions are about
  std::vector<double> reach_;         // column -> how far from zero its thresholds lie
  mutable LazyWalk<float> float_walk_;
  mutable LazyWalk<double> double_walk_;
};

}  // namespace arboretum
