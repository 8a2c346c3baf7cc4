"""Options of an estimator are checked before any data are read: all that can be refused without a table.

What depends on the columns, the classes or the number of rows is checked where it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from arboretum.class_weights import check_class_options
from arboretum.column_costs import check_costs
from arboretum.combinations import refuse_excluded
from arboretum.criteria import CLASS_CRITERIA, NUMBER_CRITERIA, resolve_criterion
from arboretum.growing import Targets, resolve_options
from arboretum.leaves import check_leaf
from arboretum.progress import resolve_verbose
from arboretum.pruning.cost_complexity import CostComplexity
from arboretum.pruning.folds import check_folds, resolve_random
from arboretum.pruning.risks import resolve_measure
from arboretum.pruning.strategies import resolve_pruner
from arboretum.significance.strategies import resolve_significance
from arboretum.training_rows import resolve_missing

__all__ = ["check_options"]


def check_options(params: Mapping[str, Any], *, of_classes: bool) -> None:
    """Refuse parameters of an estimator that no table could make right."""
    criterion = resolve_criterion(params["criterion"], CLASS_CRITERIA if of_classes else NUMBER_CRITERIA)
    resolve_missing(params["missing"])
    resolve_options(params, Targets(1))  # a share of the rows is right or wrong for any number of them
    resolve_significance(params["significance"], of_classes=of_classes)
    _check_pruning(params["prune"], criterion, of_classes=of_classes)
    if of_classes:
        check_leaf(params["leaf"])
        check_class_options(params)
    check_costs(params["column_costs"])
    resolve_random(params["random_state"])
    resolve_verbose(params["verbose"])
    constrained = _constrains(params["monotonic_cst"])
    refuse_excluded(params, constrained=constrained, n_classes=2 if of_classes else 0)


def _check_pruning(prune: Any, criterion: str, *, of_classes: bool) -> None:
    pruner = resolve_pruner(prune)
    if pruner is not None:
        pruner._check()
    if isinstance(pruner, CostComplexity):
        resolve_measure(pruner.measure, criterion, of_classes=of_classes)
        if isinstance(pruner.alpha, str) and pruner.alpha != "holdout":
            check_folds(pruner.folds)


def _constrains(monotonic_cst: Any) -> bool:
    """Return whether some column is constrained, as far as that can be told without the columns."""
    directions = monotonic_cst.values() if isinstance(monotonic_cst, Mapping) else monotonic_cst
    if isinstance(directions, str) or not isinstance(directions, Iterable):
        return False
    return any(isinstance(direction, int | float) and direction != 0 for direction in list(directions))
