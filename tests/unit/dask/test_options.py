"""Options over partitions: what is offered gives the model of the whole table, what is not is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

import arboretum
from arboretum import CostComplexity, MEstimate, Oblique, Optimal, Shrinkage
from arboretum.dask import TreeClassifier, TreeRegressor
from arboretum.dask.estimators import fit_parts
from arboretum.dask.runner import Here
from arboretum.errors import DataError, ParameterError
from arboretum.estimators.fitted_state import FittedState

N_ROWS = 400


def table(n_classes: int = 3) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """Columns of several kinds with gaps, and classes that they tell something of."""
    rng = np.random.default_rng(8)
    x = pd.DataFrame(
        {
            "number": pd.Series(rng.normal(size=N_ROWS)).mask(rng.random(N_ROWS) < 0.1),
            "count": rng.integers(0, 9, N_ROWS),
            "text": rng.choice(list("abcdefghijklm"), N_ROWS),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], N_ROWS), ["S", "M", "L"], ordered=True),
        }
    )
    score = x["number"].fillna(1.0) + (x["text"] < "f") + rng.normal(size=N_ROWS)
    return x, (score.rank(pct=True) * n_classes).astype(int).clip(upper=n_classes - 1).to_numpy()


def fit_here(
    model: Any, x: Any, y: Any, weights: Any = None, cuts: tuple[int, ...] = (7, 7, 150)
) -> FittedState:
    """Fit over partitions that lie here, without a cluster."""
    pieces = list(pairwise((0, *cuts, len(x))))
    parts: dict[str, Any] = {
        "X": [x.iloc[a:b] for a, b in pieces],
        "y": [y[a:b] for a, b in pieces],
        "sample_weight": None if weights is None else [weights[a:b] for a, b in pieces],
    }
    return fit_parts(Here(), parts, model._settings(), type(model).__name__, small_rows=40)[0]


@pytest.mark.parametrize(
    "params",
    [
        {"criterion": "entropy", "nominal": "one_vs_rest"},
        {"criterion": "misclassification", "levels": "raw"},
        {"class_weight": "balanced"},
        {"class_weight": {0: 0.3, 1: 2.0, 2: 1.0}, "leaf": "frequency"},
        {"priors": [0.2, 0.3, 0.5], "leaf": "laplace"},
        {"loss": [[0, 1, 2], [5, 0, 1], [1, 1, 0]], "leaf": MEstimate(2)},
        {"min_samples_leaf": 0.02, "min_samples_split": 0.1, "thresholds": "round"},
        {"min_impurity_decrease": 0.01, "max_depth": 4, "thresholds": "observed"},
        {"max_depth": 0},
        {"max_leaf_nodes": 9, "nominal": "one_vs_rest"},
        {"max_bins": 11, "thresholds": "round"},
        {"column_costs": {"number": 3.0, "text": 0.5}, "max_bins": 255, "max_leaf_nodes": 30},
        {"min_weight_fraction_leaf": 0.05, "leaf": Shrinkage(3.0)},
        {"categorical_features": ["count"], "ordered_features": {"text": list("abcdefghijklm")}},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::arboretum.OneLeafWarning")
def test_options_for_classes(params: dict[str, Any]) -> None:
    """The same tree, with and without weights."""
    x, y = table()
    weights = np.random.default_rng(1).random(N_ROWS) * (np.arange(N_ROWS) % 5 > 0)
    for own in (None, weights):
        model = TreeClassifier(prune=None, **params)
        expected = arboretum.TreeClassifier(prune=None, **params).fit(x, y, sample_weight=own)
        state = fit_here(model, x, y, own)
        assert state.tree == expected.tree_
        assert state.training_data.fingerprint == expected.training_data_.fingerprint


@pytest.mark.parametrize("n_classes", [2, 5, 12, 32])
def test_numbers_of_classes(n_classes: int) -> None:
    """Histograms have several forms, by the number of classes."""
    x, y = table(n_classes)
    expected = arboretum.TreeClassifier(prune=None).fit(x, y).tree_
    assert fit_here(TreeClassifier(prune=None), x, y).tree == expected


def test_rows_without_weight_have_a_say_in_classes_and_levels() -> None:
    """As in memory: a class and a level that occur only there, in a partition without any weight."""
    x, y = table()
    y, weights = y.copy(), np.ones(N_ROWS)
    y[:20], weights[:20] = 7, 0.0
    x.loc[:19, "text"] = "only here"
    expected = arboretum.TreeClassifier(prune=None).fit(x, y, sample_weight=weights)
    state = fit_here(TreeClassifier(prune=None), x, y, weights, cuts=(20, 150))
    assert state.classes is not None
    assert state.classes.tolist() == expected.classes_.tolist() == [0, 1, 2, 7]
    assert state.tree == expected.tree_


@pytest.mark.parametrize("weighted", [False, True])
def test_incomplete_rows_are_dropped(weighted: bool) -> None:
    """They have a say in classes and levels; of those without weight, nobody speaks."""
    x, y = table()
    y = y.copy()
    x.loc[200:219, ["number", "text"]] = np.nan, "only here"
    y[200:220] = 7
    weights = (np.arange(N_ROWS) % 5 > 0) * 1.5 if weighted else None
    model = TreeClassifier(prune=None, missing="drop")
    expected = arboretum.TreeClassifier(prune=None, missing="drop").fit(x, y, sample_weight=weights)
    state = fit_here(model, x, y, weights, cuts=(200, 220))
    assert state.n_rows_dropped == expected.n_rows_dropped_ > 20
    assert state.tree == expected.tree_
    assert state.training_data == replace(expected.training_data_, suspicions=None)
    with pytest.raises(DataError, match=r"'drop' leaves no row: all 400 rows.*\nHint: "):
        fit_here(model, x.assign(number=np.nan), y)


def test_missing_values_are_refused_where_they_are() -> None:
    x, y = table()
    expected = arboretum.TreeClassifier(prune=None, missing="error").fit(x.drop(columns="number"), y)
    model = TreeClassifier(prune=None, missing="error")
    assert fit_here(model, x.drop(columns="number"), y).tree == expected.tree_
    x["number"] = np.where(np.arange(N_ROWS) == 200, np.nan, 1.0)
    with pytest.raises(DataError, match=r"^Partition 3: .*'number' misses 1 of 250 values \(first: row 50\)"):
        fit_here(model, x, y)


@pytest.mark.parametrize(
    ("params", "choice"),
    [
        ({"prune": "pessimistic"}, r"prune=Pessimistic\(\) is"),
        ({"prune": CostComplexity(measure="auc")}, r"measure='auc' of prune=CostComplexity is"),
        ({"prune": CostComplexity(folds=KFold(3))}, r"folds=KFold\(.*\) of prune=CostComplexity is"),
        ({"criterion": "gain_ratio"}, "criterion='gain_ratio' is"),
        ({"missing": "surrogate"}, "missing='surrogate' is"),
        ({"nominal": "multiway"}, "nominal='multiway' is"),
        ({"thresholds": "table"}, "thresholds='table' is"),
        ({"questions": Oblique()}, r"questions=Oblique\(\) is"),
        ({"search": Optimal(), "max_depth": 2}, r"search=Optimal\("),
        ({"significance": 0.05}, "significance is"),
        ({"competitors": 1}, "competitors is"),
        ({"leaf": "honest"}, "leaf="),
        ({"monotonic_cst": np.array([1, 0])}, "monotonic_cst is"),
    ],
    ids=str,
)
def test_refused_options(params: dict[str, Any], choice: str) -> None:
    """Before anything is asked of the collections, and with what to do instead."""
    model = TreeClassifier(**({"prune": None} | params))
    with pytest.raises(ParameterError, match=rf"^{choice}.*not offered for Dask collections\.\nHint: "):
        model.fit(None, None)


def test_refused_criteria_of_numbers() -> None:
    words = "'absolute_error' is not offered.*\nHint: choose 'squared_error', 'poisson'"
    with pytest.raises(ParameterError, match=words):
        TreeRegressor(prune=None, criterion="absolute_error").fit(None, None)


@pytest.mark.parametrize("prune", ["cost_complexity", "reduced_error"])
@pytest.mark.parametrize("params", [{}, {"max_leaf_nodes": 12, "min_weight_fraction_leaf": 0.02}], ids=str)
def test_poisson_trees_are_pruned_as_in_memory(prune: Any, params: dict[str, Any]) -> None:
    """Limits of folds are those of their own rows."""
    x, _ = table()
    rng = np.random.default_rng(6)
    y, weights = rng.poisson(np.exp(x["number"].fillna(0.5))).astype(float), rng.random(N_ROWS) + 0.1
    params = {"prune": prune, "criterion": "poisson", "random_state": 0} | params
    expected = arboretum.TreeRegressor(**params).fit(x, y, sample_weight=weights)
    assert fit_here(TreeRegressor(**params), x, y, weights).tree == expected.tree_


def test_targets_that_poisson_refuses() -> None:
    """A part may hold zeros only; the whole table may not. Rows that are left out may hold anything."""
    x, _ = table()
    y, weights = np.where(np.arange(N_ROWS) < 150, 0.0, np.arange(N_ROWS) % 7), np.ones(N_ROWS)
    model, its = (kind(prune=None, criterion="poisson") for kind in (TreeRegressor, arboretum.TreeRegressor))
    y[3], weights[3] = -1.0, 0.0
    assert fit_here(model, x, y, weights).tree == its.fit(x, y, sample_weight=weights).tree_
    with pytest.raises(DataError, match=r"^Partition 0: criterion='poisson' needs .* not negative.*-1\.0"):
        fit_here(model, x, y)
    with pytest.raises(DataError, match=r"^criterion='poisson' needs a positive target, but all of y"):
        fit_here(model, x, np.zeros(N_ROWS))


@pytest.mark.parametrize("name", ["groups", "output_weights"])
def test_refused_arguments(name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name} is not offered"):
        TreeClassifier(prune=None).fit(None, None, **{name: [1]})


@pytest.mark.filterwarnings("ignore::arboretum.WeightWarning")
def test_weights_far_apart_are_refused() -> None:
    """Up to 2^26 the model is that of the whole table; beyond, its sums would depend on the partitions."""
    x, y = table(2)
    weights = np.random.default_rng(2).random(N_ROWS) + 1.0
    weights[[3, 200]] = 1.0, 2.0**26
    for model, its in (
        (TreeClassifier(prune=None), arboretum.TreeClassifier(prune=None)),
        (TreeRegressor(prune=None), arboretum.TreeRegressor(prune=None)),
    ):
        assert fit_here(model, x, y, weights).tree == its.fit(x, y, sample_weight=weights).tree_
        with pytest.raises(DataError, match=r"between 1 and 6\.7.*at most 67,108,864 times.*\nHint: leave"):
            fit_here(model, x, y, np.where(weights == 2.0**26, 2.0**26 + 1, weights))


def test_what_the_rows_decide_is_refused() -> None:
    x, y = table(3)
    with pytest.raises(ParameterError, match="class 1 the weight 0, which is not offered"):
        fit_here(TreeClassifier(prune=None, class_weight={1: 0.0}), x, y)
    with pytest.raises(DataError, match="33 classes, but at most 32"):
        fit_here(TreeClassifier(prune=None), x, np.arange(N_ROWS) % 33)
    with pytest.raises(DataError, match="sample_weight is zero in every row"):
        fit_here(TreeClassifier(prune=None), x, y, np.zeros(N_ROWS))
