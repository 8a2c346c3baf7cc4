"""Reading a table for predicting: the remembered columns are found again and brought into the form they had.

Words: a *schema* is the remembered columns; to *match* is to find and convert; a level is *unknown* when it
was not there when fitting. It decides no kinds: what cannot have the remembered kind is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arboretum.dataset.column import BIG_OFFSET, Column
from arboretum.dataset.data import ColumnData, Dataset, Mask, some
from arboretum.dataset.encoding import as_nominal
from arboretum.dataset.levels import family_of, level_key, level_text
from arboretum.dataset.tables import open_table
from arboretum.dataset.times import convert_units
from arboretum.errors import DataError, listing

__all__ = ["match_dataset", "refuse_unknown", "relevel", "unknown_rows"]

_INT64 = np.iinfo(np.int64)
_HELD = {
    "number": "was numeric",
    "integer": "was numeric",
    "datetime": "held dates",
    "duration": "held durations",
    "text": "held text",
    "boolean": "held true/false values",
    "instant": "held dates",
}
_HOLDS = {
    "number": "numbers",
    "integer": "numbers",
    "datetime": "dates",
    "duration": "durations",
    "text": "text",
    "boolean": "true/false values",
    "instant": "dates",
}


def match_dataset(
    X: Any,
    schema: Sequence[Column],
    *,
    named: bool,
    owner: str = "this tree",
    check: Callable[[ColumnData, str], None] | None = None,
    unknown: Callable[[ColumnData, Column], None] | None = None,
) -> Dataset:
    """Return a table in the columns of the schema: by name if both have names, by position otherwise.

    Columns that the schema does not have are ignored (by name) and not even read; columns that it has and the
    table lacks are refused, as are values that cannot be of the remembered kind. An unknown level is missing.
    `check` sees each column as the table has it, where unknown levels are not missing, and its name;
    `unknown` sees those that have levels, and the remembered column.
    """
    source = open_table(X)
    if named and source.named:
        positions = _find_by_name(schema, source.names)
    elif len(source.names) != len(schema):
        raise DataError(
            f"X has {len(source.names)} features, but {owner} is expecting {len(schema)} features as input.\n"
            "Hint: pass the columns that were used for fitting, in the same order."
        )
    else:
        positions = list(range(len(schema)))
    columns = []
    for position, column in zip(positions, schema, strict=True):
        data = source.read(position, column.levels is not None)
        if check is not None:
            check(data, column.name)
        columns.append(_match_column(data, column, unknown))
    return Dataset(tuple(columns), source.n_rows, named)


def _find_by_name(schema: Sequence[Column], names: Sequence[str]) -> list[int]:
    """Return where each column of the schema is in the table."""
    place = {name: position for position, name in enumerate(names)}
    lacking = [column.name for column in schema if column.name not in place]
    if lacking:
        several = "s" if len(lacking) > 1 else ""
        raise DataError(
            f"X lacks the column{several} {listing(lacking)}, used for fitting; it has {listing(names)}.\n"
            "Hint: columns are found by name; their order and further columns do not matter."
        )
    return [place[column.name] for column in schema]


def _match_column(
    data: ColumnData, column: Column, unknown: Callable[[ColumnData, Column], None] | None
) -> ColumnData:
    """Return the values in the stored form that the remembered column has."""
    if column.levels is not None:
        nominal = as_nominal(data)
        _refuse_families(nominal, column)
        if unknown is not None:
            unknown(nominal, column)
        return relevel(nominal, column)
    if column.kind in ("number", "integer"):
        if data.column.kind in ("number", "integer"):
            return ColumnData(column, *_match_numbers(data, column))
        if data.column.levels == (False, True):
            zero_or_one = ColumnData(Column(column.name, "integer"), data.values, data.missing)
            return ColumnData(column, *_match_numbers(zero_or_one, column))
    if data.column.kind == column.kind:
        return _match_times(data, column)
    return _match_nothing(data, column)


def _match_times(data: ColumnData, column: Column) -> ColumnData:
    """Return instants or durations in the remembered unit."""
    if (data.column.timezone is None) != (column.timezone is None):
        had, has = ("none", data.column.timezone) if column.timezone is None else (column.timezone, "none")
        raise DataError(
            f"Column {column.name!r} had the time zone {had} when fitting and has {has} now.\n"
            "Hint: instants with and without a time zone cannot be compared; convert the column."
        )
    return ColumnData(
        column, convert_units(data.values, str(data.column.unit), str(column.unit)), data.missing
    )


def _match_nothing(data: ColumnData, column: Column) -> ColumnData:
    """Return a column in which everything is missing, which any kind allows; refuse one of another kind."""
    missing = data.is_missing()
    if missing.all():
        if column.kind == "number":
            return ColumnData(column, np.full(len(missing), np.nan))
        return ColumnData(column, np.zeros(len(missing), dtype=np.int64), missing)
    row = int(np.argmin(missing))
    raise _another_kind(column.name, _HELD[column.kind], data, row)


def _another_kind(name: str, before: str, data: ColumnData, row: int) -> DataError:
    column = data.column
    level = None if column.levels is None else column.levels[data.values[row]]
    holds = _HOLDS[column.kind if level is None else _likeness(level)]
    value = column.format(data.values[row])
    return DataError(
        f"Column {name!r} {before} when fitting, now holds {holds} (first: row {row}, {value!r}).\n"
        "Hint: convert the column, or make what cannot be converted a missing value."
    )


def _likeness(level: object) -> str:
    return "boolean" if isinstance(level, bool) else family_of(level)


# Integers and floats are left as they are, since the core compares them exactly with the threshold. Only
# columns that are stored minus 2**63 (see `Column.offset`) on one side and not on the other need care. Where
# a value cannot be stored, it is moved to the nearest one that can: each threshold t lies between two values
# that were stored when fitting, low <= t < high, so that what lies beyond them all may lie at the end.


def _match_numbers(data: ColumnData, column: Column) -> tuple[npt.NDArray[Any], Mask | None]:
    """Return numbers with the offset of the remembered column, and their mask."""
    values, missing = data.values, data.missing
    if values.dtype.kind == "f":
        return _shift_floats(values, missing, column) if column.offset else (values, missing)
    if data.column.offset == column.offset:
        return values, missing
    if column.offset:
        return np.maximum(values.astype(np.int64), 0) + _INT64.min, missing
    if column.kind == "integer":
        return np.where(values >= 0, _INT64.max, values ^ _INT64.min), missing
    return _round_up(values), missing


def _shift_floats(
    values: npt.NDArray[Any], missing: Mask | None, column: Column
) -> tuple[npt.NDArray[Any], Mask | None]:
    """Return floats as integers minus 2**63; exact, since fractions are refused."""
    nan: Mask = np.isnan(values)
    gone = nan if missing is None else nan | missing
    fractions = (values != np.floor(values)) & ~gone
    if fractions.any():
        row = int(np.argmax(fractions))
        raise DataError(
            f"Column {column.name!r} held integers beyond 2**63 when fitting, now holds fractions "
            f"(first: row {row}, {values[row]}).\nHint: convert the column to unsigned 64-bit integers."
        )
    wide = np.where(gone, 0.0, values).astype(np.float64)
    inside = (wide >= 0) & (wide < 2.0**64)
    shifted = (np.where(inside, wide, 0.0).astype(np.uint64) ^ np.uint64(BIG_OFFSET)).view(np.int64)
    shifted[wide >= 2.0**64] = _INT64.max
    return shifted, some(gone)


def _round_up(stored: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return integers stored minus 2**63 as the lowest float at or above: x <= t exactly if that is <= t."""
    exact = stored.view(np.uint64) ^ np.uint64(BIG_OFFSET)
    near = exact.astype(np.float64)
    below = near < 2.0**64
    below[below] = near[below].astype(np.uint64) < exact[below]
    return np.where(below, np.nextafter(near, np.inf), near)


def relevel(data: ColumnData, column: Column) -> ColumnData:
    """Return the column with the levels of another one, looked up by value; unknown levels are missing."""
    if data.column.levels == column.levels:
        return ColumnData(column, data.values, data.missing)
    numbers = _translate(data.column, column)
    if not len(numbers):  # no level at all: every row is missing, and the level numbers mean nothing
        return ColumnData(column, data.values, data.missing)
    values = numbers[data.values]
    unknown: Mask = values < 0
    values[unknown] = 0
    return ColumnData(column, values, some(unknown if data.missing is None else unknown | data.missing))


def _translate(have: Column, want: Column) -> npt.NDArray[np.int32]:
    """Return the number that each level of one column has in the other; -1 where it has none."""
    number_of = {level_key(level): number for number, level in enumerate(want.levels or ())}
    return np.array([number_of.get(level_key(level), -1) for level in have.levels or ()], dtype=np.int32)


def refuse_unknown(data: ColumnData, column: Column, option: str) -> None:
    """Refuse the first row whose level is not among those that the option declares."""
    outside = unknown_rows(data, column)
    if outside.any():
        row = int(np.argmax(outside))
        found, levels = (data.column.levels or ())[data.values[row]], column.levels or ()
        hint = f"add the level in {option}, or make the value missing"
        if level_text(found) in map(level_text, levels):  # 1 and "1" read alike
            hint = f"the level is of another type; write it in {option} as {found!r}"
        raise DataError(
            f"Column {column.name!r}, row {row} holds {level_text(found)!r}, which is not among its declared "
            f"levels {listing([level_text(level) for level in levels])}.\nHint: {hint}."
        )


def unknown_rows(data: ColumnData, column: Column) -> Mask:
    """Return the rows that hold a level which another column does not have."""
    return _rows_with(data, _translate(data.column, column) < 0)


def _refuse_families(data: ColumnData, column: Column) -> None:
    """Refuse numbers where levels are text, text where they are numbers: those are no unknown levels."""
    known = {family_of(level) for level in column.levels or ()}
    if not known:
        return
    foreign = _rows_with(
        data, np.array([family_of(level) not in known for level in data.column.levels or ()], bool)
    )
    if foreign.any():
        likenesses = {_likeness(level) for level in column.levels or ()}
        before = _HELD[likenesses.pop()] if len(likenesses) == 1 else "held other levels"
        raise _another_kind(column.name, before, data, int(np.argmax(foreign)))


def _rows_with(data: ColumnData, chosen: Mask) -> Mask:
    """Return the rows, not missing, that hold one of the chosen levels."""
    if not chosen.any():
        return np.zeros(len(data.values), dtype=np.bool_)
    rows: Mask = chosen[data.values]
    return rows if data.missing is None else rows & ~data.missing
