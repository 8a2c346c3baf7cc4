"""The spread of columns: the unit in which distances between rows are measured, so that columns compare.

It is the distance between the 5% and the 95% quantile of the known values, which a few outliers do not move;
where that is 0 it is the range, and where that is 0 as well, 1. Times count in units of their column, ordered
levels in steps. Levels without an order have no spread: two of them are equal or not.
"""

from __future__ import annotations

import numpy as np

from arboretum._data import ColumnData, Dataset
from arboretum._tree.tables import SURROGATE
from arboretum._tree.tree import Tree
from arboretum._types import Numbers

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
    arrays, asked = tree._arrays, tree.array("n_children") > 0
    tables = [
        (arrays["column"][asked & (arrays["kind"] == 1)], arrays["threshold"][asked & (arrays["kind"] == 1)])
    ]
    if tree.remembered:
        chosen = (tree.remembered["role"] == SURROGATE) & (tree.remembered["kind"] == 1)
        tables.append((tree.remembered["column"][chosen], tree.remembered["threshold"][chosen]))
    if tree.terms:
        chosen = tree.terms["kind"] == 1
        tables.append((tree.terms["column"][chosen], tree.terms["threshold"][chosen]))
    column = np.concatenate([places for places, _ in tables])
    threshold = np.concatenate([thresholds for _, thresholds in tables])
    return np.array([_range(threshold[column == place], data) for place, data in enumerate(row.columns)])


def _range(thresholds: Numbers, data: ColumnData) -> float:
    if data.column.kind == "nominal":
        return 1.0
    own = data.values[~data.is_missing()].astype(np.float64)
    values = np.concatenate([thresholds, own])
    values = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        span = float(np.ptp(values)) if len(values) else 0.0
    return span if 0 < span < np.inf else max(1.0, float(np.abs(values).max(initial=0.0)))
