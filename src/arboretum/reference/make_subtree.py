"""MakeSubtree: top-down learning with the lecture notes' candidate splits of nominal and numeric columns.

MakeSubtree, DetermineCandidateSplits, DetermineCandidateNumericSplits, FindBestSplit, InfoGain,
LookaheadFindBestSplit and EvaluateSplit keep their names; FindBestSplit is what the lecture notes also call
OrdinaryFindBestSplit. Growth stops where all rows share one class, or no candidate is left.

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
from typing import Any, Protocol, TypeAlias, TypeVar

from arboretum.information import entropy, information_gain
from arboretum.reference.grow_tree import label
from arboretum.reference.questions import midpoint
from arboretum.reference.reading import reads_tables

Row: TypeAlias = Mapping[str, Any]


class Asks(Protocol):
    """Anything that has an outcome for each row can be judged as a split."""

    def outcome(self, row: Row) -> Any: ...


AnySplit = TypeVar("AnySplit", bound=Asks)


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


@reads_tables
def make_subtree(
    rows: Sequence[Row], targets: Sequence[Any], kinds: Mapping[str, str], *, lookahead: bool = False
) -> Leaf | Inner:
    """Grow the subtree of these rows; `kinds` says which columns are "nominal" and which "numeric".

    With `lookahead`, a split is chosen by what it gains together with the next ones.
    """
    candidates = determine_candidate_splits(rows, targets, kinds)
    leaf = make_leaf(targets)
    if len(leaf.probabilities) == 1 or not candidates:
        return leaf
    find = lookahead_find_best_split if lookahead else find_best_split
    split = find(rows, targets, candidates)
    children = {
        outcome: make_subtree(*part, kinds, lookahead=lookahead)
        for outcome, part in divide(rows, targets, split).items()
    }
    return Inner(split, children, leaf)


def divide(
    rows: Sequence[Row], targets: Sequence[Any], split: Asks
) -> dict[Any, tuple[list[Row], list[Any]]]:
    """Return the rows and targets of each outcome."""
    parts: dict[Any, tuple[list[Row], list[Any]]] = {}
    for outcome in sorted({split.outcome(row) for row in rows}):
        here = [i for i, row in enumerate(rows) if split.outcome(row) == outcome]
        parts[outcome] = [rows[i] for i in here], [targets[i] for i in here]
    return parts


def make_leaf(targets: Sequence[Any]) -> Leaf:
    """Return a leaf with the share of each class, labelled with the most frequent one."""
    count = Counter(targets)
    return Leaf(label(targets), {target: count[target] / len(targets) for target in sorted(count)})


@reads_tables
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


@reads_tables
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


@reads_tables
def find_best_split(rows: Sequence[Row], targets: Sequence[Any], candidates: Sequence[AnySplit]) -> AnySplit:
    """Return the candidate with the largest information gain, the first of equals."""
    return max(candidates, key=lambda split: rounded(info_gain(rows, targets, split)))


@reads_tables
def info_gain(rows: Sequence[Row], targets: Sequence[Any], split: Asks) -> float:
    """InfoGain(D, S) = H_D(Y) - H_D(Y | S).

    >>> from arboretum.reference.tables import PLAY, PLAY_TENNIS
    >>> round(info_gain(PLAY_TENNIS, PLAY, NominalSplit("outlook")), 3)
    0.247
    """
    return information_gain(targets, [split.outcome(row) for row in rows])


@reads_tables
def lookahead_find_best_split(
    rows: Sequence[Row], targets: Sequence[Any], candidates: Sequence[AnySplit]
) -> AnySplit:
    """Return the candidate with the best subtree of two levels, the first of equals.

    In "exactly one of a and b" neither says anything alone, and the useless c a little:

    >>> rows = [{"c": c, "a": a, "b": b} for c, a, b in ["000", "001", "010", "111", "111"]]
    >>> targets = [row["a"] != row["b"] for row in rows]
    >>> splits = [NominalSplit(column) for column in "cab"]
    >>> [round(info_gain(rows, targets, split), 3) for split in splits]
    [0.42, 0.02, 0.02]
    >>> [round(evaluate_split(rows, targets, splits, split), 3) for split in splits]
    [0.571, 0.971, 0.971]
    >>> find_best_split(rows, targets, splits).column
    'c'
    >>> lookahead_find_best_split(rows, targets, splits).column
    'a'
    """
    return max(candidates, key=lambda split: rounded(evaluate_split(rows, targets, candidates, split)))


@reads_tables
def evaluate_split(
    rows: Sequence[Row], targets: Sequence[Any], candidates: Sequence[AnySplit], split: AnySplit
) -> float:
    """EvaluateSplit(D, C, S): the information gain of S and the best splits of C - S below its outcomes.

    The lecture notes set out by asking whether S alone separates the classes. The loop leaves such outcomes
    as they are.
    """
    others = [other for other in candidates if other != split]
    after = 0.0
    for part_rows, part_targets in divide(rows, targets, split).values():
        impurity = entropy(part_targets)
        if impurity > 0 and others:  # else no need, or no way, to split further
            impurity -= info_gain(part_rows, part_targets, find_best_split(part_rows, part_targets, others))
        after += len(part_rows) / len(rows) * impurity
    return entropy(targets) - after


def rounded(gain: float) -> float:
    """Round a gain, so that gains which are equal on paper tie."""
    return round(gain, 12)


def classify(tree: Leaf | Inner, row: Row) -> Any:
    """Return the label of the row's leaf, or of the last node that knows the row's value."""
    while isinstance(tree, Inner):
        tree = tree.children.get(tree.split.outcome(row), tree.otherwise)
    return tree.label
