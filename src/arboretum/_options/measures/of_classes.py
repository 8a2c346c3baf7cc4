"""Measures of classes: of labels, or of the probabilities of all classes, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from arboretum._data.rows import Target
from arboretum._options.measures.measure import Measure, row_weights
from arboretum._tree.leaves import LeafRule, cheapest
from arboretum._tree.tree import Tree
from arboretum._types import Array, Indices, Numbers
from arboretum._wording import shown
from arboretum.errors import DataError, ParameterError


class LabelMeasure(Measure):
    """A measure of predicted classes, which are numbers of classes, -1 for an unknown one."""

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

    def read(self, predicted: Numbers, rule: LeafRule | None) -> Array:
        return cheapest(predicted, None if rule is None else rule.loss)


class Misclassification(LabelMeasure):
    """1 for a wrong class: on average, the share of mistaken rows."""

    name = "misclassification"
    highest = 1.0

    def each(self, target: Target, predicted: Array, weights: Numbers | None = None) -> Numbers:
        return np.asarray(predicted != target.codes, dtype=np.float64)


class Matrix(LabelMeasure):
    """The cost of taking one class for another: loss[true, predicted]."""

    name = "matrix"

    def __init__(self, classes: Array, matrix: Numbers) -> None:
        super().__init__(classes)
        self.matrix = matrix
        self.lowest, self.highest = float(matrix.min()), float(matrix.max())

    def each(self, target: Target, predicted: Array, weights: Numbers | None = None) -> Numbers:
        assert target.codes is not None
        if (predicted < 0).any():
            raise DataError("A class is predicted that the target does not have, so its loss is not known.")
        costs: Numbers = self.matrix[target.codes, predicted]
        return costs


class BalancedAccuracy(LabelMeasure):
    """1 less the mean recall of the classes that have rows: every class counts the same, however rare.

    `totals` are the weights of the classes in the table that the rows are a part of: then a row costs what it
    adds to the loss of the whole table.
    """

    name = "balanced_accuracy"
    highest = 1.0
    of_rows = False
    score = True

    def __init__(self, classes: Array, totals: Numbers | None = None) -> None:
        super().__init__(classes)
        self.totals = totals

    def each(self, target: Target, predicted: Array, weights: Numbers | None = None) -> Numbers:
        codes, weight, n = target.codes, row_weights(target, weights), len(self.classes)
        assert codes is not None
        wrong = np.asarray(predicted != codes, dtype=np.float64)
        own = np.bincount(codes, weight, n)
        totals = own if self.totals is None else self.totals
        present = totals > 0
        counts = np.zeros(n)  # what a row of each class counts, on average 1
        counts[present] = totals.sum() / totals[present] / present.sum()
        costs: Numbers = counts[codes] * wrong
        if self.totals is None:
            missed = np.zeros(n)
            missed[present] = np.bincount(codes, weight * wrong, n)[present] / own[present]
            costs += missed[present].mean() - counts[codes] * missed[codes]
        return costs


class ProbabilityMeasure(LabelMeasure):
    """A measure of the probabilities of all classes."""

    def refuse(self, estimator: Any) -> None:
        if not hasattr(estimator, "predict_proba"):
            raise ParameterError(
                f"loss={shown(self.name)} needs probabilities, but {type(estimator).__name__} has no "
                "predict_proba; choose loss='misclassification', or another estimator."
            )

    def predict(self, model: Any, X: Any) -> Array:
        probability = self._spread(np.asarray(model.predict_proba(X), dtype=np.float64), model.classes_)
        if not (probability >= 0).all():
            raise DataError(f"{type(model).__name__} predicts probabilities that are negative or missing.")
        return probability

    def at_nodes(self, tree: Tree) -> Array:
        return self._spread(tree.array("probability"), tree.target.classes)

    def read(self, predicted: Numbers, rule: LeafRule | None) -> Array:
        return predicted

    def _spread(self, given: Numbers, classes: Any) -> Numbers:
        """Return probabilities of all classes; a class that the model does not know gets 0."""
        probability, numbers = np.zeros((len(given), len(self.classes))), self.numbers_of(classes)
        probability[:, numbers[numbers >= 0]] = given[:, numbers >= 0]
        return probability


class LogLoss(ProbabilityMeasure):
    """-ln of the probability of the true class. It is not clipped: a probability of 0 costs infinity."""

    name = "log_loss"

    def each(self, target: Target, predicted: Array, weights: Numbers | None = None) -> Numbers:
        assert target.codes is not None
        of_truth = predicted[np.arange(len(predicted)), target.codes]
        with np.errstate(divide="ignore"):
            # Never below 0, even if probabilities add up to a little more than 1; and never -0.
            return np.maximum(-np.log(of_truth), 0.0) + 0.0


class Brier(ProbabilityMeasure):
    """Σ (truth - probability)² over the classes, as Brier had it: of two classes twice (1 - probability)²."""

    name = "brier"
    highest = 2.0

    def each(self, target: Target, predicted: Array, weights: Numbers | None = None) -> Numbers:
        assert target.codes is not None
        of_truth = predicted[np.arange(len(predicted)), target.codes]
        return np.asarray(1.0 - 2.0 * of_truth + (predicted**2).sum(axis=1))
