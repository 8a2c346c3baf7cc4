"""The spread of columns: the unit in which distances between rows are measured, so that columns compare.

It is the distance between the 5% and the 95% quantile of the known values, which a few outliers do not move;
where that is 0 it is the range, and where that is 0 as well, 1. Times count in units of their column, ordered
levels in steps. Levels without an order have no spread: two of them are equal or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from arboretum._data import ColumnData, Dataset
from arboretum._tree.questions import Threshold
from arboretum._tree.tables import SURROGATE
from arboretum._tree.tree import Tree
from arboretum._types import Array, Numbers

_ENDS = (0.05, 0.95)


def spreads_of(table: Dataset) -> Numbers:
    """Return the spread of each column of a table; 1 for levels without an order."""
    return np.array([_spread(data) for data in table.columns])


def _spread(data: ColumnData) -> float:
    if data.column.kind == "nominal":
        return 1.0
    known = data.values[~data.is_missing()].astype(np.float64)
    return _span(known[np.isfinite(known)])


def _span(known: Numbers) -> float:
    """Return the distance of the outer quantiles, or the range, or 1: the first that is above 0."""
    if not len(known):
        return 1.0
    with np.errstate(over="ignore"):
        low, high = np.quantile(known, _ENDS, method="inverted_cdf")
        spans = (float(high - low), float(np.ptp(known)))
    return next((span for span in spans if 0 < span < np.inf), 1.0)


def spreads_by_thresholds(tree: Tree, row: Dataset) -> Numbers:
    """Return the spread of each column as far as a tree knows it: the range of what it compares with.

    These are its thresholds, those of surrogates and literals too, and the value of the row itself. So to
    cross the only threshold of a column is a step of 1.
    """
    low = np.array([_known(data) for data in row.columns])
    high = np.where(np.isfinite(low), low, -np.inf)
    low = np.where(np.isfinite(low), low, np.inf)
    for places, thresholds in _thresholds(tree):
        finite = np.isfinite(thresholds)
        np.minimum.at(low, places[finite], thresholds[finite])
        np.maximum.at(high, places[finite], thresholds[finite])
    with np.errstate(over="ignore", invalid="ignore"):
        span, size = high - low, np.maximum(np.abs(low), np.abs(high))
    span = np.where(
        (span > 0) & (span < np.inf), span, np.where(np.isfinite(size), np.maximum(size, 1.0), 1.0)
    )
    return np.where([column.kind == "nominal" for column in tree.columns], 1.0, span)


def _known(data: ColumnData) -> float:
    """Return the value of the only row as a double; NaN if it is missing."""
    return np.nan if data.is_missing()[0] else float(data.values[0])


def _thresholds(tree: Tree) -> Iterator[tuple[Array, Array]]:
    """Yield the columns and thresholds of nodes, surrogates and literals."""
    tables: list[Mapping[str, Array]] = [tree._arrays, *([tree.terms] if tree.terms else [])]
    for arrays in tables:
        chosen = arrays["kind"] == Threshold.kind
        yield arrays["column"][chosen], arrays["threshold"][chosen]
    if tree.remembered:
        chosen = (tree.remembered["role"] == SURROGATE) & (tree.remembered["kind"] == Threshold.kind)
        yield tree.remembered["column"][chosen], tree.remembered["threshold"][chosen]
