"""Tables with their kinds, and models, from the options that name them.

Words: a *reading* is everything that was said about how a table is written; a *lesson* is a table to learn
from: columns, target, weights and groups. Models are files of `arboretum.save`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from arboretum.cli.speaking import Voice
from arboretum.cli.values import names_of
from arboretum.errors import DataError, ParameterError, listing
from arboretum.plurals import many

if TYPE_CHECKING:
    from arboretum.dataset import Column
    from arboretum.tables import Choices, Dialect, Format, Report

__all__ = [
    "Lesson",
    "Reading",
    "file_size",
    "load_model",
    "read_lesson",
    "schema_of",
    "tree_of_model",
]


@dataclass(frozen=True)
class Reading:
    """What was said about how a table is written, and about its columns."""

    format: str | None = None
    separator: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."
    no_header: bool = False
    missing_values: str | None = None
    nominal: Sequence[str] | None = None
    numeric: Sequence[str] | None = None
    ordered: Sequence[str] | None = None
    drop: Sequence[str] | None = None

    def format_of(self, path: str) -> Format:
        """Return the format of a file."""
        from arboretum.tables import format_of

        return format_of(path, self.format)

    @property
    def dialect(self) -> Dialect:
        """How text is written."""
        from arboretum.tables import Dialect

        return Dialect(self.separator, self.encoding, not self.no_header)

    @property
    def choices(self) -> Choices:
        """What the columns are said to be."""
        from arboretum.tables import Choices
        from arboretum.tables.missing import parse_tokens

        if self.decimal not in (".", ","):
            raise ParameterError(f"--decimal {self.decimal!r} is not allowed; choose '.' or ','.")
        return Choices(
            names_of(self.nominal),
            names_of(self.numeric),
            names_of(self.drop),
            {name: levels for text in self.ordered or () for name, levels in _levels_in_order(text).items()},
            parse_tokens(self.missing_values),
            self.decimal,
        )


def _levels_in_order(written: str) -> dict[str, tuple[str, ...]]:
    """Return {column: levels} of `size=small,large`, or columns without levels of `size,grade`."""
    name, sign, levels = written.partition("=")
    if not sign:
        return dict.fromkeys(names_of([written]), ())
    found = tuple(level.strip() for level in levels.split(","))
    if not name.strip() or not all(found) or len(set(found)) < len(found):
        raise ParameterError(
            f"--ordered {written!r} cannot be read.\n"
            "Hint: write the column and its levels, each once: size=small,medium,large."
        )
    return {name.strip(): found}


@dataclass(frozen=True)
class Lesson:
    """A table to learn from: columns X, target y, and weights and groups if there are any."""

    X: Any
    y: Any
    target_kind: str
    weights: Any = None
    groups: Any = None
    times: Any = None
    levels: Any = None
    ordered: Any = None
    reports: tuple[Report, ...] = ()

    @property
    def table(self) -> list[dict[str, Any]]:
        """What the columns were taken for, as a document for machines."""
        return [
            {
                "name": report.name,
                "kind": report.kind,
                "missing": report.missing,
                "missing_values": dict(report.tokens),
                "notes": list(report.notes),
            }
            for report in self.reports
        ]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.X.num_rows)

    def take(self, rows: Any) -> Lesson:
        """Return some of the rows."""
        import numpy as np

        def some(values: Any) -> Any:
            return None if values is None else np.asarray(values, dtype=object)[rows].tolist()

        return replace(
            self,
            X=self.X.take(rows),
            y=some(self.y),
            weights=some(self.weights),
            groups=some(self.groups),
            times=some(self.times),
        )


def read_lesson(
    path: str,
    target: str,
    reading: Reading,
    voice: Voice,
    *,
    weights: str | None = None,
    groups: str | None = None,
    time: str | None = None,
) -> Lesson:
    """Read a table, show what its columns were taken for, and take the target apart from the rest."""
    from arboretum.tables import give_kinds, read_table
    from arboretum.tables.kinds import find_columns

    said = reading.choices
    table = read_table(path, reading.format_of(path), reading.dialect)
    roles = {name: role for name, role in _roles(target, weights, groups, time) if name is not None}
    for option, name in (
        ("--target", target),
        ("--weights", weights),
        ("--groups", groups),
        ("--time", time),
    ):
        if name is not None:
            _find_column(table.names, name, option, reading)
            if name in said.drop:
                raise ParameterError(f"{option} names the column {name!r}, which --drop leaves out.")
    if len(roles) < sum(name is not None for name in (target, weights, groups, time)):
        raise ParameterError("--target, --weights, --groups and --time must be different columns.")
    find_columns(table.names, roles, "--target")
    typed = give_kinds(table, said)
    for note in table.notes:
        voice.note(f"{table.label}: {note}")
    voice.note(f"{table.label}: {many(len(table), 'row')}, {many(len(table.names), 'column')}")
    voice.kinds(typed.reports, roles)
    X = typed.columns.drop_columns([name for name in typed.columns.column_names if name in roles])
    if not X.num_columns:
        raise DataError(
            f"{table.label} has no column besides {listing(list(roles))}; there is nothing to ask about."
        )
    kinds = {report.name: report.kind for report in typed.reports}

    def values(name: str | None) -> Any:
        return None if name is None else typed.columns.column(name).to_pylist()

    y = values(target)
    _refuse_missing(y, target, table)
    levels, ordered = (
        {name: found for name, found in declared.items() if name not in roles}
        for declared in (typed.levels, typed.ordered)
    )
    amounts = (values(weights), values(groups), values(time))
    return Lesson(X, y, kinds[target], *amounts, levels, ordered, typed.reports)


def _roles(
    target: str, weights: str | None, groups: str | None, time: str | None
) -> Iterable[tuple[str | None, str]]:
    return (target, "target"), (weights, "weights"), (groups, "groups"), (time, "time")


def _find_column(names: Sequence[str], name: str, option: str, reading: Reading) -> None:
    from arboretum.tables.kinds import find_columns

    try:
        find_columns(names, [name], option)
    except ParameterError as error:
        other = next((sign for sign in ";\t|" if len(names) == 1 and sign in names[0]), None)
        if other is None or reading.separator is not None:
            raise
        shown = "tab" if other == "\t" else repr(other)
        raise ParameterError(
            f"{error}\nHint: the fields seem to be separated by {shown}: --separator {shown}."
        ) from None


def _refuse_missing(y: list[Any], target: str, table: Any) -> None:
    gone = sum(value is None for value in y)
    if gone:
        row = y.index(None)
        raise DataError(
            f"{table.label}: the target {target!r} is missing in {gone:,} of {len(y):,} rows "
            f"(first: {table.where(row)}).\n"
            "Hint: leave these rows out; nothing can be learnt from them."
        )


def load_model(path: str) -> Any:
    """Return the model of a file."""
    from arboretum.model_files import load

    return load(path)


def tree_of_model(model: Any) -> Any:
    """Return the tree of a model, which may be a tree itself."""
    from arboretum.fitted import tree_of

    return tree_of(model, "arboretum")


def schema_of(model: Any, names: Sequence[str], voice: Voice) -> tuple[Column, ...]:
    """Return the columns that a model asks for, by the names that the table has.

    A model that was fitted to an array knows its columns by place only.
    """
    columns: tuple[Column, ...] = tree_of_model(model).columns
    named = getattr(model, "_named", None)
    if named is None:
        named = tree_of_model(model)._is_named
    if named or {column.name for column in columns} <= set(names):
        return columns
    if len(names) != len(columns):
        raise DataError(
            f"The model knows its {many(len(columns), 'column')} by place, but the table has {len(names)}.\n"
            "Hint: give a table of the same columns, in the same order."
        )
    voice.note("the model knows its columns by place: they are taken in the order of the table")
    return tuple(replace(column, name=name) for column, name in zip(columns, names, strict=True))


def file_size(path: str) -> int | None:
    """Return how many bytes a file has; None where that is not known."""
    try:
        return os.stat(path).st_size if path != "-" else None
    except OSError:
        return None
