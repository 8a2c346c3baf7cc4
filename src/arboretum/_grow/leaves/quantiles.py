"""Trees that keep the targets of the rows in their leaves, from which `predict_quantile` reads."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from arboretum._grow.leaves.filling import Filler, LeafRows, not_divided, not_ordered
from arboretum._options.strategies import AroundLeaf
from arboretum._tree.beside import beside_of
from arboretum._tree.surgery import with_beside
from arboretum._tree.tree import Tree

_QUANTILES = 'leaf="quantiles"'


class Quantiles(AroundLeaf, Filler):
    """The tree keeps the targets of its rows, leaf by leaf, so that `predict_quantile` can answer.

    It keeps one target and one weight for each row, in the order of the numbers within a leaf, and not which
    row they belong to. Model files hold them too: do not hand one on where the targets are confidential.

    >>> from arboretum import TreeRegressor
    >>> X, y = [[1], [1], [1], [2], [2]], [1.0, 2.0, 30.0, 50.0, 60.0]
    >>> model = TreeRegressor(leaf="quantiles", prune=None).fit(X, y)
    >>> model.predict_quantile([[1], [2]], [0.1, 0.5, 0.9])
    array([[ 1.,  2., 30.],
           [50., 55., 60.]])

    Parameters
    ----------
    leaf : {"shrinkage", "mean", "median"} or a leaf option
        What leaves predict.
    """

    leaf: Any = "shrinkage"

    _names: ClassVar = {"quantiles": {}}
    _targets = ("numbers",)
    _excludes = (
        not_divided(_QUANTILES, "a part of a row has no place in the order of the targets"),
        not_ordered(_QUANTILES),
    )

    def _filled(self, tree: Tree, rows: LeafRows) -> Tree:
        """Return the tree with the targets of these rows."""
        numbers, weights = np.asarray(rows.targets.numbers), rows.deciding
        order, begin, end = rows.by_node(tree)
        order = order[np.lexsort((numbers[order], begin[rows.resting(tree)[order]]))]
        arrays = {"begin": begin, "end": end, "value": numbers[order], "weight": weights[order]}
        return with_beside(tree, {"targets": beside_of("targets", arrays)})
