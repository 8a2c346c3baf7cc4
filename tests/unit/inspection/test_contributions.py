"""contributions(): shapes, sums, deep trees, text, and refusals in one sentence.

That the numbers are Shapley values is shown in tests/oracle/test_contributions.py.
"""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from support.chains import chain
from support.composites import at_least, cut, plant
from support.marks import allow_constant_column, allow_one_leaf

import arboretum
from arboretum import (
    DataError,
    DataTypeError,
    ParameterError,
    Tree,
    TreeClassifier,
    TreeRegressor,
    contributions,
    datasets,
)
from arboretum._data import Column
from arboretum.inspection import contributions as module

X, Y = datasets.load_penguins()
MODEL = TreeClassifier().fit(X, Y)
NUMBERS = TreeRegressor(max_leaf_nodes=9, prune=None).fit(X.iloc[:, :4], X["body_mass_g"].fillna(4000))


# Shapes and sums


def test_classes_have_an_axis_of_their_own() -> None:
    found = contributions(MODEL, X, interactions=True)
    assert found.values.shape == (344, X.shape[1], 3)
    assert found.interactions is not None
    assert found.interactions.shape == (344, X.shape[1], X.shape[1], 3)
    assert found.base.shape == (3,)
    assert found.columns == tuple(X.columns)
    assert found.classes == tuple(MODEL.classes_)
    np.testing.assert_allclose(found.prediction, MODEL.predict_proba(X), rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.values.sum(axis=2), 0.0, atol=1e-14)  # probabilities add up to 1


def test_numbers_have_not() -> None:
    found = contributions(NUMBERS, X, interactions=True)
    assert found.values.shape == (344, 4)
    assert isinstance(found.base, float)
    assert found.classes is None
    assert found.interactions is not None
    assert found.interactions.shape == (344, 4, 4)
    np.testing.assert_allclose(found.prediction, NUMBERS.predict(X), rtol=1e-14)
    assert contributions(NUMBERS, X).interactions is None


def test_two_classes_mirror_each_other() -> None:
    two = TreeClassifier().fit(X, Y == "Gentoo")
    found = contributions(two, X, X.head(20), interactions=True)
    assert np.array_equal(found.values[..., 0], -found.values[..., 1])
    np.testing.assert_allclose(found.prediction, two.predict_proba(X), rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.base, two.predict_proba(X.head(20)).mean(axis=0), rtol=0, atol=1e-14)


def test_an_estimator_its_tree_and_any_kind_of_table() -> None:
    found = contributions(MODEL, X).values
    assert np.array_equal(contributions(MODEL.tree_, X).values, found)
    assert np.array_equal(contributions(MODEL, pl.from_pandas(X)).values, found)
    shuffled = X[list(reversed(X.columns))]
    assert np.array_equal(contributions(MODEL, shuffled).values, found)
    behind = contributions(MODEL, X, X.head(9)).values
    assert np.array_equal(contributions(MODEL, X, pl.from_pandas(X.head(9))).values, behind)
    arrays = X.iloc[:, 1:5].to_numpy(dtype=float)
    plain = TreeClassifier().fit(arrays, Y)
    both = [contributions(plain, arrays, other).values for other in (arrays[:9], arrays[:9].tolist())]
    assert np.array_equal(*both)


@allow_one_leaf
def test_a_tree_that_asks_nothing() -> None:
    model = TreeRegressor().fit(np.zeros((5, 2)), np.ones(5))
    for behind in (None, [[1.0, 2.0]]):
        found = contributions(model, [[3.0, 4.0]], behind, interactions=True)
        assert found.values.tolist() == [[0.0, 0.0]]
        assert found.base == 1.0
        assert found.interactions is not None
        assert not found.interactions.any()


def test_a_column_that_is_never_asked_contributes_nothing() -> None:
    unasked = [i for i, column in enumerate(X.columns) if i not in MODEL.tree_._asked]
    assert unasked
    for behind in (None, X.head(5)):
        assert not contributions(MODEL, X, behind).values[:, unasked].any()


# Deep trees


@pytest.mark.parametrize("n_columns", [1, 7, 1000])
def test_a_chain_of_a_thousand_questions(n_columns: int) -> None:
    """Neither slow nor inexact, not even if every question is about another column."""
    tree = chain(1000, n_columns=n_columns)
    rng = np.random.default_rng(0)
    rows = rng.uniform(0, 1000, (40, n_columns))
    start = time.perf_counter()
    for behind in (None, rows[:5]):
        found = contributions(tree, rows, behind)
        np.testing.assert_allclose(found.prediction, tree.predict_proba(rows), rtol=0, atol=1e-10)
    one = contributions(tree, rows[:1])
    np.testing.assert_allclose(one.values, contributions(tree, rows).values[:1], rtol=0, atol=1e-12)
    assert time.perf_counter() - start < 20


@allow_constant_column
def test_a_chain_that_would_overflow_a_stack() -> None:
    tree = chain(60_000)
    rows = np.array([[0.0], [3.0], [59_999.0]])
    for behind in (None, rows):
        found = contributions(tree, rows, behind)
        np.testing.assert_allclose(found.prediction, tree.predict_proba(rows), rtol=0, atol=1e-10)


# What it says


def test_one_row_as_text() -> None:
    row = pd.DataFrame(X.iloc[[3]])  # which has hardly any measurements
    text = str(contributions(NUMBERS, row))
    assert text.splitlines()[0] == "contributions to one row"
    assert "flipper_length_mm    missing" in text
    assert text.splitlines()[-1].startswith("(prediction)")


def test_several_rows_as_text() -> None:
    lines = str(contributions(MODEL, X)).splitlines()
    assert lines[0] == "mean size of the contributions to 344 rows"
    assert lines[1].split() == ["column", "to", "Adelie", "to", "Chinstrap", "to", "Gentoo"]
    assert len(lines) == 2 + X.shape[1]
    wide = np.random.default_rng(0).normal(size=(60, 70))
    model = TreeRegressor(prune=None).fit(wide, wide[:, 0] + wide[:, 1])
    assert str(contributions(model, wide)).endswith("… and 20 smaller ones")


def test_one_class_and_a_frame() -> None:
    found = contributions(MODEL, X.head(3), interactions=True)
    gentoo = found.of("Gentoo")
    assert np.array_equal(gentoo.values, found.values[..., 2])
    assert gentoo.base == found.base[2]
    assert gentoo.interactions is not None
    assert gentoo.interactions.shape == (3, X.shape[1], X.shape[1])
    table = gentoo.to_frame()
    assert list(table.columns) == ["row", "column", "value", "Gentoo"]
    assert table["Gentoo"].tolist() == gentoo.values.ravel().tolist()
    assert list(found.to_frame().columns)[3:] == ["to Adelie", "to Chinstrap", "to Gentoo"]
    assert contributions(NUMBERS, X.head(1)).to_frame()["value"].iloc[-1] == X.iloc[0, 3].astype(
        str
    ).removesuffix(".0")


# Refusals


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: contributions(MODEL, X.drop(columns="island")), DataError, "X lacks the column 'island'"),
        (lambda: contributions(MODEL, X.head(0)), DataError, "X has no rows: 0 sample"),
        (lambda: contributions(MODEL, "X.csv"), DataTypeError, "X is text, not a table"),
        (lambda: contributions(MODEL, X, X.head(0)), DataError, "background has no rows"),
        (
            lambda: contributions(MODEL, X, X[["island"]]),
            DataError,
            "background lacks the columns",
        ),
        (
            lambda: contributions(MODEL, X, 3),
            DataTypeError,
            "background is of type int, which is not a table",
        ),
        (
            lambda: contributions(MODEL, X, interactions="yes"),
            ParameterError,
            "interactions='yes' is not known",
        ),
        (lambda: contributions(MODEL, X, n_jobs=0), ParameterError, "n_jobs=0 is not allowed"),
        (
            lambda: contributions(MODEL, X).of("Emperor"),
            ParameterError,
            "'Emperor' is not a class of the model",
        ),
        (lambda: contributions(MODEL, X).of([1]), ParameterError, r"\[1\] is not a class of the model"),
        (lambda: contributions(NUMBERS, X).of("Gentoo"), ParameterError, "belong to numbers, not to classes"),
        (lambda: contributions(MODEL, X).of("Gentoo").of("Gentoo"), ParameterError, "to 'Gentoo' only"),
        (lambda: contributions(TreeClassifier(), X), NotFittedError, "not fitted yet"),
        (lambda: contributions(TreeClassifier, X), DataTypeError, "not the class TreeClassifier"),
        (
            lambda: contributions(DecisionTreeClassifier().fit([[0], [1]], [0, 1]), [[0]]),
            DataTypeError,
            r"contributions\(\) needs a fitted tree estimator or a Tree, not DecisionTreeClassifier",
        ),
    ],
)
def test_refusals(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_missing_values_that_the_model_refuses() -> None:
    full = X.dropna()
    model = TreeClassifier(missing="error").fit(full, Y[full.index])
    with pytest.raises(DataError, match="missing"):
        contributions(model, X)
    with pytest.raises(DataError, match=r"In background: .*missing"):
        contributions(model, full, X)


def test_more_numbers_than_fit() -> None:
    """Before anything is computed."""
    wide = np.zeros((40, 3000))
    wide[:20, 0] = 1.0
    model = TreeClassifier(prune=None).fit(wide, ["a"] * 20 + ["b"] * 20)
    with pytest.raises(DataError) as caught:
        contributions(model, np.tile(wide, (2, 1))[:, :], interactions=True)
    assert str(caught.value) == (
        "interactions=True would return 80 by 3,000 by 3,000 by 2 numbers, which take 10.7 GB; "
        "the limit is 4 GB.\n"
        "Hint: leave interactions out, or give fewer rows at a time."
    )


def test_more_rows_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_BYTES", 1000)
    with pytest.raises(
        DataError, match=r"contributions\(\) would return 344 by 4 numbers.*\nHint: give fewer rows"
    ):
        contributions(NUMBERS, X)


def one_vote(m: int, n: int) -> Tree:
    """A tree whose only question is whether at least m of n columns are at most 0.5."""
    columns = tuple(Column(f"x{place}", "number") for place in range(n))
    return plant({(): at_least(m, *(cut(column, 0.5) for column in columns))}, columns)


def test_a_vote_of_many_columns() -> None:
    """It has 352,716 ways, which once were listed before any was taken; all columns count alike."""
    tree = one_vote(10, 20)
    found = contributions(tree, np.zeros((1, 20)), np.ones((1, 20)))
    change = tree.predict_proba(np.zeros((1, 20))) - tree.predict_proba(np.ones((1, 20)))
    expected = np.broadcast_to(change / 20, (20, 2))
    np.testing.assert_allclose(found.values[0], expected, rtol=0, atol=1e-12)


def test_too_many_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are counted for each pair of rows anew."""
    tree, row, other = one_vote(5, 10), np.zeros((1, 10)), np.ones((1, 10))
    monkeypatch.setattr(module, "_MOST_STEPS", 2000)
    contributions(tree, row, np.repeat(other, 20, axis=0))
    monkeypatch.setattr(module, "_MOST_STEPS", 200)
    contributions(tree, row, row)
    contributions(tree, row)
    with pytest.raises(DataError) as caught:
        contributions(tree, row, other, n_jobs=2)
    assert str(caught.value) == (
        "contributions() would take more than 200 steps for one row and one row of the background: the tree "
        "asks about up to 10 columns at once, and every choice of those that are known is another way down.\n"
        "Hint: leave background out, or fit anew with shorter questions, such as Oblique(max_terms=10) or "
        "MofN(max_n=10)."
    )


def test_ctrl_c_among_the_ways_of_one_row() -> None:
    tree = one_vote(20, 40)
    timer = threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        contributions(tree, np.zeros((1, 40)), np.ones((1, 40)))


@pytest.mark.parametrize("behind", [False, True], ids=["weights", "background"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c(behind: bool, n_jobs: int) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(4000, 12))
    model = TreeRegressor(prune=None).fit(rows, rng.normal(size=4000))
    many = np.tile(rows, (20, 1))
    timer = threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        arboretum.contributions(model, many, many if behind else None, n_jobs=n_jobs)
    assert time.perf_counter() - start < 8
