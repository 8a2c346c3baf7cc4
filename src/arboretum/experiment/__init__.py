"""Experiments: an honest way to choose a model, with training, development and test data, and curves.

Any estimator of scikit-learn's form may take part.
"""

from __future__ import annotations

from arboretum.experiment.curves import complexity_curve, learning_curve
from arboretum.experiment.experiment import Experiment
from arboretum.experiment.results import Best, Result, Results, TestScore
from arboretum.experiment.splits import Split
from arboretum.experiment.thresholds import TunedThreshold, tune_threshold
from arboretum.experiment.validation import validation_curve

__all__ = [
    "Best",
    "Experiment",
    "Result",
    "Results",
    "Split",
    "TestScore",
    "TunedThreshold",
    "complexity_curve",
    "learning_curve",
    "tune_threshold",
    "validation_curve",
]


def __dir__() -> list[str]:
    return sorted(__all__)
