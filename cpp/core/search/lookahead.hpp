// Lookahead: a question is worth what the best subtree below it gains, `depth` levels down, not what it gains alone.
// (EvaluateSplit of the notes.) Candidates are the best questions by their own gain, but every column has one. A cut
// next to a better one of the same column says nearly the same: it takes part only where all questions do.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/search/second_level.hpp"
#include "core/sources/part_search.hpp"

namespace arboretum {

template <Criterion C>
class Lookahead {
 public:
  using NodeTargets = typename C::NodeTargets;
  using Columns = std::span<const std::uint32_t>;

  Lookahead(const PartSearch<C>& search, Interrupt& interrupt)
      : search_{search},
        options_{search.options()},
        interrupt_{interrupt},
        depth_{std::min(options_.lookahead.depth, search.data().n_rows)},  // no tree of so many rows is deeper
        workers_(depth_ > 0 ? std::max(1u, options_.n_threads) : 0),
        end_{end_after(options_.lookahead.seconds)} {
    for (Worker& worker : workers_) worker.levels.resize(depth_);
  }

  // Is the time for looking ahead over?
  bool is_late() const { return end_ != Clock::time_point::max() && Clock::now() >= end_; }

  // Questions of a node that are looked behind, the best by their own gain first. Not all of them where time ends.
  std::vector<Candidate> candidates(Columns columns, const Layout<C>& layout, const NodeTargets& targets,
                                    std::vector<std::uint8_t>* varies) {
    return candidates(columns, layout, targets, varies, workers_[0].scratch, interrupt_);
  }

  // The place of the one that is worth most. Of equals it is the one that is worth most when looked at less far, for
  // it needs fewer questions; then the one that gains more at once; then the first. None if all are chance.
  std::optional<std::size_t> most_promising(const std::vector<Candidate>& candidates, const std::vector<Part>& parts,
                                            const Layout<C>& layout, const NodeTargets& targets, Columns columns,
                                            std::uint32_t depth) {
    std::vector<std::size_t> left(candidates.size());  // those that are still equal
    std::iota(left.begin(), left.end(), std::size_t{0});
    const Place here{parts, targets, columns, depth, second_level(parts, layout, targets, columns)};
    bool looked = false;
    for (std::uint32_t n_levels = depth_; n_levels > 0 && !is_late(); --n_levels) {
      if (left.size() == 1 && (n_levels < depth_ || is_gain(candidates[left.front()]))) break;
      std::vector<std::size_t> most = worth_most(candidates, left, here, n_levels);
      if (most.empty() && n_levels < depth_) break;  // looked at less far, all of them are chance
      left = std::move(most), looked = true;
      if (left.empty()) return std::nullopt;
    }
    if (!looked && !is_gain(candidates[left.front()])) return std::nullopt;
    return left.front();
  }

 private:
  static constexpr double nothing = -1.0;  // worth less than any question that may be asked

  static bool is_gain(const Candidate& candidate) { return beats_chance(candidate.score, candidate.by_chance); }
  static constexpr double tie = 1e-9;        // sums over several levels are rounded
  static constexpr double apart = 1.0 / 16;  // of the weight: so far from each other are cuts of one column

  using Clock = std::chrono::steady_clock;

  // What is needed to try the children of one node, kept from one candidate to the next.
  struct Level {
    Layout<C> layout;
    std::vector<std::uint32_t> child;
  };
  struct Worker {
    typename PartSearch<C>::Scratch scratch;
    typename SecondLevel<C>::Scratch second;
    std::vector<Level> levels;
  };
  struct Place {
    const std::vector<Part>& parts;
    const NodeTargets& targets;
    Columns columns;
    std::uint32_t depth;
    std::optional<SecondLevel<C>> second;  // where it can serve
  };

  std::optional<SecondLevel<C>> second_level(const std::vector<Part>& parts, const Layout<C>& layout,
                                             const NodeTargets& targets, Columns columns) const {
    if (!SecondLevel<C>::can_serve(options_)) return std::nullopt;
    return SecondLevel<C>{search_, parts, layout.targets(), targets, columns};
  }

  // Those of the candidates at these places that are worth most, equals included.
  std::vector<std::size_t> worth_most(const std::vector<Candidate>& candidates, const std::vector<std::size_t>& places,
                                      const Place& here, std::uint32_t n_levels) {
    std::vector<double> worths(places.size(), nothing);
    std::atomic<double> most = nothing;
    const unsigned n_workers = here.parts.size() * here.columns.size() < 2'000 ? 1 : options_.n_threads;
    share(n_workers, places.size(), [&](std::size_t i, unsigned worker) {
      Interrupt never;  // threads have nobody to ask
      Interrupt& interrupt = worker == 0 ? interrupt_ : never;
      if (i > 0 && is_late()) return;
      const Candidate& candidate = candidates[places[i]];
      worths[i] = worth(candidate, here, n_levels, most.load(), workers_[worker], interrupt);
      if (worths[i] <= 0.0 && !is_gain(candidate)) worths[i] = nothing;
      double known = most.load();
      while (worths[i] > known && !most.compare_exchange_weak(known, worths[i])) {
      }
    });
    std::vector<std::size_t> equal;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (worths[i] > nothing && worths[i] * (1 + tie) >= most.load()) equal.push_back(places[i]);
    return equal;
  }

  static Clock::time_point end_after(double seconds) {
    if (!(seconds < 1e9)) return Clock::time_point::max();
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>{seconds});
  }

  std::vector<Candidate> candidates(Columns columns, const Layout<C>& layout, const NodeTargets& targets,
                                    std::vector<std::uint8_t>* varies, typename PartSearch<C>::Scratch& scratch,
                                    Interrupt& interrupt) const {
    std::vector<Candidate> best, others;
    if (varies != nullptr) varies->assign(columns.size(), 0);
    const bool all = options_.lookahead.top == std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = 0; i < columns.size() && !is_late(); ++i) {
      interrupt.poll();
      bool any = false;
      const std::size_t most = all ? std::numeric_limits<std::size_t>::max() : 64 * std::size_t{16};
      std::vector<Candidate> own = search_.several(columns[i], layout, targets, most, scratch, any, interrupt);
      if (varies != nullptr) (*varies)[i] = any;
      if (!all) thin(own, targets);
      for (std::size_t c = 0; c < own.size(); ++c) (c == 0 ? best : others).push_back(std::move(own[c]));
    }
    rank(others);
    const std::size_t room = options_.lookahead.top > best.size() ? options_.lookahead.top - best.size() : 0;
    if (others.size() > room) others.resize(room);
    std::ranges::move(others, std::back_inserter(best));
    rank(best);
    return best;
  }

  static void rank(std::vector<Candidate>& candidates) {
    std::ranges::stable_sort(candidates, std::ranges::greater{}, &Candidate::merit);
  }

  // Passes over cuts that lie next to a better one.
  static void thin(std::vector<Candidate>& own, const NodeTargets& targets) {
    const auto least = static_cast<Fixed>(apart * static_cast<double>(targets.fixed_weight()));
    std::vector<Candidate> kept;
    for (Candidate& candidate : own) {
      const bool crowded = std::ranges::any_of(kept, [&](const Candidate& other) {
        return other.kind == QuestionKind::threshold && candidate.kind == QuestionKind::threshold &&
               distance(other.left_weight, candidate.left_weight) < least;
      });
      if (!crowded) kept.push_back(std::move(candidate));
    }
    own = std::move(kept);
  }

  // The gain of the best subtree that begins with this question, or less if that cannot exceed `to_beat`.
  double worth(const Candidate& question, const Place& here, std::uint32_t n_levels, double to_beat, Worker& worker,
               Interrupt& interrupt) const {
    Level& level = worker.levels[n_levels - 1];
    search_.answer(here.parts, question, level.child);
    const bool divided = std::ranges::find(level.child, question.n_children) != level.child.end();
    if (n_levels == 1 && here.second && question.n_children == 2 && !divided)
      return question.corrected +
             here.second->gain_below(level.child, here.depth, question.corrected, to_beat, worker.second, interrupt);
    double sum = question.corrected;
    for (const std::vector<Part>& parts : search_.divide(here.parts, level.child, question.n_children)) {
      if (parts.empty()) continue;
      const NodeTargets targets = search_.open(parts, level.layout);
      if (search_.must_stop(parts, targets, here.depth + 1)) continue;
      sum += targets.weight() / here.targets.weight() *
             gain_below(parts, targets, here, level.layout, n_levels, worker, interrupt);
    }
    return sum;
  }

  // What the best question of a child gains, or the best subtree where that is to be looked for.
  double gain_below(const std::vector<Part>& parts, const NodeTargets& targets, const Place& above,
                    const Layout<C>& layout, std::uint32_t n_levels, Worker& worker, Interrupt& interrupt) const {
    double most = 0.0;
    if (n_levels == 1) {
      for (const std::uint32_t column : above.columns) {
        interrupt.poll();
        bool varies = false;
        const auto found = search_.best(column, layout, targets, {}, worker.scratch, varies, interrupt);
        if (found) most = std::max(most, found->corrected);
      }
      return most;
    }
    const std::vector<Candidate> questions =
        candidates(above.columns, layout, targets, nullptr, worker.scratch, interrupt);
    const Place here{parts, targets, above.columns, above.depth + 1,
                     second_level(parts, layout, targets, above.columns)};
    for (const Candidate& question : questions) {
      if (is_late()) break;
      most = std::max(most, worth(question, here, n_levels - 1, most, worker, interrupt));
    }
    return most;
  }

  const PartSearch<C>& search_;
  const GrowOptions& options_;
  Interrupt& interrupt_;
  std::uint32_t depth_;
  std::vector<Worker> workers_;
  Clock::time_point end_;
};

}  // namespace arboretum
