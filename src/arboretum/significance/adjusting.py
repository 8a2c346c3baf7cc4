"""Adjusting: a p-value that is the smallest of many says less than it seems to.

Words: a column is *tried* in a node if its rows hold at least two different values of it; where a missing
value is an answer, missing is one of them. Tests that search anew need no adjustment.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from arboretum.dataset import ColumnData
from arboretum.errors import ParameterError, choices
from arboretum.scalars import is_integer, is_real
from arboretum.significance.asked import Asked

__all__ = ["ADJUSTMENTS", "bonferroni", "check_adjust", "check_count", "check_level", "n_tried", "sidak"]

ADJUSTMENTS: Final = ("bonferroni", None)
_FEW: Final = 64


def check_level(strategy: object, level: Any) -> None:
    """Refuse a level that is no probability."""
    if not is_real(level) or not 0.0 < level <= 1.0:
        raise ParameterError(
            f"significance={type(strategy).__name__}(level={level!r}) is not allowed; give a number above 0 "
            "and up to 1."
        )


def check_adjust(strategy: object, adjust: Any) -> None:
    """Refuse adjustments that are not known."""
    if not (adjust is None or isinstance(adjust, str)) or adjust not in ADJUSTMENTS:
        raise ParameterError(
            choices(f"significance={type(strategy).__name__}(…): adjust", adjust, ADJUSTMENTS)
        )


def check_count(strategy: object, option: str, value: Any) -> None:
    """Refuse a number of random tables or orders that is none."""
    if not is_integer(value) or value < 1:
        raise ParameterError(
            f"significance={type(strategy).__name__}({option}={value!r}) is not allowed; give an integer of "
            "1 or more."
        )


def n_tried(asked: Asked) -> int:
    """Return how many columns could be asked about at a node: those that vary there."""
    rows, also_missing = asked.rows.number, asked.tested.missing_is_value
    n_columns = 0
    for column in asked.tested.table.columns:
        # Most columns vary in the first few rows, so that the others need not be looked at.
        n_columns += any(_varies(column.take(part), also_missing) for part in (rows[:_FEW], rows))
    return max(1, n_columns)


def _varies(column: ColumnData, also_missing: bool) -> bool:
    """Tell whether a column has two different values; if wished, missing is one of them."""
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
    """Return the probability that the smallest of so many independent p-values is as small as this.

    >>> round(sidak(0.01, 4), 8)
    0.03940399
    """
    if p_value >= 1.0:
        return 1.0
    return float(min(1.0, -math.expm1(n_tests * np.log1p(-p_value))))
