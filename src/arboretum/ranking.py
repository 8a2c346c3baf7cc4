"""Measures of order within queries, as functions: relevance, scores and queries in, a number out.

The functions take one relevance, one score and one query per row, in any order of the rows; a query may be
named by anything that can be hashed. Where rows of a query have the same score, each measure is the mean over
all orders of these rows. A query without a value (say, without a relevant row) is left out of the mean.
With `sample_weight`, a query counts by the mean weight of its rows. docs/ranking.md has the formulas.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from arboretum._data.queries import Queries, read_queries
from arboretum._data.targets import read_numbers, read_weights
from arboretum._options.measures.of_order import (
    GAINS,
    AveragePrecision,
    KendallTau,
    OrderMeasure,
    ReciprocalRank,
    mean_over_queries,
)
from arboretum._options.measures.of_order import ndcg as _ndcg
from arboretum._options.rules import OneOf, Whole
from arboretum._types import Numbers
from arboretum.errors import DataError

__all__ = ["kendall_tau", "mean_average_precision", "mean_reciprocal_rank", "ndcg"]

_PLACES: Final = Whole(1, or_none=True)
_GAINS: Final = OneOf(tuple(GAINS))


def ndcg(
    relevance: Any,
    score: Any,
    groups: Any,
    *,
    k: int | None = None,
    gains: Literal["linear", "exponential", "above_lowest"] = "linear",
    sample_weight: Any = None,
) -> float:
    """Return the mean NDCG@k: the discounted gain of the first k places, as a share of the best order's.

    A row at place p, from 1, adds its gain / log2(p + 1). `k=None` counts all places. `gains`: a gain is the
    relevance itself ("linear"), 2**relevance - 1 ("exponential"), or by how much the relevance is above the
    lowest of the query ("above_lowest"), which pruning counts. Queries without a gain have no value.

    >>> ndcg([3, 2, 0], [0.1, 0.5, 0.2], ["a", "a", "a"])
    0.821...
    >>> ndcg([3, 2, 0], [0.5, 0.5, 0.5], ["a", "a", "a"])  # no order: the mean of all six
    0.833...
    """
    truth, queries = _read(relevance, groups, "ndcg()")
    places = _PLACES.read(k, "k", "ndcg")
    chosen = _GAINS.read(gains, "gains", "ndcg")
    return _mean(_ndcg(truth, queries, places, chosen), score, sample_weight, "ndcg()")


def mean_average_precision(relevance: Any, score: Any, groups: Any, *, sample_weight: Any = None) -> float:
    """Return MAP, the mean average precision: how pure the places down to each relevant row are.

    Rows of a relevance above 0 are relevant. The average precision of a query is the mean, over its relevant
    rows, of the share of relevant rows down to that place. Queries without one have no value.

    >>> mean_average_precision([1, 0, 1], [3, 2, 1], ["a", "a", "a"])  # (1 + 2/3) / 2
    0.833...
    """
    truth, queries = _read(relevance, groups, "mean_average_precision()")
    return _mean(AveragePrecision(truth, queries), score, sample_weight, "mean_average_precision()")


def mean_reciprocal_rank(relevance: Any, score: Any, groups: Any, *, sample_weight: Any = None) -> float:
    """Return MRR, the mean of 1 over the place of the first relevant row (of a relevance above 0).

    >>> mean_reciprocal_rank([0, 1, 1], [3, 2, 1], ["a", "a", "a"])
    0.5
    """
    truth, queries = _read(relevance, groups, "mean_reciprocal_rank()")
    return _mean(ReciprocalRank(truth, queries), score, sample_weight, "mean_reciprocal_rank()")


def kendall_tau(relevance: Any, score: Any, groups: Any, *, sample_weight: Any = None) -> float:
    """Return the mean of Kendall's tau within queries: pairs in the right order less those in the wrong one.

    It is a share of the pairs of different relevance; a pair of the same score counts for nothing. (Somers' D
    of the score for the relevance; without ties, any tau.) Queries of a single relevance have no value.

    >>> kendall_tau([3, 2, 1], [3, 1, 2], ["a", "a", "a"])  # (2 - 1) / 3
    0.333...
    """
    truth, queries = _read(relevance, groups, "kendall_tau()")
    return _mean(KendallTau(truth, queries), score, sample_weight, "kendall_tau()")


def _read(relevance: Any, groups: Any, owner: str) -> tuple[Numbers, Queries]:
    n_rows = len(relevance) if hasattr(relevance, "__len__") else 0
    if n_rows == 0:
        raise DataError(f"{owner} is given no rows, so that there is nothing to measure.")
    return read_numbers(relevance, n_rows, owner), read_queries(groups, n_rows, owner)


def _mean(measure: OrderMeasure, score: Any, sample_weight: Any, owner: str) -> float:
    n_rows = measure.queries.n_rows
    try:
        given = read_numbers(score, n_rows, owner)
    except DataError as error:
        raise DataError(f"The scores given to {owner}: {error}") from error
    return mean_over_queries(measure, given, read_weights(sample_weight, n_rows))


def __dir__() -> list[str]:
    return sorted(__all__)
