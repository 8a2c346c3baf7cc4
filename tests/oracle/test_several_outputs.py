"""Several outputs: every split is the best by the combined gain, computed here in plain Python."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeRegressor

from arboretum import Tree, TreeClassifier, TreeRegressor

CRITERIA: dict[str, Any] = {
    "gini": lambda y, w: 1.0 - sum((w[y == k].sum() / w.sum()) ** 2 for k in np.unique(y)),
    "entropy": lambda y, w: (
        -sum(p * np.log2(p) for p in (w[y == k].sum() / w.sum() for k in np.unique(y)) if p > 0)
    ),
    "misclassification": lambda y, w: 1.0 - max(w[y == k].sum() for k in np.unique(y)) / w.sum(),
    "squared_error": lambda y, w: np.average((y - np.average(y, weights=w)) ** 2, weights=w),
    "poisson": lambda y, w: (
        np.average(np.where(y > 0, y * np.log(np.where(y > 0, y, 1.0)), 0.0), weights=w)
        - np.average(y, weights=w) * np.log(max(np.average(y, weights=w), 1e-300))
    ),
}


def combined(criterion: str, Y: Any, w: Any, shares: Any, mask: Any) -> float:
    """Return the standardised risk of the rows of a mask: weight times impurity, in units of the whole."""
    impurity = CRITERIA[criterion]
    risk = 0.0
    for k in range(Y.shape[1]):
        whole = impurity(Y[:, k], w) * w.sum()
        if whole > 1e-12 and mask.any():
            risk += shares[k] * impurity(Y[mask, k], w[mask]) * w[mask].sum() / whole
    return risk


def masks_of(X: pd.DataFrame, rows: Any, nominal: str, criterion: str, Y: Any) -> list[Any]:
    """Return the left sides of all questions about these rows."""
    found = []
    for name in X:
        values = X[name].to_numpy()
        here = [value for value in pd.unique(values[rows]) if not pd.isna(value)]
        missing = pd.isna(values)
        some_missing = (missing & rows).any()
        if pd.api.types.is_numeric_dtype(X[name]):
            ordered = sorted(here)
            sides = [values <= cut for cut in ordered[:-1]]
        else:
            sizes = range(1, len(here)) if nominal == "subset" else (1,)
            sides = [np.isin(values, group) for size in sizes for group in combinations(here, size)]
            sides = sides if len(here) > 1 else []
        found += sides
        if some_missing:
            found += [side | missing for side in sides] + [missing]
    allowed = []
    for side in found:
        left, right = rows & side, rows & ~side
        if not left.any() or not right.any():
            continue
        if criterion == "poisson" and any(
            not Y[part, k].any() for part in (left, right) for k in range(Y.shape[1])
        ):
            continue
        allowed.append(left)
    return allowed


def rows_of(tree: Tree, X: pd.DataFrame) -> list[Any]:
    """Return the rows that pass each node."""
    leaf, parent = tree.apply(X), tree.array("parent")
    passing = []
    for node in range(len(tree)):
        here = leaf.copy()
        passed = here == node
        while (here > 0).any():
            here = np.where(here > 0, parent[here], -1)
            passed |= here == node
        passing.append(passed)
    return passing


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, Any, Any, Any, str]:
    criterion = draw(st.sampled_from(sorted(CRITERIA)))
    n = draw(st.integers(2, 14))
    n_outputs = draw(st.integers(2, 4))
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 4, n).astype(float),
            "b": rng.normal(size=n).round(1),
            "c": pd.Series(rng.choice(["r", "g", "b", "w"], n), dtype="category"),
        }
    )
    if draw(st.booleans()):
        X.loc[rng.random(n) < 0.25, "a"] = np.nan
        X.loc[rng.random(n) < 0.25, "c"] = None
    most = draw(st.integers(1, 4))
    Y = rng.integers(0, most + 1, (n, n_outputs)).astype(float)
    if criterion == "poisson":
        Y[0] = 1.0
    w = rng.integers(1, 4, n).astype(float) if draw(st.booleans()) else np.ones(n)
    shares = rng.integers(0, 3, n_outputs).astype(float) if draw(st.booleans()) else np.ones(n_outputs)
    shares[0] = max(shares[0], 1.0)
    return X, Y, w, shares / shares.sum(), criterion


@given(table=tables(), nominal=st.sampled_from(["subset", "one_vs_rest"]))
@settings(max_examples=60, deadline=None)
def test_every_split_is_the_best_by_the_combined_gain(table: Any, nominal: str) -> None:
    """Thresholds, subsets and single levels, missing values, weights of rows and of outputs."""
    X, Y, w, shares, criterion = table
    kind: Any = TreeRegressor if criterion in ("squared_error", "poisson") else TreeClassifier
    model = kind(criterion=criterion, nominal=nominal, levels="raw", prune=None)
    model.fit(X, Y if kind is TreeRegressor else Y.astype(int), w, output_weights=shares.tolist())
    tree = model.tree_[0]
    whole = np.ones(len(X), dtype=bool)
    for node, rows in zip(tree.walk(), (rows_of(tree, X)[each.number] for each in tree.walk()), strict=True):
        risk = combined(criterion, Y, w, shares, rows)
        best = max(
            (
                risk
                - combined(criterion, Y, w, shares, left)
                - combined(criterion, Y, w, shares, rows & ~left)
                for left in masks_of(X, rows, nominal, criterion, Y[:, shares > 0])
            ),
            default=None,
        )
        if node.is_leaf:
            assert risk < 1e-9 or best is None
            continue
        left = rows_of(tree, X)[node.children[0].number]
        gained = (
            risk - combined(criterion, Y, w, shares, left) - combined(criterion, Y, w, shares, rows & ~left)
        )
        assert best is not None
        assert gained == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert combined(criterion, Y, w, shares, whole) <= 1.0 + 1e-9


@given(table=tables())
@settings(max_examples=40, deadline=None)
def test_multiway_questions_are_the_best(table: Any) -> None:
    """One branch a level: the root asks what gains most."""
    X, Y, w, shares, criterion = table
    X = X[["a", "c"]].assign(a=X["a"].fillna(0.0), c=X["c"].astype(object).fillna("r"))
    kind: Any = TreeRegressor if criterion in ("squared_error", "poisson") else TreeClassifier
    model = kind(criterion=criterion, nominal="multiway", levels="raw", prune=None, max_depth=1)
    model.fit(X, Y if kind is TreeRegressor else Y.astype(int), w, output_weights=shares.tolist())
    tree = model.tree_[0]
    if len(tree) == 1:
        return
    leaf = tree.apply(X)
    risks = [combined(criterion, Y, w, shares, leaf == each) for each in np.unique(leaf)]
    gained = combined(criterion, Y, w, shares, np.ones(len(X), dtype=bool)) - sum(risks)
    parts = [X["c"].to_numpy() == level for level in X["c"].unique()]
    parted = [combined(criterion, Y, w, shares, part) for part in parts]
    asked = (
        [combined(criterion, Y, w, shares, np.ones(len(X), dtype=bool)) - sum(parted)]
        if len(parts) > 1
        else []
    )
    if criterion == "poisson" and any(not Y[part, k].any() for part in parts for k in np.flatnonzero(shares)):
        asked = []
    assert gained >= max(asked, default=0.0) - 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_scikit_learn_on_standardised_targets(seed: int) -> None:
    """Its criterion averages raw variances: where all are 1 at the root, both grow the same tree."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 5)).astype(np.float32).astype(np.float64)
    Y = np.c_[X[:, 0] + rng.normal(size=200), X[:, 1] * X[:, 2], rng.normal(size=200)]
    Y = (Y - Y.mean(axis=0)) / Y.std(axis=0)
    weights = rng.integers(1, 4, 200).astype(float) if seed % 2 else None
    if weights is not None:
        mean = np.average(Y, axis=0, weights=weights)
        Y = (Y - mean) / np.sqrt(np.average((Y - mean) ** 2, axis=0, weights=weights))
    ours = TreeRegressor(prune=None, leaf="mean", min_samples_leaf=4).fit(X, Y, weights)
    theirs = DecisionTreeRegressor(min_samples_leaf=4, random_state=0).fit(X, Y, weights)
    new = rng.normal(size=(500, 5)).astype(np.float32).astype(np.float64)
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    np.testing.assert_allclose(ours.predict(new), theirs.predict(new), atol=1e-9)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)
