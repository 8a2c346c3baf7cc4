"""What lookahead promises: concepts that no single question tells are found, in time, by any threads.

A concept is the rule behind the targets. That the questions are the right ones is tested in
`tests/oracle/test_lookahead.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arboretum import Lookahead, ParameterError, TreeClassifier, TreeRegressor, datasets


def bits(n_rows: int, n_columns: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(0, 2, (n_rows, n_columns))


def grown(X: Any, y: Any, **options: Any) -> Any:
    return TreeClassifier(prune=None, **options).fit(X, y)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("seed", range(1, 5))
def test_exclusive_or_among_distractors(criterion: str, seed: int) -> None:
    """The smallest tree has four leaves and asks about the two columns; the greedy one is far larger."""
    X = bits(300, 12, seed)
    y = X[:, 4] ^ X[:, 9]
    model = grown(X, y, criterion=criterion, search=Lookahead())
    assert model.get_n_leaves() == 4
    assert {node.question.column for node in model.tree_.walk() if not node.is_leaf} == {"x4", "x9"}
    assert grown(X, y, criterion=criterion).get_n_leaves() > 10


@pytest.mark.parametrize("seed", range(3))
def test_parity_of_three_needs_two_levels(seed: int) -> None:
    """Two levels ahead the smallest tree is found: eight leaves."""
    X = bits(400, 8, seed)
    y = X[:, 1] ^ X[:, 4] ^ X[:, 6]
    model = grown(X, y, search=Lookahead(depth=2))
    assert model.get_n_leaves() == 8
    assert {node.question.column for node in model.tree_.walk() if not node.is_leaf} == {"x1", "x4", "x6"}
    assert grown(X, y).get_n_leaves() > 20


def test_numbers_are_looked_behind_as_well() -> None:
    """A regression on exclusive or, and real columns, whose cuts are many."""
    X = bits(300, 10)
    values = np.where(X[:, 2] ^ X[:, 7], 3.0, -1.0)
    model = TreeRegressor(prune=None, search=Lookahead()).fit(X, values)
    assert model.get_n_leaves() == 4
    real = np.random.default_rng(1).random((600, 8))
    y = (real[:, 2] > 0.5) ^ (real[:, 5] > 0.5)
    ahead, greedy = grown(real, y, search=Lookahead()), grown(real, y)
    assert ahead.get_n_leaves() < greedy.get_n_leaves() / 2


def test_pruned_and_held_out() -> None:
    """With noise and the default pruning, lookahead finds what the greedy tree gives up."""
    X, new = bits(400, 12), bits(4000, 12, seed=1)
    noise = np.random.default_rng(2).random(400) < 0.1
    y, right = X[:, 0] ^ X[:, 1] ^ noise, new[:, 0] ^ new[:, 1]
    assert TreeClassifier(search=Lookahead()).fit(X, y).score(new, right) > 0.95
    assert TreeClassifier().fit(X, y).score(new, right) < 0.9


def test_without_time_the_tree_is_greedy() -> None:
    """When the seconds are over before the first question, each is the best by itself."""
    random = np.random.default_rng(3)
    X = random.normal(size=(500, 5))
    y = (X[:, 0] + random.normal(size=500) > 0).astype(int)
    late, greedy = grown(X, y, search=Lookahead(time_limit=1e-9)), grown(X, y)
    asked = [[str(node.question) for node in model.tree_.walk()] for model in (late, greedy)]
    assert asked[0] == asked[1]
    assert grown(X, y, search=Lookahead()).tree_ != greedy.tree_


def test_threads_and_order_of_rows_make_no_difference() -> None:
    """The same table, the same tree."""
    random = np.random.default_rng(4)
    X = random.normal(size=(1500, 6)).round(1)
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.3) ^ (random.random(1500) < 0.1)).astype(int)
    one = grown(X, y, search=Lookahead(top=24), max_depth=4)
    assert grown(X, y, search=Lookahead(top=24), max_depth=4, n_jobs=2).tree_ == one.tree_
    order = random.permutation(1500)
    assert grown(X[order], y[order], search=Lookahead(top=24), max_depth=4).tree_ == one.tree_


def test_every_column_is_looked_behind() -> None:
    """However small `top` is, each column has a question among those that are looked behind."""
    X = bits(300, 12, seed=5)
    y = X[:, 4] ^ X[:, 9]
    assert grown(X, y, search=Lookahead(top=1)).get_n_leaves() == 4


def test_missing_values_and_levels() -> None:
    """Exclusive or of a nominal column and "is it missing?"."""
    import pandas as pd

    random = np.random.default_rng(6)
    level, value = random.integers(0, 3, 400), random.normal(size=400)
    gone = random.random(400) < 0.5
    X = pd.DataFrame(
        {"noise": random.normal(size=400), "colour": np.array(["r", "g", "b"])[level], "value": value}
    )
    X.loc[gone, "value"] = np.nan
    y = (level == 0) ^ gone
    for missing in ("category", "drop"):
        model = grown(X, y, search=Lookahead(), missing=missing, levels="raw")
        assert model.tree_.n_leaves == (4 if missing == "category" else 2)
        corrected = grown(X, y, search=Lookahead(), missing=missing)
        assert "colour" in {node.question.column for node in corrected.tree_.walk() if node.question}


@pytest.mark.parametrize(
    ("search", "what"),
    [
        (Lookahead(depth=0), "depth=0"),
        (Lookahead(top=0), "top=0"),
        (Lookahead(time_limit=0), "time_limit=0"),
        ("ahead", "search='ahead'"),
        (Lookahead, "Lookahead"),
    ],
)
def test_bad_options_are_refused(search: Any, what: str) -> None:
    """In a sentence that names what was found."""
    with pytest.raises(ParameterError, match=what.replace("(", r"\(")):
        grown([[0], [1]], [0, 1], search=search)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification", "gain_ratio"])
def test_when_time_is_over_columns_compete_as_ever(criterion: str) -> None:
    """The guard of the gain ratio included."""
    X, y = datasets.load_iris()
    late = TreeClassifier(prune=None, criterion=criterion, search=Lookahead(top=None, time_limit=1e-9))
    assert late.fit(X, y).tree_ == TreeClassifier(prune=None, criterion=criterion).fit(X, y).tree_


def test_lookahead_goes_no_deeper_than_the_rows() -> None:
    """However deep it is asked to look."""
    X = np.random.default_rng(0).normal(size=(8, 2))
    y = [0, 1] * 4
    deep = TreeClassifier(prune=None, search=Lookahead(depth=2**32, top=2)).fit(X, y)
    assert deep.score(X, y) == 1.0
