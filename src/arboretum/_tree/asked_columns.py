"""A table to predict, in the columns of one tree or of many, with warnings about those they ask about."""

from __future__ import annotations

from typing import Any

from arboretum._data import Column, Dataset, Unknown, match_dataset, unknown_hook
from arboretum._data.changes import FEWEST_CONSTANT, Unknowns, alike_columns, constant_columns
from arboretum._tree.table_warnings import warn_of_constants, warn_of_unknowns
from arboretum._types import Array, Indices


def match_asked(
    X: Any, columns: tuple[Column, ...], asked: Indices, unknown: Unknown, **matching: Any
) -> Dataset:
    """Return a table in these columns, of which those at the places `asked` are asked about.

    `matching` holds options of `match_dataset`.
    """
    names = frozenset(columns[place].name for place in asked.tolist())
    hook = unknown_hook(unknown, names)
    unknowns = Unknowns(names)
    # Whoever gives another answer than "missing" hears of unknown levels already.
    look = unknowns.look if hook is None else None
    data = match_dataset(X, columns, unknown=hook, matched=look, **matching)
    if unknowns.found:
        warn_of_unknowns(unknowns.found)
    if data.n_rows >= FEWEST_CONSTANT:
        told = {found.column for found in unknowns.found}
        looked_at = [data.columns[place] for place in asked.tolist()]
        constants = constant_columns(column for column in looked_at if column.column.name not in told)
        warn_of_constants(constants, data.n_rows)
    return data


def are_plain_numbers(columns: tuple[Column, ...]) -> bool:
    """Return whether every column holds numbers, stored as they are."""
    return all(column.kind in ("number", "integer") and not column.offset for column in columns)


def look_at_matrix(X: Array, columns: tuple[Column, ...], asked: Indices) -> None:
    """Warn of the columns of a plain matrix that are asked about and no longer vary."""
    if len(X) >= FEWEST_CONSTANT:
        warn_of_constants(constant_columns(alike_columns(X, columns, asked)), len(X))
