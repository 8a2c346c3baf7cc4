"""Trees of samples and of drawn columns: all sources grow the same tree, that of a table with these rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arboretum import LinearModel, Lookahead, MofN, TreeClassifier, TreeRegressor, _core
from arboretum._grow.growth import ColumnDraw, Growth
from arboretum._grow.training_table import read_training_table
from arboretum._types import Array


def growth_of(model: Any, X: Array, y: Array, weights: Array | None = None) -> Growth:
    return read_training_table(model._settings(), X, y, "test").growth(model._settings(), weights)[1]


def make(n_rows: int, n_classes: int, seed: int) -> tuple[Array, Array]:
    """Five columns: numbers, some rounded so that values repeat, some missing; classes, or numbers for 0."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 5))
    X[:, 1], X[:, 2] = np.round(X[:, 1]), random.integers(0, 2, n_rows)
    X[random.random(n_rows) < 0.1, 3] = np.nan
    score = X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=n_rows)
    return X, score if n_classes == 0 else np.digitize(score, [-1.0, 1.0][: n_classes - 1])


MODELS: list[Any] = [
    TreeClassifier(prune=None),
    TreeClassifier(prune=None, min_samples_leaf=5, max_depth=6),
    TreeClassifier(prune=None, max_leaf_nodes=8),
    TreeClassifier(prune=None, categorical_features=[1, 2]),
    TreeClassifier(prune=None, criterion="gain_ratio", thresholds="table", competitors=1),
    TreeClassifier(prune=None, categorical_features=[0, 1, 2, 3, 4], nominal="multiway", max_depth=2),
    TreeClassifier(prune=None, missing="surrogate", max_depth=3),
    TreeClassifier(prune=None, missing="fractional", max_depth=3),
    TreeClassifier(prune=None, questions=MofN(max_n=2), max_depth=2),
    TreeClassifier(prune=None, search=Lookahead(top=2), max_depth=2),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("n_columns", [None, 1, 3])
def test_a_sample_is_a_table_of_its_rows(model: Any, n_columns: int | None) -> None:
    """Rows that were drawn from a table, as they lie there, and the same rows as a table of their own."""
    X, y = make(120, 3, 1)
    X[:, 0] = np.round(X[:, 0], 1)
    rows = np.sort(np.random.default_rng(2).integers(0, 120, 120)).astype(np.uint32)
    draw = None if n_columns is None else ColumnDraw(n_columns, 7)
    shared = replace(growth_of(model, X, y), draw=draw)
    # Levels that nobody drew are known all the same: the table of its own is taken from the whole one.
    alone = shared.part(rows).tree()
    assert shared.tree(rows, in_place=True) == alone
    shared.share_codes()
    assert shared.tree(rows, in_place=True) == alone


def test_models_in_leaves_are_those_of_the_sample() -> None:
    """They are fitted to rows after growth, which must then be those of the sample alone."""
    X, y = make(120, 0, 1)
    X = np.nan_to_num(X)
    growth = growth_of(TreeRegressor(prune=None, leaf=LinearModel(), max_depth=2), X, y)
    rows = np.arange(0, 120, 3, dtype=np.uint32)
    assert growth.tree(rows, in_place=True) == growth.part(rows).tree()


@settings(max_examples=40, deadline=None)
@given(
    n_rows=st.sampled_from([3, 20, 255, 700]),
    n_classes=st.sampled_from([0, 2, 3]),
    n_columns=st.sampled_from([1, 2, 4, 5]),
    weighted=st.booleans(),
    best_first=st.booleans(),
    threads=st.sampled_from([1, 3]),
    seed=st.integers(0, 2**32 - 1),
)
def test_faster_ways_grow_the_same_tree(
    n_rows: int, n_classes: int, n_columns: int, weighted: bool, best_first: bool, threads: int, seed: int
) -> None:
    """The fast source, which fetches codes and sorts only what is drawn, and the plain one."""
    X, y = make(n_rows, n_classes, seed % 1000)
    random = np.random.default_rng(seed)
    limits: dict[str, Any] = {"prune": None, "max_leaf_nodes": 12 if best_first else None}
    model: Any = TreeClassifier(**limits) if n_classes else TreeRegressor(**limits)
    growth = growth_of(model, X, y, random.integers(1, 4, n_rows).astype(float) if weighted else None)
    rows = random.integers(0, n_rows, n_rows).astype(np.uint32)
    targets = growth.targets

    def grown(rows: Array | None, own: Growth, *, fast: bool, small_limit: int = 256) -> Any:
        options = replace(own, draw=ColumnDraw(n_columns, seed))._options(own.targets)
        options.fast, options.small_limit, options.n_threads = fast, small_limit, threads
        return own._grow(own.data, own.targets, options, sample=rows)

    assert targets.n_rows == n_rows
    plain, _, _ = grown(None, growth.part(rows), fast=False)
    for small_limit in (0, 16, 256):
        fast, _, _ = grown(rows, growth, fast=True, small_limit=small_limit)
        assert fast.keys() == plain.keys()
        for name in fast:
            assert np.array_equal(fast[name], plain[name], equal_nan=True), name
    everything, _, _ = grown(rows, replace(growth, draw=None), fast=True)
    if n_columns == 5:
        assert all(np.array_equal(everything[name], plain[name], equal_nan=True) for name in plain)


def test_columns_are_drawn_evenly() -> None:
    """Over many seeds, a root that draws 2 of 5 equal columns asks each about one of them as often.

    The best column among the drawn ones wins; with columns in the order of their worth, the chance of each is
    known: 4/10, 3/10, 2/10, 1/10 and never.
    """
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 60)
    X = np.column_stack(
        [np.where(random.random(60) < flipped, 1 - y, y) for flipped in (0, 0.1, 0.2, 0.3, 0.4)]
    )
    growth = growth_of(TreeClassifier(prune=None, max_depth=1), X, y)
    merits = [
        growth_of(TreeClassifier(prune=None, max_depth=1), X[:, [c]], y).tree().root.gain for c in range(5)
    ]
    assert sorted(merits, reverse=True) == merits
    assert len(set(merits)) == 5
    asked = np.zeros(5)
    n = 4000
    for seed in range(n):
        tree = replace(growth, draw=ColumnDraw(2, seed)).tree()
        asked[tree.array("column")[0]] += 1
    expected = np.array([4, 3, 2, 1, 0]) / 10
    assert np.abs(asked / n - expected).max() < 4 * np.sqrt(0.25 / n)


def test_nodes_draw_apart() -> None:
    """Sisters, and a node and its child, do not draw the same columns."""
    X, y = make(700, 2, 3)
    tree = replace(growth_of(TreeClassifier(prune=None), X, y), draw=ColumnDraw(1, 5)).tree()
    column, parent, inner = tree.array("column"), tree.array("parent"), tree.array("n_children") > 0
    children = np.flatnonzero(inner)[1:]
    assert 0.1 < (column[children] == column[parent[children]]).mean() < 0.4


def test_rows_that_are_not_there_are_refused() -> None:
    X, y = make(20, 2, 0)
    growth = growth_of(TreeClassifier(prune=None), X, y)
    with pytest.raises(IndexError):
        growth._grow(growth.data, growth.targets, _core.GrowOptions(), sample=np.array([20], dtype=np.uint32))
