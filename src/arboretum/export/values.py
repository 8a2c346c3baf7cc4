"""Values as the outside world writes them: what a column holds, and what a question compares it with.

Words: the *stored form* of a value is the number that stands for it in memory; the *user form* is the number,
text, truth value or level that people write. Instants and durations are ISO text and "3 days 04:05:06".
Which row goes where is told by the program.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from arboretum.dataset import Column
from arboretum.dataset.levels import level_key
from arboretum.errors import DataError
from arboretum.question_values import read_value
from arboretum.questions import Literal, Threshold

__all__ = [
    "TYPES",
    "field_type",
    "levels_at_most",
    "stored_value",
    "threshold_count",
    "threshold_value",
    "user_value",
]

TYPES: Final = ("number", "integer", "text", "boolean", "datetime", "date", "duration", "mixed")


def field_type(column: Column) -> str:
    """Return what the values of a column are; "mixed" for levels of several types, or of dates or durations.

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
    """Return what `x <= t` compares with, in user form: exact, for integers and floats given alike.

    Of numbers it is a float; of integers a float where that is exact (41.5), else an int; of times it is
    text; of ordered levels the *position* of the last level that is at most t.

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
    """Return the threshold of whole things (integers, units of time, positions of levels), in user form.

    Whole values are compared with it exactly.
    """
    return question.floor + question.about.offset


def levels_at_most(question: Threshold | Literal) -> tuple[object, ...]:
    """Return the levels of an ordered column that are at most the threshold, in user form."""
    return (question.about.levels or ())[: max(0, question.floor + 1)]


def user_value(column: Column, stored: float | int) -> object:
    """Return the user form of a stored value: a level for its number, text for a time."""
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
    """Return the stored form of a user's value; None where it is missing, or a level that is not known."""
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
    raise DataError(f"Column {column.name!r} is given {value!r}, which is no value of kind {column.kind!r}.")
