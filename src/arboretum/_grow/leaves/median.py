"""Leaves that predict the median of their rows, whatever criterion grew the tree."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from arboretum._grow.leaves.filling import Filler, LeafRows, not_bounded, not_divided, not_ordered
from arboretum._tree.beside import beside_of
from arboretum._tree.quantiles import weighted_quantiles
from arboretum._tree.surgery import with_beside
from arboretum._tree.tree import Tree

_MEDIAN = 'leaf="median"'


class Median(Filler):
    """Leaves predict the median of their rows, whatever criterion chose the questions.

    The size of the tree is chosen by the criterion, with the means that belong to it; then every node gets
    the median of its rows: the mean of the lower and the upper one, by weight. A node without rows predicts
    what the nearest node above does. With `criterion="absolute_error"` leaves predict medians anyway.

    >>> from arboretum import TreeRegressor
    >>> X, y = [[1], [1], [1], [2]], [1.0, 2.0, 30.0, 50.0]
    >>> TreeRegressor(leaf="median", prune=None).fit(X, y).predict([[1], [2]])
    array([ 2., 50.])
    """

    _names: ClassVar = {"median": {}}
    _targets = ("numbers",)
    _excludes = (
        not_bounded(_MEDIAN),
        not_ordered(_MEDIAN),
        not_divided(_MEDIAN, "a part of a row has no place in the order of the targets"),
    )

    def _filled(self, tree: Tree, rows: LeafRows) -> Tree:
        """Return the tree whose nodes predict medians."""
        order, begin, end = rows.by_node(tree)
        numbers, weights = np.asarray(rows.targets.numbers)[order], rows.deciding[order]
        parent, found = tree.array("parent").tolist(), tree.array("value").copy()
        for node, (first, last) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
            here = slice(first, last)
            found[node] = (
                weighted_quantiles(numbers[here], weights[here], np.array([0.5]))[0]
                if last > first
                else found[parent[node]]
            )
        mean = {} if tree.criterion == "absolute_error" else {"mean": tree.array("value")}
        beside = {"median": beside_of("median", mean)} if mean else {}
        return with_beside(tree, beside, {"value": found})
