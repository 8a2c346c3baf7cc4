"""One suite for every criterion, kind of question, policy for missing values and kind of leaf.

A combination is one choice of each option; whatever is registered later joins the suite. Which
tree is right is tested elsewhere: here every combination must behave.
"""

from __future__ import annotations

import copy
import itertools
import json
import math
import pickle
from functools import cache
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from support.combinations import MISSING, NOMINAL, Combination
from support.marks import allow_one_leaf
from support.sweeps import pairwise
from support.tables import categorical
from support.trees import estimator, unpruned_classifier, unpruned_regressor

from arboretum import MEstimate, Tree, TreeClassifier, _core
from arboretum._options.choices import Thresholds
from arboretum._options.criteria import CLASS_CRITERIA, NUMBER_CRITERIA
from arboretum._prune import PrunerName
from arboretum.reference.impurities import CRITERIA as TWIN_CRITERIA

CRITERIA = (*(name for name, _ in _core.criteria()), "gain_ratio")
THRESHOLDS = get_args(Thresholds)
LEAVES = ("frequency", "laplace", "m-estimate")


def leaves_for(criterion: str) -> tuple[str | None, ...]:
    return LEAVES if criterion in CLASS_CRITERIA else (None,)


# `make test` tries each pair of choices together, `make test-deep` all combinations.
COMBINATIONS = pairwise(
    (
        (criterion, nominal, thresholds, missing, leaf)
        for criterion in CRITERIA
        for nominal, thresholds, missing, leaf in itertools.product(
            NOMINAL, THRESHOLDS, MISSING, leaves_for(criterion)
        )
        if Combination(criterion, nominal, missing, "none").is_valid
    ),
    choices=lambda case: case,
    name=lambda case: "-".join(filter(None, case)),
)


def make_table(*, missing: bool, n_rows: int = 60) -> tuple[pd.DataFrame, pd.Series[Any], pd.Series[Any]]:
    """Columns of every kind, three classes and counts, with infinities and, if wished, missing values."""
    rng = np.random.default_rng(20)
    real = rng.normal(size=n_rows).round(1)
    real[:4] = [math.inf, -math.inf, 0.0, -0.0]
    X = pd.DataFrame(
        {
            "real": real,
            "whole": pd.array(rng.integers(-5, 5, n_rows), dtype="Int64"),
            "colour": categorical(rng.integers(0, 5, n_rows), "abcde"),
            "size": categorical(rng.integers(0, 3, n_rows), ["small", "medium", "large"], ordered=True),
            "truth": pd.array(rng.integers(0, 2, n_rows).astype(bool), dtype="boolean"),
            "day": pd.Timestamp("2024-02-28") + pd.to_timedelta(rng.integers(0, 9, n_rows), unit="D"),
        }
    )
    score = (X["colour"].isin(["b", "e"])).to_numpy() * 2 + X["size"].cat.codes.to_numpy() + (real > 0.3)
    if missing:
        for column in X.columns:
            X.loc[rng.random(n_rows) < 0.04, column] = None
    classes = pd.Series(score.astype(int)).map(lambda s: "low" if s < 2 else "middle" if s < 3 else "high")
    return X, classes, pd.Series(score + 0.5 * (rng.random(n_rows) < 0.2))


@cache
def fitted(
    criterion: str, nominal: str, thresholds: str, missing: str, leaf: str | None
) -> tuple[Any, pd.DataFrame, Any]:
    """A model of this combination, with what it was fitted to."""
    X, classes, numbers = make_table(missing=missing != "error")
    y = classes if criterion in CLASS_CRITERIA else numbers
    options: dict[str, Any] = {"nominal": nominal, "thresholds": thresholds, "missing": missing}
    if leaf is not None:
        options["leaf"] = MEstimate(m=3) if leaf == "m-estimate" else leaf
    weights = 1 + np.arange(len(y)) % 3
    return estimator(criterion, **options).fit(X, y, sample_weight=weights), X, y


def test_no_criterion_is_left_out() -> None:
    """What the core registers is what the estimators offer, what the twin knows, and what is tried here."""
    assert set(CRITERIA) == set(CLASS_CRITERIA) | set(NUMBER_CRITERIA) == set(TWIN_CRITERIA)
    assert set(CLASS_CRITERIA).isdisjoint(NUMBER_CRITERIA)
    assert {parameters.values[0] for parameters in COMBINATIONS} == set(CRITERIA)


def test_no_option_is_left_out() -> None:
    """The values tried here are the values that the message for a wrong one lists."""
    X, y = [[1.0], [2.0]], [0, 1]
    offered = {"nominal": NOMINAL, "thresholds": THRESHOLDS, "missing": MISSING, "criterion": CLASS_CRITERIA}
    offered["prune"] = get_args(PrunerName)
    for option, values in offered.items():
        with pytest.raises(ValueError, match=option) as caught:
            TreeClassifier().set_params(**{option: "no such thing"}).fit(X, y)
        assert all(f"'{value}'" in str(caught.value) for value in values)
        named = str(caught.value).partition("choose")[2].partition("Did you mean")[0]
        assert named.count("'") == 2 * len(values)


@pytest.mark.parametrize(("criterion", "nominal", "thresholds", "missing", "leaf"), COMBINATIONS)
class TestEveryCombination:
    def test_predicts(
        self, criterion: str, nominal: str, thresholds: str, missing: str, leaf: str | None
    ) -> None:
        """One prediction a row, of the right kind, finite; probabilities sum to one and lead to the label."""
        model, X, y = fitted(criterion, nominal, thresholds, missing, leaf)
        predicted = model.predict(X)
        assert predicted.shape == (len(X),)
        assert len(model.tree_) > 5
        if criterion in CLASS_CRITERIA:
            assert set(predicted) <= set(y)
            probability = model.predict_proba(X)
            np.testing.assert_allclose(probability.sum(axis=1), 1.0, rtol=1e-12)
            assert (model.classes_[probability.argmax(axis=1)] == predicted).all()
            assert (probability > 0).all() == (leaf != "frequency")
            with np.errstate(divide="ignore"):
                assert np.array_equal(model.predict_log_proba(X), np.log(probability))
        else:
            assert np.isfinite(predicted).all()
            assert y.min() <= predicted.min() <= predicted.max() <= y.max()

    def test_survives_files_and_copies(
        self, criterion: str, nominal: str, thresholds: str, missing: str, leaf: str | None
    ) -> None:
        """JSON, pickle and deepcopy give back an equal tree that sends every row to the same leaf."""
        model, X, _ = fitted(criterion, nominal, thresholds, missing, leaf)
        tree: Tree = model.tree_
        text = tree.to_json()
        again = Tree.from_json(text)
        assert again == tree
        assert hash(again) == hash(tree)
        assert again.to_json() == text
        assert json.loads(text)["criterion"] == criterion
        assert str(again) == str(tree)
        assert np.array_equal(again.apply(X), tree.apply(X))
        assert np.array_equal(again.predict(X), model.predict(X))
        for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            assert twin.tree_ == tree
            assert np.array_equal(twin.predict(X), model.predict(X))

    def test_numbers_add_up(
        self, criterion: str, nominal: str, thresholds: str, missing: str, leaf: str | None
    ) -> None:
        """Rows, weights and class weights of children sum to their parent's; impurities explain the gain."""
        model, _, _ = fitted(criterion, nominal, thresholds, missing, leaf)
        for node in model.tree_.walk():
            if node.is_leaf:
                assert node.gain == 0.0
                continue
            children = node.children
            n_rows = sum(child.n_rows for child in children)
            assert n_rows == node.n_rows or (missing == "fractional" and n_rows > node.n_rows)
            close = pytest.approx if missing == "fractional" else lambda exact: exact
            assert sum(child.weight for child in children) == close(node.weight)
            if criterion in CLASS_CRITERIA:
                assert sum(child.counts for child in children).tolist() == close(node.counts.tolist())
                assert node.counts.sum() == close(node.weight)
            if missing not in ("surrogate", "fractional"):  # there, gains are those of the known rows
                after = sum(child.weight / node.weight * child.impurity for child in children)
                assert node.gain == pytest.approx(node.impurity - after, rel=1e-9, abs=1e-12)
            assert all(child.parent == node and child.depth == node.depth + 1 for child in children)

    def test_can_be_read(
        self, criterion: str, nominal: str, thresholds: str, missing: str, leaf: str | None
    ) -> None:
        """The data frame has a row for every node, the text a line; every leaf has a rule."""
        model, X, _ = fitted(criterion, nominal, thresholds, missing, leaf)
        tree: Tree = model.tree_
        frame = tree.to_frame()
        assert len(frame) == len(tree)
        assert frame["is_leaf"].sum() == tree.n_leaves
        by_parent = frame.groupby("parent")[["n_rows", "weight"]].sum()
        inner = frame.loc[by_parent.index.to_numpy(dtype=int)]
        if missing == "fractional":  # rows may be in several children, in parts
            assert (by_parent["n_rows"].to_numpy() >= inner["n_rows"].to_numpy()).all()
            np.testing.assert_allclose(by_parent["weight"], inner["weight"], rtol=1e-12)
        else:
            assert by_parent["n_rows"].tolist() == inner["n_rows"].tolist()
            assert by_parent["weight"].tolist() == inner["weight"].tolist()
        lines = str(tree).splitlines()
        assert len(lines) == len(tree)
        for line, node in zip(lines, tree.walk(), strict=True):
            assert node.outcome is None or node.outcome in line
            assert f"{node.n_rows} row" in line
            assert ("→" in line) == node.is_leaf
        rules = tree.rules()
        assert [rule.label for rule in rules] == [node.label for node in tree.leaves()]
        assert tree.root.n_rows == len(X) - model.n_rows_dropped_
        n_rows = sum(rule.n_rows for rule in rules)
        assert n_rows == tree.root.n_rows or (missing == "fractional" and n_rows > tree.root.n_rows)


# --- the base cases of growth: where a node becomes a leaf ------------------------------------------------

TARGETS: dict[str, Any] = {"classes": ["a", "b", "a", "b"], "numbers": [1.0, 2.0, 1.0, 3.0]}


def targets_for(criterion: str) -> Any:
    return TARGETS["classes" if criterion in CLASS_CRITERIA else "numbers"]


@pytest.mark.parametrize("criterion", CRITERIA)
class TestBaseCases:
    @allow_one_leaf
    def test_pure_node(self, criterion: str) -> None:
        """All targets equal: one leaf, impurity zero, whatever the columns say."""
        target = targets_for(criterion)[0]
        root = estimator(criterion).fit([[1.0], [2.0], [3.0]], [target] * 3).tree_.root
        assert root.is_leaf
        assert (root.label, root.impurity, root.n_rows) == (target, 0.0, 3)

    def test_pure_children_are_leaves(self, criterion: str) -> None:
        """Growth stops where a child is pure, though its rows could still be told apart."""
        first, other = targets_for(criterion)[:2]
        tree = estimator(criterion).fit([[1.0], [2.0], [3.0], [4.0]], [first, first, other, other]).tree_
        assert len(tree) == 3
        assert [leaf.label for leaf in tree.leaves()] == [first, other]
        assert all(leaf.impurity == 0.0 for leaf in tree.leaves())

    @allow_one_leaf
    @pytest.mark.parametrize(
        "X",
        [
            pd.DataFrame({"x": [7.0] * 4, "colour": pd.Categorical(["red"] * 4, categories=["blue", "red"])}),
            pd.DataFrame(
                {"x": [math.nan] * 4, "colour": pd.Categorical([None] * 4, categories=["blue", "red"])}
            ),
            np.array([[0.0], [-0.0], [0.0], [-0.0]]),
            np.array([[math.inf]] * 4),
        ],
        ids=["constant", "all missing", "both zeros", "all infinite"],
    )
    def test_no_usable_column(self, criterion: str, X: Any) -> None:
        """Nothing tells the rows apart: one leaf that holds all of them."""
        y = targets_for(criterion)
        model = estimator(criterion).fit(X, y)
        assert len(model.tree_) == 1
        assert model.tree_.root.n_rows == 4
        assert model.tree_.root.impurity > 0
        assert list(model.predict(X)) == [model.tree_.root.label] * 4

    def test_useless_columns_beside_a_useful_one(self, criterion: str) -> None:
        """Constant and all-missing columns are never asked."""
        X = np.array([[5.0, math.nan, 1.0], [5.0, math.nan, 2.0], [5.0, math.nan, 1.0], [5.0, math.nan, 3.0]])
        tree = estimator(criterion).fit(X, targets_for(criterion)).tree_
        assert {node.question.column for node in tree.walk() if node.question} == {"x2"}

    @allow_one_leaf
    def test_one_row(self, criterion: str) -> None:
        """A single row is a leaf of its own target."""
        target = targets_for(criterion)[1]
        model = estimator(criterion).fit([[1.0]], [target])
        assert len(model.tree_) == 1
        assert list(model.predict([[99.0], [math.nan]])) == [target] * 2

    def test_two_rows(self, criterion: str) -> None:
        """Two different rows of different targets make a tree of three nodes."""
        first, other = targets_for(criterion)[:2]
        tree = estimator(criterion).fit([[1.0], [2.0]], [first, other]).tree_
        assert [node.n_rows for node in tree.walk()] == [2, 1, 1]

    def test_missing_is_the_only_difference(self, criterion: str) -> None:
        """Rows that differ in nothing but a missing value are told apart by asking for it."""
        first, other = targets_for(criterion)[:2]
        tree = estimator(criterion).fit([[1.0], [math.nan]], [first, other]).tree_
        assert str(tree.root.question) == "x0 is missing"
        assert [leaf.label for leaf in tree.leaves()] == [other, first]

    def test_equal_rows_of_different_targets(self, criterion: str) -> None:
        """A leaf need not be pure: rows that look the same stay together."""
        y = targets_for(criterion)
        tree = estimator(criterion).fit([[1.0], [1.0], [2.0], [2.0]], y).tree_
        assert len(tree) == 3
        assert all(leaf.n_rows == 2 and leaf.impurity > 0 for leaf in tree.leaves())


@allow_one_leaf
def test_one_class() -> None:
    """A target of one class: a leaf that is sure."""
    model = TreeClassifier().fit([[1.0], [2.0]], ["only", "only"])
    assert model.predict_proba([[0.0]]).tolist() == [[1.0]]
    assert model.classes_.tolist() == ["only"]


@allow_one_leaf
def test_zero_gain_is_taken() -> None:
    """No single question tells the classes of "exactly one of two" apart, yet the tree learns it."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    model = unpruned_classifier().fit(X, y)
    assert model.predict(X).tolist() == y
    assert model.tree_.root.gain == 0.0
    assert len(unpruned_classifier(min_impurity_decrease=1e-9).fit(X, y).tree_) == 1


@allow_one_leaf
def test_poisson_never_predicts_zero() -> None:
    """A child of zeros only would call the event impossible: the question is not asked."""
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0.0, 0.0, 0.0, 4.0]
    assert len(unpruned_regressor(criterion="poisson").fit(X, y).tree_) == 1
    assert len(unpruned_regressor(criterion="squared_error").fit(X, y).tree_) == 3
