"""Values as the outside world writes them, and the thresholds that questions compare them with.

The *stored form* of a value is the number that stands for it in memory. The *user form* is what people write:
a number, text, truth value or level; ISO text for instants, "3 days 04:05:06" for durations.
"""

from __future__ import annotations

import datetime as dt

from arboretum._data import Column
from arboretum._data.levels import level_key
from arboretum._tree.composites import Literal
from arboretum._tree.question_values import read_value
from arboretum._tree.questions import Threshold
from arboretum.errors import DataError


def field_type(column: Column) -> str:
    """Return the type of a column's values; "mixed" for levels of several types, or that are times.

    >>> field_type(Column("born", "datetime", unit="D")), field_type(Column("x", "nominal", levels=(1, 2)))
    ('date', 'integer')
    """
    if column.levels is not None:
        return _level_type(column.levels)
    if column.kind == "datetime":
        return "date" if column.unit == "D" and column.timezone is None else "datetime"
    return column.kind


def _level_type(levels: tuple[object, ...]) -> str:
    kinds = {type(level) for level in levels}
    if kinds == {str}:
        return "text"
    if kinds == {bool}:
        return "boolean"
    if kinds == {int}:
        return "integer"
    return "number" if kinds and kinds <= {int, float} else "mixed"


def threshold_value(question: Threshold | Literal) -> float | int | str:
    """Return the threshold t of `x <= t` in user form, exactly.

    For numbers it is a float; for integers a float where that is exact (41.5), else an int; for times text;
    for ordered levels the position of the last level that is at most t.

    >>> threshold_value(Threshold(Column("n", "integer"), 0, False, 41.5, 41))
    41.5
    >>> threshold_value(Threshold(Column("born", "datetime", unit="D"), 0, False, 19783.0, 19783))
    '2024-03-01'
    """
    column = question.about
    stored = question.threshold
    if stored is None:
        raise DataError(f"The literal {question} has no threshold.")
    match column.kind:
        case "number":
            return float(stored)
        case "integer":
            return question.floor + column.offset if column.offset else stored
        case "datetime" | "duration":
            return column.format(question.floor)
        case _:
            return question.floor


def threshold_count(question: Threshold | Literal) -> int:
    """Return the threshold for whole values (integers, units of time, positions of levels), in user form."""
    return question.floor + question.about.offset


def levels_at_most(question: Threshold | Literal) -> tuple[object, ...]:
    """Return the levels of an ordered column that are at most the threshold, in user form."""
    return (question.about.levels or ())[: max(0, question.floor + 1)]


def user_value(column: Column, stored: float | int) -> object:
    """Return the user form of a stored value: the level of a number, the text of a time."""
    if column.levels is not None:
        return column.levels[int(stored)]
    match column.kind:
        case "number":
            return float(stored)
        case "integer":
            return int(stored) + column.offset
        case _:
            return column.format(int(stored))


def stored_value(column: Column, value: object) -> float | int | None:
    """Return the stored form of a user's value; None if it is missing or an unknown level."""
    if value is None or value != value:
        return None
    if column.levels is not None:
        key = level_key(value)
        return next((n for n, level in enumerate(column.levels) if level_key(level) == key), None)
    if isinstance(value, str):
        return read_value(column, value)[1]
    if isinstance(value, bool | int | float):
        return value - column.offset
    if isinstance(value, dt.date | dt.timedelta):
        raise DataError(f"Column {column.name!r} is given {value!r}; in user form times are text.")
    raise DataError(
        f"Column {column.name!r} is given {value!r}, which is not a value of kind {column.kind!r}."
    )
