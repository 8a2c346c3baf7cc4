"""Class weights, priors, losses and leaves: how classes count, and how counts become labels.

A stump asks one question at most. Expected numbers were worked out by hand, next to the test. That losses and
priors give rpart's trees is shown in parity/.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.marks import allow_one_leaf
from support.trees import unpruned_classifier

from arboretum import DataError, MEstimate, ParameterError, TreeClassifier, datasets

X4 = np.array([[0.0], [1.0], [2.0], [3.0]])
Y4 = ["a", "a", "b", "b"]


def stump(X: Any, y: Any, **options: Any) -> TreeClassifier:
    """A classifier that asks at most one question."""
    return unpruned_classifier(max_depth=1, **options).fit(X, y)


def one_leaf(y: Any, *, sample_weight: Any = None, **options: Any) -> TreeClassifier:
    """A classifier for a column that says nothing, so that all rows stay together."""
    return unpruned_classifier(**options).fit(np.zeros((len(y), 1)), y, sample_weight=sample_weight)


# Class weights, priors, losses


@allow_one_leaf
def test_class_weights_multiply() -> None:
    """Three a and one b, b counting four times: 3 to 4, so b is the label."""
    model = one_leaf(["a", "a", "a", "b"], class_weight={"b": 4})
    np.testing.assert_array_equal(model.tree_.root.counts, [3.0, 4.0])
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[3 / 7, 4 / 7]])
    assert model.predict([[0.0]]) == ["b"]
    assert (model.tree_.root.n_rows, model.tree_.root.weight) == (4, 7.0)


@allow_one_leaf
def test_class_weights_multiply_sample_weights() -> None:
    """a: 2·(1 + 3) = 8, b: 5."""
    model = one_leaf(["a", "a", "b"], sample_weight=[1, 3, 5], class_weight={"a": 2})
    np.testing.assert_array_equal(model.tree_.root.counts, [8.0, 5.0])


@allow_one_leaf
def test_balanced_weights_are_by_weight() -> None:
    """a weighs 1, b weighs 3: each is brought to 2, so that a row of weight 3 is the same as three rows."""
    weighted = one_leaf(["a", "b"], sample_weight=[1, 3], class_weight="balanced")
    repeated = one_leaf(["a", "b", "b", "b"], class_weight="balanced")
    np.testing.assert_allclose(weighted.tree_.root.counts, [2.0, 2.0])
    np.testing.assert_allclose(repeated.tree_.root.counts, [2.0, 2.0])


@allow_one_leaf
def test_a_class_of_weight_zero_is_not_learnt() -> None:
    """Its rows count nothing, but the class keeps its place among the probabilities."""
    model = unpruned_classifier(class_weight={"b": 0}).fit(X4, Y4)
    assert (len(model.tree_), model.tree_.root.n_rows) == (1, 2)
    assert model.classes_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(model.predict_proba(X4), [[1.0, 0.0]] * 4)


def test_all_classes_of_weight_zero() -> None:
    """Nothing is left to learn from."""
    with pytest.raises(DataError, match="class_weight gives every row the weight zero"):
        unpruned_classifier(class_weight={"a": 0, "b": 0}).fit(X4, Y4)


@allow_one_leaf
def test_priors_are_the_probabilities_of_the_root() -> None:
    """Three a and one b with even priors: half and half; the reported weights stay those of the rows."""
    model = one_leaf(["a", "a", "a", "b"], priors=[0.5, 0.5])
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.5, 0.5]])
    np.testing.assert_array_equal(model.tree_.root.counts, [3.0, 1.0])


def test_priors_in_a_node() -> None:
    """Of 3 a and 1 b, 2 a and the b are in one node: ½·⅔ = ⅓ to ½·1 = ½, which is 0.4 to 0.6."""
    model = stump([[0.0], [1.0], [1.0], [1.0]], ["a", "a", "a", "b"], priors={"b": 0.5, "a": 0.5})
    np.testing.assert_allclose(model.predict_proba([[1.0]]), [[0.4, 0.6]])
    assert model.predict([[1.0]]) == ["b"]


@allow_one_leaf
def test_loss_decides_the_label_alone() -> None:
    """Seven a and three b; taking b for a costs 5: the label a costs 0.3·5 = 1.5, the label b 0.7·1 = 0.7."""
    model = one_leaf(["a"] * 7 + ["b"] * 3, loss=[[0, 1], [5, 0]])
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.7, 0.3]])
    assert model.predict([[0.0]]) == ["b"]


@allow_one_leaf
def test_loss_of_three_classes() -> None:
    """p = (0.5, 0.3, 0.2), loss[true, predicted]: the label c costs 0.5·1 + 0.3·1 = 0.8, the least.

    a: 0.3·2 + 0.2·6 = 1.8; b: 0.5·4 + 0.2·3 = 2.6.
    """
    loss = [[0, 4, 1], [2, 0, 1], [6, 3, 0]]
    model = one_leaf(["a"] * 5 + ["b"] * 3 + ["c"] * 2, loss=loss)
    assert model.predict([[0.0]]) == ["c"]
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.5, 0.3, 0.2]])


def test_losses_and_priors_alter_the_splits() -> None:
    """Six a and two b. Column 0 parts (6, 1) | (0, 1), column 1 parts (4, 0) | (2, 2).

    Plainly, column 0 gains 9/56 = 0.1607 and column 1 gains 1/8. Where b counts four times, because missing
    one costs 4 or because the priors are 6 : 8, it is (6, 4) | (0, 4) with 36/245 = 0.1469 against
    (4, 0) | (2, 8) with 64/245 = 0.2612.
    """
    X = np.array([[0, 0]] * 4 + [[0, 1]] * 2 + [[0, 1], [1, 1]])
    y = ["a"] * 6 + ["b"] * 2
    plain = stump(X, y).tree_.root
    assert str(plain.question) == "x0 <= 0.5"
    assert plain.gain == pytest.approx(9 / 56)
    for options in ({"loss": [[0, 1], [4, 0]]}, {"priors": [6 / 14, 8 / 14]}):
        altered = stump(X, y, **options).tree_.root
        assert str(altered.question) == "x1 <= 0.5"
        assert altered.gain == pytest.approx(64 / 245)
        np.testing.assert_array_equal(altered.counts, [6.0, 2.0])


def test_losses_keep_the_true_probabilities() -> None:
    """In the node (2, 2) of the table above a loss leaves ½ and ½, and the dearer class is the label."""
    X = np.array([[0, 0]] * 4 + [[0, 1]] * 2 + [[0, 1], [1, 1]])
    model = stump(X, ["a"] * 6 + ["b"] * 2, loss=[[0, 1], [4, 0]])
    np.testing.assert_array_equal(model.predict_proba([[0, 1]]), [[0.5, 0.5]])
    assert model.predict([[0, 1]]) == ["b"]


def test_even_losses_and_true_priors_change_nothing() -> None:
    """A loss of 1 for each mistake, or priors equal to the shares, give the same tree, ties included."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        X, y = rng.integers(0, 4, size=(20, 3)).astype(float), rng.integers(0, 4, size=20)
        plain = unpruned_classifier().fit(X, y)
        n = len(plain.classes_)
        assert unpruned_classifier(loss=1 - np.eye(n)).fit(X, y).tree_ == plain.tree_
        shares = np.bincount(np.searchsorted(plain.classes_, y)) / len(y)
        assert unpruned_classifier(priors=shares).fit(X, y).tree_ == plain.tree_


def test_priors_and_losses_for_classes_that_were_dropped() -> None:
    """A class whose rows are all incomplete leaves no trace in the probabilities of the others."""
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, None]})
    model = unpruned_classifier(missing="drop", priors=[0.5, 0.25, 0.25], loss=1 - np.eye(3)).fit(
        X, ["a", "b", "b", "c"]
    )
    np.testing.assert_allclose(model.tree_.root.probability, [2 / 3, 1 / 3, 0.0])


# Leaves


@allow_one_leaf
def test_laplace() -> None:
    """Three a and one b of two classes: (3 + 1) / (4 + 2) and (1 + 1) / (4 + 2)."""
    np.testing.assert_allclose(
        one_leaf(["a", "a", "a", "b"], leaf="laplace").predict_proba([[0]]), [[4 / 6, 2 / 6]]
    )


def test_m_estimate() -> None:
    """Shares of the whole: a 2/5, b 3/5; with m = 2 the leaves give a (2 + 0.8) / 5 and (0 + 0.8) / 4."""
    X, y = [[0.0], [0.0], [0.0], [1.0], [1.0]], ["a", "a", "b", "b", "b"]
    model = stump(X, y, leaf=MEstimate(2))
    np.testing.assert_allclose(model.predict_proba([[0.0], [1.0]])[:, 0], [2.8 / 5, 0.8 / 4])
    np.testing.assert_allclose(stump(X, y, leaf=MEstimate(0)).predict_proba([[0.0]])[:, 0], [2 / 3])


@allow_one_leaf
def test_m_estimate_goes_with_priors() -> None:
    """A leaf is drawn towards the priors, not the shares: at the root nothing changes, whatever m is."""
    for m in (0, 1, 100):
        np.testing.assert_allclose(
            one_leaf(["a", "a", "a", "b"], leaf=MEstimate(m), priors=[0.5, 0.5]).predict_proba([[0]]),
            [[0.5, 0.5]],
        )


def test_smoothing_keeps_the_questions() -> None:
    """Smoothing changes probabilities, not what is asked."""
    X, y = datasets.load_iris()
    plain, smooth = (unpruned_classifier(leaf=leaf).fit(X, y) for leaf in ("frequency", "laplace"))
    np.testing.assert_array_equal(plain.apply(X), smooth.apply(X))
    assert (smooth.predict_proba(X) > 0).all()


def test_log_probabilities() -> None:
    """The logarithm of the probabilities; minus infinity for zero, without a warning."""
    model = unpruned_classifier().fit(X4, Y4)
    np.testing.assert_array_equal(model.predict_log_proba(X4)[0], [0.0, -np.inf])


@allow_one_leaf
def test_monotone_probabilities() -> None:
    """The probability of the second class rises with the column, although the table says otherwise."""
    X, y = np.arange(6.0)[:, None], [0, 0, 1, 0, 1, 1]
    free, held = (
        unpruned_classifier(monotonic_cst=cst).fit(X, y).predict_proba(X)[:, 1] for cst in (None, [1])
    )
    assert (np.diff(free) < 0).any()
    assert (np.diff(held) >= 0).all()
    assert one_leaf(["a", "a"], monotonic_cst=[1]).predict([[0.0]]) == ["a"]
    with pytest.raises(ParameterError, match="monotonic_cst does not go with three classes or more"):
        unpruned_classifier(monotonic_cst=[1]).fit(X, [0, 1, 2, 0, 1, 2])
    with pytest.raises(
        ParameterError, match="monotonic_cst of column 'c' is 1, but its levels have no order"
    ):
        unpruned_classifier(monotonic_cst={"c": 1}).fit(pd.DataFrame({"c": ["u", "v"]}), [0, 1])


@pytest.mark.parametrize(
    ("options", "weight", "words"),
    [
        ({"class_weight": {"a": 1e-300}}, 1.0, r"class_weight=.* 0, or from 1e-100 to 1e\+100"),
        ({"class_weight": {"a": 1e200}}, 1.0, r"class_weight=.* 0, or from 1e-100 to 1e\+100"),
        ({"class_weight": {"a": 1e-60}}, 1e-60, "sample_weight and class_weight .* the weight 1e-120;"),
        ({"class_weight": {"a": 1e60}}, 1e60, r"sample_weight and class_weight .* the weight 1e\+120;"),
        ({"loss": [[0, 1e60], [1, 0]]}, 1e60, r"priors and loss together give a row the weight 1e\+120;"),
        ({"loss": [[0, 1e-300], [1, 0]]}, 1.0, "priors and loss together give a row the weight 1e-300;"),
        ({"loss": [[0, 1e101], [1, 0]]}, 1.0, r"no entry negative or above 1e\+100"),
        ({"priors": [1e-150, 1]}, 1.0, "priors and loss together give a row the weight 2e-150;"),
    ],
)
def test_weights_that_would_vanish_or_overflow(options: Any, weight: float, words: str) -> None:
    """Each option may be in bounds and their product not: the weights that are used in the end count."""
    with pytest.raises(ParameterError, match=words):
        unpruned_classifier(**options).fit(X4, ["a", "a", "b", "b"], sample_weight=[weight] * 4)
