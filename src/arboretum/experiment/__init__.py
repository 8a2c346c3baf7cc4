"""Experiments: an honest way to choose a model. Training, development and test data, and curves.

Words: those of a lecture on learning: *training*, *development*, *test* data, *underfitting*, *overfitting*.
Trees are grown elsewhere, and any estimator of scikit-learn's form may take part.

    targets, labels, rows    what the caller gives: the target; groups, times, strata; the table
    apportionment, splits    how many rows each part gets; which
    losses, intervals        what predictions cost; how sure an average is
    settings, candidates, studies    what is tried; what Optuna proposes
    fitting, folds           one fit; cross-validation where there are no development data
    results, scores          what came out
    learning, complexity     the two curves
    experiment, curves       the front: the object, and the curves as functions
"""

from __future__ import annotations

from arboretum.experiment.curves import complexity_curve, learning_curve
from arboretum.experiment.experiment import Experiment
from arboretum.experiment.results import Best, Result, Results
from arboretum.experiment.scores import TestScore
from arboretum.experiment.splits import Split

__all__ = [
    "Best",
    "Experiment",
    "Result",
    "Results",
    "Split",
    "TestScore",
    "complexity_curve",
    "learning_curve",
]
