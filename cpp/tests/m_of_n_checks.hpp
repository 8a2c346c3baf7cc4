// Checks of the search for questions "at least m of: …": against its twin, against its own promise, and on concepts,
// where a class is "at least m of these n columns are 1".
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/registry.hpp"
#include "core/search/m_of_n.hpp"
#include "tests/m_of_n_twin.hpp"

namespace arboretum {

// Numbers, ordered and nominal levels, few and many, with and without missing values; the node is a part of the table.
inline void fill_randomly(MofNTable& table, std::mt19937& random, std::uint32_t n_classes, bool weighted) {
  auto draw = [&](unsigned n) { return static_cast<std::int32_t>(random() % n); };
  const auto n_rows = static_cast<Row>(4 + draw(random() % 3 ? 40 : 400));
  const std::vector<std::tuple<Kind, unsigned, unsigned>> kinds{
      {Kind::numeric, 2, 0}, {Kind::numeric, 1000, 6}, {Kind::nominal, 4, 5}, {Kind::nominal, 2, 7},
      {Kind::ordered, 5, 0}, {Kind::nominal, 3, 0},    {Kind::nominal, 1, 3}, {Kind::numeric, 12, 4}};
  const auto n_columns = static_cast<std::size_t>(1 + draw(static_cast<unsigned>(kinds.size())));
  for (std::size_t c = 0; c < n_columns; ++c) {
    const auto [kind, n_values, missing_one_in] =
        kinds[static_cast<std::size_t>(draw(static_cast<unsigned>(kinds.size())))];
    std::vector<std::int32_t> column(n_rows);
    std::vector<std::uint8_t> mask(missing_one_in > 0 ? n_rows : 0);
    for (std::int32_t& value : column) value = draw(n_values);
    for (std::uint8_t& is_missing : mask) is_missing = draw(missing_one_in) == 0;
    table.add_column(kind, n_values, std::move(column), std::move(mask));
  }
  for (Row row = 0; row < n_rows; ++row) {
    std::int32_t hint = 0;
    for (const std::vector<std::int32_t>& column : table.values) hint += column[row] % 3 == 0;
    table.classes.push_back(draw(2) ? draw(n_classes) : hint % static_cast<std::int32_t>(n_classes));
    table.numbers.push_back(hint + 0.25 * draw(8));
    if (weighted) table.weights.push_back(0.25 * (1 + draw(9)));
    if (row < 2 || draw(5) > 0) table.rows.push_back(row);
  }
}

// What a split promises: its score and weight are those of its literals, asked row by row, and no literal is idle talk.
template <Criterion C, class Expect>
void check_promise(const NodeTable<C>& table, const Split& split, const std::string& name, Expect&& expect) {
  const auto n = split.terms.size();
  typename C::Sweep cut{table.criterion, table.node};
  std::vector<std::uint32_t> n_held(table.rows.size());
  bool in_order = split.kind == QuestionKind::at_least && split.n_children == 2 && !split.missing_seen && n >= 2 &&
                  n <= table.options.m_of_n.max_n && split.bound >= 1 && split.bound <= static_cast<double>(n) &&
                  split.column == split.terms.front().column;
  for (std::size_t k = 0; k < n; ++k) {
    const Term& term = split.terms[k];
    std::vector<Code> codes;
    table.gather(term.column, codes);
    const Code missing = table.coded[term.column].n_codes;
    const bool nominal = table.coded[term.column].kind == Kind::nominal;
    in_order &= term.kind == (nominal ? QuestionKind::levels : QuestionKind::threshold);
    Code next = missing;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (codes[i] == missing) continue;
      if (codes[i] > term.cut) next = std::min(next, codes[i]);
      n_held[i] += (nominal ? codes[i] == static_cast<Code>(term.level) : codes[i] <= term.cut) != term.negated;
    }
    in_order &= nominal || (std::ranges::count(codes, term.cut) > 0 && term.next == next && next < missing);
    for (std::size_t j = 0; j < k; ++j) {
      const Term& other = split.terms[j];
      in_order &= other.column != term.column ||
                  (nominal ? other.level != term.level : other.negated != term.negated && other.cut != term.cut);
    }
  }
  for (std::size_t i = 0; i < n_held.size(); ++i)
    if (n_held[i] >= split.bound) cut.pass(table.targets.subspan(i, 1));
  expect(in_order, name + ": the literals are not in order");
  expect(table.limits.allow_size(cut, table.node) && cut.admissible(), name + ": a side is too small");
  expect(split.score == std::max(0.0, cut.score()) && split.left_weight == cut.weight(),
         name + ": the score is not that of the literals");
}

template <Criterion C>
bool is_same(const AtLeast& question, const typename MofNTwin<C>::Question& twin, const MofNTwin<C>& by,
             const NodeColumns& columns) {
  bool same = question.m == twin.m && question.score == twin.score && question.left_weight == twin.left_weight &&
              question.literals.size() == twin.literals.size();
  for (std::size_t k = 0; same && k < twin.literals.size(); ++k) {
    const auto& one = by.literals[twin.literals[k]];
    const Literal& literal = question.literals[k];
    same &= columns[literal.column].column == one.column && literal.code == one.code && literal.negated == one.negated;
  }
  return same;
}

inline bool same_terms(const Split& a, const Split& b) {
  bool same = a.terms.size() == b.terms.size() && a.bound == b.bound && a.score == b.score;
  for (std::size_t k = 0; same && k < a.terms.size(); ++k) {
    const Term &x = a.terms[k], &y = b.terms[k];
    same &= std::tuple{x.column, x.kind, x.negated, x.cut, x.level} ==
            std::tuple{y.column, y.kind, y.negated, y.cut, y.level};
  }
  return same;
}

template <Criterion C, class Expect>
void check_m_of_n_on(std::mt19937& random, Expect&& expect) {
  for (int round = 0; round < 120; ++round) {
    const std::uint32_t n_classes = 2 + static_cast<std::uint32_t>(random() % 3);
    MofNTable table;
    fill_randomly(table, random, n_classes, round % 3 == 0);
    GrowOptions options;
    options.m_of_n.max_n = round % 4 == 0 ? 2 : 2 + static_cast<std::uint32_t>(random() % 6);
    options.m_of_n.deletion = round % 4 == 1;
    options.m_of_n.dips = round % 7 > 2;
    const auto min_leaf_rows = static_cast<Row>(round % 5 == 0 ? 3 : 1);
    MofNNode<C> node{table, options, n_classes, min_leaf_rows};
    const std::string name = std::string{C::name} + " at least, round " + std::to_string(round);

    MofNClimb<C> climb{node.table};
    double last = -1.0;
    bool rises = true;
    const std::optional<AtLeast> best = climb.best([&](const AtLeast& question) {
      rises &= question.score > last * rounding;
      last = question.score;
    });
    expect(rises, name + ": the score falls along the climb");
    const MofNTwin<C> twin{node.table};
    const auto plain = twin.best();
    expect(best.has_value() == plain.has_value(), name + ": found or not");
    if (!best || !plain) continue;
    expect(is_same(*best, *plain, twin, climb.columns()), name + ": not what the twin finds");

    // With two literals at most: the best extension of the best literal, or that literal.
    if (options.m_of_n.max_n == 2 && !options.m_of_n.deletion) {
      const auto alone = twin.next({}), pair = twin.next(alone);
      expect(best->score == (pair.score > alone.score * rounding ? pair.score : alone.score), name + ": two literals");
    }
    const std::optional<Split> split = best_m_of_n(node.table, 0.0);
    expect(split.has_value() == (best->literals.size() > 1 && best->score > 0.0), name + ": one literal or several");
    if (split) {
      check_promise(node.table, *split, name, expect);
      expect(!best_m_of_n(node.table, split->score), name + ": not more than what is to be beaten");
    }
    options.m_of_n.beam = 2 + static_cast<std::uint32_t>(random() % 4);
    if (const auto wide = best_m_of_n(node.table, 0.0)) check_promise(node.table, *wide, name + ", beam", expect);

    // The order of the rows is nothing to a question.
    std::ranges::shuffle(table.rows, random);
    MofNNode<C> shuffled{table, options, n_classes, min_leaf_rows};
    const auto before = best_m_of_n(node.table, 0.0), after = best_m_of_n(shuffled.table, 0.0);
    expect(before.has_value() == after.has_value() && (!before || same_terms(*before, *after)),
           name + ": changed by the order of rows");
  }
}

// Many values in two columns that tell about as much: what may be passed unseen, and what may not, is a close call.
inline void fill_with_trends(MofNTable& table, std::mt19937& random, Row n_rows, std::uint32_t n_classes) {
  std::vector<std::int32_t> a(n_rows), b(n_rows);
  for (Row row = 0; row < n_rows; ++row) {
    a[row] = static_cast<std::int32_t>(random() % 100'000), b[row] = static_cast<std::int32_t>(random() % 100'000);
    const auto level = static_cast<std::uint32_t>(a[row] + b[row]) + static_cast<std::uint32_t>(random() % 50'000);
    table.classes.push_back(static_cast<std::int32_t>(std::uint64_t{level} * n_classes / 250'000));
    table.rows.push_back(row);
  }
  table.add_column(Kind::numeric, 0, std::move(a), {});
  table.add_column(Kind::numeric, 0, std::move(b), {});
}

template <Criterion C, class Expect>
void check_many_cuts_on(std::mt19937& random, Expect&& expect) {
  for (std::uint32_t n_classes = 2; n_classes < 5; ++n_classes) {
    MofNTable table;
    fill_with_trends(table, random, 800, n_classes);
    GrowOptions options;
    options.m_of_n.max_n = 2;
    MofNNode<C> node{table, options, n_classes};
    MofNClimb<C> climb{node.table};
    const MofNTwin<C> twin{node.table};
    const auto best = climb.best([](const AtLeast&) {});
    const auto plain = twin.best();
    expect(best && plain && is_same(*best, *plain, twin, climb.columns()),
           std::string{C::name} + ", many cuts and " + std::to_string(n_classes) + " classes: not what the twin finds");
  }
}

// A block is passed only if no cut among its rows is worth what is to be beaten; else nothing moves.
template <Criterion C, class Expect>
void check_blocks_on(std::mt19937& random, Expect&& expect) {
  bool right = true;
  int n_passed = 0;
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t n_classes = 2 + static_cast<std::uint32_t>(round % 4);
    MofNTable table;
    fill_with_trends(table, random, 200, n_classes);
    const GrowOptions options;
    MofNNode<C> node{table, options, n_classes};
    BlockBound<C> bound{node.node};
    const std::size_t first = random() % 150, n = 1 + random() % 49;
    const auto block = node.table.targets.subspan(first, n);
    typename C::Sweep walk{node.criterion, node.node};
    walk.pass(node.table.targets.first(first));
    typename C::Sweep cut = walk;
    double best = 0.0;
    for (const typename C::Target& row : block) {
      walk.pass(std::span{&row, 1});
      best = std::max(best, walk.score());
    }
    right &= !bound.passes(cut, block, best) && cut.n_rows() == first;
    // Four times the best is out of reach for most blocks: corners are never far.
    if (!bound.passes(cut, block, 4 * best)) continue;
    ++n_passed;
    right &= cut.n_rows() == first + n && cut.weight() == walk.weight() && cut.score() == walk.score();
  }
  expect(right, std::string{C::name} + ": a block is passed, or not, wrongly");
  expect(n_passed > 50, std::string{C::name} + ": blocks are passed (" + std::to_string(n_passed) + " of 300)");
}

// At least m of the first n columns are 1; the others say nothing. No `n_rows`: all rows there can be.
inline void fill_with_concept(MofNTable& table, std::mt19937& random, std::uint32_t m, std::uint32_t n,
                              std::uint32_t n_others, Kind kind, Row n_rows = 0) {
  const std::uint32_t n_columns = n + n_others;
  const bool complete = n_rows == 0;
  if (complete) n_rows = Row{1} << n_columns;
  std::vector<std::uint32_t> bits(n_rows);
  for (Row row = 0; row < n_rows; ++row) {
    bits[row] = complete ? row : static_cast<std::uint32_t>(random());
    table.rows.push_back(row);
    table.classes.push_back(static_cast<std::uint32_t>(std::popcount(bits[row] & ((1u << n) - 1))) >= m);
    table.numbers.push_back(table.classes.back());
  }
  for (std::uint32_t c = 0; c < n_columns; ++c) {
    std::vector<std::int32_t> column(n_rows);
    for (Row row = 0; row < n_rows; ++row) column[row] = static_cast<std::int32_t>(bits[row] >> c & 1);
    table.add_column(kind, 2, std::move(column), {});
  }
}

// Is it the concept? Of its complement, at least n - m + 1 of the columns are 0, the positive form is to be asked.
inline bool is_concept(const Split& split, std::uint32_t m, std::uint32_t n) {
  bool ones = true;
  std::vector<std::uint32_t> columns;
  for (const Term& term : split.terms) {
    const bool is_one = term.kind == QuestionKind::levels ? (term.level == 1) != term.negated : term.negated;
    ones &= is_one;
    columns.push_back(term.column);
  }
  std::ranges::sort(columns);
  bool all = columns.size() == n;
  for (std::uint32_t c = 0; all && c < n; ++c) all = columns[c] == c;
  return all && ones && split.bound == m;
}

template <Criterion C, class Expect>
void check_concepts_on(std::mt19937& random, Expect&& expect) {
  for (const auto& [m, n] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{{3, 7}, {5, 10}, {1, 4}, {6, 6}}) {
    for (const Kind kind : {Kind::nominal, Kind::numeric}) {
      for (const std::uint32_t n_others : {0u, 2u, 6u}) {
        for (const Row n_rows : {0u, 500u, 500u, 500u, 1500u}) {
          if (n_rows == 0 && n + n_others > 12) continue;
          if (n_rows > 0 && m == n) continue;  // a handful of rows of one class: many questions would do
          MofNTable table;
          fill_with_concept(table, random, m, n, n_others, kind, n_rows);
          const GrowOptions options;
          MofNNode<C> node{table, options, 2};
          const std::string name = std::string{C::name} + ", " + std::to_string(m) + " of " + std::to_string(n) +
                                   " and " + std::to_string(n_others) + " others, " + std::to_string(n_rows) + " rows";
          const std::optional<Split> split = best_m_of_n(node.table, 0.0);
          expect(split.has_value(), name + ": no question");
          if (!split) continue;
          check_promise(node.table, *split, name, expect);
          expect(split->score == node.perfect_score(table.classes), name + ": the classes are not separated");
          if (n_rows == 0 || m > 1) expect(is_concept(*split, m, n), name + ": not the concept");
        }
      }
    }
  }
}

template <class Expect>
void check_m_of_n(std::mt19937& random, Expect&& expect) {
  Criteria::for_each([&]<class C>(std::type_identity<C>) { check_m_of_n_on<C>(random, expect); });
  check_many_cuts_on<Gini>(random, expect), check_blocks_on<Gini>(random, expect);
  check_many_cuts_on<Entropy>(random, expect), check_blocks_on<Entropy>(random, expect);
  check_many_cuts_on<Misclassification>(random, expect), check_blocks_on<Misclassification>(random, expect);
  // Not by misclassification, which sees no gain as long as both sides have the same majority.
  check_concepts_on<Gini>(random, expect);
  check_concepts_on<Entropy>(random, expect);
  check_concepts_on<SquaredError>(random, expect);
}

}  // namespace arboretum
