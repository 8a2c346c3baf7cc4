"""Ensembles looked at: contributions, dependence and importance are the means over their trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arboretum import (
    BaggedClassifier,
    BaggedRegressor,
    DataError,
    DataTypeError,
    Oblique,
    ParameterError,
    TreeClassifier,
    TreeRegressor,
    contributions,
    datasets,
    export,
    importance,
    partial_dependence,
    permutation_importance,
)

X, Y = datasets.load_penguins()
FEW = X.iloc[::40]
MASS = np.arange(len(Y)) % 37 + (Y.iloc[0] == Y) * 25.0
CLASSES = [
    None,
    TreeClassifier(prune=None, missing="surrogate", max_depth=3),
    TreeClassifier(prune=None, missing="fractional", max_depth=3),
    TreeClassifier(prune=None, questions=Oblique(restarts=0, max_terms=2), max_depth=2),
]
MODELS: list[Any] = [
    *(BaggedClassifier(tree, n_trees=3, max_features=3) for tree in CLASSES),
    BaggedRegressor(TreeRegressor(prune=None, max_depth=4), n_trees=3),
]


def fitted(model: Any) -> Any:
    return model.fit(X, MASS if isinstance(model, BaggedRegressor) else Y)


def predicted(model: Any, table: Any) -> Any:
    return model.predict(table) if isinstance(model, BaggedRegressor) else model.predict_proba(table)


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("background", [None, X.iloc[::50]], ids=["path", "background"])
def test_contributions_are_those_of_the_trees(model: Any, background: Any) -> None:
    fitted(model)
    options: dict[str, Any] = {"background": background, "interactions": True}
    found = contributions(model, FEW, **options)
    each = [contributions(tree, FEW, **options) for tree in model.trees_]
    for name in ("values", "base", "interactions"):
        mean = np.mean([getattr(one, name) for one in each], axis=0)
        assert np.allclose(getattr(found, name), mean, rtol=0, atol=1e-12)
    assert np.allclose(found.prediction, predicted(model, FEW), rtol=0, atol=1e-9)


def test_contributions_to_one_of_two_classes() -> None:
    two = BaggedClassifier(n_trees=3).fit(X, Y.iloc[0] == Y)
    found = contributions(two, FEW)
    assert np.allclose(found.prediction, two.predict_proba(FEW), rtol=0, atol=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("kind", ["exact", "tree"])
def test_dependence_is_that_of_the_trees(model: Any, kind: str) -> None:
    fitted(model)
    rows = None if kind == "tree" else X
    cases: list[tuple[Any, Any]] = [
        ("island", None),
        ("flipper_length_mm", [180.0, 200.0, 220.0]),
        (["island", "body_mass_g"], {"body_mass_g": [3000.0, 4000.0]}),
    ]
    for column, grid in cases:
        found = partial_dependence(model, column, rows, kind=kind, grid=grid)
        each = [partial_dependence(tree, column, rows, kind=kind, grid=grid).values for tree in model.trees_]
        assert np.allclose(found.values, np.mean(each, axis=0), rtol=0, atol=1e-12)
    if kind == "exact":
        brute = partial_dependence(model, "island", X, kind="brute", individual=True)
        exact = partial_dependence(model, "island", X, individual=True)
        assert np.allclose(brute.values, exact.values, rtol=0, atol=1e-9)
        assert np.allclose(brute.individual, exact.individual, rtol=0, atol=1e-9)


def test_steps_of_all_trees() -> None:
    """A column that few questions ask about is looked at between all cuts, else at points."""
    model = BaggedClassifier(TreeClassifier(prune=None, max_depth=2), n_trees=3).fit(X, Y)
    cuts = partial_dependence(model, "flipper_length_mm", X).cuts[0]
    each = [partial_dependence(tree, "flipper_length_mm", X).cuts[0] for tree in model.trees_]
    assert cuts is not None
    assert cuts.tolist() == sorted({cut for found in each if found is not None for cut in found.tolist()})
    random = np.random.default_rng(0)
    many = BaggedRegressor(n_trees=3).fit(random.normal(size=(200, 1)), random.normal(size=200))
    points = partial_dependence(many, 0, random.normal(size=(20, 1)))
    assert points.cuts[0] is None
    assert len(points.grid[0]) <= 50


def test_importance_is_that_of_the_trees() -> None:
    for model, surrogates in ((fitted(MODELS[0]), False), (fitted(MODELS[1]), True)):
        each = [list(importance(tree, surrogates=surrogates).values()) for tree in model.trees_]
        found = importance(model, surrogates=surrogates)
        assert list(found) == list(X.columns)
        assert np.allclose(list(found.values()), np.mean(each, axis=0), rtol=0, atol=1e-15)
    with pytest.raises(ParameterError, match="grown without them"):
        importance(fitted(MODELS[0]), surrogates=True)


@pytest.mark.parametrize("missing", ["category", "drop", "fractional"])
def test_permutation_importance_out_of_bag(missing: Any) -> None:
    """The loss as it is equals the out-of-bag error; few trees leave rows that nobody judges."""
    for n_trees in (2, 20):
        model = BaggedClassifier(TreeClassifier(prune=None, missing=missing), n_trees=n_trees, oob=True)
        model.fit(X, Y)
        found = permutation_importance(model, X, Y, oob=True, repeats=2)
        assert found.baseline == pytest.approx(1 - model.oob_score_)
    assert found.mean[1] > 0.05
    weights = np.arange(len(Y)) % 3.0
    numbers = BaggedRegressor(n_trees=10, oob=True).fit(X, MASS, weights)
    assert permutation_importance(
        numbers, X, MASS, sample_weight=weights, oob=True, repeats=1
    ).baseline == pytest.approx(numbers.oob_curve_[-1])


def test_a_shuffle_out_of_bag_by_hand() -> None:
    """A column that tells nothing has seemed to matter in the bag, and does not out of it."""
    random = np.random.default_rng(0)
    table = random.normal(size=(150, 2))
    y = (table[:, 0] > 0).astype(int) ^ (random.random(150) < 0.2)
    model = BaggedClassifier(n_trees=30).fit(table, y)
    inside = permutation_importance(model, table, y, repeats=5)
    outside = permutation_importance(model, table, y, oob=True, repeats=5)
    assert inside.mean[1] > 0.05
    assert abs(outside.mean[1]) < 0.05
    assert inside.baseline < outside.baseline


def test_what_is_not_out_of_bag() -> None:
    model = BaggedClassifier(n_trees=2).fit(X, Y)
    for table, y in ((X.iloc[::-1], Y), (X.iloc[:50], Y.iloc[:50])):
        with pytest.raises(DataError, match="differ from those of the fit"):
            permutation_importance(model, table, y, oob=True)
    with pytest.raises(ParameterError, match="TreeClassifier is no ensemble"):
        permutation_importance(TreeClassifier().fit(X, Y), X, Y, oob=True)
    whole = BaggedClassifier(n_trees=2, bootstrap=False, max_features=2).fit(X, Y)
    with pytest.raises(DataError, match="no row is out of bag"):
        permutation_importance(whole, X, Y, oob=True)


@pytest.mark.parametrize("name", ["to_dot", "to_html", "to_mermaid", "to_rules", "to_svg"])
def test_what_speaks_of_one_tree_takes_a_member(name: str) -> None:
    model = BaggedClassifier(TreeClassifier(prune=None, max_depth=2), n_trees=2).fit(X, Y)
    with pytest.raises(DataTypeError, match=r"such as model.trees_\[0\]"):
        getattr(export, name)(model)
    assert getattr(export, name)(model.trees_[0])
