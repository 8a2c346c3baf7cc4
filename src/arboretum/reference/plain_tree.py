"""The compiled engine's twin in plain Python: tries every question at every node, and counts exactly.
Words: grow, homogeneous, best split, divide, label, as in the lecture notes; a tree is a Leaf or a Branch.
Does not aim at speed, and does not prune or predict from data frames: it says what the right tree is.

>>> from arboretum.reference.tables import CUSTOMER_CLASSES, CUSTOMERS
>>> goods, weight = ([row[name] for row in CUSTOMERS] for name in ("goods", "weight"))
>>> tree = grow([goods, weight], ["nominal", "numeric"], CUSTOMER_CLASSES, nominal="one_vs_rest", max_depth=1)
>>> tree.question, round(tree.impurity, 3), round(tree.gain, 3)
(Subset(column=0, levels=frozenset({3}), missing_left=False), 0.642, 0.346)
>>> [(child.label, child.n_rows) for child in tree.children]
[('w1', 3), ('w2', 6)]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from arboretum.errors import DataError
from arboretum.reference.impurities import Criterion, Number, Pairs, criterion_named, total
from arboretum.reference.questions import Question, questions_about

__all__ = ["Branch", "Leaf", "Split", "best_split", "candidate_splits", "divide", "grow", "homogeneous"]


@dataclass(frozen=True)
class Leaf:
    """A node without a question. The label is a class, or the mean or median of the targets."""

    label: Any
    n_rows: int
    weight: float
    impurity: float


@dataclass(frozen=True)
class Branch:
    """A node with a question, and what its rows look like before it is asked."""

    question: Question
    children: tuple[Leaf | Branch, ...]
    gain: float
    label: Any
    n_rows: int
    weight: float
    impurity: float


class Split(NamedTuple):
    """A question, what it gains, and the row numbers of each child. Equal gains are equal numbers."""

    question: Question
    gain: Number
    children: tuple[list[int], ...]


@dataclass(frozen=True)
class Rules:
    """How to ask, how to judge and when to stop."""

    criterion: Criterion
    nominal: str
    thresholds: str
    max_depth: float
    min_samples_split: int
    min_samples_leaf: int
    min_impurity_decrease: float


@dataclass(frozen=True)
class Table:
    """The columns, and each row's target with its weight."""

    columns: Sequence[Sequence[Any]]
    kinds: Sequence[str]
    pairs: Pairs

    def pairs_of(self, rows: Sequence[int]) -> Pairs:
        return [self.pairs[row] for row in rows]


def grow(
    columns: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    targets: Sequence[Any],
    *,
    weights: Sequence[float] | None = None,
    criterion: str = "gini",
    nominal: str = "subset",
    thresholds: str = "midpoint",
    max_depth: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    min_impurity_decrease: float = 0.0,
) -> Leaf | Branch:
    """Grow the tree of all rows whose weight is above zero.

    Columns are lists, None for a missing value; kinds are "numeric", "ordered" (level numbers), "nominal".
    An impure node is split even if the best gain is zero: the tree of "exactly one of two" starts so.

    >>> tree = grow([[0, 0, 1, 1], [0, 1, 0, 1]], ["numeric", "numeric"], [0, 1, 1, 0])
    >>> tree.gain, [child.gain for child in tree.children]
    (0.0, [0.5, 0.5])
    """
    rules = Rules(
        criterion_named(criterion),
        nominal,
        thresholds,
        math.inf if max_depth is None else max_depth,
        min_samples_split,
        min_samples_leaf,
        min_impurity_decrease,
    )
    table, rows = read(columns, kinds, targets, weights, rules.criterion)
    return grow_node(table, rules, rows, depth=0, root_weight=total(table.pairs_of(rows)))


def grow_node(
    table: Table, rules: Rules, rows: list[int], depth: int, root_weight: Fraction
) -> Leaf | Branch:
    """A leaf if nothing is to be gained, otherwise the best split and a subtree for each of its children."""
    leaf = make_leaf(table, rules.criterion, rows)
    if homogeneous(table, rows) or depth >= rules.max_depth or len(rows) < rules.min_samples_split:
        return leaf
    split = best_split(splits_of(table, rules, rows))
    if split is None or split.gain * total(table.pairs_of(rows)) / root_weight < rules.min_impurity_decrease:
        return leaf
    return Branch(
        split.question,
        tuple(grow_node(table, rules, child, depth + 1, root_weight) for child in split.children),
        float(split.gain),
        leaf.label,
        leaf.n_rows,
        leaf.weight,
        leaf.impurity,
    )


def homogeneous(table: Table, rows: Sequence[int]) -> bool:
    """Do all rows share one target?"""
    return len({target for target, _ in table.pairs_of(rows)}) <= 1


def make_leaf(table: Table, criterion: Criterion, rows: Sequence[int]) -> Leaf:
    """The node's own numbers and its label. Fractions have done their work here and become floats."""
    pairs = table.pairs_of(rows)
    label = criterion.label(pairs)
    return Leaf(
        float(label) if isinstance(label, Fraction) else label,
        len(rows),
        float(total(pairs)),
        float(criterion.impurity(pairs)),
    )


def best_split(splits: Sequence[Split]) -> Split | None:
    """The split with the largest gain, the first one among equals; None if there is none to choose from.

    On numbers that allow no question there is nothing to choose:

    >>> best_split(candidate_splits([[7, 7]], ["numeric"], ["a", "b"])) is None
    True
    """
    return max(splits, key=lambda split: split.gain, default=None)


def divide(
    columns: Sequence[Sequence[Any]], rows: Sequence[int], question: Question
) -> tuple[list[int], list[int]]:
    """The rows of child 0 and of child 1."""
    parts: tuple[list[int], list[int]] = ([], [])
    for row in rows:
        parts[question.child(columns[question.column][row])].append(row)
    return parts


def gain(criterion: Criterion, node: Pairs, children: Sequence[Pairs]) -> Number:
    """impurity(node) - sum of weight(child)/weight(node) impurity(child); below zero counts as zero."""
    parts = [total(child) / total(node) * criterion.impurity(child) for child in children]
    after = math.fsum(parts) if any(isinstance(part, float) for part in parts) else sum(parts, Fraction(0))
    return max(Fraction(0), criterion.impurity(node) - after)


def splits_of(table: Table, rules: Rules, rows: Sequence[int]) -> list[Split]:
    """Every admissible split of these rows, in the order of ties: columns ascending, then their questions."""
    node = table.pairs_of(rows)

    def questions() -> Iterator[Question]:
        for column, kind in enumerate(table.kinds):
            values = [table.columns[column][row] for row in rows]
            yield from questions_about(
                column, kind, values, nominal=rules.nominal, thresholds=rules.thresholds
            )

    splits = []
    for question in questions():
        children = divide(table.columns, rows, question)
        pairs = [table.pairs_of(child) for child in children]
        if min(map(len, children)) >= rules.min_samples_leaf and all(map(rules.criterion.admits, pairs)):
            splits.append(Split(question, gain(rules.criterion, node, pairs), children))
    return splits


def candidate_splits(
    columns: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    targets: Sequence[Any],
    *,
    rows: Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
    criterion: str = "gini",
    nominal: str = "subset",
    thresholds: str = "midpoint",
    min_samples_leaf: int = 1,
) -> list[Split]:
    """Every admissible split of one node, which holds `rows` or else all rows, in the order of ties.

    >>> splits = candidate_splits([[1, 2, 3, 4, 5]], ["numeric"], ["a", "a", "b", "b", "b"])
    >>> [(split.question.threshold, str(split.gain)) for split in splits]
    [(1.5, '9/50'), (2.5, '12/25'), (3.5, '16/75'), (4.5, '2/25')]
    """
    rules = Rules(criterion_named(criterion), nominal, thresholds, math.inf, 2, min_samples_leaf, 0.0)
    table, weighty = read(columns, kinds, targets, weights, rules.criterion)
    return splits_of(table, rules, weighty if rows is None else [row for row in rows if row in set(weighty)])


def read(
    columns: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    targets: Sequence[Any],
    weights: Sequence[float] | None,
    criterion: Criterion,
) -> tuple[Table, list[int]]:
    """The table, and the numbers of its rows without those of weight zero."""
    n_rows = len(targets)
    weights = [1] * n_rows if weights is None else weights
    lengths = {len(weights), *map(len, columns)}
    if lengths != {n_rows} or len(kinds) != len(columns):
        raise DataError(
            f"There are {n_rows} targets, {len(kinds)} kinds and {len(columns)} columns; columns and weights "
            f"have the lengths {sorted(lengths)}. Each column needs a kind, each row a target and a weight."
        )
    pairs = [(criterion.target(y), Fraction(w)) for y, w in zip(targets, weights, strict=True)]
    rows = [row for row, (_, weight) in enumerate(pairs) if weight > 0]
    if not rows:
        raise DataError("No row has a weight above zero; at least one is needed.")
    return Table(columns, kinds, pairs), rows
