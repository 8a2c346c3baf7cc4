"""The columns that a model remembers, found in a chunk and brought into the kind they had.

Nothing is inferred, so it makes no difference in which chunk a row stands. Columns that the model does not
ask about are ignored. What cannot be of the kind is refused with its line.

An Arrow column holds integers or fractions, not both. So that no large integer is rounded because a fraction,
or an integer of the other sign, stands beside it, such a chunk is divided into parts.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from arboretum._data import Column, Unknown
from arboretum.cli.tables.cells import (
    SPACES,
    as_text,
    decoded,
    first_not_number,
    is_text,
    parse_dates,
    parse_numbers,
    without_missing,
)
from arboretum.cli.tables.kinds import Choices
from arboretum.cli.tables.table import Chunk
from arboretum.errors import DataError, listing


def match_chunk(chunk: Chunk, schema: Sequence[Column], said: Choices, label: str) -> Any:
    """Return an Arrow table of the columns that the model remembers, in the kinds they had."""
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
    """Return the target of each row: a class as the model has it, or a number if `classes` is None."""
    wanted = Column(name, "number") if classes is None else Column(name, "nominal", levels=tuple(classes))
    found = _match(chunk, wanted, said, label)
    if found.null_count:
        row = pc.index(pc.is_null(found), True).as_py()
        shown = _shown(chunk.columns.column(name), row)
        raise DataError(
            f"{label}, {chunk.where(row)}: the target {name!r} is missing ({shown}).\n"
            "Hint: leave such rows out; a row is judged by its target."
        )
    return list(found.to_pylist())


def _match(chunk: Chunk, column: Column, said: Choices, label: str) -> Any:
    found = chunk.columns.column(column.name)
    if pa.types.is_dictionary(found.type) and not (found.type.ordered and column.kind == "ordered"):
        found = decoded(found, column.name)
    if chunk.typed_cells and not (_holds_numbers(column) and not pa.types.is_boolean(found.type)):
        found = as_text(found, column.name)  # whatever types this chunk has
    if is_text(found):
        # A text that the model knows as a level is that level, even if it stands for missing elsewhere.
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
    """Return numbers; a column of floats stays one, whatever this chunk holds."""
    numbers = parse_numbers(found, said.decimal, integers=column.kind == "integer")
    if numbers is None:
        row = first_not_number(found, said.decimal)
        raise where.error(found, row or 0, "a number")
    return numbers


def _as_dates(found: Any, aware: bool | None, where: _Where) -> Any:
    """Return dates or instants, with a time zone if `aware`, without if not; None: either."""
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
    return pa.types.is_timestamp(dates.type) and dates.type.tz is not None


def _as_levels(found: Any, column: Column, said: Choices, where: _Where) -> Any:
    """Return a column with values of the type of the levels; unknown ones stay as they are."""
    levels = column.levels or ()
    if all(isinstance(level, str) for level in levels):
        text = as_text(found, column.name)
        return _with_truths(text, levels) if pa.types.is_boolean(found.type) else text
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


def _with_truths(text: Any, levels: Sequence[Any]) -> Any:
    """Return text in which true and false are spelt as the levels are."""
    spelt = {str(level).lower(): level for level in levels if isinstance(level, str)}
    for word in ("true", "false"):
        if word not in levels and word in spelt:
            text = pc.if_else(pc.equal(text, word), pa.scalar(spelt[word]), text)
    return text


def _as_booleans(found: Any, where: _Where) -> Any:
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


_INTEGER: Final = re.compile(r"([+-]?)0*([0-9]+)")
_EXACT: Final = 2**53
_MOST_DIGITS: Final = 20  # of integers of 64 bits; longer ones are rounded in any chunk
_REST, _POSITIVE, _NEGATIVE = range(3)


Rows = np.ndarray[Any, np.dtype[np.intp]]


@dataclass(frozen=True)
class Part:
    """Some rows of a chunk, with the columns that the model remembers."""

    rows: Rows
    X: Any


def match_parts(chunk: Chunk, schema: Sequence[Column], said: Choices, label: str) -> list[Part]:
    """Return the rows of a chunk in parts, so that every number is what its cell says."""
    matched = match_chunk(chunk, schema, said, label)
    rounded = [
        chunk.columns.column(column.name)
        for column in schema
        if _holds_integers(column) and _is_rounded(chunk.columns.column(column.name), matched[column.name])
    ]
    if not rounded:
        return [Part(np.arange(len(chunk)), matched)]
    return [
        Part(rows, match_chunk(replace(chunk, columns=chunk.columns.take(rows)), schema, said, label))
        for rows in _divide(rounded)
    ]


def match_truths(
    chunk: Chunk, name: str, classes: Sequence[Any] | None, said: Choices, label: str
) -> list[Any]:
    """Return the target of each row as match_target() does, with large integers to the last digit."""
    found = match_target(chunk, name, classes, said, label)
    cells = chunk.columns.column(name)
    whole = classes is not None and _holds_integers(Column(name, "nominal", levels=tuple(classes)))
    if not (whole and is_text(cells) and any(isinstance(value, float) for value in found)):
        return found
    if _is_rounded(cells, pa.array(found, pa.float64())):
        for rows in _divide([cells]):
            some = replace(chunk, columns=chunk.columns.take(rows))
            part = match_target(some, name, classes, said, label)
            for row, value in zip(rows.tolist(), part, strict=True):
                found[row] = value
    return found


def in_order(parts: Sequence[Part], answers: Sequence[Any]) -> Any:
    """Return the answers for all parts in the order of the rows."""
    if len(parts) == 1:
        return answers[0]
    return np.concatenate(answers)[np.argsort(np.concatenate([part.rows for part in parts]))]


def _is_rounded(cells: Any, numbers: Any) -> bool:
    """Return whether cells of text became floats, some of them too large to be exact."""
    if not (is_text(cells) and pa.types.is_floating(numbers.type)):
        return False
    return bool(pc.any(pc.greater_equal(pc.abs(numbers), float(_EXACT)), min_count=0).as_py())


def _divide(rounded: Sequence[Any]) -> list[Rows]:
    """Return the rows of each part: in each column, large integers of one sign, or no large ones."""
    kinds = np.array([[_kind_of(cell) for cell in cells.to_pylist()] for cells in rounded], dtype=np.int8)
    _, numbers = np.unique(kinds.T, axis=0, return_inverse=True)
    return [np.flatnonzero(numbers.reshape(-1) == number) for number in range(int(numbers.max()) + 1)]


def _holds_integers(column: Column) -> bool:
    if column.levels is None:
        return column.kind == "integer"
    return all(isinstance(level, int) and not isinstance(level, bool) for level in column.levels)


def _kind_of(cell: str | None) -> int:
    found = _INTEGER.fullmatch(cell.strip(SPACES)) if cell else None
    if found is None or len(found[2]) > _MOST_DIGITS:
        return _REST
    number = int(found[1] + found[2])
    if -(2**63) <= number < -_EXACT:
        return _NEGATIVE
    return _POSITIVE if _EXACT < number < 2**64 else _REST


def predictions(
    model: Any, parts: Sequence[Part], names: Sequence[str], unknown: Unknown = "missing"
) -> dict[str, Any]:
    """Return columns of these names: the predictions of a model, and the probabilities if these are named."""
    found = in_order(parts, [model.predict(part.X, unknown=unknown) for part in parts])
    columns = {names[0]: _column(found)}
    if len(names) > 1:
        probability = in_order(parts, [model.predict_proba(part.X) for part in parts])
        columns |= {name: _column(probability[:, place]) for place, name in enumerate(names[1:])}
    return columns


def _column(values: Any) -> Any:
    plain = np.ascontiguousarray(values) if values.dtype.kind in "Uifb" else values.tolist()
    return pa.chunked_array([pa.array(plain)])
