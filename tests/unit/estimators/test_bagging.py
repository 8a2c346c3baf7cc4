"""Ensembles: what they predict, what is drawn, what is out of bag, and what is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score, r2_score

from arboretum import (
    BaggedClassifier,
    BaggedRegressor,
    Conditional,
    DataError,
    DataTypeError,
    Lookahead,
    MofN,
    Oblique,
    ParameterError,
    TreeClassifier,
    TreeRegressor,
)
from arboretum._types import Array

N_ROWS = 300


def table(seed: int = 0) -> tuple[pd.DataFrame, Array, Array]:
    """Numbers, levels and missing values, with classes and numbers to predict."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": random.normal(size=N_ROWS),
            "b": random.integers(0, 5, N_ROWS),
            "c": pd.Categorical(random.choice(["red", "green", "blue"], N_ROWS)),
            "d": np.where(random.random(N_ROWS) < 0.1, np.nan, random.normal(size=N_ROWS)),
        }
    )
    score = X["a"] + (X["c"] == "red") + X["d"].fillna(0.5) + random.normal(size=N_ROWS) / 2
    return X, np.array(["low", "mid", "high"])[np.digitize(score, [0, 1])], np.array(score)


def numbers(seed: int = 0) -> tuple[Array, Array]:
    """Four columns of numbers and two classes."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N_ROWS, 4))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=N_ROWS) > 0).astype(int)


TREES: list[Any] = [
    None,
    TreeClassifier(max_depth=3),  # shrunken, and pruned by cross-validation
    TreeClassifier(prune=None, missing="surrogate", max_depth=3),
    TreeClassifier(prune=None, missing="fractional", max_depth=4),
    TreeClassifier(prune=None, nominal="multiway", criterion="gain_ratio"),
    TreeClassifier(prune=None, questions=MofN(max_n=2), max_depth=3),
    TreeClassifier(prune=None, questions=Oblique(restarts=0), max_depth=2),
    TreeClassifier(prune=None, search=Lookahead(top=2), max_depth=3),
    TreeClassifier(prune=None, max_leaf_nodes=9, competitors=2),
    TreeClassifier(prune=None, leaf="honest"),
    TreeClassifier(max_depth=0),
    TreeClassifier(prune=None, significance=0.05, class_weight="balanced"),
    TreeClassifier(prune=None, max_bins=8, missing="drop", loss=[[0, 1, 2], [1, 0, 3], [1, 1, 0]]),
]


@pytest.mark.parametrize("tree", TREES, ids=str)
@pytest.mark.parametrize("max_features", [None, 2])
def test_an_ensemble_is_the_mean_of_its_trees(tree: Any, max_features: int | None) -> None:
    """Whatever the trees are like; threads and trees that are made anew make no difference."""
    X, y, _ = table()
    model = BaggedClassifier(tree, n_trees=3, max_features=max_features).fit(X, y)
    mean = np.mean([member.predict_proba(X) for member in model.trees_], axis=0)
    assert np.allclose(model.predict_proba(X), mean, rtol=0, atol=1e-12)
    other = BaggedClassifier(tree, n_trees=3, max_features=max_features, n_jobs=3).fit(X, y)
    assert list(other.trees_) == list(model.trees_)
    assert np.array_equal(other.predict_proba(X), model.predict_proba(X))
    if tree is None or tree.loss is None:
        assert np.array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])
    leaves = np.column_stack([member.apply(X) for member in model.trees_])
    assert np.array_equal(model.apply(X), leaves)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("leaf", ["mean", "shrinkage", "median", "quantiles"])
def test_numbers(criterion: Any, leaf: Any) -> None:
    X, _, y = table()
    y = np.abs(y)
    tree = TreeRegressor(criterion=criterion, prune=None, leaf=leaf)
    model = BaggedRegressor(tree, n_trees=4, max_features=0.5, oob=True).fit(X, y)
    mean = np.mean([member.predict(X) for member in model.trees_], axis=0)
    assert np.allclose(model.predict(X), mean, rtol=0, atol=1e-12)
    assert model.predict(X).shape == (N_ROWS,)
    seen = ~np.isnan(model.oob_prediction_)
    assert model.oob_score_ == pytest.approx(r2_score(y[seen], model.oob_prediction_[seen]))


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_the_same_ensemble_whatever_the_number_of_threads(n_jobs: int) -> None:
    X, y = numbers()
    options: dict[str, Any] = {"n_trees": 9, "max_features": "sqrt", "oob": True, "random_state": 3}
    one = BaggedClassifier(**options).fit(X, y)
    other = BaggedClassifier(**options, n_jobs=n_jobs).fit(X, y)
    assert list(one.trees_) == list(other.trees_)
    assert np.array_equal(one.oob_curve_, other.oob_curve_)
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))


def test_all_columns_are_no_draw() -> None:
    """A forest whose nodes may ask about all columns is plain bagging."""
    X, y = numbers()
    plain = BaggedClassifier(n_trees=3).fit(X, y)
    for max_features in (4, 1.0):
        forest = BaggedClassifier(n_trees=3, max_features=max_features).fit(X, y)
        assert list(forest.trees_) == list(plain.trees_)


def test_more_trees_later_are_those_grown_at_once() -> None:
    X, y = numbers()
    options: dict[str, Any] = {"max_features": 2, "oob": True, "random_state": 1}
    at_once = BaggedClassifier(n_trees=8, **options).fit(X, y)
    model = BaggedClassifier(n_trees=3, warm_start=True, **options).fit(X, y)
    for n_trees in (5, 5, 8):
        model.set_params(n_trees=n_trees).fit(X, y)
        assert len(model.trees_) == n_trees
    assert list(model.trees_) == list(at_once.trees_)
    assert np.array_equal(model.oob_curve_, at_once.oob_curve_)
    assert np.array_equal(model.predict_proba(X), at_once.predict_proba(X))
    assert np.array_equal(model.feature_importances_, at_once.feature_importances_)


def test_out_of_bag_by_hand() -> None:
    """Each row is judged by the trees that were not grown from it, and by no other."""
    X, y = numbers()
    weight = np.random.default_rng(1).integers(0, 3, N_ROWS).astype(float)
    model = BaggedClassifier(n_trees=12, oob=True).fit(X, y, weight)
    counting = np.flatnonzero(weight)
    sums, times, curve = np.zeros((N_ROWS, 2)), np.zeros(N_ROWS), []
    for number, tree in enumerate(model.trees_):
        drawn = np.random.default_rng([0, number, 0]).integers(len(counting), size=len(counting))
        assert tree.root.n_rows == len(counting)
        out = np.setdiff1d(counting, counting[drawn])
        sums[out] += tree.predict_proba(X[out])
        times[out] += 1
        seen = times > 0
        wrong = sums[seen].argmax(axis=1) != y[seen]
        curve.append(np.average(wrong, weights=weight[seen]))
    assert np.allclose(model.oob_curve_, curve)
    assert np.array_equal(np.isnan(model.oob_prediction_[:, 0]), times == 0)
    assert np.allclose(model.oob_prediction_[times > 0], sums[times > 0] / times[times > 0, None])
    found = accuracy_score(y[seen], sums[seen].argmax(axis=1), sample_weight=weight[seen])
    assert model.oob_score_ == pytest.approx(found)


def test_growth_stops_when_the_error_is_flat() -> None:
    X, y = numbers()
    options: dict[str, Any] = {"n_trees": 80, "oob": True}
    all_trees = BaggedClassifier(**options).fit(X, y)
    model = BaggedClassifier(**options, patience=5, n_jobs=2).fit(X, y)
    n_trees = len(model.trees_)
    assert 10 <= n_trees < 80
    curve = all_trees.oob_curve_

    def flat(n: int) -> bool:
        return bool(curve[n - 5 : n].mean() > curve[n - 10 : n - 5].mean() * 0.995)

    assert [n for n in range(10, n_trees + 1) if flat(n)] == [n_trees]
    assert list(model.trees_) == list(all_trees.trees_)[:n_trees]


def test_every_class_is_drawn_equally_often() -> None:
    X, y = numbers()
    y = np.where(np.arange(N_ROWS) < 12, 2, y)
    model = BaggedClassifier(n_trees=5, bootstrap="balanced", max_samples=100).fit(X, y)
    for tree in model.trees_:
        assert tree.root.n_rows == 100
        assert set(tree.array("counts")[0].tolist()) <= {33.0, 34.0}


def test_rows_drawn_without_replacement() -> None:
    X, y = numbers()
    model = BaggedClassifier(n_trees=3, bootstrap=False, max_samples=0.5, oob=True).fit(X, y)
    for number, tree in enumerate(model.trees_):
        rows = model._state.samples.rows(number)
        assert tree.root.n_rows == len(set(rows.tolist())) == N_ROWS // 2
    whole = BaggedClassifier(n_trees=2, bootstrap=False).fit(X, y)
    alone = TreeClassifier(prune=None, leaf="frequency").fit(X, y)
    assert [tree == alone.tree_ for tree in whole.trees_] == [True, True]


def test_copies_count_as_rows() -> None:
    """A row that is drawn twice is two rows, for min_samples_leaf as for shrinkage."""
    X, y, _ = table()
    for tree in (
        TreeClassifier(prune=None, min_samples_leaf=4),
        TreeClassifier(prune=None, min_samples_split=0.1),
    ):
        model = BaggedClassifier(tree, n_trees=2).fit(X, y)
        for number, member in enumerate(model.trees_):
            rows = model._state.samples.rows(number)
            assert rows is not None
            assert member == clone(tree).fit(X.iloc[rows], y[rows]).tree_


def test_weights_and_class_weights() -> None:
    """Drawn rows keep their weights, and what classes weigh is decided once, for all trees."""
    X, y = numbers()
    weight = np.random.default_rng(1).integers(1, 4, N_ROWS).astype(float)
    tree = TreeClassifier(prune=None, class_weight={0: 1, 1: 2})
    model = BaggedClassifier(tree, n_trees=2).fit(X, y, weight)
    for number, member in enumerate(model.trees_):
        rows = model._state.samples.rows(number)
        assert np.array_equal(member.array("counts")[0], np.bincount(y[rows], weight[rows]) * [1, 2])


def test_importances() -> None:
    X, y = numbers()
    model = BaggedClassifier(n_trees=6).fit(X, y)
    each = []
    for tree in model.trees_:
        sums = np.zeros(4)
        for node in tree.walk():
            if not node.is_leaf:
                sums[int(node.question.column[1:])] += node.improvement
        each.append(sums / sums.sum())
    assert np.allclose(model.feature_importances_, np.mean(each, axis=0))
    assert np.allclose(model.importances_std_, np.std(each, axis=0))
    nothing = BaggedClassifier(n_trees=2).fit(X, np.zeros(N_ROWS))
    assert nothing.feature_importances_.tolist() == [0, 0, 0, 0]


def test_trees_are_a_sequence() -> None:
    X, y = numbers()
    trees = BaggedClassifier(n_trees=5).fit(X, y).trees_
    assert len(trees) == len(list(trees)) == 5
    assert trees[-1] == list(trees)[4]
    assert [tree == other for tree, other in zip(trees[1:3], list(trees)[1:3], strict=True)] == [True, True]
    assert repr(trees) == f"<5 trees, {sum(map(len, trees)):,} nodes>"


@pytest.mark.parametrize("kind", ["float32", "float64", "int8", "int64"])
def test_tables_of_any_type(kind: Any) -> None:
    """Which type the trees are walked in makes no difference, even on either side of a threshold."""
    X, y = numbers()
    X = (X * 30).astype(kind)
    model = BaggedClassifier(TreeClassifier(prune=None, thresholds="observed"), n_trees=5, random_state=0)
    model.fit(X, y)
    mean = np.mean([tree.predict_proba(X) for tree in model.trees_], axis=0)
    assert np.allclose(model.predict_proba(X), mean, rtol=0, atol=1e-12)
    leaves = np.stack([tree.apply(X) for tree in model.trees_], axis=1)
    assert np.array_equal(model.apply(X), leaves)


def test_one_row_is_predicted_like_many() -> None:
    for X, y in (numbers(), table()[:2]):
        model = BaggedClassifier(n_trees=40, max_features=2).fit(X, y)
        for n_jobs in (1, 2):
            model.set_params(n_jobs=n_jobs)
            some = [model.predict_proba(X[row : row + 1]) for row in range(5)]
            assert np.array_equal(np.concatenate(some), model.predict_proba(X)[:5])


def test_parameters_of_the_tree() -> None:
    model = BaggedClassifier(TreeClassifier(max_depth=2))
    assert clone(model).get_params()["tree__max_depth"] == 2
    assert model.set_params(tree__max_depth=3).tree.max_depth == 3
    made = BaggedRegressor().set_params(tree__max_depth=4).tree
    assert (made.max_depth, made.prune, made.leaf) == (4, None, "mean")


REFUSED: list[tuple[type, dict[str, Any], type, str]] = [
    (BaggedClassifier, {"n_trees": 0}, ParameterError, "n_trees=0 is not allowed"),
    (BaggedClassifier, {"max_features": "sqr"}, ParameterError, "Did you mean 'sqrt'"),
    (BaggedClassifier, {"max_features": 0}, ParameterError, "max_features=0 is not allowed"),
    (BaggedClassifier, {"max_features": 1.5}, ParameterError, "max_features=1.5 is not allowed"),
    (BaggedClassifier, {"max_features": 5}, ParameterError, "more columns than X has, which is 4"),
    (BaggedClassifier, {"bootstrap": "balance"}, ParameterError, "Did you mean 'balanced'"),
    (BaggedRegressor, {"bootstrap": "balanced"}, ParameterError, "a regressor has no classes"),
    (BaggedClassifier, {"max_samples": 301, "bootstrap": False}, ParameterError, "no row is drawn twice"),
    (BaggedClassifier, {"max_samples": 0.0}, ParameterError, "max_samples=0.0 is not allowed"),
    (BaggedClassifier, {"oob": True, "bootstrap": False}, ParameterError, "grown from all rows"),
    (BaggedClassifier, {"patience": 5}, ParameterError, "oob=False does not measure it"),
    (BaggedClassifier, {"tree": TreeRegressor()}, DataTypeError, "takes a TreeClassifier, not TreeRegressor"),
    (
        BaggedClassifier,
        {"tree": TreeClassifier(significance=Conditional()), "max_features": 2},
        ParameterError,
        "chooses among all of them",
    ),
    (BaggedClassifier, {"tree": TreeClassifier(max_depth=-1)}, ParameterError, "max_depth=-1 is not allowed"),
]


@pytest.mark.parametrize(("kind", "options", "error", "message"), REFUSED)
def test_what_cannot_work_is_refused(
    kind: type, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    X, y = numbers()
    with pytest.raises(error, match=message):
        kind(**options).fit(X, y)


def test_unknown_parameters_are_refused() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'n_trees'"):
        BaggedClassifier(n_tree=3)  # type: ignore[call-arg]
    with pytest.raises(ParameterError, match="Did you mean 'n_jobs'"):
        BaggedRegressor().set_params(n_job=3)


def test_warm_start_is_refused_for_another_table() -> None:
    X, y = numbers()
    model = BaggedClassifier(n_trees=4, warm_start=True).fit(X, y)
    before = list(model.trees_)
    with pytest.raises(DataError, match="have changed"):
        model.fit(X[::-1], y)
    with pytest.raises(ParameterError, match="n_trees=3 is less than the 4 trees"):
        model.set_params(n_trees=3).fit(X, y)
    with pytest.raises(ParameterError, match="oob=True differs"):
        model.set_params(n_trees=5, oob=True).fit(X, y)
    assert list(model.trees_) == before
    with pytest.raises(AttributeError, match="oob=True"):
        _ = model.oob_score_


def test_odd_tables() -> None:
    """One row, one class, a constant column, nothing but missing values, infinities: no crash."""
    one = BaggedClassifier(n_trees=2, oob=True).fit([[1.0]], ["a"])
    assert one.predict([[2.0]]).tolist() == ["a"]
    assert np.isnan(one.oob_score_)
    X = np.array([[1.0, np.nan, np.inf], [1.0, np.nan, -np.inf], [1.0, np.nan, 0.0]] * 4)
    y = np.arange(12) % 3
    forest = BaggedClassifier(n_trees=20, max_features=1).fit(X, y)
    assert forest.score(X, y) == 1.0  # the other columns have no question, so that the last one is asked


def test_packed_trees_keep_no_larger_arrays_alive() -> None:
    """One number for all leaves was a view of the numbers of all leaves, which took as much memory again."""
    X, classes, _ = table()
    model = BaggedClassifier(n_trees=2).fit(X, classes)
    for packed in model._fitted.packed:
        for array in (*packed.arrays.values(), *packed.remembered.values(), *packed.terms.values()):
            assert array.kept.base is None
            assert array.filler is None or array.filler.base is None


def test_what_is_of_one_tree_is_found_in_the_trees() -> None:
    """Names of a tree say where to look, before the fit as well; others are missing as usual."""
    model: Any = BaggedRegressor(n_trees=2)
    for name in ("rules", "summary", "root", "prune_at"):
        with pytest.raises(
            AttributeError, match=rf"{name} is for one tree, .*\n.*: model.trees_\[0\].{name} is"
        ):
            getattr(model, name)
    with pytest.raises(AttributeError, match=r"tree_ is for one tree, .*\n.*: model.trees_\[0\] is"):
        _ = model.tree_
    with pytest.raises(AttributeError, match="no attribute 'ruls'"):
        _ = model.ruls
