"""The one table of measures by name, and what the option `loss` may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from sklearn.base import is_classifier, is_regressor

from arboretum._data.rows import Target
from arboretum._options.measures.called import Called
from arboretum._options.measures.measure import NUMBERS, Measure, NumberMeasure
from arboretum._options.measures.of_classes import (
    BalancedAccuracy,
    Brier,
    LogLoss,
    Matrix,
    Misclassification,
)
from arboretum._options.measures.of_ranks import AUC, AveragePrecision
from arboretum._types import Array, Numbers
from arboretum._wording import shown
from arboretum.errors import ParameterError, choices, listing

_CLASSES: Final[dict[str, type[Any]]] = {
    kind.name: kind for kind in (Misclassification, LogLoss, Brier, BalancedAccuracy, AUC, AveragePrecision)
}
NAMES: Final = (*_CLASSES, *NUMBERS)
# Names that were given before there was one table.
_OLDER: Final = {
    "zero_one": "misclassification",
    "log": "log_loss",
    "squared": "squared_error",
    "absolute": "absolute_error",
}
KNOWN: Final = {*NAMES, *_OLDER}
_OR_ELSE: Final = " Or give a loss matrix, loss[true, predicted], or a function."


def measure_kind(loss: Any) -> str | None:
    """Return what the measure is about, "classes" or "numbers"; None if the option leaves it open."""
    if loss is None or callable(loss):
        return None
    if not isinstance(loss, str):
        return "classes"
    return "numbers" if _named(loss) in NUMBERS else "classes"


def _named(loss: str) -> str:
    """Return the name of a measure as the table has it, or refuse it."""
    name = _OLDER.get(loss, loss)
    if name not in NAMES:
        raise ParameterError(choices("loss", loss, NAMES) + _OR_ELSE)
    return name


def resolve_loss(loss: Any, target: Target, estimator: Any = None) -> Measure:
    """Return the measure that the option `loss` names; the target was read as its kind.

    None stands for misclassification or the squared error; if it may be either, the estimator decides.
    """
    if callable(loss):
        return function_measure(
            loss, "numbers" if _is_numeric(target, estimator) else "classes", target.classes
        )
    if loss is None:
        loss = "squared_error" if _is_numeric(target, estimator) else "misclassification"
    if not isinstance(loss, str):
        assert target.classes is not None
        return Matrix(target.classes, read_matrix(loss, target.classes))
    name = _named(loss)
    if name in NUMBERS:
        return NumberMeasure(name)
    assert target.classes is not None
    return class_measure(name, target.classes)


def class_measure(name: str, classes: Array) -> Measure:
    """Return the measure of classes that has this name in the table."""
    measure: Measure = _CLASSES[name](classes)
    return measure


def function_measure(function: Callable[..., Any], kind: str, classes: Array | None) -> Measure:
    """Return a function as a measure of targets of this kind."""
    return Called(function, kind, classes if kind == "classes" else None)


def _is_numeric(target: Target, estimator: Any) -> bool:
    return target.kind == "numbers" or (target.kind == "either" and estimator_kind(estimator) == "numbers")


def read_matrix(loss: Any, classes: Array) -> Numbers:
    """Return a matrix loss[true, predicted] of finite numbers, or refuse what is given."""
    n = len(classes)
    try:
        matrix = np.asarray(loss)
        numbers = matrix.astype(np.float64) if matrix.dtype.kind in "biuf" else np.array([])
    except ValueError:  # lists of different lengths
        numbers = np.array([])
    if numbers.shape != (n, n) or not np.isfinite(numbers).all():
        raise ParameterError(
            f"loss={shown(loss)} is not allowed; give {', '.join(map(repr, NAMES))}, a function, or finite "
            f"numbers loss[true, predicted] of shape ({n}, {n}) for the classes "
            f"{listing(classes.tolist(), 10)}."
        )
    return numbers


def estimator_kind(estimator: Any) -> str | None:
    """Return what an estimator predicts, "classes" or "numbers"; None if it does not say."""
    try:
        if is_classifier(estimator):
            return "classes"
        return "numbers" if is_regressor(estimator) else None
    except AttributeError:  # it has no tags
        return None


def names_for(kind: str) -> str:
    """Return the measures for targets of this kind, in words."""
    if kind == "numbers":
        return " or ".join(map(repr, NUMBERS))
    return f"{', '.join(map(repr, _CLASSES))} or a loss matrix"


def check_goes(loss: Measure, estimator: Any) -> None:
    """Refuse an estimator whose predictions do not suit the measure."""
    if estimator_kind(estimator) not in (None, loss.kind):
        other = {"classes": "numbers", "numbers": "classes"}[loss.kind]
        raise ParameterError(
            f"The loss {loss.name!r} is about {loss.kind}, but {type(estimator).__name__} predicts {other}; "
            f"give an estimator of {loss.kind}, or choose {names_for(other)} if the target suits it."
        )
    loss.refuse(estimator)
