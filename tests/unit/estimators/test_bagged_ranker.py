"""BaggedRanker: whole queries are drawn, scores are averaged, and NDCG is measured out of bag."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from arboretum import (
    BaggedRanker,
    CostComplexity,
    DataError,
    ParameterError,
    TreeRanker,
    datasets,
    load,
    ranking,
    save,
)
from arboretum._store.model_files import model_from_bytes, model_to_bytes

X, RELEVANCE, NAMES = datasets.make_ranking(n_queries=40, rows_per_query=8, random_state=4)
QUERIES = pd.factorize(NAMES)[0]  # numbered as they appear
TELLING = np.flatnonzero(RELEVANCE.groupby(QUERIES).transform("nunique").to_numpy() > 1)
CRITERIA = ["within_query", "pairwise", "ndcg"]


def fitted(tree: TreeRanker | None = None, **options: Any) -> BaggedRanker:
    return BaggedRanker(tree, **options).fit(X, RELEVANCE, groups=NAMES)


def drawn_queries(number: int, n_queries: int, seed: int = 0) -> Any:
    """The queries that a tree is grown from, drawn as documented."""
    return np.random.default_rng([seed, number, 0]).integers(n_queries, size=n_queries)


def test_scores_are_the_mean_of_the_trees() -> None:
    model = fitted(n_trees=5, max_features=2)
    mean = np.mean([tree.predict(X) for tree in model.trees_], axis=0)
    assert np.allclose(model.predict(X), mean, rtol=0, atol=1e-12)
    assert model.score(X, RELEVANCE, groups=NAMES) == ranking.ndcg(
        RELEVANCE, model.predict(X), groups=NAMES, k=10
    )
    assert np.array_equal(model.rank(X[:9], ["a"] * 9), rankdata(-model.predict(X[:9])))
    for n_jobs in (2, 4):
        assert list(fitted(n_trees=5, max_features=2, n_jobs=n_jobs).trees_) == list(model.trees_)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("prune", [None, CostComplexity(folds=3, repeats=1)], ids=["grown", "pruned"])
def test_a_query_that_is_drawn_twice_is_two_queries(criterion: Any, prune: Any) -> None:
    """A tree is the one that a table gives in which the drawn queries stand under names of their own.

    Pruning holds copies out together, as a splitter does that is told about them.
    """
    tree = TreeRanker(criterion=criterion, prune=prune, max_depth=4, leaf="mean", levels="raw")
    model = fitted(tree, n_trees=3)
    telling = np.unique(QUERIES if criterion == "within_query" else QUERIES[TELLING])
    for number, member in enumerate(model.trees_):
        drawn = telling[drawn_queries(number, len(telling))]
        rows = np.concatenate([np.flatnonzero(query == QUERIES) for query in drawn])
        names = np.concatenate([np.full((query == QUERIES).sum(), k) for k, query in enumerate(drawn)])
        assert member.root.n_rows == len(rows)
        alone = clone(tree).set_params(prune=None).fit(X.iloc[rows], RELEVANCE.iloc[rows], groups=names)
        if prune is None:
            assert len(alone.tree_) == len(member)
            assert np.allclose(member.predict(X), alone.predict(X), rtol=0, atol=1e-9)
        else:
            sizes = {len(alone.pruned(alpha=alpha).tree_) for alpha in alone.pruning_path_.alpha}
            assert len(member) in sizes


@pytest.mark.filterwarnings("ignore:The groups parameter")
def test_a_query_is_not_divided_when_trees_are_pruned() -> None:
    with pytest.raises(DataError, match="some rows of a query"):
        fitted(TreeRanker(prune=CostComplexity(folds=KFold(3, shuffle=True, random_state=0))), n_trees=1)


def test_out_of_bag_by_hand() -> None:
    model = fitted(n_trees=10, oob=True, random_state=7)
    telling = np.unique(QUERIES[TELLING])
    sums, times, curve = np.zeros(len(X)), np.zeros(len(X)), []
    for number, tree in enumerate(model.trees_):
        out = np.isin(QUERIES, np.setdiff1d(telling, telling[drawn_queries(number, len(telling), 7)]))
        sums[out] += tree.predict(X[out])
        times[out] += 1
        seen = times > 0
        curve.append(1 - ranking.ndcg(RELEVANCE[seen], sums[seen] / times[seen], groups=QUERIES[seen], k=10))
    assert np.allclose(model.oob_curve_, curve)
    assert model.oob_score_ == pytest.approx(1 - curve[-1])
    assert np.allclose(model.oob_prediction_[seen], sums[seen] / times[seen])
    assert np.isnan(model.oob_prediction_[~seen]).all()


def test_relevance_below_zero_counts_from_the_lowest_of_the_query() -> None:
    moved = BaggedRanker(n_trees=5, oob=True).fit(X, RELEVANCE - 3, groups=NAMES)
    seen = ~np.isnan(moved.oob_prediction_)
    expected = ranking.ndcg(
        RELEVANCE[seen], moved.oob_prediction_[seen], groups=NAMES[seen], k=10, gains="above_lowest"
    )
    assert moved.oob_score_ == pytest.approx(expected)


def test_more_trees_later() -> None:
    options: dict[str, Any] = {"oob": True, "max_features": 2, "random_state": 1}
    at_once = fitted(n_trees=6, **options)
    model = fitted(n_trees=2, warm_start=True, **options)
    model.set_params(n_trees=6).fit(X, RELEVANCE, groups=NAMES)
    assert list(model.trees_) == list(at_once.trees_)
    assert np.array_equal(model.oob_curve_, at_once.oob_curve_)
    with pytest.raises(DataError, match="groups have changed"):
        model.fit(X, RELEVANCE, groups=NAMES.replace(*NAMES.iloc[TELLING[[0, -1]]]))


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    model = fitted(TreeRanker(prune=None, max_depth=4), n_trees=3, oob=True, warm_start=True)
    save(model, tmp_path / "ranker.json.gz")
    again = load(tmp_path / "ranker.json.gz")
    assert isinstance(again, BaggedRanker)
    assert list(again.trees_) == list(model.trees_)
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.oob_score_ == model.oob_score_
    assert model_to_bytes(again) == model_to_bytes(model)
    more = again.set_params(n_trees=5).fit(X, RELEVANCE, groups=NAMES)
    assert list(more.trees_) == list(clone(more).fit(X, RELEVANCE, groups=NAMES).trees_)
    assert np.array_equal(more.oob_curve_, clone(more).fit(X, RELEVANCE, groups=NAMES).oob_curve_)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda samples: samples.pop("queries"), "should be a list of"),
        (lambda samples: samples["queries"].__setitem__(0, -1), "from 0 without gaps"),
        (lambda samples: samples["queries"].__setitem__(0, 10**6), "from 0 without gaps"),
        (lambda samples: samples.update(bootstrap=False), "n_drawn"),
    ],
)
def test_damaged_queries_are_refused(spoil: Any, message: str) -> None:
    document = json.loads(model_to_bytes(fitted(n_trees=1, max_samples=100)))
    spoil(document["samples"])
    with pytest.raises(DataError, match=message):
        model_from_bytes(json.dumps(document).encode())


def test_what_cannot_work_is_refused() -> None:
    with pytest.raises(DataError, match="groups is not given"):
        BaggedRanker(n_trees=1).fit(X, RELEVANCE)
    with pytest.raises(ParameterError, match="no query is drawn twice"):
        fitted(bootstrap=False, max_samples=41)
    with pytest.raises(ParameterError, match="'balanced'"):
        fitted(bootstrap="balanced")


def test_nothing_to_tell_apart() -> None:
    model = BaggedRanker(n_trees=3, oob=True).fit([[1], [2], [3]], [0, 0, 0], groups=[0, 0, 1])
    assert model.predict([[1], [3]]).tolist() == [0.0, 0.0]
    assert np.isnan(model.oob_score_)


class OneQuery(BaggedRanker):
    """A ranker for tests that know nothing of queries: rows are of the queries 0, 1, 2, 0, 1, 2, …"""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OneQuery:  # type: ignore[override]
        return super().fit(X, y, sample_weight, groups=np.arange(np.asarray(y).size) % 3)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # type: ignore[override]
        return super().score(X, y, sample_weight, groups=np.arange(len(y)) % 3)


def expected_failures(estimator: Any) -> dict[str, str]:
    return {
        "check_sample_weight_equivalence_on_dense_data": "rows are drawn, and a row of weight 2 is not two"
    }


@parametrize_with_checks([OneQuery(n_trees=3)], expected_failed_checks=expected_failures)  # type: ignore[untyped-decorator]
@pytest.mark.filterwarnings("ignore::arboretum.ArboretumWarning")
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)
