"""What the tree is compared with: a guess, neighbours, a linear model and a forest."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from arboretum._report.evidence.encoding import Encoder
from arboretum._report.evidence.predictions import Learner, Predictions, Predictor, predicted_by
from arboretum._report.subject import Subject
from arboretum._types import Numbers
from arboretum.estimators import (
    BaggedClassifier,
    BaggedRanker,
    BaggedRegressor,
    TreeClassifier,
    TreeRanker,
    TreeRegressor,
)

N_TREES: Final = 50
_MOST_NEIGHBOURS: Final = 15


@dataclass(frozen=True)
class Rival:
    """A method to compare with, and what is said about it."""

    name: str
    says: str
    learn: Learner
    has_weights: bool = True


def rivals_for(subject: Subject, n_jobs: int | None) -> list[Rival]:
    """Return what a tree is compared with, the simplest first."""
    task = subject.task
    guess = {
        "classes": Rival("the most frequent class", "predicts it for every row", _guess_class),
        "numbers": Rival("the mean", "predicts it for every row", _guess_mean),
        "order": Rival("no order", "gives every row the same score", _guess_mean),
    }[task]
    line = "logistic regression" if task == "classes" else "linear model"
    penalty = "C=1" if task == "classes" else "alpha=1"
    rest = "scaled; gaps at the median and marked; a column for each frequent level"
    return [
        guess,
        Rival(
            "k-NN",
            f"up to {_MOST_NEIGHBOURS} nearest neighbours, by the same columns as the next",
            _neighbours,
            False,
        ),
        Rival(line, f"with a ridge ({penalty}); {rest}", _line),
        Rival("forest", f"{N_TREES} trees, columns drawn at each node", _forest(subject.model, n_jobs)),
    ]


# --- guesses


def _guess_class(subject: Subject) -> Predictor:
    assert subject.classes is not None
    weights = np.bincount(subject.need_truth(), subject.weight, len(subject.classes))
    shares = weights / weights.sum()

    def predict(others: Subject) -> Predictions:
        label = np.full(others.n_rows, int(np.argmax(shares)), dtype=np.intp)
        return Predictions(label, np.tile(shares, (others.n_rows, 1)))

    return predict


def _guess_mean(subject: Subject) -> Predictor:
    mean = float(np.average(subject.need_truth(), weights=subject.weight))
    return lambda others: Predictions(value=np.full(others.n_rows, mean))


# --- methods that need a matrix of numbers


def _neighbours(subject: Subject) -> Predictor:
    count = max(1, min(_MOST_NEIGHBOURS, round(subject.n_rows**0.5)))
    kind = KNeighborsRegressor if subject.classes is None else KNeighborsClassifier
    return _on_matrix(kind(count), subject, {})


def _line(subject: Subject) -> Predictor:
    weights = {} if subject.weights is None else {"sample_weight": subject.weights}
    if subject.classes is None:
        return _on_matrix(Ridge(alpha=1.0), subject, weights)
    if len(np.unique(subject.need_truth())) < 2:
        return _guess_class(subject)
    return _on_matrix(LogisticRegression(max_iter=1_000), subject, weights)


def _on_matrix(model: Any, subject: Subject, given: dict[str, Any]) -> Predictor:
    """Fit a model to numbers; classes stay numbers, so that any labels will do."""
    encoder = Encoder.of(subject.data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a fit that has not converged: it is compared as it is
        model.fit(encoder.matrix(subject.data), subject.need_truth(), **given)

    def predict(others: Subject) -> Predictions:
        matrix = encoder.matrix(others.data)
        if others.classes is None:
            return Predictions(value=np.asarray(model.predict(matrix), dtype=np.float64))
        chances: Numbers = np.zeros((others.n_rows, len(others.classes)))
        chances[:, np.asarray(model.classes_, dtype=np.intp)] = model.predict_proba(matrix)
        return Predictions(np.argmax(chances, axis=1), chances)

    return predict


def _forest(tree: Any, n_jobs: int | None) -> Learner:
    """Return what fits a forest, which takes columns for what the tree takes them for."""

    def learn(subject: Subject) -> Predictor:
        bagged, single, n_columns = _BAGGED[subject.task]
        kinds = {name: getattr(tree, name) for name in _KINDS if hasattr(tree, name)}
        leaf = "frequency" if subject.task == "classes" else "mean"
        template = single(prune=None, leaf=leaf, **kinds)
        model = bagged(template, n_trees=N_TREES, max_features=n_columns, n_jobs=n_jobs)
        groups = {} if subject.queries is None else {"groups": subject.queries.numbers}
        model.fit(subject.X, subject.labels, subject.weights, **groups)
        return lambda others: predicted_by(model, others)

    return learn


_KINDS: Final = ("categorical_features", "ordered_features")
_BAGGED: Final[dict[str, tuple[Any, Any, Any]]] = {
    "classes": (BaggedClassifier, TreeClassifier, "sqrt"),
    "numbers": (BaggedRegressor, TreeRegressor, 1 / 3),
    "order": (BaggedRanker, TreeRanker, "sqrt"),
}
