"""Questions read from text: what a tree prints, and what people write.

A text that can be read in two ways is refused. Values and levels are read in question_values.py, questions
about several columns in composite_text.py; each class of question writes itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from arboretum._data import Column
from arboretum._tree.composite_text import read_composite
from arboretum._tree.question_values import (
    EVERY_LEVEL,
    NOT_MISSING,
    OR_MISSING,
    quote,
    read_levels,
    read_threshold,
    split_at_commas,
    value_text,
)
from arboretum._tree.questions import Levels, Missing, Question, Threshold, level_name
from arboretum._wording import did_you_mean, many, shown, visible
from arboretum.errors import ParameterError, listing

# What may follow the name of a column. Values have no line breaks: those are written as \n inside quotes.
_AT_MOST: Final = re.compile(r"\s*<=\s*(.+)")
_ABOVE: Final = re.compile(r"\s*>\s*([^=\s].*)")
_EQUALS: Final = re.compile(r"\s*=\s*(.+)")
_AMONG: Final = re.compile(r"\s+in\s*(\{.*\})")
_IS: Final = re.compile(r"\s+is\s+(missing|known)")
_NAMES: Final = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^,{}"]+)\s*(,|$)')

# A question, and which of its outcomes the text is: 1 for `x > t`, none of them for `x = ?`, else 0.
_Read = tuple[Question, int | None]
_Reader = Callable[[Column, str], _Read]


def read_question(text: str, columns: Sequence[Column]) -> Question:
    """Return the question about these columns that a text asks; one that cannot be read is refused.

    Its `missing_seen` is true if the text says where missing values go. `x > t` asks the same as `x <= t`:
    the first outcome is `x <= t` for both. Levels that are not named belong to the second child.

    >>> colour = Column("colour", "nominal", levels=("blue", "green", "red"))
    >>> read_question("colour in {blue, red}", [colour]).outcomes
    ('colour in {blue, red}', 'colour = green')
    """
    text = text.strip()
    readings: list[Question] = []
    refusals: list[tuple[int, ParameterError]] = []
    for column in columns:
        for name in _forms_of(column.name):
            if not text.startswith(name):
                continue
            try:
                found = _read_about(column, text[len(name) :])
            except ParameterError as error:
                refusals.append((len(name), error))
            else:
                readings += [] if found is None else [found]
    if len(readings) > 1:
        raise ParameterError(
            f"The question {shown(text)} can be read in {len(readings)} ways, about the columns "
            f"{listing([reading.column for reading in readings])}.\nHint: rename one of them before fitting."
        )
    if readings:
        return readings[0]
    if (composite := read_composite(text, columns)) is not None:
        return composite
    if refusals:  # of a and "a b", the longer name is the one that was meant
        raise max(refusals, key=lambda refusal: refusal[0])[1]
    raise _unknown_column(text, columns)


def _forms_of(name: str) -> set[str]:
    """Return the ways in which a column's name may be written: as trees write it, in quotes, or plain.

    A name that trees put in quotes may be plain only if the quotes are there to protect the terminal.
    """
    plain = {name} if quote(visible(name)) == visible(name) else set()
    return {quote(name), json.dumps(name, ensure_ascii=False)} | plain


def _unknown_column(text: str, columns: Sequence[Column]) -> ParameterError:
    names = [column.name for column in columns]
    word = re.split(r"\s*(?:<|>|=|\sin\b|\sis\b)", text, maxsplit=1)[0]
    hint = did_you_mean(word, names)
    if word in names:
        about = columns[names.index(word)]
        return ParameterError(f"The question {shown(text)} cannot be read; ask {_examples(about)}.")
    return ParameterError(
        f"The question {shown(text)} begins with no column of the tree; its columns are "
        f"{listing(names, 10)}.{hint}"
    )


def _read_about(column: Column, rest: str) -> Question | None:
    """Return the question with this text after the column's name; None if the name was longer."""
    if _IS.fullmatch(rest):
        return Missing(column, 0, True)
    rest, said = _without_said(rest)
    readers: tuple[tuple[re.Pattern[str], _Reader], ...] = (
        (_AT_MOST, _read_at_most),
        (_ABOVE, _read_above),
        (_EQUALS, _read_equals),
        (_AMONG, _read_among),
    )
    for pattern, read in readers:
        if found := pattern.fullmatch(rest):
            question, outcome = read(column, found[1])
            return _say(question, outcome, said)
    return None


def _without_said(rest: str) -> tuple[str, str]:
    """Split off what the text says about missing values. Names with such an ending are quoted."""
    for said in (OR_MISSING, NOT_MISSING):
        if rest.endswith(said):
            return rest.removesuffix(said), said
    return rest, ""


def _say(question: Question, outcome: int | None, said: str) -> Question:
    """Return the question that sends missing values where the text of this outcome says."""
    if isinstance(question, Levels) and outcome is None:
        return _say_every_level(question, said)
    if isinstance(question, Levels) and not question.children[1]:
        if said == OR_MISSING:
            raise ParameterError(
                f"The question names all levels of column {question.column!r} and missing values too, "
                "so that every row has the same answer."
            )
        return replace(question, missing_child=1, missing_seen=True)
    if not said:
        return question
    child = 1 if (outcome == 0) == (said == NOT_MISSING) else 0
    return replace(question, missing_child=child, missing_seen=True)


def _say_every_level(question: Levels, said: str) -> Question:
    n_levels = len(question.children)
    if said == NOT_MISSING:
        raise ParameterError(
            f"The question about every level of column {question.column!r} says where missing values do not "
            "go, but not where they go.\nHint: ' or missing' gives them a branch of their own."
        )
    if n_levels + bool(said) < 2:
        raise ParameterError(
            f"Column {question.column!r} has {many(n_levels, 'level')}, too few for a branch for each."
        )
    if not said:
        return question
    return replace(question, missing_child=n_levels, missing_seen=True, children=(*question.children, ()))


def _read_at_most(column: Column, text: str) -> _Read:
    _require(column, column.kind != "nominal", f"<= {text}")
    return Threshold(column, 0, False, *read_threshold(column, text)), 0


def _read_above(column: Column, text: str) -> _Read:
    _require(column, column.kind != "nominal", f"> {text}")
    return _read_at_most(column, text)[0], 1


def _read_equals(column: Column, text: str) -> _Read:
    _require(column, column.kind == "nominal", f"= {text}")
    if text != EVERY_LEVEL:
        return _among(column, [text]), 0
    return Levels(column, 0, False, tuple((number,) for number in range(len(column.levels or ())))), None


def _read_among(column: Column, text: str) -> _Read:
    _require(column, column.kind == "nominal", f"in {text}")
    return _among(column, _split_names(column, text[1:-1])), 0


def _among(column: Column, names: list[str]) -> Levels:
    """Return the question that sends these levels to the first child, and all others to the second."""
    numbers = read_levels(column, names)
    first = set(numbers)
    if len(first) < len(numbers):
        twice = next(number for number in numbers if numbers.count(number) > 1)
        raise ParameterError(
            f"The question about column {column.name!r} names the level {column.format(twice)!r} twice."
        )
    others = tuple(number for number in range(len(column.levels or ())) if number not in first)
    return Levels(column, 0, False, (tuple(sorted(first)), others))


def _split_names(column: Column, text: str) -> list[str]:
    """Return the names between the braces; commas inside quotes do not separate."""
    names, unread = split_at_commas(text, _NAMES)
    if unread is None:
        return names
    raise ParameterError(
        f"The levels {shown(text)} of column {column.name!r} cannot be read; write them as in "
        f"{_examples(column)}, with names that hold commas, braces or quotes in quotes."
    )


def _require(column: Column, fits: bool, asked: str) -> None:
    if not fits:
        raise ParameterError(
            f"Column {column.name!r} is of kind {column.kind!r} and cannot be asked {asked!r}; "
            f"ask {_examples(column)}."
        )


def _examples(column: Column) -> str:
    """Return what may be asked of a column."""
    name = quote(column.name)
    if column.kind == "nominal":
        levels = [level_name(column, number) for number in range(min(2, len(column.levels or ())))]
        asked = [f"{name} = {levels[0]}", f"{name} in {{{', '.join(levels)}}}"] if levels else []
        return listing([*asked, f"{name} = {EVERY_LEVEL}", f"{name} is missing"])
    value = "value" if column.kind != "ordered" or not column.levels else value_text(column, 0)
    return listing([f"{name} <= {value}", f"{name} > {value}", f"{name} is missing"])
