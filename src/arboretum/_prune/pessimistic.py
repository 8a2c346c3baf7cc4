"""Pessimistic pruning as in C4.5, from the training rows alone: the core decides, this rebuilds the tree."""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np
from scipy.special import ndtri

from arboretum import _core
from arboretum._grow.impurities import class_impurities
from arboretum._grow.targets import average_weight
from arboretum._options.criteria import impurity_of
from arboretum._options.rules import Flag, Real
from arboretum._options.strategy import Exclusion
from arboretum._prune.log import PruningLog
from arboretum._prune.pruning import Pruned, Pruner, Task
from arboretum._prune.sequence import shape_of
from arboretum._tree.surgery import assemble
from arboretum._tree.tree import Tree
from arboretum._types import Array

_RAISING: Final = "Pessimistic(raise_subtrees=True)"
_ACTIONS: Final = ("keep", "leaf", "raise")


class Pessimistic(Pruner):
    """Cut off a branch, or replace a node by its largest branch, where a pessimist expects no loss.

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

    confidence: float = 0.25
    raise_subtrees: bool = True

    _names: ClassVar = {"pessimistic": {}}
    _rules: ClassVar = {
        "confidence": Real("a number above 0 and up to 0.5", above=True, most=0.5),
        "raise_subtrees": Flag(),
    }
    _targets = ("classes",)
    _excludes = (
        Exclusion(
            'prune="pessimistic"',
            "numbers as targets",
            "it counts misclassified rows",
            'choose prune="cost_complexity" or prune="reduced_error"',
        ),
        Exclusion(
            'prune="pessimistic"',
            "priors or loss",
            "it counts mistakes and ignores their cost",
            'choose prune="cost_complexity", or class_weight',
        ),
        Exclusion(
            _RAISING,
            "monotonic_cst",
            "a raised branch may predict what its bounds forbid",
            "choose Pessimistic(raise_subtrees=False)",
        ),
    )

    def _chosen(self) -> set[str]:
        return super()._chosen() - (set() if self.raise_subtrees else {_RAISING})

    def _prune(self, grown: Tree, task: Task) -> Pruned:
        """Return the pruned tree."""
        growth = task.growth
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
        log = PruningLog._from_core(grown.array("id"), found, _ACTIONS, errors_of)
        return Pruned(_rebuilt(grown, found), grown, log=log)


def _rebuilt(grown: Tree, found: dict[str, Array]) -> Tree:
    """Return the tree that the core describes; nodes with other rows than before are counted again."""
    source, moved = found["source"].astype(np.int64), found["moved"].astype(np.bool_)
    changed = {name: grown.array(name)[source].copy() for name in ("counts", "n_rows", "weight", "impurity")}
    if moved.any():
        counts = found["counts"][moved]
        changed["counts"][moved] = counts
        changed["n_rows"][moved] = found["n_rows"][moved]
        changed["weight"][moved] = counts.sum(axis=1)
        changed["impurity"][moved] = class_impurities(impurity_of(grown.criterion), counts)
        if "p_value" in grown._arrays:  # what was tested were other rows
            changed["p_value"] = np.where(moved, np.nan, grown.array("p_value")[source])
        assert grown.rule is not None
        whole = {"counts": changed["counts"], "n_rows": changed["n_rows"], "parent": found["parent"]}
        for name, values in grown.rule.leaves(whole, grown.shrinkage).items():
            changed[name] = np.where(_as_wide(moved, values), values, grown.array(name)[source])
    return assemble(grown, source, found["parent"], found["leaf"].astype(np.bool_), changed=changed)


def _as_wide(moved: Array, values: Array) -> Array:
    return moved if values.ndim == 1 else moved[:, None]
