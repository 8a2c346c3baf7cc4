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


def fit_here(model: Any, x: Any, y: Any, weights: Any = None) -> FittedState:
    """Fit over partitions that lie here, whose trees have several levels before their nodes are small."""
    pieces = list(pairwise((0, 300, 300, 1_900, len(x))))
    parts: dict[str, Any] = {
        "X": [x.iloc[a:b] for a, b in pieces],
        "y": [y[a:b] for a, b in pieces],
        "sample_weight": None if weights is None else [weights[a:b] for a, b in pieces],
    }
    return fit_parts(Here(), parts, model._settings(), type(model).__name__, small_rows=len(x) // 8)[0]


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


def test_random_numbers_are_drawn_as_in_memory() -> None:
    """A second fit with the same source draws other folds, and the same ones in both."""
    x, y, *_ = table(400)
    sources = np.random.RandomState(5), np.random.RandomState(5)
    for _ in range(2):
        its = arboretum.TreeClassifier(random_state=sources[0]).fit(x, y)
        state = fit_here(TreeClassifier(random_state=sources[1]), x, y)
        assert state.path.to_frame().equals(its.pruning_path_.to_frame())
    assert sources[0].randint(10**6) == sources[1].randint(10**6)
