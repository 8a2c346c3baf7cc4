"""Levels that a model does not know: counted, told or refused before they are treated as missing."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from arboretum.dataset.column import Column
from arboretum.dataset.data import ColumnData
from arboretum.dataset.levels import level_text
from arboretum.dataset.matching import unknown_rows
from arboretum.errors import DataError, ParameterError, choices, listing
from arboretum.quoting import shown

__all__ = ["Unknown", "unknown_hook"]

# "missing", "error", or a function that is told the name of a column and how many rows hold each level.
Unknown = str | Callable[[str, dict[object, int]], object]


def unknown_hook(option: Any, asked: Collection[str]) -> Callable[[ColumnData, Column], None] | None:
    """Return what `match_dataset` is to call for `unknown=option`; only columns that are asked count."""
    if isinstance(option, str) and option == "missing":
        return None
    if not callable(option) and not (isinstance(option, str) and option == "error"):
        raise ParameterError(choices("unknown", option, ["missing", "error"]) + _HINT)

    def look(data: ColumnData, column: Column) -> None:
        if column.name not in asked:
            return
        rows = np.flatnonzero(unknown_rows(data, column))
        if not len(rows):
            return
        if not callable(option):
            raise _refusal(data, column, rows)
        numbers, first, counts = np.unique(data.values[rows], return_index=True, return_counts=True)
        levels = data.column.levels or ()
        option(column.name, {levels[numbers[i]]: int(counts[i]) for i in np.argsort(first)})

    return look


_HINT = "\nHint: a function is called with the name of a column and a dict of its unknown levels."


def _refusal(data: ColumnData, column: Column, rows: Any) -> DataError:
    level = (data.column.levels or ())[data.values[rows[0]]]
    known = listing([level_text(known) for known in column.levels or ()])
    return DataError(
        f"Column {column.name!r} holds levels that were not there when fitting in {len(rows):,} of "
        f"{len(data.values):,} rows (first: row {rows[0]}, {shown(level_text(level))}), which "
        f"unknown='error' refuses; it knows {known}.\n"
        "Hint: correct the values, or choose unknown='missing', which treats them as missing."
    )
