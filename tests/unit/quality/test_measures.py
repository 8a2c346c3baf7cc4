"""The measures of `benchmarks/quality` against scikit-learn's, and where scikit-learn has none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn import metrics

from benchmarks.quality.measures import (
    LEAST_PROBABILITY,
    MEASURES,
    accuracy,
    balanced_accuracy,
    brier,
    explained,
    judge_classes,
    judge_numbers,
    log_loss,
    ranking,
)


@pytest.fixture(params=[2, 4], ids=["two classes", "four classes"])
def answer(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray]:
    """Classes and probabilities, with ties as trees give them."""
    random = np.random.default_rng(5)
    leaves = random.dirichlet(np.ones(request.param), size=7)
    return random.integers(0, request.param, 200), leaves[random.integers(0, 7, 200)]


def test_of_classes(answer: tuple[np.ndarray, np.ndarray]) -> None:
    truth, probabilities = answer
    labels, n_classes = probabilities.argmax(axis=1), probabilities.shape[1]
    assert accuracy(truth, labels) == pytest.approx(metrics.accuracy_score(truth, labels))
    assert balanced_accuracy(truth, labels) == pytest.approx(metrics.balanced_accuracy_score(truth, labels))
    assert log_loss(truth, probabilities) == pytest.approx(metrics.log_loss(truth, probabilities))
    scores = probabilities[:, 1] if n_classes == 2 else probabilities
    assert ranking(truth, probabilities) == pytest.approx(
        metrics.roc_auc_score(truth, scores, multi_class="ovr")
    )
    one_by_one = [metrics.brier_score_loss(truth == k, probabilities[:, k]) for k in range(n_classes)]
    assert brier(truth, probabilities) == pytest.approx(sum(one_by_one))


def test_of_numbers() -> None:
    random = np.random.default_rng(5)
    truth = random.normal(size=50)
    predicted = truth + random.normal(size=50)
    assert explained(truth, predicted) == pytest.approx(metrics.r2_score(truth, predicted))


def test_no_chance_given_to_the_truth_costs_a_stated_amount() -> None:
    certain = np.array([[1.0, 0.0], [1.0, 0.0]])
    assert log_loss(np.array([0, 1]), certain) == pytest.approx(-math.log(LEAST_PROBABILITY) / 2)


def test_a_class_without_held_out_rows_does_not_count() -> None:
    """Of three classes, the last has no row here."""
    truth = np.array([0, 0, 1, 1])
    probabilities = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
    labels = probabilities.argmax(axis=1)
    assert balanced_accuracy(truth, labels) == 0.5
    assert ranking(truth, probabilities) == pytest.approx(
        np.mean([metrics.roc_auc_score(truth == k, probabilities[:, k]) for k in (0, 1)])
    )


def test_every_measure_is_judged() -> None:
    probabilities = np.array([[0.9, 0.1], [0.2, 0.8]])
    of_classes = judge_classes(np.array([0, 1]), np.array([0, 1]), probabilities)
    of_numbers = judge_numbers(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    of_fits = {"leaves", "seconds"}
    assert set(of_classes) | of_fits == {measure.key for measure in MEASURES if measure.of_classes}
    assert set(of_numbers) | of_fits == {measure.key for measure in MEASURES if measure.of_numbers}
