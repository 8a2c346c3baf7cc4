"""Order within queries as targets and weights of rows, so that growth by squared error finds the order.

A criterion of pairs is expanded to second order around equal scores: a pair (i, j) in which i is the more
relevant row costs w · ln(1 + exp(s_j - s_i)), whose slope there is w / 2 and whose curvature is w / 4. Over
its pairs, a row has the slope g and the curvature h; the target g / h with the weight h makes the
decrease of squared error twice the gain of a Newton step. docs/ranking.md has the formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from arboretum._data.queries import Queries
from arboretum._options.measures.of_order import NDCG, Ranking, above_lowest, discounts
from arboretum._types import Indices, Mask, Numbers

_PLACES: Final = 10  # that NDCG counts


def telling_rows(criterion: str, relevance: Numbers, queries: Queries) -> Mask:
    """Return the rows that say something about an order; all of them if none does."""
    if criterion == "within_query":
        telling = queries.sizes > 1
    else:
        telling = queries.sums(above_lowest(relevance, queries)) > 0
    found = telling[queries.numbers] if telling.any() else np.ones(len(relevance))
    return np.asarray(found, dtype=np.bool_)


def order_targets(
    criterion: str, relevance: Numbers, weights: Numbers | None, queries: Queries
) -> tuple[Numbers, Numbers | None]:
    """Return a target for each row, and what the row weighs; all must say something, or none."""
    return _TARGETS[criterion](relevance, weights, queries)


def _centred(relevance: Numbers, weights: Numbers | None, queries: Queries) -> tuple[Numbers, Numbers | None]:
    """Return the distances from the mean of the query."""
    # In order of size, so that sums do not depend on the order of the rows.
    weight = np.ones(len(relevance)) if weights is None else weights
    order = np.lexsort((weight, relevance, queries.numbers))
    begins = np.cumsum(queries.sizes) - queries.sizes
    lowest = relevance[order][begins]
    above = relevance - lowest[queries.numbers]
    sums = np.add.reduceat((weight * above)[order], begins)
    totals = np.add.reduceat(weight[order], begins)
    return above - (sums / totals)[queries.numbers], weights


def _pairwise(
    relevance: Numbers, weights: Numbers | None, queries: Queries
) -> tuple[Numbers, Numbers | None]:
    """Return twice the net share of pairs that each row should win, and its pairs' share of the query."""
    weight = np.ones(len(relevance)) if weights is None else weights
    below, above = _weight_beside(relevance, weight, queries)
    if not (below + above).any():
        return np.zeros(len(relevance)), weights
    pairs = weight * (below + above)
    share = (queries.sums(weight) / queries.sums(pairs))[queries.numbers]
    return 2.0 * (below - above) / (below + above), pairs * share


def _ndcg(relevance: Numbers, weights: Numbers | None, queries: Queries) -> tuple[Numbers, Numbers | None]:
    """Return the same with pairs that count by what a swap changes NDCG.

    Among rows without an order all places are as likely, so that a swap of rows i and j changes DCG by
    |gain_i - gain_j| times the mean difference of two discounts of the query.
    """
    weight = np.ones(len(relevance)) if weights is None else weights
    gain = above_lowest(relevance, queries)
    if not gain.any():
        return np.zeros(len(relevance)), weights
    totals, counting = queries.sums(weight), weight / queries.means(weight)[queries.numbers]
    ideal = NDCG(relevance, queries, _PLACES, "above_lowest")._ideal
    below, above = _weight_beside(relevance, counting, queries)
    gain_below, gain_above = _weight_beside(relevance, counting, queries, gain)
    apart = gain * (below - above) - gain_below + gain_above  # Σ |gain_i - gain_j|
    net = gain * (below + above) - gain_below - gain_above  # Σ (gain_i - gain_j)
    swapped = (_mean_difference(queries.sizes) / ideal * totals / queries.sizes)[queries.numbers]
    curved = counting * apart * swapped
    return 2.0 * net / apart, curved * (totals.sum() / curved.sum())


def _weight_beside(
    relevance: Numbers, weight: Numbers, queries: Queries, of: Numbers | None = None
) -> tuple[Numbers, Numbers]:
    """Return for each row what the less relevant rows of its query add up to, and the more relevant ones."""
    ranking = Ranking.of(relevance, queries)
    amount = weight if of is None else weight * of
    in_tie = ranking.over_ties(amount[ranking.rows])
    query = ranking.query[ranking.begins]
    above = _before_in_query(in_tie, query)
    total = np.bincount(query, in_tie, len(queries))[query]
    found = np.empty((2, len(relevance)))
    found[:, ranking.rows] = np.array([total - above - in_tie, above])[:, ranking.tie]
    return found[0], found[1]


def _before_in_query(values: Numbers, query: Indices) -> Numbers:
    """Return the sum of the values before each one in its query."""
    before: Numbers = np.append(0.0, np.cumsum(values)[:-1])
    first = np.append(True, np.diff(query) != 0)
    return np.asarray(before - before[np.flatnonzero(first)][np.cumsum(first) - 1])


def _mean_difference(sizes: Indices) -> Numbers:
    """Return the mean difference of the discounts of two places, for each size of a query."""
    most = int(sizes.max())
    # Discounts fall: the one at place p, from 0, is the larger of n - 1 - p pairs and the smaller of p.
    discount, place = discounts(np.arange(most), _PLACES), np.arange(most)
    sums, places = np.cumsum(discount), np.cumsum(discount * place)
    n = np.maximum(sizes, 2)
    differences = (n - 1) * sums[n - 1] - 2.0 * places[n - 1] if most > 1 else np.zeros(len(sizes))
    return np.asarray(differences / (n * (n - 1) / 2.0))


_TARGETS: Final[dict[str, Callable[..., tuple[Numbers, Numbers | None]]]] = {
    "within_query": _centred,
    "pairwise": _pairwise,
    "ndcg": _ndcg,
}
