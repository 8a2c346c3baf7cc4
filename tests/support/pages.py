"""Models of every kind for the page: all questions, ways with missing values, targets and pruners.

A kind is a name with a function that fits a model and returns it with its table and targets. What the page
must say of them is said by the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from arboretum import CostComplexity, MofN, Oblique, TreeClassifier, TreeRegressor, datasets
from arboretum._warning import unheard

__all__ = ["BY_MISTAKES", "EVIL", "KINDS", "Fitted", "big", "evil", "fitted", "houses", "many_classes"]

Fitted = tuple[Any, Any, Any]  # model, table, targets

# What a page must never run: whoever made the data chose the names of columns, levels and classes.
EVIL = "</script><img src=x onerror=alert(1)><!--"

# Trees that are pruned by their mistakes, with leaves that predict the shares of their rows.
BY_MISTAKES: dict[str, Any] = {
    "prune": CostComplexity(rule="1se_unpaired", repeats=1, measure="misclassification"),
    "leaf": "frequency",
    "levels": "raw",
}


def _penguins(**options: Any) -> Fitted:
    X, y = datasets.load_penguins()
    return TreeClassifier(**options).fit(X, y), X, y


def _iris(**options: Any) -> Fitted:
    X, y = datasets.load_iris()
    return TreeClassifier(**options).fit(X, y), X, y


def houses(n_rows: int = 400) -> tuple[pd.DataFrame, Any]:
    """Prices of houses that were never built; some sizes are missing."""
    rng = np.random.default_rng(7)
    X = pd.DataFrame(
        {
            "age": rng.integers(0, 90, n_rows),
            "area": rng.gamma(6, 18, n_rows).round(1),
            "district": pd.Categorical(rng.choice(["centre", "north", "south", "west"], n_rows)),
        }
    )
    y = 15.0 * X["area"] + 400 * (X["district"] == "centre") - 9 * X["age"] + rng.normal(0, 150, n_rows)
    X.loc[::17, "area"] = np.nan
    return X, y.to_numpy()


def _houses(**options: Any) -> Fitted:
    X, y = houses()
    return TreeRegressor(**options).fit(X, y), X, y


def _dates() -> Fitted:
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=80), "n": rng.integers(0, 5, 80)})
    y = np.where(np.arange(80) % 40 < 25, "early", "late")
    return TreeClassifier().fit(X, y), X, y


def _weighted() -> Fitted:
    X, y = datasets.load_iris()
    weight = np.linspace(0.5, 2.0, len(y))
    priors = {"setosa": 0.2, "versicolor": 0.3, "virginica": 0.5}
    return TreeClassifier(priors=priors).fit(X, y, sample_weight=weight), X, y


def _root_alone() -> Fitted:
    X, y = [[1.0], [2.0]], ["a", "a"]
    with unheard():
        return TreeClassifier().fit(X, y), X, y


def many_classes(n_classes: int = 1_000) -> Fitted:
    """A tree that tells many classes apart, some more frequent than others."""
    rng = np.random.default_rng(5)
    y = np.concatenate([np.arange(n_classes), np.repeat(np.arange(0, n_classes, 7), 3)])
    X = np.column_stack([y + rng.normal(0, 0.1, len(y)), rng.normal(size=len(y))])
    return TreeClassifier(prune=None, leaf="frequency").fit(X, y), X, y


@cache
def big(n_nodes: int = 10_000) -> Fitted:
    """A tree of about so many nodes, grown from noise."""
    rng = np.random.default_rng(0)
    n_rows = int(n_nodes * 2.4)
    X = rng.normal(size=(n_rows, 6))
    y = np.array(["no", "yes"])[(X.sum(axis=1) + rng.normal(0, 3, n_rows) > 0).astype(int)]
    model = TreeClassifier(prune=None, max_leaf_nodes=n_nodes // 2).fit(X, y)
    return model, X, y


def evil() -> Fitted:
    """Columns, levels and classes whose names would run if they were code."""
    rng = np.random.default_rng(2)
    names = np.array([f"{EVIL}{i}" for i in range(3)])
    X = pd.DataFrame({EVIL: rng.choice(names, 60), "<b>bold</b> & \u2028": rng.normal(size=60)})
    y = np.where(X[EVIL] == names[0], f"{EVIL} class", "plain & <i>simple</i>")
    y[:5] = "\u2029 third"
    return TreeClassifier(prune=None).fit(X, y), X, y


KINDS: dict[str, Callable[[], Fitted]] = {
    "iris": _iris,
    "penguins": lambda: _penguins(competitors=3),
    "by mistakes": lambda: _penguins(competitors=3, **BY_MISTAKES),
    "surrogates": lambda: _penguins(missing="surrogate", competitors=2),
    "fractions": lambda: _penguins(missing="fractional"),
    "multiway": lambda: (TreeClassifier.c45().fit(*datasets.load_penguins()), *datasets.load_penguins()),
    "at least m": lambda: _penguins(questions=MofN()),
    "sums": lambda: _iris(questions=Oblique()),
    "unpruned": lambda: _penguins(prune=None),
    "reduced error": lambda: _penguins(prune="reduced_error"),
    "pessimistic": lambda: _iris(prune="pessimistic"),
    "tested": lambda: _iris(significance=0.05, prune=None),
    "entropy": lambda: _iris(criterion="entropy"),
    "numbers": _houses,
    "medians": lambda: _houses(criterion="absolute_error", max_depth=4),
    "dates": _dates,
    "weighted": _weighted,
    "root alone": _root_alone,
    "evil names": evil,
}


@cache
def fitted(kind: str) -> Fitted:
    """The model of a kind, fitted once."""
    return KINDS[kind]()
