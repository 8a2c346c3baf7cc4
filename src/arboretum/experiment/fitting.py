"""Fitting an estimator to rows: what else `fit` is told, how long it took, how large the tree is.

Words: *tuning rows* are those a pruner prunes with (`X_val`), passed only when asked for. Weights are passed
always, and refused where an estimator cannot use them; groups are passed where `fit` has room for them.
"""

from __future__ import annotations

import time
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from arboretum.errors import ParameterError
from arboretum.experiment.rows import Rows

__all__ = ["fit", "tree_size"]


def fit(model: Any, rows: Rows, kind: str, tuning: Rows | None = None) -> float:
    """Fit the model to the rows, whose target is of this kind, and return the seconds that took."""
    told: dict[str, Any] = {}
    if rows.weights is not None:
        told[_weight_name(model)] = rows.weights
    if rows.groups is not None and has_fit_parameter(model, "groups"):
        told["groups"] = rows.groups
    if tuning is not None:
        told |= _tuning(model, tuning, kind)
    start = time.perf_counter()
    model.fit(rows.X, rows.target.values(kind), **told)
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
    told = {"X_val": tuning.X, "y_val": tuning.target.values(kind)}
    return told if tuning.weights is None else told | {"sample_weight_val": tuning.weights}


def tree_size(model: Any) -> tuple[int | None, int | None]:
    """Return leaves and depth of a fitted tree, also as the last step of a pipeline; None for all else."""
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if not (hasattr(last, "get_n_leaves") and hasattr(last, "get_depth")):
        return None, None
    return int(last.get_n_leaves()), int(last.get_depth())
