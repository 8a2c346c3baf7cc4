"""The range of weights and targets in which trees are exact, up to its ends, judged by exact fractions.

Heavy rows outweigh all others, the light ones, and cannot be told apart from each other in most tables: what
there is to gain then lies in the light rows. docs/engine.md states the range.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.exact_gains import exact_cuts
from support.marks import allow_one_leaf
from support.sweeps import few
from support.tables import IMPURITIES
from support.trees import PLAIN, estimator, growing, unpruned_classifier, unpruned_regressor

from arboretum import DataError, GainRatio, TreeClassifier, TreeRegressor
from arboretum._options.criteria import CLASS_CRITERIA

Array = npt.NDArray[Any]
MOST_TARGET = 8
SEEDS = st.integers(0, 2**32 - 1)
every_criterion = pytest.mark.parametrize("criterion", IMPURITIES)
some = settings(max_examples=few(0.3))


def a_table(rng: np.random.Generator, criterion: str, n_rows: int) -> tuple[Array, Array, Array]:
    """Two columns of a few values, targets of a few, and which rows are heavy."""
    X = rng.integers(0, 8, (n_rows, 2)).astype(float)
    y = rng.integers(0, 3 if criterion in CLASS_CRITERIA else MOST_TARGET + 1, n_rows)
    heavy = rng.random(n_rows) < rng.choice([0.1, 0.3])
    heavy[0] = True
    if rng.random() < 0.7:
        X[heavy] = X[0]
    if rng.random() < 0.5:
        y[heavy] = y[0]
    y[-1] = (y[0] + 1) % 3
    heavy[-1] = False
    return X, y, heavy


def check_root(
    X: Array, y: Array, weights: Array, criterion: str, *, rel: float = 1e-6, part: float = 1e-12
) -> None:
    """The root asks the best question and tells what it gains and how impure the node is."""
    exact = exact_cuts(X, y.tolist(), weights.tolist(), criterion)
    if not exact.gains or not exact.impurity:
        return
    for way in ({}, PLAIN):
        with growing(way):
            root = estimator(criterion, max_depth=1).fit(X, y, sample_weight=weights).tree_.root
        chosen, slack = exact.gain_of(root, X), Fraction(rel) * exact.best + Fraction(part) * exact.impurity
        assert exact.best - chosen <= slack
        assert abs(Fraction(root.gain) - chosen) <= slack
        assert abs(Fraction(root.impurity) - exact.impurity) <= Fraction(1e-6) * exact.impurity


def check_order(rng: np.random.Generator, X: Array, y: Array, weights: Array, criterion: str) -> None:
    """The rows in another order: the same tree, to the last bit."""
    order = rng.permutation(len(y))
    ours = estimator(criterion).fit(X, y, sample_weight=weights).tree_
    shuffled = estimator(criterion).fit(X[order], y[order], sample_weight=weights[order]).tree_
    assert ours.to_json() == shuffled.to_json()


@every_criterion
@some
@given(seed=SEEDS)
def test_whole_weights(criterion: str, seed: int) -> None:
    """Weights from 1 to 10**16: with entropy and Poisson, light rows once drowned in rounded logarithms."""
    rng = np.random.default_rng(seed)
    X, y, heavy = a_table(rng, criterion, int(rng.integers(4, 24)))
    largest = 2**58 // (len(y) * MOST_TARGET)
    top = min(largest, int(10.0 ** rng.uniform(0, 16.5)))
    weights = np.where(heavy, rng.integers(top // 2, top, len(y), endpoint=True), rng.integers(1, 9, len(y)))
    weights = np.maximum(1, weights).astype(float)
    exact_sums = criterion not in ("entropy", "poisson")
    check_root(X, y, weights, criterion, rel=1e-12 if exact_sums else 1e-6, part=0.0)
    check_order(rng, X, y, weights, criterion)


@every_criterion
@some
@given(seed=SEEDS)
def test_rough_weights(criterion: str, seed: int) -> None:
    """Weights that are rounded, up to a ratio of 10**11 between rows × heaviest and lightest."""
    rng = np.random.default_rng(seed)
    X, y, heavy = a_table(rng, criterion, int(rng.integers(4, 24)))
    ratio = 10.0 ** rng.uniform(0, 11) / len(y)
    weights = np.where(heavy, max(1.0, ratio), 1.0) * rng.uniform(0.5, 1.0, len(y))
    weights *= 0.1 / weights.min()
    check_root(X, y, np.minimum(weights, max(1.0, ratio) * 0.1), criterion)
    check_order(rng, X, y, weights, criterion)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@some
@given(seed=SEEDS)
def test_targets_far_from_zero(criterion: str, seed: int) -> None:
    """Targets of 10**15 and a little: Poisson once had an impurity of 0 and took any cut."""
    rng = np.random.default_rng(seed)
    X, y, heavy = a_table(rng, criterion, int(rng.integers(4, 24)))
    y = 10.0 ** rng.integers(3, 16) + y
    weights = np.where(heavy, rng.integers(1, 4, len(y)), 1).astype(float)
    check_root(X, y, weights, criterion, part=0.0)
    check_order(rng, X, y, weights, criterion)


@every_criterion
@some
@example(seed=24)
@given(seed=SEEDS)
def test_beyond_the_range_the_order_of_rows_does_not_matter_either(criterion: str, seed: int) -> None:
    """Up to weights that are refused; the last bit of a variance once depended on the order of the rows."""
    rng = np.random.default_rng(seed)
    X, y, heavy = a_table(rng, criterion, 30)
    weights = np.where(heavy, 1e15, 1.0) * rng.uniform(0.5, 1.0, len(y))
    check_order(rng, X, y, weights, criterion)


@some
@given(seed=SEEDS)
def test_gain_ratio(seed: int) -> None:
    """The information of an answer that hardly any weight gives is tiny, but a number like any other."""
    rng = np.random.default_rng(seed)
    X, y, heavy = a_table(rng, "entropy", 12)
    weights = np.where(heavy, float(rng.integers(1, 10**15)), 1.0) * rng.integers(1, 9, len(y))
    tree = unpruned_classifier(criterion=GainRatio(guard=None), max_depth=1).fit(X, y, weights).tree_
    if tree.root.is_leaf:
        return
    column, threshold = int(tree.array("column")[0]), tree.array("threshold")[0]
    gain = exact_cuts(X, y.tolist(), weights.tolist(), "entropy").gain_of(tree.root, X)
    # The information of the answer is the entropy of the side that a row is on.
    sides = (X[:, column] <= threshold).tolist()
    information = exact_cuts(X, sides, weights.tolist(), "entropy").impurity
    assert tree.array("gain_ratio")[0] == pytest.approx(float(gain / information), rel=1e-5)


def test_counts_of_a_quadrillion() -> None:
    """The case that was found: ten counts around 10**15, of which the fourth cut is the best."""
    y = 1e15 + np.array([0, 1, 0, 1, 4e7, 4e7, 4e7, 4e7, 4e7, 3e7])
    X = np.arange(10.0).reshape(-1, 1)
    check_root(X, y, np.ones(10), "poisson", part=0.0)
    root = unpruned_regressor(criterion="poisson", max_depth=1).fit(X, y).tree_.root
    assert str(root.question) == "x0 <= 3.5"
    assert 0 < root.gain <= root.impurity
    assert root.impurity == pytest.approx(np.var(y) / 2e15, rel=1e-6)


LIGHT = [1.0] * 9 + [1e-17]


@allow_one_leaf
@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            TreeRegressor(),
            "sample_weight gives row 9 the weight 1e-17, but a row weighs 0 or at least 1e-17",
        ),
        (TreeClassifier(), "sample_weight, class_weight, priors and loss together give row 9 the weight"),
        (TreeRegressor(missing="drop"), "sample_weight gives row 9 the weight 1e-17"),
    ],
)
def test_rows_too_light_to_be_weighed(model: Any, words: str) -> None:
    """Such a row was counted as if it were heavier, a million times if need be."""
    X = np.arange(10.0).reshape(-1, 1)
    X[0] = np.nan
    y = np.arange(10) % 2
    with pytest.raises(DataError, match=words):
        model.fit(X, y, sample_weight=LIGHT)
    assert model.fit(X, y, sample_weight=np.array(LIGHT) + 1e-15).tree_.root.n_rows >= 9
    assert model.fit(X, y, sample_weight=np.where(np.array(LIGHT) < 1, 0.0, 1.0)).tree_ is not None


def test_whole_weights_are_not_too_light() -> None:
    """1 beside 10**17 is less than the least share, but nothing is rounded. Beyond 2**59 it would be."""
    X, y = np.arange(4.0).reshape(-1, 1), np.array([0, 0, 1, 1])
    check_root(X, y, np.array([1.0, 1e17, 1e17, 3.0]), "entropy", part=0.0)
    with pytest.raises(DataError, match="row 0 the weight 1, but a row weighs"):
        TreeClassifier().fit(X, y, sample_weight=[1.0, 1e18, 1e17, 3.0])


def test_classes_too_light_to_be_weighed() -> None:
    """Class weights and priors make weights too."""
    X, y = np.arange(10.0).reshape(-1, 1), np.arange(10) % 2
    for options in ({"class_weight": {0: 1e-18, 1: 1.0}}, {"priors": [1e-18, 1.0]}):
        with pytest.raises(DataError, match="together give row 0 the weight"):
            TreeClassifier(**options).fit(X, y)
