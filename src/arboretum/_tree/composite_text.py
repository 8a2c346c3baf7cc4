"""Questions about several columns, read from text: "at least 2 of: …", "0.8·a − 1.2·b <= 3.1".

Names in which signs could be misread stand in quotes. Questions about one column are read in
question_text.py, values and levels in question_values.py.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Final

from arboretum._data import Column
from arboretum._tree.composites import AtLeast, Linear, LinearTerm, Literal, may_be_added
from arboretum._tree.question_values import (
    NOT_MISSING,
    OR_MISSING,
    quote_inside,
    read_levels,
    read_threshold,
    split_at_commas,
)
from arboretum._tree.questions import Question
from arboretum._wording import did_you_mean, shown
from arboretum.errors import ParameterError, listing

_QUOTED: Final = r'"(?:[^"\\]|\\.)*"'
_NUMBER: Final = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_SIGN: Final = r"[-+\N{MINUS SIGN}]"
_COUNTED: Final = re.compile(r"(?:at least|fewer than)\s+([0-9]{1,9})\s+of\s*:(.*)", re.DOTALL)
_ALL_OR_ANY: Final = re.compile(r"(all|not all|any|none)\s+of\s*:(.*)", re.DOTALL)
_PARTS: Final = re.compile(rf'\s*((?:{_QUOTED}|[^,"])+?)\s*(,|$)')
_LITERAL: Final = re.compile(rf'({_QUOTED}|[^<>=!"]+?)\s*(<=|>(?!\s*=)|!=|=)\s*(.+)')
_COEFFICIENT: Final = re.compile(rf"\s*({_SIGN}?)\s*({_NUMBER})\s*[\N{{MIDDLE DOT}}*]\s*")
_INDICATOR: Final = re.compile(rf'\[\s*({_QUOTED}|[^\]="]+?)\s*=\s*({_QUOTED}|[^\]"]+?)\s*\]')
# An unquoted name ends where the next sign begins; a hyphen is one only in front of a number.
_NAME: Final = re.compile(rf'({_QUOTED}|[^"\[\]]+?)(?=\s*(?:[+\N{{MINUS SIGN}}<>]|-\s*[0-9.]|$))')
_BOUND: Final = re.compile(rf"\s*(?:<=|>(?!\s*=))\s*([-+]?{_NUMBER})\s*")
_BEGINS: Final = re.compile(rf"{_COUNTED.pattern}|{_ALL_OR_ANY.pattern}|{_COEFFICIENT.pattern}", re.DOTALL)
_EXAMPLES: Final = "'at least 2 of: a <= 3, b = red', 'all of: …', 'any of: …' or '0.8*a - 1.2*b <= 3.1'"


def read_composite(text: str, columns: Sequence[Column]) -> Question | None:
    """Return the question about several columns that a text asks; None if it does not begin like one.

    >>> columns = [Column("a", "number"), Column("b", "nominal", levels=("blue", "red"))]
    >>> read_composite("any of: a > 3, b = red", columns)
    any of: a > 3, b = red
    >>> read_composite("0.5*a - 2*[b = red] <= 1", columns)
    0.5·a − 2·[b = red] <= 1
    """
    if text.endswith((OR_MISSING, NOT_MISSING)) and _BEGINS.match(text):
        raise ParameterError(
            f"The question {shown(text)} says where missing values go, but one about several columns always "
            "has an answer.\nHint: leave that out."
        )
    if found := _COUNTED.fullmatch(text):
        return _read_at_least(text, int(found[1]), found[2], columns)
    if found := _ALL_OR_ANY.fullmatch(text):
        return _read_at_least(text, 1 if found[1] in ("any", "none") else None, found[2], columns)
    return _read_linear(text, columns) if _COEFFICIENT.match(text) else None


def _read_at_least(text: str, m: int | None, listed: str, columns: Sequence[Column]) -> AtLeast:
    """Return the question; without `m`, all literals must hold."""
    parts, unread = split_at_commas(listed, _PARTS)
    if unread is not None:
        raise _unreadable(text, unread)
    literals = tuple(_read_literal(part, columns) for part in parts)
    n, m = len(literals), len(literals) if m is None else m
    if n < 2:
        raise ParameterError(
            f"The question {shown(text)} has one part only.\nHint: ask it alone, as {str(literals[0])!r}."
        )
    if not 1 <= m <= n:
        raise ParameterError(
            f"The question {shown(text)} asks whether {m} of {n} parts hold; give a number from 1 to {n}."
        )
    return AtLeast(literals[0].about, 0, False, m, literals)


def _read_literal(part: str, columns: Sequence[Column]) -> Literal:
    found = _LITERAL.fullmatch(part)
    if not found:
        raise ParameterError(
            f"The part {shown(part)} of the question cannot be read; write 'x <= 3', 'x > 3', 'x = red' or "
            "'x != red', with names that hold such signs or commas in quotes."
        )
    column = _find(found[1], part, columns)
    sign, value = found[2], found[3]
    if (sign in ("=", "!=")) != (column.kind == "nominal"):
        allowed = "= or !=" if column.kind == "nominal" else "<= or >"
        raise ParameterError(
            f"Column {column.name!r} is of kind {column.kind!r} and cannot be asked {shown(part)}; ask with "
            f"{allowed}."
        )
    if column.kind == "nominal":
        return Literal(column, sign == "!=", level=read_levels(column, [value])[0])
    return Literal(column, sign == ">", *read_threshold(column, value))


def _read_linear(text: str, columns: Sequence[Column]) -> Linear:
    terms: list[LinearTerm] = []
    place = 0
    while found := _COEFFICIENT.match(text, place):
        if terms and not found[1]:
            break  # between two terms stands a sign
        coefficient = float(found[2]) * (1.0 if found[1] in ("", "+") else -1.0)
        term, place = _read_variable(text, found.end(), coefficient, columns)
        terms.append(term)
    bound = _BOUND.fullmatch(text, place)
    if not bound:
        raise _unreadable(text, text[place:].strip())
    threshold = float(bound[1]) + 0.0  # 0.0 for both zeros
    if not math.isfinite(threshold):
        raise ParameterError(f"The question {shown(text)} has a bound that is too large.")
    return Linear(terms[0].about, 0, False, tuple(terms), threshold)


def _read_variable(
    text: str, place: int, coefficient: float, columns: Sequence[Column]
) -> tuple[LinearTerm, int]:
    """Return the term whose name begins here, and the place where it ends."""
    if not math.isfinite(coefficient):
        raise ParameterError(f"The question {shown(text)} has a coefficient that is too large.")
    if found := _INDICATOR.match(text, place):
        column = _find(found[1], found[0], columns)
        if column.kind != "nominal":
            raise ParameterError(
                f"Column {column.name!r} is of kind {column.kind!r} and cannot be asked {shown(found[0])}; "
                f"in a sum it stands alone, as {quote_inside(column.name)}."
            )
        return LinearTerm(column, coefficient, read_levels(column, [found[2]])[0]), found.end()
    if found := _NAME.match(text, place):
        column = _find(found[1], found[1], columns)
        if not may_be_added(column):
            hint = f"\nHint: write [{quote_inside(column.name)} = …]." if column.kind == "nominal" else ""
            raise ParameterError(
                f"Column {column.name!r} is of kind {column.kind!r} and cannot be added up, but the question "
                f"{shown(text)} does so.{hint}"
            )
        return LinearTerm(column, coefficient), found.end()
    raise _unreadable(text, text[place:])


def _find(written: str, part: str, columns: Sequence[Column]) -> Column:
    """Return the column with this name, which may stand in quotes."""
    try:
        name = str(json.loads(written)) if written.startswith('"') else written
    except ValueError:
        name = written
    for column in columns:
        if column.name == name:
            return column
    names = [column.name for column in columns]
    raise ParameterError(
        f"The part {shown(part)} of the question names no column of the tree; its columns are "
        f"{listing(names, 10)}.{did_you_mean(name, names)}"
    )


def _unreadable(text: str, rest: str) -> ParameterError:
    where = f" from {shown(rest)} on" if rest else ": it ends too early"
    return ParameterError(
        f"The question {shown(text)} cannot be read{where}; write it like {_EXAMPLES}, with names that hold "
        "signs or commas in quotes."
    )
