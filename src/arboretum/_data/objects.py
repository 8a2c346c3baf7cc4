"""Columns of Python objects: the types of the cells decide the kind; mixtures are refused.

Nothing is converted by trying: text that looks like a number stays text.
"""

from __future__ import annotations

import datetime as dt
import reprlib
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import compress
from typing import Any, Literal

import numpy as np

from arboretum._data.column import Column
from arboretum._data.dataset import ColumnData, some
from arboretum._data.encoding import encode_array, encode_bigger, nothing_known
from arboretum._data.levels import level_key, plain_level, sort_levels
from arboretum._data.missing import find_missing, is_missing_type
from arboretum._data.times import NANOSECONDS, Unit, duration_nanoseconds, instant_nanoseconds, is_aware
from arboretum._types import Integers, Mask
from arboretum.errors import DataError, DataTypeError

CellFamily = Literal[
    "missing", "text", "boolean", "integer", "number", "instant", "duration", "complex", "other"
]
# Checked from the top: a bool is an int, and NumPy counts timedelta64 among the integers.
_FAMILIES: tuple[tuple[tuple[type, ...], CellFamily], ...] = (
    ((str,), "text"),
    ((bool, np.bool_), "boolean"),
    ((dt.date, np.datetime64), "instant"),
    ((dt.timedelta, np.timedelta64), "duration"),
    ((int, np.integer), "integer"),
    ((float, np.floating, Decimal, Fraction), "number"),
    ((complex, np.complexfloating), "complex"),
)
_ADJECTIVE = {
    "number": "numeric",
    "text": "text",
    "boolean": "true/false",
    "instant": "dates",
    "duration": "durations",
}
_NOUN = {**_ADJECTIVE, "number": "numbers", "boolean": "true/false values"}


def encode_objects(name: str, cells: list[Any], *, nominal: bool = False) -> ColumnData:
    """Return the column of these cells; `nominal` makes every value a level, whatever its type."""
    missing = find_missing(cells)
    families = {_family(kind) for kind in set(map(type, compress(cells, (~missing).tolist())))}
    if not families:
        return nothing_known(name, len(cells))
    if families & {"other", "complex"}:
        _refuse_objects(name, cells, missing)
    if nominal or families == {"text"}:
        return _encode_levels(name, cells, missing)
    if families == {"boolean"}:
        return encode_array(name, np.array(_filled(cells, missing, False), dtype=np.bool_), missing)
    if families == {"integer"}:
        return encode_bigger(name, list(map(int, _filled(cells, missing, 0))), missing)
    if families <= {"integer", "number"}:
        return _encode_numbers(name, cells, missing)
    if families == {"instant"}:
        return _encode_instants(name, cells, missing)
    if families == {"duration"}:
        counts, unit = _count_units(name, cells, missing, duration_nanoseconds)
        return ColumnData(Column(name, "duration", unit=unit), counts, some(missing))
    raise _mixture(name, cells, missing)


def short(cell: object) -> str:
    """Return a cell as it is shown in a message."""
    return reprlib.repr(cell)


def _family(kind: type) -> CellFamily:
    if is_missing_type(kind):
        return "missing"
    return next((family for types, family in _FAMILIES if issubclass(kind, types)), "other")


def _filled(cells: list[Any], missing: Mask, filler: object) -> list[Any]:
    """Return the cells with a harmless value in the missing rows."""
    if not missing.any():
        return cells
    return [filler if gone else cell for cell, gone in zip(cells, missing.tolist(), strict=True)]


def _encode_levels(name: str, cells: list[Any], missing: Mask) -> ColumnData:
    """Return a nominal column whose levels are the observed values, sorted.

    Only the distinct values are handled in Python; the rows pass through dictionary look-ups.
    """
    present = list(compress(cells, (~missing).tolist()))
    try:
        plain = {cell: plain_level(cell) for cell in set(present)}
    except (TypeError, ValueError) as error:
        raise _no_level(name, present, error) from error
    levels = sort_levels({level_key(level): level for level in plain.values()}.values())
    number_of = {level_key(level): number for number, level in enumerate(levels)}
    number = {cell: number_of[level_key(level)] for cell, level in plain.items()}
    rows = _filled(cells, missing, present[0])
    values = np.fromiter(map(number.__getitem__, rows), dtype=np.int32, count=len(rows))
    values[missing] = 0
    return ColumnData(Column(name, "nominal", levels=tuple(levels)), values, some(missing))


def _no_level(name: str, cells: list[Any], error: Exception) -> DataError:
    """Return the error about the first value that cannot be a level."""

    def fails(cell: Any) -> bool:
        try:
            return hash(plain_level({cell}.pop())) is None
        except (TypeError, ValueError):
            return True

    found = next((short(cell) for cell in cells if fails(cell)), "something")
    return DataError(f"Column {name!r} holds {found}, which cannot be a level: {error}.")


def _encode_numbers(name: str, cells: list[Any], missing: Mask) -> ColumnData:
    """Return integers, floats, decimals and fractions as floats of 64 bits, each rounded once."""
    rows = _filled(cells, missing, np.nan)
    values = np.fromiter((_as_float(cell) for cell in rows), dtype=np.float64, count=len(rows))
    for row in np.flatnonzero(np.isinf(values)):
        if isinstance(rows[row], int | Decimal | Fraction | np.longdouble) and not _is_infinite(rows[row]):
            raise DataError(
                f"Column {name!r}, row {row} holds {short(rows[row])}, beyond 64-bit floating point.\n"
                "Hint: rescale the column."
            )
    return ColumnData(Column(name, "number"), values)


def _as_float(cell: Any) -> float:
    try:
        return float(cell)
    except OverflowError:  # what is too large is named by the caller, who knows the row
        return float("inf")


def _is_infinite(cell: Any) -> bool:
    return cell.is_infinite() if isinstance(cell, Decimal) else bool(cell in (float("inf"), float("-inf")))


def _encode_instants(name: str, cells: list[Any], missing: Mask) -> ColumnData:
    """Return dates and datetimes in the finest unit among them; all or none must have a time zone."""
    present = list(compress(cells, (~missing).tolist()))
    aware = np.fromiter(map(is_aware, present), dtype=np.bool_, count=len(present))
    if aware.any() and not aware.all():
        first = int(np.flatnonzero(~missing)[np.argmax(aware != aware[0])])
        raise DataError(
            f"Column {name!r} mixes instants with and without a time zone (first: row {first}, "
            f"{short(cells[first])}).\nHint: give every row a time zone, or none."
        )
    timezone = _common_timezone(present) if aware.any() else None
    counts, unit = _count_units(name, cells, missing, instant_nanoseconds)
    return ColumnData(Column(name, "datetime", unit=unit, timezone=timezone), counts, some(missing))


def _common_timezone(instants: Sequence[dt.datetime]) -> str:
    names = {str(instant.tzinfo) for instant in instants}
    return names.pop() if len(names) == 1 else "UTC"


def _count_units(
    name: str, cells: list[Any], missing: Mask, measure: Callable[[Any], tuple[int, Unit]]
) -> tuple[Integers, Unit]:
    """Return instants or durations as int64 counts of the finest unit among them."""
    nanoseconds = [0] * len(cells)
    unit: Unit = "D"
    for row in np.flatnonzero(~missing).tolist():
        try:
            nanoseconds[row], own = measure(cells[row])
        except ValueError as error:
            raise DataError(
                f"Column {name!r}, row {row}: {error}.\nHint: use days to nanoseconds."
            ) from error
        unit = min(unit, own, key=NANOSECONDS.__getitem__)
    counts = [count // NANOSECONDS[unit] for count in nanoseconds]
    limit = np.iinfo(np.int64).max
    if beyond := [row for row, count in enumerate(counts) if abs(count) > limit]:
        raise DataError(
            f"Column {name!r}, row {beyond[0]} holds {short(cells[beyond[0]])}, which 64 bits cannot hold "
            f"in the unit {unit!r} of the column.\nHint: use a coarser unit for the whole column."
        )
    return np.array(counts, dtype=np.int64), unit


def _refuse_objects(name: str, cells: list[Any], missing: Mask) -> None:
    """Refuse the first cell whose type no column can hold."""
    for row in np.flatnonzero(~missing).tolist():
        family = _family(type(cells[row]))
        if family == "complex":
            raise DataError(
                f"Complex data not supported: column {name!r}, row {row} holds {short(cells[row])}.\n"
                "Hint: give the real and the imaginary part as two columns."
            )
        if family == "other":
            raise DataTypeError(
                f"Column {name!r}, row {row} holds {short(cells[row])} of type {type(cells[row]).__name__}, "
                "but cells hold text, numbers, booleans, dates or durations.\n"
                "Hint: spread nested values over several columns, decode bytes to text."
            )


def _mixture(name: str, cells: list[Any], missing: Mask) -> DataError:
    """Return the error that says what most rows of a column hold, and names the first row that does not."""
    rows = np.flatnonzero(~missing).tolist()
    families = [_merged(_family(type(cells[row]))) for row in rows]
    counts = Counter(families)
    # Of families that are equally common the numeric one is the rule: text is the usual accident.
    main = max(counts, key=lambda family: (counts[family], family == "number"))
    odd = Counter(family for family in families if family != main).most_common(1)[0][0]
    first = rows[families.index(odd)]
    found = f"{counts[odd]} of {len(cells)} rows {'holds' if counts[odd] == 1 else 'hold'} {_NOUN[odd]}"
    return DataError(
        f"Column {name!r} is {_ADJECTIVE[main]}, but {found} (first: row {first}, {short(cells[first])}).\n"
        f"Hint: turn {short(cells[first])} into a missing value before fitting, or list {name!r} in "
        "categorical_features to make every value a level."
    )


def _merged(family: CellFamily) -> str:
    return "number" if family == "integer" else family
