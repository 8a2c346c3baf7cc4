// Oblique: the best question about a sum of several columns, "0.8 a - 1.2 b <= 3.1". SumSearch finds where to look, on
// squares and, in large nodes, on some of the rows. What is found is rounded and judged by the criterion, on all rows
// and exactly as it will be asked; it must be worth the price of its terms.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/grow/choice.hpp"
#include "core/grow/split.hpp"
#include "core/questions/term.hpp"
#include "core/search/cloud.hpp"
#include "core/search/node_table.hpp"
#include "core/search/projection.hpp"
#include "core/search/responses.hpp"
#include "core/search/sum_search.hpp"
#include "core/search/sum_terms.hpp"
#include "core/search/variables.hpp"

namespace arboretum {

template <Criterion C>
class ObliqueSearch {
 public:
  // `to_beat` and `whole` are scores: of the best ordinary question, and of a perfect one.
  ObliqueSearch(const NodeTable<C>& table, double to_beat, double whole)
      : table_{table},
        to_beat_{std::max(to_beat, 0.0)},
        whole_{whole},
        sample_{even_sample(table.targets.size(), ObliqueEffort::fit_rows)},
        projection_{table, sample_} {}

  std::optional<Split> best() {
    cloud_.responses = responses_of(table_, sample_);
    VariableList list = variables_of(table_, sample_, cloud_.responses);
    const TermPrice price{to_beat_ / whole_, list.offered_for_each()};
    variables_ = list.take();
    if (variables_.size() < 2) return std::nullopt;
    for (Variable& variable : variables_) cloud_.axes.push_back(std::move(variable.values));
    price_ = price.in(table_.targets.size());
    const double least_share =
        static_cast<double>(table_.limits.min_leaf_rows) / static_cast<double>(table_.targets.size());
    SumSearch<Tally> search{cloud_, table_.options.oblique, price, least_share, table_.interrupt};
    const std::optional<Question> question = best_judged(search.finalists());
    if (!question) return std::nullopt;
    std::optional<Split> split = told(*question);
    if (!split || !(better(split->score, to_beat_, rounding))) return std::nullopt;
    const double gain = (split->score - to_beat_) / whole_;
    return gain > price_ * static_cast<double>(split->terms.size() - 1) ? std::move(split) : std::nullopt;
  }

 private:
  using Tally = std::conditional_t<C::target == TargetKind::classes, ClassTally, NumberTally>;

  struct Question {
    Slope slope;
    double share;
  };

  std::optional<Question> best_judged(std::vector<Spot> spots) {
    constexpr double hair = 1e-12;
    std::optional<Question> best;
    auto worth = [&](const Question& q) { return q.share - price_ * static_cast<double>(n_terms(q.slope)); };
    for (Spot& spot : spots) {
      const std::vector<double> sums = cloud_.project(spot.slope);
      double reach = 0.0;
      for (const double sum : sums) reach = std::max(reach, std::abs(sum));
      const std::optional<SumCut> cut = projection_.best_cut(sums, hair * reach);
      if (!cut) continue;
      Question question{std::move(spot.slope), cut->score / projection_.whole()};
      if (!best || worth(question) > worth(*best)) best = std::move(question);
    }
    return best;
  }

  // The question as it will be asked, with as few digits as it can be.
  std::optional<Split> told(const Question& question) {
    constexpr double may_lose = 1e-3;  // of what is left
    Projection<C> all{table_};
    std::optional<Split> best;
    double least = question.share;
    if (sample_.size() < table_.targets.size()) {
      best = told(question.slope, all_digits, all);
      least = best ? best->score / whole_ : 0.0;
    }
    least -= may_lose * std::max(1.0 - least, 0.0);
    for (const int digits : {3, 4, 5, 6, 8, 11, all_digits}) {
      std::optional<Split> split = told(question.slope, digits, all);
      if (split && split->score / whole_ >= least) return split;
      if (split && (!best || better(split->score, best->score))) best = std::move(split);
    }
    return best;
  }

  std::optional<Split> told(const Slope& slope, int digits, Projection<C>& all) const {
    constexpr double hair = 1e-14;
    auto [terms, reach] = terms_of(variables_, slope, digits);
    if (terms.size() < 2) return std::nullopt;
    std::vector<double> sums;
    sums.reserve(table_.rows.size());
    for (const Row row : table_.rows) sums.push_back(sum_of(terms, table_.data, row));
    const std::optional<SumCut> cut = all.best_cut(sums, hair * reach);
    if (!cut) return std::nullopt;
    Split split{.score = cut->score, .kind = QuestionKind::linear, .left_weight = cut->left_weight};
    split.column = terms.front().column, split.terms = std::move(terms);
    split.bound = bound_between(cut->low, cut->high, table_.options.thresholds);
    return split;
  }

  const NodeTable<C>& table_;
  double to_beat_, whole_;
  double price_ = 0.0;       // of a term, as a share
  std::vector<Row> sample_;  // positions of the rows that are searched
  Projection<C> projection_;
  std::vector<Variable> variables_;
  Cloud cloud_{};
};

// The best question about a sum that is worth more than `to_beat` (a score of the same node), if there is one.
template <Criterion C>
std::optional<Split> best_oblique(const NodeTable<C>& table, double to_beat) {
  constexpr double nearly = 1 - 1e-9;
  if (table.targets.size() < ObliqueEffort::least_rows || table.criterion.homogeneous(table.node)) return std::nullopt;
  const double whole = whole_score(table.criterion, table.node, table.targets);
  if (!(whole > 0.0) || !std::isfinite(whole) || to_beat >= nearly * whole) return std::nullopt;
  return ObliqueSearch<C>{table, to_beat, whole}.best();
}

}  // namespace arboretum
