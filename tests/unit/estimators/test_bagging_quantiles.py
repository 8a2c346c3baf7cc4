"""Quantile regression forests and proximities, against what the trees say one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arboretum import BaggedClassifier, BaggedRegressor, DataError, ParameterError, TreeRegressor
from arboretum._tree.quantiles import weighted_quantiles
from arboretum._types import Array
from arboretum.estimators.bagging import proximities
from arboretum.inspection import forest_answers

SHARES = [0.0, 0.1, 0.5, 0.75, 1.0]


def table(seed: int, n_rows: int = 80) -> tuple[Array, Array, Array]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3))
    return X, np.round(X[:, 0] * 3 + random.normal(size=n_rows), 1), random.integers(1, 4, n_rows) / 2


def by_hand(model: Any, X: Array, y: Array, weights: Array) -> Array:
    """Drop the drawn rows down each tree, one by one, and weigh them by their shares of the leaf."""
    found = []
    for row in X:
        counts = np.zeros(len(y))
        for number, tree in enumerate(model.trees_):
            drawn = np.bincount(model._state.samples.rows(number), minlength=len(y)) * weights
            inside = (tree.apply(X) == tree.apply(row[None])[0]) * drawn
            counts += inside / inside.sum()
        found.append(weighted_quantiles(y[counts > 0], counts[counts > 0], np.array(SHARES)))
    return np.array(found)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1000), least=st.sampled_from([1, 5, 30]), weighted=st.booleans())
def test_quantiles_by_hand(seed: int, least: int, weighted: bool) -> None:
    X, y, weights = table(seed, 40)
    tree = TreeRegressor(prune=None, leaf="quantiles", min_samples_leaf=least)
    model = BaggedRegressor(tree, n_trees=4, random_state=seed).fit(X, y, weights if weighted else None)
    expected = by_hand(model, X, y, weights if weighted else np.ones(len(y)))
    assert np.allclose(model.predict_quantile(X, SHARES), expected, rtol=0, atol=1e-9)


def test_few_rows_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = table(0)
    tree = TreeRegressor(prune=None, leaf="quantiles", min_samples_leaf=5)
    model = BaggedRegressor(tree, n_trees=3).fit(X, y)
    whole = model.predict_quantile(X, SHARES)
    assert np.array_equal(whole[:, 2], model.predict_quantile(X, 0.5))
    monkeypatch.setattr(forest_answers, "_MOST_ENTRIES", 20)
    assert np.array_equal(model.predict_quantile(X, SHARES), whole)


def test_an_interval_holds_its_share_of_new_targets() -> None:
    X, y, _ = table(1, 1500)
    tree = TreeRegressor(prune=None, leaf="quantiles", min_samples_leaf=10)
    model = BaggedRegressor(tree, n_trees=30).fit(X[:1000], y[:1000])
    low, high = model.predict_interval(X[1000:], level=0.8).T
    assert 0.75 < np.mean((low <= y[1000:]) & (y[1000:] <= high)) < 0.92
    assert np.array_equal(np.column_stack([low, high]), model.predict_quantile(X[1000:], [0.1, 0.9]))


def test_what_is_refused() -> None:
    X, y, _ = table(0)
    with pytest.raises(DataError, match="does not keep"):
        BaggedRegressor(n_trees=2).fit(X, y).predict_quantile(X, 0.5)
    model = BaggedRegressor(TreeRegressor(prune=None, leaf="quantiles"), n_trees=2).fit(X, y)
    with pytest.raises(ParameterError, match="shares from 0 to 1"):
        model.predict_quantile(X, 1.5)
    with pytest.raises(ParameterError, match="level"):
        model.predict_interval(X, level=1.0)


def test_proximities_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = table(2)
    model = BaggedClassifier(n_trees=7, max_features=2).fit(X, y > 0)
    leaves = model.apply(X)
    expected = (leaves[:, None, :] == leaves[None, :, :]).mean(axis=2)
    monkeypatch.setattr(proximities, "_ROWS_AT_A_TIME", 9)
    assert np.allclose(model.proximities(X), expected, rtol=0, atol=1e-15)
    assert np.array_equal(model.proximities(X[:5], X[3:]), model.proximities(X)[:5, 3:])
    monkeypatch.setattr(proximities, "_MOST_BYTES", 1000)
    with pytest.raises(DataError, match="80 by 80 numbers"):
        model.proximities(X)
