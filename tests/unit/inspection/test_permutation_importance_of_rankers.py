"""Permutation importance of rankers: by how much the order within queries suffers.

Before, `TreeRanker` ended in a KeyError, and scores of a `BaggedRanker` were compared with relevances.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arboretum import BaggedRanker, TreeRanker, TreeRegressor, datasets, permutation_importance, ranking
from arboretum.errors import ArboretumError

X, RELEVANCE, QUERIES = datasets.make_ranking(n_queries=25, random_state=1)
TREE = TreeRanker(prune=None, max_depth=5).fit(X, RELEVANCE, groups=QUERIES)
FOREST = BaggedRanker(TreeRanker(prune=None, max_depth=5), n_trees=5).fit(X, RELEVANCE, groups=QUERIES)


@pytest.mark.parametrize("model", [TREE, FOREST])
@pytest.mark.parametrize(("loss", "measure"), [(None, "ndcg"), ("kendall", "kendall"), ("ndcg@3", "ndcg@3")])
def test_the_baseline_is_the_measure(model: Any, loss: Any, measure: str) -> None:
    """Gains count from the lowest relevance of a query, which is 0 here after it is taken off."""
    lowest = RELEVANCE.groupby(np.asarray(QUERIES)).transform("min")
    given: dict[str, Any] = {"relevance": RELEVANCE - lowest, "score": model.predict(X), "groups": QUERIES}
    right = {
        "ndcg": lambda: ranking.ndcg(**given, k=10),
        "ndcg@3": lambda: ranking.ndcg(**given, k=3),
        "kendall": lambda: ranking.kendall_tau(**given),
    }[measure]()
    found = permutation_importance(model, X, RELEVANCE, groups=QUERIES, repeats=1, loss=loss)
    assert found.baseline == pytest.approx(1 - right)


def test_both_ways_are_the_same() -> None:
    """A tree looks only at columns it asks about, by its nodes; an ensemble predicts whole tables."""
    alone = BaggedRanker(TreeRanker(prune=None, max_depth=5), n_trees=1, bootstrap=False)
    alone.fit(X, RELEVANCE, groups=QUERIES)
    fast = permutation_importance(TREE, X, RELEVANCE, groups=QUERIES, repeats=2)
    plain = permutation_importance(alone, X, RELEVANCE, groups=QUERIES, repeats=2)
    assert fast.baseline == pytest.approx(plain.baseline)
    asked = {node.question.column for node in TREE.tree_.walk() if node.question is not None}
    for name, one, other in zip(fast.columns, fast.values, plain.values, strict=True):
        assert (name in asked) == bool(np.abs(other).max() > 0) or np.abs(one).max() == 0
    assert np.argmax(fast.mean) == np.argmax(plain.mean)


def test_out_of_bag() -> None:
    model = BaggedRanker(TreeRanker(prune=None, max_depth=5), n_trees=10, oob=True)
    model.fit(X, RELEVANCE, groups=QUERIES)
    found = permutation_importance(model, X, RELEVANCE, groups=QUERIES, oob=True, repeats=1)
    assert found.baseline > permutation_importance(model, X, RELEVANCE, groups=QUERIES, repeats=1).baseline


def test_rows_without_weight_do_not_count() -> None:
    some = np.isin(QUERIES, np.unique(QUERIES)[:10])
    weights = some.astype(float)
    found = permutation_importance(TREE, X, RELEVANCE, groups=QUERIES, sample_weight=weights, repeats=2)
    part = permutation_importance(TREE, X[some], RELEVANCE[some], groups=np.asarray(QUERIES)[some], repeats=2)
    assert found.baseline == pytest.approx(part.baseline)
    assert found.values == pytest.approx(part.values)


def test_what_cannot_be_measured_is_refused() -> None:
    other = TreeRegressor(prune=None, max_depth=1).fit(X, RELEVANCE)
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: permutation_importance(TREE, X, RELEVANCE), "groups is not given"),
        (lambda: permutation_importance(TREE, X, RELEVANCE, groups=QUERIES, loss="brier"), "loss='brier'"),
        (lambda: permutation_importance(other, X, RELEVANCE, groups=QUERIES), "leave groups out"),
        (lambda: permutation_importance(TREE, X, RELEVANCE * 0, groups=QUERIES), "no order is better"),
    ]
    for call, words in calls:
        with pytest.raises(ArboretumError, match=words):
            call()
