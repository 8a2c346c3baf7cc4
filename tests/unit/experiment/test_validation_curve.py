"""The validation curve: what each value of an option loses on training, development and, once, test rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from arboretum import (
    MEstimate,
    ParameterError,
    ParameterNameError,
    Shrinkage,
    TreeClassifier,
    TreeRegressor,
    datasets,
    validation_curve,
)
from arboretum.experiment.curves import draw_repeats
from arboretum.experiment.fitting import read_rows


def noisy(n_rows: int = 300, seed: int = 0) -> tuple[Any, Any]:
    """Return rows whose class follows two columns, with a fifth of mistakes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, np.where(rng.uniform(size=n_rows) < 0.2, 0, 1) * ((X[:, 0] > 0) & (X[:, 1] > 0))


class Stub(ClassifierMixin, BaseEstimator):
    """Predicts the class that it is told, and remembers how many rows it was fitted to."""

    fitted_to: list[int] = []

    def __init__(self, says: int = 0) -> None:
        self.says = says

    def fit(self, X: Any, y: Any) -> Stub:
        self.classes_ = np.unique(y)
        Stub.fitted_to.append(len(X))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.says)


def test_losses_by_hand() -> None:
    """The same repeats for every value; means and standard errors over them."""
    X, y = noisy()
    curve = validation_curve(TreeClassifier(prune=None), X, y, "max_depth", [0, 2], repeats=4)
    rows, _ = read_rows(X, y, None, None, None, None, None, None)
    drawn = draw_repeats(rows, None, 4, stratify="auto", holdout=0.2, seed=0)
    for line, depth in enumerate([0, 2]):
        losses = []
        for repeat in drawn:
            model = TreeClassifier(prune=None, max_depth=depth)
            model.fit(repeat.training.X, repeat.training.target.values("classes"))
            losses.append(np.mean(model.predict(repeat.development.X) != repeat.development.target.codes))
        assert curve["development_loss"][line] == pytest.approx(np.mean(losses))
        assert curve["development_se"][line] == pytest.approx(np.std(losses, ddof=1) / 2)
    assert curve["leaves"].tolist() == [1.0, pytest.approx(curve["leaves"][1])]
    assert curve["best"].tolist() == [False, True]
    assert "test_loss" not in curve


def test_test_rows_are_looked_at_once() -> None:
    """Only the best value is measured on them, fitted to all rows once more; of equals, the first."""
    X, y = np.zeros((100, 1)), np.repeat([0, 1], [70, 30])
    Stub.fitted_to = []
    test = np.zeros((10, 1)), np.repeat([0, 1], [4, 6])
    curve = validation_curve(Stub(), X, y, "says", [1, 0, 0], repeats=2, X_test=test[0], y_test=test[1])
    assert curve["training_loss"].tolist() == pytest.approx([0.7, 0.3, 0.3])
    assert curve["best"].tolist() == [False, True, False]
    np.testing.assert_allclose(curve["test_loss"], [np.nan, 0.6, np.nan])
    assert Stub.fitted_to == [80] * 6 + [100]


def test_development_rows_of_ones_own() -> None:
    """Repeats would all be the same, so there is one; its standard error is unknown."""
    X, y = noisy()
    X_dev, y_dev = noisy(100, seed=1)
    curve = validation_curve(TreeClassifier(), X, y, "max_depth", [1, 3], X_dev=X_dev, y_dev=y_dev)
    assert curve["repeats"].tolist() == [1, 1]
    assert curve["development_se"].isna().all()
    model = TreeClassifier(max_depth=3).fit(X, y)
    assert curve["development_loss"][1] == pytest.approx(np.mean(model.predict(X_dev) != y_dev))


def test_small_trees_underfit_and_large_ones_overfit() -> None:
    """Both losses start high; the training loss falls on, and the development loss turns."""
    X, y = datasets.make_rotated_box(600, noise=0.2)
    curve = validation_curve(TreeClassifier(prune=None), X, y, "max_depth", [0, 4, 6, 20])
    assert (np.diff(curve["training_loss"]) < 0).all()
    assert curve["development_loss"].idxmin() in (1, 2)
    assert curve["development_loss"][0] > curve["development_loss"][3] > curve["development_loss"].min()


def test_values_of_all_kinds() -> None:
    """Names and strategies are written as one types them; below strategies and pipelines; for numbers too."""
    X, y = noisy()
    leaves = ["frequency", MEstimate(4), Shrinkage(3)]
    curve = validation_curve(TreeClassifier(), X, y, "leaf", leaves, loss="brier", repeats=2)
    assert curve["value"].tolist() == ["frequency", "MEstimate(m=4)", "Shrinkage(strength=3)"]
    below = validation_curve(
        TreeClassifier(leaf=MEstimate(4)), X, y, "leaf__m", [4, 9], loss="brier", repeats=2
    )
    assert below["development_loss"][0] == curve["development_loss"][1]
    piped = make_pipeline(StandardScaler(), TreeRegressor(prune=None))
    numbers = validation_curve(piped, X, X[:, 0], "treeregressor__max_depth", (1, 2), repeats=2)
    assert numbers["development_loss"][1] < numbers["development_loss"][0]
    assert validation_curve(TreeClassifier(), X, y, "max_depth", [None, 1], repeats=2)["value"].tolist() == [
        "None",
        "1",
    ]


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "option": (
        lambda: validation_curve(TreeClassifier(), *noisy(), "max_dept", [1]),
        "TreeClassifier has no parameter 'max_dept'. Did you mean 'max_depth'?",
    ),
    "values": (
        lambda: validation_curve(TreeClassifier(), *noisy(), "max_depth", []),
        "leaves nothing to try",
    ),
    "one value": (lambda: validation_curve(TreeClassifier(), *noisy(), "max_depth", 3), "is one value"),
    "value": (
        lambda: validation_curve(TreeClassifier(), *noisy(), "max_depth", [2, -1]),
        "max_depth=-1 is not allowed",
    ),
    "test": (
        lambda: validation_curve(TreeClassifier(), *noisy(), "max_depth", [1], X_test=[[0.0] * 3]),
        "X_test and y_test go together",
    ),
    "repeats": (
        lambda: validation_curve(TreeClassifier(), *noisy(), "max_depth", [1], repeats=0),
        "repeats=0 is not allowed",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    """One sentence that names what is wrong."""
    ask, said = REFUSED[case]
    with pytest.raises((ParameterError, ParameterNameError)) as caught:
        ask()
    assert said in str(caught.value)
