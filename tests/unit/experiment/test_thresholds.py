"""Thresholds: against counting by hand, and through everything that shows or stores the labels of a tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, precision_score, recall_score
from sklearn.model_selection import FixedThresholdClassifier, PredefinedSplit, TunedThresholdClassifierCV

from arboretum import (
    DataError,
    DataTypeError,
    ParameterError,
    Shrinkage,
    TreeClassifier,
    export,
    load,
    save,
    tune_threshold,
)
from arboretum.experiment.fitting import make_folds

RANDOM = np.random.default_rng(7)
X = RANDOM.normal(size=(600, 3))
Y = np.where(X[:, 0] + RANDOM.normal(size=600) > 1.9, "ill", "well")
WEIGHTS = RANDOM.integers(1, 4, 600).astype(float)
MODEL = TreeClassifier(leaf=Shrinkage(10), prune=None, min_samples_leaf=10)


def held_out(positive: int, weights: Any = None) -> Any:
    """Return the probabilities from trees that have not seen the rows."""
    codes = (Y == "well").astype(np.intp)
    score = np.empty(600)
    for learnt, rows in make_folds(10, 600, 0, codes, None, None):
        model = TreeClassifier(**MODEL.get_params(deep=False))
        model.fit(X[learnt], Y[learnt], None if weights is None else weights[learnt])
        score[rows] = model.predict_proba(X[rows])[:, positive]
    return score


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("positive", ["ill", "well"])
def test_the_table_is_that_of_scikit_learn(positive: str, weights: Any) -> None:
    found = tune_threshold(MODEL, X, Y, positive=positive, sample_weight=weights)
    score = held_out(["ill", "well"].index(positive), weights)
    other = "well" if positive == "ill" else "ill"
    for i in range(0, len(found.thresholds), 7):
        guess = np.where(score > found.thresholds[i], positive, other)
        given = {"sample_weight": weights}
        assert found.recall[i] == pytest.approx(recall_score(Y, guess, pos_label=positive, **given))
        if (guess == positive).any():
            precision = precision_score(Y, guess, pos_label=positive, **given)
            assert found.precision[i] == pytest.approx(precision)
        assert found.losses[i] == pytest.approx(1 - balanced_accuracy_score(Y, guess, **given))
    assert found.losses[found.chosen] == found.losses.min()
    assert found.threshold == found.thresholds[found.chosen]
    assert len(found.to_frame()) == len(found.thresholds)


@pytest.mark.parametrize("positive", ["ill", "well"])
def test_the_tree_carries_the_threshold(positive: str, tmp_path: Path) -> None:
    """Labels, files and exports follow it; questions and probabilities are those of the plain fit."""
    found = tune_threshold(MODEL, X, Y, positive=positive)
    plain = TreeClassifier(**MODEL.get_params(deep=False)).fit(X, Y)
    probability = plain.predict_proba(X)
    assert (found.model.predict_proba(X) == probability).all()
    k = plain.classes_.tolist().index(positive)
    expected = np.where(probability[:, k] > found.threshold, positive, "well" if positive == "ill" else "ill")
    assert (found.model.predict(X) == expected).all()
    assert (found.model.predict(X) != plain.predict(X)).any()
    assert (plain.with_loss(found.loss).predict(X) == expected).all()
    save(found.model, tmp_path / "model.json")
    assert (load(tmp_path / "model.json").predict(X) == expected).all()
    names: dict[str, Any] = {}
    exec(export.to_python(found.model), names)
    predict = names["predict"]
    rows = [dict(zip(("x0", "x1", "x2"), map(float, row), strict=True)) for row in X[:50]]
    assert [predict(row) for row in rows] == expected[:50].tolist()
    assert {leaf.label for leaf in found.model.tree_.leaves()} == {"ill", "well"}


def test_divided_rows_follow_it() -> None:
    holes = X.copy()
    holes[RANDOM.random(X.shape) < 0.1] = np.nan
    model = TreeClassifier(leaf=Shrinkage(10), missing="fractional", min_samples_leaf=10, prune=None)
    found = tune_threshold(model, holes, Y, positive="ill", folds=4)
    probability = found.model.predict_proba(holes)[:, 0]
    assert (found.model.predict(holes) == np.where(probability > found.threshold, "ill", "well")).all()


def test_recall_and_precision() -> None:
    found = tune_threshold(MODEL, X, Y, recall=0.7, positive="ill")
    assert found.recall[found.chosen] >= 0.7
    assert (found.recall[found.chosen + 1 :] < 0.7).all()
    found = tune_threshold(MODEL, X, Y, precision=0.3, positive="ill")
    assert found.precision[found.chosen] >= 0.3
    assert not (found.precision[: found.chosen] >= 0.3).any()


def test_costs() -> None:
    """What is minimised is what mistakes cost, on average."""
    matrix = [[0.0, 20.0], [1.0, 0.0]]  # a missed ill row costs twenty times a false alarm
    found = tune_threshold(MODEL, X, Y, loss=matrix, positive="ill")
    score = held_out(0)
    for i in range(0, len(found.thresholds), 11):
        guess = np.where(score > found.thresholds[i], "ill", "well")
        cost = np.mean(np.where(guess == Y, 0.0, np.where(Y == "ill", 20.0, 1.0)))
        assert found.losses[i] == pytest.approx(cost)
    assert found.losses[found.chosen] == found.losses.min()
    assert found.measured_by == "matrix"
    plain = tune_threshold(MODEL, X, Y, loss="misclassification", positive="ill")
    assert plain.threshold > found.threshold


def test_groups_stay_together() -> None:
    groups = np.arange(600) // 20
    apart, together = (tune_threshold(MODEL, X, Y, groups=g, positive="ill") for g in (None, groups))
    assert not np.array_equal(apart.thresholds, together.thresholds)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"loss": "auc"}, ParameterError, "loss='auc' does not go by labels alone; give 'misclassification'"),
        ({"loss": "some"}, ParameterError, "loss='some' does not go by labels alone"),
        ({"loss": [[0, 1]]}, ParameterError, r"of shape \(2, 2\)"),
        ({"loss": "misclassification", "recall": 0.5}, ParameterError, "one of loss, recall and precision"),
        ({"recall": 0}, ParameterError, "recall=0 is not allowed; give a share above 0 and up to 1"),
        ({"precision": 1.5}, ParameterError, r"precision=1\.5 is not allowed"),
        (
            {"precision": 1.0},
            DataError,
            r"No threshold reaches precision=1\.0; on held-out",
        ),
        ({"positive": "sick"}, ParameterError, "positive='sick' is not a class of y; choose 'ill', 'well'"),
        ({"folds": 0}, ParameterError, "folds=0 is not allowed"),
        ({"sample_weight": np.where(Y == "ill", 0.0, 1.0)}, DataError, "have the weight 0"),
    ],
)
def test_refusals(options: Any, error: Any, sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        tune_threshold(MODEL, X, Y, **{"positive": "ill"} | options)


def test_what_it_is_not_for() -> None:
    with pytest.raises(DataError, match="needs two classes, but y has 3"):
        tune_threshold(MODEL, X, np.arange(600) % 3)
    with pytest.raises(DataTypeError, match=r"not LogisticRegression.*\n.*TunedThresholdClassifierCV"):
        tune_threshold(LogisticRegression(), X, Y)


def test_a_loss_can_be_taken_back() -> None:
    fitted = TreeClassifier(loss=[[0, 30], [1, 0]], leaf=Shrinkage(10), prune=None).fit(X, Y)
    plain = fitted.with_loss(None)
    assert (plain.predict(X) == plain.classes_[plain.predict_proba(X).argmax(axis=1)]).all()
    assert (plain.predict(X) != fitted.predict(X)).any()
    with pytest.raises(ParameterError, match="its diagonal is zero"):
        fitted.with_loss([[1, 1], [1, 0]])
    with pytest.raises(ParameterError, match=r"loss has the shape \(3, 3\)"):
        fitted.with_loss(1 - np.eye(3))


def test_inside_the_tools_of_scikit_learn() -> None:
    """Both of its wrappers take our classifiers."""
    folds = PredefinedSplit(np.arange(600) % 3)
    tuned = TunedThresholdClassifierCV(MODEL, scoring="balanced_accuracy", cv=folds).fit(X, Y)
    assert balanced_accuracy_score(Y, tuned.predict(X)) > balanced_accuracy_score(
        Y, MODEL.fit(X, Y).predict(X)
    )
    fixed = FixedThresholdClassifier(MODEL, threshold=0.9, pos_label="well").fit(X, Y)
    second = fixed.estimator_.predict_proba(X)[:, 1]
    assert (fixed.predict(X) == np.where(second >= 0.9, "well", "ill")).all()
