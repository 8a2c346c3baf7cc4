"""Rows that nobody may see before the test, and what estimators are told besides rows and targets.

A spy is an estimator that remembers which rows it was shown, a curious one what else it was given; poison is
a value that may be carried around but not looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from arboretum import (
    DataTypeError,
    ParameterError,
    TreeClassifier,
)
from arboretum.experiment import Experiment


def noisy(n_rows: int = 200, n_classes: int = 2) -> tuple[Any, Any]:
    """Return rows whose first column is the row number and whose class follows the second, with mistakes."""
    rng = np.random.default_rng(7)
    X = np.column_stack([np.arange(n_rows), rng.normal(size=(n_rows, 3))])
    y = np.clip((X[:, 1] + 0.5 * rng.normal(size=n_rows) + 1) * n_classes / 2, 0, n_classes - 1).astype(int)
    return X, y


# --- rows that nobody may see


class Spy(ClassifierMixin, BaseEstimator):
    """Predicts the first class, and remembers the row numbers (column 0) that it was shown."""

    seen: set[int] = set()

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def fit(self, X: Any, y: Any) -> Spy:
        self.classes_ = np.unique(y)
        return self._look(X)

    def predict(self, X: Any) -> Any:
        self._look(X)
        return np.full(len(X), self.classes_[0])

    def _look(self, X: Any) -> Spy:
        Spy.seen |= {int(number) for number in X[:, 0]}
        return self


@pytest.mark.parametrize("split", [(0.7, 0.1, 0.2), (0.8, 0.2)])
def test_only_the_test_shows_test_rows(split: tuple[float, ...]) -> None:
    """Every way of trying is gone through; the estimator is shown all other rows, and those never."""
    X, y = noisy()
    experiment = Experiment(X, y, split)
    Spy.seen = set()
    experiment.try_(Spy())
    experiment.grid(Spy(), {"number": [1, 2]})
    experiment.random(Spy(), {"number": [3, 4, 5]}, 2)
    if len(split) == 3:
        experiment.learning_curve(Spy(), sizes=[0.5, 1.0], repeats=2)
    hidden = set(experiment.split.test.tolist())
    assert Spy.seen == set(range(200)) - hidden
    experiment.test()
    assert Spy.seen == set(range(200))


class Poison:
    """A value that can be carried but not looked at."""

    def _touched(self, *_: object) -> Any:
        raise AssertionError("a test row was looked at")

    __float__ = __int__ = __str__ = __repr__ = __eq__ = __lt__ = __hash__ = __bool__ = __index__ = _touched


def test_poisoned_test_rows() -> None:
    """All values of the test rows are poison: every method but `test` works, and that one is caught."""
    X, y = noisy()
    clean = Experiment(X, y)
    poisoned = X.astype(object)
    poisoned[clean.split.test] = Poison()
    experiment = Experiment(poisoned, y)
    np.testing.assert_array_equal(experiment.split.test, clean.split.test)
    for each in (clean, experiment):
        each.try_(TreeClassifier(max_depth=2))
        each.grid(TreeClassifier(), {"max_depth": [1, 3], "criterion": ["gini", "entropy"]})
        each.random(TreeClassifier(), {"max_depth": [1, 2, 3, 4]}, 3)
        each.results.to_frame()
        str(each.results), repr(each), str(each.best), each.training, each.development, each.scores
    learning = [e.learning_curve(TreeClassifier()).drop(columns="fit_seconds") for e in (clean, experiment)]
    pd.testing.assert_frame_equal(*learning)
    pd.testing.assert_frame_equal(*[e.complexity_curve(TreeClassifier()) for e in (clean, experiment)])
    losses = [[(r.training_loss, r.development_loss) for r in e.results] for e in (clean, experiment)]
    assert losses[0] == losses[1]
    clean.test()
    with pytest.raises((AssertionError, DataTypeError), match=r"a test row was looked at|of type Poison"):
        experiment.test()
    assert experiment.scores == ()


def test_targets_of_test_rows_change_nothing_before_the_test() -> None:
    """With other targets in the test rows, and a split that does not ask for them, results are the same."""
    X, y = noisy()
    clean = Experiment(X, y, stratify=False)
    other = y.copy()
    other[clean.split.test] = 1 - other[clean.split.test]
    experiment = Experiment(X, other, stratify=False)
    for each in (clean, experiment):
        each.grid(TreeClassifier(), {"max_depth": [1, 2, 3, 4]})
    losses = [[(r.training_loss, r.development_loss) for r in e.results] for e in (clean, experiment)]
    assert losses[0] == losses[1]
    assert clean.test().loss == pytest.approx(1 - experiment.test().loss)


# --- groups and tuning data are passed on


class Curious(ClassifierMixin, BaseEstimator):
    """Remembers what else `fit` was told."""

    told: list[dict[str, Any]] = []

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Curious:
        told = {"groups": groups, "X_val": X_val, "y_val": y_val, "sample_weight_val": sample_weight_val}
        Curious.told.append(told)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


def test_development_data_are_tuning_data_only_when_asked_for() -> None:
    """Not unasked; asked for, they are passed, marked, and not learnt from a second time."""
    X, y = noisy()
    Curious.told = []
    experiment = Experiment(X, y)
    experiment.try_(Curious())
    assert Curious.told[0]["X_val"] is None
    experiment = Experiment(X, y)
    pruned = experiment.try_(Curious(), prune_on_development=True)
    np.testing.assert_array_equal(Curious.told[1]["X_val"], experiment.development[0])
    np.testing.assert_array_equal(Curious.told[1]["y_val"], experiment.development[1])
    assert Curious.told[1]["sample_weight_val"] is None
    assert pruned.pruned_on_development
    assert "pruned on development data" in str(experiment.results)
    with pytest.raises(
        ParameterError, match=r"refit='train\+dev' would prune the tree on rows that it has learnt"
    ):
        experiment.test(refit="train+dev")
    assert "pruned on development data" in str(experiment.test())
    with pytest.raises(
        ParameterError, match="needs an estimator whose fit takes X_val, but that of Spy does not"
    ):
        experiment.try_(Spy(), prune_on_development=True)


def test_tuning_data_have_their_weights() -> None:
    """The development rows are passed with theirs."""
    X, y = noisy()
    Curious.told = []
    experiment = Experiment(X, y, sample_weight=np.arange(200) + 1)
    experiment.try_(Curious(), prune_on_development=True)
    development = experiment.split.development
    assert development is not None
    np.testing.assert_array_equal(Curious.told[0]["sample_weight_val"], development + 1)


def test_a_tree_pruned_on_development_data() -> None:
    """Reduced error pruning with the development rows as tuning rows is the tree of fit(X_val=, y_val=)."""
    X, y = noisy()
    weight = np.random.default_rng(0).integers(1, 4, size=200).astype(float)
    for options in ({}, {"sample_weight": weight}):
        experiment = Experiment(X, y, **options)
        model = TreeClassifier(prune="reduced_error")
        experiment.try_(model, prune_on_development=True)
        train, dev = experiment.split.training, experiment.split.development
        told = {"X_val": X[dev], "y_val": y[dev]}
        if options:
            told |= {"sample_weight": weight[train], "sample_weight_val": weight[dev]}
        by_hand = clone(model).fit(X[train], y[train], **told)
        assert experiment.best.estimator.tree_ == by_hand.tree_
        unasked = Experiment(X, y, **options)
        unasked.try_(model)
        assert unasked.best.estimator.tree_ != by_hand.tree_


def test_groups_are_passed_to_a_fit_that_takes_them() -> None:
    """So that folds inside the estimator keep them together too."""
    X, y = noisy(60)
    groups = np.repeat([f"g{number}" for number in range(20)], 3)
    Curious.told = []
    experiment = Experiment(X, y, groups=groups)
    experiment.try_(Curious())
    told, own = Curious.told[0]["groups"], groups[experiment.split.training]
    assert [[a == b for b in told] for a in told] == [[a == b for b in own] for a in own]
    assert not set(own) & set(groups[experiment.split.test])
    assert clone(Curious()).fit(X, y)
