"""Experiments and permutation importance by measures that are no means over rows, and by functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, balanced_accuracy_score, roc_auc_score
from support.marks import allow_one_leaf

from arboretum import DataError, ParameterError, TreeClassifier, TreeRegressor, permutation_importance
from arboretum._data.rows import read_target
from arboretum._options.measures.table import resolve_loss
from arboretum.experiment import Experiment, complexity_curve
from arboretum.experiment.results import estimate_loss

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(400, 3))
Y = np.where(X[:, 0] + RANDOM.normal(size=400) > 1.3, "rare", "common")
WEIGHTS = RANDOM.uniform(0.5, 2.0, size=400)
SCORES: dict[str, Any] = {
    "auc": lambda model, X, y, w: roc_auc_score(y == "rare", model.predict_proba(X)[:, 1], sample_weight=w),
    "average_precision": lambda model, X, y, w: average_precision_score(
        y == "rare", model.predict_proba(X)[:, 1], sample_weight=w
    ),
    "balanced_accuracy": lambda model, X, y, w: balanced_accuracy_score(y, model.predict(X), sample_weight=w),
}


@pytest.mark.parametrize("name", list(SCORES))
def test_losses_of_all_parts(name: str) -> None:
    """Training, development and test loss are 1 less scikit-learn's score, weights included."""
    experiment = Experiment(X, Y, (0.4, 0.3, 0.3), loss=name, sample_weight=WEIGHTS)
    result = experiment.try_(LogisticRegression())
    model, score = experiment.best.estimator, experiment.test()
    for rows, found in (
        (experiment.split.training, result.training_loss),
        (experiment.split.development, result.development_loss),
        (experiment.split.test, score.loss),
    ):
        expected = SCORES[name](model, X[rows], Y[rows], WEIGHTS[rows])
        assert found == pytest.approx(1 - expected, rel=1e-10)
    assert experiment.results.loss == f"1 - {name}"
    assert f"test loss (1 - {name})" in str(score)
    assert score.interval[0] < score.loss < score.interval[1]


def test_the_interval_of_auc_covers() -> None:
    """Of 400 intervals of 90 %, about 360 hold the true AUC; scores are normal, so that it is known."""
    true, covered = float(stats.norm.cdf(1 / math.sqrt(2))), 0
    for seed in range(400):
        random = np.random.default_rng(seed)
        y = np.repeat([0, 1], [100, 30])
        second = stats.norm.cdf(random.normal(size=130) + y)
        target = read_target(y, 130, "classes", "test")
        measure = resolve_loss("auc", target)
        losses = measure.each(target, np.column_stack([1 - second, second]))
        low, high = estimate_loss(measure, losses, None, None).interval(0.9)
        covered += low <= 1 - true <= high
    assert 340 <= covered <= 380


def test_folds_are_measured_one_by_one() -> None:
    """The cross-validated loss is the mean over the folds; a fold of one class is left out."""
    y = Y.copy()
    y[np.flatnonzero(y == "rare")[4:]] = "common"
    experiment = Experiment(X, y, (0.8, 0.2), loss="auc", folds=5, random_state=1)
    result = experiment.try_(LogisticRegression())
    X_train, y_train = experiment.training
    assert 0 < sum(y_train == "rare") < 5
    expected = []
    for learnt, held_out in experiment._folds:
        model = LogisticRegression().fit(X_train[learnt], y_train[learnt])
        if len(set(y_train[held_out])) == 2:
            area = roc_auc_score(y_train[held_out] == "rare", model.predict_proba(X_train[held_out])[:, 1])
            expected += [1 - area] * len(held_out)
    assert 0 < len(expected) < len(y_train)
    assert result.development_loss == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("loss", ["auc", "brier", "balanced_accuracy"])
def test_complexity_curve(loss: str) -> None:
    """Every tree of the sequence is measured as it is."""
    model = TreeClassifier(leaf="laplace", prune=None)
    parts = (X[:200], Y[:200], X[200:], Y[200:])
    curve = complexity_curve(model, *parts, loss=loss)
    target = read_target(Y[200:], 200, "classes", "test")
    measure = resolve_loss(loss, target)
    fitted = model.fit(X[:200], Y[:200])
    for line in curve.to_dict("records")[:4]:
        tree = fitted.pruned(leaves=line["leaves"])
        found = measure.each(target, measure.predict(tree, X[200:])).mean()
        assert line["development_loss"] == pytest.approx(found)


def test_a_function_in_an_experiment() -> None:
    """One number for each row has an interval, one for all of them has not."""

    def each(truth: Any, probability: Any) -> Any:
        return np.abs((truth == "rare") - probability[:, 1])

    def one(truth: Any, probability: Any, weights: Any) -> float:
        return float(np.average(each(truth, probability), weights=weights))

    scores = []
    for loss in (each, one):
        experiment = Experiment(X, Y, loss=loss, sample_weight=WEIGHTS)
        experiment.try_(LogisticRegression())
        scores.append(experiment.test())
    assert scores[0].loss == pytest.approx(scores[1].loss)
    assert scores[0].loss_name == "each"
    assert np.isfinite(scores[0].interval).all()
    assert scores[1].interval == (-math.inf, math.inf)
    assert "unknown: one number for all rows" in str(scores[1])


@allow_one_leaf
def test_a_function_of_numbers_in_an_experiment() -> None:
    experiment = Experiment(
        X, X[:, 0] ** 2, (0.8, 0.2), loss=lambda truth, value: float(np.abs(truth - value).max())
    )
    assert experiment.try_(TreeRegressor(prune=None, leaf="mean")).training_loss == 0.0
    whole = Experiment(X, np.arange(400) % 3, loss=lambda truth, value: (truth - value) ** 2)
    assert whole.try_(TreeRegressor(prune=None, min_samples_split=1000)).training_loss == pytest.approx(
        2 / 3, rel=0.01
    )


def test_a_wrong_function_is_refused() -> None:
    experiment = Experiment(X, Y, loss=lambda truth, probability: "small")
    with pytest.raises(ParameterError, match="must return a number, or one for each of the 280 rows"):
        experiment.try_(TreeClassifier())


@pytest.mark.parametrize("name", list(SCORES))
def test_permutation_importance(name: str) -> None:
    model = TreeClassifier(max_depth=3, prune=None, leaf="frequency").fit(X, Y)
    found = permutation_importance(model, X, Y, loss=name, sample_weight=WEIGHTS, repeats=3)
    assert found.baseline == pytest.approx(1 - SCORES[name](model, X, Y, WEIGHTS))
    assert found.loss == f"1 - {name}"
    assert found.mean.argmax() == 0
    pipeline = permutation_importance(Slow(model), X, Y, loss=name, sample_weight=WEIGHTS, repeats=3)
    np.testing.assert_allclose(found.values, pipeline.values, rtol=1e-9, atol=1e-12)


class Slow:
    """A model that is no tree of ours, so that it is asked about shuffled tables."""

    def __init__(self, model: Any) -> None:
        self.classes_, self.predict, self.predict_proba = model.classes_, model.predict, model.predict_proba


def test_permutation_importance_by_a_function_of_probabilities() -> None:
    model = TreeClassifier(max_depth=3, prune=None, leaf="laplace").fit(X, Y)

    def brier(truth: Any, probability: Any) -> Any:
        return 2 * ((truth == "rare") - probability[:, 1]) ** 2

    own, known = (permutation_importance(model, X, Y, loss=loss) for loss in (brier, "brier"))
    np.testing.assert_allclose(own.values, known.values, rtol=1e-9, atol=1e-12)


# Measures that are reported beside the loss


@pytest.mark.parametrize("split", [(0.4, 0.3, 0.3), (0.7, 0.3)])
def test_measures_beside_the_loss(split: Any) -> None:
    """On the same rows as the loss, as scores, and without a say in the choice."""

    def sure(truth: Any, probability: Any) -> Any:
        return probability.max(axis=1)

    experiment = Experiment(X, Y, split, measures=[*SCORES, "brier", sure], loss="log_loss", folds=3)
    alone = Experiment(X, Y, split, loss="log_loss", folds=3)
    model = TreeClassifier(prune=None, leaf="laplace")
    grid = {"max_depth": [1, 3, 5]}
    results, known = experiment.grid(model, grid), alone.grid(model, grid)
    assert [r.development_loss for r in results] == [r.development_loss for r in known]
    assert experiment.best.setting == alone.best.setting
    fitted = experiment.best.estimator
    if experiment.split.development is not None:
        rows = experiment.split.development
        for name, metric in SCORES.items():
            expected = metric(fitted, X[rows], Y[rows], None)
            assert experiment.best.result.measures[name] == pytest.approx(expected)
    for name in (*SCORES, "brier"):
        by_name = Experiment(X, Y, split, loss=name, folds=3).grid(model, grid)
        for result, other in zip(results, by_name, strict=True):
            loss = 1 - result.measures[name] if name in SCORES else result.measures[name]
            assert loss == pytest.approx(other.development_loss)
    score = experiment.test()
    rows = experiment.split.test
    assert score.measures["auc"] == pytest.approx(SCORES["auc"](fitted, X[rows], Y[rows], None))
    assert 0.5 < score.measures["sure"] < 1
    assert f"auc {score.measures['auc']:.4g}, average_precision" in str(score)
    assert results.to_frame()["brier"].tolist() == [r.measures["brier"] for r in results]
    assert "balanced_accuracy" in str(results).splitlines()[0]


def test_a_measure_that_rows_do_not_allow_is_unknown() -> None:
    """Development data of one class have no AUC; as the loss it is refused."""
    y = np.where(np.arange(400) == 5, "rare", "common")
    result = Experiment(X, y, measures=["auc"]).try_(TreeClassifier(prune=None))
    assert math.isnan(result.measures["auc"])
    with pytest.raises(DataError, match="auc needs rows of two classes at least"):
        Experiment(X, y, loss="auc").try_(TreeClassifier(prune=None))
    folds = Experiment(X, y, (0.8, 0.2), folds=3, measures=["auc"], random_state=1)
    assert (
        math.isnan(folds.try_(TreeClassifier(prune=None)).measures["auc"])
        == (y[folds.split.training] == "common").all()
    )


@pytest.mark.parametrize(
    ("measures", "sentence"),
    [
        ("auc", r"measures='auc' is not a list.\nHint: write measures="),
        (["acu"], "loss='acu' is not known.*Did you mean 'auc'"),
        (["squared_error"], "measures holds 'squared_error', which is not for classes as targets"),
        ([None], "measures holds None"),
        (["auc", "auc"], "measures holds 'auc' twice"),
    ],
)
def test_measures_that_are_refused(measures: Any, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        Experiment(X, Y, measures=measures).try_(TreeClassifier())
