"""Promises of multiway, surrogate and fractional trees that no comparison with other programs would tell.

What the right trees are is tested in `tests/oracle` and `tests/parity`.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from support.marks import allow_one_leaf, allow_weights
from support.tables import categorical
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import (
    DataError,
    DataTypeError,
    GainRatio,
    ParameterError,
    Surrogate,
    Tree,
    TreeClassifier,
    TreeRegressor,
    datasets,
    importance,
)


def divided_loss() -> tuple[Any, pd.DataFrame]:
    X, y = pd.DataFrame({"a": [0.0] * 8 + [1.0] * 2}), list("nnnnnnnnyy")
    return unpruned_classifier(missing="fractional", loss=[[0, 1], [10, 0]]).fit(X, y), X


def test_tree_knows_the_loss_of_divided_rows() -> None:
    """A row in both leaves is called by the loss, by the estimator, its tree, and the tree from a file."""
    model, _ = divided_loss()
    asked = pd.DataFrame({"a": [math.nan]})
    again = Tree.from_json(model.tree_.to_json())
    assert again == model.tree_
    assert [list(predicted.predict(asked)) for predicted in (model, model.tree_, again)] == [["y"]] * 3


@pytest.mark.parametrize("missing", ["category", "surrogate", "fractional"])
def test_tree_tells_probabilities(missing: str) -> None:
    """A tree from a file gives the probabilities of the model it came from; of numbers there are none."""
    X, y = datasets.load_penguins()
    model = unpruned_classifier(missing=missing, max_depth=3).fit(X, y)
    again = Tree.from_json(model.tree_.to_json())
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    with pytest.raises(DataError, match="have no probabilities"):
        unpruned_regressor().fit([[1.0], [2.0]], [0.0, 1.0]).tree_.predict_proba([[1.0]])


@pytest.mark.parametrize("loss", [[[0.0]], [[0.0, "a"], [1.0, 0.0]], [1.0, 2.0], [[0.0, True], [1.0, 0.0]]])
def test_damaged_losses_are_refused(loss: Any) -> None:
    model, _ = divided_loss()
    document = json.loads(model.tree_.to_json())
    document["leaf"]["loss"] = loss
    with pytest.raises(DataError, match=r"loss|rule for leaves"):
        Tree.from_json(json.dumps(document))


@pytest.mark.parametrize("scale", [1e-3, 10.0, 1e6])
@pytest.mark.parametrize(
    "model",
    [
        TreeClassifier.c45(prune=None),
        TreeClassifier(missing="fractional", min_samples_leaf=9),
        unpruned_classifier(missing="fractional", min_samples_leaf=9),
    ],
)
def test_unit_of_weights_and_losses_makes_no_difference(model: Any, scale: float) -> None:
    """Where limits count weight, an average row counts as one: only proportions matter."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(200, 4))).mask(rng.random((200, 4)) < 0.1)
    y = (X[0].fillna(0) + X[1].fillna(0) > 0).astype(int)
    weights = rng.integers(1, 5, 200)
    questions = [
        [
            str(node.question)
            for node in clone(model).set_params(loss=loss).fit(X, y, sample_weight=w).tree_.walk()
        ]
        for loss, w in (
            (np.array([[0, 1], [3, 0]]), weights),
            (np.array([[0, 1], [3, 0]]) * scale, weights),
            (np.array([[0, 1], [3, 0]]), weights * scale),
        )
    ]
    assert len(questions[0]) > 3
    assert questions[0] == questions[1] == questions[2]


@allow_weights
def test_boosted_c45_learns() -> None:
    """AdaBoost's weights sum to one; that is no reason to stop at the root."""
    X, y = datasets.load_iris()
    boosted = AdaBoostClassifier(TreeClassifier.c45(max_depth=2, prune=None), n_estimators=3).fit(X, y)
    assert all(len(model.tree_) > 1 for model in boosted.estimators_)


@allow_one_leaf
def test_shares_of_rows_are_shares_of_the_weight() -> None:
    """A leaf of 60 % of the rows leaves no room for another, whatever the rows weigh."""
    X, y = pd.DataFrame({"a": np.arange(100.0)}), [0] * 50 + [1] * 50
    for weight in (0.3, 1.0, 100.0):
        model = unpruned_classifier(missing="fractional", min_samples_leaf=0.6)
        assert len(model.fit(X, y, sample_weight=np.full(100, weight)).tree_) == 1


def test_balanced_weights_do_not_depend_on_the_order_of_rows() -> None:
    """Class totals are rounded once, so the tree of permuted rows is the same to the last bit."""
    rng = np.random.default_rng(3)
    X, y, weights = rng.integers(0, 6, (80, 3)), rng.integers(0, 3, 80), rng.random(80)
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(80)
        model = unpruned_classifier(class_weight="balanced")
        assert model.fit(X, y, weights).tree_ == clone(model).fit(X[order], y[order], weights[order]).tree_


@pytest.mark.parametrize("thresholds", ["midpoint", "observed", "table"])
def test_twins_keep_values_at_the_threshold(thresholds: str) -> None:
    """scikit-learn compares float32: a threshold that is a value of the table must not part from it."""
    X, y = np.array([[0.7], [0.8], [0.9], [1.0]]), [0, 0, 1, 1]
    model = unpruned_classifier(thresholds=thresholds, criterion="gain_ratio").fit(X, y)
    twin = model.to_sklearn()
    assert twin.predict(X).tolist() == y
    clone(twin).fit(X, y)


@pytest.mark.parametrize("missing", ["surrogate", "fractional", Surrogate(max_surrogates=0, send="never")])
def test_twins_cannot_deal_with_missing_values_in_these_ways(missing: Any) -> None:
    model = unpruned_classifier(missing=missing).fit([[x, x] for x in range(8)], [0, 0, 0, 0, 1, 1, 1, 1])
    with pytest.raises(DataError, match="to_sklearn needs missing="):
        model.to_sklearn()


def test_presets_share_nothing() -> None:
    """Changing the surrogates of one preset leaves the next one as it was, and searches reach them."""
    first = TreeClassifier.cart().set_params(missing__max_surrogates=1)
    assert TreeClassifier.cart().missing.max_surrogates == TreeRegressor.cart().missing.max_surrogates == 5
    X, y = datasets.load_penguins()
    search = GridSearchCV(first, {"missing__max_surrogates": [0, 2]}, cv=2).fit(X, y)
    assert search.best_params_["missing__max_surrogates"] in (0, 2)
    GridSearchCV(TreeClassifier.c45(), {"criterion__guard": ["c45", None]}, cv=2).fit(X, y)


def test_competitors_tell_where_missing_values_go() -> None:
    """Missing rows took part when a competitor was judged: it says so, as an asked question does."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": np.arange(60.0), "z": np.where(rng.random(60) < 0.4, np.nan, np.arange(60.0))})
    root = unpruned_classifier(competitors=1).fit(X, [0] * 30 + [1] * 30).tree_.root
    (competitor,) = root.competitors
    assert competitor.question.column == "z"
    assert competitor.question.missing_seen
    assert not root.question.missing_seen


def test_crafted_competitors_are_refused() -> None:
    """A file cannot make a question with billions of answers."""
    X, y = datasets.load_penguins()
    document = json.loads(unpruned_classifier(competitors=2).fit(X, y).tree_.to_json())
    for name, value in (("n_children", 2**31 - 1), ("missing_child", 2**31 - 1), ("role", 7), ("kind", 9)):
        spoilt = json.loads(json.dumps(document))
        spoilt["others"][name][0] = value
        with pytest.raises(DataError, match="damaged"):
            Tree.from_json(json.dumps(spoilt))


def test_too_many_branches_are_refused() -> None:
    """Levels without rows are leaves too: a tree of them must not eat the memory."""
    rng = np.random.default_rng(0)
    names = [f"v{i}" for i in range(100_000)]
    X = pd.DataFrame({f"id{i}": categorical(rng.integers(0, 600, 4000), names) for i in range(4)})
    with pytest.raises(
        DataError, match=r"100,000 levels of column 'id.' would make a tree of more than 20 million"
    ):
        unpruned_classifier(nominal="multiway").fit(X, rng.integers(0, 2, 4000))


def test_importance_of_what_is_no_tree() -> None:
    with pytest.raises(NotFittedError):
        importance(TreeClassifier())
    with pytest.raises(DataTypeError, match="not int"):
        importance(3)


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"criterion": GainRatio}, "GainRatio is a class"),
        ({"criterion": GainRatio(guard="mean")}, "guard='mean' is not known; choose None, 'average', 'c45'"),
        ({"criterion": GainRatio(numeric_penalty=2)}, "numeric_penalty=2 is not known"),
        ({"criterion": "gainratio"}, "Or give GainRatio"),
        ({"missing": Surrogate}, "Surrogate is a class"),
        ({"missing": Surrogate(max_surrogates=-1)}, "max_surrogates=-1"),
        ({"missing": Surrogate(send="sometimes")}, "send='sometimes' is not known; choose 'always'"),
        ({"missing": Surrogate(agreement=None)}, "agreement=None is not known; choose 'node', 'known'"),
        ({"competitors": -1}, "competitors=-1 is not allowed; give an integer of 0 or more."),
        ({"competitors": None}, "competitors=None is not allowed"),
    ],
)
def test_refused_strategies(params: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        unpruned_classifier(**params).fit([[1.0], [2.0]], [0, 1])


def test_numbers_have_no_gain_ratio() -> None:
    with pytest.raises(ParameterError, match="'gain_ratio' is for classes"):
        unpruned_regressor(criterion="gain_ratio").fit([[1.0], [2.0]], [0.0, 1.0])
    unpruned_classifier(criterion=GainRatio(numeric_penalty=np.True_)).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("missing", ["category", "surrogate", "fractional"])
def test_rows_of_equal_weight_stay_equal(missing: Any) -> None:
    """3 against 2 + 1: the median lies between, also where limits count in average weights (here 1.4)."""
    X = pd.DataFrame({"level": list("aaaabaaabb")})
    y, weights = np.array([-1.0] * 8 + [0.0, 0.0]), [1, 1, 1, 1, 3, 1, 1, 2, 2, 1]
    model = unpruned_regressor(criterion="absolute_error", missing=missing)
    tree = model.fit(X, y, sample_weight=weights).tree_
    assert [leaf.value for leaf in tree.walk() if leaf.is_leaf] == [-1.0, -0.5]
