"""Absolute error over columns of many values: cuts foreseen in walks through the rows are what they seem.

A walk is taking the rows of a node away in the order of their values, with the median moving along; wandering
weights make the median move so far that the engine gives the walk up and searches instead. Columns of few
values are drawn in `test_faster_ways.py`; more than 254 make the engine keep the rows sorted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import categorical
from support.trees import PLAIN, WAYS, estimator, growing

Numbers = npt.NDArray[np.float64]

N_TARGETS = (2, 7, 10**6)  # ties in the target, and none
WEIGHTS = ("none", "whole", "rough", "wandering")


def draw_table(rng: np.random.Generator, n_rows: int, n_targets: int) -> tuple[pd.DataFrame, Numbers]:
    """Many values, ties, missing values, levels; and a column that takes low and high targets by turns."""
    gappy = rng.normal(size=n_rows)
    gappy[rng.random(n_rows) < 0.2] = np.nan
    X = pd.DataFrame(
        {
            "distinct": rng.permutation(n_rows).astype(np.float32),
            "tied": rng.integers(0, n_rows, n_rows),
            "gappy": gappy,
            "few": rng.integers(0, 9, n_rows),
            "colour": categorical(rng.integers(-1, 4, n_rows), "abcd"),
        }
    )
    y = np.floor((X["tied"] / n_rows + np.nan_to_num(gappy) + rng.normal(size=n_rows)) * n_targets / 4) / 8
    rank = np.argsort(np.argsort(y, kind="stable"))
    X["alternating"] = np.where(rank < n_rows / 2, 2 * rank, 2 * (n_rows - 1 - rank) + 1)
    return X, y.to_numpy()


def draw_weights(kind: str, rng: np.random.Generator, X: pd.DataFrame) -> Numbers | None:
    """No weights, small integers, some of any size, or those that send the median to and fro."""
    if kind == "none":
        return None
    if kind == "whole":
        return rng.integers(1, 5, len(X)).astype(np.float64)
    if kind == "rough":
        return np.asarray(rng.random(len(X)) + 0.01)
    return np.where(X["alternating"] < len(X) / 2, 1e6, 1.0)


@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_foreseen_cuts_grow_the_plain_tree(data: st.DataObject, seed: int) -> None:
    """Foreseen or searched, in one thread or two: the same tree to the last bit."""
    rng = np.random.default_rng(seed)
    X, y = draw_table(rng, 400, data.draw(st.sampled_from(N_TARGETS), label="n_targets"))
    alone = data.draw(st.booleans(), label="alone")  # else it would never be the best column
    weights = draw_weights(data.draw(st.sampled_from(WEIGHTS), label="weights"), rng, X)
    options: dict[str, Any] = {
        "max_depth": data.draw(st.sampled_from([1, 4, None]), label="max_depth"),
        "max_bins": data.draw(st.sampled_from([None, None, 300, 20]), label="max_bins"),
        "min_samples_leaf": data.draw(st.sampled_from([1, 1, 7]), label="min_samples_leaf"),
    }
    if alone:
        X = X[["alternating"]]
    else:
        constraint = st.sampled_from([None, [1, -1, 0, 0, 0, 0]])
        options["monotonic_cst"] = data.draw(constraint, label="monotonic_cst")
    with growing(PLAIN):
        plain = estimator("absolute_error", **options).fit(X, y, sample_weight=weights).tree_
    for n_jobs in (1, 2):
        fitted = estimator("absolute_error", n_jobs=n_jobs, **options).fit(X, y, sample_weight=weights)
        assert fitted.tree_ == plain, n_jobs


def deviation(y: Numbers, weights: Numbers) -> float:
    """The smallest sum of weighted distances to one of the targets, by trying them all."""
    return float((np.abs(y[:, None] - y[None, :]) * weights[:, None]).sum(axis=0).min()) if len(y) else 0.0


@pytest.mark.parametrize("way", [{}, PLAIN], ids=["foreseen", "searched"])
@pytest.mark.parametrize("column", ["distinct", "gappy", "alternating"])
@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("n_targets", N_TARGETS)
def test_root_against_brute_force(way: dict[str, Any], column: str, weighted: str, n_targets: int) -> None:
    """No cut of a column gains more than the root's question, and that gains what it says."""
    assert way in WAYS
    rng = np.random.default_rng(n_targets)
    X, y = draw_table(rng, 300, n_targets)
    weights = draw_weights(weighted, rng, X)
    w = np.ones(len(X)) if weights is None else weights
    x = X[column].to_numpy(float)
    with growing(way):
        stump = estimator("absolute_error", max_depth=1).fit(X[[column]], y, sample_weight=weights).tree_
    total, gains = deviation(y, w), []
    for cut in [-np.inf, *np.unique(x[~np.isnan(x)])]:
        for left in (x <= cut, (x <= cut) | np.isnan(x)):
            gains.append(total - deviation(y[left], w[left]) - deviation(y[~left], w[~left]))
    assert stump.root.gain == pytest.approx(max(gains) / w.sum(), rel=1e-9)
    assert stump.root.impurity == pytest.approx(total / w.sum(), rel=1e-9)
