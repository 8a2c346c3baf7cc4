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
from arboretum._options.settings import Settings
from arboretum._prune.cost_complexity import CostComplexity
from arboretum._prune.pruning import Pruned
from arboretum.dask.cluster import OnWorkers, current_client
from arboretum.dask.offered import (
    refuse_classes,
    refuse_given,
    refuse_not_offered,
)
from arboretum.dask.partitions import partitions_of, refuse_uneven
from arboretum.dask.reading import (
    add_class_sums,
    add_fingerprints,
    agree,
    chosen_rows,
    class_sums,
    describe,
    is_weighted,
    match_part,
    read_part,
    refuse_far_apart,
    training_data_of,
    weight_spans,
    weights_of,
    with_weights,
)
from arboretum.dask.roots import Root
from arboretum.dask.runner import Handle, Runner
from arboretum.dask.tree import SMALL_ROWS, Grown, PartedGrowth, PartedTable
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
        None takes the current one. `groups`, tuning data (`X_val`, `y_val`, `sample_weight_val`) and
        `output_weights` are those of the ordinary `fit`; they are refused here.
        """
        settings = self._settings()
        refuse_not_offered(settings)
        refuse_given({"groups": groups, "X_val": X_val, "y_val": y_val})
        refuse_given({"sample_weight_val": sample_weight_val, "output_weights": output_weights})
        client = current_client() if client is None else client
        parts = {
            "X": partitions_of(client, X, "X"),
            "y": partitions_of(client, y, "y"),
            "sample_weight": None
            if sample_weight is None
            else partitions_of(client, sample_weight, "sample_weight"),
        }
        refuse_uneven(parts)
        self._state, self.growth_ = fit_parts(OnWorkers(client), parts, settings, type(self).__name__)
        return self


def fit_parts(
    runner: Runner,
    parts: dict[str, list[Handle] | None],
    settings: Settings,
    owner: str,
    *,
    small_rows: int = SMALL_ROWS,
) -> tuple[FittedState, Grown]:
    """Return what a fit over partitions leaves behind, and how it went."""
    tables, targets, weights = parts["X"], parts["y"], parts["sample_weight"]
    assert tables is not None
    assert targets is not None
    numbers = list(range(len(tables)))
    raw = runner.each(
        read_part, tables, targets, weights or [None] * len(tables), numbers, common=(settings, owner)
    )
    weighted = any(runner.values(runner.each(is_weighted, raw)))
    described = runner.values(runner.each(describe, raw, common=(settings.of_classes, settings.missing)))
    agreement = agree(described, settings)
    raw = runner.each(chosen_rows, raw, common=(settings.missing,))
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
    flags = runner.values(runner.each(weights_of, rows))
    deciding, reported = (any(own[i] for own in flags) for i in range(2))
    rows = runner.each(with_weights, rows, common=(deciding, reported))
    refuse_far_apart(runner.values(runner.each(weight_spans, rows)), agreement.n_rows)
    labels = None if classes is None else tuple(classes.tolist())
    table = PartedTable(agreement.empty, rows, agreement.n_rows, deciding, labels)
    growth = PartedGrowth(runner, table, settings, rule, monotone, small_rows=small_rows)
    (tree,) = growth.trees([Root(table.n_rows)])
    states = None
    for part in raw:
        (states,) = runner.each(add_fingerprints, [states], [part], common=(agreement, weighted))
    (prints,) = runner.values([states])
    state = FittedState(
        Pruned(tree, tree),
        named=agreement.empty.named,
        n_rows_dropped=agreement.n_dropped,
        training_data=training_data_of(agreement, growth.facts.levels, prints, weighted=weighted),
        sequencer=clone(CostComplexity(alpha=0.0)),
        classes=classes,
    )
    return state, Grown(tuple(growth.levels))


class TreeClassifier(_OnDask, ordinary.TreeClassifier):
    """A decision tree for classes, grown from a table in partitions: the same as from the whole table.

    Parameters are those of `TreeClassifier`; prune=None has to be said, since trees are kept as grown. What
    else is offered, and what is refused: docs/dask.md.

    After `fit`, it is an ordinary fitted model. `growth_.levels` says what each level of the tree took:
    nodes that were searched, rounds of finer counts, and the bytes that were merged.
    """

    _stored_as = ordinary.TreeClassifier


class TreeRegressor(_OnDask, ordinary.TreeRegressor):
    """A decision tree for numbers, grown from a table in partitions: the same as from the whole table.

    Parameters are those of `TreeRegressor`; prune=None has to be said, since trees are kept as grown. What
    else is offered, and what is refused: docs/dask.md.

    After `fit`, it is an ordinary fitted model. `growth_.levels` says what each level of the tree took:
    nodes that were searched, rounds of finer counts, and the bytes that were merged.
    """

    _stored_as = ordinary.TreeRegressor
