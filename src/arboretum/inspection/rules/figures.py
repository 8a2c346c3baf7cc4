"""The figures of leaves: support, shares with their intervals, and lift, for all nodes of a tree at once.

They are the one source of what the rows of a leaf say by themselves: rules, summaries and explanations show
them. Shares are those of rows, or of their weight: class weights and priors are left out. An interval needs
to know how many rows say the same. Where rows or classes have weights, the tree does not, and there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.special import ndtri, stdtrit

from arboretum._tree.tree import Tree
from arboretum._types import Integers, Numbers

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
    def of(tree: Tree, level: float = LEVEL, label: int | None = None) -> Figures:
        """Return the figures of all nodes, about the class that each predicts, or about this one."""
        amount = tree.array("weight" if tree.missing == "fractions" else "n_rows").astype(np.float64)
        share = amount / max(amount[0], np.finfo(np.float64).tiny)
        if tree.rule is None:
            own = tree.array("own_value" if "own_value" in tree._arrays else "value")
            return Figures(share, None, own, *_of_means(tree, own, level), None)
        return _of_classes(tree, share, level, label)


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


def own_shares(tree: Tree, numbers: Sequence[int] | slice = slice(None)) -> Numbers:
    """Return the shares of the classes among the rows of nodes, by the weight of rows; NaN without rows."""
    counts = _row_counts(tree, numbers)
    with np.errstate(invalid="ignore"):
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def counts_rows(tree: Tree) -> bool:
    """Return whether the share of a class is a share of rows; else it is one of their weight."""
    known: dict[str, Any] = tree.__dict__
    if "_counts_rows" not in known:  # asked once for each rule
        amount = tree.array("weight") if tree.rule is None else _row_counts(tree).sum(axis=1)
        known["_counts_rows"] = _are_rows(amount, tree.array("n_rows").astype(np.float64))
    return bool(known["_counts_rows"])


def _row_counts(tree: Tree, numbers: Sequence[int] | slice = slice(None)) -> Numbers:
    """Return the weight of the rows of each class, without what classes count for."""
    assert tree.rule is not None
    counts: Numbers = tree.array("counts")[numbers]
    if tree.rule.class_weight is None:
        return counts
    return np.divide(counts, tree.rule.class_weight, out=np.zeros_like(counts), where=counts > 0)


def _of_classes(tree: Tree, share: Numbers, level: float, label: int | None) -> Figures:
    assert tree.rule is not None
    labels = tree.array("label") if label is None else np.full(len(share), label)
    at = np.arange(len(labels)), labels
    shares = own_shares(tree)
    with np.errstate(divide="ignore", invalid="ignore"):
        own, lift = shares[at], shares[at] / shares[0][labels]
    n_rows = tree.array("n_rows").astype(np.float64)
    known = _are_rows(tree.array("weight"), n_rows) and not tree.rule.changes_shares
    if known and tree.missing != "fractions":  # a part of a row says less than a row
        return Figures(share, own, None, *wilson(tree.array("counts")[at], n_rows, level), lift)
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


def _of_means(tree: Tree, mean: Numbers, level: float) -> tuple[Numbers, Numbers]:
    """Return the interval of each mean, where the tree predicts means: Student's."""
    if tree.centre == "median":
        unknown = np.full(len(mean), np.nan)
        return unknown, unknown
    error, freedom = standard_errors(tree)
    half = stdtrit(freedom, 0.5 + level / 2) * error
    return mean - half, mean + half


def standard_errors(tree: Tree) -> tuple[Numbers, Numbers]:
    """Return the standard error of each node's mean, and its degrees of freedom; NaN where it is not known.

    It is known where the impurity is the variance of rows that count alike, and where the tree keeps its
    targets. Rows of several weights w say as much as (Σ w)² / Σ w² rows that count alike.
    """
    n_rows = tree.array("n_rows").astype(np.float64)
    alike = _are_rows(tree.array("weight"), n_rows) and tree.missing != "fractions"
    if tree.criterion == "squared_error" and alike:
        variance = np.maximum(tree.array("impurity"), 0.0)
    elif "targets" in tree.beside:
        variance, n_rows = _spreads(**tree.beside["targets"].arrays)
    else:
        variance = np.full(len(n_rows), np.nan)
    freedom = np.where(n_rows > 1, n_rows - 1, np.nan)
    return np.sqrt(variance / freedom), freedom


def _spreads(begin: Integers, end: Integers, value: Numbers, weight: Numbers) -> tuple[Numbers, Numbers]:
    """Return the variance of the targets of each node, and the rows that they say as much as."""
    variance, n_rows = np.full(len(begin), np.nan), np.zeros(len(begin))
    for node, (first, last) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        if last > first:
            numbers, weights = value[first:last], weight[first:last]
            weights = weights / weights.max()
            n_rows[node] = weights.sum() ** 2 / (weights**2).sum()
            mean = np.average(numbers, weights=weights)
            variance[node] = np.average((numbers - mean) ** 2, weights=weights)
    return variance, n_rows
