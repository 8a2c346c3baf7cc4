"""scikit-learn's tree with the price of a leaf (ccp_alpha) chosen by cross-validation.

A fold's tree is grown once and cut back for every price. GridSearchCV would grow it anew for each: the same
trees in many times the time.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold, StratifiedKFold

from .measures import LEAST_PROBABILITY
from .tables import Array

__all__ = ["FOLDS", "MOST_ALPHAS", "candidate_alphas", "cut_back", "fit_by_folds"]

Numbers = npt.NDArray[np.float64]

FOLDS = 5
MOST_ALPHAS = 40


def wrong_labels(model: Any, X: Array, y: Array) -> float:
    """The number of rows whose class is told wrong."""
    return float((model.predict(X) != y).sum())


def lost_logarithms(model: Any, X: Array, y: Array) -> float:
    """The sum of -ln of the probability of the true class; a class the fold has not seen has none."""
    probabilities = model.predict_proba(X)
    known = np.isin(y, model.classes_)
    given = np.zeros(len(y))
    given[known] = probabilities[known, np.searchsorted(model.classes_, y[known])]
    return float(-np.log(np.clip(given, LEAST_PROBABILITY, 1.0)).sum())


def squared_errors(model: Any, X: Array, y: Array) -> float:
    """The sum of squared errors."""
    return float(((model.predict(X) - y) ** 2).sum())


LOSSES: dict[str, Callable[[Any, Array, Array], float]] = {
    "accuracy": wrong_labels,
    "log_loss": lost_logarithms,
    "squared_error": squared_errors,
}


def candidate_alphas(model: Any, X: Array, y: Array) -> Numbers:
    """The prices at which the tree of all rows gets smaller, thinned evenly where there are many."""
    path = np.unique(np.maximum(model.cost_complexity_pruning_path(X, y).ccp_alphas, 0.0))
    if len(path) > MOST_ALPHAS:
        path = path[np.linspace(0, len(path) - 1, MOST_ALPHAS).round().astype(int)]
    return path


def cut_back(grown: Any, alpha: float) -> Any:
    """What scikit-learn would have returned, had it been given this price before it grew the tree."""
    smaller = copy.copy(grown)
    smaller.ccp_alpha = alpha
    smaller._prune_tree()  # leaves the grown tree as it is, and sets another
    return smaller


def fit_by_folds(model: Any, X: Array, y: Array, measure: str) -> Any:
    """Choose the price with the least loss on held-out folds, the largest of several, and fit with it."""
    alphas, loss = candidate_alphas(model, X, y), LOSSES[measure]
    # Between two prices of the path the tree stays the same: a price in the middle stands for each.
    middles = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])
    kind: Any = KFold if measure == "squared_error" else StratifiedKFold
    losses = np.zeros(len(alphas))
    for train, test in kind(FOLDS, shuffle=True, random_state=0).split(X, y):
        grown = copy.copy(model).fit(X[train], y[train])
        losses += [loss(cut_back(grown, alpha), X[test], y[test]) for alpha in middles]
    best = np.flatnonzero(losses == losses.min())[-1]
    return cut_back(copy.copy(model).fit(X, y), float(alphas[best]))
