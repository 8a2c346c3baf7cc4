"""A tree of a table in parts: coded, grown, assembled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any, Final

from arboretum import _core
from arboretum._data import Dataset
from arboretum._options.criteria import impurity_of
from arboretum._options.missing import POLICIES
from arboretum._options.settings import Settings
from arboretum._tree.leaves import LeafRule, number_leaves
from arboretum._tree.tree import Target, Tree
from arboretum.dask.assembly import assemble
from arboretum.dask.columns import (
    choose_coding,
    levels_seen,
    merge_sketches,
    shared_columns,
    sketch_columns,
    step_for,
)
from arboretum.dask.growing import Level, TopGrowth
from arboretum.dask.part import Facts, Subtree, encode_part, facts_of
from arboretum.dask.runner import Handle, Runner
from arboretum.errors import import_pandas

SMALL_ROWS: Final = 50_000  # a node of so many rows is finished in memory


@dataclass(frozen=True)
class Grown:
    """A tree and what it took to grow it."""

    tree: Tree
    facts: Facts
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


@dataclass(frozen=True)
class CodedTable:
    """The table as it is searched, and what must be known of it."""

    parts: Sequence[Handle]
    n_codes: int
    columns: _core.SharedColumns
    facts: Facts
    subtree: Subtree
    classes: tuple[object, ...] | None


def grow_tree(
    runner: Runner,
    table: PartedTable,
    settings: Settings,
    rule: LeafRule | None,
    monotone: list[int],
    *,
    small_rows: int = SMALL_ROWS,
) -> Grown:
    """Return the tree that would be grown if all rows lay in one place."""
    coded = code_table(runner, table, settings, rule, monotone)
    return grow_coded(runner, coded, small_rows=small_rows)


def code_table(
    runner: Runner, table: PartedTable, settings: Settings, rule: LeafRule | None, monotone: list[int]
) -> CodedTable:
    """Return the table with its columns coded."""
    form = _core.TargetForm(impurity_of(settings.criterion), len(table.classes or ()), table.weighted)
    sketches = runner.merged(
        merge_sketches, runner.each(sketch_columns, table.rows, common=(step_for(table.n_rows),))
    )
    coding, n_codes = choose_coding(form, table.n_rows, table.empty, sketches)
    parts = runner.each(encode_part, table.rows, common=(coding,))
    facts = runner.merged(Facts.add, runner.each(facts_of, parts))
    schema = table.empty.schema
    subtree = Subtree(
        *(settings, schema, monotone, rule, form, table.n_rows),
        *(levels_seen(facts), tuple(facts.missing.tolist())),
    )
    columns = shared_columns(table.empty, coding, facts)
    return CodedTable(parts, n_codes, columns, facts, subtree, table.classes)


def grow_coded(runner: Runner, table: CodedTable, *, small_rows: int = SMALL_ROWS) -> Grown:
    """Return the tree of a table that is coded already."""
    subtree, columns, of_classes = table.subtree, table.columns, table.classes is not None
    settings, rule = subtree.settings, subtree.rule
    growth = TopGrowth(runner, table.parts, columns, subtree, n_codes=table.n_codes, small_rows=small_rows)
    growth.grow()
    corrected = columns.corrects(subtree.core_options())
    arrays = assemble(growth.nodes, of_classes=of_classes, corrected=corrected)
    strength = settings.shrinkage._fixed(of_classes=of_classes)
    leaves = number_leaves if rule is None else rule.leaves
    tree = Tree(
        subtree.columns,
        Target(table.classes),
        settings.criterion,
        arrays | leaves(arrays, strength),
        missing=POLICIES[settings.missing].rule,
        rule=rule,
        shrinkage=strength,
        as_grown=True,
    )
    return Grown(tree, table.facts, tuple(growth.levels))
