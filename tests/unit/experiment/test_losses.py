"""What predictions cost, and how sure an average is: against sums by hand, scikit-learn and simulation.

Coverage is how often an interval holds the true loss. An estimator that always says the same makes losses
that can be added up on paper.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, mean_absolute_error, mean_squared_error
from sklearn.svm import LinearSVC
from support.marks import allow_one_leaf

from arboretum import DataError, ParameterError, TreeClassifier, TreeRegressor
from arboretum._data.rows import Target, read_target
from arboretum._options.measures.table import resolve_loss
from arboretum.experiment import Experiment
from arboretum.experiment.results import clopper_pearson, estimate_loss


class Always(ClassifierMixin, BaseEstimator):
    """Predicts one class, with the probabilities it is told."""

    def __init__(self, label: Any = "a", probability: Any = (1.0, 0.0)) -> None:
        self.label = label
        self.probability = probability

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Always:
        self.classes_ = np.array(["a", "b"], dtype=object)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.label, dtype=object)

    def predict_proba(self, X: Any) -> Any:
        return np.tile(self.probability, (len(X), 1))


class Constant(RegressorMixin, BaseEstimator):
    """Predicts one number, as a column."""

    def __init__(self, value: float = 0.0) -> None:
        self.value = value

    def fit(self, X: Any, y: Any) -> Constant:
        self.fitted_ = True
        return self

    def predict(self, X: Any) -> Any:
        return np.full((len(X), 1), self.value)


def table(n_rows: int = 40) -> tuple[Any, Any]:
    """Return ten times as many a as b, roughly."""
    return np.arange(float(n_rows)).reshape(-1, 1), np.array(
        ["b" if i % 10 == 0 else "a" for i in range(n_rows)]
    )


# --- losses


def test_zero_one() -> None:
    """28 training rows, of which 3 are b; 4 development rows, of which none is; 8 test rows with 1."""
    experiment = Experiment(*table())
    result = experiment.try_(Always("a"))
    shares = [
        np.mean(table()[1][rows] == "b") for rows in (experiment.split.training, experiment.split.development)
    ]
    assert (result.training_loss, result.development_loss) == (shares[0], shares[1])
    assert Experiment(*table()).try_(Always("c")).training_loss == 1.0  # a class that nobody knows is wrong


def test_a_matrix() -> None:
    """loss[true, predicted]: always saying b costs 2 for each a and 0 for each b, always a 5 for each b."""
    X, y = table()
    matrix = [[0, 2], [5, 0]]
    for label, cost in (("a", {"a": 0, "b": 5}), ("b", {"a": 2, "b": 0})):
        experiment = Experiment(X, y, loss=matrix)
        result = experiment.try_(Always(label))
        expected = np.mean([cost[true] for true in y[experiment.split.training]])
        assert result.training_loss == pytest.approx(expected, abs=1e-12)
    with pytest.raises(DataError, match="A class is predicted that the target does not have"):
        Experiment(X, y, loss=matrix).try_(Always("c"))


def test_a_matrix_may_pay_for_being_right() -> None:
    """Entries may be negative, and the diagonal need not be zero; the interval then goes below zero too."""
    X, y = table(200)
    experiment = Experiment(X, y, loss=[[-1.0, 2.0], [5.0, -3.0]])
    experiment.try_(Always("a"))
    score = experiment.test()
    b = np.mean(y[experiment.split.test] == "b")
    assert score.loss == pytest.approx(-1 + 6 * b)
    assert -1 <= score.interval[0] < score.loss < score.interval[1] <= 5


def test_log_loss_is_that_of_scikit_learn() -> None:
    """In nats, weighted, for probabilities that are never 0."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(300, 3)), rng.uniform(size=300)
    y = np.array(["u", "v", "w"])[np.clip(X[:, 0] + rng.normal(size=300), -1, 1).round().astype(int) + 1]
    experiment = Experiment(X, y, loss="log", sample_weight=w)
    result = experiment.try_(LogisticRegression())
    model = experiment.best.estimator
    for rows, found in (
        (experiment.split.training, result.training_loss),
        (experiment.split.development, result.development_loss),
        (experiment.split.test, experiment.test().loss),
    ):
        expected = log_loss(
            y[rows], model.predict_proba(X[rows]), sample_weight=w[rows], labels=model.classes_
        )
        assert found == pytest.approx(expected, rel=1e-12)


def test_no_probability_costs_infinitely_much() -> None:
    """p = 0 for what happened is not clipped, and does not choose; with a weight of 0 it is not counted."""
    X, y = table(200)
    experiment = Experiment(X, y, loss="log")
    assert experiment.try_(Always(probability=(1.0, 0.0))).training_loss == math.inf
    sure = experiment.try_(Always(probability=(0.9, 0.1)))
    assert sure.training_loss == pytest.approx(-0.9 * math.log(0.9) - 0.1 * math.log(0.1), rel=0.01)
    assert experiment.best.result is sure
    weight = np.where(y == "b", 0.0, 1.0)
    assert Experiment(X, y, loss="log", sample_weight=weight).try_(Always()).training_loss == 0.0


def test_infinite_loss_in_the_test() -> None:
    """What was given no chance has happened: the loss and both ends of its interval are infinite."""
    experiment = Experiment(*table(), loss="log")
    experiment.try_(Always())
    score = experiment.test()
    assert (score.loss, *score.interval) == (math.inf, math.inf, math.inf)
    assert "test loss (log_loss) inf on 8 rows" in str(score)


@allow_one_leaf
def test_log_loss_of_a_class_without_training_rows() -> None:
    """The model does not know it, so its probability is 0 and the development loss infinite."""
    X = np.arange(40.0).reshape(-1, 1)
    y = ["a", "b"] * 14 + ["c"] * 6 + ["a"] * 6
    experiment = Experiment(X, y, time=np.arange(40), loss="log")
    result = experiment.try_(TreeClassifier(leaf="laplace", max_depth=1))
    assert math.isfinite(result.training_loss)
    assert result.development_loss == math.inf


def test_log_loss_needs_probabilities() -> None:
    """An estimator without them is refused before anything is fitted."""
    with pytest.raises(
        ParameterError, match="loss='log_loss' needs probabilities, but LinearSVC has no predict_proba"
    ):
        Experiment(*table(), loss="log").try_(LinearSVC())


@allow_one_leaf
@pytest.mark.parametrize(
    ("loss", "metric"), [("squared", mean_squared_error), ("absolute", mean_absolute_error)]
)
def test_numbers(loss: str, metric: Any) -> None:
    """Squared and absolute loss are scikit-learn's, weighted."""
    rng = np.random.default_rng(1)
    X, y, w = rng.normal(size=(200, 2)), rng.normal(size=200), rng.uniform(size=200)
    experiment = Experiment(X, y, loss=loss, sample_weight=w)
    result = experiment.try_(TreeRegressor(max_depth=3))
    model = experiment.best.estimator
    for rows, found in (
        (experiment.split.training, result.training_loss),
        (experiment.split.development, result.development_loss),
        (experiment.split.test, experiment.test().loss),
    ):
        assert found == pytest.approx(
            metric(y[rows], model.predict(X[rows]), sample_weight=w[rows]), rel=1e-12
        )


def test_numbers_by_default_and_as_a_column() -> None:
    """Squared loss unless told otherwise; predictions may come as a column; what is no number is refused."""
    X, y = np.zeros((20, 1)), np.linspace(0, 1, 20)
    experiment = Experiment(X, y)
    assert experiment.try_(Constant(0.5)).training_loss == pytest.approx(
        np.mean((y[experiment.split.training] - 0.5) ** 2)
    )
    assert experiment.results.loss == "squared_error"
    with pytest.raises(DataError, match="Constant predicts something that is not a finite number") as caught:
        experiment.try_(Constant(math.nan))
    assert caught.value.__notes__ == ["This happened while Constant(value=nan) was tried with no changes."]


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (["a", "b"], "classes"),
        ([0, 1], "either"),
        ([True, False], "either"),
        ([0.0, 1.0], "either"),
        ([0.5, 1.0], "numbers"),
        (list(range(21)), "numbers"),
        (list(range(20)), "either"),
        (np.array(["a", "b"]), "classes"),
    ],
)
def test_what_a_target_is(y: Any, kind: str) -> None:
    """Text is classes, fractions are numbers, few whole numbers may be either."""
    assert read_target(y, len(y), None, "Experiment").kind == kind


# --- intervals


def zero_one(n: int) -> tuple[Any, Target]:
    target = read_target(["a", "b"] * n, 2 * n, None, "test")
    return resolve_loss("zero_one", target), target


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_exact_intervals_are_those_of_scipy(level: float) -> None:
    """All 0 ≤ k ≤ n for n = 1, 2, 7, 30: 44 shares at each level."""
    for n in (1, 2, 7, 30):
        for k in range(n + 1):
            expected = stats.binomtest(k, n).proportion_ci(level, method="exact")
            found = clopper_pearson(k, n, level)
            np.testing.assert_allclose(found, (expected.low, expected.high), atol=1e-9)


def test_the_zero_one_interval_is_exact() -> None:
    """With rows that count the same; also where all of them count 2."""
    loss, _ = zero_one(10)
    losses = np.array([1.0] * 3 + [0.0] * 17)
    expected = clopper_pearson(3, 20, 0.95)
    for weights in (None, np.full(20, 2.0)):
        estimate = estimate_loss(loss, losses, weights, None)
        assert estimate.method == "Clopper-Pearson"
        assert estimate.interval(0.95) == pytest.approx(expected)


def test_other_intervals_are_students() -> None:
    """mean ± t · s / sqrt(n), and no lower than the lowest loss."""
    target = read_target(np.linspace(0, 1, 30), 30, None, "test")
    loss = resolve_loss("squared", target)
    losses = np.random.default_rng(0).exponential(size=30)
    estimate = estimate_loss(loss, losses, None, None)
    expected = stats.ttest_1samp(losses, 0.0).confidence_interval(0.9)
    np.testing.assert_allclose(estimate.interval(0.9), (expected.low, expected.high), rtol=1e-12)
    assert estimate.interval(1 - 1e-9)[0] == 0.0
    assert estimate_loss(loss, losses[:1], None, None).interval(0.95) == (
        0.0,
        math.inf,
    )  # one row tells nothing


def test_whole_weights_of_groups_are_repeated_rows() -> None:
    """Rows of weight 2 are rows that are there twice, as one group: the same error, whatever the loss."""
    target = read_target(np.linspace(0, 1, 30), 30, None, "test")
    rng = np.random.default_rng(0)
    losses, weights = rng.exponential(size=30), rng.integers(1, 4, size=30)
    for loss, values in (
        (resolve_loss("squared", target), losses),
        (zero_one(15)[0], (losses > 1).astype(float)),
    ):
        weighted = estimate_loss(loss, values, weights.astype(float), None)
        repeated = estimate_loss(loss, np.repeat(values, weights), None, np.repeat(np.arange(30), weights))
        assert weighted.error == pytest.approx(repeated.error, rel=1e-12)
        np.testing.assert_allclose(weighted.interval(0.95), repeated.interval(0.95), rtol=0.2)


def test_without_mistakes_the_interval_is_not_empty() -> None:
    """No mistake in 20 rows of unequal weight: some are possible; a group counts as one row."""
    loss, _ = zero_one(10)
    weighted = estimate_loss(loss, np.zeros(20), np.arange(1.0, 21.0), None)
    assert 0.17 < weighted.interval(0.95)[1] < 0.3  # 0.168 for 20 rows that count the same
    grouped = estimate_loss(loss, np.zeros(20), None, np.repeat(np.arange(5), 4))
    assert grouped.interval(0.95) == pytest.approx(clopper_pearson(0, 5, 0.95))
    assert grouped.method == "Clopper-Pearson with 5.0 effective rows"


@pytest.mark.parametrize("kind", ["plain", "weights", "groups", "squared"])
def test_intervals_cover_what_they_promise(kind: str) -> None:
    """2,000 simulated test sets of 60 rows, level 0.9: the true loss lies inside at least 88 % of the time.

    Groups of four rows are mistaken together: with a plain interval only about 65 % would cover.
    """
    rng = np.random.default_rng(11)
    loss, _ = zero_one(30)
    if kind == "squared":
        loss = resolve_loss("squared", read_target([0.5], 1, None, "test"))
    covered = 0
    for _ in range(2000):
        weights, groups, truth = None, None, 0.2
        losses = (rng.uniform(size=60) < truth).astype(float)
        if kind == "weights":
            weights = rng.exponential(size=60)
        if kind == "groups":
            groups = np.repeat(np.arange(15), 4)
            losses = np.repeat((rng.uniform(size=15) < truth).astype(float), 4)
        if kind == "squared":
            losses, truth = rng.normal(size=60) ** 2, 1.0
        low, high = estimate_loss(loss, losses, weights, groups).interval(0.9)
        covered += low <= truth <= high
    assert covered / 2000 >= (0.86 if kind == "squared" else 0.88)  # squares are skewed, 60 rows not many
    assert covered / 2000 < 0.99


def test_groups_widen_the_interval_of_a_test() -> None:
    """The rows of a group say the same thing, so the interval is wider than that of as many plain rows."""
    rng = np.random.default_rng(2)
    label = rng.integers(0, 2, size=50)
    X, y = rng.normal(size=(500, 2)), np.repeat(label, 10)
    scores = []
    for groups in (None, np.repeat(np.arange(50), 10)):
        experiment = Experiment(X, y, groups=groups)
        experiment.try_(Majority())
        scores.append(experiment.test())
    widths = [score.interval[1] - score.interval[0] for score in scores]
    assert widths[1] > 1.5 * widths[0]
    assert "effective rows" in str(scores[1])


class Majority(ClassifierMixin, BaseEstimator):
    """Predicts 1."""

    def fit(self, X: Any, y: Any) -> Majority:
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X: Any) -> Any:
        return np.ones(len(X), dtype=int)
