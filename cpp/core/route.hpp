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
#include "core/questions/term.hpp"
#include "core/questions/threshold.hpp"
#include "core/tree.hpp"
#include "core/walk.hpp"

namespace arboretum {

enum class Way : std::uint8_t { fast, plain };

// What becomes of a row that misses the value asked for: it follows the child that takes missing values; it is sent by the
// first surrogate that can tell, and only then by that; or it goes to every child, in shares.
enum class MissingRule : std::uint8_t { child, surrogates, fractions };

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
    MissingRule rule = MissingRule::child;
    OtherQuestions others{};  // only what surrogates need is read
    TermArrays terms{};
  };

  explicit Router(Arrays arrays) : arrays_{std::move(arrays)}, heavier_child_(arrays_.first_child.size()) {
    check();
    for (std::size_t node = 0; node < heavier_child_.size(); ++node)
      for (std::int32_t c = 1; c < arrays_.n_children[node]; ++c)
        if (child_weight(node, c) > child_weight(node, heavier_child_[node])) heavier_child_[node] = c;
    look_at_columns();
    if (arrays_.rule == MissingRule::fractions) find_shares();
  }

  std::size_t n_columns() const { return n_columns_; }
  std::size_t n_nodes() const { return heavier_child_.size(); }
  bool divides_rows() const { return arrays_.rule == MissingRule::fractions; }

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

  // Where a row comes to rest: a leaf, or an inner node that cannot send it on. Of a row that is divided among several
  // leaves, the one that has most of it, the first among equals.
  NodeId leaf_of(const Dataset& data, Row row) const {
    if (arrays_.rule == MissingRule::fractions) {
      NodeId most = 0;
      double largest = 0.0;
      visit_leaves(data, row, [&](std::size_t leaf, double share) {
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

  // Calls visit(node, share) for every node that a divided row passes on its way.
  template <class Visit>
  void visit_nodes(const Dataset& data, Row row, Visit&& visit) const {
    thread_local std::vector<std::pair<std::size_t, double>> open;
    open.assign(1, {0, 1.0});
    while (!open.empty()) {
      const auto [node, share] = open.back();
      open.pop_back();
      visit(node, share);
      if (arrays_.n_children[node] == 0) continue;
      const std::int32_t child = answer(node, data, row);
      const auto first = static_cast<std::size_t>(arrays_.first_child[node]);
      if (child >= 0) open.emplace_back(first + static_cast<std::size_t>(child), share);
      else
        for (std::size_t c = at(arrays_.n_children, node); c-- > 0;)
          if (shares_[first + c] > 0.0) open.emplace_back(first + c, share * shares_[first + c]);
    }
  }

  // The child that a row goes to; -1 if the node cannot tell (where rows are divided), or the row goes no further.
  std::int32_t next(std::size_t node, const Dataset& data, Row row) const {
    return divides_rows() ? answer(node, data, row) : child_of(node, data, row);
  }

  // For each row the mean of `values` (`width` numbers a node) over the leaves that it comes to, by its share in each.
  template <class Poll>
  void blend(const Dataset& data, std::span<const double> values, std::size_t width, std::span<double> blended,
             Poll&& poll) const {
    for (Row row = 0; row < data.n_rows; ++row) {
      if (row % (1u << 12) == 0) poll();
      double* out = blended.data() + row * width;
      std::fill_n(out, width, 0.0);
      visit_leaves(data, row, [&](std::size_t leaf, double share) {
        for (std::size_t k = 0; k < width; ++k) out[k] += share * values[leaf * width + k];
      });
    }
  }

 private:
  template <class T>
  static std::size_t at(const std::vector<T>& values, std::size_t i) {
    return static_cast<std::size_t>(values[i]);
  }

  // Calls visit(leaf, share); shares add up to 1.
  template <class Visit>
  void visit_leaves(const Dataset& data, Row row, Visit&& visit) const {
    visit_nodes(data, row, [&](std::size_t node, double share) {
      if (arrays_.n_children[node] == 0) visit(node, share);
    });
  }

  void find_shares() {
    shares_.resize(heavier_child_.size());
    for (std::size_t node = 0; node < heavier_child_.size(); ++node) {
      double sum = 0.0;
      for (std::int32_t c = 0; c < arrays_.n_children[node]; ++c) sum += child_weight(node, c);
      for (std::int32_t c = 0; c < arrays_.n_children[node]; ++c) {
        const double share = child_weight(node, c) / sum;
        require(share >= 0.0 && share <= 1.0, "its children have no weights to divide rows by", node);
        shares_[at(arrays_.first_child, node) + static_cast<std::size_t>(c)] = share;
      }
    }
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

  // Which child the node's question leads to; -1 if it cannot tell: the value is missing, or its level had no rows here.
  std::int32_t answer(std::size_t node, const Dataset& data, Row row) const {
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
        case QuestionKind::levels:
          return missing ? -1 : child_of_level(arrays_, node, static_cast<std::int64_t>(value));
        case QuestionKind::leaf:
        case QuestionKind::at_least:
        case QuestionKind::linear: break;
      }
      return 0;
    });
  }

  std::span<const Term> terms_of(std::size_t node) const {
    const std::size_t begin = at(arrays_.terms.begin, node), end = at(arrays_.terms.begin, node + 1);
    return std::span{terms_}.subspan(begin, end - begin);
  }

  // The same, and what happens to those it cannot tell; -1 for rows that go no further. A level that had no rows in the
  // node follows the heavier child where missing values do so.
  std::int32_t child_of(std::size_t node, const Dataset& data, Row row) const {
    const std::int32_t child = answer(node, data, row);
    if (child >= 0) return child;
    if (arrays_.rule == MissingRule::surrogates) {
      for (std::int64_t i = arrays_.others.begin[node]; i < arrays_.others.begin[node + 1]; ++i) {
        const auto other = static_cast<std::size_t>(i);
        if (static_cast<Role>(arrays_.others.role[other]) != Role::surrogate) continue;
        const std::int32_t sent = sent_by(other, data, row);
        if (sent >= 0) return sent;
      }
      return arrays_.missing_child[node];
    }
    return is_missing(node, data, row) || arrays_.missing_child[node] < 0 ? arrays_.missing_child[node]
                                                                          : heavier_child_[node];
  }

  bool is_missing(std::size_t node, const Dataset& data, Row row) const {
    const ColumnView& column = data.columns[at(arrays_.column, node)];
    return with_type(column.type,
                     [&]<class T>(std::type_identity<T>) { return column.missing(row, column.value<T>(row)); });
  }

  std::int32_t sent_by(std::size_t surrogate, const Dataset& data, Row row) const {
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

  // Questions of nodes and surrogates lie in arrays of the same names.
  template <class Questions, class T>
  static std::int32_t side_of(const Questions& questions, std::size_t i, T value) {
    return is_at_most(value, {questions.threshold[i], questions.threshold_floor[i]}) ? 0 : 1;
  }

  template <class Questions>
  static std::int32_t child_of_level(const Questions& questions, std::size_t i, std::int64_t level) {
    const auto begin = questions.level.begin() + questions.level_begin[i],
               end = questions.level.begin() + questions.level_begin[i + 1];
    const auto found = std::lower_bound(begin, end, level);
    if (found == end || *found != level) return -1;
    return questions.level_child[static_cast<std::size_t>(found - questions.level.begin())];
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
    check_level_arrays(a);
    for (std::size_t node = 0; node < n; ++node) {
      require(a.n_children[node] >= 0, "a negative number of children", node);
      if (a.n_children[node] == 0) continue;
      require(a.first_child[node] > static_cast<NodeId>(node) &&
                  static_cast<std::int64_t>(a.first_child[node]) + a.n_children[node] <= static_cast<std::int64_t>(n),
              "a child that is not there", node);
      require(a.n_children[node] >= 2, "a question with a single child", node);
      require(a.kind[node] >= 1 && a.kind[node] <= 5, "an unknown kind of question", node);
      require(a.column[node] >= 0, "a question about no column", node);
      require(a.missing_child[node] >= -1 && a.missing_child[node] < a.n_children[node], "missing values go nowhere",
              node);
      n_columns_ = std::max(n_columns_, at(a.column, node) + 1);
      const auto kind = static_cast<QuestionKind>(a.kind[node]);
      two_way_ &=
          kind != QuestionKind::levels && !is_composite(kind) && a.n_children[node] == 2 && a.missing_child[node] >= 0;
      check_levels(a, node, a.n_children[node], node);
    }
    two_way_ &= a.rule == MissingRule::child;
    if (a.rule == MissingRule::surrogates) check_others();
    read_terms();
  }

  // Terms as they are used; those of a node lie next to each other, in the order of the nodes.
  void read_terms() {
    const TermArrays& t = arrays_.terms;
    const std::size_t n = heavier_child_.size();
    for (std::size_t size : {t.level.size(), t.kind.size(), t.negated.size(), t.threshold.size(),
                             t.threshold_floor.size(), t.coefficient.size(), t.fill.size()})
      if (size != t.size()) throw std::invalid_argument("the arrays of the tree's terms differ in length");
    const bool any = !t.begin.empty();
    if (any ? t.begin.size() != n + 1 || t.begin.front() != 0 || at(t.begin, n) != t.size() : t.size() > 0)
      throw std::invalid_argument("the terms of the tree do not belong to its nodes");
    // Begins first, before any of them is used as an index.
    for (std::size_t node = 0; any && node < n; ++node)
      require(t.begin[node] <= t.begin[node + 1], "its terms run backwards", node);
    for (std::size_t node = 0; node < n; ++node) {
      const bool composite =
          arrays_.n_children[node] > 0 && is_composite(static_cast<QuestionKind>(arrays_.kind[node]));
      const bool has_terms = any && t.begin[node] < t.begin[node + 1];
      require(composite == has_terms, "its question and its terms do not agree", node);
      if (composite) require(arrays_.n_children[node] == 2, "a question with two answers has other children", node);
      if (composite) require(std::isfinite(arrays_.threshold[node]), "the bound of its question is no number", node);
      if (has_terms)
        for (std::size_t i = at(t.begin, node); i < at(t.begin, node + 1); ++i) read_term(node, i);
    }
  }

  void read_term(std::size_t node, std::size_t i) {
    const TermArrays& t = arrays_.terms;
    const auto kind = static_cast<QuestionKind>(t.kind[i]);
    const bool in_sum = static_cast<QuestionKind>(arrays_.kind[node]) == QuestionKind::linear;
    require(kind == QuestionKind::levels || kind == (in_sum ? QuestionKind::linear : QuestionKind::threshold),
            "a term of an unknown kind", node);
    require(t.column[i] >= 0, "a term about no column", node);
    require(kind != QuestionKind::levels || t.level[i] >= 0, "a term about no level", node);
    require(std::isfinite(t.coefficient[i]) && std::isfinite(t.fill[i]), "a term that is no number", node);
    n_columns_ = std::max(n_columns_, at(t.column, i) + 1);
    Term term{.column = static_cast<std::uint32_t>(t.column[i]), .kind = kind, .negated = t.negated[i] != 0};
    term.threshold = {t.threshold[i], t.threshold_floor[i]};
    term.level = t.level[i], term.coefficient = t.coefficient[i], term.fill = t.fill[i];
    terms_.push_back(term);
  }

  // Begins first, before any of them is used as an index.
  template <class Questions>
  static void check_level_arrays(const Questions& questions) {
    const auto& begins = questions.level_begin;
    if (questions.level.size() != questions.level_child.size())
      throw std::invalid_argument("the arrays of levels differ in length");
    require(begins.front() == 0 && begins.back() == static_cast<std::int64_t>(questions.level.size()),
            "its levels end elsewhere", 0);
    for (std::size_t i = 0; i + 1 < begins.size(); ++i)
      require(begins[i] <= begins[i + 1], "its levels run backwards", i);
  }

  template <class Questions>
  static void check_levels(const Questions& questions, std::size_t i, std::int32_t n_children, std::size_t node) {
    for (std::int64_t j = questions.level_begin[i]; j < questions.level_begin[i + 1]; ++j) {
      const auto k = static_cast<std::size_t>(j);
      require(questions.level_child[k] >= 0 && questions.level_child[k] < n_children, "a level goes nowhere", node);
      require(j == questions.level_begin[i] || questions.level[k - 1] < questions.level[k],
              "its levels are not in order", node);
    }
  }

  void check_others() {
    const OtherQuestions& o = arrays_.others;
    const std::size_t n = arrays_.first_child.size(), n_others = o.size();
    if (o.begin.size() != n + 1 || o.level_begin.size() != n_others + 1)
      throw std::invalid_argument("the arrays of surrogates differ in length");
    for (std::size_t size :
         {o.column.size(), o.kind.size(), o.flipped.size(), o.threshold.size(), o.threshold_floor.size()})
      if (size != n_others) throw std::invalid_argument("the arrays of surrogates differ in length");
    require(o.begin[0] == 0 && o.begin[n] == static_cast<std::int64_t>(n_others), "its surrogates end elsewhere", 0);
    for (std::size_t node = 0; node < n; ++node)
      require(o.begin[node] <= o.begin[node + 1], "its surrogates run backwards", node);
    check_level_arrays(o);
    for (std::size_t node = 0; node < n; ++node)
      for (std::int64_t i = o.begin[node]; i < o.begin[node + 1]; ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (static_cast<Role>(o.role[k]) != Role::surrogate) continue;
        require(arrays_.n_children[node] == 2, "surrogates stand in for a question with two answers", node);
        require(o.kind[k] == static_cast<std::uint8_t>(QuestionKind::threshold) ||
                    o.kind[k] == static_cast<std::uint8_t>(QuestionKind::levels),
                "a surrogate of an unknown kind", node);
        require(o.column[k] >= 0, "a surrogate about no column", node);
        n_columns_ = std::max(n_columns_, at(o.column, k) + 1);
        check_levels(o, k, 2, node);
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
  std::vector<Term> terms_;
  std::vector<double> shares_;  // of the parent's rows that go to each node, where rows are divided
  std::size_t n_columns_ = 0;
  bool two_way_ = true;               // two children everywhere, no question about levels
  std::vector<std::uint32_t> asked_;  // the columns that questions are about
  std::vector<double> reach_;         // column -> how far from zero its thresholds lie
  mutable LazyWalk<float> float_walk_;
  mutable LazyWalk<double> double_walk_;
};

}  // namespace arboretum
