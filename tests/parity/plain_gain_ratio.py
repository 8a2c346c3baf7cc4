"""Gain and gain ratio of one question, computed the long way with NumPy: the judge of J48's trees and ours.

The rules say which cuts between two values count; there alone J48 and we go by different ones. Nothing is
searched here, and nothing is taken from the library under test or from Weka.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .plain_trees import Outcomes, PlainNode, Values, outcomes

__all__ = ["OURS", "WEKA", "Rules", "Score", "is_near_minimum", "lies_between_close_values", "score"]

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rules:
    """Cuts lie between values further apart than `distance`; weights may miss their minimum by `slack`."""

    distance: float
    slack: float


WEKA: Final = Rules(distance=1e-5, slack=1e-6)
OURS: Final = Rules(distance=0.0, slack=1e-9)  # the slack is for rounding in the sums made here


@dataclass(frozen=True)
class Score:
    """What a question achieves in a node, in bits, and the number of cuts it was chosen from (levels: 1)."""

    gain: float
    ratio: float
    n_cuts: int


def _entropy(weights: Numbers) -> float:
    """Return the entropy of a set in bits, times its weight."""
    some = weights[weights > 0]
    return float(-(some * np.log2(some / some.sum())).sum())


def _least_side(known: float, n_classes: int, min_weight: float) -> float:
    """Return the weight that each side of a cut must have in C4.5 release 8."""
    return max(min_weight, min(25.0, 0.1 * known / n_classes))


def _count_cuts(column: Numbers, shares: Numbers, least: float, rules: Rules) -> int:
    """Return how many cuts of a numeric column are admissible in a node."""
    here = ~np.isnan(column) & (shares > 0)
    order = np.argsort(column[here], kind="stable")
    values, weights = column[here][order], shares[here][order]
    below = np.cumsum(weights)[:-1]
    above = weights.sum() - below
    apart = values[:-1] + rules.distance < values[1:]
    return int((apart & (np.minimum(below, above) >= least - rules.slack)).sum())


def _class_weights(y: npt.NDArray[np.int64], w: Numbers, found: Outcomes, n: int) -> Numbers:
    """Return the weight of each class in each child; rows whose value is missing are left aside."""
    n_classes = int(y.max()) + 1
    known = found >= 0
    cells = np.bincount(found[known] * n_classes + y[known], weights=w[known], minlength=n * n_classes)
    return cells.reshape(n, n_classes).astype(np.float64)


def score(
    node: PlainNode,
    values: Values,
    y: npt.NDArray[np.int64],
    shares: Numbers,
    min_weight: float,
    rules: Rules,
) -> Score:
    """Return what the question of a node achieves on the shares of the rows that are there."""
    children = _class_weights(y, shares, outcomes(node, values), len(node.children))
    sizes, whole = children.sum(axis=1), shares.sum()
    known = sizes.sum()
    # Known share times the gain on the known rows.
    gain = (_entropy(children.sum(axis=0)) - sum(_entropy(child) for child in children)) / whole
    n_cuts = 1
    if node.child_of is None:
        least = _least_side(known, int(y.max()) + 1, min_weight)
        n_cuts = _count_cuts(values[node.column], shares, least, rules)
        gain -= np.log2(max(n_cuts, 1)) / whole
    # Rounding may leave a trace of missing weight where there is none.
    missing = whole - known if whole - known > 1e-12 * whole else 0.0
    split_information = _entropy(np.append(sizes, missing)) / whole
    return Score(float(gain), float(gain / split_information) if split_information > 0 else 0.0, n_cuts)


def lies_between_close_values(node: PlainNode, values: Values, shares: Numbers) -> bool:
    """Return whether a cut lies between two values of the node that are one value for J48."""
    if node.child_of is not None:
        return False
    column = values[node.column][shares > 0]
    below, above = column[column <= node.threshold], column[column > node.threshold]
    return bool(below.size and above.size and not below.max() + WEKA.distance < above.min())


def is_near_minimum(
    node: PlainNode, values: Values, y: npt.NDArray[np.int64], shares: Numbers, min_weight: float
) -> bool:
    """Return whether parts of rows add up to so nearly the least weight allowed that J48's slack decides."""
    if (shares % 1 == 0).all():
        return False
    sizes = _class_weights(y, shares, outcomes(node, values), len(node.children)).sum(axis=1)
    least = min_weight
    if node.child_of is None:
        least = _least_side(float(sizes.sum()), int(y.max()) + 1, min_weight)
    distances = np.append(np.abs(sizes - least), abs(shares.sum() - 2 * min_weight))
    return bool((distances <= WEKA.slack).any())
