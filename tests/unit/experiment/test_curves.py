"""Curves: losses for growing numbers of rows, and for growing trees.

The staircase is a stand-in for a pruned tree whose losses can be worked out on paper. Drawing is tested
elsewhere.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import LinearRegression, LogisticRegression

from arboretum import (
    CostComplexity,
    DataError,
    ParameterError,
    Surrogate,
    TreeClassifier,
    TreeRegressor,
    datasets,
)
from arboretum._options.measures.measure import mean_loss
from arboretum.experiment import Experiment, complexity_curve, learning_curve
from arboretum.experiment.curves import _one_by_one, growing_order


def noisy(n_rows: int = 300, seed: int = 0) -> tuple[Any, Any]:
    """Return rows whose class follows the first column, with a fifth of mistakes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    return X, np.where(rng.uniform(size=n_rows) < 0.2, X[:, 0] <= 0, X[:, 0] > 0).astype(int)


# --- learning curves


def test_a_learning_curve_by_hand() -> None:
    """Each loss is the mean over the repeats of trees fitted to the first rows of a shuffled order."""
    X, y = noisy()
    X_dev, y_dev = noisy(100, seed=1)
    curve = learning_curve(
        TreeClassifier(max_depth=3), X, y, sizes=[30, 0.5, 300], repeats=4, X_dev=X_dev, y_dev=y_dev
    )
    assert curve["size"].tolist() == [30, 150, 300]
    assert curve["repeats"].tolist() == [4, 4, 1]
    for line, size in enumerate([30, 150]):
        losses = []
        for number in range(4):
            order = growing_order(300, y, np.random.RandomState([0, number]))[:size]
            model = TreeClassifier(max_depth=3).fit(X[np.sort(order)], y[np.sort(order)])
            losses.append(np.mean(model.predict(X_dev) != y_dev))
        assert curve["development_loss"][line] == pytest.approx(np.mean(losses), abs=1e-12)
        expected = np.std(losses, ddof=1) / 2
        assert curve["development_se"][line] == pytest.approx(expected, abs=1e-12)
    model = TreeClassifier(max_depth=3).fit(X, y)
    assert curve["training_loss"][2] == np.mean(model.predict(X) != y)
    assert curve["leaves"][2] == model.get_n_leaves()
    assert np.isnan(curve["training_se"][2])


def test_without_development_data_rows_are_held_out() -> None:
    """Every repeat holds out its own fifth; the largest size is what is left."""
    curve = learning_curve(TreeClassifier(max_depth=2), *noisy(), repeats=3)
    assert curve["size"].tolist() == [24, 48, 96, 144, 192, 240]
    assert curve["repeats"].tolist() == [3] * 6
    assert (curve["development_se"] > 0).all()


def test_more_rows_help_and_the_losses_meet() -> None:
    """A small tree on much noise: training loss rises and development loss falls to the fifth of mistakes."""
    X, y = noisy(4000)
    curve = learning_curve(TreeClassifier(max_depth=2), X, y, sizes=[20, 3200], repeats=10)
    assert curve["training_loss"][0] < 0.2 < curve["development_loss"][0]
    assert curve["development_loss"][0] - curve["training_loss"][0] > 0.08
    assert abs(curve["development_loss"][1] - curve["training_loss"][1]) < 0.03


def test_curves_of_any_estimator() -> None:
    """scikit-learn's classifiers and regressors; leaves are missing there."""
    X, y = noisy()
    lines = learning_curve(LogisticRegression(), X, y, sizes=[0.5], repeats=2, loss="log")
    assert lines["leaves"].isna().all()
    numbers = learning_curve(LinearRegression(), X, X[:, 0] * 2, sizes=[50], repeats=2)
    assert numbers["development_loss"][0] == pytest.approx(0.0, abs=1e-20)


def test_groups_are_not_held_out_in_pieces() -> None:
    """Neighbouring groups differ in class, and a column numbers the groups: only leaks can be learnt."""
    groups = np.repeat(np.arange(60), 10)
    X, y = groups.astype(float).reshape(-1, 1), groups % 2
    held = learning_curve(TreeClassifier(prune=None), X, y, groups=groups, sizes=[1.0], repeats=10)
    leaky = learning_curve(TreeClassifier(prune=None), X, y, sizes=[1.0], repeats=10)
    assert leaky["development_loss"][0] < 0.05
    assert held["development_loss"][0] > 0.4


def test_weights_in_curves() -> None:
    """Whole weights are repeated rows, in learning and in measuring."""
    X, y = noisy(100)
    X_dev, y_dev = noisy(50, seed=1)
    w, w_dev = (
        np.random.default_rng(0).integers(1, 4, size=100),
        np.random.default_rng(1).integers(1, 4, size=50),
    )
    model = TreeClassifier(max_depth=3, prune=None)
    weighted = learning_curve(
        model, X, y, sizes=[1.0], X_dev=X_dev, y_dev=y_dev, sample_weight=w, sample_weight_dev=w_dev
    )
    X2, y2, X3, y3 = X.repeat(w, axis=0), y.repeat(w), X_dev.repeat(w_dev, axis=0), y_dev.repeat(w_dev)
    repeated = learning_curve(model, X2, y2, sizes=[1.0], X_dev=X3, y_dev=y3)
    for column in ("training_loss", "development_loss", "leaves"):
        assert weighted[column][0] == pytest.approx(repeated[column][0], abs=1e-12)


def test_curves_are_reproducible() -> None:
    """None is 0; another number shuffles otherwise."""
    X, y = noisy()
    one, same, other = (
        learning_curve(TreeClassifier(), X, y, sizes=[0.2], random_state=state)["development_loss"][0]
        for state in (None, 0, 1)
    )
    assert one == same != other


def test_development_data_may_have_classes_of_their_own() -> None:
    """A class that is only in one of the two is a class all the same; kinds that do not match are refused."""
    X = np.arange(6.0).reshape(-1, 1)
    curve = learning_curve(
        TreeClassifier(prune=None), X, list("aabbaa"), X_dev=X[:2], y_dev=["a", "z"], sizes=[6]
    )
    assert curve["development_loss"][0] == 0.5
    whole = learning_curve(
        TreeClassifier(prune=None), X, [1, 1, 2, 2, 1, 1], X_dev=X[:2], y_dev=[1, 7], sizes=[6]
    )
    assert whole["development_loss"][0] == 0.5
    numbers = learning_curve(
        TreeRegressor(prune=None, leaf="mean"),
        X,
        [1, 1, 2, 2, 1, 1],
        X_dev=X[:2],
        y_dev=[1, 1.5],
        sizes=[6],
    )
    assert numbers["development_loss"][0] == pytest.approx(0.125)
    with pytest.raises(DataError, match="both must be of one kind"):
        learning_curve(TreeClassifier(), X, list("aabbaa"), X_dev=X[:2], y_dev=[1, 2], sizes=[6])
    with pytest.raises(DataError, match="both must be of one kind"):
        learning_curve(TreeClassifier(), X, list("aabbaa"), X_dev=X[:2], y_dev=[1.5, 2], sizes=[6])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sizes": [0]}, "sizes holds 0, which is not allowed; give whole numbers of rows from 1 to 240"),
        ({"sizes": [241]}, "sizes holds 241"),
        ({"sizes": [1.5]}, r"sizes holds 1\.5"),
        ({"sizes": [True]}, "sizes holds True"),
        ({"sizes": []}, r"sizes=\[\] is not allowed"),
        ({"sizes": 5}, "sizes=5 is not allowed"),
        ({"repeats": 0}, "repeats=0 is not allowed"),
        ({"holdout": 1.0}, r"holdout=1\.0 is not allowed"),
        ({"X_dev": [[0.0] * 4]}, "X_dev and y_dev go together"),
        (
            {"loss": "squared"},
            "'squared_error' is about numbers, but TreeClassifier predicts classes",
        ),
        ({"verbose": -1}, "verbose=-1 is not allowed"),
    ],
)
def test_bad_options_of_curves(options: dict[str, Any], words: str) -> None:
    """One sentence each."""
    with pytest.raises(ParameterError, match=words):
        learning_curve(TreeClassifier(), *noisy(), **options)


def test_the_curve_of_an_experiment() -> None:
    """The method is the function on training and development rows, with the loss of the experiment."""
    X, y = noisy()
    experiment = Experiment(X, y, loss="log")
    model = TreeClassifier(max_depth=2, leaf="laplace")
    method = experiment.learning_curve(model, sizes=[0.3, 1.0], repeats=3)
    (X_train, y_train), (X_dev, y_dev) = experiment.training, experiment.development
    function = learning_curve(
        model, X_train, y_train, X_dev=X_dev, y_dev=y_dev, sizes=[0.3, 1.0], repeats=3, loss="log"
    )
    pd.testing.assert_frame_equal(method.drop(columns="fit_seconds"), function.drop(columns="fit_seconds"))


# --- complexity curves


class Staircase(RegressorMixin, BaseEstimator):
    """Predicts the first digits of x: a tree of d leaves rounds x down to a multiple of 1 / d.

    It offers what a pruned tree does: its path has trees of 4, 2 and 1 leaves, and 8 as grown.
    """

    LEAVES = {0.0: 4, 0.5: 2, 2.0: 1}

    def fit(self, X: Any, y: Any) -> Staircase:
        self.leaves_ = 2
        self.pruning_path_ = SimpleNamespace(alpha=np.array([0.0, 0.5, 2.0]), chosen=1)
        return self

    def _with(self, leaves: int) -> Staircase:
        other: Staircase = clone(self)
        other.leaves_ = leaves
        return other

    def unpruned(self) -> Staircase:
        return self._with(8)

    def pruned(self, alpha: float) -> Staircase:
        return self._with(self.LEAVES[alpha])

    def get_n_leaves(self) -> int:
        return self.leaves_

    def get_depth(self) -> int:
        return int(np.log2(self.leaves_))

    def predict(self, X: Any) -> Any:
        return np.floor(np.asarray(X)[:, 0] * self.leaves_) / self.leaves_


def test_a_complexity_curve_on_paper() -> None:
    """x = 7/8 is predicted as 0, 1/2, 3/4 and 7/8 by 1, 2, 4 and 8 leaves; the development target is 3/4."""
    x = np.full((10, 1), 7 / 8)
    curve = complexity_curve(Staircase(), x, np.full(10, 7 / 8), x[:4], np.full(4, 0.75), loss="absolute")
    assert curve.columns.tolist() == [
        "leaves",
        "depth",
        "alpha",
        "training_loss",
        "development_loss",
        "chosen",
        "best",
    ]
    assert curve["leaves"].tolist() == [1, 2, 4, 8]
    assert curve["depth"].tolist() == [0, 1, 2, 3]
    assert curve["alpha"].tolist()[:3] == [2.0, 0.5, 0.0]
    assert np.isnan(curve["alpha"][3])
    assert curve["training_loss"].tolist() == [7 / 8, 3 / 8, 1 / 8, 0.0]
    assert curve["development_loss"].tolist() == [0.75, 0.25, 0.0, 0.125]
    assert curve["chosen"].tolist() == [False, True, False, False]
    assert curve["best"].tolist() == [False, False, True, False]


def test_trees_without_a_path() -> None:
    """Other estimators have no sequence of trees."""
    X, y = noisy()
    with pytest.raises(
        ParameterError, match="needs a tree with a pruning path, but LogisticRegression has none"
    ):
        complexity_curve(LogisticRegression(), X, y, X, y)
    with pytest.raises(ParameterError, match="needs development data; give X_dev and y_dev"):
        complexity_curve(TreeClassifier(), X, y, None, None)


@pytest.mark.parametrize("backend", ["pandas", "polars"])
@pytest.mark.parametrize("missing", ["category", "surrogate", "fractional"])
def test_a_complexity_curve_of_trees(missing: str, backend: str) -> None:
    """Each line is the loss of that pruned tree on all rows, predicted one by one, for three policies."""
    X, y = datasets.load_penguins(backend=backend)
    experiment = Experiment(X, y)
    model = TreeClassifier(missing=missing)
    curve = experiment.complexity_curve(model)
    (X_train, y_train), (X_dev, y_dev) = experiment.training, experiment.development
    fitted = clone(model).fit(X_train, y_train)
    assert len(curve) >= len(fitted.pruning_path_) >= 3
    for line in curve.itertuples():
        tree = fitted.unpruned() if np.isnan(line.alpha) else fitted.pruned(alpha=line.alpha)
        assert line.leaves == tree.get_n_leaves()
        assert line.training_loss == pytest.approx(np.mean(tree.predict(X_train) != y_train), abs=1e-12)
        assert line.development_loss == pytest.approx(np.mean(tree.predict(X_dev) != y_dev), abs=1e-12)
    assert curve["leaves"].is_monotonic_increasing
    assert curve["leaves"][0] == 1
    assert (curve["training_loss"].diff().dropna() <= 1e-12).all()
    assert curve.loc[curve["chosen"], "leaves"].tolist() == [fitted.get_n_leaves()]
    best = curve.loc[curve["best"]].iloc[0]
    assert best["development_loss"] == curve["development_loss"].min()


SURE: dict[str, Any] = {"leaf": "laplace"}
COSTS = [[0, 1, 5], [2, 0, 1], [9, 1, 0]]


@pytest.mark.parametrize(
    ("model", "loss"),
    [
        (TreeClassifier(), "zero_one"),
        (TreeClassifier(**SURE), "log"),
        (TreeClassifier(), "log"),  # infinite where a leaf is sure and wrong
        (TreeClassifier(loss=COSTS), COSTS),
        (TreeClassifier(criterion="entropy", nominal="multiway"), "zero_one"),
        (TreeClassifier(missing="surrogate"), "zero_one"),
        (TreeClassifier(missing=Surrogate(send="surrogates", max_surrogates=1)), "zero_one"),
        (TreeClassifier(missing=Surrogate(send="never")), "zero_one"),
        (TreeClassifier(missing="fractional"), "zero_one"),
        (TreeClassifier(prune=CostComplexity(measure="entropy", alpha=0.0)), "zero_one"),
        (TreeClassifier(prune=CostComplexity(complexity="depth", alpha=0.0)), "zero_one"),
    ],
)
def test_all_trees_at_once(model: TreeClassifier, loss: Any) -> None:
    """What is added up at nodes is what each tree costs by itself, with weights; leaves and depth too."""
    X, y = datasets.load_penguins()
    X = X.assign(bill_depth_mm=X["bill_depth_mm"].where(np.arange(344) % 3 > 0))
    weight = np.random.default_rng(0).integers(0, 3, size=344).astype(float)
    experiment = Experiment(X, y, loss=loss, sample_weight=weight)
    curve = experiment.complexity_curve(model)
    fitted = clone(model).set_params(prune=model.prune or CostComplexity(alpha=0.0))
    (X_train, y_train), train = experiment.training, experiment.split.training
    fitted.fit(X_train, y_train, sample_weight=weight[train])
    parts = experiment._training, experiment._development
    by_itself = pd.DataFrame(_one_by_one(fitted, parts, experiment._loss))[::-1]
    for column in by_itself:
        expected = by_itself[column].to_numpy(dtype=float)
        np.testing.assert_allclose(
            curve[column].to_numpy(dtype=float)[: len(by_itself)], expected, atol=1e-12
        )
    assert len(by_itself) >= 3


def test_all_regression_trees_at_once() -> None:
    """The same for numbers, squared and absolute, along 800 trees and more."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 3)), rng.normal(size=1500)
    for loss in ("squared", "absolute"):
        experiment = Experiment(X, y, loss=loss)
        curve = experiment.complexity_curve(TreeRegressor(prune=None))
        fitted = TreeRegressor(prune=None).fit(*experiment.training)
        parts = experiment._training, experiment._development
        few = fitted.pruning_path_.alpha[::50]
        assert len(curve) > 800
        lines = curve.set_index("alpha")
        for alpha in few:
            tree = fitted.pruned(alpha=float(alpha))
            for column, part in zip(("training_loss", "development_loss"), parts, strict=True):
                expected = mean_loss(experiment._loss, tree, part)
                assert lines.loc[alpha, column] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("prune", [None, "reduced_error", "pessimistic"])
def test_other_pruners_are_left_aside(prune: str | None) -> None:
    """The sequence is that of the tree as grown, and nothing is chosen."""
    X, y = noisy()
    X_dev, y_dev = noisy(100, seed=1)
    curve = complexity_curve(TreeClassifier(prune=prune), X, y, X_dev, y_dev)
    assert not curve["chosen"].any()
    whole = TreeClassifier(prune=None).fit(X, y)
    assert curve["leaves"].iloc[-1] == whole.get_n_leaves()
    expected = np.mean(whole.predict(X_dev) != y_dev)
    assert curve["development_loss"].iloc[-1] == pytest.approx(expected)


def test_overfitting_shows() -> None:
    """On noisy rows the training loss falls to 0 while the development loss is lowest for a small tree."""
    X, y = noisy(1000)
    X_dev, y_dev = noisy(1000, seed=1)
    curve = complexity_curve(TreeClassifier(leaf="frequency"), X, y, X_dev, y_dev)
    last, best = curve.iloc[-1], curve[curve["best"]].iloc[0]
    assert last["training_loss"] == 0.0
    assert best["leaves"] <= 10
    assert best["development_loss"] < 0.25 < last["development_loss"]


def test_complexity_of_numbers_with_weights() -> None:
    """Squared loss; whole weights are repeated rows."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(120, 2)), rng.integers(1, 4, size=120)
    y = X[:, 0] + rng.normal(size=120)
    model = TreeRegressor(prune=None, min_samples_leaf=5, max_depth=3)
    weighted = complexity_curve(model, X, y, X, y, sample_weight=w, sample_weight_dev=w)
    by_hand = model.fit(X, y, sample_weight=w)
    expected = np.average((by_hand.predict(X) - y) ** 2, weights=w)
    assert weighted["training_loss"].iloc[-1] == pytest.approx(expected)
    assert weighted["development_loss"].iloc[-1] == pytest.approx(expected)
    assert weighted["training_loss"].iloc[0] == pytest.approx(
        np.average((y - np.average(y, weights=w)) ** 2, weights=w)
    )
