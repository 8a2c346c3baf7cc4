"""A measure: which predictions it asks for, and what each of them costs; measures of numbers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Final

import numpy as np

from arboretum._data.rows import Rows, Target
from arboretum._tree.leaves import LeafRule
from arboretum._tree.tree import Tree
from arboretum._types import Array, Indices, Numbers
from arboretum.errors import DataError


class Measure(ABC):
    """Which predictions a measure asks for, and what each of them costs."""

    name: str  # as it is typed
    kind: str  # of the target: "classes" or "numbers"
    lowest: float = 0.0
    highest: float = math.inf
    of_rows: ClassVar[bool] = True  # whether what a row costs does not depend on the others
    score: ClassVar[bool] = False  # whether people know it as 1 less the loss, where more is better

    def shown(self, loss: float) -> float:
        """Return a mean loss as people know the measure: accuracies and areas are 1 less the loss."""
        return 1.0 - loss if self.score else loss

    @property
    def label(self) -> str:
        """What stands beside the number: it is a loss, also where people know the measure as a score."""
        return f"1 - {self.name}" if self.score else self.name

    @abstractmethod
    def predict(self, model: Any, X: Any) -> Array:
        """Return one prediction per row, in the form that `each` reads."""

    @abstractmethod
    def at_nodes(self, tree: Tree) -> Array:
        """Return what each node of a tree would predict, in the same form."""

    @abstractmethod
    def read(self, predicted: Numbers, rule: LeafRule | None) -> Array:
        """Return probabilities or numbers that a tree of the same classes predicts, in the same form."""

    @abstractmethod
    def each(self, target: Target, predicted: Array, weights: Numbers | None = None) -> Numbers:
        """Return what each row's prediction costs; a single number is that of all rows together."""

    def stands_for(self, n_steps: int) -> Indices:
        """Return for each step of a sequence of trees the one that is measured in its place."""
        return np.arange(n_steps)

    def weigh(self, weights: Numbers) -> Numbers:
        """Return what rows count where their losses are averaged."""
        return weights

    def refuse(self, estimator: Any) -> None:  # noqa: B027 - most measures need nothing special
        """Refuse an estimator that cannot give what the measure needs."""

    def lacks(self, target: Target, weights: Numbers | None = None) -> str | None:
        """Return what these rows lack to be measured; None if nothing."""
        return None


class NumberMeasure(Measure):
    """A measure of numbers: a function of the difference between the predicted and the true one."""

    kind = "numbers"

    def __init__(self, name: str) -> None:
        self.name = name
        self._of_difference = NUMBERS[name]

    def predict(self, model: Any, X: Any) -> Array:
        return predicted_numbers(model, X)

    def at_nodes(self, tree: Tree) -> Array:
        return tree.array("value")

    def read(self, predicted: Numbers, rule: LeafRule | None) -> Array:
        return predicted.ravel()

    def each(self, target: Target, predicted: Array, weights: Numbers | None = None) -> Numbers:
        assert target.numbers is not None
        return self._of_difference(predicted - target.numbers)


def predicted_numbers(model: Any, X: Any) -> Numbers:
    """Return one number per row, or refuse what a model predicts."""
    predicted = np.asarray(model.predict(X))
    if predicted.ndim == 2 and predicted.shape[1] == 1:
        predicted = predicted.ravel()
    if predicted.dtype.kind not in "biuf" or not np.isfinite(predicted).all():
        raise DataError(f"{type(model).__name__} predicts something that is not a finite number.")
    return predicted.astype(np.float64)


NUMBERS: Final[dict[str, Callable[[Numbers], Numbers]]] = {
    "squared_error": np.square,
    "absolute_error": np.abs,
}


def row_weights(target: Target, weights: Numbers | None) -> Numbers:
    """Return the weights of rows, 1 where none are given."""
    return np.ones(target.n_rows) if weights is None else weights


def average(losses: Numbers, weights: Numbers | None) -> float:
    """Return the weighted average loss."""
    if weights is None or losses.shape == ():
        return float(np.mean(losses))
    counting = weights > 0  # a weight of 0 times an infinite loss is 0
    return float(np.sum(weights[counting] * losses[counting]) / np.sum(weights))


def mean_loss(loss: Measure, model: Any, rows: Rows) -> float:
    """Return the average loss of a fitted model on these rows."""
    return average(loss.each(rows.target, loss.predict(model, rows.X), rows.weights), rows.weights)
