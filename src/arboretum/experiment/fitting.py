"""Fitting an estimator to rows, and cross-validation where there are no development data."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from arboretum._data.rows import Rows, Target, as_table, read_target, with_common_classes
from arboretum._data.targets import read_weights
from arboretum._options.measures.measure import Measure, average, row_weights
from arboretum._options.measures.table import check_goes, measure_kind, resolve_loss
from arboretum._prune.folds import deal_rows
from arboretum._types import Indices, Numbers
from arboretum._warning import unheard
from arboretum.errors import DataError, ParameterError
from arboretum.experiment.settings import make
from arboretum.experiment.splits import divide, read_groups, renumbered


def fit(model: Any, rows: Rows, kind: str, tuning: Rows | None = None) -> float:
    """Fit the model to the rows, whose target is of this kind, and return the seconds it took."""
    given: dict[str, Any] = {}
    if rows.weights is not None:
        given[_weight_name(model)] = rows.weights
    if rows.groups is not None and has_fit_parameter(model, "groups"):
        given["groups"] = rows.groups
    if tuning is not None:
        given |= _tuning(model, tuning, kind)
    start = time.perf_counter()
    model.fit(rows.X, rows.target.values(kind), **given)
    return time.perf_counter() - start


def _weight_name(model: Any) -> str:
    if has_fit_parameter(model, "sample_weight"):
        return "sample_weight"
    if isinstance(model, Pipeline):
        name, last = model.steps[-1]
        if has_fit_parameter(last, "sample_weight"):
            return f"{name}__sample_weight"
    raise ParameterError(
        f"The rows have weights, but the fit of {type(model).__name__} takes no sample_weight; choose "
        "another estimator, or leave the weights out."
    )


def _tuning(model: Any, tuning: Rows, kind: str) -> dict[str, Any]:
    if not has_fit_parameter(model, "X_val"):
        raise ParameterError(
            f"prune_on_development=True needs an estimator whose fit takes X_val, but that of "
            f"{type(model).__name__} does not."
        )
    given = {"X_val": tuning.X, "y_val": tuning.target.values(kind)}
    return given if tuning.weights is None else given | {"sample_weight_val": tuning.weights}


def tree_size(model: Any) -> tuple[int | None, int | None]:
    """Return leaves and depth of a fitted tree, or of the last step of a pipeline; None if it has none."""
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if not (hasattr(last, "get_n_leaves") and hasattr(last, "get_depth")):
        return None, None
    return int(last.get_n_leaves()), int(last.get_depth())


Fold = tuple[Indices, Indices]


def make_folds(
    n_folds: int,
    n_rows: int,
    seed: int,
    strata: Indices | None,
    groups: Indices | None,
    moments: Indices | None,
) -> list[Fold]:
    """Return folds, pairs of rows to learn from and to measure on; fewer where rows or groups are few.

    With moments, each fold is measured on the rows that follow those it learns from, so the earliest rows are
    never measured; otherwise every row is measured once.
    """
    if groups is not None:
        groups = renumbered(groups)
    n_folds = min(n_folds, n_rows if groups is None else int(groups.max()) + 1)
    if moments is not None:
        moments = renumbered(moments)
        n_folds = min(n_folds, int(moments.max()))
    if n_folds < (2 if moments is None else 1):
        raise DataError("The training data have too few rows, groups or times for a cross-validation.")
    if moments is None:
        part = deal_rows(n_folds, n_rows, strata, groups, seed)
        return [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in np.unique(part)]
    shares = [1 / (n_folds + 1)] * (n_folds + 1)
    part = divide(n_rows, shares, seed, groups=groups, moments=moments)
    return [(np.flatnonzero(part < k), np.flatnonzero(part == k)) for k in range(1, n_folds + 1)]


def cross_validate(estimator: Any, rows: Rows, folds: list[Fold], measures: list[Measure]) -> list[float]:
    """Return the average loss of the rows by each measure, each row measured by the model of its own fold.

    A fold that lacks what a measure needs, such as rows of two classes, is left out. If all folds do, the
    first measure is refused, and the others are NaN.
    """
    parts = [rows.take(held_out) for _, held_out in folds]
    lacking = [[each.lacks(part.target, part.weights) for part in parts] for each in measures]
    if all(lacking[0]):
        raise DataError(
            f"No fold can be measured: {lacking[0][0]}\nHint: choose fewer folds, or another loss."
        )
    losses: list[list[Numbers]] = [[] for _ in measures]
    weights: list[list[Numbers]] = [[] for _ in measures]
    for number, ((learnt, _), part) in enumerate(zip(folds, parts, strict=True)):
        model = make(estimator, {})
        with unheard():  # the fit to all rows has said what there is to say
            fit(model, rows.take(learnt), measures[0].kind)
            for measure, reasons, found, own in zip(measures, lacking, losses, weights, strict=True):
                if reasons[number] is not None:
                    continue
                each = measure.each(part.target, measure.predict(model, part.X), part.weights)
                found.append(np.broadcast_to(each, part.n_rows))
                own.append(row_weights(part.target, part.weights))
    pairs = zip(losses, weights, strict=True)
    return [average(np.concatenate(found), np.concatenate(own)) if found else np.nan for found, own in pairs]


def read_rows(
    X: Any, y: Any, weight: Any, groups: Any, X_dev: Any, y_dev: Any, weight_dev: Any, loss: Any
) -> tuple[Rows, Rows | None]:
    """Return the rows, and the development rows if there are any, with common classes."""
    if (X_dev is None) != (y_dev is None):
        raise ParameterError("X_dev and y_dev go together; give both, or neither.")
    kind = measure_kind(loss)
    table, n_rows = as_table(X)
    target = read_target(y, n_rows, kind, "learning")
    weights, of_groups = read_weights(weight, n_rows), read_groups(groups, n_rows)
    if X_dev is None:
        return Rows(table, target, weights, of_groups), None
    table_dev, n_dev = as_table(X_dev)
    target, target_dev = with_common_classes(target, read_target(y_dev, n_dev, kind, "learning"))
    development = Rows(table_dev, target_dev, read_weights(weight_dev, n_dev))
    return Rows(table, target, weights, of_groups), development


def loss_for(loss: Any, target: Target, estimator: Any) -> Measure:
    """Return the loss that is given, or the usual one of the estimator."""
    make(estimator, {})  # refuses what is no estimator
    measure = resolve_loss(loss, target, estimator)
    check_goes(measure, estimator)
    return measure
