"""The columns that a model remembers, found in a chunk and brought into the kind they had.

Words: those of dataset/: a *column* is remembered with its kind and levels. Here the kinds come from the
model and nothing is inferred, so that it makes no difference in which chunk a row stands. Columns that the
model does not ask about are not looked at. What cannot be of the kind is refused with its line.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from arboretum.dataset import Column
from arboretum.errors import DataError, listing
from arboretum.tables.arrow_values import as_text, decoded, is_text
from arboretum.tables.dates import parse_dates
from arboretum.tables.kinds import Choices
from arboretum.tables.missing import without_missing
from arboretum.tables.numbers import first_not_number, parse_numbers
from arboretum.tables.table import Chunk

__all__ = ["check_columns", "match_chunk", "match_target"]


def match_chunk(chunk: Chunk, schema: Sequence[Column], said: Choices, label: str) -> Any:
    """Return an Arrow table of the remembered columns, in the kinds they had."""
    import pyarrow as pa

    check_columns(chunk.columns.column_names, schema, label)
    return pa.table({column.name: _match(chunk, column, said, label) for column in schema})


def check_columns(names: Sequence[str], schema: Sequence[Column], label: str) -> None:
    """Refuse a table that lacks columns with which the model was fitted."""
    known = set(names)
    lacking = [column.name for column in schema if column.name not in known]
    if lacking:
        raise DataError(
            f"{label} lacks the column{'s' if len(lacking) > 1 else ''} {listing(lacking)}, with which the "
            f"model was fitted; it has {listing(names, 12)}."
        )


def match_target(
    chunk: Chunk, name: str, classes: Sequence[Any] | None, said: Choices, label: str
) -> list[Any]:
    """Return the target of each row: a class as the model writes it, or a number where `classes` is None."""
    column = chunk.columns.column(name)
    if classes is None:
        found = _match(chunk, Column(name, "number"), said, label)
    else:
        levels = tuple(classes)
        found = _match(chunk, Column(name, "nominal", levels=levels), said, label)
    if found.null_count:
        import pyarrow.compute as pc

        row = pc.index(pc.is_null(found), True).as_py()
        raise DataError(
            f"{label}, {chunk.where(row)}: the target {name!r} is missing ({_shown(column, row)}).\n"
            "Hint: leave such rows out; a row is judged by its target."
        )
    return list(found.to_pylist())


def _match(chunk: Chunk, column: Column, said: Choices, label: str) -> Any:
    import pyarrow as pa

    found = chunk.columns.column(column.name)
    if pa.types.is_dictionary(found.type) and not (found.type.ordered and column.kind == "ordered"):
        found = decoded(found, column.name)
    if chunk.typed_cells and not (_holds_numbers(column) and not pa.types.is_boolean(found.type)):
        found = as_text(found, column.name)  # as beside cells of another type: no chunk decides for another
    if is_text(found):
        # A text that the model knows as a level is that level, whatever stands for missing elsewhere.
        found = without_missing(found.cast(pa.string()), said.tokens, column.levels or ())
        if chunk.typed_cells and column.levels:
            found = _with_truths(found, column.levels)
    where = _Where(chunk, column, label)
    if column.levels is not None:
        return _as_levels(found, column, said, where)
    if not is_text(found):
        return found.cast(pa.float64()) if pa.types.is_decimal(found.type) else found
    if column.kind == "number" or column.kind == "integer":
        return _as_numbers(found, column, said, where)
    if column.kind == "datetime":
        return _as_dates(found, column.timezone is not None, where)
    if found.null_count == len(found):
        return found
    raise where.error(found, 0, "a duration, which text cannot tell")


def _holds_numbers(column: Column) -> bool:
    if column.levels is None:
        return column.kind in ("number", "integer")
    return all(isinstance(level, int | float) and not isinstance(level, bool) for level in column.levels)


def _as_numbers(found: Any, column: Column, said: Choices, where: _Where) -> Any:
    """Return numbers; a column of floats stays one, whatever stands in this chunk."""
    numbers = parse_numbers(found, said.decimal, integers=column.kind == "integer")
    if numbers is None:
        row = first_not_number(found, said.decimal)
        raise where.error(found, row or 0, "a number")
    return numbers


def _as_dates(found: Any, aware: bool | None, where: _Where) -> Any:
    """Return dates or instants, all with a time zone or all without; None for `aware`: both may be."""
    import pyarrow as pa

    if found.null_count == len(found):
        return found.cast(pa.timestamp("us", "UTC" if aware else None))
    dates = parse_dates(found)
    if dates is not None and (aware is None or _is_aware(dates) == aware):
        return dates
    for row in range(len(found)):
        if not found[row].is_valid:
            continue
        one = parse_dates(found.slice(row, 1))
        if one is None:
            raise where.error(found, row, "a date as ISO writes it, 2024-03-01, or one with a time")
        if aware is not None and _is_aware(one) != aware:
            zoned = "instants with a time zone, 2024-03-01T14:30Z or with an offset"
            raise where.error(found, row, zoned if aware else "dates or instants without a time zone")
    raise where.error(found, 0, "instants that all have a time zone, or all have none")


def _is_aware(dates: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_timestamp(dates.type) and dates.type.tz is not None


def _as_levels(found: Any, column: Column, said: Choices, where: _Where) -> Any:
    """Return a column whose values are of the type of the levels; unknown ones stay as they are."""
    import pyarrow as pa

    levels = column.levels or ()
    if all(isinstance(level, str) for level in levels):
        return _as_level_text(found, levels, column.name)
    if not is_text(found):
        return found
    if all(isinstance(level, bool) for level in levels):
        return _as_booleans(found, where)
    if all(isinstance(level, int | float) for level in levels):
        whole = all(isinstance(level, int) for level in levels)
        return _as_numbers(found, Column(column.name, "integer" if whole else "number"), said, where)
    if all(isinstance(level, dt.date) for level in levels):
        aware = {isinstance(level, dt.datetime) and level.tzinfo is not None for level in levels}
        return _as_dates(found, aware.pop() if len(aware) == 1 else None, where)
    if found.null_count == len(found):
        return found.cast(pa.float64())
    raise where.error(found, 0, "a level of one of several types, which text cannot tell")


def _as_level_text(found: Any, levels: Sequence[Any], name: str) -> Any:
    """Return values as text; true and false in the letters that the levels have."""
    import pyarrow as pa

    text = as_text(found, name)
    return _with_truths(text, levels) if pa.types.is_boolean(found.type) else text


def _with_truths(text: Any, levels: Sequence[Any]) -> Any:
    """Return text with true and false in the letters that the levels have."""
    import pyarrow as pa
    import pyarrow.compute as pc

    spelt = {str(level).lower(): level for level in levels if isinstance(level, str)}
    for word in ("true", "false"):
        if word not in levels and word in spelt:
            text = pc.if_else(pc.equal(text, word), pa.scalar(spelt[word]), text)
    return text


def _as_booleans(found: Any, where: _Where) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    lower = pc.utf8_lower(pc.utf8_trim_whitespace(found))
    yes = pc.is_in(lower, value_set=pa.array(["true", "1", "t", "yes"]))
    no = pc.is_in(lower, value_set=pa.array(["false", "0", "f", "no"]))
    odd = pc.and_(pc.is_valid(lower), pc.invert(pc.or_(yes, no)))
    row = pc.index(odd, True).as_py()
    if row >= 0:
        raise where.error(found, row, "true or false")
    return pc.if_else(pc.is_valid(lower), yes, pa.scalar(None, pa.bool_()))


class _Where:
    """Where in a chunk something is wrong, and with which column."""

    def __init__(self, chunk: Chunk, column: Column, label: str) -> None:
        self._chunk, self._column, self._label = chunk, column, label

    def error(self, found: Any, row: int, wanted: str) -> DataError:
        return DataError(
            f"{self._label}, {self._chunk.where(row)}: the column {self._column.name!r} is to hold {wanted}, "
            f"but holds {_shown(found, row)}.\n"
            "Hint: if that stands for a missing value, add it to --missing-values."
        )


def _shown(found: Any, row: int) -> str:
    text = str(found[row].as_py())
    return repr(text if len(text) <= 40 else f"{text[:37]}…")
