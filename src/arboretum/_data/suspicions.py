"""Columns and weights that are probably not what they were meant to be.

Each function returns what it finds; warnings and reports say it. A rule that looks at few rows or levels
would be wrong too often, so that small tables are never suspected.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from arboretum._data.changes import ConstantColumn, constant_columns
from arboretum._data.dataset import ColumnData, Dataset
from arboretum._data.levels import level_text
from arboretum._data.text_values import reads_as_date, reads_as_number
from arboretum._types import Numbers

# An identifier: at least so many rows have a value, and this share of them one that no other row has.
FEWEST_NAMED: Final = 50
MOSTLY_ONCE: Final = 0.9
# Numbers or dates as text: at least so many values are, and at most two or this share of them are not.
FEWEST_READ: Final = 10
MOST_UNREAD: Final = 0.05
# Of more levels than this, so many are looked at, spread evenly over all.
_LOOKED_AT: Final = 1_000
# Weights: in a table of so many rows, fewer than this many count, or this share of them.
FEWEST_WEIGHTED: Final = 100
FEWEST_EFFECTIVE: Final = 5
LEAST_EFFECTIVE: Final = 0.01


TextMeaning: TypeAlias = Literal["numbers", "dates"]
Likeness: TypeAlias = Literal["identifier", "row number", "numbers", "dates", "constant", "empty"]
LIKENESSES: Final[tuple[Likeness, ...]] = get_args(Likeness)


@dataclass(frozen=True)
class Suspicion:
    """A column that names or numbers the rows, is text meant to be something else, or says nothing at all."""

    column: str
    looks_like: Likeness
    example: str  # a value as text; of an empty column, nothing
    count: int  # the rows whose value is there once, or that are alike; the values that can be read, of …
    of: int  # the rows that have a value, or all of those that are alike; … the values that were looked at
    odd: str | None = None  # a value that cannot be read as the others


def suspicious_columns(data: Dataset, as_declared: Collection[str] = ()) -> tuple[Suspicion, ...]:
    """Return the columns that are probably something else than what they are taken for, or that say nothing.

    Those that the caller declares to be nominal, by name, may hold numbers and dates as text.
    """
    alike = {each.column: each for each in constant_columns(data.columns)} if data.n_rows > 1 else {}
    found = []
    for column in data.columns:
        name = column.column.name
        if name in alike:
            found.append(_of_constant(alike[name], data.n_rows))
        elif (suspicion := _suspicion(column, name in as_declared)) is not None:
            found.append(suspicion)
    if len(data.columns) == 1:  # a table of nothing but a row number is a curve over time, or a small example
        return tuple([each for each in found if each.looks_like != "row number"])
    return tuple(found)


def _of_constant(found: ConstantColumn, n_rows: int) -> Suspicion:
    if found.value is None:
        return Suspicion(found.column, "empty", "", n_rows, n_rows)
    return Suspicion(found.column, "constant", found.value, n_rows, n_rows)


def _suspicion(data: ColumnData, is_declared: bool) -> Suspicion | None:
    if data.column.kind == "integer":
        return _row_number(data)
    if data.column.kind != "nominal":
        return None
    # Prices are mostly there once, too: what reads as numbers is not also called an identifier.
    return (None if is_declared else _stored_as_text(data)) or _identifier(data)


def _row_number(data: ColumnData) -> Suspicion | None:
    """Return the suspicion that whole numbers count the rows: each is one more than the one before it.

    That a number is there once says nothing by itself, nor that numbers rise: amounts and times do, too.
    """
    values = data.values
    if values.dtype.kind not in "iu" or len(values) < FEWEST_NAMED:
        return None
    if data.missing is not None and data.missing.any():
        return None
    first, last = int(values[0]), int(values[-1])
    if last - first != len(values) - 1 or not (values[1:] > values[:-1]).all():
        return None
    return Suspicion(data.column.name, "row number", data.column.format(values[0]), len(values), len(values))


def _identifier(data: ColumnData) -> Suspicion | None:
    """Return the suspicion that the levels of a column name single rows."""
    levels, values = data.column.levels or (), data.values
    if len(levels) < MOSTLY_ONCE * FEWEST_NAMED:
        return None
    if data.missing is not None:
        values = values[~data.missing]
    if len(values) < FEWEST_NAMED or len(levels) < MOSTLY_ONCE * len(values):
        return None
    once = np.flatnonzero(np.bincount(values, minlength=len(levels)) == 1)
    if len(once) < MOSTLY_ONCE * len(values):
        return None
    return Suspicion(
        data.column.name, "identifier", level_text(levels[once[0]]), count=len(once), of=len(values)
    )


def _stored_as_text(data: ColumnData) -> Suspicion | None:
    """Return the suspicion that text is meant to be numbers or dates."""
    levels = data.column.levels or ()
    if len(levels) < FEWEST_READ:
        return None
    # Growing with the number of levels would make columns of free text slow: a sample says enough.
    looked_at = levels[:: -(-len(levels) // _LOOKED_AT)]
    texts = [level for level in looked_at if isinstance(level, str)]
    if len(texts) < len(looked_at):
        return None
    return _read_as("numbers", reads_as_number, texts, data) or _read_as("dates", reads_as_date, texts, data)


def _read_as(
    what: TextMeaning, reads: Callable[[str], bool], texts: Sequence[str], data: ColumnData
) -> Suspicion | None:
    most, odd, example = max(2.0, MOST_UNREAD * len(texts)), [], ""
    for text in texts:
        if reads(text):
            example = example or text
        else:
            odd.append(text)
            if len(odd) > most:  # most columns of text are done here
                return None
    n_read = len(texts) - len(odd)
    if n_read < FEWEST_READ:
        return None
    return Suspicion(data.column.name, what, example, n_read, len(texts), odd[0] if odd else None)


def effective_rows(weights: Numbers) -> float:
    """Return how many rows of equal weight say as much as these: (Σ w)² / Σ w², by Kish.

    >>> effective_rows(np.array([1.0, 1.0, 0.0])), effective_rows(np.array([1e6, 1.0, 1.0]))
    (2.0, 1.000004...)
    """
    scaled = weights / weights.max()
    return float(scaled.sum() ** 2 / (scaled**2).sum())


def vanishing_rows(weights: Numbers | None) -> float | None:
    """Return the effective number of rows if weights make nearly all of them vanish, else None."""
    if weights is None or len(weights) < FEWEST_WEIGHTED:
        return None
    found = effective_rows(weights)
    return found if found < max(FEWEST_EFFECTIVE, LEAST_EFFECTIVE * len(weights)) else None
