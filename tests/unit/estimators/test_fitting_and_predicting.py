"""The estimators by themselves: refused options, looking at the tree, missing values, and predicting.

Expected numbers were worked out by hand; the sum stands next to them. Classes that count for more
are in data/test_class_weights.py, scikit-learn's tools in api/.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from support.marks import allow_one_leaf
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import DataError, MEstimate, ParameterError, TreeClassifier, TreeRegressor, datasets
from arboretum._grow.core_options import core_options
from arboretum._grow.targets import Targets
from arboretum._options.settings import read_settings
from arboretum._tree.node import Node

X4 = np.array([[0.0], [1.0], [2.0], [3.0]])
Y4 = ["a", "a", "b", "b"]


def one_leaf(y: Any, *, sample_weight: Any = None, **options: Any) -> TreeClassifier:
    """A classifier for a column that says nothing, so that all rows stay together."""
    return TreeClassifier(**options).fit(np.zeros((len(y), 1)), y, sample_weight=sample_weight)


# Options


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"criterion": "ginni"}, r"criterion='ginni' is not known; choose 'gini', .*Did you mean 'gini'\?"),
        (
            {"criterion": "squared_error"},
            "criterion='squared_error' is for numbers, which are not learnt here; choose 'gini', 'entropy'",
        ),
        ({"criterion": None}, "criterion=None is not known; choose"),
        ({"nominal": "multi"}, "nominal='multi' is not known; choose 'subset', 'one_vs_rest'"),
        ({"thresholds": "mid"}, "thresholds='mid' is not known; choose 'midpoint', 'observed'"),
        (
            {"missing": "ignore"},
            "missing='ignore' is not known; choose 'category', 'fractional', 'drop', 'error', 'surrogate'",
        ),
        ({"missing": None}, "missing=None is not known"),
        ({"max_depth": -1}, "max_depth=-1 is not allowed; give an integer of 0 or more, or None"),
        ({"max_depth": 2.0}, "max_depth=2.0 is not allowed; give an integer"),
        ({"max_depth": True}, "max_depth=True is not allowed"),
        ({"max_leaf_nodes": 0}, "max_leaf_nodes=0 is not allowed; give an integer of 1 or more"),
        (
            {"min_samples_split": 1},
            "min_samples_split=1 is not allowed; give an integer of 2 or more, or a share",
        ),
        ({"min_samples_split": 1.5}, "min_samples_split=1.5 is not allowed"),
        (
            {"min_samples_leaf": 0},
            "min_samples_leaf=0 is not allowed; give an integer of 1 or more, or a share",
        ),
        ({"min_samples_leaf": 0.0}, "min_samples_leaf=0.0 is not allowed"),
        ({"min_samples_leaf": "1"}, "min_samples_leaf='1' is not allowed"),
        ({"min_weight_fraction_leaf": 0.6}, "min_weight_fraction_leaf=0.6 is not allowed; .*from 0.0 to 0.5"),
        ({"min_impurity_decrease": -1e-9}, "min_impurity_decrease=-1e-09 is not allowed; .*from 0.0 upwards"),
        ({"min_impurity_decrease": float("nan")}, "min_impurity_decrease=nan is not allowed"),
        ({"max_bins": 1}, "max_bins=1 is not allowed; give an integer of 2 or more, or None"),
        (
            {"prune": "cost"},
            "prune='cost' is not known; choose None, 'cost_complexity', 'pessimistic', 'reduced_error'",
        ),
        ({"leaf": "lapace"}, r"leaf='lapace' is not known; choose .*Did you mean 'laplace'\?"),
        ({"leaf": MEstimate(-1)}, r"MEstimate\(m=-1\) is not allowed; give a number of rows, 0 or more"),
        ({"leaf": MEstimate(float("inf"))}, r"MEstimate\(m=inf\) is not allowed"),
        ({"class_weight": "even"}, "class_weight='even' is not known; choose 'balanced', None"),
        (
            {"class_weight": {"a": 1, "c": 2}},
            "class_weight names 'c', which is no class of the target; .*'a', 'b'",
        ),
        (
            {"class_weight": {"a": -1}},
            "class_weight={'a': -1} is not allowed; weights are finite and not neg",
        ),
        ({"class_weight": {"a": "1"}}, "class_weight=.* holds something that is not a number"),
        (
            {"class_weight": [1, 2]},
            r"class_weight=\[1, 2\] is not allowed; give 'balanced' or {class: weight}",
        ),
        ({"priors": [0.5, 0.6]}, "priors=.* are not allowed; give 2 positive numbers that sum to 1"),
        ({"priors": [1.0]}, "priors=.* are not allowed; give 2 positive numbers"),
        ({"priors": [1.0, 0.0]}, "priors=.* are not allowed; give 2 positive numbers"),
        ({"priors": {"a": 0.5, "z": 0.5}}, "priors names 'z', which is no class of the target"),
        ({"priors": "even"}, "priors='even' holds something that is not a number"),
        (
            {"priors": [0.5, 0.5], "class_weight": "balanced"},
            "class_weight and priors both rescale the classes",
        ),
        ({"loss": [[0, 1]]}, r"loss has the shape \(1, 2\), but the target has 2 classes"),
        ({"loss": [[1, 1], [1, 0]]}, "loss=.* is not allowed; its diagonal is zero"),
        ({"loss": [[0, -1], [1, 0]]}, "loss=.* is not allowed; .*negative"),
        ({"loss": [[0, 0], [1, 0]]}, "loss=.* is not allowed; no mistake about the class 'a' costs anything"),
        ({"loss": "symmetric"}, "loss='symmetric' holds something that is not a number"),
        ({"monotonic_cst": [1, 1]}, "monotonic_cst has 2 entries, but X has 1 column"),
        (
            {"monotonic_cst": [2]},
            "monotonic_cst of column 'x0' is 2; choose 1 .rising., 0 .free. or -1 .falling.",
        ),
        ({"monotonic_cst": "up"}, "monotonic_cst='up' is not allowed; give -1, 0 or 1 for each column"),
        ({"monotonic_cst": {"z": 1}}, "monotonic_cst names 'z', but the columns are 'x0'"),
        (
            {"monotonic_cst": [1], "loss": [[0, 1], [1, 0]]},
            "monotonic_cst does not go with priors or loss",
        ),
        ({"categorical_features": ["z"]}, "categorical_features names the column 'z', which X lacks"),
        ({"n_jobs": 0}, "n_jobs=0 is not allowed; give a number of threads, -1 for all cores, or None"),
        ({"n_jobs": 1.5}, "n_jobs=1.5 is not allowed"),
        ({"random_state": "fixed"}, "random_state='fixed' is not allowed; give an integer of 0 or more"),
        ({"verbose": -1}, "verbose=-1 is not allowed; give 0 .quiet. or 1 .a progress bar."),
    ],
)
def test_refused_options(options: dict[str, Any], words: str) -> None:
    """Each refusal names the option, what was found and what is allowed."""
    with pytest.raises(ParameterError, match=words):
        TreeClassifier(**options).fit(X4, Y4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"criterion": "gini"},
            "criterion='gini' is for classes, which are not learnt here; "
            "choose 'squared_error', 'absolute_error', 'poisson'",
        ),
        ({"max_depth": -1}, "max_depth=-1 is not allowed"),
        (
            {"prune": "pessimistic"},
            'prune="pessimistic" does not go with numbers as targets: it counts misclassified rows',
        ),
        ({"monotonic_cst": [0, 0]}, "monotonic_cst has 2 entries, but X has 1 column"),
    ],
)
def test_refused_options_of_the_regressor(options: dict[str, Any], words: str) -> None:
    """The regressor refuses in the same words."""
    with pytest.raises(ParameterError, match=words):
        TreeRegressor(**options).fit(X4, [1.0, 2.0, 3.0, 4.0])


def test_options_are_looked_at_when_fitting() -> None:
    """As scikit-learn wants it, a constructor only stores; a change of the option before `fit` counts."""
    model = unpruned_classifier(max_depth=-1)
    assert model.set_params(max_depth=1).fit(X4, Y4).get_depth() == 1


def test_numpy_numbers_are_numbers() -> None:
    """Options may come out of an array, as they do in a search over `np.arange`."""
    options = {"max_depth": np.int64(1), "min_samples_leaf": np.float32(0.25), "n_jobs": np.int32(1)}
    assert unpruned_classifier(**options).fit(X4, Y4).get_n_leaves() == 2


def test_shares_of_rows_are_rounded_up() -> None:
    """0.3 of 10 rows is 3 rows, of 11 rows 4; never fewer than the least that is allowed."""
    params = TreeClassifier(min_samples_leaf=0.3, min_samples_split=0.01).get_params()
    for n_rows, leaf in ((10, 3), (11, 4)):
        options = core_options(read_settings(params, of_classes=True), Targets(n_rows), (), [], None)
        assert (options.min_leaf_rows, options.min_split_rows) == (leaf, 2)


@pytest.mark.parametrize("prune", [None, "cost_complexity"])
def test_threads_may_be_counted_from_the_end(prune: str | None) -> None:
    """`n_jobs=-1` and numbers beyond all reason give the same tree as one thread."""
    X, y = datasets.load_iris()
    models = [TreeClassifier(n_jobs=n_jobs, prune=prune) for n_jobs in (None, 1, -1, -99, 2, 10**12)]
    trees = [model.fit(X, y).tree_ for model in models]
    assert all(tree == trees[0] for tree in trees)


# Looking at the tree


def test_decision_path_climbs_to_the_root() -> None:
    """Each row's path holds its leaf and all of its parents, and nothing else."""
    X, y = datasets.load_penguins()
    model = unpruned_classifier().fit(X, y)
    paths = model.decision_path(X)
    assert paths.shape == (344, len(model.tree_))
    for row, leaf in enumerate(model.apply(X).tolist()):
        node: Node | None = model.tree_.node(leaf)
        assert node.is_leaf
        climbed = set()
        while node is not None:
            climbed.add(node.number)
            node = node.parent
        assert set(paths[row].indices.tolist()) == climbed
        assert paths.indices[paths.indptr[row]] == 0, "from the root to the leaf"
    assert (paths.data == 1).all()


@allow_one_leaf
def test_decision_path_of_a_single_leaf() -> None:
    """A tree without questions has one node, and every row is in it."""
    assert one_leaf(["a", "a"]).decision_path([[0], [1], [2]]).toarray().tolist() == [[1], [1], [1]]


def test_importances_are_scikit_learns() -> None:
    """Where the tree is the same, so are the importances, with weights too."""
    rng = np.random.default_rng(1)
    X, noise = rng.normal(size=(200, 3)).astype(np.float32), rng.normal(size=200)
    y, weights = X[:, 0] + X[:, 1] ** 2 + noise / 4, rng.integers(1, 4, size=200)
    options = {"max_depth": 3, "min_samples_leaf": 10}  # small nodes would have ties
    mine = unpruned_regressor(**options).fit(X, y, sample_weight=weights)
    theirs = DecisionTreeRegressor(**options, random_state=0).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(mine.feature_importances_, theirs.feature_importances_)
    assert mine.feature_importances_.sum() == pytest.approx(1.0)


@allow_one_leaf
def test_importances_are_zero_when_nothing_is_asked() -> None:
    """A single leaf has no share to give."""
    np.testing.assert_array_equal(one_leaf(["a", "b"]).feature_importances_, [0.0])


def test_importances_by_hand() -> None:
    """Column 0 parts (4, 0) | (0, 4), which is the whole impurity of 0.5; column 1 is never asked about."""
    X = np.column_stack([[0] * 4 + [1] * 4, [0, 1] * 4])
    model = unpruned_classifier().fit(X, [0] * 4 + [1] * 4)
    np.testing.assert_array_equal(model.feature_importances_, [1.0, 0.0])
    assert model.tree_.root.gain == 0.5


def test_depth_and_leaves() -> None:
    """XOR needs three questions on two levels, and is learnt although the first one gains nothing."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    model = unpruned_classifier().fit(X, y)
    assert (model.get_depth(), model.get_n_leaves(), model.score(X, y)) == (2, 4, 1.0)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "decision_path"])
def test_unfitted_estimators_say_so(method: str) -> None:
    """What needs a tree is refused before there is one."""
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(TreeClassifier(), method)(X4)
    for look in ("get_depth", "get_n_leaves", "to_sklearn"):
        with pytest.raises(NotFittedError):
            getattr(TreeRegressor(), look)()


def test_a_fit_that_fails_changes_nothing() -> None:
    """An estimator is fitted wholly or not at all: after an error it predicts as before, from old columns."""
    model = unpruned_classifier().fit(pd.DataFrame({"x": [0.0, 1.0]}), ["a", "b"])
    before = {name: value for name, value in vars(model).items() if name.endswith("_")}
    with pytest.raises(ParameterError):
        model.set_params(max_depth=-1).fit(pd.DataFrame({"u": [1.0], "v": [2.0]}), ["c"])
    after = {name: value for name, value in vars(model).items() if name.endswith("_")}
    assert before == after
    assert model.predict(pd.DataFrame({"x": [1.0]})) == ["b"]


@allow_one_leaf
def test_a_second_fit_forgets_the_first() -> None:
    """Names that were there and are no longer are not kept."""
    model = TreeClassifier().fit(pd.DataFrame({"x": [0.0, 1.0]}), ["a", "b"])
    model.fit(X4, Y4)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 1


# Missing values


@allow_one_leaf
def test_missing_policies() -> None:
    """The same table under each policy: learnt from, dropped and counted, refused with column and row."""
    X = pd.DataFrame({"x": [0.0, 1.0, None, None], "c": ["u", None, "v", "v"]})
    y = ["a", "a", "b", "b"]
    learnt = unpruned_classifier(missing="category").fit(X, y)
    assert str(learnt.tree_.root.question) == "x is missing"
    assert (learnt.score(X, y), learnt.n_rows_dropped_) == (1.0, 0)
    dropped = unpruned_classifier(missing="drop").fit(X, y)
    assert (dropped.n_rows_dropped_, dropped.tree_.root.n_rows) == (3, 1)
    assert dropped.predict(X).tolist() == ["a"] * 4
    assert dropped.classes_.tolist() == ["a", "b"]
    with pytest.raises(
        DataError, match=r"column 'x' misses 2 of 4 values \(first: row 2\), which missing='error'"
    ):
        unpruned_classifier(missing="error").fit(X, y)


def test_missing_error_when_predicting() -> None:
    """The policy "error" holds for prediction as well."""
    model = TreeRegressor(missing="error").fit(X4, [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(DataError, match=r"column 'x0' misses 1 of 2 values \(first: row 1\)"):
        model.predict([[1.0], [None]])


def test_unknown_levels_are_no_missing_values() -> None:
    """The policy "error" refuses what is missing in X; an unknown level follows the heavier child."""
    X = pd.DataFrame({"colour": ["red", "red", "red", "blue"]})
    model = unpruned_classifier(missing="error").fit(X, ["r", "r", "r", "b"])
    assert model.predict(pd.DataFrame({"colour": ["green", "blue"]})).tolist() == ["r", "b"]
    with pytest.raises(DataError, match=r"column 'colour' misses 1 of 2 values \(first: row 1\)"):
        model.predict(pd.DataFrame({"colour": ["green", None]}))


def test_dropping_every_row() -> None:
    """Nothing left is an error that says how many rows counted; rows of weight zero do not."""
    X = pd.DataFrame({"x": [None, None, 1.0]}, dtype=float)
    with pytest.raises(DataError, match="missing='drop' leaves no row: all 2 rows that count miss a value"):
        TreeRegressor(missing="drop").fit(X, [1.0, 2.0, 3.0], sample_weight=[1, 1, 0])


@allow_one_leaf
def test_rows_of_weight_zero_do_not_count_as_dropped() -> None:
    """`n_rows_dropped_` counts rows that would have counted."""
    X = pd.DataFrame({"x": [None, None, 1.0, 2.0]}, dtype=float)
    model = TreeRegressor(missing="drop").fit(X, [1.0, 2.0, 3.0, 4.0], sample_weight=[0, 1, 1, 1])
    assert model.n_rows_dropped_ == 1


def test_missing_where_none_was_missing_follows_the_heavier_child() -> None:
    """Three rows left, two right: a missing value goes left, unless weights make the right side heavier."""
    X, y = [[0.0], [1.0], [2.0], [8.0], [9.0]], ["a", "a", "a", "b", "b"]
    assert unpruned_classifier().fit(X, y).predict([[None]]) == ["a"]
    assert unpruned_classifier().fit(X, y, sample_weight=[1, 1, 1, 9, 9]).predict([[None]]) == ["b"]


def test_missing_values_that_were_seen_go_where_they_gained() -> None:
    """Missing rows were b when fitting, and are b when predicting, although a is heavier."""
    X, y = [[0.0], [1.0], [2.0], [9.0], [None]], ["a", "a", "a", "b", "b"]
    model = unpruned_classifier().fit(X, y)
    assert model.predict([[None]]) == ["b"]
    assert "or missing" in str(model.tree_)


# Predicting with other tables


def test_unknown_levels_follow_the_heavier_child() -> None:
    """A level that was never seen is no reason to stop: it goes where most rows went."""
    X = pd.DataFrame({"c": ["u", "u", "u", "v", "v"]})
    model = unpruned_classifier().fit(X, ["a", "a", "a", "b", "b"])
    assert model.predict(pd.DataFrame({"c": ["w", None, "v"]})).tolist() == ["a", "a", "b"]


def test_unknown_levels_are_missing_values() -> None:
    """Where some were missing when fitting, an unknown level goes with them."""
    X = pd.DataFrame({"c": ["u", "u", "u", "v", None]})
    model = unpruned_classifier().fit(X, ["a", "a", "a", "b", "b"])
    assert model.predict(pd.DataFrame({"c": ["w"]})) == ["b"]


def test_levels_absent_from_a_node_follow_the_heavier_child() -> None:
    """Level w occurs only where x > 0; a row with x <= 0 and w comes to a node that never saw it."""
    X = pd.DataFrame({"x": [0.0] * 5 + [1.0] * 4, "c": ["u", "u", "u", "v", "v"] + ["w"] * 4})
    y = ["a", "a", "a", "b", "b", "c", "c", "c", "c"]
    model = unpruned_classifier().fit(X, y)
    assert str(model.tree_.root.question) == "x <= 0.5"
    assert model.predict(pd.DataFrame({"x": [0.0], "c": ["w"]})) == ["a"]


def test_columns_are_found_by_name() -> None:
    """Reordered and further columns do not matter; one that is lacking is named."""
    X, y = datasets.load_penguins(backend="pandas")
    model = TreeClassifier().fit(X, y)
    shuffled = X[X.columns[::-1]].assign(more=1)
    np.testing.assert_array_equal(model.predict(shuffled), model.predict(X))
    np.testing.assert_array_equal(model.predict(pl.from_pandas(shuffled)), model.predict(X))
    with pytest.raises(DataError, match="X lacks the column 'island', used for fitting"):
        model.predict(X.drop(columns="island"))


def test_arrays_are_read_by_position() -> None:
    """Without names the number of columns must be right."""
    model = TreeClassifier().fit(X4, Y4)
    with pytest.raises(DataError, match="X has 2 features, but TreeClassifier is expecting 1 features"):
        model.predict(np.zeros((3, 2)))


def test_whole_numbers_and_floats_may_be_swapped() -> None:
    """A tree of whole numbers takes floats and the other way round; 2.5 lies where 2 and 3 are parted."""
    whole, real = np.array([[1], [2], [3], [4]]), np.array([[1.0], [2.0], [3.0], [4.0]])
    for fitted in (whole, real):
        model = unpruned_classifier().fit(fitted, Y4)
        for asked in (whole, real, whole.astype(np.uint8), real.astype(np.float32)):
            assert model.predict(asked).tolist() == Y4
        assert model.predict([[2.5], [2.6]]).tolist() == ["a", "b"]


@allow_one_leaf
def test_a_column_of_another_kind_is_refused() -> None:
    """Text where numbers were is named with the first row, not turned into missing values."""
    model = TreeClassifier().fit(pd.DataFrame({"x": [1.0, 2.0]}), ["a", "b"])
    with pytest.raises(
        DataError, match=r"Column 'x' was numeric when fitting, now holds text \(first: row 1, 'two'\)"
    ):
        model.predict(pd.DataFrame({"x": [None, "two"]}))


def test_dates_are_asked_about_as_dates() -> None:
    """A threshold between two dates prints as one, and dates of any library are compared with it."""
    days = [dt.date(2024, 1, 1), dt.date(2024, 1, 2), dt.date(2024, 3, 1), dt.date(2024, 3, 3)]
    for frame in (pl.DataFrame({"day": days}), pd.DataFrame({"day": pd.to_datetime(days)})):
        model = unpruned_classifier().fit(frame, Y4)
        assert str(model.tree_.root.question).startswith("day <= 2024-01-31")
        assert model.predict(frame).tolist() == Y4
        assert model.predict(
            pd.DataFrame({"day": pd.to_datetime(["2023-12-31", "2024-02-01"])})
        ).tolist() == ["a", "b"]


def test_ordered_levels_are_cut_in_order() -> None:
    """small < medium < large: one question parts them, as no alphabetical order would."""
    size = pd.Categorical(["small", "small", "medium", "large"], ["small", "medium", "large"], ordered=True)
    model = unpruned_classifier().fit(pd.DataFrame({"size": size}), Y4)
    assert str(model.tree_.root.question) == "size <= small"


# To scikit-learn


def test_the_twin_predicts_the_same() -> None:
    """scikit-learn's estimator with our questions gives our answers, missing values included."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4)).astype(np.float32)
    y = np.where(X[:, 0] > 1, "high", np.where(X[:, 0] + X[:, 1] > 0, "plus", "minus"))
    X[(X[:, 0] < -1) & (X[:, 1] > 0), 0] = np.nan
    model = unpruned_classifier(min_samples_leaf=3, max_depth=5).fit(X, y)
    assert model.tree_.array("missing_seen").any(), "some question has seen missing values"
    twin = model.to_sklearn()
    assert isinstance(twin, DecisionTreeClassifier)
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    np.testing.assert_allclose(twin.predict_proba(X), model.predict_proba(X))
    np.testing.assert_allclose(twin.feature_importances_, model.feature_importances_)
    np.testing.assert_array_equal(twin.apply(X), model.apply(X))
    assert (twin.get_depth(), twin.get_n_leaves()) == (model.get_depth(), model.get_n_leaves())


def test_the_twin_of_a_regressor() -> None:
    """Names, missing values on the side where they gained, and whole numbers beyond 2**63."""
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, np.nan, 9.0, np.nan], "z": np.arange(6) % 2})
    model = unpruned_regressor(max_depth=1).fit(frame, [1.0, 1.0, 1.0, 5.0, 5.0, 5.0])
    twin = model.to_sklearn()
    assert isinstance(twin, DecisionTreeRegressor)
    assert list(twin.feature_names_in_) == ["x", "z"]
    np.testing.assert_array_equal(twin.predict(frame), model.predict(frame))
    huge = np.array([[0], [2**62], [2**63], [2**64 - 2**45]], dtype=np.uint64)
    model = unpruned_regressor().fit(huge, [1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(model.to_sklearn().predict(huge), [1.0, 2.0, 3.0, 4.0])


@allow_one_leaf
@pytest.mark.parametrize(
    ("X", "options", "words"),
    [
        (
            pd.DataFrame({"c": ["u", "u", "v", "v"]}),
            {},
            "Node 0 asks 'c = u', which scikit-learn's trees cannot",
        ),
        (pd.DataFrame({"d": pd.date_range("2024", periods=4)}), {}, "Node 0 asks 'd <= 2024-01-02"),
        (pd.DataFrame({"x": [1.0, 1.0, None, None]}), {}, "Node 0 asks 'x is missing'"),
        (
            pd.DataFrame({"x": [1.0] * 4}),
            {"loss": [[0, 1], [9, 0]]},
            "Node 0 predicts 'b' because of the loss",
        ),
    ],
)
def test_what_the_twin_cannot_say(X: Any, options: dict[str, Any], words: str) -> None:
    """Questions and labels that scikit-learn's trees do not have are refused by node."""
    model = unpruned_classifier(**options).fit(X, Y4)
    with pytest.raises(DataError, match=words):
        model.to_sklearn()
