"""Cross-validation on training data: how settings are compared where there are no development data.

Words: a *fold* is a pair of row sets, to learn from and to measure on; every row is measured once. With
times, each fold is measured on the rows that follow those it learns from, so the earliest are never measured.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arboretum.errors import DataError
from arboretum.experiment.fitting import fit
from arboretum.experiment.losses import Loss, average
from arboretum.experiment.rows import Rows
from arboretum.experiment.settings import make
from arboretum.experiment.splits import divide

__all__ = ["Fold", "cross_validate", "make_folds"]

Codes = npt.NDArray[np.intp]
Fold = tuple[Codes, Codes]


def make_folds(
    n_folds: int, n_rows: int, seed: int, strata: Codes | None, groups: Codes | None, moments: Codes | None
) -> list[Fold]:
    """Return the folds, fewer where rows, groups or moments are fewer."""
    units = n_rows if groups is None else len(np.unique(groups))
    if moments is not None:
        units = min(units, len(np.unique(moments)) - 1)
        moments = np.unique(moments, return_inverse=True)[1].ravel()
    if groups is not None:
        groups = np.unique(groups, return_inverse=True)[1].ravel()
    n_folds = min(n_folds, units)
    if n_folds < (2 if moments is None else 1):
        raise DataError("The training data have too few rows, groups or times for a cross-validation.")
    n_parts = n_folds + (moments is not None)
    part = divide(n_rows, [1 / n_parts] * n_parts, seed, strata=strata, groups=groups, moments=moments)
    if moments is not None:
        return [(np.flatnonzero(part < k), np.flatnonzero(part == k)) for k in range(1, n_parts)]
    return [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in range(n_parts)]


def cross_validate(estimator: Any, rows: Rows, folds: list[Fold], loss: Loss) -> float:
    """Return the average loss of the rows measured, each by the model of its own fold."""
    losses, measured = [], []
    for learnt, held_out in folds:
        model, test = make(estimator, {}), rows.take(held_out)
        fit(model, rows.take(learnt), loss.kind)
        losses.append(loss.each(test.target, loss.predict(model, test.X)))
        measured.append(held_out)
    weights = None if rows.weights is None else rows.weights[np.concatenate(measured)]
    return average(np.concatenate(losses), weights)
