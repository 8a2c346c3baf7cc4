"""Fields and values in PMML: the type of each column, and how values are spelled.

Fields that PMML or its evaluators cannot hold exactly are refused, with the node that asks about them.
"""

from __future__ import annotations

import math
from typing import Any, Final

from arboretum._data.times import NANOSECONDS, instant_text
from arboretum._tree.composites import Literal
from arboretum._tree.questions import Threshold
from arboretum.errors import DataError
from arboretum.export._pmml.xml import Element, can_be_written, element
from arboretum.export._program.program import Field, Program

_LAST_EXACT: Final = 2**53
_REFUSED: Final = {
    "datetime": ("instants with a time zone, which PMML lacks", "convert it to UTC without a time zone"),
    "duration": ("durations, which PMML lacks", "make it a number of seconds"),
    "integer": ("integers beyond 2**63, which evaluators of PMML round", "count from another zero"),
}
_FIRST_YEAR, _LAST_YEAR = "0001-01-01", "9999-12-31"


def checked_text(text: str, what: str) -> str:
    """Return a text; refuse one that XML cannot hold."""
    if not can_be_written(text):
        raise DataError(
            f"{what} {text!r}, and XML cannot hold some of its signs.\nHint: rename it before fitting."
        )
    return text


def spelled(value: Any) -> str:
    """Return how a number, a truth value or a text is spelled."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isinf(value):
            return "INF" if value > 0 else "-INF"
        return repr(value + 0.0)  # -0.0 is written as 0.0, which it equals
    return str(value)


def field_type_of(program: Program, field: Field) -> str:
    """Return PMML's type for a field; refuse what it cannot hold."""
    if not checked_text(field.name, "A column is called"):
        raise _refusal(
            program, field, "values under an empty name, which fields of PMML cannot have", "name it"
        )
    if field.levels is not None:
        return _level_type(program, field)
    column = field.column
    if column.kind == "datetime" and column.timezone is None:
        return "date" if column.unit == "D" else "dateTime"
    if column.kind == "number" or (column.kind == "integer" and not column.offset):
        return "double"
    raise _refusal(program, field, *_REFUSED[column.kind])


def _level_type(program: Program, field: Field) -> str:
    levels: tuple[Any, ...] = field.levels or ()
    if field.type == "text":
        for level in levels:
            checked_text(level, f"Column {field.name!r} has the level")
        return "string"
    if field.type == "boolean":
        return "boolean"
    if field.type in ("integer", "number") and all(abs(level) <= _LAST_EXACT for level in levels):
        return "double"
    raise _refusal(
        program, field, "levels of several types, dates, or numbers beyond 2**53", "make its levels text"
    )


def _refusal(program: Program, field: Field, what: str, hint: str) -> DataError:
    asked = program.first_question_about(field)
    return DataError(f"Column {field.name!r} holds {what}{asked}.\nHint: {hint} before fitting.")


def data_field(program: Program, field: Field) -> Element:
    """Return the declaration of a field, with its levels."""
    kind = field_type_of(program, field)
    ordered = "ordinal" if field.column.kind == "ordered" else "categorical"
    optype = "continuous" if field.levels is None else ordered
    values = [element("Value", value=spelled_level(field, level)) for level in field.levels or ()]
    return element("DataField", *values, name=field.name, optype=optype, dataType=kind)


def spelled_level(field: Field, level: Any) -> str:
    """Return how a level is spelled in the type of its field."""
    if field.levels is not None and field.type in ("integer", "number"):
        return spelled(float(level))
    return spelled(level)


def class_type(classes: tuple[Any, ...]) -> str:
    """Return PMML's type for classes; refuse what it cannot hold."""
    kinds = {type(label) for label in classes}
    if kinds == {str}:
        for label in classes:
            checked_text(label, "The model predicts the class")
        return "string"
    if kinds == {bool}:
        return "boolean"
    if kinds == {int} and all(-(2**31) <= label < 2**31 for label in classes):
        return "integer"
    if kinds <= {int, float} and all(abs(label) <= _LAST_EXACT for label in classes):
        return "double"
    raise DataError(
        f"The model predicts classes that evaluators of PMML cannot hold: "
        f"{', '.join(map(repr, classes[:5]))}.\nHint: make them text before fitting."
    )


def after(field: Field, question: Threshold | Literal, number: int) -> str:
    """Return the first instant after a threshold: a unit of time lasts until the next one."""
    column = field.column
    unit = str(column.unit)
    first = instant_text(question.floor + 1, unit, aware=False)
    if not (_FIRST_YEAR <= first[:10] <= _LAST_YEAR and first[4:5] == "-"):
        raise DataError(
            f"Node {number} asks {question}, outside the years 1 to 9999 of PMML.\n"
            "Hint: make such dates missing before fitting."
        )
    whole_days = (question.floor + 1) * NANOSECONDS[unit] % NANOSECONDS["D"] == 0
    return first if unit == "D" else (f"{first}T00:00:00" if whole_days else first)
