"""Shrinkage along the path: the formula by hand, and that everything that makes or keeps trees knows it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from arboretum import (
    CostComplexity,
    ParameterError,
    Pessimistic,
    Shrinkage,
    Tree,
    TreeClassifier,
    TreeRegressor,
    datasets,
)
from arboretum._tree.surgery import with_shrinkage

PENGUINS, SPECIES = datasets.load_penguins()


def numbers(n_rows: int = 200) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n_rows, 3))
    return X, X[:, 0] + np.abs(X[:, 1]) + rng.normal(size=n_rows) / 3


def by_hand(tree: Tree, strength: float, own: Any) -> list[Any]:
    """Walk from the root to each node, as the formula is written."""
    found = []
    for node in (tree.node(number) for number in range(len(tree))):
        path = [node]
        while path[0].parent is not None:
            path.insert(0, path[0].parent)
        value = own(path[0])
        for parent, child in pairwise(path):
            value = value + (own(child) - own(parent)) / (1.0 + strength / parent.n_rows)
        found.append(value)
    return found


@pytest.mark.parametrize("strength", [0.5, 20.0, 1e6])
def test_probabilities_are_the_formula(strength: float) -> None:
    tree = TreeClassifier(leaf=Shrinkage(strength), prune=None).fit(PENGUINS, SPECIES).tree_
    expected = by_hand(tree, strength, lambda node: node.counts / node.counts.sum())
    np.testing.assert_allclose(tree.array("probability"), expected, rtol=1e-12, atol=1e-15)
    assert (tree.array("probability") > 0).all()  # also of classes that a leaf has not seen
    np.testing.assert_allclose(tree.array("probability").sum(axis=1), 1.0, rtol=1e-12)


def test_priors_and_class_weights_count() -> None:
    priors = {"Adelie": 0.2, "Chinstrap": 0.5, "Gentoo": 0.3}
    model = TreeClassifier(leaf=Shrinkage(7), prune=None, priors=priors).fit(PENGUINS, SPECIES)
    tree = model.tree_
    assert tree.rule is not None
    factors = tree.rule.factors
    expected = by_hand(tree, 7, lambda node: node.counts * factors / (node.counts * factors).sum())
    np.testing.assert_allclose(tree.array("probability"), expected, rtol=1e-12)
    assert tree.array("probability")[0] == pytest.approx([0.2, 0.5, 0.3])


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_numbers_keep_their_own_value_beside(criterion: Any) -> None:
    X, y = numbers()
    plain = TreeRegressor(criterion=criterion, leaf="mean", prune=None).fit(X, y).tree_
    model = TreeRegressor(criterion=criterion, leaf=Shrinkage(5), prune=None).fit(X, y)
    tree = model.tree_
    np.testing.assert_array_equal(tree.array("own_value"), plain.array("value"))
    places = {number: plain.array("value")[number] for number in range(len(plain))}
    expected = by_hand(tree, 5, lambda node: places[node.number])
    np.testing.assert_allclose(tree.array("value"), expected, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), tree.array("value")[model.apply(X)])


def test_strength_zero_changes_nothing() -> None:
    plain = TreeClassifier(leaf="frequency", prune=None).fit(PENGUINS, SPECIES).tree_
    assert TreeClassifier(leaf=Shrinkage(0), prune=None).fit(PENGUINS, SPECIES).tree_ == plain


def test_smaller_trees_predict_as_the_grown_one_does() -> None:
    """What a node predicts depends on the nodes above it alone: pruning changes no other prediction."""
    model = TreeClassifier(leaf=Shrinkage(20), prune=None).fit(PENGUINS, SPECIES)
    small = model.pruned(leaves=4).tree_
    where = [int(np.flatnonzero(model.tree_.array("id") == i)[0]) for i in small.array("id")]
    np.testing.assert_array_equal(small.array("probability"), model.tree_.array("probability")[where])


def test_another_strength_is_as_if_fitted_with_it() -> None:
    X, y = numbers()
    cases: Any = ((TreeClassifier, "frequency", (PENGUINS, SPECIES)), (TreeRegressor, "mean", (X, y)))
    for make, own, data in cases:
        first = make(leaf=Shrinkage(3), prune=None).fit(*data).tree_
        second = make(leaf=Shrinkage(30), prune=None).fit(*data).tree_
        assert with_shrinkage(first, 30.0) == second
        assert with_shrinkage(second, 0.0) == make(leaf=own, prune=None).fit(*data).tree_


@pytest.mark.parametrize("missing", ["category", "fractional", "surrogate"])
def test_files_and_pickles_keep_it(missing: Any) -> None:
    import pickle

    X, y = numbers()
    for model in (
        TreeClassifier(leaf="shrinkage", missing=missing).fit(PENGUINS, SPECIES),
        TreeRegressor(leaf="shrinkage", missing=missing).fit(X, y),
    ):
        tree = model.tree_
        for copy in (Tree.from_json(tree.to_json()), pickle.loads(pickle.dumps(tree))):
            assert copy == tree
            assert copy.shrinkage == tree.shrinkage > 0


def test_edited_nodes_are_drawn_as_well() -> None:
    X, y = numbers()
    for make, data in ((TreeClassifier, (PENGUINS, SPECIES)), (TreeRegressor, (X, y))):
        tree = make(leaf=Shrinkage(10), prune=None, max_depth=3).fit(*data).tree_
        again = tree.prune_at(1).regrow(1, data, prune=None, max_depth=2)
        assert again.shrinkage == 10.0
        name = "probability" if make is TreeClassifier else "value"
        np.testing.assert_allclose(again.array(name), tree.array(name), rtol=1e-12)


def test_raised_subtrees_are_drawn_as_well() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 4, (300, 6)), rng.integers(0, 2, 300)
    pruner = Pessimistic(confidence=0.5, raise_subtrees=True)
    tree = TreeClassifier(leaf=Shrinkage(10), prune=pruner).fit(X, y).tree_
    expected = by_hand(tree, 10, lambda node: node.counts / node.counts.sum())
    np.testing.assert_allclose(tree.array("probability"), expected, rtol=1e-12)


def test_wrong_strengths_are_refused() -> None:
    for strength in (-1, float("inf"), "often", None):
        with pytest.raises(ParameterError, match="strength"):
            TreeClassifier(leaf=Shrinkage(strength)).fit(PENGUINS, SPECIES)
    with pytest.raises(ParameterError, match="leaf"):
        TreeRegressor(leaf="laplace").fit(*numbers())


def test_strengths_are_chosen_by_held_out_rows() -> None:
    """On pure noise within leaves, as strong as it can be; where leaves say it all, as weak."""
    rng = np.random.default_rng(0)
    X = np.arange(400.0)[:, None]
    sure = np.where(X[:, 0] < 200, "a", "b")
    prune = CostComplexity(measure="entropy", rule="min")
    assert TreeClassifier(leaf="shrinkage", prune=prune).fit(X, sure).tree_.shrinkage == 2.0
    Z, noisy = rng.normal(size=(300, 5)), rng.normal(size=300)
    noisy[Z[:, 0] > 0] += 0.3
    tree = TreeRegressor(leaf="shrinkage", prune=CostComplexity(rule="min")).fit(Z, noisy).tree_
    assert tree.n_leaves > 1
    assert tree.shrinkage == 80.0
