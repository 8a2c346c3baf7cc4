"""How good an answer is: one function per measure, and what each is called.

Probabilities have a column per class of the whole table, in sorted order; a class is told by its position.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from .tables import Array

__all__ = [
    "LEAST_PROBABILITY",
    "MEASURES",
    "Measure",
    "accuracy",
    "balanced_accuracy",
    "brier",
    "explained",
    "judge_classes",
    "judge_numbers",
    "log_loss",
    "ranking",
]

Numbers = npt.NDArray[np.float64]

# Log-loss of a class that was given no chance at all is that of this probability: about 34.5.
LEAST_PROBABILITY = 1e-15


@dataclass(frozen=True)
class Measure:
    """What a measure is called and which way is better."""

    key: str  # in records
    title: str  # in reports
    higher_is_better: bool
    digits: int = 3
    of_classes: bool = True
    of_numbers: bool = False
    geometric: bool = False  # how it is averaged


MEASURES = (
    Measure("accuracy", "accuracy", True),
    Measure("balanced", "balanced accuracy", True),
    Measure("auc", "AUC", True),
    Measure("log_loss", "log-loss", False),
    Measure("brier", "Brier", False),
    Measure("r2", "R²", True, of_classes=False, of_numbers=True),
    Measure("leaves", "leaves", False, 1, of_numbers=True, geometric=True),
    Measure("seconds", "seconds", False, of_numbers=True),
)


def accuracy(truth: Array, predicted: Array) -> float:
    """The share of rows whose class is told right."""
    return float(np.mean(truth == predicted))


def balanced_accuracy(truth: Array, predicted: Array) -> float:
    """The mean over classes of the share told right; a class without held-out rows does not count."""
    return float(np.mean([np.mean(predicted[truth == k] == k) for k in np.unique(truth)]))


def ranking(truth: Array, probabilities: Numbers) -> float:
    """AUC: two classes as they are; of more, the mean of each class against the rest."""
    if probabilities.shape[1] == 2:
        return area_under_curve(truth == 1, probabilities[:, 1])
    areas = [area_under_curve(truth == k, probabilities[:, k]) for k in np.unique(truth)]
    return float(np.mean(areas))


def area_under_curve(positive: npt.NDArray[np.bool_], scores: Numbers) -> float:
    """The chance that a positive row has the higher score, ties counted half; nan if one side is empty."""
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    if not n_positive or not n_negative:
        return float("nan")
    rank_sum = float(rankdata(scores)[positive].sum())
    return (rank_sum - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)


def log_loss(truth: Array, probabilities: Numbers) -> float:
    """The mean of -ln of the probability given to the true class."""
    given = probabilities[np.arange(len(truth)), truth]
    return float(-np.log(np.clip(given, LEAST_PROBABILITY, 1.0)).mean())


def brier(truth: Array, probabilities: Numbers) -> float:
    """The squared distance of the probabilities from the truth, summed over classes: 0 to 2."""
    hits = np.eye(probabilities.shape[1])[truth]
    return float(((probabilities - hits) ** 2).sum(axis=1).mean())


def explained(truth: Numbers, predicted: Numbers) -> float:
    """R²: the share of the held-out variance that is explained; below 0 where the mean would do better."""
    return float(1 - ((truth - predicted) ** 2).sum() / ((truth - truth.mean()) ** 2).sum())


OF_LABELS: dict[str, Callable[[Array, Array], float]] = {
    "accuracy": accuracy,
    "balanced": balanced_accuracy,
}
OF_PROBABILITIES: dict[str, Callable[[Array, Numbers], float]] = {
    "auc": ranking,
    "log_loss": log_loss,
    "brier": brier,
}


def judge_classes(truth: Array, labels: Array, probabilities: Numbers) -> dict[str, float]:
    """All measures of classes."""
    found = {name: measure(truth, labels) for name, measure in OF_LABELS.items()}
    return found | {name: measure(truth, probabilities) for name, measure in OF_PROBABILITIES.items()}


def judge_numbers(truth: Numbers, predicted: Numbers) -> dict[str, float]:
    """All measures of numbers."""
    return {"r2": explained(truth, predicted)}
