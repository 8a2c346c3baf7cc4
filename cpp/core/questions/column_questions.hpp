// ColumnQuestions: the best question about one column of one node, whatever its kind. Rows whose value is missing take
// part, or are left aside and the gain counts for the share of those that are known: as in rpart and in C4.5.
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/criteria/chi_square.hpp"
#include "core/grow/chance.hpp"
#include "core/grow/choice.hpp"
#include "core/grow/limits.hpp"
#include "core/options.hpp"
#include "core/questions/levels.hpp"
#include "core/questions/multiway.hpp"
#include "core/questions/threshold.hpp"
#include "core/sources/buckets.hpp"

namespace arboretum {

template <Criterion C>
class ColumnQuestions {
 public:
  using Target = typename C::Target;
  using NodeTargets = typename C::NodeTargets;

  ColumnQuestions(const C& criterion, const GrowOptions& options) : criterion_{criterion}, options_{options} {
    if constexpr (C::target == TargetKind::classes)
      if (options.choose_columns) statistic_.emplace(criterion).scoring = &ClassFunctions<ChiSquare>::table;
  }

  // `buckets` loses its missing rows where these are left aside.
  std::optional<Candidate> best(const ColumnView& column, Buckets<Target>& buckets, const NodeTargets& node,
                                const Limits& limits, Interrupt& interrupt) const {
    if (!options_.leaves_aside() || buckets.missing().empty())
      return above_chance(best_of(column, buckets, node, node, limits, interrupt));
    buckets.forget_missing();
    if (buckets.size() < 2) return std::nullopt;
    const auto known = criterion_.known(node, buckets.known());
    return above_chance(best_of(column, buckets, known, node, limits, interrupt));
  }

  // The same for so many questions, the best by score first; also those that are no better than chance, for what can
  // be asked below them may be.
  std::vector<Candidate> several(const ColumnView& column, Buckets<Target>& buckets, const NodeTargets& node,
                                 const Limits& limits, std::size_t most, Interrupt& interrupt) const {
    if (!options_.leaves_aside() || buckets.missing().empty())
      return several_of(column, buckets, node, node, limits, most, interrupt);
    buckets.forget_missing();
    if (buckets.size() < 2) return {};
    const auto known = criterion_.known(node, buckets.known());
    return several_of(column, buckets, known, node, limits, most, interrupt);
  }

  // A two-way split that was found elsewhere, with its numbers.
  std::optional<Candidate> measure(std::optional<Split> split, std::uint32_t n_cuts, const NodeTargets& known,
                                   const NodeTargets& node) const {
    if (!split) return std::nullopt;
    Candidate candidate = with_gain(std::move(*split), known, node);
    if (!options_.ratio.decides) return candidate;
    Information information = unknown(known, node);
    information.add(candidate.left_weight), information.add(known.fixed_weight() - candidate.left_weight);
    if (options_.ratio.numeric_penalty && candidate.kind == QuestionKind::threshold) {
      candidate.gain -= std::log2(static_cast<double>(n_cuts)) * options_.row_weight / node.weight();
      if (candidate.gain <= 0.0) return std::nullopt;
      candidate.corrected = candidate.gain;
    }
    return with_ratio(std::move(candidate), information);
  }

  // C4.5: each side of a cut holds a tenth of an average class, or 25 rows if that is less.
  Limits cut_limits(Limits limits, const NodeTargets& known) const {
    if constexpr (C::target == TargetKind::classes) {
      if (options_.ratio.decides && options_.ratio.numeric_penalty) {
        const double least = std::min(25.0 * options_.row_weight, 0.1 * known.weight() / criterion_.n_classes);
        limits.min_cut_weight = static_cast<Fixed>(std::ceil(least / weight_unit(known) * (1 - 1e-9)));
      }
    }
    return limits;
  }

  // A cut, from the decrease that its score stands for; nothing of that is put down to chance.
  Candidate with_gain(Split split, double decrease, double known_share) const {
    Candidate candidate{std::move(split)};
    candidate.gain = candidate.corrected = decrease * known_share;
    candidate.merit = worth_of(options_, candidate.score, candidate.gain, candidate.ratio);
    return candidate;
  }

 private:
  std::optional<Candidate> best_of(const ColumnView& column, const Buckets<Target>& buckets, const NodeTargets& known,
                                   const NodeTargets& node, const Limits& limits, Interrupt& interrupt) const {
    if (column.kind == Kind::nominal && options_.nominal == Nominal::multiway)
      return best_multiway(column, buckets, known, node, limits);
    Contest<C> contest{statistic_ ? *statistic_ : criterion_, known,
                       column.kind == Kind::nominal ? limits : cut_limits(limits, known), interrupt};
    const double chance = by_chance(column, buckets, known);
    std::optional<Split> split =
        column.kind == Kind::nominal ? best_levels(contest, buckets, node, chance) : best_threshold(contest, buckets);
    if (split && statistic_) split->score = score_of(*split, buckets, known);
    if (!split) return std::nullopt;
    split->by_chance = chance;
    complete(*split, column);
    return measure(std::move(split), contest.n_admissible(), known, node);
  }

  // What the best question about a column of levels scores by chance.
  double by_chance(const ColumnView& column, const Buckets<Target>& buckets, const NodeTargets& known) const {
    if (!corrects(options_, column)) return 0.0;
    const std::size_t n_levels = buckets.size() + (buckets.missing().empty() ? 0 : 1);
    if constexpr (requires { criterion_.by_chance(options_, known, buckets.all(), n_levels); })
      return criterion_.by_chance(options_, known, buckets.all(), n_levels);
    else return score_by_chance(options_, chance_of(criterion_, known, buckets.all()), n_levels);
  }

  // Nothing, if a question is no better than chance.
  static std::optional<Candidate> above_chance(std::optional<Candidate> found) {
    if (found && !beats_chance(found->score, found->by_chance)) found.reset();
    return found;
  }

  std::vector<Candidate> several_of(const ColumnView& column, const Buckets<Target>& buckets, const NodeTargets& known,
                                    const NodeTargets& node, const Limits& limits, std::size_t most,
                                    Interrupt& interrupt) const {
    std::vector<Candidate> measured;
    auto add = [&](std::optional<Candidate> candidate) {
      if (candidate) measured.push_back(*std::move(candidate));
    };
    // Each subset of many levels takes long to write down: there, only the best one is.
    constexpr std::size_t many_levels = 32;
    const bool is_nominal = column.kind == Kind::nominal;
    if (is_nominal && (options_.nominal == Nominal::multiway || buckets.size() > many_levels)) {
      add(best_of(column, buckets, known, node, limits, interrupt));
      return measured;
    }
    Contest<C> contest{criterion_, known, is_nominal ? limits : cut_limits(limits, known), interrupt};
    contest.keep_several(most);
    const double chance = by_chance(column, buckets, known);
    if (is_nominal) best_levels(contest, buckets, node, chance);
    else best_threshold(contest, buckets);
    for (Split& split : contest.take_several()) {
      split.by_chance = chance;
      complete(split, column);
      add(measure(std::move(split), contest.n_admissible(), known, node));
    }
    std::ranges::stable_sort(measured, std::ranges::greater{}, &Candidate::merit);
    return measured;
  }

  // The criterion's score of a split that was chosen by another measure; of levels, all those of the node are listed.
  double score_of(const Split& split, const Buckets<Target>& buckets, const NodeTargets& known) const {
    typename C::Sweep cut{criterion_, known};
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      const bool left = split.kind == QuestionKind::threshold
                            ? buckets.code(b) <= split.cut
                            : split.kind == QuestionKind::levels && split.levels[b].second == child_of(true);
      if (left) cut.pass(buckets[b]);
    }
    if (split.missing_left) cut.pass(buckets.missing());
    return std::max(0.0, cut.score());
  }

  void complete(Split& split, const ColumnView& column) const {
    if (split.kind == QuestionKind::levels && options_.nominal == Nominal::one_vs_rest &&
        options_.missing == Missing::fractional)
      answer_for_all(split, column.n_levels);
  }

  std::optional<Split> best_levels(Contest<C>& contest, const Buckets<Target>& buckets, const NodeTargets& node,
                                   double chance) const {
    NodeLevels<C> present;
    present.buckets.reserve(buckets.size());
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      present.codes.push_back(buckets.code(b));
      present.buckets.push_back(criterion_.bucket(contest.node, buckets[b]));
    }
    if (!buckets.missing().empty()) present.missing = criterion_.bucket(contest.node, buckets.missing());
    LevelQuestions<C> questions{contest, present};
    if (options_.nominal == Nominal::subset) return questions.best_subset(options_.max_exhaustive_levels);
    if (!options_.ratio.decides || contest.keeps_several()) return questions.best_one_vs_rest();
    return questions.best_one_vs_rest_by([&](Split split) {
      split.by_chance = chance;
      return measure(std::move(split), 1, contest.node, node)->ratio;
    });
  }

  // "x = v?" has an answer for every known value. Rows that are in several nodes may bring levels that no other row
  // here has.
  static void answer_for_all(Split& split, std::uint32_t n_levels) {
    Code asked = 0;
    for (const auto& [level, child] : split.levels)
      if (child == 0) asked = level;
    split.levels.clear();
    for (Code level = 0; level < n_levels; ++level) split.levels.emplace_back(level, child_of(level == asked));
  }

  std::optional<Candidate> best_multiway(const ColumnView& column, const Buckets<Target>& buckets,
                                         const NodeTargets& known, const NodeTargets& node,
                                         const Limits& limits) const {
    std::optional<Split> split = multiway(criterion_, known, limits, buckets);
    if (!split) return std::nullopt;
    split->by_chance = by_chance(column, buckets, known);
    ask_every_level(*split, column.n_levels, !buckets.missing().empty());
    Candidate candidate = with_gain(std::move(*split), known, node);
    if (!options_.ratio.decides) return candidate;
    Information information = unknown(known, node);
    auto add = [&](std::span<const Target> rows) {
      Fixed weight = 0;
      for (const Target& row : rows) weight += row.weight;
      information.add(weight);
    };
    for (std::size_t b = 0; b < buckets.size(); ++b) add(buckets[b]);
    add(buckets.missing());
    return with_ratio(std::move(candidate), information);
  }

  static Information unknown(const NodeTargets& known, const NodeTargets& node) {
    Information information;
    if (&known != &node) information.add(node.fixed_weight() - known.fixed_weight());
    return information;
  }

  Candidate with_gain(Split split, const NodeTargets& known, const NodeTargets& node) const {
    const double decrease = criterion_.decrease(split.score, known),
                 known_share = &known == &node ? 1.0 : known.weight() / node.weight();
    Candidate candidate = with_gain(std::move(split), decrease, known_share);
    if (candidate.by_chance == 0.0) return candidate;
    const double score = candidate.score - candidate.by_chance;
    candidate.corrected = criterion_.decrease(score, known) * known_share;
    candidate.merit = worth_of(options_, score, candidate.corrected, candidate.ratio);
    return candidate;
  }

  Candidate with_ratio(Candidate candidate, const Information& information) const {
    const double bits = information.bits();
    candidate.ratio = bits > 0.0 ? candidate.corrected / bits : 0.0;
    candidate.merit = candidate.ratio;  // which decides
    return candidate;
  }

  const C& criterion_;
  const GrowOptions& options_;
  std::optional<C> statistic_;  // compares the cuts of classes where a test has chosen the column
};

}  // namespace arboretum
