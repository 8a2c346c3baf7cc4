"""Subsets of levels that rpart does not try, told by the table alone.

Of two classes and of numbers, rpart tries the cuts of the levels in the order of their share or mean. With a
minimum of rows per leaf, the best admissible subset may be none of these cuts, or divide levels that tie.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .plain_gains import agree
from .surrogate_oracle import NOWHERE, Cut, SurrogateOracle

__all__ = ["is_beyond_the_order", "is_untried_by_rpart"]

Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def is_beyond_the_order(
    levels: Numbers, y: npt.NDArray[Any], w: Numbers, left: Mask, *, n_classes: int, least: int
) -> bool:
    """Return whether the subset is admissible, and no cut between two levels of different means.

    Each row has a level. `n_classes` is 0 for numbers; of three classes and more rpart tries all subsets.
    """
    if n_classes > 2 or min(left.sum(), (~left).sum()) < least:
        return False
    lefts, rights = (_means(levels[side], y[side], w[side]) for side in (left, ~left))
    scale = float(np.abs(y).max())
    return not any(
        below.max() < above.min() and not agree(float(below.max()), float(above.min()), scale)
        for below, above in ((lefts, rights), (rights, lefts))
    )


def is_untried_by_rpart(oracle: SurrogateOracle, number: int, cut: Cut, w: Numbers) -> bool:
    """Return whether a cut of the rows of a node is such a subset. `w` are the weights that decide splits."""
    if cut.sides is None or cut.column in oracle.ordered:
        return False
    rows = oracle.rows_at[number]
    rows = rows[oracle.case_weights[rows] > 0]
    children = cut.children(oracle.values[cut.column][rows])
    rows, left = rows[children != NOWHERE], children[children != NOWHERE] == 0
    return is_beyond_the_order(
        oracle.values[cut.column][rows],
        oracle.oracle.target[rows],
        w[rows],
        left,
        n_classes=oracle.oracle.n_classes,
        least=oracle.limits["minbucket"],
    )


def _means(levels: Numbers, y: npt.NDArray[Any], w: Numbers) -> Numbers:
    return np.array(
        [np.average(y[levels == level], weights=w[levels == level]) for level in np.unique(levels)]
    )
