// Multiway: a question about a nominal column with one answer per declared level.  (ID3: Quinlan 1986)
// Missing rows that are not left aside are a part of their own, the last child.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/questions/contest.hpp"
#include "core/sources/buckets.hpp"

namespace arboretum {

// A child per declared level, in their order, with or without rows.
inline void ask_every_level(Split& split, std::uint32_t n_levels, bool any_missing) {
  split.kind = QuestionKind::levels;
  split.missing_seen = any_missing;
  split.n_children = n_levels + (any_missing ? 1 : 0);
  for (Code level = 0; level < n_levels; ++level) split.levels.emplace_back(level, level);
}

// What a part is worth does not depend on where it stands, but rounding does: parts come in the order of the levels.
template <Criterion C>
std::optional<Split> multiway(const C& criterion, const typename C::NodeTargets& node, const Limits& limits,
                              const Buckets<typename C::Target>& buckets) {
  std::vector<typename C::Bucket> parts;
  std::size_t n_large = 0;  // parts that could be leaves of their own; two are needed for a question
  bool admissible = true;
  auto add = [&](std::span<const typename C::Target> rows) {
    parts.push_back(criterion.bucket(node, rows));
    Fixed weight = 0;
    for (const auto& row : rows) weight += row.weight;
    n_large += limits.allow_side(static_cast<Row>(rows.size()), weight);
    admissible &= criterion.admits(parts.back());
  };
  for (std::size_t b = 0; b < buckets.size(); ++b) add(buckets[b]);
  if (!buckets.missing().empty()) add(buckets.missing());
  if (n_large < 2 || !admissible) return std::nullopt;
  Split split;
  if (parts.size() == 2) {  // so that a column of two levels ties with the same column asked by a threshold
    typename C::Sweep cut{criterion, node};
    cut.pass(parts.front());
    split.score = std::max(0.0, cut.score());
  } else {
    split.score = std::max(0.0, criterion.score_parts(node, parts));
  }
  return split;
}

}  // namespace arboretum
