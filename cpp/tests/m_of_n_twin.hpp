// MofNTwin: the search for questions "at least m of: …" in the plainest way there is, to check the real one against.
// It tries every literal and asks every row.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/search/node_table.hpp"

namespace arboretum {

// A table that owns its columns, all of them levels or whole numbers, and the rows of one node of it.
struct MofNTable {
  std::vector<std::vector<std::int32_t>> values;
  std::vector<std::vector<std::uint8_t>> masks;
  std::vector<std::int32_t> classes;
  std::vector<double> numbers, weights;
  std::vector<Row> rows;
  Dataset data;
  std::vector<CodedColumn> coded;
  Interrupt interrupt;

  MofNTable() = default;
  MofNTable(const MofNTable&) = delete;

  void add_column(Kind kind, std::uint32_t n_levels, std::vector<std::int32_t> column, std::vector<std::uint8_t> mask) {
    values.push_back(std::move(column)), masks.push_back(std::move(mask));
    ColumnView view{.kind = kind, .type = ValueType::int32, .stride = sizeof(std::int32_t), .n_levels = n_levels};
    view.values = reinterpret_cast<const std::byte*>(values.back().data());
    if (!masks.back().empty()) view.masked = reinterpret_cast<const std::byte*>(masks.back().data());
    view.masked_stride = 1;
    data.n_rows = static_cast<Row>(values.back().size());
    data.columns.push_back(view);
    coded.push_back(encode_column(view, data.n_rows, std::numeric_limits<std::size_t>::max(), interrupt));
  }

  Targets targets(TargetKind kind, std::uint32_t n_classes) const {
    Targets targets{.n_classes = n_classes};
    if (kind == TargetKind::classes) targets.classes = classes;
    else targets.numbers = numbers;
    targets.weights = weights;
    return targets;
  }
};

// The node of a table that a criterion has opened.
template <Criterion C>
struct MofNNode {
  static C of_classes(std::uint32_t n_classes) {
    C criterion{};
    if constexpr (C::target == TargetKind::classes) criterion.n_classes = n_classes;
    return criterion;
  }

  MofNNode(MofNTable& table, const GrowOptions& options, std::uint32_t n_classes, Row min_leaf_rows = 1)
      : criterion{of_classes(n_classes)},
        source{table.targets(C::target, n_classes)},
        rows{ordered(table)},
        targets(rows.size()),
        node{criterion.open(criterion.encode_rows(source, rows, targets), source, rows, targets)},
        limits{.min_leaf_rows = min_leaf_rows},
        columns(table.coded.size()),
        table{table.data, criterion, options, limits, node, targets, rows, columns, table.coded, table.interrupt} {
    std::iota(columns.begin(), columns.end(), 0u);
  }
  MofNNode(const MofNNode&) = delete;

  std::vector<Row> ordered(const MofNTable& whole) const {
    std::vector<Row> rows = whole.rows;
    if constexpr (requires { criterion.put_in_order(source, std::span{rows}); })
      criterion.put_in_order(source, std::span{rows});
    return rows;
  }

  // Of the division by classes, whatever the columns are.
  double perfect_score(std::span<const std::int32_t> classes) const {
    typename C::Sweep cut{criterion, node};
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (classes[rows[i]] == 1) cut.pass(table.targets.subspan(i, 1));
    return cut.score();
  }

  C criterion;
  Targets source;
  std::vector<Row> rows;
  std::vector<typename C::Target> targets;
  typename C::NodeTargets node;
  Limits limits;
  std::vector<std::uint32_t> columns;
  NodeTable<C> table;
};

// Climbs as the notes say it, one row and one literal at a time.
template <Criterion C>
class MofNTwin {
 public:
  explicit MofNTwin(const NodeTable<C>& table) : table_{table} {
    for (const std::uint32_t column : table.columns) {
      std::vector<Code> codes;
      table.gather(column, codes);
      const Code missing = table.coded[column].n_codes;
      std::vector<Code> present = codes;
      std::erase(present, missing);
      std::ranges::sort(present);
      present.erase(std::unique(present.begin(), present.end()), present.end());
      const bool nominal = table.coded[column].kind == Kind::nominal;
      for (std::size_t i = 0; i + (nominal ? 0 : 1) < present.size(); ++i) {
        for (const bool negated : {false, true}) {
          if (nominal && negated && present.size() == 2) continue;  // x != a is x = b
          One one{column,  present[i], i + 1 < present.size() ? present[i + 1] : 0,
                  negated, nominal,    present.size() == 2,
                  {}};
          for (const Code code : codes)
            one.held.push_back(code != missing && (nominal ? code == one.code : code <= one.code) != negated);
          literals.push_back(std::move(one));
        }
      }
    }
  }

  struct One {
    std::uint32_t column;
    Code code, next;
    bool negated, nominal, one_of_two;
    std::vector<std::uint8_t> held;  // by position
  };
  struct Question {
    std::vector<std::size_t> literals;
    std::uint32_t m = 0;
    double score = -1.0;
    Fixed left_weight = 0;
  };

  std::vector<One> literals;  // in the order of ties

  std::optional<Question> best() const {
    Question here = next({});
    if (here.score < 0.0) return std::nullopt;
    Question best = here;
    for (int n_down = 0; n_down < (table_.options.m_of_n.dips ? 2 : 1);) {
      here = next(here);
      if (here.score < 0.0) break;
      ++n_down;
      if (here.score > best.score * rounding) best = here, n_down = 0;
    }
    return best;
  }

  // The best of all questions with one literal more; where literals may be taken out, also with one less or another.
  Question next(const Question& from) const {
    Question best;
    auto offer = [&](const Question& question, bool must_be_higher) {
      const auto [score, weight] = judge(question);
      if (score <= best.score || (must_be_higher && score <= from.score * rounding)) return;
      best = question, best.score = score, best.left_weight = weight;
    };
    const std::size_t n = from.literals.size();
    if (table_.options.m_of_n.deletion && n > 1) {
      std::vector<std::size_t> places(n);
      std::iota(places.begin(), places.end(), std::size_t{0});
      std::ranges::sort(places, {}, [&](std::size_t i) { return from.literals[i]; });
      for (const std::size_t i : places) {
        Question question = from;
        question.literals.erase(question.literals.begin() + static_cast<std::ptrdiff_t>(i));
        for (question.m = std::max(1u, from.m - 1); question.m <= std::min<std::size_t>(from.m, n - 1); ++question.m)
          offer(question, true);
      }
      for (std::size_t l = 0; l < literals.size(); ++l) {
        for (const std::size_t i : places) {
          Question others = from, question = from;
          others.literals.erase(others.literals.begin() + static_cast<std::ptrdiff_t>(i));
          question.literals[i] = l;
          if (literals[l].column == literals[from.literals[i]].column && may_join(others, l, from.m))
            offer(question, true);
        }
      }
    }
    for (std::size_t l = 0; n < table_.options.m_of_n.max_n && l < literals.size(); ++l) {
      for (std::uint32_t m = std::max(1u, from.m); m <= from.m + 1; ++m) {
        Question question = from;
        question.literals.push_back(l), question.m = m;
        if (may_join(from, l, m)) offer(question, false);
      }
    }
    return best;
  }

  std::pair<double, Fixed> judge(const Question& question) const {
    typename C::Sweep cut{table_.criterion, table_.node};
    for (std::size_t i = 0; i < table_.rows.size(); ++i)
      if (n_held(question, i) >= question.m) cut.pass(table_.targets.subspan(i, 1));
    if (!table_.limits.allow_size(cut, table_.node) || !cut.admissible()) return {-1.0, 0};
    return {std::max(0.0, cut.score()), cut.weight()};
  }
  std::uint32_t n_held(const Question& question, std::size_t position) const {
    std::uint32_t n = 0;
    for (const std::size_t l : question.literals) n += literals[l].held[position];
    return n;
  }

  // Not twice the same, nor a negation, nor what another implies; and among the rows that wait it must make a
  // difference.
  bool may_join(const Question& question, std::size_t l, std::uint32_t m) const {
    const One& one = literals[l];
    for (const std::size_t k : question.literals) {
      const One& other = literals[k];
      if (other.column != one.column) continue;
      if (other.code == one.code || (one.nominal ? one.one_of_two : other.negated == one.negated)) return false;
    }
    bool some = false, not_all = false;
    for (std::size_t i = 0; i < table_.rows.size(); ++i)
      if (n_held(question, i) + 1 == m) (one.held[i] ? some : not_all) = true;
    return some && not_all;
  }

 private:
  const NodeTable<C>& table_;
};

}  // namespace arboretum
