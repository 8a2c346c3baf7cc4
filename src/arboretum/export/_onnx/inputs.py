"""Inputs of an ONNX model: their types, how a missing value is written, and how rows become tensors.

field                   tensor          missing
number                  double, float   NaN
integer                 int64           -2**63, or as a number
date, time, duration    int64           -2**63, NaT in NumPy; counts of the column's unit (since 1970)
levels that are text    string          any text that is not a level, as ""
boolean                 int64           any number but 0 and 1
levels that are whole   int64           any number that is not a level
other numbers as levels double          NaN, any number that is not a level
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from arboretum._options.rules import OneOf
from arboretum._types import Array
from arboretum.errors import DataError, ParameterError
from arboretum.export._program.program import Field, Program, field_type, free_name, stored_value
from arboretum.export._program.shared import flaw_of

MISSING_INTEGER: Final = -(2**63)
_FLOATS: Final[dict[str, npt.DTypeLike]] = {"double": np.float64, "float32": np.float32}


@dataclass(frozen=True)
class Options:
    """The options about inputs."""

    inputs: str
    floats: str
    integers: str

    def __post_init__(self) -> None:
        OneOf(("columns", "matrix")).read(self.inputs, "inputs")
        OneOf(tuple(_FLOATS)).read(self.floats, "floats")
        OneOf(("int64", "float")).read(self.integers, "integers")

    @property
    def real(self) -> np.dtype[Any]:
        """The type of numbers and thresholds."""
        return np.dtype(_FLOATS[self.floats])

    @property
    def whole_limit(self) -> int:
        """The integer beyond which the type of numbers has gaps."""
        return 1 << int(np.finfo(self.real).nmant) + 1

    @property
    def is_matrix(self) -> bool:
        """Whether all columns are one input."""
        return self.inputs == "matrix"


@dataclass(frozen=True)
class Input:
    """One field as a tensor of one dimension; `missing` stands for a missing value."""

    field: Field
    name: str
    dtype: np.dtype[Any]
    missing: Any


# --- types


def column_inputs(program: Program, options: Options) -> tuple[Input, ...]:
    """Return one input for each field; refuse fields whose values no tensor can hold."""
    fields = program.fields
    if not fields:  # any column shows how many rows there are
        column = program.columns[0]
        fields = (Field(column, 0, column.name, field_type(column), column.levels),)
    taken: set[str] = set()
    found = []
    for field in fields:
        dtype = _dtype(program, field, options)
        # A column whose name no tensor can have is called by its place.
        name = field.name if field.name and not flaw_of(field.name) else f"column_{field.place}"
        name = free_name(name, taken)
        found.append(Input(field, name, dtype, _missing_value(field, dtype)))
    return tuple(found)


def check_matrix(program: Program, options: Options) -> None:
    """Refuse a program that asks about something that a matrix of numbers cannot hold."""
    for field in program.fields:
        if field.levels is not None or field.column.kind not in ("number", "integer"):
            raise ParameterError(
                f"inputs='matrix' needs numbers, but column {field.name!r} holds {_what(field)}"
                f"{program.first_question_about(field)}.\n"
                "Hint: inputs='columns' has an input for each column."
            )
        _refuse_offset(program, field)
        if field.column.kind == "integer":
            _refuse_beyond(program, field, options, "inputs='matrix'")


def _dtype(program: Program, field: Field, options: Options) -> np.dtype[Any]:
    if field.levels is not None:
        return _level_dtype(program, field)
    if field.column.kind == "number":
        return options.real
    _refuse_offset(program, field)
    if field.column.kind == "integer" and options.integers == "float":
        _refuse_beyond(program, field, options, "integers='float'")
        return options.real
    return np.dtype(np.int64)


def _refuse_offset(program: Program, field: Field) -> None:
    if field.column.offset:
        what = "integers beyond 2**63, which runtimes of ONNX cannot compare"
        raise program.refusal(field, what, "count from another zero")


def _level_dtype(program: Program, field: Field) -> np.dtype[Any]:
    levels: tuple[Any, ...] = field.levels or ()
    if not program.fields:
        return np.dtype(object)  # it only shows how many rows there are
    if field.type == "text":
        refuse_texts(levels, f"Column {field.name!r} has the level")
        return np.dtype(object)
    if field.type in ("boolean", "integer"):
        if all(-(2**63) < level < 2**63 for level in levels):
            return np.dtype(np.int64)
    elif field.type == "number" and all(float(level) == level for level in levels):
        return np.dtype(np.float64)
    what = f"levels that no tensor of ONNX can hold: {_what(field)}"
    raise program.refusal(field, what, "make them text")


def _what(field: Field) -> str:
    if field.type == "mixed":
        return "levels of several types, dates or durations"
    return f"levels ({field.type})" if field.levels is not None else f"values of kind {field.column.kind!r}"


def _refuse_beyond(program: Program, field: Field, options: Options, because: str) -> None:
    """Refuse integers that would be rounded as floats, if that could change an answer."""
    for number, cut in program.thresholds[field.name]:
        if abs(cut.floor) + 1 >= options.whole_limit:
            bits = options.whole_limit.bit_length() - 1
            raise ParameterError(
                f"{because} turns column {field.name!r} into {options.floats}, but node {number} asks "
                f"{cut}, beyond 2**{bits}, where those cannot tell all integers apart.\n"
                "Hint: inputs='columns' with integers='int64' compares them as they are."
            )


def field_cuts(program: Program, field: Field) -> list[int]:
    """Return the distinct thresholds of a field as integers, in order."""
    return sorted({cut.floor for _, cut in program.thresholds[field.name]})


# --- names and missing values


def refuse_texts(texts: Iterable[str], what: str) -> None:
    """Refuse texts that UTF-8 or C cannot hold."""
    for text in texts:
        if flaw_of(text):
            raise DataError(f"{what} {text!r}, which text in ONNX cannot hold ({flaw_of(text)}).")


def _missing_value(field: Field, dtype: np.dtype[Any]) -> Any:
    if dtype == np.dtype(object):
        text = ""
        while text in (field.levels or ()):
            text += "?"
        return text
    if dtype.kind == "f":
        return math.nan
    return MISSING_INTEGER


# --- rows as tensors


def cells(rows: Sequence[Mapping[str, object]], given: Input) -> Array:
    """Return the values of rows in user form as a tensor."""
    found = np.empty(len(rows), dtype=given.dtype)
    for i, row in enumerate(rows):
        found[i] = _cell(row.get(given.field.name), given)
    return found


def _cell(value: Any, given: Input) -> Any:
    if value is None or value != value:
        return given.missing
    if given.field.levels is None:
        return stored_value(given.field.column, value)
    if given.dtype == np.dtype(np.int64) and (value != int(value) or not -(2**63) <= value < 2**63):
        return given.missing  # a fraction is not a level
    return value
