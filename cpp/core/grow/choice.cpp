#include "core/grow/choice.hpp"

#include "core/grow/chance.hpp"

namespace arboretum {

void rank_competitors(ChosenSplit& chosen, const GrowOptions& options) {
  std::erase_if(chosen.competitors, [](const Candidate& candidate) {
    return candidate.gain <= 0.0 || !beats_chance(candidate.score, candidate.by_chance);
  });
  std::ranges::stable_sort(chosen.competitors, std::ranges::greater{}, &Candidate::merit);
  if (chosen.competitors.size() > options.competitors) chosen.competitors.resize(options.competitors);
}

std::optional<ChosenSplit> choose(std::vector<std::optional<Candidate>> candidates, const Dataset& data,
                                  const GrowOptions& options) {
  struct Entrant {
    std::uint32_t column;
    double corrected, merit;
    std::optional<Candidate>* candidate;
  };
  std::vector<Entrant> entrants;
  for (auto& candidate : candidates) {
    if (!candidate) continue;
    candidate->merit = merit_of(options, candidate->column, candidate->merit);
    entrants.push_back({candidate->column, candidate->corrected, candidate->merit, &candidate});
  }
  const Entrant* winner = winner_of(std::span<const Entrant>{entrants}, data, options,
                                    [](const Entrant& entrant) { return entrant.merit; });
  if (winner == nullptr) return std::nullopt;
  ChosenSplit chosen{*std::move(*winner->candidate)};
  winner->candidate->reset();
  if (options.competitors == 0) return chosen;
  for (auto& candidate : candidates)
    if (candidate) chosen.competitors.push_back(std::move(*candidate));
  rank_competitors(chosen, options);
  return chosen;
}

}  // namespace arboretum
