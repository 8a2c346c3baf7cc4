"""The estimators: parameters, fitted model and methods of the ordinary ones, fitted on a cluster."""

from __future__ import annotations

from typing import Any, Self

from distributed import Client
from sklearn.base import clone

from arboretum import estimators as ordinary
from arboretum._data.class_weights import resolve_factors
from arboretum._grow.growth import leaf_rule
from arboretum._options.by_column import resolve_monotone
from arboretum._options.exclusions import refuse_excluded
from arboretum._options.running import progress
from arboretum._options.settings import Settings
from arboretum._prune.cost_complexity import CostComplexity
from arboretum.dask.cluster import OnWorkers, current_client, usable
from arboretum.dask.offered import (
    refuse_classes,
    refuse_given,
    refuse_not_offered,
)
from arboretum.dask.partitions import naming_partitions, partitions_of, refuse_uneven
from arboretum.dask.pruning import grow_and_prune
from arboretum.dask.reading import (
    Agreement,
    Description,
    add_class_sums,
    add_fingerprints,
    agree,
    chosen_rows,
    class_sums,
    describe,
    match_part,
    read_part,
    refuse_far_apart,
    refuse_unread,
    training_data_of,
    weight_spans,
    weights_of,
    with_weights,
)
from arboretum.dask.runner import Handle, Runner
from arboretum.dask.tree import SMALL_ROWS, Grown, PartedGrowth, PartedTable
from arboretum.dask.tuning import Parts, TuningForm, tuning_of
from arboretum.estimators.base_tree import BaseTree
from arboretum.estimators.fitted_state import FittedState


class _OnDask(BaseTree):
    """What both estimators share: a fit over partitions."""

    growth_: Grown

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        client: Client | None = None,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        output_weights: Any = None,
    ) -> Self:
        """Grow the tree from Dask data frames or arrays, or from lists of delayed tables, on the workers.

        `X`, `y` and `sample_weight` have the same partitions. `client` is the one whose workers are to work;
        None takes the current one. So have tuning data, `X_val`, `y_val` and `sample_weight_val`, by which a
        pruner decides. `groups` and `output_weights` are those of the ordinary `fit`; they are refused here.
        """
        settings = self._settings()
        refuse_not_offered(settings)
        refuse_given({"groups": groups, "output_weights": output_weights})
        self._check_tuning(settings.prune, X_val, y_val, sample_weight_val)
        client = usable(current_client() if client is None else client)
        with OnWorkers(client) as runner:
            parts = {
                "X": partitions_of(runner, client, X, "X"),
                "y": partitions_of(runner, client, y, "y"),
                "sample_weight": None
                if sample_weight is None
                else partitions_of(runner, client, sample_weight, "sample_weight"),
            }
            refuse_uneven(parts)
            given = {"X_val": X_val, "y_val": y_val, "sample_weight_val": sample_weight_val}
            tuning = {
                name: None if own is None else partitions_of(runner, client, own, name)
                for name, own in given.items()
            }
            refuse_uneven(tuning)
            self._state, self.growth_ = fit_parts(runner, parts, settings, type(self).__name__, tuning=tuning)
        return self


def fit_parts(
    runner: Runner,
    parts: dict[str, list[Handle] | None],
    settings: Settings,
    owner: str,
    *,
    small_rows: int = SMALL_ROWS,
    tuning: Parts | None = None,
) -> tuple[FittedState, Grown]:
    """Return what a fit over partitions leaves behind, and how it went.

    `parts` is emptied: what is no longer needed is let go, so that workers have room.
    """
    raw, described = read_parts(runner, parts, settings, owner)
    weighted = any(part.is_weighted for part in described)
    agreement = agree(described, settings)
    raw = runner.each(chosen_rows, raw, common=(settings.missing,))
    prints = _fingerprints(runner, raw, agreement, weighted=weighted)
    classes = agreement.classes
    factors = rule = None
    monotone = resolve_monotone(settings.monotonic_cst, agreement.empty.schema)
    if classes is not None:
        refuse_excluded(settings, several_classes=len(classes) > 2)
        sums = runner.merged(add_class_sums, runner.each(class_sums, raw, common=(classes, owner)))
        options = {name: getattr(settings, name) for name in ("class_weight", "priors", "loss")}
        factors = resolve_factors(classes, sums.sum(axis=1), **options)
        refuse_classes(classes, factors)
        rule = leaf_rule(settings.leaf_layers[-1], factors)
        monotone = monotone if len(classes) == 2 else []
    rows = runner.each(match_part, raw, common=(agreement, factors, owner))
    del raw
    flags = runner.values(runner.each(weights_of, rows))
    deciding, reported = (any(own[i] for own in flags) for i in range(2))
    rows = runner.each(with_weights, rows, common=(deciding, reported))
    refuse_far_apart(runner.values(runner.each(weight_spans, rows)), agreement.n_rows)
    labels = None if classes is None else tuple(classes.tolist())
    table = PartedTable(agreement.empty, rows, agreement.n_rows, deciding, labels)
    growth = PartedGrowth(runner, table, settings, rule, monotone, small_rows=small_rows)
    del rows, table
    judges = None
    if tuning is not None and tuning["X_val"] is not None:
        shape = (agreement.empty.schema, agreement.empty.named, classes, rule)
        form = TuningForm(*shape, settings.criterion, settings.missing == "error", owner)
        judges = tuning_of(runner, tuning, form)
    pruned, pruner = grow_and_prune(growth, judges), settings.prune
    state = FittedState(
        pruned,
        named=agreement.empty.named,
        n_rows_dropped=agreement.n_dropped,
        training_data=training_data_of(
            agreement, growth.facts.levels, runner.values([prints])[0], weighted=weighted
        ),
        sequencer=clone(pruner) if isinstance(pruner, CostComplexity) else CostComplexity(alpha=0.0),
        classes=classes,
    )
    return state, Grown(tuple(growth.levels))


def read_parts(
    runner: Runner, parts: dict[str, list[Handle] | None], settings: Settings, owner: str
) -> tuple[list[Handle], list[Description]]:
    """Return the partitions as they are, and what is known of them; `parts` is emptied."""
    tables, targets, weights = (parts[name] for name in ("X", "y", "sample_weight"))
    assert tables is not None
    assert targets is not None
    given = (tables, targets, weights or [None] * len(tables), range(len(tables)))
    raw = runner.each(read_part, *given, common=(settings, owner))
    described = runner.each(describe, raw, common=(settings.missing,))
    with naming_partitions(parts):
        for _ in progress(runner.arriving(described), len(raw), "partitions", shown=settings.verbose):
            pass
        known = refuse_unread(runner.values(described))
    parts.clear()
    return raw, known


def _fingerprints(runner: Runner, raw: list[Handle], agreement: Agreement, *, weighted: bool) -> Handle:
    """Return how far the fingerprints get: one part after the other, while the tree grows."""
    states = None
    for part in raw:
        (states,) = runner.each(add_fingerprints, [states], [part], common=(agreement, weighted))
    return states


class TreeClassifier(_OnDask, ordinary.TreeClassifier):
    """A decision tree for classes, grown from a table in partitions: the same as from the whole table.

    Parameters are those of `TreeClassifier`. What is offered, and what is refused: docs/dask.md.

    After `fit`, it is an ordinary fitted model. Print `growth_` to see what each level of the tree took:
    nodes that were searched, rounds of finer counts, bytes that were merged, seconds; `growth_.to_frame()`
    has the same as a data frame.
    """

    _stored_as = ordinary.TreeClassifier


class TreeRegressor(_OnDask, ordinary.TreeRegressor):
    """A decision tree for numbers, grown from a table in partitions: the same as from the whole table.

    Parameters are those of `TreeRegressor`. What is offered, and what is refused: docs/dask.md.

    After `fit`, it is an ordinary fitted model. Print `growth_` to see what each level of the tree took:
    nodes that were searched, rounds of finer counts, bytes that were merged, seconds; `growth_.to_frame()`
    has the same as a data frame.
    """

    _stored_as = ordinary.TreeRegressor
