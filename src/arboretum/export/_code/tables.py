"""The program as flat tables, for targets that run one loop over them: Python, C and JavaScript.

A flat question is a question in numbers: its fields by their place in the table of fields, its thresholds and
levels as the target compares them. Each target spells the tables in its own way.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final

from arboretum._data.levels import Family, family_of, level_key
from arboretum._data.times import NANOSECONDS
from arboretum._tree.composites import AtLeast, Linear, Literal
from arboretum._tree.questions import Levels, Missing, Question, Threshold
from arboretum.errors import DataError
from arboretum.export._program.program import Field, Program, threshold_count, threshold_value

_KINDS: Final[dict[type, str]] = {
    Threshold: "at_most",
    Levels: "among",
    Missing: "is_missing",
    AtLeast: "vote",
    Linear: "sum",
}


@dataclass(frozen=True)
class Reader:
    """How the values of one field are read."""

    field: Field
    kind: str  # "number", "text" (levels that are all text), "level" (any other), "instant" or "duration"
    unit: int = 1  # nanoseconds in one unit of time
    aware: bool = False  # whether instants have a time zone
    keys: tuple[Hashable, ...] = ()  # what identifies each level
    families: tuple[Family, ...] = ()  # what kinds of levels there are


@dataclass(frozen=True)
class Part:
    """A literal of a vote, or a term of a sum; a literal has a `level` or a `threshold`."""

    field: int
    threshold: float | int | None = None
    level: int | None = None
    negated: bool = False
    coefficient: float = 0.0
    fill: float = 0.0


@dataclass(frozen=True)
class FlatQuestion:
    """A question in numbers; thresholds of whole units and of levels are whole."""

    kind: str  # "at_most", "among", "is_missing", "vote" or "sum"
    field: int = 0
    bound: float | int = 0  # the threshold, the bound of a sum, or the fewest literals that must hold
    flipped: bool = False  # at_most: whether the first child is above the threshold
    places: tuple[tuple[int, int], ...] = ()  # among: levels with the places of their children, sorted
    parts: tuple[Part, ...] = ()  # vote, sum: in order


def readers(program: Program) -> tuple[Reader, ...]:
    """Return how each field is read, in the order of the fields."""
    return tuple(map(_reader, program.fields))


def _reader(field: Field) -> Reader:
    column = field.column
    if field.levels is not None:
        families = tuple(sorted({family_of(level) for level in field.levels}))
        keys = tuple(level_key(level) for level in field.levels)
        return Reader(field, "text" if field.type == "text" else "level", keys=keys, families=families)
    if column.kind in ("datetime", "duration"):
        unit, aware = NANOSECONDS[str(column.unit)], column.timezone is not None
        return Reader(field, "instant" if column.kind == "datetime" else "duration", unit, aware)
    return Reader(field, "number")


def flat_question(program: Program, question: Question) -> FlatQuestion:
    """Return a question in numbers."""
    place = {field.name: i for i, field in enumerate(program.fields)}
    kind = _KINDS.get(type(question), "")
    match question:
        case Threshold():
            return FlatQuestion(kind, place[question.column], _threshold(question), question.flipped)
        case Levels():
            groups = enumerate(question.children)
            pairs = sorted((level, child) for child, group in groups for level in group)
            return FlatQuestion(kind, place[question.column], places=tuple(pairs))
        case Missing():
            return FlatQuestion(kind, place[question.column])
        case AtLeast():
            literals = tuple(
                Part(
                    place[part.about.name],
                    threshold=_threshold(part) if part.level is None else None,
                    level=part.level,
                    negated=part.negated,
                )
                for part in question.literals
            )
            return FlatQuestion(kind, bound=question.m, parts=literals)
        case Linear():
            terms = tuple(
                Part(place[term.about.name], level=term.level, coefficient=term.coefficient, fill=term.fill)
                for term in question.terms
            )
            return FlatQuestion(kind, bound=question.threshold, parts=terms)
    raise DataError(f"Exports cannot write the kind of question that {question} is.")


def _threshold(question: Threshold | Literal) -> float | int:
    if question.about.kind in ("number", "integer"):
        value: Any = threshold_value(question)
        return value if isinstance(value, int) else float(value)
    return threshold_count(question)


def needs(program: Program) -> set[str]:
    """Return what a program needs of a template: readers, questions, and how it predicts."""
    wanted = {_KINDS[type(question)] for _, question in program.questions}
    wanted |= {reader.kind for reader in readers(program)}
    if program.outputs:  # of one tree, whose rows are never divided
        has_classes = any(output.classes is not None for output in program.outputs)
        return wanted | {"outputs", "single", program.missing} | ({"shares"} if has_classes else set())
    wanted.add("numbers" if program.classes is None else "classes")
    wanted.add("linear" if program.has_models else "mixed" if is_mixed(program) else "single")
    if is_mixed(program) and program.classes is not None:
        wanted |= {"labels_of_mixtures"} | (set() if program.loss is None else {"loss"})
    return wanted | {program.missing} | ({"several"} if program.is_mean else set())


def is_mixed(program: Program) -> bool:
    """Return whether a prediction is put together from several leaves."""
    return program.is_mean or program.missing == "fractions"
