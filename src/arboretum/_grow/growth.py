"""Growth: a table, its targets and the settings, from which trees can be grown repeatedly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arboretum import _core
from arboretum._data import Column, Dataset
from arboretum._data.class_weights import ClassFactors, class_totals, resolve_factors, scale
from arboretum._data.queries import Queries
from arboretum._grow.core_options import core_options, only_to_judge
from arboretum._grow.leaves.filling import LeafRows
from arboretum._grow.optimal import Report, Search, search_tree
from arboretum._grow.significance.asked import Tested
from arboretum._grow.significance.choosing import ChooseColumns, ColumnTest, chooser
from arboretum._grow.significance.stopping import p_values
from arboretum._grow.targets import (
    Order,
    Targets,
    centred_values,
    class_targets,
    evenly,
    held_out_order,
    number_targets,
    ranked_targets,
    refuse_targets,
)
from arboretum._grow.training_rows import TrainingRows
from arboretum._options.criteria import impurity_of
from arboretum._options.exclusions import refuse_excluded
from arboretum._options.missing import POLICIES
from arboretum._options.optimal import Optimal
from arboretum._options.settings import Settings
from arboretum._options.strategies import MEstimate
from arboretum._options.strategy import Strategy
from arboretum._tree.leaves import LeafRule, number_leaves
from arboretum._tree.surgery import collapse
from arboretum._tree.tree import Target, Tree, core_dataset
from arboretum._types import Array, Numbers, RowNumbers
from arboretum.errors import DataError


@dataclass(frozen=True)
class ColumnDraw:
    """How many columns each node may ask about, drawn anew for each node, and the seed of the draws."""

    n_columns: int
    seed: int


@dataclass(frozen=True)
class Growth:
    """A table with its targets and settings. Pruners grow further trees from parts of its rows."""

    settings: Settings
    columns: tuple[Column, ...]
    target: Target
    targets: Targets
    monotone: list[int]
    rule: LeafRule | None  # None: numbers
    table: Dataset
    data: _core.Dataset  # the same table, as the core holds it
    is_even: bool = False  # weights are in units of the average row already, where that matters
    also_seen: tuple[_core.Dataset, ...] = ()  # other rows, whose values thresholds="table" may take
    draw: ColumnDraw | None = None  # which columns each node may ask about; None: all

    def tree(
        self,
        rows: RowNumbers | None = None,
        *,
        also_seen: Sequence[_core.Dataset] = (),
        bare: bool = False,
        strength: float | None = None,
        in_place: bool = False,
        plan: _core.Plan | None = None,
    ) -> Tree:
        """Return the tree of all rows, or of these alone: fully grown, within the limits.

        What classes weigh was decided once, from all rows; shares of rows are those of the rows given. With
        `thresholds="table"`, the table includes the rows of `also_seen`, which are not grown from. A `bare`
        tree is only judged, never shown: it remembers no competitors, and cuts at midpoints where thresholds
        should be round. With `significance`, the tree ends where a test fails. `strength` is that of
        shrinkage, if it is not the usual one. `in_place` grows from the rows as they lie in the table, which
        pays once codes are shared; without it they are copied to a table of their own first. A `plan` says
        what the tree asks.
        """
        targets = self.targets if rows is None else self.targets.take(rows)
        if self.settings.counts_weight and not self.is_even:
            targets = evenly(targets)
        options = self._options(targets)
        if bare:
            only_to_judge(options)
        test = self.settings.significance
        searched = isinstance(self.settings.search, Optimal)
        others_look_on = also_seen or self.also_seen or self.settings.filled_leaves
        in_place = in_place and test is None and not others_look_on and not searched
        data = self.data if rows is None or in_place else self.data.take(rows)
        if options.thresholds == _core.Thresholds.table:
            for other in (*self.also_seen, *also_seen):
                data.also_saw(other)
        if plan is None and isinstance(self.settings.search, Optimal):
            plan = self._search(self.settings.search, data, targets, options).best.plan
        if plan is not None:
            plan.set_in(options)
        table = self.table if rows is None or test is None else self.table.take(rows)
        choose = chooser(test, table, targets) if isinstance(test, ColumnTest) else None
        if in_place and rows is not None:
            arrays, remembered, terms = self._grow(data, self.targets, options, sample=rows)
        else:
            arrays, remembered, terms = self._grow(data, targets, options, choose)
        if choose is not None:
            arrays.setdefault("p_value", np.full(len(arrays["parent"]), np.nan))
        if targets.order is not None:
            arrays["value"] = centred_values(arrays["value"], targets)
        strength = self.strength if strength is None else strength
        leaves = number_leaves if self.rule is None else self.rule.leaves
        predictions = leaves(arrays, strength)

        def make(**more: Array) -> Tree:
            return Tree(
                self.columns,
                self.target,
                self.settings.criterion,
                arrays | predictions | more,
                missing=self._missing_rule(any_remembered=bool(remembered)),
                remembered=remembered,
                terms=terms,
                rule=self.rule,
                shrinkage=strength,
                as_grown=True,
            )

        def finish(tree: Tree) -> Tree:
            for leaf in self.settings.filled_leaves:
                table = self.table if rows is None else self.table.take(rows)
                tree = leaf._grown(tree, LeafRows(data, targets, table))
            return tree

        if test is None or choose is not None:
            return finish(make())
        if test._searches:
            self.share_codes()
        found = p_values(self._tested(make(), table, rows, targets), test)
        return finish(collapse(make(p_value=found), found > test.level))

    def search(
        self,
        search: Optimal,
        rows: RowNumbers | None = None,
        *,
        leaf_penalty: float | None = None,
        seconds: float | None = None,
        report: Report | None = None,
    ) -> Search:
        """Return the best tree of all rows, or of these alone, as a plan that `tree` grows."""
        targets = self.targets if rows is None else self.targets.take(rows)
        data = self.data if rows is None else self.data.take(rows)
        return self._search(
            search,
            data,
            targets,
            self._options(targets),
            leaf_penalty=leaf_penalty,
            seconds=seconds,
            report=report,
        )

    def _search(
        self,
        search: Optimal,
        data: _core.Dataset,
        targets: Targets,
        options: _core.GrowOptions,
        **limits: Any,
    ) -> Search:
        return search_tree(search, data, targets, self.columns, self.rule, options, **limits)

    def _grow(
        self,
        data: _core.Dataset,
        targets: Targets,
        options: _core.GrowOptions,
        choose: ChooseColumns | None = None,
        sample: RowNumbers | None = None,
    ) -> Any:
        """Return what the core grows: the arrays of nodes, of remembered questions, and of terms."""
        try:
            return _core.grow_tree(
                data,
                impurity_of(self.settings.criterion),
                targets.classes,
                targets.n_classes,
                targets.numbers,
                targets.weights,
                targets.case_weights,
                options,
                choose,
                sample,
            )
        except _core.TooManyNodes as error:
            raise too_many_nodes(self.columns, error) from error

    @property
    def strength(self) -> float:
        """How strongly the predictions of grown trees are drawn towards the nodes above."""
        return self.settings.shrinkage._fixed(of_classes=self.rule is not None)

    def _missing_rule(self, *, any_remembered: bool) -> str:
        """Return what happens to rows with a missing value, in the terms of `Tree`."""
        surrogate = self.settings.surrogate
        if surrogate is not None and (surrogate.send == "never" or not any_remembered):
            return "child"
        return POLICIES[self.settings.missing].rule

    def _options(self, targets: Targets) -> _core.GrowOptions:
        options = core_options(self.settings, targets, self.columns, self.monotone, self.rule)
        if self.draw is not None:
            options.drawn_columns, options.draw_seed = self.draw.n_columns, self.draw.seed
        return options

    def _tested(self, tree: Tree, table: Dataset, rows: RowNumbers | None, targets: Targets) -> Tested:
        """Return the grown tree and its rows, in the form that tests take."""

        def take(chosen: RowNumbers) -> _core.Dataset:
            # Straight from the whole table, whose codes hold for what is taken from it, but not twice.
            return self.data.take(chosen if rows is None else rows[chosen])

        return Tested(
            tree,
            table,
            targets,
            take,
            lambda: self._options(targets),
            self._grow,
            self.settings.random_state,
        )

    def part(self, rows: RowNumbers) -> Growth:
        """Return the same for these rows alone; what classes weigh stays as it was decided for all."""
        return replace(
            self, targets=self.targets.take(rows), table=self.table.take(rows), data=self.data.take(rows)
        )

    def share_codes(self) -> None:
        """Encode the columns once for all trees grown from parts of the rows."""
        self.data.encode(self.settings.n_jobs)

    def held_out_targets(
        self, known: Array, weights: Numbers | None, queries: Queries | None = None
    ) -> Targets:
        """Return the targets of rows that no tree is grown from: class numbers or numbers, and weights."""
        if queries is not None:
            return held_out_order(Order(known, queries, weights), self.settings.criterion)
        return tuning_targets(known, weights, self.settings.criterion, self.rule)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.targets.n_rows


def tuning_targets(known: Array, weights: Numbers | None, criterion: str, rule: LeafRule | None) -> Targets:
    """Return the targets of rows that no tree is grown from, where no order is learnt."""
    if rule is None:
        refuse_targets(known, criterion)
        return Targets(len(known), numbers=known, weights=weights)
    assert rule.class_weight is not None
    weights = scale(weights, rule.class_weight, known)
    return Targets(len(known), classes=known, n_classes=len(rule.prior), weights=weights)


def too_many_nodes(columns: tuple[Column, ...], error: Exception) -> DataError:
    """Return what is said of a column with too many levels; the core's text is the number of the column."""
    column = columns[int(str(error))]
    return DataError(
        f"A branch for each of the {len(column.levels or ()):,} levels of column {column.name!r} "
        "would make a tree of more than 20 million nodes, nearly all of them empty.\n"
        "Hint: choose nominal='subset', or limit max_depth or max_leaf_nodes."
    )


def prepare_growth(
    settings: Settings,
    rows: TrainingRows,
    classes: Array | None,
    monotone: list[int],
    queries: Queries | None = None,
) -> tuple[TrainingRows, Growth]:
    """Return the rows that count, and what trees are grown from; without classes, targets are numbers."""
    if queries is not None:
        target, rule = Target(), None
        rows, targets = ranked_targets(rows, queries, settings.criterion)
    elif classes is None:
        target, rule, targets = Target(), None, number_targets(rows, settings.criterion)
    else:
        refuse_excluded(settings, several_classes=len(classes) > 2)
        totals = class_totals(rows.targets, rows.weights, len(classes))
        options = {name: getattr(settings, name) for name in ("class_weight", "priors", "loss")}
        factors = resolve_factors(classes, totals, **options)
        rows = rows.only(factors.case[rows.targets] > 0)
        target, rule = Target(tuple(classes.tolist())), leaf_rule(settings.leaf_layers[-1], factors)
        targets = class_targets(rows, len(classes), factors)
        monotone = monotone if len(classes) == 2 else []
    data = rows.data
    return rows, Growth(settings, data.schema, target, targets, monotone, rule, data, core_dataset(data))


def leaf_rule(leaf: str | Strategy, factors: ClassFactors) -> LeafRule:
    """Return how class weights become probabilities, for classes that count by these factors."""
    n_classes = len(factors.shares)
    if isinstance(leaf, MEstimate):
        return LeafRule.of(factors, float(leaf.m))
    if leaf == "laplace":
        return LeafRule.of(factors, float(n_classes), np.full(n_classes, 1.0 / n_classes))
    return LeafRule.of(factors)
