"""The figures of rules: support, shares with their intervals, and lift, for all nodes of a tree at once.

An interval needs to know how many rows say the same. Where rows or classes have weights, the tree does not,
and there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.special import ndtri, stdtrit

from arboretum._tree.tree import Tree
from arboretum._types import Numbers

LEVEL: Final = 0.95
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, eq=False)
class Figures:
    """One entry per node; NaN where something is not known."""

    share: Numbers  # of all rows
    own_share: Numbers | None  # of the label among the node's own rows; None for numbers
    own_value: Numbers | None
    low: Numbers
    high: Numbers
    lift: Numbers | None

    @staticmethod
    def of(tree: Tree) -> Figures:
        """Return the figures of all nodes."""
        amount = tree.array("weight" if tree.missing == "fractions" else "n_rows").astype(np.float64)
        share = amount / max(amount[0], np.finfo(np.float64).tiny)
        if tree.rule is None:
            own = tree.array("own_value" if "own_value" in tree._arrays else "value")
            return Figures(share, None, own, *_of_means(tree, own), None)
        return _of_classes(tree, share)


def figures_of(figures: Figures, number: int) -> dict[str, Any]:
    """Return the figures of one node, None where something is not known."""
    low, high = float(figures.low[number]), float(figures.high[number])
    return {
        "share": float(figures.share[number]),
        "own_share": _known(figures.own_share, number),
        "own_value": _known(figures.own_value, number),
        "interval": None if np.isnan(low) else (low, high),
        "lift": _known(figures.lift, number),
    }


def _known(values: Numbers | None, number: int) -> float | None:
    return None if values is None or np.isnan(values[number]) else float(values[number])


def _of_classes(tree: Tree, share: Numbers) -> Figures:
    assert tree.rule is not None
    counts, labels = tree.array("counts"), tree.array("label")
    at = np.arange(len(labels)), labels
    weighed = counts * tree.rule.factors
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = weighed / weighed.sum(axis=1, keepdims=True)
        own, lift = shares[at], shares[at] / shares[0][labels]
    n_rows = tree.array("n_rows").astype(np.float64)
    known = _are_rows(tree.array("weight"), n_rows) and not tree.rule.changes_shares
    if known and tree.missing != "fractions":  # a part of a row says less than a row
        return Figures(share, own, None, *wilson(counts[at], n_rows), lift)
    unknown = np.full(len(labels), np.nan)
    return Figures(share, own, None, unknown, unknown, lift)


def _are_rows(weight: Numbers, n_rows: Numbers) -> bool:
    return bool(np.all(np.abs(weight - n_rows) <= _ROUNDING * np.maximum(n_rows, 1.0)))


def wilson(held: Numbers, n_rows: Numbers, level: float = LEVEL) -> tuple[Numbers, Numbers]:
    """Return Wilson's interval for a share of which `held` of `n_rows` rows were seen; NaN without rows.

    >>> low, high = wilson(np.array([8.0]), np.array([10.0]))
    >>> round(float(low[0]), 3), round(float(high[0]), 3)
    (0.49, 0.943)
    """
    z = float(ndtri(0.5 + level / 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = held / n_rows
        size = 1.0 + z * z / n_rows
        centre = (share + z * z / (2 * n_rows)) / size
        half = z / size * np.sqrt(np.maximum(share * (1 - share), 0.0) / n_rows + z * z / (4 * n_rows**2))
        # At the ends the interval is closed; rounding would leave it open.
        low = np.where(held <= 0, 0.0 * centre, np.maximum(centre - half, 0.0))
        high = np.where(held >= n_rows, 1.0 + 0.0 * centre, np.minimum(centre + half, 1.0))
    return low, high


def _of_means(tree: Tree, mean: Numbers) -> tuple[Numbers, Numbers]:
    """Return the interval of each mean, where the impurity is the variance of rows that count alike."""
    n_rows = tree.array("n_rows").astype(np.float64)
    alike = _are_rows(tree.array("weight"), n_rows) and tree.missing != "fractions"
    if tree.criterion != "squared_error" or not alike:
        unknown = np.full(len(mean), np.nan)
        return unknown, unknown
    freedom = np.where(n_rows > 1, n_rows - 1, np.nan)
    error = np.sqrt(np.maximum(tree.array("impurity"), 0.0) / freedom)
    half = stdtrit(freedom, 0.5 + LEVEL / 2) * error
    return mean - half, mean + half
