"""The core's options, filled in from the settings and the targets. Choices have the core's own names."""

from __future__ import annotations

from typing import Final

import numpy as np

from arboretum import _core
from arboretum._data import Column
from arboretum._grow.round_steps import round_steps
from arboretum._grow.significance.choosing import ColumnTest
from arboretum._grow.targets import Targets
from arboretum._options.by_column import resolve_costs
from arboretum._options.missing import POLICIES
from arboretum._options.settings import Settings
from arboretum._options.strategies import Lookahead, MofN, Oblique
from arboretum._tree.composites import may_be_added
from arboretum._tree.leaves import LeafRule

_MOST: Final = 2**32 - 1


def core_options(
    settings: Settings,
    targets: Targets,
    columns: tuple[Column, ...],
    monotone: list[int],
    rule: LeafRule | None,
) -> _core.GrowOptions:
    """Return the core's options for trees of these targets; shares of rows become numbers of rows."""
    options = _core.GrowOptions()
    options.thresholds = _core.Thresholds[settings.thresholds]
    if settings.thresholds == "round":
        options.round_steps = [round_steps(column) for column in columns]
    options.nominal = _core.Nominal[settings.nominal]
    options.correct_levels = corrects_levels(settings)
    options.competitors = _at_most(settings.competitors)
    options.max_depth = _at_most(settings.max_depth)
    options.max_leaves = _at_most(settings.max_leaf_nodes)
    if settings.max_leaf_nodes is not None:
        options.order = _core.Order.best_first
    options.min_split_rows = max(2, _rows(settings.min_samples_split, targets.n_rows, least=2))
    options.min_leaf_rows = _rows(settings.min_samples_leaf, targets.n_rows, least=1)
    for leaf in settings.filled_leaves:
        options.min_leaf_rows = max(options.min_leaf_rows, leaf._least_rows)
    if settings.min_weight_fraction_leaf > 0:
        options.min_leaf_weight = settings.min_weight_fraction_leaf * targets.total_weight
    options.row_weight = targets.row_weight
    options.min_decrease = settings.min_impurity_decrease
    options.max_bins = _at_most(settings.max_bins)
    options.n_threads = settings.n_jobs
    options.monotone = monotone
    options.costs = resolve_costs(settings.column_costs, columns)
    if rule is not None:
        options.smoothing_m, options.smoothing_prior = rule.m, float(rule.prior[-1])
    _set_ratio(options, settings)
    _set_missing(options, settings)
    _set_questions(options, settings, columns)
    _set_search(options, settings)
    return options


def only_to_judge(options: _core.GrowOptions) -> None:
    """Set what differs for a tree that is only judged, never shown: cuts at midpoints, no competitors."""
    options.competitors = 0
    if options.thresholds == _core.Thresholds.round:  # so that the same size is chosen
        options.thresholds = _core.Thresholds.midpoint


def corrects_levels(settings: Settings) -> bool:
    """Return whether gains are corrected for levels; a test that chooses the column asks for no gain."""
    return settings.levels == "corrected" and not isinstance(settings.significance, ColumnTest)


def _set_ratio(options: _core.GrowOptions, settings: Settings) -> None:
    if (ratio := settings.ratio) is not None:
        options.ratio.decides = True
        options.ratio.guard = _core.Guard[ratio.guard or "none"]
        options.ratio.numeric_penalty = bool(ratio.numeric_penalty)


def _set_missing(options: _core.GrowOptions, settings: Settings) -> None:
    options.missing = POLICIES[settings.missing].grown
    if (surrogate := settings.surrogate) is not None:
        options.surrogates.most = _at_most(surrogate.max_surrogates)
        options.surrogates.send = _core.Send[surrogate.send]
        options.surrogates.agreement = _core.Agreement[surrogate.agreement]


def _set_questions(options: _core.GrowOptions, settings: Settings, columns: tuple[Column, ...]) -> None:
    match settings.questions:
        case MofN() as chosen:
            options.questions = _core.Questions.m_of_n
            options.m_of_n.max_n = _at_most(chosen.max_n)
            options.m_of_n.beam = _at_most(chosen.beam)
            options.m_of_n.deletion = bool(chosen.deletion)
            options.m_of_n.dips = chosen.climb == "dips"
        case Oblique() as chosen:
            options.questions = _core.Questions.oblique
            options.oblique.max_terms = _at_most(chosen.max_terms)
            options.oblique.restarts = _at_most(chosen.restarts)
            options.oblique.sweeps = _at_most(chosen.sweeps)
            options.oblique.usable = columns_in_sums(columns)


def _set_search(options: _core.GrowOptions, settings: Settings) -> None:
    if isinstance(ahead := settings.search, Lookahead):
        options.lookahead.depth = _at_most(ahead.depth)
        options.lookahead.top = _at_most(ahead.top)
        if ahead.time_limit is not None:
            options.lookahead.seconds = float(ahead.time_limit)


def columns_in_sums(columns: tuple[Column, ...]) -> list[int]:
    """Return 1 for each column that a sum may contain, 0 for the others."""
    return [int(column.kind == "nominal" or may_be_added(column)) for column in columns]


def _rows(given: int | float, n_rows: int, *, least: int) -> int:
    """Return a number of rows, given as a number or as a share of all rows."""
    return min(given, _MOST) if isinstance(given, int) else max(least, int(np.ceil(given * n_rows)))


def _at_most(value: int | None) -> int:
    """Return a limit in the core's form, where None means no limit."""
    return _MOST if value is None else min(int(value), _MOST)
