"""How a table to predict differs from the fitted one: unknown levels, and columns that no longer vary.

Looking must cost next to nothing: small tables are not looked at, and a column that varies shows it in a few
of its rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from arboretum._data.column import Column
from arboretum._data.dataset import ColumnData
from arboretum._data.levels import level_text
from arboretum._types import Array, Indices, Mask

# Unknown levels are many if so many rows are predicted, and this share of them hold one.
FEWEST_MATCHED: Final = 100
MANY_UNKNOWN: Final = 0.1
# Fewer rows may well be the same by chance or by choice.
FEWEST_CONSTANT: Final = 1_000
_LOOKED_AT: Final = 256
_BLOCK: Final = 65_536


@dataclass(frozen=True)
class UnknownRows:
    """A column of which many rows hold an unknown level."""

    column: str
    count: int
    of: int
    example: str


@dataclass
class Unknowns:
    """The columns with many unknown levels, of those asked about; `match_dataset` tells of each column."""

    asked: Collection[str]
    found: list[UnknownRows] = field(default_factory=list)

    def look(self, given: ColumnData, matched: ColumnData) -> None:
        """Compare a column as the table has it with the same in the levels of the fitted table."""
        n_rows = len(matched.values)
        if n_rows < FEWEST_MATCHED or matched.missing is None or matched.missing is given.missing:
            return
        before = 0 if given.missing is None else np.count_nonzero(given.missing)
        count = int(np.count_nonzero(matched.missing) - before)
        if count < MANY_UNKNOWN * n_rows or matched.column.name not in self.asked:
            return
        unknown: Mask = matched.missing if given.missing is None else matched.missing & ~given.missing
        level = (given.column.levels or ())[given.values[int(np.argmax(unknown))]]
        self.found.append(UnknownRows(matched.column.name, count, n_rows, level_text(level)))


@dataclass(frozen=True)
class ConstantColumn:
    """A column with the same value in all rows, as it is printed; None where all are missing."""

    column: str
    value: str | None


def constant_columns(columns: Iterable[ColumnData]) -> tuple[ConstantColumn, ...]:
    """Return the columns that are the same in all of their rows, of which there is at least one."""
    found = map(_constant, columns)
    return tuple(constant for constant in found if constant is not None)


def alike_columns(X: Array, columns: tuple[Column, ...], places: Indices) -> Iterator[ColumnData]:
    """Yield the columns of a plain matrix that may be constant: their first and last values are the same."""
    first, last = X[0, places], X[-1, places]
    for place in places[(first == last) | (np.isnan(first) & np.isnan(last))].tolist():
        yield ColumnData(columns[place], X[:, place])


def _constant(data: ColumnData) -> ConstantColumn | None:
    name, values, missing = data.column.name, data.values, data.missing
    if missing is not None and missing.any():
        return ConstantColumn(name, None) if missing.all() else None
    first = values[0]
    if not _all_same(values, first):
        return None
    return ConstantColumn(name, None if _is_nan(first) else data.column.format(first))


def _all_same(values: Array, first: Any) -> bool:
    """Return whether all values are the first; a few of them settle it for nearly every column."""
    if not _same(values[:: -(-len(values) // _LOOKED_AT)], first):
        return False
    return all(_same(values[begin : begin + _BLOCK], first) for begin in range(0, len(values), _BLOCK))


def _same(values: Array, first: Any) -> bool:
    return bool(np.isnan(values).all() if _is_nan(first) else (values == first).all())


def _is_nan(value: Any) -> bool:
    return bool(value != value)
