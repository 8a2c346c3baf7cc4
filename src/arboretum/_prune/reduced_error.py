"""Reduced-error pruning: cut off what does not help on tuning data."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, get_args

import numpy as np

from arboretum import _core
from arboretum._options.choices import Order
from arboretum._options.rules import OneOf, Real
from arboretum._options.settings import Settings
from arboretum._prune.log import PruningLog
from arboretum._prune.pruning import Pruned, Pruner, Task, errors_at_nodes
from arboretum._prune.risks import resolve_measure
from arboretum._prune.sequence import shape_of
from arboretum._tree.surgery import collapse
from arboretum._tree.tree import Tree
from arboretum._types import Numbers


class ReducedError(Pruner):
    """Cut off what makes no fewer mistakes on rows that the tree was not grown from.

    The tuning rows are those given to `fit` as `X_val`, `y_val`, or a share of the training rows. Leaves
    predict what the rows say that the tree was grown from. `pruning_log_` tells every step.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(prune=ReducedError()).fit(X, y)
    >>> print(model.pruning_log_)
       node       before        after  action   (errors of the tree on the tuning data)
          3            2            2  leaf
          4            2            2  leaf
          2            2           13  keep

    Parameters
    ----------
    fraction : float
        The share of the rows that is held out, of each class alike, where no tuning data are given.
    order : {"greedy", "leaves", "bottom_up"}
        "greedy": again and again the node whose removal saves most errors, until that would do harm; what
        makes no difference is cut off, ties go to the node nearer to the root, then to the left. "leaves":
        leaf by leaf from the left, its parent becomes a leaf if the tree then makes strictly fewer errors; a
        new leaf is looked at after the others. "bottom_up": every node after those below it, cut off unless
        that does harm; of all pruned trees this finds the smallest with fewest errors.
    """

    fraction: float = 0.25
    order: Order = "greedy"

    _names: ClassVar = {"reduced_error": {}}
    _rules: ClassVar = {
        "fraction": Real("a share of the rows between 0 and 1", above=True, most=1.0, below=True),
        "order": OneOf(get_args(Order)),
    }

    @property
    def _wants_tuning(self) -> bool:
        return True

    def _prepared(self, task: Task) -> Task:
        """Return the task with tuning rows: those given, or some held out of the training rows."""
        if task.tuning is not None:
            return replace(task, also_seen=(task.tuning.data,))
        train, held_out = task.folds.holdout(float(self.fraction))
        tuning = task.held_out(held_out)
        return replace(task, tuning=tuning, rows=train, also_seen=(task.growth.data,))

    def _prune(self, grown: Tree, task: Task) -> Pruned:
        """Return the pruned tree."""
        tuning = task.tuning
        assert tuning is not None
        return self._reduced(grown, errors_at_nodes(grown, tuning, self._measure_of(task.growth.settings)))

    def _measure_of(self, settings: Settings) -> str:
        """Return what a prediction costs."""
        return resolve_measure(None, settings.criterion, of_classes=settings.of_classes)

    def _reduced(self, grown: Tree, at_nodes: tuple[Numbers, Numbers, Numbers]) -> Pruned:
        """Return the tree without what helps no rows that cost this much at its nodes."""
        errors, _, infinite = at_nodes
        if infinite.any():  # a single one outweighs all others
            errors += infinite / infinite.max() * 1e100 * max(1.0, float(errors.max()))
        passing, resting = np.ascontiguousarray(errors)
        found = _core.reduce_error(shape_of(grown), passing, resting, self.order)
        errors_of = "errors of the tree on the tuning data"
        log = PruningLog._from_core(grown.array("id"), found, ("keep", "leaf"), errors_of)
        return Pruned(collapse(grown, found["leaves"].astype(np.bool_)), grown, log=log)
