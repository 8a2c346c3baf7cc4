"""Predictions in one form, whatever model makes them, and the folds in which models are fitted anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sklearn.base import clone

from arboretum._prune.folds import deal_rows
from arboretum._report.subject import NotShownError, Subject
from arboretum._types import Array, Indices, Integers, Numbers

FOLDS: Final = 5
_TINY: Final = 1e-15


@dataclass(frozen=True, eq=False)
class Predictions:
    """One entry per row: the number of a class with the probabilities of all, or a number (or score)."""

    label: Indices | None = None
    probability: Numbers | None = None
    value: Numbers | None = None

    @property
    def labels(self) -> Indices:
        """The numbers of the predicted classes."""
        assert self.label is not None
        return self.label

    @property
    def chances(self) -> Numbers:
        """The probabilities of all classes."""
        assert self.probability is not None
        return self.probability

    @property
    def values(self) -> Numbers:
        """The predicted numbers."""
        assert self.value is not None
        return self.value


# What is fitted to some rows and then predicts others.
Predictor = Callable[[Subject], Predictions]
Learner = Callable[[Subject], Predictor]


def predicted_by(model: Any, subject: Subject) -> Predictions:
    """Return what a fitted model predicts for the rows; it may know fewer classes than the subject."""
    if subject.classes is None:
        return Predictions(value=np.asarray(model.predict(subject.X), dtype=np.float64))
    number_of = {label: number for number, label in enumerate(subject.classes.tolist())}
    said = np.asarray(model.predict(subject.X), dtype=object).tolist()
    known = model.target.classes if hasattr(model, "target") else model.classes_.tolist()
    chances = np.zeros((subject.n_rows, len(number_of)))
    chances[:, [number_of[label] for label in known]] = model.predict_proba(subject.X)
    return Predictions(np.array([number_of[label] for label in said], dtype=np.intp), chances)


def tree_learner(model: Any) -> Learner:
    """Return what fits an estimator with the same settings."""

    def learn(subject: Subject) -> Predictor:
        again = clone(model)
        groups = subject.queries.numbers if subject.queries is not None else subject.groups
        again.fit(subject.X, subject.labels, subject.weights, groups=groups)
        return lambda others: predicted_by(again, others)

    return learn


def deal_folds(subject: Subject) -> Integers:
    """Return the fold of each row; classes are spread evenly, groups and queries stay whole."""
    truth = subject.need_truth()
    together = subject.groups if subject.queries is None else subject.queries.numbers
    n_units = subject.n_rows if together is None else len(np.unique(together))
    n_folds = min(FOLDS, n_units)
    if n_folds < 2:
        unit = {"order": "query"}.get(subject.task, "row" if together is None else "group")
        raise NotShownError(f"One {unit} alone leaves nothing to hold out.")
    classes: Array | None = truth if subject.task == "classes" else None
    if together is not None:
        together = np.unique(together, return_inverse=True)[1].ravel()
    return deal_rows(n_folds, subject.n_rows, classes, together, 0)


def cross_predicted(subject: Subject, folds: Integers, learn: Learner) -> Predictions:
    """Return for each row what is predicted by a model that was fitted without the fold of the row."""
    parts = []
    for fold in range(int(folds.max()) + 1):
        held_out = np.flatnonzero(folds == fold)
        if len(held_out):
            predict = learn(subject.take(np.flatnonzero(folds != fold)))
            parts.append((held_out, predict(subject.take(held_out))))
    order = np.argsort(np.concatenate([rows for rows, _ in parts]))

    def joined(name: str) -> Any:
        found = [getattr(part, name) for _, part in parts]
        return None if found[0] is None else np.concatenate(found)[order]

    return Predictions(joined("label"), joined("probability"), joined("value"))


def log_losses(truth: Array, predictions: Predictions) -> Numbers:
    """Return minus the logarithm of the probability of the true class, at most 34.5 for an impossible one."""
    chances = predictions.chances[np.arange(len(truth)), truth]
    return np.asarray(-np.log(np.maximum(chances, _TINY)))
