"""Pessimistic pruning: C4.5's, from the training rows alone.

Words: *confidence* (the chance that a leaf is worse than its estimate), *raise* (to put the largest branch of
a node in its place). The work is done by the core; here its result becomes a tree.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri
from sklearn.base import BaseEstimator

from arboretum import _core
from arboretum.criteria import impurity_of
from arboretum.errors import ParameterError, choices
from arboretum.growing import average_weight
from arboretum.pruning.collapse import assemble
from arboretum.pruning.log import PruningLog
from arboretum.pruning.pruning import Pruned, Task
from arboretum.pruning.sequence import shape_of
from arboretum.scalars import is_real
from arboretum.tree import Tree

__all__ = ["Pessimistic"]

Array = npt.NDArray[Any]

_ACTIONS: Final = ("keep", "leaf", "raise")


class Pessimistic(BaseEstimator):
    """Cut off, or replace by its largest branch, what a pessimist expects to do no better.

    C4.5's pruning, as Weka's J48 has it: the training errors of a leaf are raised to the upper limit of a
    confidence interval. First, subtrees that save no training error are cut off. Then every node, after those
    below it, becomes a leaf if that is estimated to be no worse (by a tenth of a row) than its subtree and
    than its largest branch; else, if the branch alone is estimated to be no worse, it takes the place of the
    node, the rows are sent down again, and it is pruned anew. A question that was moved keeps the gain of the
    place where it was found. Nothing is held out. For classes only.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> print(TreeClassifier.c45(prune=Pessimistic(confidence=0.1)).fit(X, y).tree_)
    [150 rows, weight 150]  entropy 1.58: setosa 33%, versicolor 33%, virginica 33%
    ├── petal_width <= 0.6  [50 rows, weight 50]  → setosa (100%)
    └── petal_width > 0.6  [100 rows, weight 100]  entropy 1: versicolor 50%, virginica 50%
        ├── petal_width <= 1.7  [54 rows, weight 54]  entropy 0.445: versicolor 91%, virginica 9%
        │   ├── petal_length <= 4.9  [48 rows, weight 48]  → versicolor (98%)
        │   └── petal_length > 4.9  [6 rows, weight 6]  → virginica (67%)
        └── petal_width > 1.7  [46 rows, weight 46]  → virginica (98%)

    Parameters
    ----------
    confidence : float
        Up to 0.5; the smaller, the more is cut off.
    raise_subtrees : bool
        Whether branches may take the place of their parent.
    """

    def __init__(self, confidence: float = 0.25, raise_subtrees: bool = True) -> None:
        self.confidence = confidence
        self.raise_subtrees = raise_subtrees

    def _check(self) -> None:
        """Refuse options that are not allowed."""
        confidence: Any = self.confidence
        raise_subtrees: Any = self.raise_subtrees
        if not is_real(confidence) or not 0.0 < confidence <= 0.5:
            raise ParameterError(
                f"prune=Pessimistic(confidence={confidence!r}) is not allowed; give a number above 0 and up "
                "to 0.5."
            )
        if not isinstance(raise_subtrees, bool | np.bool_):
            raise ParameterError(
                choices("prune=Pessimistic(…): raise_subtrees", raise_subtrees, (True, False))
            )

    def _prune(self, task: Task) -> Pruned:
        """Grow and prune."""
        self._check()
        growth = task.growth
        grown = growth.tree()
        targets = growth.targets
        weights = targets.reported_weights
        found = _core.prune_pessimistically(
            grown._router,
            shape_of(grown),
            growth.data,
            np.asarray(targets.classes),
            targets.n_classes,
            weights,
            float(self.confidence),
            float(ndtri(1.0 - self.confidence)),
            bool(self.raise_subtrees),
            1.0 if weights is None else average_weight(weights),
        )
        errors_of = "estimated errors of the subtree and of what would take its place"
        log = PruningLog.from_core(grown.array("id"), found, _ACTIONS, errors_of)
        return Pruned(_rebuilt(grown, found), grown, log=log)


def _rebuilt(grown: Tree, found: dict[str, Array]) -> Tree:
    """Return the tree that the core describes; nodes whose rows are others than before are counted anew."""
    source, moved = found["source"].astype(np.int64), found["moved"].astype(np.bool_)
    changed = {name: grown.array(name)[source].copy() for name in ("counts", "n_rows", "weight", "impurity")}
    if moved.any():
        counts = found["counts"][moved]
        changed["counts"][moved] = counts
        changed["n_rows"][moved] = found["n_rows"][moved]
        changed["weight"][moved] = counts.sum(axis=1)
        changed["impurity"][moved] = _impurities(grown, counts)
        if "p_value" in grown._arrays:  # what was tested were other rows
            changed["p_value"] = np.where(moved, np.nan, grown.array("p_value")[source])
        assert grown.rule is not None
        whole = {"counts": changed["counts"], "n_rows": changed["n_rows"], "parent": found["parent"]}
        for name, values in grown.rule.leaves(whole).items():
            changed[name] = np.where(_as_wide(moved, values), values, grown.array(name)[source])
    return assemble(grown, source, found["parent"], found["leaf"].astype(np.bool_), changed=changed)


def _as_wide(moved: Array, values: Array) -> Array:
    return moved if values.ndim == 1 else moved[:, None]


def _impurities(tree: Tree, counts: Array) -> Array:
    """Return the impurity of nodes with these class weights, by the tree's criterion."""
    total = counts.sum(axis=1, keepdims=True)
    share = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    match impurity_of(tree.criterion):
        case "gini":
            impurity: Array = np.where(total[:, 0] > 0, 1.0 - (share**2).sum(axis=1), 0.0)
        case "entropy":
            impurity = -(share * np.log2(share, out=np.zeros_like(share), where=share > 0)).sum(axis=1)
        case _:
            impurity = np.where(total[:, 0] > 0, 1.0 - share.max(axis=1), 0.0)
    return impurity
