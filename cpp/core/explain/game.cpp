#include "core/explain/game.hpp"

#include <algorithm>
#include <cmath>

namespace arboretum {

std::vector<double> shares_of_parents(const Router& router) {
  std::vector<double> shares(router.n_nodes(), 1.0);
  for (std::size_t node = 0; node < router.n_nodes(); ++node) {
    const std::size_t first = router.first_child(node), n = router.n_children(node);
    double sum = 0.0;
    for (std::size_t child = first; child < first + n; ++child) sum += router.weight(child);
    for (std::size_t child = first; child < first + n; ++child)
      shares[child] = sum > 0.0 ? router.weight(child) / sum : 1.0 / static_cast<double>(n);
  }
  return shares;
}

std::vector<std::uint32_t> columns_of(std::span<const Term> terms) {
  std::vector<std::uint32_t> columns;
  for (const Term& term : terms)
    if (std::find(columns.begin(), columns.end(), term.column) == columns.end()) columns.push_back(term.column);
  return columns;
}

void WeightGame::list_moves(std::size_t node, std::span<const Parts> parts, Moves& to) {
  if (is_composite(router_->kind(node))) return list_composite(node, parts, to);
  const auto [child, column] = router_->told(node, *data_, row_);
  const std::size_t first = router_->first_child(node), n = router_->n_children(node);
  if (child < 0 && !router_->divides_rows()) to.add(node, column, {1.0, 0.0}, true);
  for (std::size_t k = 0; k < n; ++k) {
    const double share_here = share(first + k);
    const double known =
        child >= 0 ? (static_cast<std::size_t>(child) == k ? 1.0 : 0.0) : (router_->divides_rows() ? share_here : 0.0);
    to.add(first + k, column, {known, share_here});
  }
}

// Either all columns are known; or the first of those that are not is this one, or the next, …
void WeightGame::list_composite(std::size_t node, std::span<const Parts> parts, Moves& to) {
  const std::size_t first = router_->first_child(node), n = router_->n_children(node);
  made_.clear();
  auto divide = [&](std::uint32_t column, double known) {
    for (std::size_t child = first; child < first + n; ++child) {
      if (share(child) == 0.0) continue;
      made_.push_back({column, {known * share(child), share(child)}});
      to.add(child, false, made_);
      made_.pop_back();
    }
  };
  const std::vector<std::uint32_t> columns = columns_of(router_->terms_of(node));
  for (std::uint32_t column : columns)
    if (parts[column].known == 0.0) return divide(column, 1.0);  // it is not known, that much is certain
  for (std::uint32_t column : columns) {
    if (parts[column].unknown == 0.0) continue;  // it is known
    divide(column, 0.0);
    made_.push_back({column, {1.0, 0.0}});
  }
  to.add(first + static_cast<std::size_t>(router_->answer(node, *data_, row_)), false, made_);
}

void RowGame::list_moves(std::size_t node, std::span<const Parts> parts, Moves& to) {
  made_.clear();
  if (is_composite(router_->kind(node))) list_composite(node, parts, to);
  else if (router_->asks_surrogates()) list_surrogates(node, parts, to);
  else list_answers(node, to);
}

void RowGame::list_answers(std::size_t node, Moves& to) const {
  const Answers answers{router_->next(node, *data_, row_), router_->next(node, *background_, other_)};
  const bool same = answers.known == answers.unknown;
  if (same && !(answers.known < 0 && router_->divides_rows())) return send(node, answers.known, to);
  const std::size_t first = router_->first_child(node), n = router_->n_children(node);
  const std::uint32_t column = router_->column(node);
  for (std::size_t k = 0; k < n; ++k) {
    const auto place = static_cast<std::int32_t>(k);
    to.add(first + k, column, {part_of(first + k, place, answers.known), part_of(first + k, place, answers.unknown)});
  }
  if (!router_->divides_rows())
    to.add(node, column, {answers.known < 0 ? 1.0 : 0.0, answers.unknown < 0 ? 1.0 : 0.0}, true);
}

double RowGame::part_of(std::size_t child, std::int32_t place, std::int32_t answer) const {
  if (answer < 0 && router_->divides_rows()) return (*shares_)[child];
  return answer == place ? 1.0 : 0.0;
}

void RowGame::send(std::size_t node, std::int32_t child, Moves& to) const {
  to.add(child < 0 ? node : router_->first_child(node) + static_cast<std::size_t>(child), child < 0, made_);
}

void RowGame::list_surrogates(std::size_t node, std::span<const Parts> parts, Moves& to) {
  asked_.clear();
  asked_.push_back(
      {router_->column(node), {router_->answer(node, *data_, row_), router_->answer(node, *background_, other_)}});
  for (const std::size_t surrogate : router_->surrogates_of(node)) {
    if (asked_.back().answers.known >= 0 && asked_.back().answers.unknown >= 0) break;
    asked_.push_back({router_->surrogate_column(surrogate),
                      {router_->sent_by(surrogate, *data_, row_), router_->sent_by(surrogate, *background_, other_)}});
  }
  ask(0, node, parts, to);
}

void RowGame::ask(std::size_t place, std::size_t node, std::span<const Parts> parts, Moves& to) {
  if (place == asked_.size()) return send(node, router_->missing_child(node), to);
  const auto [column, answers] = asked_[place];
  auto follow = [&](std::int32_t answer) { answer >= 0 ? send(node, answer, to) : ask(place + 1, node, parts, to); };
  if (answers.known == answers.unknown || parts[column].unknown == 0.0) return follow(answers.known);
  if (parts[column].known == 0.0) return follow(answers.unknown);
  made_.push_back({column, {1.0, 0.0}});
  follow(answers.known);
  made_.back() = {column, {0.0, 1.0}};
  follow(answers.unknown);
  made_.pop_back();
}

// As long as the answer is not clear, the row stays at the node, and one more column becomes known or unknown. So a
// question about many columns takes no more room than one about few, however many ways lead through it.
void RowGame::list_composite(std::size_t node, std::span<const Parts> parts, Moves& to) {
  const Sum sum = sum_of(node);
  double low = 0.0, high = 0.0;
  const Addends* next = nullptr;
  for (std::size_t i = sum.first; i < sum.end; ++i) {
    const Addends& found = addends_[i];
    const Parts part = parts[found.column];
    if (found.differ && part.known != 0.0 && part.unknown != 0.0) {
      if (!next) next = &found;
      low += std::min(found.known, found.unknown), high += std::max(found.known, found.unknown);
    } else {
      const double number = part.known != 0.0 ? found.known : found.unknown;
      low += number, high += number;
    }
  }
  if (!next) return send(node, exact_answer(node, parts), to);
  if (const auto child = clear_answer(sum, low, high, node)) return send(node, *child, to);
  to.add(node, next->column, {1.0, 0.0});
  to.add(node, next->column, {0.0, 1.0});
}

const RowGame::Sum& RowGame::sum_of(std::size_t node) {
  const auto [place, is_new] = sums_.try_emplace(node);
  if (!is_new) return place->second;
  const std::span<const Term> terms = router_->terms_of(node);
  const bool is_sum = router_->kind(node) == QuestionKind::linear;
  const std::size_t first = addends_.size();
  double size = 0.0;
  for (std::uint32_t column : columns_of(terms)) {
    Addends found{column, 0.0, 0.0, false};
    for (const Term& term : terms) {
      if (term.column != column) continue;
      const double own = number(term, true, is_sum), others = number(term, false, is_sum);
      found.known += own, found.unknown += others;
      size += std::abs(own) + std::abs(others);
      found.differ |= own != others;
    }
    addends_.push_back(found);
  }
  std::stable_sort(addends_.begin() + static_cast<std::ptrdiff_t>(first), addends_.end(),
                   [](const Addends& a, const Addends& b) { return a.size() > b.size(); });
  return place->second = {first, addends_.size(), is_sum ? 1e-9 * size : 0.0};
}

double RowGame::number(const Term& term, bool of_the_row, bool is_sum) const {
  const Dataset& data = of_the_row ? *data_ : *background_;
  const Row row = of_the_row ? row_ : other_;
  return is_sum ? addend(term, data, row) : holds(term, data, row) ? 1.0 : 0.0;
}

// Nothing if the columns that are left may still change the answer.
std::optional<std::int32_t> RowGame::clear_answer(const Sum& sum, double low, double high, std::size_t node) const {
  const double bound = router_->bound(node);
  const bool is_sum = router_->kind(node) == QuestionKind::linear;
  if (is_sum ? high + sum.slack < bound : low >= bound) return 0;
  if (is_sum ? low - sum.slack > bound : high < bound) return 1;
  return std::nullopt;
}

// As answer_of, term by term in the same order, each from the row that it is about.
std::int32_t RowGame::exact_answer(std::size_t node, std::span<const Parts> parts) const {
  const bool is_sum = router_->kind(node) == QuestionKind::linear;
  double sum = 0.0;
  for (const Term& term : router_->terms_of(node)) sum += number(term, parts[term.column].known != 0.0, is_sum);
  return (is_sum ? sum <= router_->bound(node) : sum >= router_->bound(node)) ? 0 : 1;
}

}  // namespace arboretum
