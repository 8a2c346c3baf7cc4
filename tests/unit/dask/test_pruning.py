"""Pruning over partitions: the size and the shrinkage that the whole table would choose."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.parts import assert_same_pruned

import arboretum
from arboretum import CostComplexity, ReducedError
from arboretum.dask import TreeClassifier, TreeRegressor
from arboretum.dask.estimators import fit_parts
from arboretum.dask.runner import Here
from arboretum.errors import DataError, ParameterError
from arboretum.estimators.fitted_state import FittedState


def table(n_rows: int) -> tuple[pd.DataFrame, Any, Any, Any]:
    """Columns of several kinds, classes and numbers that they tell something of, and weights."""
    rng = np.random.default_rng(0)
    x = pd.DataFrame(
        {
            "number": rng.normal(size=n_rows),
            "tenths": rng.normal(size=n_rows).round(1),
            "text": rng.choice(list("abcdefgh"), n_rows),
            "gaps": pd.Series(rng.normal(size=n_rows)).mask(rng.random(n_rows) < 0.1),
        }
    )
    score = (x["number"] + x["tenths"] * (x["text"] < "d") + rng.normal(size=n_rows)).to_numpy()
    return x, np.digitize(score, [-1, 1]), score, rng.random(n_rows) + 0.1


def in_pieces(given: Any, *cuts: int) -> Any:
    """The rows between these places; nothing of nothing."""
    pieces = pairwise((0, *cuts, 0 if given is None else len(given)))
    return None if given is None else [given[a:b] for a, b in pieces]


def fit_here(model: Any, x: Any, y: Any, weights: Any = None, tuning: Any = None) -> FittedState:
    """Fit over partitions that lie here, whose trees have several levels before their nodes are small."""
    parts = {
        name: in_pieces(given, 300, 300, 1_900)
        for name, given in (("X", x), ("y", y), ("sample_weight", weights))
    }
    owner, small_rows = type(model).__name__, len(x) // 8
    return fit_parts(Here(), parts, model._settings(), owner, small_rows=small_rows, tuning=tuning)[0]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("of_numbers", [False, True])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"min_samples_leaf": 0.01, "thresholds": "round", "random_state": 3},
        {"prune": CostComplexity("holdout", rule="1se"), "min_samples_leaf": 5},
        {"prune": CostComplexity(folds=3, rule="1se", repeats=2)},
        {"prune": CostComplexity(alpha=0.002)},
        {"prune": ReducedError(order="leaves"), "min_samples_leaf": 5},
    ],
    ids=str,
)
def test_partitions_choose_what_the_whole_table_would(
    params: dict[str, Any], of_numbers: bool, weighted: bool
) -> None:
    """The tree, its path with the losses of held-out rows, and the strength of shrinkage, to the last bit."""
    x, classes, numbers, weights = table(2_500)
    y, given = numbers if of_numbers else classes, weights if weighted else None
    ours: Any = (TreeRegressor if of_numbers else TreeClassifier)(**params)
    its: Any = (arboretum.TreeRegressor if of_numbers else arboretum.TreeClassifier)(**params)
    state = fit_here(ours, x, y, given)
    its.fit(x, y, sample_weight=given)
    assert_same_pruned(state.pruned, its._state.pruned)
    assert 1 < its.tree_.n_leaves < its.unpruned().tree_.n_leaves
    assert state.path.to_frame().equals(its.pruning_path_.to_frame())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("of_numbers", [False, True])
@pytest.mark.parametrize("prune", ["cost_complexity", CostComplexity(rule="1se"), "reduced_error"], ids=str)
def test_tuning_data_in_partitions_decide(prune: Any, of_numbers: bool, weighted: bool) -> None:
    """One of their partitions is empty, and some rows have no weight."""
    x, classes, numbers, weights = table(2_400)
    y = numbers if of_numbers else classes
    weights[2_000:2_100] = 0.0
    given = weights if weighted else None
    ours: Any = (TreeRegressor if of_numbers else TreeClassifier)(prune=prune, min_samples_leaf=5)
    its: Any = (arboretum.TreeRegressor if of_numbers else arboretum.TreeClassifier)(
        prune=prune, min_samples_leaf=5
    )
    fit, held = slice(0, 1_800), slice(1_800, None)
    its.fit(
        x[fit], y[fit], X_val=x[held], y_val=y[held], sample_weight_val=None if given is None else given[held]
    )
    tuning = {
        name: in_pieces(None if own is None else own[held], 150, 150, 230)
        for name, own in (("X_val", x), ("y_val", y), ("sample_weight_val", given))
    }
    state = fit_here(ours, x[fit], y[fit], tuning=tuning)
    assert_same_pruned(state.pruned, its._state.pruned)


def test_faults_of_tuning_data_name_the_partition() -> None:
    x, y, *_ = table(400)
    model = TreeClassifier()
    for held, message in (
        ((x, np.where(np.arange(400) == 200, 9, y)), "sample_weight_val.*Partition 1: .*9"),
        ((x.drop(columns="text"), y), "sample_weight_val.*Partition 0: .*text"),
        ((x[:0], y[:0]), "no row with a weight"),
    ):
        tuning = {
            "X_val": in_pieces(held[0], 100),
            "y_val": in_pieces(held[1], 100),
            "sample_weight_val": None,
        }
        with pytest.raises(DataError, match=rf"^The tuning data .*{message}"):
            fit_here(model, x, y, tuning=tuning)
    with pytest.raises(DataError, match="X_val and y_val belong together"):
        model.fit(None, None, X_val=1)
    with pytest.raises(ParameterError, match="prune=None looks at none"):
        TreeClassifier(prune=None).fit(None, None, X_val=1, y_val=1)


def test_random_numbers_are_drawn_as_in_memory() -> None:
    """A second fit with the same source draws other folds, and the same ones in both."""
    x, y, *_ = table(400)
    sources = np.random.RandomState(5), np.random.RandomState(5)
    for _ in range(2):
        its = arboretum.TreeClassifier(random_state=sources[0]).fit(x, y)
        state = fit_here(TreeClassifier(random_state=sources[1]), x, y)
        assert state.path.to_frame().equals(its.pruning_path_.to_frame())
    assert sources[0].randint(10**6) == sources[1].randint(10**6)
