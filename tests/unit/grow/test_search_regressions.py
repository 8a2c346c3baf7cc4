"""Cases in which searches and tests once went wrong, each with the least that shows it.

What searches promise is tested in test_lookahead.py and options/test_search_strategies.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import (
    Conditional,
    DataError,
    FTest,
    Lookahead,
    MofN,
    Oblique,
    Tree,
    TreeClassifier,
    TreeRegressor,
    datasets,
)


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


def oblique_tree() -> Tree:
    X = np.random.default_rng(0).normal(size=(100, 2))
    tree: Tree = TreeClassifier(questions=Oblique()).fit(X, X.sum(axis=1) > 0).tree_
    assert len(tree) == 3
    return tree


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (lambda d: d["terms"].update(begin=[0, 10**9, 2, 2]), "terms run backwards"),
        (lambda d: d["terms"].update(column=[0, 2**31 - 1]), "a column that is not there"),
        (lambda d: d["nodes"].update(column=[2**31 - 1, -1, -1]), "a column that is not there"),
        (lambda d: d["terms"].update(begin=[0, 2, 2]), "terms"),
    ],
)
def test_damaged_terms_are_refused(damage: Callable[[Any], None], what: str) -> None:
    """Before any of them is used as an index, or as a size."""
    document = json.loads(oblique_tree().to_json())
    damage(document)
    with pytest.raises(DataError, match=what):
        Tree.from_json(json.dumps(document))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification", "gain_ratio"])
def test_when_time_is_over_columns_compete_as_ever(criterion: str) -> None:
    """The guard of the gain ratio included."""
    X, y = datasets.load_iris()
    late = TreeClassifier(prune=None, criterion=criterion, search=Lookahead(top=None, time_limit=1e-9))
    assert late.fit(X, y).tree_ == TreeClassifier(prune=None, criterion=criterion).fit(X, y).tree_


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


def test_as_many_children_as_rows_have_nothing_to_compare_with() -> None:
    """Weights that add up to two rows but for rounding do not make a third."""
    weights = [0.12857020276919962, 0.49927786244011496]
    model = TreeRegressor(significance=FTest(0.001), prune=None)
    assert model.fit([[0.0], [1.0]], [0.0, 1.0], sample_weight=weights).tree_.root.p_value == 1.0


def test_columns_of_very_many_levels_are_tested() -> None:
    """In memory that grows with the levels, not with their square."""
    random = np.random.default_rng(0)
    levels = pd.Categorical.from_codes(random.integers(0, 30_000, 60_000), [f"l{i}" for i in range(30_000)])
    model = TreeClassifier(significance=Conditional(), prune=None, max_depth=1)
    root = model.fit(pd.DataFrame({"level": levels}), random.integers(0, 2, 60_000)).tree_.root
    assert root.p_value is not None
    assert 0.01 < root.p_value <= 1.0


def test_lookahead_goes_no_deeper_than_the_rows() -> None:
    """However deep it is asked to look."""
    X = np.random.default_rng(0).normal(size=(8, 2))
    y = [0, 1] * 4
    deep = TreeClassifier(prune=None, search=Lookahead(depth=2**32, top=2)).fit(X, y)
    assert deep.score(X, y) == 1.0


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
