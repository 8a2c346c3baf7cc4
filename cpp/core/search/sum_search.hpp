// SumSearch: looks for slopes along which the responses of a node fall apart, on squares. The best of the fitted
// directions is made short; from there, and from the best single axis, coefficients climb one by one; the result is
// made short again. Each further term must be worth its price.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/interrupt.hpp"
#include "core/options.hpp"
#include "core/search/climb.hpp"
#include "core/search/directions.hpp"
#include "core/search/elimination.hpp"

namespace arboretum {

// None of these changes what a question is worth, only which ones are found.
struct ObliqueEffort {
  static constexpr std::size_t least_rows = 6;        // a smaller node asks about one column
  static constexpr std::size_t fit_rows = 20'000;     // a larger node is searched on so many rows, evenly spread
  static constexpr std::size_t climb_rows = 2'000;    // the same for climbs; what they reach is polished on the others
  static constexpr std::size_t push_rows = 100;       // a smaller node is not pushed at random
  static constexpr std::size_t rows_per_bend = 5;     // and axis: with fewer rows bends are noise
  static constexpr std::uint32_t most_responses = 8;  // classes that are fitted against the rest
  static constexpr std::uint32_t most_logistic = 2;   // those of them that least squares tells apart best
  static constexpr std::uint32_t most_bent = 3;       // responses whose bends are looked for
  static constexpr std::size_t n_leading = 2;         // discriminants, and bends of each response
  static constexpr std::size_t most_single_axes = 3;  // that a climb may start from
  static constexpr std::size_t most_finalists = 2;    // judged by the criterion
};

// What one more term must be worth, as a share of a perfect question: a hundredth of what the best ordinary question
// gains, but no less than chance finds. In a node of n rows a useless term takes about 1/n of what is left; log(n)/n
// is what the Bayesian information criterion asks for (Schwarz 1978), and more where variables were chosen among many
// (Chen and Chen 2008). The first term is free: so ordinary questions are preferred.
struct TermPrice {
  double share_to_beat = 0.0;
  double chosen_among = 1.0;  // so many for each variable there is

  double in(std::size_t n_rows) const {
    constexpr double least = 0.01;
    const auto n = static_cast<double>(n_rows);
    return std::max(least * share_to_beat, (std::log(n) + 2 * std::log(chosen_among)) / n * (1.0 - share_to_beat));
  }
};

template <class Tally>
class SumSearch {
 public:
  // At least `least_share` of the points lie on each side of a cut.
  SumSearch(const Cloud& cloud, const ObliqueOptions& options, const TermPrice& price, double least_share,
            Interrupt& interrupt)
      : cloud_{cloud},
        options_{options},
        price_{price},
        fits_{cloud, interrupt},
        all_{cloud, least_share, interrupt},
        pushes_{options.seed * 0x9e3779b97f4a7c15 + cloud.n_points()} {
    if (cloud.n_points() <= Effort::climb_rows) return;
    thin_.emplace(cloud.thinned(Effort::climb_rows));
    some_.emplace(*thin_, least_share, interrupt);
  }
  SumSearch(const SumSearch&) = delete;  // climbs look at the clouds

  std::vector<Spot> finalists() {
    std::vector<Spot> starts = best_of(ladder(best_fitted()), 1), reached;
    if (some_) reached = starts;  // a climb on some of the points may lead astray
    starts.push_back(best_axis());
    for (Spot& spot : starts) {
      climb(spot);
      std::ranges::move(ladder(spot.slope), std::back_inserter(reached));
    }
    reached = best_of(std::move(reached), Effort::most_finalists);
    for (Spot& spot : reached) drop_idle_terms(spot);
    return reached;
  }

 private:
  using Effort = ObliqueEffort;

  Climb<Tally>& quick() { return some_ ? *some_ : all_; }

  double worth(const Spot& spot) const {
    return spot.score - price_.in(cloud_.n_points()) * all_.whole() * static_cast<double>(n_terms(spot.slope));
  }
  bool is_perfect(const Spot& spot) const { return spot.score > (1 - 1e-9) * all_.whole(); }
  std::vector<Spot> best_of(std::vector<Spot> spots, std::size_t most) const {
    std::ranges::stable_sort(spots, std::greater{}, [&](const Spot& spot) { return worth(spot); });
    if (spots.size() > most) spots.resize(most);
    return spots;
  }

  std::vector<Spot> ladder(const Slope& from) {
    std::vector<Spot> spots;
    for (Slope& slope : ladder_of(fits_.inverse(), from, options_.max_terms))
      spots.push_back(all_.start(std::move(slope)));
    return spots;
  }

  void climb(Spot& spot) {
    const std::size_t n = quick().n_points();
    const std::uint32_t n_pushes = n < Effort::push_rows ? 0 : options_.restarts;
    if (some_) spot = some_->start(std::move(spot.slope));
    quick().climb(spot, {options_.sweeps, n_pushes, price_.in(n) * quick().whole()}, pushes_);
    if (!some_) return;
    spot = all_.start(std::move(spot.slope));
    all_.climb(spot, {.sweeps = 1, .price = no_entry}, pushes_);
  }

  // The steps of a ladder are wide at its top: terms that are not worth their price are dropped one by one, and the
  // others settle. Where a question leaves nothing to ask, none is dropped that would change this.
  void drop_idle_terms(Spot& spot) {
    Elimination elimination{fits_.inverse(), spot.slope};
    while (elimination.size() > n_terms(spot.slope)) elimination.drop_one();
    while (elimination.size() > 2) {
      elimination.drop_one();
      Spot next = all_.start(elimination.slope());
      all_.climb(next, {.sweeps = 1, .price = no_entry}, pushes_);
      if (worth(next) < worth(spot) || (is_perfect(spot) && !is_perfect(next))) return;
      elimination.settle(next.slope);
      spot = std::move(next);
    }
  }

  Slope best_fitted() {
    const Responses& responses = cloud_.responses;
    const std::uint32_t n_responses = std::min(responses.n_responses(), Effort::most_responses);
    Spot best{.slope = Slope(cloud_.n_axes())};
    auto try_out = [&](Slope slope) {
      if (!std::ranges::all_of(slope, [](double b) { return std::isfinite(b); })) return 0.0;
      Spot spot = all_.start(std::move(slope));
      const double score = spot.score;
      if (score > best.score) best = std::move(spot);
      return score;
    };
    std::vector<std::pair<double, std::uint32_t>> by_score;
    for (std::uint32_t r = 0; r < n_responses; ++r) by_score.emplace_back(-try_out(fits_.ridge(r)), r);
    if (responses.classes()) {
      std::ranges::sort(by_score);
      for (std::uint32_t r = 0; r < std::min(n_responses, Effort::most_logistic); ++r)
        try_out(fits_.logistic(by_score[r].second));
    }
    if (responses.n_classes > 2)
      for (Slope& slope : fits_.discriminants(Effort::n_leading)) try_out(std::move(slope));
    if (cloud_.n_points() >= Effort::rows_per_bend * cloud_.n_axes())
      for (std::uint32_t r = 0; r < std::min(n_responses, Effort::most_bent); ++r)
        for (Slope& slope : fits_.bends(r, Effort::n_leading)) try_out(std::move(slope));
    return best.slope;
  }

  // Of the axes that tell most of the responses the one with the best cut.
  Spot best_axis() {
    const std::vector<double> told = fits_.association();
    std::vector<std::size_t> order(told.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t j) { return told[j]; });
    order.resize(std::min(order.size(), Effort::most_single_axes));
    Spot best{.slope = Slope(cloud_.n_axes())};
    for (const std::size_t j : order) {
      Slope slope(cloud_.n_axes());
      slope[j] = 1.0;
      Spot spot = quick().start(std::move(slope));
      if (spot.score > best.score) best = std::move(spot);
    }
    return best;
  }

  const Cloud& cloud_;
  const ObliqueOptions& options_;
  TermPrice price_;
  Fits fits_;
  Climb<Tally> all_;
  std::optional<Cloud> thin_;
  std::optional<Climb<Tally>> some_;  // on fewer points
  Pushes pushes_;
};

}  // namespace arboretum
