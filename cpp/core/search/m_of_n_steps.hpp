// Steps: the questions "at least m of n literals" that are one step away from a given one, and what they are worth.
// Where `count` literals of a question hold on a row, a new literal l leads to
//   m of n + 1      rows with count >= m, and those with count = m - 1 on which l holds
//   m + 1 of n + 1  rows with count >= m + 1, and those with count = m on which l holds
// The first rows of each line are sure of their answer; the others are the margin. Its edge, the margin in the order
// of a column, lets one walk judge all cuts of that column.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "core/search/block_bound.hpp"
#include "core/search/literals.hpp"

namespace arboretum {

// At least m of these literals hold.
struct AtLeast {
  std::uint32_t m = 0;
  std::vector<Literal> literals{};
  double score = 0.0;
  Fixed left_weight = 0;  // of the rows answered yes
};

struct MofNStep {
  double score = 0.0;      // of the question that it leads to
  std::uint32_t from = 0;  // the place of the question that it leaves
  std::optional<Literal> in{}, out{};
  std::uint32_t m = 0;
  Fixed left_weight = 0;

  // One order for ties: the shorter question, then the order of columns, cuts, negation and m.
  bool comes_before(const MofNStep& other) const {
    if (score != other.score) return score > other.score;
    auto order = [](const MofNStep& step) {
      return std::tuple{step.from, int{step.in.has_value()} - int{step.out.has_value()}, step.in, step.out, step.m};
    };
    return order(*this) < order(other);
  }
};

template <Criterion C>
class MofNSteps {
 public:
  using Sweep = typename C::Sweep;
  using Target = typename C::Target;
  using Count = std::uint16_t;
  static constexpr std::size_t most_literals = std::numeric_limits<Count>::max() - 1;

  explicit MofNSteps(const NodeTable<C>& table)
      : table_{table}, columns_{table}, counts_(table.rows.size()), bound_{table.node} {}

  // Steps to questions that are worth less need not be offered.
  void ignore_below(double score) { to_beat_ = score; }

  const NodeColumns& columns() const { return columns_; }

  // Calls offer(step) for every step that brings a literal in; of the cuts of one column in one direction for the best.
  // From the question without literals these are the literals alone.
  template <class Offer>
  void bring_in(const AtLeast& question, Offer&& offer) {
    count(question);
    margins_.clear();
    if (question.m > 0) margins_.push_back(margin(question.m));
    margins_.push_back(margin(question.m + 1));
    for (std::uint32_t place = 0; place < columns_.size(); ++place) offer_column(question, place, offer);
  }

  // The same for steps that take one out, or put another about the same column in its stead.
  template <class Offer>
  void take_out(const AtLeast& question, Offer&& offer) {
    const auto n = static_cast<std::uint32_t>(question.literals.size());
    if (n < 2) return;
    count(question);
    for (const Literal& literal : question.literals) {
      const NodeColumn& column = columns_[literal.column];
      column.for_each_held(literal, [&](Row position) { --counts_[position]; });
      auto offer_without = [&](MofNStep step) { step.out = literal, offer(step); };
      for (std::uint32_t m = std::max(1u, question.m - 1); m <= std::min(question.m, n - 1); ++m)
        judge(margin(m).sure, {.m = m}, offer_without);
      AtLeast others = question;
      std::erase(others.literals, literal);
      margins_.clear();
      margins_.push_back(margin(question.m));
      offer_column(others, literal.column, offer_without);
      column.for_each_held(literal, [&](Row position) { ++counts_[position]; });
    }
  }

  // Of every row, by position: is the answer yes?
  void answer(const AtLeast& question, std::vector<std::uint8_t>& yes) {
    count(question);
    yes.resize(counts_.size());
    for (std::size_t i = 0; i < counts_.size(); ++i) yes[i] = counts_[i] >= question.m;
  }

  // "Fewer than m of n hold" is "at least n - m + 1 of their negations hold", if no value is missing.
  bool has_complement(const AtLeast& question) const {
    return std::ranges::all_of(question.literals, [&](const Literal& literal) {
      return columns_[literal.column].known.size() == table_.rows.size();
    });
  }

  // The question with its worth.
  AtLeast measured(AtLeast question) {
    count(question);
    const Sweep cut = margin(question.m).sure;
    question.score = worth(cut), question.left_weight = cut.weight();
    return question;
  }

 private:
  // A question with `m` literals asked for: rows on which one less holds wait for the new literal.
  struct Margin {
    std::uint32_t m = 0;
    Sweep sure;
    Row n_rows = 0;  // that wait
  };
  // The rows of a margin whose value of one column is known, in the order of their codes.
  struct Edge {
    std::vector<SortedRow> rows{};
    std::vector<Target> targets{};
    std::size_t n_rows = 0;
    bool all_known = true;
    std::vector<std::size_t> begins{};  // of the runs of equal codes; then the end

    std::size_t n_runs() const { return begins.size() - 1; }
    Code code(std::size_t run) const { return rows[begins[run]].code; }
    std::span<const Target> runs(std::size_t first, std::size_t last) const {
      return {targets.data() + begins[first], targets.data() + begins[last + 1]};
    }
    std::span<const Target> run(std::size_t i) const { return runs(i, i); }
    std::span<const Target> all() const { return {targets.data(), n_rows}; }
  };

  void count(const AtLeast& question) {
    std::ranges::fill(counts_, Count{0});
    for (const Literal& literal : question.literals)
      columns_[literal.column].for_each_held(literal, [&](Row position) { ++counts_[position]; });
  }

  Margin margin(std::uint32_t m) const {
    Margin margin{m, Sweep{table_.criterion, table_.node}};
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] >= m) margin.sure.pass(table_.targets.subspan(i, 1));
      margin.n_rows += counts_[i] + 1u == m;
    }
    return margin;
  }

  template <class Offer>
  void offer_column(const AtLeast& question, std::uint32_t place, Offer& offer) {
    table_.interrupt.poll();
    for (const Margin& margin : margins_) {
      collect_edge(columns_[place], margin);
      if (edge_.n_rows == 0) continue;
      if (columns_[place].nominal) {
        offer_levels(question, place, margin, offer);
      } else {
        offer_cuts(question, place, false, margin, offer);
        offer_cuts(question, place, true, margin, offer);
      }
    }
  }

  void collect_edge(const NodeColumn& column, const Margin& margin) {
    edge_.rows.resize(table_.rows.size()), edge_.targets.resize(table_.rows.size());
    const std::uint32_t count = margin.m - 1;
    std::size_t n = 0;
    for (const SortedRow row : column.known) {
      // Every row is written, and written over unless it belongs here: no processor foresees which do.
      edge_.rows[n] = row;
      n += counts_[row.position] == count;
    }
    edge_.begins.resize(n + 1);
    std::size_t n_runs = 0;
    for (std::size_t i = 0; i < n; ++i) {
      edge_.targets[i] = table_.targets[edge_.rows[i].position];
      edge_.begins[n_runs] = i;
      n_runs += i == 0 || edge_.rows[i].code != edge_.rows[i - 1].code;
    }
    edge_.begins[n_runs] = n;
    edge_.begins.resize(n_runs + 1);
    edge_.n_rows = n, edge_.all_known = n == margin.n_rows;
  }

  // A literal that holds on all rows of the edge, or on none, would only change m: it is not tried.
  template <class Offer>
  void offer_cuts(const AtLeast& question, std::uint32_t place, bool negated, const Margin& margin, Offer& offer) {
    const NodeColumn& column = columns_[place];
    const Edge& edge = edge_;
    std::optional<Code> opposite;  // where the literal in the other direction cuts: this must not be its negation
    for (const Literal& other : question.literals) {
      if (other.column != place) continue;
      if (other.negated == negated) return;  // one of the two would imply the other
      opposite = other.code;
    }
    Sweep cut = margin.sure;
    MofNStep best{.score = -1.0, .in = Literal{place, 0, negated}, .m = margin.m};
    const std::size_t n = edge.n_runs(), n_cuts = edge.all_known ? n - 1 : n;
    for (std::size_t i = 0; i < n_cuts; ++i) {
      const std::size_t run = negated ? n - 1 - i : i;
      if (i % bound_.length() == 0 && i + bound_.length() <= n_cuts) {
        const std::size_t last = negated ? run + 1 - bound_.length() : run + bound_.length() - 1;
        if (bound_.passes(cut, edge.runs(std::min(run, last), std::max(run, last)), std::max(best.score, to_beat_))) {
          i += bound_.length() - 1;
          continue;
        }
      }
      cut.pass(edge.run(run));
      // All cuts between these codes are the same to the edge; the first of them is taken.
      Code low = edge.code(run), high = low;
      if (negated) low = run > 0 ? edge.code(run - 1) : column.lowest();
      else high = run + 1 < n ? edge.code(run + 1) : column.highest();
      if (low == opposite && low < high) low = column.next(low);
      if (low >= high || !is_allowed(cut)) continue;
      const double score = worth(cut);
      if (score < best.score || (score == best.score && !negated)) continue;  // the walk from above meets low cuts last
      best.score = score, best.left_weight = cut.weight(), best.in->code = low;
    }
    if (best.score >= 0.0) offer(best);
  }

  template <class Offer>
  void offer_levels(const AtLeast& question, std::uint32_t place, const Margin& margin, Offer& offer) const {
    const NodeColumn& column = columns_[place];
    const Edge& edge = edge_;
    const bool two = column.has_two_codes();  // then x != a is x = b, and the latter reads better
    auto is_free = [&](Code level) {
      return std::ranges::none_of(question.literals, [&](const Literal& other) {
        return other.column == place && (two || other.code == level);
      });
    };
    const std::size_t n = edge.n_runs();
    Sweep none = margin.sure, all = margin.sure;
    all.pass(edge.all());
    for (std::size_t run = 0; run < n; ++run) {
      const Code level = edge.code(run);
      if (!is_free(level)) continue;
      const auto bucket = table_.criterion.bucket(table_.node, edge.run(run));
      if (n > 1 || !edge.all_known) {
        none.pass(bucket);
        judge(none, {.in = Literal{place, level, false}, .m = margin.m}, offer);
        none.take_back(bucket);
      }
      if (n > 1 && !two) {
        all.take_back(bucket);
        judge(all, {.in = Literal{place, level, true}, .m = margin.m}, offer);
        all.pass(bucket);
      }
    }
    if (edge.all_known || two) return;
    // x != v of a level beyond the edge holds wherever the value is known.
    std::size_t run = 0;
    for (Code level = column.lowest();; level = column.next(level)) {
      while (run < n && edge.code(run) < level) ++run;
      if ((run == n || edge.code(run) != level) && is_free(level)) {
        judge(all, {.in = Literal{place, level, true}, .m = margin.m}, offer);
        return;
      }
      if (level == column.highest()) return;
    }
  }

  template <class Offer>
  void judge(const Sweep& cut, MofNStep step, Offer&& offer) const {
    if (!is_allowed(cut)) return;
    step.score = worth(cut), step.left_weight = cut.weight();
    offer(step);
  }
  bool is_allowed(const Sweep& cut) const { return table_.limits.allow_size(cut, table_.node) && cut.admissible(); }
  static double worth(const Sweep& cut) { return std::max(0.0, cut.score()); }

  const NodeTable<C>& table_;
  NodeColumns columns_;
  std::vector<Count> counts_;  // by position: how many literals of the question at hand hold
  std::vector<Margin> margins_;
  Edge edge_;  // scratch
  BlockBound<C> bound_;
  double to_beat_ = 0.0;  // what is worth less need not be found
};

}  // namespace arboretum
