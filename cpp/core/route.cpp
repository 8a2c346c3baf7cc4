#include "core/route.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <type_traits>

#include "core/questions/threshold_value.hpp"
#include "core/walk.hpp"

namespace arboretum {
namespace {

// Questions of nodes and surrogates lie in arrays of the same names.
template <class Questions, class T>
std::int32_t side_of(const Questions& questions, std::size_t i, T value) {
  return is_at_most(value, {questions.threshold[i], questions.threshold_floor[i]}) ? 0 : 1;
}

template <class Questions>
std::int32_t child_of_level(const Questions& questions, std::size_t i, std::int64_t level) {
  const auto begin = questions.level.begin() + questions.level_begin[i],
             end = questions.level.begin() + questions.level_begin[i + 1];
  const auto found = std::lower_bound(begin, end, level);
  if (found == end || *found != level) return -1;
  return questions.level_child[static_cast<std::size_t>(found - questions.level.begin())];
}

}  // namespace

struct Router::Walks {
  template <class T>
  struct Lazy {
    std::once_flag once;
    std::optional<Walk<T>> walk;
  };
  Lazy<float> in_floats;
  Lazy<double> in_doubles;

  template <class T>
  const Walk<T>& as(const Router& router) {
    auto make = [&](auto& lazy) -> const Walk<T>& {
      std::call_once(lazy.once, [&] { lazy.walk = pack<T>(router); });
      return *lazy.walk;
    };
    if constexpr (std::is_same_v<T, float>) return make(in_floats);
    else return make(in_doubles);
  }

  template <class T>
  static Walk<T> pack(const Router& router) {
    std::vector<std::uint32_t> place(router.n_columns_);
    for (std::uint32_t i = 0; i < router.asked_.size(); ++i) place[router.asked_[i]] = i;
    std::vector<Step<T>> steps;
    steps.reserve(router.heavier_child_.size());
    for (std::size_t node = 0; node < router.n_nodes(); ++node)
      steps.push_back(step_of<T>(router, node, [&](std::uint32_t column) { return place[column]; }));
    return {std::move(steps), router.asked_};
  }
};

Router::Router(Arrays arrays)
    : arrays_{std::move(arrays)}, heavier_child_(arrays_.first_child.size()), walks_{std::make_unique<Walks>()} {
  check();
  for (std::size_t node = 0; node < heavier_child_.size(); ++node)
    for (std::int32_t c = 1; c < arrays_.n_children[node]; ++c)
      if (child_weight(node, c) > child_weight(node, heavier_child_[node])) heavier_child_[node] = c;
  look_at_columns();
  if (arrays_.rule == MissingRule::fractions) find_shares();
}

Router::~Router() = default;

void Router::leaves_of(const Dataset& data, std::span<NodeId> leaves, const Poll& poll, Way way) const {
  const bool pays = way == Way::fast && leaves.size() >= 16 && leaves.size() >= heavier_child_.size() / 128;
  if (pays && walks_as<float>(data)) walks_->as<float>(*this).leaves_of(data, leaves, poll);
  else if (pays && walks_as<double>(data)) walks_->as<double>(*this).leaves_of(data, leaves, poll);
  else {
    OpenNodes open;
    for (Row row = 0; row < leaves.size(); ++row) {
      if (row % (1u << 15) == 0) poll();
      leaves[row] = leaf_of(data, row, open);
    }
  }
}

NodeId Router::leaf_of(const Dataset& data, Row row, OpenNodes& open) const {
  if (arrays_.rule == MissingRule::fractions) {
    NodeId most = 0;
    double largest = 0.0;
    visit_leaves(data, row, open, [&](std::size_t leaf, double share) {
      const auto id = static_cast<NodeId>(leaf);
      if (share > largest || (share == largest && id < most)) most = id, largest = share;
    });
    return most;
  }
  std::size_t node = 0;
  while (arrays_.n_children[node] > 0) {
    const std::int32_t child = child_of(node, data, row);
    if (child < 0) break;
    node = static_cast<std::size_t>(arrays_.first_child[node] + child);
  }
  return static_cast<NodeId>(node);
}

void Router::blend(const Dataset& data, std::span<const double> values, std::size_t width, std::span<double> blended,
                   const Poll& poll) const {
  OpenNodes open;
  for (Row row = 0; row < data.n_rows; ++row) {
    if (row % (1u << 12) == 0) poll();
    double* out = blended.data() + row * width;
    std::fill_n(out, width, 0.0);
    visit_leaves(data, row, open, [&](std::size_t leaf, double share) {
      for (std::size_t k = 0; k < width; ++k) out[k] += share * values[leaf * width + k];
    });
  }
}

bool Router::walks() const {
  constexpr double first_gap = std::uint64_t{1} << std::numeric_limits<double>::digits;
  return two_way_ && n_nodes() <= Step<double>::max_nodes &&
         std::ranges::all_of(asked_, [&](std::uint32_t column) { return reach_[column] < first_gap; });
}

// Whether T can stand for every value that is asked about without changing an answer. Rounding an integer to T keeps
// it on its side of all thresholds that are nearer to zero than the integers which T does not have.
template <class T>
bool Router::walks_as(const Dataset& data) const {
  constexpr double first_gap = std::uint64_t{1} << std::numeric_limits<T>::digits;
  return two_way_ && !asked_.empty() && heavier_child_.size() <= Step<T>::max_nodes &&
         asked_.size() <= Step<T>::max_columns && std::all_of(asked_.begin(), asked_.end(), [&](std::uint32_t column) {
           return with_type(data.columns[column].type, [&]<class U>(std::type_identity<U>) {
             return std::is_floating_point_v<U> ? sizeof(U) <= sizeof(T) : reach_[column] < first_gap;
           });
         });
}

// Which child the node's question leads to; -1 if it cannot tell: the value is missing, or its level had no rows here.
std::int32_t Router::answer(std::size_t node, const Dataset& data, Row row) const {
  const auto kind = static_cast<QuestionKind>(arrays_.kind[node]);
  if (is_composite(kind))
    return static_cast<std::int32_t>(answer_of(kind, terms_of(node), arrays_.threshold[node], data, row));
  const ColumnView& column = data.columns[at(arrays_.column, node)];
  return with_type(column.type, [&]<class T>(std::type_identity<T>) -> std::int32_t {
    const T value = column.value<T>(row);
    const bool missing = column.missing(row, value);
    switch (kind) {
      case QuestionKind::missing: return missing ? 0 : 1;
      case QuestionKind::threshold: return missing ? -1 : side_of(arrays_, node, value);
      case QuestionKind::levels: return missing ? -1 : child_of_level(arrays_, node, static_cast<std::int64_t>(value));
      case QuestionKind::leaf:
      case QuestionKind::at_least:
      case QuestionKind::linear: break;
    }
    return 0;
  });
}

// The same, and what happens to those it cannot tell; -1 for rows that go no further.
Router::Told Router::sent(std::size_t node, const Dataset& data, Row row) const {
  const std::int32_t child = answer(node, data, row);
  if (child >= 0) return {child, column(node)};
  for (const std::size_t surrogate : surrogates_of(node)) {
    const std::int32_t by_it = sent_by(surrogate, data, row);
    if (by_it >= 0) return {by_it, surrogate_column(surrogate)};
  }
  return {last_resort(node, data, row), column(node)};
}

// Where a row goes that neither the question nor a surrogate can send. A level that had no rows in the node follows the
// heavier child where missing values go to a child of their own.
std::int32_t Router::last_resort(std::size_t node, const Dataset& data, Row row) const {
  const std::int32_t chosen = arrays_.missing_child[node];
  if (arrays_.rule == MissingRule::surrogates || chosen < 0 || is_missing(node, data, row)) return chosen;
  return heavier_child_[node];
}

Router::Told Router::told(std::size_t node, const Dataset& data, Row row) const {
  return divides_rows() ? Told{answer(node, data, row), column(node)} : sent(node, data, row);
}

// The type of a column that is compared with a threshold is looked at once, not once a row.
void Router::own_children(std::size_t node, const Dataset& data, Row first, std::span<std::int32_t> children) const {
  const bool has_child = arrays_.rule == MissingRule::child;
  if (kind(node) == QuestionKind::threshold) {
    const ColumnView& asked = data.columns[column(node)];
    const std::int32_t missing = has_child ? arrays_.missing_child[node] : -1;
    with_type(asked.type, [&]<class T>(std::type_identity<T>) {
      for (std::size_t i = 0; i < children.size(); ++i) {
        const Row row = first + static_cast<Row>(i);
        const T value = asked.value<T>(row);
        children[i] = asked.missing(row, value) ? missing : side_of(arrays_, node, value);
      }
    });
    return;
  }
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Row row = first + static_cast<Row>(i);
    children[i] = has_child ? child_of(node, data, row) : answer(node, data, row);
  }
}

bool Router::is_missing(std::size_t node, const Dataset& data, Row row) const {
  const ColumnView& column = data.columns[at(arrays_.column, node)];
  return with_type(column.type,
                   [&]<class T>(std::type_identity<T>) { return column.missing(row, column.value<T>(row)); });
}

std::int32_t Router::sent_by(std::size_t surrogate, const Dataset& data, Row row) const {
  const OtherQuestions& others = arrays_.others;
  const ColumnView& column = data.columns[at(others.column, surrogate)];
  return with_type(column.type, [&]<class T>(std::type_identity<T>) -> std::int32_t {
    const T value = column.value<T>(row);
    if (column.missing(row, value)) return -1;
    if (static_cast<QuestionKind>(others.kind[surrogate]) == QuestionKind::levels)
      return child_of_level(others, surrogate, static_cast<std::int64_t>(value));
    const std::int32_t side = side_of(others, surrogate, value);
    return others.flipped[surrogate] ? 1 - side : side;
  });
}

// Thresholds whose two forms disagree for integers reach to infinity.
void Router::look_at_columns() {
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

}  // namespace arboretum
