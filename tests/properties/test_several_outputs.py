"""Laws of trees of several outputs: equal columns are one output, and neither order nor scale matters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arboretum import TreeClassifier, TreeMixed, TreeRegressor

STRUCTURE = ("parent", "kind", "column", "threshold", "missing_child", "n_rows", "level_child")


def table(seed: int, n: int = 120) -> tuple[pd.DataFrame, Any, Any]:
    """Return numbers, levels and missing values, with a target of numbers and one of classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    X["level"] = pd.Series(rng.choice(list("pqrst"), n), dtype="category")
    X.loc[rng.random(n) < 0.1, "b"] = np.nan
    number = X["a"] * 2 + (X["level"] == "q") + rng.normal(size=n) * 0.5
    label = np.where(X["c"] + rng.normal(size=n) * 0.5 > 0, "yes", "no")
    return X, number.to_numpy(), label


def same_questions(one: Any, other: Any) -> bool:
    """Return whether two trees ask the same and divide rows alike."""
    return all(np.array_equal(one.array(name), other.array(name)) for name in STRUCTURE)


@pytest.mark.parametrize(("seed", "n_columns"), [(0, 2), (1, 3)])
@pytest.mark.parametrize("prune", [None, "cost_complexity"])
def test_equal_columns_are_one_output(seed: int, n_columns: int, prune: Any) -> None:
    """The same questions, values, probabilities and the same size after pruning, with weights of rows.

    Numeric columns only: which side of a subset is called left may differ.
    """
    X, number, label = table(seed)
    X = X.drop(columns="level")
    weights = np.random.default_rng(seed).integers(1, 4, len(X)).astype(float)
    for kind, y, shown in ((TreeRegressor, number, "value"), (TreeClassifier, label, "probability")):
        estimator: Any = kind
        one = estimator(prune=prune).fit(X, y, weights)
        several = estimator(prune=prune).fit(X, np.stack([y] * n_columns, axis=1), weights)
        for tree in several.tree_:
            assert same_questions(tree, one.tree_)
            np.testing.assert_allclose(tree.array(shown), one.tree_.array(shown), rtol=1e-12)
            np.testing.assert_allclose(tree.array("impurity"), one.tree_.array("impurity"), atol=1e-12)
            np.testing.assert_allclose(tree.array("gain"), one.tree_.array("gain"), atol=1e-12)
        np.testing.assert_allclose(several.feature_importances_, one.feature_importances_, atol=1e-12)
        whole = one.pruning_path_.risk[-1]
        np.testing.assert_allclose(several.pruning_path_.risk, one.pruning_path_.risk / whole, atol=1e-12)
        np.testing.assert_allclose(
            several.pruning_path_.cv_risk, one.pruning_path_.cv_risk / whole, rtol=1e-9
        )
        np.testing.assert_allclose(several.pruning_path_.cv_se, one.pruning_path_.cv_se / whole, rtol=1e-6)


@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest", "multiway"])
@pytest.mark.parametrize("seed", range(2))
def test_equal_columns_with_levels_predict_the_same(seed: int, nominal: Any) -> None:
    """Levels and their correction: the same rows come together."""
    X, number, label = table(seed)
    for kind, y in ((TreeRegressor, number), (TreeClassifier, label)):
        estimator: Any = kind
        one = estimator(prune=None, nominal=nominal).fit(X, y)
        several = estimator(prune=None, nominal=nominal).fit(X, np.c_[y, y])
        assert several.get_n_leaves() == one.get_n_leaves()
        expected = one.predict(X) if kind is TreeRegressor else one.predict_proba(X)
        found = several.predict(X)[:, 1] if kind is TreeRegressor else several.predict_proba(X)[1]
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@given(seed=st.integers(0, 10_000), order=st.permutations(range(4)))
@settings(max_examples=10, deadline=None)
def test_the_order_of_the_outputs_does_not_matter(seed: int, order: list[int]) -> None:
    """The same tree, and the same size after pruning."""
    X, number, label = table(seed, 60)
    rng = np.random.default_rng(seed)
    Y = pd.DataFrame(
        {"n": number, "l": label, "m": rng.normal(size=60), "k": rng.choice(["u", "v", "w"], 60)}
    )
    one = TreeMixed().fit(X, Y)
    other = TreeMixed().fit(X, Y.iloc[:, order])
    for name in Y:
        assert one.tree_[str(name)] == other.tree_[str(name)]


@given(seed=st.integers(0, 10_000), power=st.integers(-40, 40))
@settings(max_examples=10, deadline=None)
def test_the_scale_of_a_number_does_not_matter(seed: int, power: int) -> None:
    """Powers of two change no digit, so the tree is the same to the last bit."""
    X, number, label = table(seed, 60)
    codes = (label == "yes").astype(float)
    one: Any = TreeRegressor().fit(X, np.c_[number, codes])
    other: Any = TreeRegressor().fit(X, np.c_[number * 2.0**power, codes])
    assert same_questions(one.tree_[1], other.tree_[1])
    np.testing.assert_allclose(one.predict(X)[:, 0] * 2.0**power, other.predict(X)[:, 0], rtol=1e-12)


def test_threads_and_the_order_of_rows_do_not_matter() -> None:
    """Neither the number of threads nor the order of the rows changes the grown tree."""
    X, number, label = table(0, 3000)
    Y = pd.DataFrame({"n": number, "l": label})
    model = TreeMixed(prune=None, max_depth=8).fit(X, Y)
    assert TreeMixed(prune=None, max_depth=8, n_jobs=2).fit(X, Y).tree_ == model.tree_
    order = np.random.default_rng(1).permutation(3000)
    assert TreeMixed(prune=None, max_depth=8).fit(X.iloc[order], Y.iloc[order]).tree_ == model.tree_


def test_repeated_rows_are_weights() -> None:
    """Whole weights stand for repeated rows."""
    X, number, label = table(3)
    number = (number * 16).round()  # sums are exact
    weights = np.random.default_rng(0).integers(1, 4, len(X))
    again = np.repeat(np.arange(len(X)), weights)
    Y = pd.DataFrame({"n": number, "l": label})
    one = TreeMixed(prune=None, leaf="frequency", levels="raw").fit(X, Y, weights)
    other = TreeMixed(prune=None, leaf="frequency", levels="raw").fit(X.iloc[again], Y.iloc[again])
    assert one.tree_["n"].array("threshold").tolist() == other.tree_["n"].array("threshold").tolist()
    assert (one.predict(X) == other.predict(X)).all()


def test_an_output_without_weight_or_variety_has_no_say() -> None:
    """A constant output, and one of weight zero, leave the tree of the others."""
    X, number, _ = table(1)
    noise = np.random.default_rng(5).normal(size=len(X))
    alone: Any = TreeRegressor(prune=None).fit(X, np.c_[number, number])
    constant: Any = TreeRegressor(prune=None).fit(X, np.c_[number, np.ones(len(X))])
    weightless: Any = TreeRegressor(prune=None).fit(X, np.c_[number, noise], output_weights=[1, 0])
    assert same_questions(constant.tree_[0], alone.tree_[0])
    assert same_questions(weightless.tree_[0], alone.tree_[0])
    assert (constant.predict(X)[:, 1] == 1.0).all()
    doubled: Any = TreeRegressor(prune=None, max_depth=3).fit(
        X, np.c_[number, noise], output_weights=[1e6, 1e-6]
    )
    single: Any = TreeRegressor(prune=None, max_depth=3).fit(X, np.c_[number, number])
    assert same_questions(doubled.tree_[0], single.tree_[0])
