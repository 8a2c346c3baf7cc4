"""Reading a table for predicting: find and convert the columns of the fitted table, its *schema*.

A level is *unknown* if the fitted table did not have it: it counts as missing, or is reported or refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from arboretum._data.column import BIG_OFFSET, Column
from arboretum._data.dataset import ColumnData, Dataset, some
from arboretum._data.encoding import as_nominal
from arboretum._data.levels import family_of, level_key, level_text
from arboretum._data.tables import open_table
from arboretum._data.times import convert_units
from arboretum._types import Array, Codes, Mask, Numbers
from arboretum._wording import shown
from arboretum.errors import DataError, ParameterError, choices, listing

_INT64 = np.iinfo(np.int64)
# What a column held when fitting, and what it holds now, by its kind or the family of its levels.
_CONTENT = {
    **dict.fromkeys(("number", "integer"), ("was numeric", "numbers")),
    **dict.fromkeys(("datetime", "instant"), ("held dates", "dates")),
    "duration": ("held durations", "durations"),
    "text": ("held text", "text"),
    "boolean": ("held true/false values", "true/false values"),
}

# "missing", "error", or a function of the name of a column and the number of rows of each unknown level.
Unknown = str | Callable[[str, dict[object, int]], object]
UnknownHook = Callable[[ColumnData, Column], None]
MatchedHook = Callable[[ColumnData, ColumnData], None]


def match_dataset(
    X: Any,
    schema: Sequence[Column],
    *,
    named: bool,
    owner: str = "this tree",
    check: Callable[[ColumnData, str], None] | None = None,
    unknown: UnknownHook | None = None,
    matched: MatchedHook | None = None,
) -> Dataset:
    """Return a table in the columns of the schema: by name if both have names, by position otherwise.

    Further columns are not even read; columns that the table lacks are refused, and so are values that cannot
    be of the kind of their column. `check` is called with each column as the table has it and its name,
    `unknown` with each column of levels and its column in the schema, `matched` with such a column before and
    after its levels became those of the schema.
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
        columns.append(_match_column(data, column, unknown, matched))
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
    data: ColumnData, column: Column, unknown: UnknownHook | None, matched: MatchedHook | None
) -> ColumnData:
    """Return the values in the stored form of the schema's column."""
    if column.levels is not None:
        nominal = as_nominal(data)
        _refuse_families(nominal, column)
        if unknown is not None:
            unknown(nominal, column)
        same = relevel(nominal, column)
        if matched is not None:
            matched(nominal, same)
        return same
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
    """Return instants or durations in the unit of the schema."""
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
    """Return a column in which everything is missing, which any kind allows; refuse another kind."""
    missing = data.is_missing()
    if missing.all():
        if column.kind == "number":
            return ColumnData(column, np.full(len(missing), np.nan))
        return ColumnData(column, np.zeros(len(missing), dtype=np.int64), missing)
    row = int(np.argmin(missing))
    raise _another_kind(column.name, _CONTENT[column.kind][0], data, row)


def _another_kind(name: str, before: str, data: ColumnData, row: int) -> DataError:
    column = data.column
    level = None if column.levels is None else column.levels[data.values[row]]
    holds = _CONTENT[column.kind if level is None else _likeness(level)][1]
    value = column.format(data.values[row])
    return DataError(
        f"Column {name!r} {before} when fitting, now holds {holds} (first: row {row}, {value!r}).\n"
        "Hint: convert the column, or make what cannot be converted a missing value."
    )


def _likeness(level: object) -> str:
    return "boolean" if isinstance(level, bool) else family_of(level)


# Integers and floats stay as they are, since the core compares them exactly with the threshold. Only a column
# that is stored minus 2**63 (see `Column.offset`) on one side and not on the other needs care. A value that
# cannot be stored moves to the nearest one that can: each threshold t lies between two values that were
# stored when fitting, low <= t < high, so that what lies beyond them all may lie at the end.


def _match_numbers(data: ColumnData, column: Column) -> tuple[Array, Mask | None]:
    """Return numbers with the offset of the schema's column, and their mask."""
    values, missing = data.values, data.missing
    if values.dtype.kind == "f":
        return _shift_floats(values, data.is_missing(), column) if column.offset else (values, missing)
    if data.column.offset == column.offset:
        return values, missing
    if column.offset:
        return np.maximum(values.astype(np.int64), 0) + _INT64.min, missing
    if column.kind == "integer":
        return np.where(values >= 0, _INT64.max, values ^ _INT64.min), missing
    return _round_up(values), missing


def _shift_floats(values: Array, gone: Mask, column: Column) -> tuple[Array, Mask | None]:
    """Return floats that are not missing as integers minus 2**63: exactly, since fractions are refused."""
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


def _round_up(stored: Array) -> Numbers:
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


def _translate(have: Column, want: Column) -> Codes:
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
    """Refuse numbers where levels are text, and text where they are numbers: these are not unknown levels."""
    known = {family_of(level) for level in column.levels or ()}
    if not known:
        return
    foreign = _rows_with(
        data, np.array([family_of(level) not in known for level in data.column.levels or ()], bool)
    )
    if foreign.any():
        likenesses = {_likeness(level) for level in column.levels or ()}
        before = _CONTENT[likenesses.pop()][0] if len(likenesses) == 1 else "held other levels"
        raise _another_kind(column.name, before, data, int(np.argmax(foreign)))


def _rows_with(data: ColumnData, chosen: Mask) -> Mask:
    """Return the rows that hold one of the chosen levels and are not missing."""
    if not chosen.any():
        return np.zeros(len(data.values), dtype=np.bool_)
    rows: Mask = chosen[data.values]
    return rows if data.missing is None else rows & ~data.missing


def takes_unknown_as_missing(option: Any) -> bool:
    """Return whether the option `unknown` is as usual: unknown levels are missing values."""
    return isinstance(option, str) and option == "missing"


def unknown_hook(option: Any, asked: Collection[str]) -> UnknownHook | None:
    """Return what `match_dataset` calls for the option `unknown`; only columns in `asked` count."""
    if takes_unknown_as_missing(option):
        return None
    if not callable(option) and not (isinstance(option, str) and option == "error"):
        raise ParameterError(
            choices("unknown", option, ["missing", "error"])
            + "\nHint: a function is called with the name of a column and a dict of its unknown levels."
        )

    def look(data: ColumnData, column: Column) -> None:
        if column.name not in asked:
            return
        rows = np.flatnonzero(unknown_rows(data, column))
        if not len(rows):
            return
        if not callable(option):
            raise _unknown_level(data, column, rows)
        numbers, first, counts = np.unique(data.values[rows], return_index=True, return_counts=True)
        levels = data.column.levels or ()
        option(column.name, {levels[numbers[i]]: int(counts[i]) for i in np.argsort(first)})

    return look


def _unknown_level(data: ColumnData, column: Column, rows: Any) -> DataError:
    level = (data.column.levels or ())[data.values[rows[0]]]
    known = listing([level_text(known) for known in column.levels or ()])
    return DataError(
        f"Column {column.name!r} holds levels that were not there when fitting in {len(rows):,} of "
        f"{len(data.values):,} rows (first: row {rows[0]}, {shown(level_text(level))}), which "
        f"unknown='error' refuses; it knows {known}.\n"
        "Hint: correct the values, or choose unknown='missing', which treats them as missing."
    )
