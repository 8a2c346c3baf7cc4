"""The trees of a model, one or many, for all that is averaged over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arboretum._data.dataset import core_dataset
from arboretum._tree.fitted import tree_of
from arboretum._tree.tree import Tree
from arboretum._types import Array, Indices, Mask, Numbers
from arboretum.errors import DataError
from arboretum.estimators.bagging.base_bagging import BaseBagging
from arboretum.estimators.bagging.growing import predictions_for


def trees_of(model: Any, asker: str) -> Sequence[Tree]:
    """Return the trees of a fitted ensemble, or the one tree of any other model."""
    if isinstance(model, BaseBagging):
        return model._fitted.trees
    return (tree_of(model, asker),)


class LeftOut:
    """An ensemble that predicts each training row by the trees that were not grown from it."""

    def __init__(self, model: BaseBagging, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        fitted = model._fitted
        if not fitted.samples.leaves_rows_out:
            raise DataError(
                "Every tree of this ensemble was grown from all rows, so that no row is out of bag.\n"
                "Hint: fit with bootstrap=True, or judge the model by other rows."
            )
        if model._described(X, y, sample_weight, groups).fingerprint != fitted.training_data.fingerprint:
            raise DataError(
                "Only the rows that the ensemble was fitted to are out of bag for some trees, but X, y or "
                "sample_weight differ from those of the fit.\n"
                "Hint: give the same table in the same order, or judge the model by other rows without oob."
            )
        self._model = model
        self._left_out = [fitted.samples.left_out(number) for number in range(len(fitted.packed))]
        places = np.arange(fitted.n_given) if fitted.origin is None else fitted.origin
        judged = np.logical_or.reduce(self._left_out)
        self._rows: Indices = np.flatnonzero(judged)
        self.is_judged: Mask = np.zeros(fitted.n_given, dtype=np.bool_)
        self.is_judged[places[judged]] = True

    def keep(self, is_kept: Mask) -> None:
        """Say which of the judged rows tables have from now on."""
        self._rows = self._rows[is_kept]

    def __getattr__(self, name: str) -> Any:
        # What a loss asks of a model: its classes, and what to predict.
        if name == "classes_" and hasattr(self._model, "classes_"):
            return self._model.classes_
        if name == "predict_proba" and hasattr(self._model, "predict_proba"):
            return self._mean
        raise AttributeError(name)

    def predict(self, X: Any) -> Array:
        """Return the class or the number of each row."""
        means = self._mean(X)
        found: Array = means[:, 0] if not hasattr(self._model, "classes_") else self._model._chosen(means)
        return found

    def _mean(self, X: Any) -> Numbers:
        fitted = self._model._fitted
        table = core_dataset(fitted.matched(X, **self._model._matching("missing")))
        sums, times = np.zeros((len(self._rows), fitted.width)), np.zeros((len(self._rows), 1))
        for tree, left_out in zip(fitted.trees, self._left_out, strict=True):
            here = left_out[self._rows]
            sums[here] += predictions_for(tree, table.take(np.flatnonzero(here).astype(np.uint32)))
            times[here] += 1
        means: Numbers = sums / times
        return means
