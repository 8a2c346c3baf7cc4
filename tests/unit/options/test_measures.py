"""Measures: against scikit-learn's metrics, against derivatives by hand, and what functions may return."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    log_loss,
    mean_absolute_error,
    mean_squared_error,
    roc_auc_score,
)

from arboretum import DataError, ParameterError, TreeClassifier, TreeRegressor
from arboretum._data.rows import Target, read_target
from arboretum._options.measures.measure import Measure, average
from arboretum._options.measures.of_classes import BalancedAccuracy
from arboretum._options.measures.table import NAMES, measure_kind, resolve_loss

LABELS = np.array(["a", "b", "c"])


def rows(seed: int, n_classes: int) -> tuple[Target, Any, Any, Any]:
    """Return a target, labels, probabilities with many ties, as trees have them, and weights; some are 0."""
    random = np.random.default_rng(seed)
    y = LABELS[np.append(np.arange(n_classes), random.choice(n_classes, 80))]
    leaves = random.dirichlet(np.ones(n_classes), 7)
    probability = leaves[random.integers(0, 7, len(y))]
    return (
        read_target(y, len(y), "classes", "test"),
        y,
        probability,
        random.integers(0, 4, len(y)).astype(float),
    )


def one_minus_auc(y: Any, p: Any, w: Any) -> float:
    if p.shape[1] == 2:
        return 1 - float(roc_auc_score(y == "b", p[:, 1], sample_weight=w))
    return 1 - float(roc_auc_score(y, p, sample_weight=w, multi_class="ovr"))


def one_minus_precision(y: Any, p: Any, w: Any) -> float:
    if p.shape[1] == 2:
        return 1 - float(average_precision_score(y == "b", p[:, 1], sample_weight=w))
    return 1 - float(average_precision_score(y, p, sample_weight=w))


def labels_of(p: Any) -> Any:
    return LABELS[p.argmax(axis=1)]


# What scikit-learn says; its accuracies and areas are scores, which the table has as losses.
SKLEARN: dict[str, Any] = {
    "misclassification": lambda y, p, w: 1 - accuracy_score(y, labels_of(p), sample_weight=w),
    "log_loss": lambda y, p, w: log_loss(y, p, sample_weight=w),
    "brier": lambda y, p, w: brier_score_loss(
        y,
        p if p.shape[1] > 2 else p[:, 1],
        sample_weight=w,
        scale_by_half=False,
        **({} if p.shape[1] > 2 else {"pos_label": "b"}),
    ),
    "balanced_accuracy": lambda y, p, w: 1 - balanced_accuracy_score(y, labels_of(p), sample_weight=w),
    "auc": one_minus_auc,
    "average_precision": one_minus_precision,
}


def form(measure: Measure, probability: Any) -> Any:
    """Return probabilities in the form that the measure reads."""
    return measure.read(probability, None)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", list(SKLEARN))
def test_a_measure_is_that_of_scikit_learn(name: str, n_classes: int, weighted: bool) -> None:
    for seed in range(10):
        target, y, probability, weights = rows(seed, n_classes)
        w = weights if weighted else None
        measure = resolve_loss(name, target)
        found = average(measure.each(target, form(measure, probability), w), w)
        assert found == pytest.approx(SKLEARN[name](y, probability, w), rel=1e-10), seed


def test_no_measure_is_left_out() -> None:
    of_classes = {name for name in NAMES if measure_kind(name) == "classes"}
    assert of_classes == set(SKLEARN)
    assert set(NAMES) - of_classes == {"squared_error", "absolute_error"}


@pytest.mark.parametrize(
    ("name", "metric"), [("squared_error", mean_squared_error), ("absolute_error", mean_absolute_error)]
)
def test_numbers(name: str, metric: Any) -> None:
    random = np.random.default_rng(0)
    y, p, w = random.normal(size=(3, 40))
    w = np.abs(w)
    target = read_target(y, 40, None, "test")
    assert average(resolve_loss(name, target).each(target, p, w), w) == pytest.approx(
        metric(y, p, sample_weight=w)
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ["balanced_accuracy", "auc", "average_precision"])
def test_rows_cost_what_more_weight_changes(name: str, n_classes: int) -> None:
    """What a row costs beyond the measure itself is the derivative by its weight, times all weight."""
    for seed in range(5):
        target, _, probability, weights = rows(seed, n_classes)
        weights = weights + 1.0
        measure = resolve_loss(name, target)
        predicted, step = form(measure, probability), 1e-5

        def value(w: Any) -> float:
            return average(measure.each(target, predicted, w), w)  # noqa: B023 - called in this round only

        found = measure.each(target, predicted, weights) - value(weights)
        slopes = [
            (value(weights + step * one) - value(weights - step * one)) / (2 * step)
            for one in np.eye(len(weights))
        ]
        np.testing.assert_allclose(found, np.array(slopes) * weights.sum(), atol=1e-5)


def test_the_spread_of_auc_is_that_of_delong() -> None:
    """Var(placements of the positives) / positives + the same of the negatives."""
    target, y, probability, _ = rows(3, 2)
    positive, score = y == "b", probability[:, 1]
    wins = (score[positive][:, None] > score[~positive]) + 0.5 * (
        score[positive][:, None] == score[~positive]
    )
    expected = wins.mean(axis=1).var() / positive.sum() + wins.mean(axis=0).var() / (~positive).sum()
    losses = resolve_loss("auc", target).each(target, probability)
    assert losses.var() / len(losses) == pytest.approx(expected, rel=1e-12)


def test_balanced_accuracy_of_parts_adds_up_to_that_of_the_table() -> None:
    """With the classes' weights in the whole table, the mean over any parts is the loss of the whole."""
    target, y, probability, weights = rows(1, 3)
    totals = np.bincount(np.asarray(target.codes), weights)
    measure = BalancedAccuracy(LABELS, totals)
    predicted = form(measure, probability)
    parts = [np.arange(0, len(y), 2), np.arange(1, len(y), 2)]
    losses = np.concatenate([measure.each(target.take(p), predicted[p], weights[p]) for p in parts])
    expected = 1 - balanced_accuracy_score(y, labels_of(probability), sample_weight=weights)
    assert average(losses, weights[np.concatenate(parts)]) == pytest.approx(expected)


def test_classes_without_rows() -> None:
    """Balanced accuracy counts the classes that have rows; areas leave out those that cannot be ranked."""
    _, y, probability, _ = rows(0, 3)
    kept = y != "c"
    target = Target(LABELS, np.searchsorted(LABELS, y[kept]), None)
    balanced = resolve_loss("balanced_accuracy", target)
    found = average(balanced.each(target, form(balanced, probability[kept])), None)
    recalls = [np.mean(labels_of(probability)[y == label] == label) for label in "ab"]
    assert found == pytest.approx(1 - np.mean(recalls))
    auc = average(resolve_loss("auc", target).each(target, probability[kept]), None)
    each = [roc_auc_score(y[kept] == label, probability[kept, k]) for k, label in enumerate("ab")]
    assert auc == pytest.approx(1 - np.mean(each))


@pytest.mark.parametrize("name", ["auc", "average_precision"])
def test_an_order_needs_two_classes(name: str) -> None:
    target = Target(LABELS[:2], np.zeros(5, dtype=np.intp), None)
    with pytest.raises(DataError, match=f"{name} needs rows of two classes at least, but 5 rows have one"):
        resolve_loss(name, target).each(target, np.full((5, 2), 0.5))


def test_older_names_stand_for_the_same() -> None:
    classes, numbers = read_target(list("ab"), 2, None, "test"), read_target([0.5, 1.5], 2, None, "test")
    for old, new, target in (
        ("zero_one", "misclassification", classes),
        ("log", "log_loss", classes),
        ("squared", "squared_error", numbers),
        ("absolute", "absolute_error", numbers),
    ):
        assert resolve_loss(old, target).name == new


# Functions


def test_a_function_gets_labels_and_probabilities() -> None:
    target, y, probability, weights = rows(0, 3)
    seen: list[Any] = []

    def cost(truth: Any, predicted: Any, w: Any) -> float:
        seen.append((truth, predicted, w))
        return float(log_loss(truth, predicted, sample_weight=w))

    measure = resolve_loss(cost, target)
    assert average(measure.each(target, probability, weights), weights) == pytest.approx(
        log_loss(y, probability, sample_weight=weights)
    )
    measure.each(target, probability)
    assert seen[0][0].tolist() == y.tolist()
    assert (seen[0][1] == probability).all()
    assert (seen[1][2] == 1).all()  # no weights are weights of 1


def test_a_function_of_numbers_and_one_number_for_each_row() -> None:
    random = np.random.default_rng(0)
    y, p, w = random.normal(size=(3, 40))
    target = read_target(y, 40, None, "test")
    measure = resolve_loss(lambda truth, predicted: np.abs(truth - predicted), target)
    assert average(measure.each(target, p, w**2), w**2) == pytest.approx(
        mean_absolute_error(y, p, sample_weight=w**2)
    )


def test_what_whole_numbers_are_the_estimator_says() -> None:
    target = read_target([0, 1, 1, 0], 4, None, "test")
    assert resolve_loss(np.mean, target, TreeRegressor()).kind == "numbers"
    assert resolve_loss(np.mean, target, TreeClassifier()).kind == "classes"


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (
            lambda y, p: "much",
            "<lambda> returns <U4 of shape .*must return a number, or one for each of the 83 rows",
        ),
        (lambda y, p: None, "returns object of shape"),
        (lambda y, p: [1.0, 2.0], r"returns float64 of shape \(2,\)"),
        (lambda y, p: [[1.0], [1.0, 2.0]], "returns object of shape"),
        (lambda y, p: 1j, "returns complex128"),
        (
            lambda y, p: float("nan"),
            "<lambda> returns nan for 83 rows; it must return a number, the lower the better",
        ),
    ],
)
def test_what_a_function_must_return(function: Any, sentence: str) -> None:
    target, _, probability, _ = rows(0, 3)
    with pytest.raises(ParameterError, match=sentence):
        resolve_loss(function, target).each(target, probability)


def test_one_number_leaves_no_place_for_weights() -> None:
    target, _, probability, weights = rows(0, 3)
    with pytest.raises(ParameterError, match="take the weights as its third argument"):
        resolve_loss(lambda y, p: 1.0, target).each(target, probability, weights)
