"""TreeRanker: what does not change its tree, odd queries, weights, tuning data, files, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, PredefinedSplit
from sklearn.utils.estimator_checks import parametrize_with_checks

import arboretum
from arboretum import (
    CostComplexity,
    DataError,
    DataTypeError,
    OneLeafWarning,
    ParameterError,
    ReducedError,
    TreeRanker,
    TreeRegressor,
    datasets,
    export,
    ranking,
)

CRITERIA = ["within_query", "pairwise", "ndcg"]


@pytest.fixture(scope="module")
def table() -> Any:
    """Columns, relevance and queries of 60 queries."""
    return datasets.make_ranking(n_queries=60, rows_per_query=12, random_state=4)


@pytest.fixture(scope="module")
def fitted(table: Any) -> TreeRanker:
    X, relevance, queries = table
    return TreeRanker().fit(X, relevance, groups=queries)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_order_of_rows_and_queries_changes_nothing(table: Any, criterion: str) -> None:
    X, relevance, queries = table
    model = TreeRanker(criterion=criterion, prune=None, max_depth=5)
    tree = model.fit(X, relevance, groups=queries).tree_
    shuffled = np.random.default_rng(0).permutation(len(X))
    again = model.fit(X.iloc[shuffled], relevance.iloc[shuffled], groups=queries.iloc[shuffled])
    assert again.tree_ == tree


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_constant_for_each_query_changes_nothing(table: Any, criterion: str) -> None:
    """Not even for pruning, nor for NDCG as a criterion, which both count from the lowest of a query."""
    X, relevance, queries = table
    shift = {query: number % 7 - 3 for number, query in enumerate(sorted(set(queries)))}
    moved = relevance + queries.map(shift)
    one, other = (TreeRanker(criterion=criterion).fit(X, y, groups=queries) for y in (relevance, moved))
    assert one.tree_ == other.tree_


def test_names_of_queries_may_be_anything_that_can_be_hashed(table: Any) -> None:
    X, relevance, queries = table
    model = TreeRanker(prune=None, max_depth=3)
    expected = model.fit(X, relevance, groups=queries).tree_
    numbers = queries.str[1:].astype(int)
    for names in (
        numbers,
        numbers.tolist(),
        [f"q{number}".encode() for number in numbers],
        numbers.astype(float).to_numpy(),
        numbers.astype("category"),
        [frozenset({number}) for number in numbers],
    ):
        assert model.fit(X, relevance, groups=names).tree_ == expected


@pytest.mark.parametrize("criterion", ["within_query", "pairwise"])
def test_whole_weights_are_repeated_rows(table: Any, criterion: str) -> None:
    """Not so by NDCG: a query of more rows has more places."""
    X, relevance, queries = table
    weight = np.random.default_rng(1).integers(0, 3, len(X))
    options = {"criterion": criterion, "prune": None, "max_depth": 3, "leaf": "mean", "levels": "raw"}
    weighed = TreeRanker(**options).fit(X, relevance, weight, groups=queries)
    rows = np.repeat(np.arange(len(X)), weight)
    repeated = TreeRanker(**options).fit(X.iloc[rows], relevance.iloc[rows], groups=queries.iloc[rows])
    assert [str(node.question) for node in weighed.tree_.walk()] == [
        str(node.question) for node in repeated.tree_.walk()
    ]
    assert np.allclose(weighed.predict(X), repeated.predict(X))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_weights_of_queries_are_repeated_queries(table: Any, criterion: str) -> None:
    X, relevance, queries = table
    twice = queries.isin([f"q{number}" for number in range(20)])
    model = TreeRanker(criterion=criterion, prune=None, max_depth=3, leaf="mean", levels="raw")
    weighed = clone(model).fit(X, relevance, 1.0 + twice, groups=queries)
    rows = np.concatenate([np.arange(len(X)), np.flatnonzero(twice)])
    names = [*queries, *(f"again {query}" for query in queries[twice])]
    repeated = model.fit(X.iloc[rows], relevance.iloc[rows], groups=names)
    assert np.allclose(weighed.predict(X), repeated.predict(X))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_queries_that_tell_nothing_are_left_out(table: Any, criterion: str) -> None:
    X, relevance, queries = table
    model = TreeRanker(criterion=criterion, prune=None, max_depth=3)
    expected = model.fit(X, relevance, groups=queries).tree_
    more = list(queries) + [f"alone {number}" for number in range(50)]
    rows = np.concatenate([np.arange(len(X)), np.arange(50)])
    assert model.fit(X.iloc[rows], relevance.iloc[rows], groups=more).tree_ == expected


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(
    ("relevance", "groups"),
    [([1, 1, 1, 1], [0, 0, 0, 0]), ([3, 1, 2, 0], [0, 1, 2, 3]), ([2, 2, 1, 1], [0, 0, 1, 1])],
)
def test_nothing_to_tell_apart_is_one_leaf(criterion: str, relevance: list[int], groups: list[int]) -> None:
    with pytest.warns(OneLeafWarning, match="no query has two rows of different relevance"):
        model = TreeRanker(criterion=criterion).fit([[1], [2], [3], [4]], relevance, groups=groups)
    assert model.predict([[1], [4]]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.filterwarnings("ignore::arboretum.OneLeafWarning")
def test_one_row_and_two_rows(criterion: str) -> None:
    assert TreeRanker(criterion=criterion).fit([[1]], [5], groups=["a"]).predict([[1]]).tolist() == [0.0]
    model = TreeRanker(criterion=criterion, prune=None, leaf="mean").fit(
        [[1], [2]], [5, 7], groups=["a", "a"]
    )
    assert model.predict([[2]])[0] > 0 > model.predict([[1]])[0]
    assert model.rank([[1], [2], [2]], ["a"] * 3).tolist() == [3.0, 1.5, 1.5]


def test_one_query_cannot_be_held_out() -> None:
    X, relevance = np.arange(30.0)[:, None], np.arange(30)
    with pytest.raises(DataError, match="one group"):
        TreeRanker().fit(X, relevance, groups=["only"] * 30)
    model = TreeRanker(prune=None).fit(X, relevance, groups=["only"] * 30)
    assert model.score(X, relevance, groups=["only"] * 30) == pytest.approx(1.0)


def test_it_is_better_than_regression_where_queries_differ(table: Any, fitted: TreeRanker) -> None:
    """The tables have no rows or queries in common."""
    X, relevance, queries = table
    new, truth, asked = datasets.make_ranking(n_queries=150, rows_per_query=12, random_state=5)
    regressor = TreeRegressor().fit(X, relevance, groups=queries)
    ours = fitted.score(new, truth, groups=asked)
    assert ours == ranking.ndcg(truth, fitted.predict(new), asked, k=10)
    assert ours > ranking.ndcg(truth, regressor.predict(new), asked, k=10) + 0.01


@pytest.mark.parametrize("measure", ["ndcg", "ndcg@3", "map", "mrr", "kendall", "squared_error", None])
def test_measures_of_pruning(table: Any, measure: Any) -> None:
    X, relevance, queries = table
    prune = CostComplexity(measure=measure, repeats=1, folds=3)
    path = TreeRanker(prune=prune).fit(X, relevance, groups=queries).pruning_path_
    assert path.chosen is not None
    if measure != "squared_error":  # a tree of one leaf puts nothing in an order
        assert path.cv_risk.min() < path.cv_risk[-1]


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_the_risk_of_pruning_is_one_less_ndcg_of_held_out_queries(table: Any) -> None:
    """By hand: trees of each fold, cut at the same price, judged query by query."""
    X, relevance, queries = table
    fold = PredefinedSplit(queries.str[1:].astype(int) % 3)
    model = TreeRanker(prune=CostComplexity(folds=fold, rule="min"), leaf="mean", max_leaf_nodes=60)
    path = model.fit(X, relevance, groups=queries).pruning_path_
    values: dict[int, list[float]] = {}
    for step in (len(path) - 5, len(path) - 15):
        price = np.sqrt(path.alpha[step] * path.alpha[step + 1])
        for train, test in fold.split():
            part = TreeRanker(prune=CostComplexity(alpha=price), leaf="mean", max_leaf_nodes=60)
            part.fit(X.iloc[train], relevance.iloc[train], groups=queries.iloc[train])
            score = part.predict(X.iloc[test])
            for query in sorted(set(queries.iloc[test])):
                inside = (queries.iloc[test] == query).to_numpy()
                truth = relevance.iloc[test][inside]
                if truth.nunique() > 1:
                    one = ranking.ndcg(truth, score[inside], [0] * len(truth), k=10, gains="above_lowest")
                    values.setdefault(step, []).append(1 - one)
        losses = np.array(values[step])
        assert path.cv_risk[step] == pytest.approx(losses.mean())
        assert path.cv_se[step] == pytest.approx(losses.std() / np.sqrt(len(losses)))


def test_tuning_data(table: Any) -> None:
    X, relevance, queries = table
    first = queries.str[1:].astype(int) < 40
    train, tune = ((X[part], relevance[part], queries[part]) for part in (first, ~first))
    held_out = {"X_val": tune[0], "y_val": tune[1]}
    model = TreeRanker().fit(train[0], train[1], groups=train[2], groups_val=tune[2], **held_out)
    path = model.pruning_path_
    for step in (0, len(path) - 3):
        found = model.pruned(leaves=int(path.leaves[step])).tree_
        if step == 0:
            continue
        own = TreeRanker(prune=CostComplexity(alpha=path.alpha[step]), leaf="mean")
        score = own.fit(train[0], train[1], groups=train[2]).predict(tune[0])
        expected = ranking.ndcg(tune[1], score, tune[2], k=10, gains="above_lowest")
        assert found.n_leaves == path.leaves[step]
        assert path.cv_risk[step] == pytest.approx(1 - expected)
    smaller = TreeRanker(prune=ReducedError()).fit(
        train[0], train[1], groups=train[2], groups_val=tune[2], **held_out
    )
    assert smaller.get_n_leaves() < smaller.unpruned().get_n_leaves()
    with pytest.raises(DataError, match="groups_val is not given"):
        TreeRanker().fit(train[0], train[1], groups=train[2], **held_out)
    with pytest.raises(DataError, match="groups_val holds the queries of tuning data, but X_val"):
        TreeRanker().fit(train[0], train[1], groups=train[2], groups_val=tune[2])


def test_options_work_as_in_the_regressor(table: Any) -> None:
    X, relevance, queries = table
    X = X.copy()
    X.loc[::7, "x1"] = np.nan
    for missing in ("category", "surrogate", "fractional", "drop"):
        model = TreeRanker(missing=missing, max_depth=4, prune=CostComplexity(repeats=1, folds=3))
        assert model.fit(X, relevance, groups=queries).score(X, relevance, groups=queries) > 0.7
    rising = TreeRanker(monotonic_cst={"x0": 1}).fit(X, relevance, groups=queries)
    grid = X.iloc[[0] * 50].assign(x0=np.linspace(-3, 3, 50))
    assert (np.diff(rising.predict(grid)) >= 0).all()
    assert TreeRanker(max_leaf_nodes=5, prune=None).fit(X, relevance, groups=queries).get_n_leaves() == 5
    levels = X.assign(row=[f"row {number}" for number in range(len(X))])
    with pytest.warns(arboretum.IdentifierWarning):
        model = TreeRanker().fit(levels, relevance, groups=queries)
    assert not any("row" in str(node.question) for node in model.tree_.walk())


def test_files_texts_and_exports(table: Any, fitted: TreeRanker, tmp_path: Path) -> None:
    X, relevance, _ = table
    arboretum.save(fitted, tmp_path / "model.json")
    loaded = arboretum.load(tmp_path / "model.json")
    assert isinstance(loaded, TreeRanker)
    assert loaded.tree_ == fitted.tree_
    assert (loaded.predict(X) == fitted.predict(X)).all()
    assert loaded.get_params() == fitted.get_params()
    assert "ndcg" in str(fitted.tree_)
    assert str(fitted.tree_.root.value) == "0.0"
    assert "CASE" in export.to_sql(fitted)
    spaces: dict[str, Any] = {}
    exec(export.to_python(fitted), spaces)
    assert "ndcg" in str(fitted.summary())
    with pytest.raises(DataError, match="orders rows within queries"):
        fitted.tree_.regrow(0, (X, relevance))


def test_a_search_with_groups_as_metadata(table: Any) -> None:
    X, relevance, queries = table
    with sklearn.config_context(enable_metadata_routing=True):
        model = TreeRanker(prune=None).set_fit_request(groups=True).set_score_request(groups=True)
        search = GridSearchCV(model, {"max_depth": [1, 4]}, cv=GroupKFold(3))
        search.fit(X, relevance, groups=queries)
    assert search.best_params_ == {"max_depth": 4}
    assert 0.5 < search.best_score_ <= 1
    copied = clone(TreeRanker(prune=CostComplexity(measure="map"), criterion="ndcg"))
    assert copied.prune.measure == "map"
    assert copied.set_params(prune__rule="min").prune.rule == "min"


class OneQuery(TreeRanker):
    """A ranker for tests that know nothing of queries: all rows are of one."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OneQuery:  # type: ignore[override]
        return super().fit(X, y, sample_weight, groups=np.zeros(np.shape(np.asarray(y))[:1]))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # type: ignore[override]
        return super().score(X, y, sample_weight, groups=np.zeros(len(y)))


@parametrize_with_checks(
    [  # type: ignore[untyped-decorator]
        OneQuery(prune=None, leaf="mean", levels="raw")
    ]
)
@pytest.mark.filterwarnings("ignore::arboretum.ArboretumWarning")
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    ("relevance", "groups", "error", "message"),
    [
        (
            [1, 2],
            None,
            DataError,
            "TreeRanker puts the rows of each query in an order, but groups is not given",
        ),
        ([1, float("nan")], [0, 0], DataError, "missing in 1 of 2 rows"),
        ([1, float("inf")], [0, 0], DataError, "infinity"),
        (["a", "b"], [0, 0], DataError, "should be a number"),
        ([1, 2], [0], DataError, "give one value per row"),
        ([1, 2], "query", DataError, "is text; give one value per row"),
        ([1, 2], [0, None], DataError, "groups is missing in 1 of 2 rows"),
        ([1, 2], [{1}, {2}], DataTypeError, "groups of row 0 is .1., of type set"),
    ],
)
def test_bad_input_is_refused(relevance: Any, groups: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        TreeRanker().fit([[1], [2]], relevance, groups=groups)


def test_options_without_meaning_are_refused(table: Any) -> None:
    X, relevance, queries = table
    for options, message in (
        ({"criterion": "squared_error"}, "criterion='squared_error' is for numbers"),
        ({"prune": CostComplexity(measure="auc")}, "measure='auc' is not known"),
        ({"prune": CostComplexity(measure="ndcg@0")}, "measure='ndcg@0' is not known"),
        ({"prune": CostComplexity(measure=max)}, "measure=<built-in function max> is not known"),
        ({"prune": "pessimistic"}, "does not go with"),
        ({"leaf": "laplace"}, "leaf='laplace'"),
        ({"leaf": "median"}, 'leaf="median" does not go with order within queries'),
        ({"leaf": arboretum.Quantiles()}, 'leaf="quantiles" does not go with order within queries'),
    ):
        with pytest.raises(ParameterError, match=message):
            TreeRanker(**options).fit(X, relevance, groups=queries)
    with pytest.raises(ParameterError, match="criterion='pairwise' is for the order of rows within queries"):
        TreeRegressor(criterion="pairwise").fit(X, relevance)
    with pytest.raises(TypeError, match="TreeRanker has no parameter 'significance'"):
        TreeRanker(significance=0.05)  # type: ignore[call-arg]


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_a_splitter_that_divides_queries_is_refused(table: Any) -> None:
    X, relevance, queries = table
    with pytest.raises(DataError, match="KFold holds out some rows of a query"):
        TreeRanker(prune=CostComplexity(folds=sklearn.model_selection.KFold(3))).fit(
            X, relevance, groups=queries
        )
