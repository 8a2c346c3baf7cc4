"""The engine's faster ways do not change the tree: each of them can be switched off, and nothing moves.

A way is a choice of switches; the plain way scores every cut of every node. That the plain way is right is
shown in `tests/oracle`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.sweeps import few, pairwise
from support.tables import CRITERIA, categorical, tables
from support.trees import PLAIN, WAYS, estimator, fit, growing

from arboretum import _core
from arboretum._options.criteria import CLASS_CRITERIA

fewer = settings(max_examples=few(0.5))


def test_no_switch_is_left_out() -> None:
    """Whatever can be switched off in the engine is switched off in one of the ways that are tried."""
    options = _core.GrowOptions()
    switches = {name for name in dir(options) if isinstance(getattr(options, name), bool)}
    switches.remove("correct_levels")  # which changes the tree
    assert switches == {name for way in WAYS for name, value in way.items() if value is False}


@allow_one_leaf
@pytest.mark.parametrize("criterion", CRITERIA)
@fewer
@given(data=st.data())
def test_every_way_grows_the_same_small_tree(criterion: str, data: st.DataObject) -> None:
    """Small tables full of ties and missing values: the same tree to the last bit, whatever the limits."""
    table = data.draw(tables(criterion), label="table")
    options: dict[str, Any] = {
        "nominal": data.draw(st.sampled_from(["subset", "one_vs_rest"]), label="nominal"),
        "levels": data.draw(st.sampled_from(["corrected", "raw"]), label="levels"),
        "thresholds": data.draw(st.sampled_from(["midpoint", "observed", "round"]), label="thresholds"),
        "min_samples_leaf": data.draw(st.sampled_from([1, 1, 3]), label="min_samples_leaf"),
        "min_weight_fraction_leaf": data.draw(
            st.sampled_from([0.0, 0.0, 0.1]), label="min_weight_fraction_leaf"
        ),
        "max_leaf_nodes": data.draw(st.sampled_from([None, None, 5]), label="max_leaf_nodes"),
    }
    costs = st.lists(
        st.sampled_from([0.3, 1.0, 1.0, 7.0]), min_size=len(table.kinds), max_size=len(table.kinds)
    )
    options["column_costs"] = data.draw(st.none() | costs, label="column_costs")
    numeric = [i for i, kind in enumerate(table.kinds) if kind in ("float", "integer", "ordered")]
    if numeric and (criterion not in CLASS_CRITERIA or len(set(table.targets)) == 2):
        direction = data.draw(st.sampled_from([0, 0, 1, -1]), label="direction")
        options["monotonic_cst"] = [direction if i in numeric else 0 for i in range(len(table.kinds))]
    with growing(PLAIN):
        plain = fit(table, criterion, **options).tree_
    for way in WAYS:
        with growing(way):
            assert fit(table, criterion, **options).tree_ == plain, way


def ordered(numbers: Any, n_levels: int) -> Any:
    """An ordered column: more levels than a node of some thousand rows has buckets."""
    return pd.Categorical.from_codes(numbers, [f"g{i:03}" for i in range(n_levels)], ordered=True)


def large_table(kind: str, n_rows: int, n_classes: int, seed: int) -> tuple[pd.DataFrame, Any]:
    """Columns that are hard on buckets: distinct, tied, spiked, far apart, missing, many and few levels."""
    rng = np.random.default_rng(seed)
    spiked = np.where(rng.random(n_rows) < 0.7, 0.0, rng.normal(size=n_rows))
    far = rng.standard_cauchy(n_rows) ** 5
    far[rng.random(n_rows) < 0.1] = math.nan
    far[:4] = [math.inf, -math.inf, 5e-324, -0.0]
    X = pd.DataFrame(
        {
            "distinct": rng.random(n_rows),
            "single": rng.normal(size=n_rows).astype(np.float32),
            "spiked": spiked,
            "far": far,
            "whole": rng.integers(-(2**62), 2**62, n_rows),
            "tied": rng.integers(0, 30, n_rows),
            "levels": categorical(rng.integers(-1, 300, n_rows), [f"v{i}" for i in range(300)]),
            "colour": categorical(rng.integers(-1, 5, n_rows), "abcde"),
            "grade": ordered(rng.integers(-1, 40, n_rows), 40),
            "rank": ordered(rng.integers(0, 400, n_rows), 400),
        }
    )
    score = X["distinct"] + (spiked > 0.2)
    for column, step in {"grade": 0.02, "rank": 0.003, "colour": 0.1, "levels": 0.002}.items():
        score += step * X[column].cat.codes
    noisy = score.to_numpy() + rng.normal(size=n_rows) * 0.5
    if kind == "classes":
        return X, np.digitize(noisy, np.quantile(noisy, np.arange(1, n_classes) / n_classes))
    return X, np.maximum(0.0, noisy).round(4) + 0.0001


LARGE = pairwise(
    (
        (criterion, n_rows, n_classes, weighted)
        for criterion in CRITERIA
        for n_rows, n_classes in (
            [(6000, 2), (6000, 5), (3000, 12)] if criterion in CLASS_CRITERIA else [(6000, 1)]
        )
        for weighted in ("unweighted", "whole weights", "rough weights", "weights far apart")
    ),
    choices=lambda case: (case[0], case[2], case[3]),
    name=lambda case: "-".join(map(str, case)),
)


@pytest.mark.parametrize(("criterion", "n_rows", "n_classes", "weighted"), LARGE)
def test_every_way_grows_the_same_large_tree(
    criterion: str, n_rows: int, n_classes: int, weighted: str
) -> None:
    """Tables whose values share buckets, and nodes of every size: the same tree to the last bit."""
    X, y = large_table(
        "classes" if criterion in CLASS_CRITERIA else "numbers", n_rows, n_classes, seed=n_classes
    )
    rng = np.random.default_rng(1)
    weights = {
        "unweighted": None,
        "whole weights": rng.integers(1, 5, n_rows).astype(float),
        "rough weights": rng.random(n_rows) + 0.01,
        "weights far apart": rng.choice([1e-9, 1e-3, 1.0, 1e4], n_rows),
    }[weighted]
    levels = "raw" if n_rows == 3000 or weighted == "whole weights" else "corrected"
    options: dict[str, Any] = {"max_depth": 9, "levels": levels}
    if weighted == "rough weights":
        options["nominal"] = "one_vs_rest"
    with growing(PLAIN):
        plain = estimator(criterion, **options).fit(X, y, sample_weight=weights).tree_
    assert len(plain) > (10 if weighted == "weights far apart" else 100)
    for way in WAYS:
        with growing(way):
            assert estimator(criterion, **options).fit(X, y, sample_weight=weights).tree_ == plain, way


@pytest.mark.parametrize("criterion", CRITERIA)
def test_threads_and_ways_together(criterion: str) -> None:
    """Two threads, three threads, each way: the same tree."""
    X, y = large_table("classes" if criterion in CLASS_CRITERIA else "numbers", 20_000, 3, seed=3)
    with growing(PLAIN):
        plain = estimator(criterion, max_depth=4).fit(X, y).tree_
    for way in WAYS:
        with growing(way):
            for n_jobs in (2, 3):
                assert estimator(criterion, max_depth=4, n_jobs=n_jobs).fit(X, y).tree_ == plain, (
                    way,
                    n_jobs,
                )


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_way_weighs_costs_alike(criterion: str) -> None:
    """Bounds hold for gains divided by costs: the same tree to the last bit, also with two threads."""
    X, y = large_table("classes" if criterion in CLASS_CRITERIA else "numbers", 6000, 3, seed=5)
    rng = np.random.default_rng(5)
    options = {
        "max_depth": 7,
        "min_samples_leaf": 3,
        "column_costs": rng.choice([0.1, 0.9, 1.0, 3.0], X.shape[1]),
    }
    with growing(PLAIN):
        plain = estimator(criterion, **options).fit(X, y).tree_
    assert plain != estimator(criterion, **options | {"column_costs": None}).fit(X, y).tree_
    for way in WAYS:
        with growing(way):
            assert estimator(criterion, **options).fit(X, y).tree_ == plain, way
            assert estimator(criterion, n_jobs=2, **options).fit(X, y).tree_ == plain, way


def test_a_column_beside_a_spike_is_not_dropped() -> None:
    """The rows of a small node share one bucket, and the bucket before it holds a single value only."""
    i = np.arange(2000)
    spiked = np.where(i < 200, 0.0, 1 + i * 1e-3)
    marked = ((i >= 205) & (i < 229)).astype(float)
    X, y = np.c_[spiked, marked], 10 * marked + marked * (i >= 217)
    for way in WAYS:
        with growing(way):
            tree = estimator("squared_error", max_leaf_nodes=10).fit(X, y).tree_
            assert sorted(leaf.value for leaf in tree.leaves()) == [0.0, 10.0, 11.0], way


def test_a_few_light_rows_beside_very_heavy_ones() -> None:
    """The weight of the lighter side is less than what is lost when the weight of the node is rounded."""
    n_light = {"A": (33, 27), "B": (31, 29)}  # among the heavy rows, and after them
    columns = []
    for between, after in n_light.values():
        heavy = np.r_[np.arange(75), np.arange(75) + 75 + between]
        light = np.r_[np.arange(between) + 75, np.arange(after) + 150 + between]
        columns.append(np.r_[heavy, light].astype(float))
    X, y = np.stack(columns, axis=1), np.r_[np.zeros(150), np.ones(60)]
    weights = np.r_[np.full(150, 2.0**51), np.ones(60)]
    for way in WAYS:
        with growing(way):
            tree = estimator("squared_error", max_depth=1).fit(X, y, sample_weight=weights).tree_
            assert (tree.root.question.column, tree.root.question.threshold) == ("x1", 180.5), way
