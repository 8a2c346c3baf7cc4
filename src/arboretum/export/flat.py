"""The program as flat tables, for targets that run one loop over them: Python, C and JavaScript.

Words: an *entry* is one line of the table of fields; an *ask* is a question in numbers: its fields by their
place in that table, its thresholds and levels as the target compares them. A *need* is a piece of running
code that the tables call for. How tables are spelled is known by each target.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from arboretum.dataset import Column
from arboretum.dataset.levels import Family, family_of, level_key
from arboretum.dataset.times import NANOSECONDS
from arboretum.errors import DataError
from arboretum.export.program import Field, Program, questions_of, threshold_value
from arboretum.export.values import threshold_count
from arboretum.questions import AtLeast, Levels, Linear, Literal, Missing, Question, Threshold

__all__ = [
    "Among",
    "Ask",
    "AtMost",
    "Entry",
    "IsMissing",
    "Part",
    "Sum",
    "Vote",
    "ask_of",
    "entries",
    "needs",
]


@dataclass(frozen=True)
class Entry:
    """How the values of one field are read."""

    field: Field
    reader: str  # "number", "text" (levels that are all text), "level" (any other), "instant" or "duration"
    unit: int = 1  # nanoseconds in one unit of time
    aware: bool = False  # whether instants have a time zone
    keys: tuple[Hashable, ...] = ()  # what makes each level itself
    families: tuple[Family, ...] = ()  # what its levels are like


@dataclass(frozen=True)
class AtMost:
    """`x <= t`, or its opposite, with whole units and positions of levels as whole numbers."""

    field: int
    threshold: float | int
    flipped: bool = False


@dataclass(frozen=True)
class Among:
    """The place of the child for each level that has one, by position and in this order."""

    field: int
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class IsMissing:
    """Whether the value is missing."""

    field: int


@dataclass(frozen=True)
class Part:
    """A literal of a vote, or a term of a sum; of a literal `level` or `threshold` is set."""

    field: int
    threshold: float | int | None = None
    level: int | None = None
    negated: bool = False
    coefficient: float = 0.0
    fill: float = 0.0


@dataclass(frozen=True)
class Vote:
    """Whether at least so many literals hold."""

    least: int
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Sum:
    """Whether the sum of the terms, added up in their order, is at most the bound."""

    bound: float
    parts: tuple[Part, ...]


Ask = AtMost | Among | IsMissing | Vote | Sum

_NEEDS: Final[dict[type, str]] = {
    Threshold: "at_most",
    Levels: "among",
    Missing: "is_missing",
    AtLeast: "vote",
    Linear: "sum",
}


def entries(program: Program) -> tuple[Entry, ...]:
    """Return how each field is read, in the order of the fields."""
    return tuple(_entry(field) for field in program.fields)


def _entry(field: Field) -> Entry:
    column = field.column
    if field.levels is not None:
        families = tuple(sorted({family_of(level) for level in field.levels}))
        keys = tuple(level_key(level) for level in field.levels)
        reader = "text" if field.type == "text" else "level"
        return Entry(field, reader, keys=keys, families=families)
    if column.kind in ("datetime", "duration"):
        unit, aware = NANOSECONDS[str(column.unit)], column.timezone is not None
        return Entry(field, "instant" if column.kind == "datetime" else "duration", unit, aware)
    return Entry(field, "number")


def ask_of(program: Program, question: Question) -> Ask:
    """Return a question in numbers."""
    place = {field.name: i for i, field in enumerate(program.fields)}

    def literal(part: Literal) -> Part:
        at = place[part.about.name]
        if part.level is not None:
            return Part(at, level=part.level, negated=part.negated)
        return Part(at, threshold=_threshold(part), negated=part.negated)

    match question:
        case Threshold():
            return AtMost(place[question.column], _threshold(question), question.flipped)
        case Levels():
            groups = enumerate(question.children)
            pairs = sorted((level, child) for child, group in groups for level in group)
            return Among(place[question.column], tuple(pairs))
        case Missing():
            return IsMissing(place[question.column])
        case AtLeast():
            return Vote(question.m, tuple(map(literal, question.literals)))
        case Linear():
            parts = tuple(
                Part(place[t.about.name], level=t.level, coefficient=t.coefficient, fill=t.fill)
                for t in question.terms
            )
            return Sum(question.threshold, parts)
    raise DataError(f"The question {question} is of a kind that exports do not know.")


def _threshold(question: Threshold | Literal) -> float | int:
    if _is_number(question.about):
        value: Any = threshold_value(question)
        return value if isinstance(value, int) else float(value)
    return threshold_count(question)


def _is_number(column: Column) -> bool:
    return column.kind in ("number", "integer")


def needs(program: Program) -> set[str]:
    """Return the pieces of running code that a program calls for."""
    wanted = {_NEEDS[type(question)] for question in _questions(program)}
    wanted |= {entry.reader for entry in entries(program)}
    if program.missing == "fractions" and program.classes is not None:
        wanted.add("labels_of_mixtures")
    return wanted | {program.missing}


def _questions(program: Program) -> Iterator[Question]:
    for step in program.steps:
        yield from questions_of(step)
