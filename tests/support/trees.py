"""Fitting random tables, and following rows through the fitted tree by hand.

The shape is what a tree asks, without numbers; a way of growing switches parts of the engine off, or makes it
work in small tables as it does in large ones. The compiled engine only grows the tree here: who goes where is
worked out in plain Python.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np

from arboretum import Node, Tree, TreeClassifier, TreeRegressor, _core
from arboretum._options.criteria import CLASS_CRITERIA
from arboretum._tree.questions import Levels, Missing, Question, Threshold
from support.tables import Table, level_name

__all__ = ["PLAIN", "STRUCTURE", "WAYS", "child_of", "column_of", "divide", "estimator", "fit", "growing"]
__all__ += ["rows_of_nodes", "same_top", "shape", "threshold_of", "unpruned_classifier", "unpruned_regressor"]

# The arrays that say what is asked and who goes where; the others are numbers about the rows.
STRUCTURE = (
    *("parent", "first_child", "n_children", "depth", "kind", "column", "threshold", "threshold_floor"),
    *("missing_child", "missing_seen", "level_begin", "level", "level_child"),
)

# All lead to the same tree. `small_limit=0` sends tables of a few rows through what is meant for large ones.
_WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"fast": False},
    {"small_limit": 0},
    {"small_limit": 0, "bounds": False},
    {"small_limit": 0, "subtraction": False},
    {"small_limit": 0, "simd": False},
    {"small_limit": 4},
)
# What the compiled engine has no switch for is not tried.
WAYS = tuple(way for way in _WAYS if way.keys() <= set(dir(_core.GrowOptions())))
PLAIN = next((way for way in WAYS if way == {"fast": False}), WAYS[0])


@contextmanager
def growing(way: Mapping[str, Any]) -> Iterator[None]:
    """Trees are grown in this way meanwhile."""
    grow_tree = _core.grow_tree

    def in_this_way(*arguments: Any) -> Any:
        (options,) = (given for given in arguments if isinstance(given, _core.GrowOptions))
        for switch, value in way.items():
            assert hasattr(options, switch)
            setattr(options, switch, value)
        return grow_tree(*arguments)

    with patch.object(_core, "grow_tree", in_this_way):
        yield


def unpruned_classifier(**options: Any) -> TreeClassifier:
    """A classifier whose tree stays as grown, with gains and leaves as on paper, unless told otherwise."""
    return TreeClassifier(**{"prune": None, "levels": "raw", "leaf": "frequency"} | options)


def unpruned_regressor(**options: Any) -> TreeRegressor:
    """A regressor whose tree stays as grown, with gains and leaves as on paper, unless told otherwise."""
    return TreeRegressor(**{"prune": None, "levels": "raw", "leaf": "mean"} | options)


def estimator(criterion: str, **options: Any) -> Any:
    """An estimator for the criterion's kind of target; its tree is kept as it was grown."""
    kind = unpruned_classifier if criterion in CLASS_CRITERIA else unpruned_regressor
    return kind(criterion=criterion, **options)


def fit(table: Table, criterion: str, **options: Any) -> Any:
    """The estimator fitted to the table."""
    weights = None if table.weights is None else np.array(table.weights)
    return estimator(criterion, **options).fit(table.frame(), np.array(table.targets), sample_weight=weights)


def column_of(node: Node) -> int:
    """The position of the column that an inner node asks about."""
    return int(node.tree.array("column")[node.number])


def child_of(question: Question, kind: str, value: Any) -> int:
    """The child to which the question sends a plain value of a column of this kind."""
    if isinstance(question, Missing):
        return 0 if value is None else 1
    if value is None:
        return question.missing_child
    if isinstance(question, Levels):
        level = level_name(kind, value)
        return next(child for child, levels in enumerate(question.levels) if level in levels)
    assert isinstance(question, Threshold)
    if kind == "ordered":
        value = (question.about.levels or ()).index(level_name(kind, value))
    return 0 if value <= threshold_of(question) else 1


def threshold_of(question: Threshold) -> Any:
    """The threshold as an exact number, in the unit of the caller's values."""
    threshold = question.threshold
    if isinstance(threshold, float) and math.isinf(threshold):
        return threshold
    return Fraction(threshold) + question.about.offset


def divide(table: Table, node: Node, rows: Sequence[int]) -> tuple[list[int], list[int]]:
    """The rows of the left and of the right child of an inner node."""
    parts: tuple[list[int], list[int]] = ([], [])
    question, column = node.question, column_of(node)
    assert question is not None
    for row in rows:
        parts[child_of(question, table.kinds[column], table.columns[column][row])].append(row)
    return parts


def rows_of_nodes(table: Table, tree: Tree) -> dict[int, list[int]]:
    """The rows that count in each node, found by asking the questions one after the other."""
    rows = {0: table.counted}
    for node in tree.walk():
        if not node.is_leaf:
            for child, part in zip(node.children, divide(table, node, rows[node.number]), strict=True):
                rows[child.number] = part
    return rows


def shape(tree: Tree) -> list[str]:
    """All questions of the tree from the top down, with the way that missing values take."""
    return [
        f"{node.question} / {node.question.missing_child}" if node.question else "leaf"
        for node in tree.walk()
    ]


def same_top(small: Tree, large: Tree) -> bool:
    """Whether the small tree is the large one with some nodes collapsed to leaves."""
    pairs = [(small.root, large.root)]
    while pairs:
        mine, its = pairs.pop()
        if (mine.n_rows, mine.weight, mine.impurity, mine.label) != (
            its.n_rows,
            its.weight,
            its.impurity,
            its.label,
        ):
            return False
        if not mine.is_leaf:
            if its.is_leaf or mine.question != its.question or mine.gain != its.gain:
                return False
            pairs.extend(zip(mine.children, its.children, strict=True))
    return True
