"""Adjusting p-values: the smallest of many p-values is too optimistic on its own.

A column is tried at a node if its rows hold at least two values; missing counts as one where it is an answer.
Tests that repeat the search need no adjustment.
"""

from __future__ import annotations

import math
from typing import Final, get_args

import numpy as np

from arboretum._data import ColumnData
from arboretum._grow.significance.asked import Asked
from arboretum._options.choices import Adjustment
from arboretum._options.rules import OneOf

ADJUST: Final = OneOf((*get_args(Adjustment), None))
_FEW: Final = 64


def n_tried(asked: Asked) -> int:
    """Return how many columns could be asked about at a node: those that vary there."""
    rows, also_missing = asked.rows.number, asked.tested.missing_is_value
    n_columns = 0
    for column in asked.tested.table.columns:
        # Most columns vary in the first few rows, so that the others need not be looked at.
        n_columns += any(_varies(column.take(part), also_missing) for part in (rows[:_FEW], rows))
    return max(1, n_columns)


def _varies(column: ColumnData, also_missing: bool) -> bool:
    """Return whether a column has two different values; missing may count as one."""
    missing = column.is_missing()
    known = column.values[~missing] if missing.any() else column.values
    if also_missing and 0 < len(known) < len(missing):
        return True
    return len(known) > 0 and bool((known != known[0]).any())


def bonferroni(p_value: float, n_tests: int) -> float:
    """Return the p-value times the number of tests, at most 1.

    >>> bonferroni(0.01, 4)
    0.04
    """
    return min(1.0, p_value * n_tests)


def sidak(p_value: float, n_tests: int) -> float:
    """Return the probability that the smallest of this many independent p-values is as small as this.

    >>> round(sidak(0.01, 4), 8)
    0.03940399
    """
    if p_value >= 1.0:
        return 1.0
    return float(min(1.0, -math.expm1(n_tests * np.log1p(-p_value))))
