// Literals: what a question "at least m of: …" is made of, and the rows of one node for which they hold. A literal is
// x <= cut, x = level, or the negation of one; if the value is missing, neither it nor its negation holds.
#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "core/search/node_table.hpp"
#include "core/sources/sorted_column.hpp"

namespace arboretum {

struct Literal {
  std::uint32_t column = 0;  // its place in NodeColumns
  Code code = 0;             // the cut, or the level
  bool negated = false;

  auto operator<=>(const Literal&) const = default;  // the order of ties
};

class NodeColumn {
 public:
  NodeColumn(std::uint32_t column, Kind kind, bool binary, std::span<const SortedRow> known)
      : column{column}, nominal{kind == Kind::nominal}, binary{binary}, known{known} {}

  std::uint32_t column;  // of the table
  bool nominal;
  bool binary;                       // the table has two values of it
  std::span<const SortedRow> known;  // rows by position, codes ascending

  Code lowest() const { return known.front().code; }
  Code highest() const { return known.back().code; }
  Code next(Code code) const { return std::ranges::upper_bound(known, code, {}, &SortedRow::code)->code; }
  bool has_two_codes() const { return lowest() < highest() && next(lowest()) == highest(); }

  // 1 if a literal says that something is there, -1 if it says that something is absent, 0 where neither is meant.
  // Of two values the higher is there: yes, True, 1.
  int sign_of(const Literal& literal) const {
    if (nominal) return literal.negated == (binary && literal.code == 0) ? 1 : -1;
    return !binary ? 0 : literal.negated ? 1 : -1;
  }
  Literal negation(Literal literal) const {
    if (nominal && !literal.negated && has_two_codes()) literal.code = literal.code == lowest() ? highest() : lowest();
    else literal.negated = !literal.negated;
    return literal;
  }

  template <class F>
  void for_each_held(const Literal& literal, F&& f) const {
    const std::size_t n = known.size();
    auto first = nominal ? std::ranges::lower_bound(known, literal.code, {}, &SortedRow::code) : known.begin();
    auto last = std::ranges::upper_bound(known, literal.code, {}, &SortedRow::code);
    const auto from = static_cast<std::size_t>(first - known.begin()),
               to = static_cast<std::size_t>(last - known.begin());
    auto visit = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) f(known[i].position);
    };
    if (literal.negated) visit(0, from), visit(to, n);
    else visit(from, to);
  }

  Term term(const Literal& literal) const {
    Term term{.column = column, .negated = literal.negated};
    if (nominal) term.kind = QuestionKind::levels, term.level = static_cast<std::int32_t>(literal.code);
    else term.cut = literal.code, term.next = next(literal.code);
    return term;
  }
};

// The columns of a node about which there is something to ask, in the order of the table; sorted once.
class NodeColumns {
 public:
  template <Criterion C>
  explicit NodeColumns(const NodeTable<C>& table) {
    std::vector<std::uint32_t> columns(table.columns.begin(), table.columns.end());
    std::ranges::sort(columns);
    rows_.resize(columns.size() * table.rows.size());
    std::vector<Code> codes;
    std::span<SortedRow> rest = rows_;
    for (const std::uint32_t column : columns) {
      table.interrupt.poll();
      table.gather(column, codes);
      const std::span<SortedRow> own = rest.first(codes.size());
      const std::span<const SortedRow> known = own.first(sort(codes, table.coded[column].n_codes, own));
      const bool constant = known.empty() || known.front().code == known.back().code;
      const Kind kind = table.coded[column].kind;
      // Of a single level one can still ask whether it is there.
      if (constant && (kind != Kind::nominal || known.empty() || known.size() == codes.size())) continue;
      columns_.emplace_back(column, kind, table.coded[column].n_codes == 2, known);
      rest = rest.subspan(codes.size());
    }
  }
  NodeColumns(const NodeColumns&) = delete;

  std::size_t size() const { return columns_.size(); }
  const NodeColumn& operator[](std::size_t place) const { return columns_[place]; }

 private:
  // How many rows are known: they come first.
  std::size_t sort(std::span<const Code> codes, Code missing_code, std::span<SortedRow> sorted) {
    Code low = missing_code, high = 0;
    std::size_t n_known = 0;
    for (const Code code : codes) {
      if (code == missing_code) continue;
      low = std::min(low, code), high = std::max(high, code), ++n_known;
    }
    if (n_known == 0) return 0;
    if (high - low < 32 * codes.size()) count(codes, missing_code, low, high, sorted);
    else compare(codes, missing_code, sorted);
    return n_known;
  }

  void count(std::span<const Code> codes, Code missing_code, Code low, Code high, std::span<SortedRow> sorted) {
    begins_.assign(high - low + 2, 0);
    for (const Code code : codes)
      if (code != missing_code) ++begins_[code - low + 1];
    for (std::size_t c = 1; c < begins_.size(); ++c) begins_[c] += begins_[c - 1];
    for (Row i = 0; i < codes.size(); ++i)
      if (codes[i] != missing_code) sorted[begins_[codes[i] - low]++] = {codes[i], i};
  }

  void compare(std::span<const Code> codes, Code missing_code, std::span<SortedRow> sorted) {
    items_.clear();
    for (std::size_t i = 0; i < codes.size(); ++i)
      if (codes[i] != missing_code) items_.push_back(std::uint64_t{codes[i]} << 32 | i);
    std::sort(items_.begin(), items_.end());
    for (std::size_t i = 0; i < items_.size(); ++i)
      sorted[i] = {static_cast<Code>(items_[i] >> 32), static_cast<Row>(items_[i])};
  }

  std::vector<SortedRow> rows_;
  std::vector<NodeColumn> columns_;
  std::vector<Row> begins_;           // scratch
  std::vector<std::uint64_t> items_;  // scratch
};

}  // namespace arboretum
