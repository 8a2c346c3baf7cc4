// m-of-n: the best question "at least m of: …" of a node, by climbing from its best literal.
// (ID2-of-3, Murphy and Pazzani 1991: the operators m-of-(n+1) and (m+1)-of-(n+1).)
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/grow/choice.hpp"
#include "core/grow/split.hpp"
#include "core/search/m_of_n_steps.hpp"

namespace arboretum {

inline bool is_higher(double score, double than) { return better(score, than, rounding); }

// The best questions offered, no two of which divide the rows alike.
class Beam {
 public:
  using Division = std::vector<std::uint8_t>;  // by position: 1 for the rows that are answered otherwise than the first

  explicit Beam(std::size_t size) : size_{std::max<std::size_t>(1, size)} {}

  bool has_room_for(const MofNStep& step) const {
    return members_.size() < size_ || step.comes_before(members_.back().step);
  }
  void add(const MofNStep& step, AtLeast question, Division division) {
    const auto same = std::ranges::find(members_, division, &Member::division);
    if (same != members_.end()) {
      if (!step.comes_before(same->step)) return;
      members_.erase(same);
    }
    const auto place =
        std::ranges::find_if(members_, [&](const Member& other) { return step.comes_before(other.step); });
    members_.insert(place, {step, std::move(question), std::move(division)});
    if (members_.size() > size_) members_.pop_back();
  }
  std::vector<AtLeast> take_questions() {
    std::vector<AtLeast> questions;
    for (Member& member : members_) questions.push_back(std::move(member.question));
    return questions;
  }

 private:
  struct Member {
    MofNStep step;
    AtLeast question;
    Division division;
  };
  std::size_t size_;
  std::vector<Member> members_;
};

template <Criterion C>
class MofNClimb {
 public:
  explicit MofNClimb(const NodeTable<C>& table) : options_{table.options.m_of_n}, steps_{table} {}

  // The best question, of one literal if no longer one is better. Calls see(question) for each new best on the way.
  // Where m of n is right, neither m nor m + 1 of n + 1 need be better, though m + 1 of n + 2 is: so one step may lead
  // down, if the next leads higher than ever.
  template <class See>
  std::optional<AtLeast> best(See&& see) {
    std::vector<AtLeast> beam = next({AtLeast{}});
    if (beam.empty()) return std::nullopt;
    AtLeast best = beam.front();
    see(best);
    for (bool has_risen = true;;) {
      beam = next(beam);
      const bool rises = !beam.empty() && is_higher(beam.front().score, best.score);
      if (beam.empty() || !(rises || (has_risen && options_.dips))) return best;
      if (rises) best = beam.front(), see(best);
      has_risen = rises;
    }
  }

  // The same question, or what its complement asks, whichever names more signs that are there rather than absent.
  AtLeast positive(const AtLeast& question) {
    int absent = 0;
    for (const Literal& literal : question.literals) absent -= columns()[literal.column].sign_of(literal);
    if (absent <= 0 || !steps_.has_complement(question)) return question;
    AtLeast other{.m = static_cast<std::uint32_t>(question.literals.size()) + 1 - question.m};
    for (const Literal& literal : question.literals)
      other.literals.push_back(columns()[literal.column].negation(literal));
    return steps_.measured(std::move(other));
  }

  const NodeColumns& columns() const { return steps_.columns(); }

  Split split(const AtLeast& question) const {
    Split split{.score = question.score, .kind = QuestionKind::at_least};
    for (const Literal& literal : question.literals) split.terms.push_back(columns()[literal.column].term(literal));
    split.column = split.terms.front().column, split.bound = question.m;
    split.left_weight = question.left_weight;
    return split;
  }

 private:
  // The best questions that are one step away from those of the beam.
  std::vector<AtLeast> next(const std::vector<AtLeast>& beam) {
    Beam found{options_.beam};
    for (std::uint32_t from = 0; from < beam.size(); ++from) {
      for (const MofNStep& step : best_steps(beam[from], from)) {
        if (!found.has_room_for(step)) continue;
        AtLeast question = after(step, beam[from]);
        Beam::Division division = options_.beam > 1 ? division_by(question) : Beam::Division{};
        found.add(step, std::move(question), std::move(division));
      }
    }
    return found.take_questions();
  }

  // For a beam of one the best alone; else all, best first.
  std::vector<MofNStep> best_steps(const AtLeast& question, std::uint32_t from) {
    std::vector<MofNStep> best;
    auto keep = [&](MofNStep step) {
      step.from = from;
      if (options_.beam > 1 || best.empty()) best.push_back(step);
      else if (step.comes_before(best.front())) best.front() = step;
      if (options_.beam <= 1) steps_.ignore_below(best.front().score);
    };
    steps_.ignore_below(0.0);
    const std::size_t most = std::min<std::size_t>(options_.max_n, MofNSteps<C>::most_literals);
    if (question.literals.size() < most) steps_.bring_in(question, keep);
    if (options_.deletion) {
      steps_.take_out(question, [&](const MofNStep& step) {
        if (is_higher(step.score, question.score)) keep(step);  // the way down leads to longer questions
      });
    }
    std::ranges::sort(best, [](const MofNStep& a, const MofNStep& b) { return a.comes_before(b); });
    return best;
  }

  static AtLeast after(const MofNStep& step, AtLeast question) {
    if (!step.out) question.literals.push_back(*step.in);
    else if (!step.in) std::erase(question.literals, *step.out);
    else std::ranges::replace(question.literals, *step.out, *step.in);
    question.m = step.m, question.score = step.score, question.left_weight = step.left_weight;
    return question;
  }

  // The same for a question and its complement: they would climb side by side, always each the complement of the other.
  Beam::Division division_by(const AtLeast& question) {
    Beam::Division division;
    steps_.answer(question, division);
    const std::uint8_t first = division.front();
    for (std::uint8_t& answer : division) answer = answer != first;
    return division;
  }

  const MofNOptions& options_;
  MofNSteps<C> steps_;
};

// The best question "at least m of: …" that is worth more than `to_beat` (a score of the same node), if there is one.
template <Criterion C>
std::optional<Split> best_m_of_n(const NodeTable<C>& table, double to_beat) {
  MofNClimb<C> climb{table};
  const std::optional<AtLeast> best = climb.best([](const AtLeast&) {});
  if (!best || best->literals.size() < 2 || !is_higher(best->score, to_beat)) return std::nullopt;
  return climb.split(climb.positive(*best));
}

}  // namespace arboretum
