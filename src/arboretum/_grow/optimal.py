"""The search for an optimal tree: settings and targets become what the core takes, and its answer a plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from arboretum import _core
from arboretum._data import Column
from arboretum._grow.targets import Targets
from arboretum._options.optimal import Optimal
from arboretum._tree.leaves import LeafRule
from arboretum._types import Numbers
from arboretum.errors import DataError

Report = Callable[[float, float, float], None]
_MEGABYTE: Final = 1e6
_MOST: Final = 2**32 - 1


@dataclass(frozen=True)
class Planned:
    """A tree that was found: its questions, its cost, and what any such tree costs at least."""

    plan: _core.Plan
    objective: float
    bound: float
    column: int = -1  # of the root, where it was given


@dataclass(frozen=True)
class Search:
    """What a search found, and what ended it."""

    best: Planned
    stopped_by: str
    seconds: float
    work: int
    history: tuple[tuple[float, float, float], ...]
    alternatives: tuple[Planned, ...]


def search_tree(
    search: Optimal,
    data: _core.Dataset,
    targets: Targets,
    columns: tuple[Column, ...],
    rule: LeafRule | None,
    grown: _core.GrowOptions,
    *,
    leaf_penalty: float | None = None,
    seconds: float | None = None,
    report: Report | None = None,
) -> Search:
    """Return the best tree of these rows within the limits of growth, which `grown` has in the core's form.

    `leaf_penalty` and `seconds` take the place of those of the strategy.
    """
    price = search.leaf_penalty if leaf_penalty is None else leaf_penalty
    options = _options(search, grown, price, search.time_limit if seconds is None else seconds)
    weights = _costs_of_rows(targets, rule)
    if rule is not None and rule.loss is not None:
        options.loss = rule.loss.ravel().tolist()
    try:
        found = _core.optimal_tree(
            data, targets.classes, targets.n_classes, targets.numbers, weights, options, report
        )
    except _core.TooManyLevels as error:  # its text is the numbers of the column and of its levels
        number, n_levels = map(int, str(error).split())
        raise DataError(
            f"Column {columns[number].name!r} has {n_levels:,} levels, and search=Optimal tries all subsets "
            f"of up to nominal_levels={search.nominal_levels}.\n"
            "Hint: choose nominal='one_vs_rest', merge rare levels, or raise nominal_levels: each further "
            "level doubles the time."
        ) from error
    first_leaf = price * float(targets.n_rows if weights is None else weights.sum())

    def planned(column: int, objective: float, bound: float, plan: _core.Plan) -> Planned:
        return Planned(plan, objective + first_leaf, bound + first_leaf, column)

    return Search(
        planned(*found["best"]),
        found["stopped_by"],
        found["seconds"],
        int(found["passes"]),
        tuple((at, cost + first_leaf, bound + first_leaf) for at, cost, bound in found["history"]),
        tuple(planned(*each) for each in found["alternatives"]),
    )


def _options(
    search: Optimal, grown: _core.GrowOptions, price: float, seconds: float | None
) -> _core.OptimalOptions:
    options = _core.OptimalOptions()
    options.max_depth, options.max_leaves = grown.max_depth, grown.max_leaves
    options.min_leaf_rows, options.min_split_rows = grown.min_leaf_rows, grown.min_split_rows
    options.nominal, options.n_threads = grown.nominal, grown.n_threads
    options.most_levels = min(search.nominal_levels, 30)
    options.leaf_penalty, options.gap = price, search.gap
    options.keep_when_interrupted = search.on_interrupt == "keep"
    options.alternatives = bool(search.alternatives)
    if seconds is not None:
        options.seconds = seconds
    if search.work_limit is not None:
        options.passes = float(search.work_limit)
    if search.memory_limit is not None:
        options.bytes = search.memory_limit * _MEGABYTE
    return options


def _costs_of_rows(targets: Targets, rule: LeafRule | None) -> Numbers | None:
    """Return what a mistake about each row costs, up to the losses; None if that is 1 for all of them.

    The weights that decide the splits of other trees have the losses in them already.
    """
    if rule is None or rule.loss is None:
        return targets.weights
    reported = targets.reported_weights
    factors = rule.factors
    if reported is None and (factors == 1).all():
        return None
    given = np.ones(targets.n_rows) if reported is None else reported
    return np.ascontiguousarray(given * factors[targets.classes])
