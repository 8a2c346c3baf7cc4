#include "core/dependence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace arboretum {
namespace {

constexpr std::size_t steps_between_polls = 256;
constexpr std::size_t most_copied = std::size_t{1} << 24;  // cells, of one set of rows after the other

// Numbers in order. NaN comes last: a sum with it is at most nothing, like one that is too large.
bool comes_before(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

bool is_same(double a, double b) { return !comes_before(a, b) && !comes_before(b, a); }

}  // namespace

Descent::Descent(const Router& router, const Dataset* rows, const GridCells& grid)
    : router_{router},
      data_{rows},
      grid_{grid},
      shares_(router.n_nodes()),
      rows_(rows == nullptr ? 1 : rows->n_rows),
      cells_(grid.cells.n_rows) {
  std::iota(rows_.begin(), rows_.end(), Row{0});
  std::iota(cells_.begin(), cells_.end(), Row{0});
  for (std::size_t node = 0; node < router.n_nodes(); ++node) {
    const std::int32_t n_children = router.arrays_.n_children[node];
    double sum = 0.0;
    for (std::int32_t c = 0; c < n_children; ++c) sum += router.child_weight(node, c);
    for (std::int32_t c = 0; c < n_children; ++c)  // of children without any weight, none counts more
      shares_[static_cast<std::size_t>(router.arrays_.first_child[node] + c)] =
          sum > 0.0 ? router.child_weight(node, c) / sum : 1.0 / n_children;
  }
}

void Descent::run(const Take& take, const Router::Poll& poll) {
  const auto n_rows = static_cast<Row>(rows_.size()), n_cells = static_cast<Row>(cells_.size());
  open_.assign(1, {0, {0, n_rows}, {0, n_cells}, 1.0, cells_.size()});
  for (std::size_t step = 0; !open_.empty(); ++step) {
    if (step % steps_between_polls == 0) poll();
    const Pairs pairs = open_.back();
    open_.pop_back();
    cells_.resize(pairs.top);
    if (pairs.empty()) continue;
    if (router_.arrays_.n_children[pairs.node] == 0) keep(pairs, take);
    else send(pairs, take);
  }
}

void Descent::keep(const Pairs& pairs, const Take& take) const {
  take(pairs.node, std::span{rows_}.subspan(pairs.rows.begin, pairs.rows.size()),
       std::span{cells_}.subspan(pairs.cells.begin, pairs.cells.size()), pairs.share);
}

// Sends pairs on as Router::child_of sends a row, question by question: each divides the rows or the cells, and those
// that it cannot tell are left for the next one.
void Descent::send(const Pairs& pairs, const Take& take) {
  const Router& router = router_;
  const std::size_t node = pairs.node;
  const auto kind = static_cast<QuestionKind>(router.arrays_.kind[node]);
  if (kind == QuestionKind::at_least) return count_literals(pairs);
  if (kind == QuestionKind::linear) return add_up(pairs);
  Pairs left = pairs;
  const auto column = static_cast<std::uint32_t>(router.arrays_.column[node]);
  if (!ask(left, column, [&](const Dataset& data, Row row) { return router.answer(node, data, row); })) return;
  if (router.divides_rows()) return share_out(left);
  for (const std::size_t other : router.surrogates_of(node)) {
    const auto beside = static_cast<std::uint32_t>(router.arrays_.others.column[other]);
    if (!ask(left, beside, [&](const Dataset& data, Row row) { return router.sent_by(other, data, row); })) return;
  }
  if (ask(left, column, [&](const Dataset& data, Row row) { return router.last_resort(node, data, row); }))
    keep(left, take);
}

// Pushes the pairs that a question about one column can tell; whether others are left.
template <class Answer>
bool Descent::ask(Pairs& left, std::uint32_t column, Answer&& answer) {
  const bool of_cells = grid_.set[column];
  if (!of_cells && data_ == nullptr) {
    share_out(left);
    return false;
  }
  const Dataset& data = of_cells ? grid_.cells : *data_;
  const auto n_children = static_cast<std::size_t>(router_.arrays_.n_children[left.node]);
  Range& range = of_cells ? left.cells : left.rows;
  divide(of_cells ? cells_ : rows_, range, n_children, [&](Row member) { return answer(data, member); });
  Range unknown{range.begin, range.begin};
  for (const Part& part : parts_) {
    if (part.answer < 0) unknown = part.range;
    else push(left, part.answer, of_cells ? left.rows : part.range, of_cells ? part.range : left.cells);
  }
  range = unknown;
  return !left.empty();
}

// "At least m of" needs no more than how many literals hold for the row, and how many for the cell.
void Descent::count_literals(const Pairs& pairs) {
  const std::span<const Term> terms = router_.terms_of(pairs.node);
  if (lacks_rows(terms)) return share_out(pairs);
  auto n_true = [&](bool of_cells, const Dataset& data, Row member) {
    std::int32_t count = 0;
    for (const Term& term : terms)
      if (is_set(term) == of_cells) count += holds(term, data, member);
    return count;
  };
  divide(cells_, pairs.cells, terms.size() + 1, [&](Row cell) { return n_true(true, grid_.cells, cell); });
  const std::vector<Part> of_cells = parts_;
  divide(rows_, pairs.rows, terms.size() + 1,
         [&](Row row) { return data_ == nullptr ? 0 : n_true(false, *data_, row); });
  for (const Part& rows : parts_)
    for (const Part& cells : of_cells) {
      const bool enough = rows.answer + cells.answer >= router_.arrays_.threshold[pairs.node];
      push(pairs, enough ? 0 : 1, rows.range, cells.range);
    }
}

// A sum is rounded after every term, so it must be added up for the pair. But it never falls while one of its terms
// rises. Cells that agree in all terms but one, the last here, are sorted by that one: each row then looks for the
// place where the answer changes.
void Descent::add_up(const Pairs& pairs) {
  const std::span<const Term> terms = router_.terms_of(pairs.node);
  if (lacks_rows(terms)) return share_out(pairs);
  const std::vector<Term> own = own_terms(terms);
  const std::size_t n_own = own.size();
  const std::span<Row> cells = std::span{cells_}.subspan(pairs.cells.begin, pairs.cells.size());
  addends_.resize(cells.size() * n_own);
  for (std::size_t i = 0; i < cells.size(); ++i)
    for (std::size_t j = 0; j < n_own; ++j) addends_[i * n_own + j] = addend(own[j], grid_.cells, cells[i]);
  auto differ_at = [&](Row a, Row b) {
    std::size_t j = 0;
    while (j < n_own && is_same(addends_[a * n_own + j], addends_[b * n_own + j])) ++j;
    return j;
  };
  order_.resize(cells.size());
  std::iota(order_.begin(), order_.end(), Row{0});
  std::stable_sort(order_.begin(), order_.end(), [&](Row a, Row b) {
    const std::size_t j = differ_at(a, b);
    return j < n_own && comes_before(addends_[a * n_own + j], addends_[b * n_own + j]);
  });
  spill_.assign(cells.begin(), cells.end());
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = spill_[order_[i]];
  // Groups that differ in the other terms come back one by one.
  first_of_value_.assign(1, 0);
  std::vector<Row> first_of_group{0};
  for (Row i = 1; i < cells.size(); ++i) {
    const std::size_t j = differ_at(order_[i - 1], order_[i]);
    if (j < n_own) first_of_value_.push_back(i);
    if (j + 1 < n_own) first_of_group.push_back(i);
  }
  if (first_of_group.size() == 1) return cut_sums(pairs);
  first_of_group.push_back(pairs.cells.size());
  for (std::size_t g = 0; g + 1 < first_of_group.size(); ++g) {
    const Row begin = pairs.cells.begin;
    open_.push_back(pairs);
    open_.back().cells = {begin + first_of_group[g], begin + first_of_group[g + 1]};
    open_.back().top = cells_.size();
  }
}

// Rows whose answer changes at the same place stay together; each such set gets its own copy of the cells. If that would
// be too many copies, the rows come back in two halves.
void Descent::cut_sums(const Pairs& pairs) {
  const std::span<const Term> terms = router_.terms_of(pairs.node);
  const double bound = router_.arrays_.threshold[pairs.node];
  const std::vector<Row>& firsts = first_of_value_;
  const Row begin = pairs.cells.begin, size = pairs.cells.size();
  const Row n_rows = pairs.rows.size(), middle = pairs.rows.begin + n_rows / 2;
  if (n_rows > 1 && std::min<std::size_t>(n_rows, firsts.size()) * size > most_copied) {
    for (const Range half : {Range{pairs.rows.begin, middle}, Range{middle, pairs.rows.end}}) {
      open_.push_back(pairs);
      open_.back().rows = half, open_.back().top = cells_.size();
    }
    return;
  }
  divide(rows_, pairs.rows, firsts.size() + 1, [&](Row row) {
    const auto cut = std::partition_point(firsts.begin(), firsts.end(), [&](Row first) {
      return sum_of_pair(terms, row, cells_[begin + first]) <= bound;
    });
    return static_cast<std::int32_t>(cut - firsts.begin());
  });
  for (const Part& part : parts_) {
    const auto n_below = static_cast<std::size_t>(part.answer);
    if (n_below == 0 || n_below == firsts.size()) {
      push(pairs, n_below == 0 ? 1 : 0, part.range, pairs.cells);
      continue;
    }
    const auto copied = static_cast<Row>(cells_.size()), cut = static_cast<Row>(copied + firsts[n_below]);
    cells_.resize(cells_.size() + size);
    std::copy_n(cells_.begin() + begin, size, cells_.begin() + copied);
    push(pairs, 0, part.range, {copied, cut});
    push(pairs, 1, part.range, {cut, copied + size});
  }
}

void Descent::share_out(const Pairs& pairs) {
  for (std::int32_t c = 0; c < router_.arrays_.n_children[pairs.node]; ++c) {
    const double share = shares_[static_cast<std::size_t>(router_.arrays_.first_child[pairs.node] + c)];
    if (share <= 0.0) continue;
    push(pairs, c, pairs.rows, pairs.cells);
    open_.back().share *= share;
  }
}

void Descent::push(const Pairs& from, std::int32_t child, Range rows, Range cells) {
  const auto node = static_cast<std::size_t>(router_.arrays_.first_child[from.node] + child);
  open_.push_back({node, rows, cells, from.share, cells_.size()});
}

bool Descent::lacks_rows(std::span<const Term> terms) const {
  return data_ == nullptr && !std::all_of(terms.begin(), terms.end(), [&](const Term& term) { return is_set(term); });
}

// The terms about columns of the grid. The last one is that of a column with no other term, if there is one: values of
// a column with several seldom agree in all of them but one, and each would be searched for by itself.
std::vector<Term> Descent::own_terms(std::span<const Term> terms) const {
  std::vector<Term> own;
  std::copy_if(terms.begin(), terms.end(), std::back_inserter(own), [&](const Term& term) { return is_set(term); });
  const auto single = std::find_if(own.begin(), own.end(), [&](const Term& term) {
    return std::count_if(own.begin(), own.end(), [&](const Term& other) { return other.column == term.column; }) == 1;
  });
  if (single != own.end()) std::rotate(single, single + 1, own.end());
  return own;
}

double Descent::sum_of_pair(std::span<const Term> terms, Row row, Row cell) const {
  double sum = 0.0;
  for (const Term& term : terms) sum += is_set(term) ? addend(term, grid_.cells, cell) : addend(term, *data_, row);
  return sum;
}

// Sorts a range by the answers of its members, from -1 to n_answers - 1, and lists its parts.
template <class Answer>
void Descent::divide(std::vector<Row>& members, Range range, std::size_t n_answers, Answer&& answer) {
  const std::span<Row> part = std::span{members}.subspan(range.begin, range.size());
  answers_.resize(part.size());
  counts_.assign(n_answers + 2, 0);
  for (std::size_t i = 0; i < part.size(); ++i) {
    answers_[i] = answer(part[i]) + 1;
    ++counts_[static_cast<std::size_t>(answers_[i]) + 1];
  }
  parts_.clear();
  for (std::size_t a = 0; a <= n_answers; ++a) {
    const Row n_members = counts_[a + 1];
    counts_[a + 1] += counts_[a];
    if (n_members > 0)
      parts_.push_back({static_cast<std::int32_t>(a) - 1, {range.begin + counts_[a], range.begin + counts_[a + 1]}});
  }
  if (parts_.size() < 2) return;
  spill_.assign(part.begin(), part.end());
  for (std::size_t i = 0; i < spill_.size(); ++i) part[counts_[static_cast<std::size_t>(answers_[i])]++] = spill_[i];
}

void sum_over_rows(const Router& router, const Dataset* rows, std::span<const double> weights, const GridCells& grid,
                   std::span<const double> values, std::size_t width, std::span<double> sums,
                   const Router::Poll& poll) {
  std::fill(sums.begin(), sums.end(), 0.0);
  Descent{router, rows, grid}.run(
      [&](std::size_t node, std::span<const Row> there, std::span<const Row> cells, double share) {
        double weight = static_cast<double>(there.size());
        if (!weights.empty()) {
          weight = 0.0;
          for (const Row row : there) weight += weights[row];
        }
        const double* value = values.data() + node * width;
        for (const Row cell : cells)
          for (std::size_t k = 0; k < width; ++k) sums[cell * width + k] += share * weight * value[k];
      },
      poll);
}

void each_row(const Router& router, const Dataset& rows, const GridCells& grid, std::span<const double> values,
              std::size_t width, std::span<double> found, const Router::Poll& poll) {
  std::fill(found.begin(), found.end(), 0.0);
  const std::size_t n_cells = grid.cells.n_rows;
  Descent{router, &rows, grid}.run(
      [&](std::size_t node, std::span<const Row> there, std::span<const Row> cells, double share) {
        const double* value = values.data() + node * width;
        for (const Row row : there)
          for (const Row cell : cells)
            for (std::size_t k = 0; k < width; ++k) found[(row * n_cells + cell) * width + k] += share * value[k];
      },
      poll);
}

}  // namespace arboretum
