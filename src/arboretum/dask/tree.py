"""Trees of a table in parts: coded once, grown side by side, assembled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import Any, Final

from arboretum import _core
from arboretum._data import Dataset
from arboretum._grow.core_options import core_options
from arboretum._grow.targets import Targets
from arboretum._options.criteria import impurity_of
from arboretum._options.missing import POLICIES
from arboretum._options.settings import Settings
from arboretum._tree.leaves import LeafRule, number_leaves
from arboretum._tree.tree import Target, Tree
from arboretum.dask.assembly import assemble
from arboretum.dask.bins import Bins, find_bins, put_borders, put_in_bins
from arboretum.dask.columns import (
    choose_coding,
    levels_seen,
    merge_sketches,
    shared_columns,
    sketch_columns,
    step_for,
)
from arboretum.dask.growing import Level, TopGrowth
from arboretum.dask.nodes import GrowingTree
from arboretum.dask.part import Facts, Subtree, encode_part, facts_of
from arboretum.dask.roots import Root, add_terms, root_rows, weight_terms
from arboretum.dask.runner import Handle, Runner
from arboretum.errors import import_pandas

SMALL_ROWS: Final = 50_000  # a node of so many rows is finished in memory


@dataclass(frozen=True)
class Grown:
    """What it took to grow a tree."""

    levels: tuple[Level, ...]

    def __repr__(self) -> str:
        if not self.levels:
            return "no level: the whole table was small enough for one worker"
        lines = [[field.name for field in fields(Level)]]
        lines += [[_shown(value) for value in astuple(level)] for level in self.levels]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)

    def to_frame(self) -> Any:
        """Return the levels as a pandas data frame, one row each."""
        names = [field.name for field in fields(Level)]
        rows = [astuple(level) for level in self.levels]
        return import_pandas("growth_.to_frame()").DataFrame(rows, columns=names)


def _shown(value: Any) -> str:
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"


@dataclass(frozen=True)
class PartedTable:
    """A table in parts: typed columns with a target per row, the same columns in all parts."""

    empty: Dataset  # the columns, without rows
    rows: Sequence[Handle]  # of each part, its columns and targets
    n_rows: int
    weighted: bool
    classes: tuple[object, ...] | None  # None: numbers


class PartedGrowth:
    """A table in parts with the settings, coded once, from which trees can be grown repeatedly."""

    def __init__(
        self,
        runner: Runner,
        table: PartedTable,
        settings: Settings,
        rule: LeafRule | None,
        monotone: list[int],
        *,
        small_rows: int = SMALL_ROWS,
    ) -> None:
        self.runner: Runner = runner
        self.settings: Settings = settings
        self.rule: LeafRule | None = rule
        self.monotone: list[int] = monotone
        self._small_rows = small_rows
        self.table: PartedTable = replace(table, rows=())  # once they are coded, workers may let the rows go
        self._bins: tuple[Bins | None, ...] = (None,) * len(table.empty.columns)
        if settings.max_bins is not None:
            self._bins = find_bins(runner, table.rows, table.empty, settings.max_bins)
            table, settings = self._in_bins(table), replace(settings, max_bins=None)
        form = _core.TargetForm(impurity_of(settings.criterion), len(table.classes or ()), table.weighted)
        sketches = runner.merged(
            merge_sketches, runner.each(sketch_columns, table.rows, common=(step_for(table.n_rows),))
        )
        coding, self._n_codes = choose_coding(form, table.n_rows, table.empty, sketches)
        self.parts: list[Handle] = runner.each(encode_part, table.rows, common=(coding,))
        self.facts: Facts = runner.merged(Facts.add, runner.each(facts_of, self.parts))
        self._columns = shared_columns(table.empty, coding, self.facts)
        self._whole = Subtree(
            *(settings, table.empty.schema, monotone, rule, form, table.n_rows),
            *(levels_seen(self.facts), tuple(self.facts.missing.tolist())),
            in_bins=tuple(own is not None for own in self._bins),
        )
        self.root: Root = Root(table.n_rows)
        self.levels: list[Level] = []

    @property
    def strength(self) -> float:
        """How strongly the predictions of grown trees are drawn towards the nodes above."""
        return self.settings.shrinkage._fixed(of_classes=self.rule is not None)

    def trees(self, roots: Sequence[Root], folds: Sequence[Handle] | None = None) -> list[Tree]:
        """Return a tree for each of the roots, grown side by side.

        `folds` holds for each part the folds of its rows, round by round; None where none is held out.
        """
        given = [None] * len(self.parts) if folds is None else folds
        rows = self.runner.each(root_rows, self.parts, given, common=(tuple(roots),))
        weights = self._weights_of_roots(rows, roots)
        growing = [
            GrowingTree(replace(self._whole, n_rows=root.n_rows, bare=root.bare, total_weight=weight))
            for root, weight in zip(roots, weights, strict=True)
        ]
        growth = TopGrowth(
            *(self.runner, self.parts, self._columns, growing),
            n_codes=self._n_codes,
            small_rows=self._small_rows,
        )
        growth.grow(rows)
        self.levels += growth.levels
        return [self._tree(own, root) for own, root in zip(growing, roots, strict=True)]

    def _in_bins(self, table: PartedTable) -> PartedTable:
        """Return the table with numbers of buckets in the columns that have buckets."""
        rows = self.runner.each(put_in_bins, table.rows, common=(self._bins,))
        empty, _ = put_in_bins((table.empty, Targets(0)), self._bins)
        return replace(table, empty=empty, rows=rows)

    def _weights_of_roots(self, rows: Sequence[Handle], roots: Sequence[Root]) -> list[float]:
        """Return the weights that shares of the weight refer to, if there are such limits."""
        if self.settings.min_weight_fraction_leaf == 0:
            return [0.0] * len(roots)
        if not self.table.weighted:
            return [float(root.n_rows) for root in roots]
        found = self.runner.merged(add_terms, self.runner.each(weight_terms, self.parts, rows))
        return [math.fsum(terms) for terms in found]

    def _tree(self, grown: GrowingTree, root: Root) -> Tree:
        of_classes = self.rule is not None
        corrected = self._columns.corrects(grown.options)
        arrays = assemble(
            grown.nodes, of_classes=of_classes, corrected=corrected, max_leaves=grown.subtree.max_leaves
        )
        if any(grown.subtree.in_bins):
            own = core_options(self.settings, Targets(0), self.table.empty.schema, self.monotone, self.rule)
            put_borders(arrays, self.table.empty, self._bins, own)
        strength = self.strength if root.strength is None else root.strength
        leaves = number_leaves if self.rule is None else self.rule.leaves
        return Tree(
            self.table.empty.schema,
            Target(self.table.classes),
            self.settings.criterion,
            arrays | leaves(arrays, strength),
            missing=POLICIES[self.settings.missing].rule,
            rule=self.rule,
            shrinkage=strength,
            as_grown=True,
        )
