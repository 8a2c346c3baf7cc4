"""MakeSubtree: top-down learning with the lecture notes' candidate splits of nominal and numeric columns.

MakeSubtree, DetermineCandidateSplits, DetermineCandidateNumericSplits, FindBestSplit (without lookahead) and
InfoGain keep their names. Growth stops where all rows share one class, or no candidate is left.

>>> from arboretum.reference.tables import CUSTOMER_CLASSES, CUSTOMERS
>>> kinds = {"job": "nominal", "goods": "nominal", "weight": "numeric"}
>>> tree = make_subtree(CUSTOMERS, CUSTOMER_CLASSES, kinds)
>>> [classify(tree, row) for row in CUSTOMERS] == CUSTOMER_CLASSES
True
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from arboretum.information import information_gain
from arboretum.reference.grow_tree import label
from arboretum.reference.questions import midpoint

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class NominalSplit:
    """One outcome per value."""

    column: str

    def outcome(self, row: Row) -> Any:
        return row[self.column]


@dataclass(frozen=True)
class NumericSplit:
    """Two outcomes: is `column <= threshold`?"""

    column: str
    threshold: float

    def outcome(self, row: Row) -> bool:
        return bool(row[self.column] <= self.threshold)


Split: TypeAlias = NominalSplit | NumericSplit


@dataclass(frozen=True)
class Leaf:
    label: Any
    probabilities: Mapping[Any, float]


@dataclass(frozen=True)
class Inner:
    split: Split
    children: Mapping[Any, Leaf | Inner]
    otherwise: Leaf  # for a row whose value no training row of this node had


def make_subtree(rows: Sequence[Row], targets: Sequence[Any], kinds: Mapping[str, str]) -> Leaf | Inner:
    """Grow the subtree of these rows; `kinds` says which columns are "nominal" and which "numeric"."""
    candidates = determine_candidate_splits(rows, targets, kinds)
    leaf = make_leaf(targets)
    if len(leaf.probabilities) == 1 or not candidates:
        return leaf
    split = find_best_split(rows, targets, candidates)
    children = {}
    for outcome in sorted({split.outcome(row) for row in rows}):
        here = [i for i, row in enumerate(rows) if split.outcome(row) == outcome]
        children[outcome] = make_subtree([rows[i] for i in here], [targets[i] for i in here], kinds)
    return Inner(split, children, leaf)


def make_leaf(targets: Sequence[Any]) -> Leaf:
    """Return a leaf with the share of each class, labelled with the most frequent one."""
    count = Counter(targets)
    return Leaf(label(targets), {target: count[target] / len(targets) for target in sorted(count)})


def determine_candidate_splits(
    rows: Sequence[Row], targets: Sequence[Any], kinds: Mapping[str, str]
) -> list[Split]:
    """Return a split per nominal column, with a branch per value, and one per threshold of a numeric column.

    A nominal column with a single value left separates nothing and is no candidate.
    """
    candidates: list[Split] = []
    for column, kind in kinds.items():
        if kind == "numeric":
            candidates += determine_candidate_numeric_splits(rows, targets, column)
        elif len({row[column] for row in rows}) > 1:
            candidates.append(NominalSplit(column))
    return candidates


def determine_candidate_numeric_splits(
    rows: Sequence[Row], targets: Sequence[Any], column: str
) -> list[NumericSplit]:
    """Return the midpoints between neighbouring values whose rows do not all share one class.

    Five of the eight midpoints between the nine weights:

    >>> from arboretum.reference.tables import CUSTOMER_CLASSES, CUSTOMERS
    >>> splits = determine_candidate_numeric_splits(CUSTOMERS, CUSTOMER_CLASSES, "weight")
    >>> [round(split.threshold, 2) for split in splits]
    [46.7, 49.2, 66.55, 80.75, 90.5]
    """
    classes: dict[Any, set[Any]] = {}
    for row, target in zip(rows, targets, strict=True):
        classes.setdefault(row[column], set()).add(target)
    return [
        NumericSplit(column, midpoint(low, high))
        for low, high in pairwise(sorted(classes))
        if len(classes[low] | classes[high]) > 1
    ]


def find_best_split(rows: Sequence[Row], targets: Sequence[Any], candidates: Sequence[Split]) -> Split:
    """Return the candidate with the largest information gain, the first of equals."""
    return max(candidates, key=lambda split: info_gain(rows, targets, split))


def info_gain(rows: Sequence[Row], targets: Sequence[Any], split: Split) -> float:
    """InfoGain(D, S) = H_D(Y) - H_D(Y | S).

    >>> from arboretum.reference.tables import PLAY, PLAY_TENNIS
    >>> round(info_gain(PLAY_TENNIS, PLAY, NominalSplit("outlook")), 3)
    0.247
    """
    return information_gain(targets, [split.outcome(row) for row in rows])


def classify(tree: Leaf | Inner, row: Row) -> Any:
    """Return the label of the row's leaf, or of the last node that knows the row's value."""
    while isinstance(tree, Inner):
        tree = tree.children.get(tree.split.outcome(row), tree.otherwise)
    return tree.label
