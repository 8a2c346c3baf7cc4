"""How good predictions are: the same measures for the tree and for whatever it is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import stats

from arboretum._options.measures.measure import NumberMeasure
from arboretum._options.measures.of_classes import Misclassification
from arboretum._options.measures.of_order import NDCG, AveragePrecision, KendallTau
from arboretum._report.evidence.predictions import Predictions, log_losses
from arboretum._report.subject import Subject
from arboretum._types import Indices, Numbers
from arboretum.experiment.results import Estimate, estimate_loss

LEVEL: Final = 0.95
PLACES: Final = 10  # that NDCG counts


@dataclass(frozen=True)
class Score:
    """A measure by name, and whether more of it is better."""

    name: str
    value: float
    more_is_better: bool


def scores_of(subject: Subject, predictions: Predictions) -> list[Score]:
    """Return the measures of the task; the first is the one that reports speak of."""
    if subject.task == "classes":
        return _of_classes(subject, predictions)
    return _of_numbers(subject, predictions) if subject.task == "numbers" else _of_order(subject, predictions)


def _of_classes(subject: Subject, predictions: Predictions) -> list[Score]:
    truth, weight = subject.need_truth(), subject.weight
    right = (predictions.labels == truth).astype(np.float64)
    per_class = np.bincount(truth, weight)
    recall = np.bincount(truth, weight * right)[per_class > 0] / per_class[per_class > 0]
    hit = np.zeros_like(predictions.chances)
    hit[np.arange(len(truth)), truth] = 1.0
    brier = ((predictions.chances - hit) ** 2).sum(axis=1)
    return [
        Score("accuracy", float(np.average(right, weights=weight)), True),
        Score("balanced accuracy", float(recall.mean()), True),
        Score("log loss", float(np.average(log_losses(truth, predictions), weights=weight)), False),
        Score("Brier score", float(np.average(brier, weights=weight)), False),
    ]


def _of_numbers(subject: Subject, predictions: Predictions) -> list[Score]:
    truth, weight = subject.need_truth(), subject.weight
    away = predictions.values - truth
    squared = float(np.average(away**2, weights=weight))
    mean = np.average(truth, weights=weight)
    spread = float(np.average((truth - mean) ** 2, weights=weight))
    return [
        Score("mean absolute error", float(np.average(np.abs(away), weights=weight)), False),
        Score("root mean squared error", float(np.sqrt(squared)), False),
        Score("R²", 1.0 - squared / spread if spread > 0 else float("nan"), True),
    ]


def _of_order(subject: Subject, predictions: Predictions) -> list[Score]:
    assert subject.queries is not None
    truth = subject.need_truth()
    ndcg = NDCG(truth, subject.queries, PLACES, "above_lowest")
    kinds = ((f"NDCG@{PLACES}", ndcg), ("MAP", AveragePrecision(truth, subject.queries)))
    measures = [*kinds, ("Kendall's tau", KendallTau(truth, subject.queries))]
    by_query = subject.queries.means(subject.weight)
    return [
        Score(name, _mean(measure.values(predictions.values), by_query), True) for name, measure in measures
    ]


def _mean(values: Numbers, weight: Numbers) -> float:
    known = ~np.isnan(values)
    return float(np.average(values[known], weights=weight[known])) if known.any() else float("nan")


# --- what single rows lose, and intervals


def losses_of(subject: Subject, predictions: Predictions) -> tuple[Numbers, Numbers, Indices | None]:
    """Return what each row (of an order, each query) loses by the first measure, its weight and its group."""
    truth = subject.need_truth()
    if subject.task == "classes":
        return (predictions.labels != truth).astype(np.float64), subject.weight, subject.groups
    if subject.task == "numbers":
        return np.abs(predictions.values - truth), subject.weight, subject.groups
    assert subject.queries is not None
    values = NDCG(truth, subject.queries, PLACES, "above_lowest").values(predictions.values)
    known = ~np.isnan(values)
    return 1.0 - values[known], subject.queries.means(subject.weight)[known], None


def first_interval(subject: Subject, predictions: Predictions) -> tuple[float, float] | None:
    """Return the interval of the first measure; None where too few rows leave it open."""
    losses, weight, groups = losses_of(subject, predictions)
    found = _interval(subject, losses, weight, groups)
    if found is None or subject.task == "numbers":
        return found
    return 1.0 - found[1], 1.0 - found[0]


def error_interval(subject: Subject, predictions: Predictions, rows: Indices) -> tuple[float, float] | None:
    """Return the interval of the mean loss of some rows."""
    losses, weight, groups = losses_of(subject, predictions)
    return _interval(subject, losses[rows], weight[rows], None if groups is None else groups[rows])


def _interval(
    subject: Subject, losses: Numbers, weight: Numbers, groups: Indices | None
) -> tuple[float, float] | None:
    if len(losses) < 2:
        return None
    classes = np.array(subject.class_names, dtype=object)
    measure = Misclassification(classes) if subject.task == "classes" else NumberMeasure("absolute_error")
    plain = None if (weight == weight[0]).all() else weight
    estimate: Estimate = estimate_loss(measure, losses, plain, groups)
    low, high = estimate.interval(LEVEL)
    return (low, high) if np.isfinite([low, high]).all() else None


def difference(
    one: Numbers, other: Numbers, weight: Numbers, groups: Indices | None
) -> tuple[float, float, float]:
    """Return by how much the first loses more on average, with the ends of its interval."""
    apart = one - other
    mean = float(np.average(apart, weights=weight))
    unit = np.arange(len(apart)) if groups is None else np.unique(groups, return_inverse=True)[1].ravel()
    terms = np.bincount(unit, weight * (apart - mean))
    n_units = len(terms)
    if n_units < 2:
        return mean, -np.inf, np.inf
    error = np.sqrt(n_units / (n_units - 1) * float(terms @ terms)) / float(weight.sum())
    reach = float(stats.t.ppf((1 + LEVEL) / 2, n_units - 1)) * error
    return mean, mean - reach, mean + reach
