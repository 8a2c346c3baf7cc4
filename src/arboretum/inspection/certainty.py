"""How sure a leaf is: what its rows say, with an interval, beside what is predicted there.

The figures are those of rules (rules/figures.py). The tree chose its questions by these very rows, so the
intervals are too narrow, the more so the longer it searched; other rows are a fair test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from arboretum._tree.node import Node
from arboretum._tree.tree import Tree
from arboretum.inspection.rules.figures import Figures, figures_of, own_shares


@dataclass(frozen=True)
class Certainty:
    """What the rows of a leaf say by themselves, with an interval, beside what is predicted there.

    Of classes it is about the share of the predicted class: Wilson's score interval. Of numbers it is about
    the mean: Student's, from the spread of the rows. There is no interval where the tree does not know it, as
    with `Rule.interval`.
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
    most_frequent: int | None = None  # the class that most rows of the leaf have; None for numbers


def certainties_of(
    tree: Tree, ends: Mapping[int, float], label: int | None, confidence: float
) -> tuple[Certainty, ...]:
    """Return how sure leaves are of a class, or of their numbers; `ends` has the row's share in each."""
    figures = Figures.of(tree, confidence, label)
    method = "Student's t" if label is None else "Wilson"
    found = []
    for number, share in ends.items():
        known, leaf = figures_of(figures, number), Node(tree, number)
        own, predicted = known["own_value"], leaf.value
        if label is not None:
            own, predicted = known["own_share"], tree.array("probability")[number, label]
        low, high = known["interval"] or (None, None)
        found.append(
            Certainty(
                number,
                share,
                leaf.n_rows,
                float(own or 0.0),
                float(predicted or 0.0),
                low,
                high,
                None if low is None else method,
                confidence,
                None if label is None else int(np.argmax(own_shares(tree, [number])[0])),
            )
        )
    return tuple(found)
