"""Reduced-error pruning: what does not help on tuning data is cut off.

Words: *tuning* data are rows that the tree is not grown from; *order* is that in which nodes are tried.
The work is done by the core.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from sklearn.base import BaseEstimator

from arboretum import _core
from arboretum.errors import ParameterError, choices
from arboretum.pruning.collapse import collapse
from arboretum.pruning.log import PruningLog
from arboretum.pruning.pruning import Pruned, Task, errors_at_nodes
from arboretum.pruning.risks import resolve_measure
from arboretum.pruning.sequence import shape_of
from arboretum.scalars import is_real

__all__ = ["ReducedError"]

_ORDERS: Final = ("greedy", "leaves", "bottom_up")


class ReducedError(BaseEstimator):
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

    def __init__(self, fraction: float = 0.25, order: str = "greedy") -> None:
        self.fraction = fraction
        self.order = order

    def _check(self) -> None:
        """Refuse options that are not allowed."""
        fraction: Any = self.fraction
        if not is_real(fraction) or not 0.0 < fraction < 1.0:
            raise ParameterError(
                f"prune=ReducedError(fraction={fraction!r}) is not allowed; give a share of the rows between "
                "0 and 1."
            )
        order: Any = self.order
        if not isinstance(order, str) or order not in _ORDERS:
            raise ParameterError(choices("prune=ReducedError(…): order", order, _ORDERS))

    def _prune(self, task: Task) -> Pruned:
        """Grow and prune."""
        self._check()
        tuning = task.tuning
        if tuning is not None:
            grown = task.growth.tree(also_seen=[tuning.data])
        else:
            train, held_out = task.folds.holdout(float(self.fraction))
            grown = task.growth.tree(train, also_seen=[task.growth.data])
            tuning = task.held_out(held_out)
        measure = resolve_measure(None, grown.criterion, of_classes=grown.rule is not None)
        errors, _, infinite = errors_at_nodes(grown, tuning, measure)
        if infinite.any():  # a single one outweighs all others
            errors += infinite / infinite.max() * 1e100 * max(1.0, float(errors.max()))
        passing, resting = np.ascontiguousarray(errors)
        found = _core.reduce_error(shape_of(grown), passing, resting, self.order)
        errors_of = "errors of the tree on the tuning data"
        log = PruningLog.from_core(grown.array("id"), found, ("keep", "leaf"), errors_of)
        return Pruned(collapse(grown, found["leaves"].astype(np.bool_)), grown, log=log)
