// Threshold: x <= t. The buckets are taken in the order of their values; a cut lies between two neighbours.
// Missing rows are tried on both sides: `apart` leaves them on the right, `along` takes them to the left.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "core/options.hpp"
#include "core/questions/contest.hpp"
#include "core/sources/buckets.hpp"
#include "core/sources/sorted_column.hpp"

namespace arboretum {

template <Criterion C>
std::optional<Split> best_threshold(Contest<C>& contest, const Buckets<typename C::Target>& buckets) {
  typename C::Sweep apart{contest.criterion, contest.node}, along{contest.criterion, contest.node};
  const bool any_missing = !buckets.missing().empty();
  if (any_missing) along.pass(buckets.missing());
  for (std::size_t b = 0; b + 1 < buckets.size(); ++b) {
    auto describe = [&](bool missing_left) {
      return [&, missing_left](Split& split) {
        split.kind = QuestionKind::threshold;
        split.missing_left = missing_left, split.missing_seen = any_missing;
        split.cut = buckets.code(b), split.next = buckets.code(b + 1);
      };
    };
    apart.pass(buckets[b]);
    contest.offer(apart, describe(false));
    if (!any_missing) continue;
    along.pass(buckets[b]);
    contest.offer(along, describe(true));
  }
  if (any_missing) offer_missing(contest, buckets.missing());
  return contest.take_best();
}

// Some criteria find the worth of all cuts of a column at once. To that end they keep the rows of every node in the
// order of their targets.
template <class C>
concept Foresees = requires { typename C::Foresight; };

struct NoForesight {};
template <class C>
struct ForesightOf {
  using type = NoForesight;
};
template <Foresees C>
struct ForesightOf<C> {
  using type = typename C::Foresight;
};

// The same for rows in the order of their values, where the criterion can foresee all cuts at once, `apart` and
// `along`. False, and nothing is offered, if it cannot do so in this node.
template <Criterion C>
  requires Foresees<C>
bool offer_foreseen(Contest<C>& contest, std::span<const SortedRow> rows, Code missing_code,
                    typename C::Foresight& apart, typename C::Foresight& along) {
  using Missing = typename C::Foresight::Missing;
  const auto n_present =
      static_cast<Row>(std::ranges::lower_bound(rows, missing_code, {}, &SortedRow::code) - rows.begin());
  const Row n_missing = static_cast<Row>(rows.size()) - n_present;
  if (!apart.foresee(contest.node, rows, n_missing, Missing::right, contest.wants_values())) return false;
  if (n_missing > 0 && !along.foresee(contest.node, rows, n_missing, Missing::left, contest.wants_values()))
    return false;
  Wide best = -1;  // the largest gain that the contest has taken; who does not exceed it need not be shown
  auto offer = [&](const auto& cuts, Row n, bool missing_left) {
    if (cuts.gain(n) <= best) return;
    contest.offer(cuts.cut(n), [&](Split& split) {
      split.kind = QuestionKind::threshold;
      split.missing_left = missing_left, split.missing_seen = n_missing > 0;
      split.cut = rows[n - 1].code, split.next = rows[n].code;
      best = cuts.gain(n);
    });
  };
  for (Row n = 1; n < n_present; ++n) {
    if (rows[n - 1].code == rows[n].code) continue;
    offer(apart, n, false);
    if (n_missing > 0) offer(along, n, true);
  }
  if (n_missing > 0) contest.offer_unordered(along.cut(0), ask_missing);
  return true;
}

}  // namespace arboretum
