"""Judges: measures that are no sums over the nodes of a tree, such as AUC, and functions of the user's own.

They see what every tree of a sequence predicts for the rows of a fold, all at once and each fold by itself:
only rows that one tree has predicted are put in an order. Balanced accuracy is the exception: once the
weights of the classes among all held-out rows are known, it is a sum over rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from arboretum._data.class_weights import class_totals
from arboretum._options.criteria import ORDER_CRITERIA
from arboretum._options.measures.measure import Measure
from arboretum._options.measures.of_classes import BalancedAccuracy
from arboretum._options.measures.of_order import USUAL, OrderJudge, order_measure
from arboretum._options.measures.table import class_measure, function_measure
from arboretum._prune.held_out import Trial
from arboretum._prune.risks import SUMS
from arboretum._tree.tree import Tree, labels_of
from arboretum._wording import shown
from arboretum.errors import DataError


def judged_by(measure: Any, tree: Tree, trials: list[Trial]) -> list[Trial]:
    """Return the trials with a judge, if the measure needs one; those that it cannot judge are left out."""
    if tree.criterion in ORDER_CRITERIA:
        return _judged_by_order(measure, trials)
    if measure is None or measure in SUMS or (tree.rule is None and not callable(measure)):
        return trials
    judge = _judge(measure, tree, trials)
    judged = [replace(trial, judge=judge) for trial in trials]
    reasons = [judge.lacks(trial.target, trial.weights) for trial in judged]
    if all(reasons):
        raise DataError(
            f"measure={shown(measure)} cannot compare trees: {reasons[0]}\n"
            "Hint: choose fewer folds, or measure='log_loss'."
        )
    return [trial for trial, reason in zip(judged, reasons, strict=True) if reason is None]


def _judged_by_order(measure: str | None, trials: list[Trial]) -> list[Trial]:
    """Return the trials with judges that compare orders; those without an order to judge are left out."""
    if measure == "squared_error":
        return trials
    judged = [replace(trial, judge=_order_judge(measure or USUAL, trial)) for trial in trials]
    telling = [trial for trial in judged if trial.weights.any()]
    if not telling and judged:
        raise DataError(
            f"measure={measure or USUAL!r} cannot compare trees: no query that is held out has two rows of "
            "different relevance.\nHint: give more queries, choose fewer folds, or prune=None."
        )
    return telling


def _order_judge(name: str, trial: Trial) -> OrderJudge:
    order = trial.tuning.targets.order
    assert order is not None
    return OrderJudge(order_measure(name, order.relevance, order.queries), name, order.weights)


def _judge(measure: Any, tree: Tree, trials: list[Trial]) -> Measure:
    if tree.rule is None:
        return function_measure(measure, "numbers", None)
    classes = labels_of(tree)
    if callable(measure):
        return function_measure(measure, "classes", classes)
    if measure == BalancedAccuracy.name:
        codes = np.concatenate([np.asarray(trial.target.codes) for trial in trials])
        weights = np.concatenate([trial.altered_weights for trial in trials])
        return BalancedAccuracy(classes, class_totals(codes, weights, len(classes)))
    return class_measure(measure, classes)


def n_units(trials: list[Trial]) -> float:
    """Return how many independent losses there are: a row that is held out again is no new row.

    Where orders are judged, they are the queries.
    Where a function returns one number for a whole fold, they are the folds of a round; unknown for one fold.
    """
    rows = np.concatenate([trial.rows for trial in trials])
    n_rows = len(np.unique(rows))
    queries = [trial.judge.n_queries for trial in trials if isinstance(trial.judge, OrderJudge)]
    if queries:
        return sum(queries) * n_rows / len(rows)
    if not any(trial.gives_one for trial in trials):
        return n_rows
    n_folds = len(trials) * n_rows / len(rows)
    return n_folds if n_folds > 1 else np.nan
