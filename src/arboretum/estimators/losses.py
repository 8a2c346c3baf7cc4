"""Losses: what the predictions of an estimator cost, row by row and on average. Rows count by their weight.

zero_one   1 for a wrong class, 0 for the right one
log        -ln of the probability of the true class; infinite where that is 0
matrix     loss[true, predicted], in the sorted order of the classes
squared, absolute   of the difference between the predicted and the true number
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Final

import numpy as np
from sklearn.base import is_classifier, is_regressor

from arboretum._data.rows import Rows, Target
from arboretum._tree.tree import Tree
from arboretum._types import Array, Indices, Numbers
from arboretum.errors import DataError, ParameterError, choices, listing


class Loss(ABC):
    """Which predictions a loss asks for, and what each of them costs."""

    name: str
    kind: ClassVar[str]  # of the target: "classes" or "numbers"
    lowest: float = 0.0
    highest: float = math.inf

    @abstractmethod
    def predict(self, model: Any, X: Any) -> Array:
        """Return one prediction per row, in the form that `each` reads."""

    @abstractmethod
    def at_nodes(self, tree: Tree) -> Array:
        """Return what each node of a tree would predict, in the same form."""

    @abstractmethod
    def each(self, target: Target, predicted: Array) -> Numbers:
        """Return what each row's prediction costs."""

    def refuse(self, estimator: Any) -> None:  # noqa: B027 - most losses need nothing special
        """Refuse an estimator that cannot give what the loss needs."""


class NumberLoss(Loss):
    """A loss about numbers: a function of the difference between the predicted and the true one."""

    kind = "numbers"

    def __init__(self, name: str) -> None:
        self.name = name
        self._of_difference = _NUMBERS[name]

    def predict(self, model: Any, X: Any) -> Array:
        predicted = np.asarray(model.predict(X))
        if predicted.ndim == 2 and predicted.shape[1] == 1:
            predicted = predicted.ravel()
        if predicted.dtype.kind not in "biuf" or not np.isfinite(predicted).all():
            raise DataError(f"{type(model).__name__} predicts something that is not a finite number.")
        return predicted.astype(np.float64)

    def at_nodes(self, tree: Tree) -> Array:
        return tree.array("value")

    def each(self, target: Target, predicted: Array) -> Numbers:
        assert target.numbers is not None
        return self._of_difference(predicted - target.numbers)


class ClassLoss(Loss):
    """A loss about classes; predictions are class numbers, -1 for an unknown class."""

    kind = "classes"

    def __init__(self, classes: Array) -> None:
        self.classes = classes
        self._number_of = {label: number for number, label in enumerate(classes.tolist())}

    def numbers_of(self, labels: Any) -> Indices:
        """Return the numbers of the classes that the labels name."""
        given = np.asarray(labels).ravel().tolist()
        return np.array([self._number_of.get(label, -1) for label in given], dtype=np.intp)

    def predict(self, model: Any, X: Any) -> Array:
        return self.numbers_of(model.predict(X))

    def at_nodes(self, tree: Tree) -> Array:
        return self.numbers_of(tree.target.classes)[tree.array("label")]


class ZeroOne(ClassLoss):
    """1 for a wrong class: on average, the share of mistaken rows."""

    name = "zero_one"
    highest = 1.0

    def each(self, target: Target, predicted: Array) -> Numbers:
        return np.asarray(predicted != target.codes, dtype=np.float64)


class Matrix(ClassLoss):
    """The cost of taking one class for another: loss[true, predicted]."""

    name = "matrix"

    def __init__(self, classes: Array, matrix: Numbers) -> None:
        super().__init__(classes)
        self.matrix = matrix
        self.lowest, self.highest = float(matrix.min()), float(matrix.max())

    def each(self, target: Target, predicted: Array) -> Numbers:
        assert target.codes is not None
        if (predicted < 0).any():
            raise DataError("A class is predicted that the target does not have, so its loss is not known.")
        costs: Numbers = self.matrix[target.codes, predicted]
        return costs


class Log(ClassLoss):
    """-ln of the probability of the true class. It is not clipped: a probability of 0 costs infinity."""

    name = "log"

    def refuse(self, estimator: Any) -> None:
        if not hasattr(estimator, "predict_proba"):
            raise ParameterError(
                f"loss='log' needs probabilities, but {type(estimator).__name__} has no predict_proba; "
                "choose loss='zero_one', or another estimator."
            )

    def predict(self, model: Any, X: Any) -> Array:
        probability = self._spread(np.asarray(model.predict_proba(X), dtype=np.float64), model.classes_)
        if not (probability >= 0).all():
            raise DataError(f"{type(model).__name__} predicts probabilities that are negative or missing.")
        return probability

    def at_nodes(self, tree: Tree) -> Array:
        return self._spread(tree.array("probability"), tree.target.classes)

    def _spread(self, given: Numbers, classes: Any) -> Numbers:
        """Return probabilities of all classes; a class that the model does not know gets 0."""
        probability, numbers = np.zeros((len(given), len(self.classes))), self.numbers_of(classes)
        probability[:, numbers[numbers >= 0]] = given[:, numbers >= 0]
        return probability

    def each(self, target: Target, predicted: Array) -> Numbers:
        assert target.codes is not None
        of_truth = predicted[np.arange(len(predicted)), target.codes]
        with np.errstate(divide="ignore"):
            # Never below 0, even if probabilities add up to a little more than 1; and never -0.
            return np.maximum(-np.log(of_truth), 0.0) + 0.0


_NUMBERS: Final[dict[str, Callable[[Numbers], Numbers]]] = {"squared": np.square, "absolute": np.abs}
_CLASSES: Final[dict[str, type[ZeroOne | Log]]] = {"zero_one": ZeroOne, "log": Log}
_OR_MATRIX: Final = " Or give a loss matrix, loss[true, predicted]."


def loss_kind(loss: Any) -> str | None:
    """Return what the loss is about, "classes" or "numbers"; None if the option leaves it open."""
    if loss is None:
        return None
    if not isinstance(loss, str):
        return "classes"
    if loss in _NUMBERS:
        return "numbers"
    if loss in _CLASSES:
        return "classes"
    raise ParameterError(choices("loss", loss, [*_CLASSES, *_NUMBERS]) + _OR_MATRIX)


def resolve_loss(loss: Any, target: Target) -> Loss:
    """Return the loss that the option names; the target was read as its kind."""
    if isinstance(loss, str) and loss in _NUMBERS:
        return NumberLoss(loss)
    assert target.classes is not None
    if isinstance(loss, str):
        return _CLASSES[loss](target.classes)
    return Matrix(target.classes, _read_matrix(loss, target.classes))


def _read_matrix(loss: Any, classes: Array) -> Numbers:
    n = len(classes)
    try:
        matrix = np.asarray(loss)
        numbers = matrix.astype(np.float64) if matrix.dtype.kind in "biuf" else np.array([])
    except ValueError:  # lists of different lengths
        numbers = np.array([])
    if numbers.shape != (n, n) or not np.isfinite(numbers).all():
        raise ParameterError(
            f"loss={loss!r} is not allowed; give 'zero_one', 'squared', 'absolute', 'log', or finite numbers "
            f"loss[true, predicted] of shape ({n}, {n}) for the classes {listing(classes.tolist(), 10)}."
        )
    return numbers


def default_loss(target: Target, estimator: Any) -> Loss:
    """Return zero-one for classes and squared for numbers; if it may be either, the estimator decides."""
    numeric = target.kind == "numbers" or (target.kind == "either" and estimator_kind(estimator) == "numbers")
    return resolve_loss("squared" if numeric else "zero_one", target)


def estimator_kind(estimator: Any) -> str | None:
    """Return what an estimator predicts, "classes" or "numbers"; None if it does not say."""
    try:
        if is_classifier(estimator):
            return "classes"
        return "numbers" if is_regressor(estimator) else None
    except AttributeError:  # it has no tags
        return None


def check_goes(loss: Loss, estimator: Any) -> None:
    """Refuse an estimator whose predictions do not suit the loss."""
    if estimator_kind(estimator) not in (None, loss.kind):
        other = {"classes": "numbers", "numbers": "classes"}[loss.kind]
        instead = "'squared' or 'absolute'" if other == "numbers" else "'zero_one', 'log' or a loss matrix"
        raise ParameterError(
            f"The {loss.name} loss is about {loss.kind}, but {type(estimator).__name__} predicts {other}; "
            f"give an estimator of {loss.kind}, or choose the loss {instead} if the target suits it."
        )
    loss.refuse(estimator)


def average(losses: Numbers, weights: Numbers | None) -> float:
    """Return the weighted average loss."""
    if weights is None:
        return float(np.mean(losses))
    counting = weights > 0  # a weight of 0 times an infinite loss is 0
    return float(np.sum(weights[counting] * losses[counting]) / np.sum(weights))


def mean_loss(loss: Loss, model: Any, rows: Rows) -> float:
    """Return the average loss of a fitted model on these rows."""
    return average(loss.each(rows.target, loss.predict(model, rows.X)), rows.weights)
