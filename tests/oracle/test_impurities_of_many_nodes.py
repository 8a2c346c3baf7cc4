"""The impurities that the core computes for many nodes at once, against the plain reference."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from arboretum import TreeClassifier, TreeRegressor, _core
from arboretum.reference.impurities import criterion_named

CLASSES = tuple(name for name, target in _core.criteria() if target == "classes")
TABLES = np.array([[3.0, 1.0, 0.0], [0.0, 0.0, 2.5], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1e-9, 7.0, 0.25]])


def reference(criterion: str, targets: Sequence[float], weights: Sequence[float]) -> float:
    """The impurity on paper; a node without weight has none."""
    pairs = [(Fraction(y), Fraction(w)) for y, w in zip(targets, weights, strict=True) if w > 0]
    return float(criterion_named(criterion).impurity(pairs)) if pairs else 0.0


@pytest.mark.parametrize("criterion", CLASSES)
def test_classes(criterion: str) -> None:
    expected = [reference(criterion, range(3), row) for row in TABLES]
    np.testing.assert_allclose(_core.impurities(criterion, TABLES), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_numbers(criterion: str) -> None:
    y, w = np.array([1.0, 4.0, 0.0, 2.0]), np.array([1.0, 0.5, 2.0, 1.0])
    last = y**2 if criterion == "squared_error" else y * np.log(np.maximum(y, 1.0))
    sums = np.array([[w.sum(), w @ y, w @ last], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    expected = [reference(criterion, y, w), 0.0, 0.0]
    np.testing.assert_allclose(_core.impurities(criterion, sums), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("criterion", CLASSES)
def test_the_numbers_are_those_that_nodes_show(criterion: str) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 4, 200)
    tree = TreeClassifier(criterion=criterion, prune=None).fit(X, y).tree_
    shown = tree.array("impurity")
    np.testing.assert_array_equal(
        _core.impurities(criterion, np.ascontiguousarray(tree.array("counts"))), shown
    )


def test_numbers_agree_with_a_grown_tree() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    root = TreeRegressor(prune=None, max_depth=1).fit(X, y).tree_.array("impurity")[0]
    sums = np.array([[60.0, y.sum(), (y**2).sum()]])
    assert _core.impurities("squared_error", sums)[0] == pytest.approx(root, rel=1e-12)


@pytest.mark.parametrize(
    ("criterion", "shape", "message"),
    [
        ("absolute_error", (1, 3), "not a function of sums"),
        ("squared_error", (1, 2), "three sums"),
        ("gini", (1, 0), "weight of each class"),
        ("ginni", (1, 2), "no criterion"),
    ],
)
def test_what_has_no_impurity_is_refused(criterion: str, shape: tuple[int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _core.impurities(criterion, np.zeros(shape))
