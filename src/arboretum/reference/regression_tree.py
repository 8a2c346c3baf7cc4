"""The least-squares regression tree of the lecture notes: regions, each with the average of its targets.

The split of a node is the column j and the split point s whose regions, x_j <= s and x_j > s, have the
smallest sum of squared distances from their averages. The lecture notes prune this large tree afterwards.

>>> rows = [(float(x),) for x in range(8)]
>>> grow_regression_tree(rows, [1, 1, 1, 1, 5, 5, 5, 9])
Region(column=0, split_point=3.5, left=Leaf(value=1.0), right=Leaf(value=6.0))

The four rows on the right still differ, but they are no more than the minimum node size, 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import TypeAlias

from arboretum.reference.questions import midpoint

Row: TypeAlias = Sequence[float]


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Region:
    column: int
    split_point: float
    left: Leaf | Region
    right: Leaf | Region


def grow_regression_tree(
    rows: Sequence[Row], targets: Sequence[float], min_node_size: int = 5
) -> Leaf | Region:
    """Split until a node has at most `min_node_size` rows, equal targets, or rows that look the same."""
    if len(rows) <= min_node_size or len(set(targets)) <= 1:
        return Leaf(fmean(targets))
    split = best_split(rows, targets)
    if split is None:
        return Leaf(fmean(targets))
    column, point = split
    left = [i for i, row in enumerate(rows) if row[column] <= point]
    right = [i for i, row in enumerate(rows) if row[column] > point]
    return Region(
        column,
        point,
        grow_regression_tree([rows[i] for i in left], [targets[i] for i in left], min_node_size),
        grow_regression_tree([rows[i] for i in right], [targets[i] for i in right], min_node_size),
    )


def best_split(rows: Sequence[Row], targets: Sequence[float]) -> tuple[int, float] | None:
    """Return the column and split point with the smallest sum of squares; None if all rows are alike."""

    def cost(split: tuple[int, float]) -> float:
        column, point = split
        left = [target for row, target in zip(rows, targets, strict=True) if row[column] <= point]
        right = [target for row, target in zip(rows, targets, strict=True) if row[column] > point]
        return sum_of_squares(left) + sum_of_squares(right)

    return min(split_points(rows), key=cost, default=None)


def split_points(rows: Sequence[Row]) -> list[tuple[int, float]]:
    """Return every column with every midpoint between its neighbouring values.

    >>> split_points([(1,), (2,), (3,), (4,), (5,)])
    [(0, 1.5), (0, 2.5), (0, 3.5), (0, 4.5)]
    """
    return [
        (column, midpoint(low, high))
        for column in range(len(rows[0]))
        for low, high in pairwise(sorted({row[column] for row in rows}))
    ]


def sum_of_squares(targets: Sequence[float]) -> float:
    """Return N_m Q_m: the squared distances from the average, which is the best constant."""
    average = fmean(targets)
    return sum((target - average) ** 2 for target in targets)


def predict(tree: Leaf | Region, row: Row) -> float:
    """Return the average of the row's region."""
    while isinstance(tree, Region):
        tree = tree.left if row[tree.column] <= tree.split_point else tree.right
    return tree.value
