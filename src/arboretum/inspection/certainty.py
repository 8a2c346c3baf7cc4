"""How sure a leaf is: intervals for the share of its label, or for the mean of its rows.

They count the rows of the leaf when the tree was grown, each alike. The tree chose its questions by these
very rows, so the intervals are too narrow, the more so the longer it searched; other rows are a fair test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from arboretum._tree.node import Node
from arboretum._tree.tree import Tree
from arboretum._types import Numbers


@dataclass(frozen=True)
class Certainty:
    """What the rows of a leaf say by themselves, with an interval, beside what is predicted there.

    Of classes it is about the share of the predicted class: Wilson's score interval. Of numbers it is about
    the mean: Student's, from the spread of the rows; without an interval where the tree does not know that
    spread, or the leaf has a single row.
    """

    node: int
    share: float  # of the row that comes to this leaf
    n_rows: int
    own: float  # what the rows say by themselves
    predicted: float  # drawn towards the nodes above, where the tree does so
    low: float | None
    high: float | None
    method: str | None
    confidence: float


def certainty_of(tree: Tree, node: int, share: float, label: int | None, confidence: float) -> Certainty:
    """Return how sure a leaf is of a class, or of its number if `label` is None."""
    leaf = Node(tree, node)
    if label is None:
        own, predicted = float(leaf.own_value or 0.0), float(leaf.value or 0.0)
        ends = student(own, leaf.impurity, leaf.n_rows, confidence) if _knows_spread(tree) else None
        return Certainty(node, share, leaf.n_rows, own, predicted, *_named(ends, "Student's t"), confidence)
    own, predicted = float(own_shares(tree, node)[label]), float(tree.array("probability")[node, label])
    # Of divided rows the parts count, not the rows.
    counted = min(leaf.n_rows, leaf.weight) if tree.missing == "fractions" else leaf.n_rows
    ends = wilson(own, counted, confidence) if counted > 0 else None
    return Certainty(node, share, leaf.n_rows, own, predicted, *_named(ends, "Wilson"), confidence)


def own_shares(tree: Tree, node: int) -> Numbers:
    """Return the shares of the classes among the rows of a node, weighted by priors, with nothing added."""
    assert tree.rule is not None
    weighed = tree.array("counts")[node] * tree.rule.factors
    total = weighed.sum()
    return np.asarray(weighed / total if total > 0 else weighed)


def _knows_spread(tree: Tree) -> bool:
    """Return whether the impurity of a node is the variance of its rows."""
    return tree.criterion == "squared_error"


def _named(ends: tuple[float, float] | None, method: str) -> tuple[float | None, float | None, str | None]:
    return (None, None, None) if ends is None else (*ends, method)


def wilson(share: float, n_rows: float, confidence: float) -> tuple[float, float]:
    """Return Wilson's score interval of a share.

    >>> [round(end, 4) for end in wilson(0.96, 150, 0.95)]
    [0.9155, 0.9815]
    """
    z = float(stats.norm.ppf((1 + confidence) / 2))
    centre = (share + z * z / (2 * n_rows)) / (1 + z * z / n_rows)
    reach = z / (1 + z * z / n_rows) * math.sqrt(share * (1 - share) / n_rows + (z / (2 * n_rows)) ** 2)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def student(mean: float, variance: float, n_rows: int, confidence: float) -> tuple[float, float] | None:
    """Return Student's interval of a mean, from the variance over all rows; None for a single row."""
    if n_rows < 2:
        return None
    reach = float(stats.t.ppf((1 + confidence) / 2, n_rows - 1)) * math.sqrt(
        max(0.0, variance) / (n_rows - 1)
    )
    return mean - reach, mean + reach
