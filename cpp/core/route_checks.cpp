// The checks of a Router's arrays: whatever a file holds, no index leads outside, and every walk ends.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/route.hpp"

namespace arboretum {
namespace {

void require(bool holds, const char* what, std::size_t node) {
  if (!holds) throw std::invalid_argument("node " + std::to_string(node) + " of the tree is damaged: " + what);
}

// Begins first, before any of them is used as an index.
template <class Questions>
void check_level_arrays(const Questions& questions) {
  const auto& begins = questions.level_begin;
  if (questions.level.size() != questions.level_child.size())
    throw std::invalid_argument("the arrays of levels differ in length");
  require(begins.front() == 0 && begins.back() == static_cast<std::int64_t>(questions.level.size()),
          "its levels end elsewhere", 0);
  for (std::size_t i = 0; i + 1 < begins.size(); ++i)
    require(begins[i] <= begins[i + 1], "its levels run backwards", i);
}

template <class Questions>
void check_levels(const Questions& questions, std::size_t i, std::int32_t n_children, std::size_t node) {
  for (std::int64_t j = questions.level_begin[i]; j < questions.level_begin[i + 1]; ++j) {
    const auto k = static_cast<std::size_t>(j);
    require(questions.level_child[k] >= 0 && questions.level_child[k] < n_children, "a level goes nowhere", node);
    require(j == questions.level_begin[i] || questions.level[k - 1] < questions.level[k], "its levels are not in order",
            node);
  }
}

}  // namespace

// Children come after their parent, so every walk ends; every index lies inside its array.
void Router::check() {
  const Arrays& a = arrays_;
  const std::size_t n = a.first_child.size();
  for (std::size_t size : {a.n_children.size(), a.column.size(), a.kind.size(), a.threshold.size(),
                           a.threshold_floor.size(), a.missing_child.size(), a.level_begin.size() - 1, a.weight.size()})
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
void Router::read_terms() {
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
    const bool composite = arrays_.n_children[node] > 0 && is_composite(static_cast<QuestionKind>(arrays_.kind[node]));
    const bool has_terms = any && t.begin[node] < t.begin[node + 1];
    require(composite == has_terms, "its question and its terms do not agree", node);
    if (composite) require(arrays_.n_children[node] == 2, "a question with two answers has other children", node);
    if (composite) require(std::isfinite(arrays_.threshold[node]), "the bound of its question is no number", node);
    if (has_terms)
      for (std::size_t i = at(t.begin, node); i < at(t.begin, node + 1); ++i) read_term(node, i);
  }
}

void Router::read_term(std::size_t node, std::size_t i) {
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

void Router::check_others() {
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

void Router::find_shares() {
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

}  // namespace arboretum
