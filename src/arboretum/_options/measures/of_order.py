"""Measures of the order of rows within queries: how well scores put the relevant rows first.

Rows with the same score have no order. What they are worth is the mean over all orders of such rows, in
closed form. A query in which nothing can be told apart has no value (NaN).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
from scipy.special import gammaln

from arboretum._data.queries import Queries
from arboretum._data.rows import Target
from arboretum._options.measures.measure import NumberMeasure
from arboretum._types import Array, Indices, Mask, Numbers
from arboretum._wording import many
from arboretum.errors import DataError, ParameterError, choices

_MOST_DOUBLED: Final = 500
_MOST_JUDGED: Final = 100  # trees of a sequence
_LARGE: Final = 200  # rows of a query whose pairs are counted by sorting, rather than one by one


@dataclass(frozen=True)
class Ranking:
    """Rows from the best to the worst, query by query; rows of the same score are a tie."""

    rows: Indices  # in this order
    query: Indices  # of each place
    place: Indices  # within the query, from 0
    tie: Indices  # the number of the tie at each place
    begins: Indices  # where each tie begins

    @staticmethod
    def of(score: Numbers, queries: Queries) -> Ranking:
        """Return the order of rows by score, the highest first."""
        rows = np.lexsort((-score, queries.numbers))
        query, ordered = queries.numbers[rows], score[rows]
        ends = np.cumsum(queries.sizes)
        place = np.arange(len(rows)) - (ends - queries.sizes)[query]
        new = np.append(True, (np.diff(ordered) != 0) | (np.diff(query) != 0))[: len(rows)]
        return Ranking(rows, query, place, np.cumsum(new) - 1, np.flatnonzero(new))

    @property
    def tie_sizes(self) -> Indices:
        """The number of rows of each tie."""
        return np.diff(np.append(self.begins, len(self.rows)))

    def over_ties(self, values: Numbers) -> Numbers:
        """Return the sum over each tie of a quantity of places."""
        return np.asarray(np.add.reduceat(values, self.begins))


class OrderMeasure(ABC):
    """How good an order is: one value for each query whose relevances are known; more is better."""

    name: ClassVar[str]
    says: ClassVar[str]

    def __init__(self, relevance: Numbers, queries: Queries) -> None:
        self.relevance, self.queries = relevance, queries

    @property
    @abstractmethod
    def defined(self) -> Mask:
        """The queries that have a value."""

    @abstractmethod
    def _values(self, score: Numbers) -> Numbers:
        """Return the value of each query, where it has one."""

    def values(self, score: Numbers) -> Numbers:
        """Return the value of each query; NaN where there is none."""
        return np.where(self.defined, self._values(score), np.nan)


class NDCG(OrderMeasure):
    """Discounted gain of the first `k` places, as a share of what the best order has.

    The row at place p, from 1, adds gain / log2(p + 1).
    """

    name = "ndcg"
    says = "a positive gain"

    def __init__(
        self, relevance: Numbers, queries: Queries, k: int | None = None, gains: str = "linear"
    ) -> None:
        super().__init__(relevance, queries)
        self.k = k
        self.gain = GAINS[gains](relevance, queries)
        best = Ranking.of(self.gain, queries)
        self._ideal = self._gained(best, self.gain[best.rows] * self._discounts(best.place))

    @property
    def defined(self) -> Mask:
        return self._ideal > 0

    def _values(self, score: Numbers) -> Numbers:
        ranking = Ranking.of(score, self.queries)
        discount = ranking.over_ties(self._discounts(ranking.place)) / ranking.tie_sizes
        found = self._gained(ranking, self.gain[ranking.rows] * discount[ranking.tie])
        return np.divide(found, self._ideal, out=np.zeros_like(found), where=self.defined)

    def _discounts(self, place: Indices) -> Numbers:
        return discounts(place, self.k)

    def _gained(self, ranking: Ranking, gained: Numbers) -> Numbers:
        return np.asarray(np.bincount(ranking.query, gained, len(self.queries)), dtype=np.float64)


def discounts(place: Indices, k: int | None) -> Numbers:
    """Return what a gain counts at each place, from 0: nothing beyond the first k."""
    counted = 1.0 / np.log2(place + 2.0)
    return counted if k is None else np.where(place < k, counted, 0.0)


class _OfRelevant(OrderMeasure, ABC):
    """A measure for which a row is relevant (its relevance is above 0) or not."""

    says = "a relevant row"

    @cached_property
    def _n_relevant(self) -> Numbers:
        return self.queries.sums((self.relevance > 0).astype(np.float64))

    @property
    def defined(self) -> Mask:
        return self._n_relevant > 0

    def _counts(self, ranking: Ranking) -> tuple[Numbers, ...]:
        """Return for each place, counted within its tie from 1: itself, the rows and the relevant ones of
        the tie, and the rows and the relevant ones before the tie."""
        relevant: Numbers = (self.relevance > 0)[ranking.rows].astype(np.float64)
        begin = ranking.begins[ranking.tie]
        within = (np.arange(len(begin)) - begin + 1).astype(np.float64)
        hits = ranking.over_ties(relevant)
        so_far = np.append(0.0, np.cumsum(relevant))
        first = begin - ranking.place[begin]  # the first place of the query
        return (
            within,
            ranking.tie_sizes[ranking.tie].astype(np.float64),
            hits[ranking.tie],
            ranking.place[begin].astype(np.float64),
            so_far[begin] - so_far[first],
        )


class AveragePrecision(_OfRelevant):
    """The mean, over the relevant rows, of the share of relevant rows among those up to their place."""

    name = "map"

    def _values(self, score: Numbers) -> Numbers:
        ranking = Ranking.of(score, self.queries)
        within, size, hits, rows_before, hits_before = self._counts(ranking)
        # A place of the tie holds a relevant row with the chance hits / size; of the places before it in the
        # tie, as many of the other relevant rows as their share says.
        among = (within - 1.0) * (hits - 1.0) / np.maximum(size - 1.0, 1.0)
        precision = hits / size * (hits_before + 1.0 + among) / (rows_before + within)
        found = np.bincount(ranking.query, precision, len(self.queries))
        return np.asarray(found / np.maximum(self._n_relevant, 1.0))


class ReciprocalRank(_OfRelevant):
    """1 over the place of the first relevant row."""

    name = "mrr"

    def _values(self, score: Numbers) -> Numbers:
        ranking = Ranking.of(score, self.queries)
        within, size, hits, rows_before, hits_before = self._counts(ranking)
        # The first of `hits` relevant rows among `size` is at place p in C(size - p, hits - 1) of all
        # C(size, hits) ways to place them.
        possible = (hits > 0) & (hits_before == 0) & (size - within >= hits - 1.0)
        chance = np.zeros(len(within))
        n, h, p = size[possible], hits[possible], within[possible]
        chance[possible] = np.exp(_log_choose(n - p, h - 1.0) - _log_choose(n, h))
        found = np.bincount(ranking.query, chance / (rows_before + within), len(self.queries))
        return np.asarray(found, dtype=np.float64)


def _log_choose(n: Numbers, k: Numbers) -> Numbers:
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))


class KendallTau(OrderMeasure):
    """Pairs of different relevance that are in the right order, less those in the wrong one, over all such
    pairs. A pair of the same score counts for nothing."""

    name = "kendall"
    says = "two rows of different relevance"

    @cached_property
    def _n_pairs(self) -> Numbers:
        sizes = self.queries.sizes.astype(np.float64)
        return np.asarray(sizes * (sizes - 1) / 2 - _tied_pairs(self.relevance, self.queries))

    @property
    def defined(self) -> Mask:
        return self._n_pairs > 0

    def _values(self, score: Numbers) -> Numbers:
        order = np.argsort(self.queries.numbers, kind="stable")
        query, truth, given = self.queries.numbers[order], self.relevance[order], score[order]
        net = np.zeros(len(self.queries))
        small = self.queries.sizes <= _LARGE
        kept = small[query]
        query_, truth_, given_ = query[kept], truth[kept], given[kept]
        for step in range(1, int(self.queries.sizes[small].max(initial=1))):
            same = query_[step:] == query_[:-step]
            agree = np.sign(truth_[step:] - truth_[:-step]) * np.sign(given_[step:] - given_[:-step])
            net += np.bincount(query_[step:], np.where(same, agree, 0.0), len(net))
        for number in np.flatnonzero(~small).tolist():
            rows = query == number
            net[number] = _net_agreement(truth[rows], given[rows])
        return np.divide(net, self._n_pairs, out=np.zeros_like(net), where=self.defined)


def _net_agreement(one: Numbers, other: Numbers) -> float:
    """Return the pairs that two lists put in the same order, less those that they do not, by sorting."""
    from scipy.stats import kendalltau

    n, query = len(one), Queries(np.zeros(len(one), dtype=np.intp))
    told = [n * (n - 1) / 2 - float(_tied_pairs(values, query)[0]) for values in (one, other)]
    if min(told) == 0:
        return 0.0
    return float(round(kendalltau(one, other).statistic * np.sqrt(told[0]) * np.sqrt(told[1])))


def _tied_pairs(values: Numbers, queries: Queries) -> Numbers:
    """Return the number of pairs of each query that have the same value."""
    ranking = Ranking.of(values, queries)
    sizes = ranking.tie_sizes.astype(np.float64)
    query = ranking.query[ranking.begins]
    return np.asarray(np.bincount(query, sizes * (sizes - 1) / 2, len(queries)), dtype=np.float64)


def _linear(relevance: Numbers, queries: Queries) -> Numbers:
    return relevance


def _exponential(relevance: Numbers, queries: Queries) -> Numbers:
    return np.asarray(np.exp2(relevance) - 1.0)


def above_lowest(relevance: Numbers, queries: Queries) -> Numbers:
    """Return by how much each relevance is above the lowest of its query."""
    lowest = np.full(len(queries), np.inf)
    np.minimum.at(lowest, queries.numbers, relevance)
    return np.asarray(relevance - lowest[queries.numbers])


GAINS: Final = {"linear": _linear, "exponential": _exponential, "above_lowest": above_lowest}
ORDER_MEASURES: Final[dict[str, type[OrderMeasure]]] = {
    kind.name: kind for kind in (NDCG, AveragePrecision, ReciprocalRank, KendallTau)
}
ORDER_NAMES: Final = ("ndcg", "ndcg@k", "map", "mrr", "kendall")
USUAL: Final = "ndcg@10"


def ndcg(relevance: Numbers, queries: Queries, k: int | None = None, gains: str = "linear") -> NDCG:
    """Return NDCG as a measure; refuse relevances that the gains do not allow."""
    if gains != "above_lowest" and (relevance < 0).any():
        row = int(np.argmax(relevance < 0))
        raise DataError(
            f"The relevance of row {row} is {relevance[row]:g}, but NDCG adds up gains of 0 or more.\n"
            "Hint: add a constant to the relevance, or choose gains='above_lowest', which counts from the "
            "lowest relevance of each query."
        )
    if gains == "exponential" and (relevance > _MOST_DOUBLED).any():
        row = int(np.argmax(relevance))
        raise DataError(
            f"The relevance of row {row} is {relevance[row]:g}, too much for gains='exponential', which are "
            f"2**relevance - 1.\nHint: choose gains='linear', or grades of at most {_MOST_DOUBLED}."
        )
    return NDCG(relevance, queries, k, gains)


def mean_over_queries(measure: OrderMeasure, score: Numbers, weights: Numbers | None) -> float:
    """Return the mean over the queries that have a value; each counts by its rows' mean weight."""
    values, queries = measure.values(score), measure.queries
    counts = np.ones(len(queries)) if weights is None else queries.means(weights)
    counting = measure.defined & (counts > 0)
    if not counting.any():
        raise DataError(
            f"{measure.name} has no value: none of the {many(len(queries), 'query')} has {measure.says}."
        )
    return float(np.average(values[counting], weights=counts[counting]))


class OrderJudge(NumberMeasure):
    """1 less a measure of order, for every row of a query; queries count by the mean weight of their rows."""

    highest = 2.0
    of_rows = False
    score = True

    def __init__(self, measure: OrderMeasure, name: str, weights: Numbers | None) -> None:
        self.name = name
        self._measure = measure
        self._weights = np.ones(measure.queries.n_rows) if weights is None else weights

    @property
    def n_queries(self) -> int:
        """The number of queries that have a value."""
        return int(self._measure.defined.sum())

    def weigh(self, weights: Numbers) -> Numbers:
        queries = self._measure.queries
        share = np.where(self._measure.defined, queries.means(self._weights), 0.0) / queries.sizes
        return np.asarray(share[queries.numbers])

    def stands_for(self, n_steps: int) -> Indices:
        if n_steps <= _MOST_JUDGED:
            return np.arange(n_steps)
        # Sizes are told apart by their ratio. The larger tree stands for those between two that are measured.
        sizes = n_steps - np.arange(n_steps)  # about the number of leaves
        judged = np.unique(np.round(np.geomspace(1, n_steps, _MOST_JUDGED)).astype(np.intp))
        return np.asarray(n_steps - judged[np.searchsorted(judged, sizes)], dtype=np.intp)

    def each(self, target: Target, predicted: Array, weights: Numbers | None = None) -> Numbers:
        losses = np.where(self._measure.defined, 1.0 - self._measure._values(predicted), 0.0)
        return np.asarray(losses[self._measure.queries.numbers])


def order_measure(name: str, relevance: Numbers, queries: Queries) -> OrderMeasure:
    """Return a measure by name, as pruning uses it: gains count from the lowest relevance of a query."""
    kind, k = _parsed(name)
    if kind is NDCG:
        return NDCG(relevance, queries, k, "above_lowest")
    return kind(above_lowest(relevance, queries), queries)


def check_order_measure(name: Any, option: str = "prune=CostComplexity(…): measure") -> None:
    """Refuse what is not the name of a measure."""
    if not isinstance(name, str):
        raise ParameterError(choices(option, name, (None, *ORDER_NAMES)))
    _parsed(name, option)


def _parsed(name: str, option: str = "measure") -> tuple[type[OrderMeasure], int | None]:
    stem, at, places = name.partition("@")
    if stem not in ORDER_MEASURES or (
        at and (stem != NDCG.name or not places.isdecimal() or int(places) < 1)
    ):
        raise ParameterError(choices(option, name, (None, *ORDER_NAMES)))
    return ORDER_MEASURES[stem], int(places) if at else None
