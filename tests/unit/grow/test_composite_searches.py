"""Composite questions, as they are found: in any order of rows, by gain ratio, and about which columns.

Parameters and refusals are in options/test_search_strategies.py, laws in `tests/properties`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import MofN, Oblique, TreeClassifier, TreeRegressor


@pytest.mark.parametrize("n_rows", [60, 150, 3000])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("estimator", [TreeClassifier, TreeRegressor])
def test_sums_do_not_depend_on_the_order_of_rows(estimator: Any, weighted: bool, n_rows: int) -> None:
    """Rows are put into an order of their own before anything is added up or sampled."""
    for seed in range(3):
        random = np.random.default_rng(seed)
        X, weights = random.normal(size=(n_rows, 4)), random.random(n_rows)
        y = X[:, 0] * X[:, 1] + random.normal(size=n_rows)
        y = (y > 0).astype(int) if estimator is TreeClassifier else y
        order = random.permutation(n_rows)
        model = estimator(questions=Oblique(), prune=None, max_depth=3)
        trees = [
            model.fit(X[rows], y[rows], sample_weight=weights[rows] if weighted else None).tree_
            for rows in (np.arange(n_rows), order)
        ]
        asked = [[str(node.question) for node in tree.walk()] for tree in trees]
        assert asked[0] == asked[1]


@pytest.mark.parametrize("questions", [MofN(), Oblique()])
def test_by_gain_ratio_a_composite_question_has_the_larger_ratio(questions: Any) -> None:
    """It is looked for by its gain, but must not lose by the ratio to the question it replaces."""
    n_composite = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = random.normal(size=(60, 3)).round(1)
        y = (X.sum(axis=1) + random.normal(size=60) > 0).astype(int)
        options: dict[str, Any] = {"criterion": "gain_ratio", "max_depth": 1, "prune": None}
        plain = TreeClassifier(**options).fit(X, y).tree_.root
        root = TreeClassifier(questions=questions, **options).fit(X, y).tree_.root
        n_composite += len(root.question.columns) > 1
        assert root.gain_ratio is not None
        assert plain.gain_ratio is not None
        assert root.gain_ratio >= plain.gain_ratio * (1 - 1e-12)
    assert n_composite > 3


def test_dates_are_not_added_up() -> None:
    """Nobody could read a sum of nanoseconds; they are asked about by themselves."""
    random = np.random.default_rng(0)
    days = random.integers(0, 100, 300)
    X = pd.DataFrame({"a": random.normal(size=300), "b": random.normal(size=300)})
    X["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(days, unit="D")
    tree = TreeClassifier(questions=Oblique(), prune=None).fit(X, X["a"] + X["b"] + days / 50 > 1).tree_
    sums = [
        node.question.columns for node in tree.walk() if not node.is_leaf and len(node.question.columns) > 1
    ]
    assert sums
    assert not any("day" in columns for columns in sums)
