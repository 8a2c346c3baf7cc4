"""Questions in PMML: the predicates of nodes, and the derived fields that some of them need.

A predicate is true, false or unknown for a row; unknown if the value is missing. A derived field is computed
before the tree is evaluated: the number of literals that hold, a sum, or a value that is missing where its
level is unseen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from arboretum._data.times import NANOSECONDS, instant_text
from arboretum._tree.composites import AtLeast, Linear, LinearTerm, Literal
from arboretum._tree.questions import Levels, Missing, Threshold
from arboretum.errors import DataError, ParameterError
from arboretum.export._program.program import (
    Field,
    Program,
    Step,
    free_name,
    level_groups,
    levels_at_most,
    type_of,
    unseen_levels,
)

_DEEPEST_INDENT: Final = 40
# All that XML 1.0 may hold, even escaped.
_ALLOWED: Final = re.compile("[\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
# White space is written as numbers; else a reader would turn it into spaces.
_ESCAPES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


@dataclass
class Element:
    """One element; attributes that are None are left out."""

    tag: str
    attributes: dict[str, str | None]
    children: list[Element] = field(default_factory=list)
    text: str | None = None


def element(tag: str, *children: Element, text: str | None = None, **attributes: object) -> Element:
    """Return an element; attributes are written as `str` writes them."""
    given = {name: None if value is None else str(value) for name, value in attributes.items()}
    return Element(tag, given, list(children), text)


def can_be_written(text: str) -> bool:
    """Return whether XML can hold the text.

    >>> can_be_written("a < b\\n"), can_be_written("a\\0")
    (True, False)
    """
    return _ALLOWED.fullmatch(text) is not None


def write_xml(root: Element) -> str:
    """Return a document; from some depth on, elements are not indented further."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    todo: list[tuple[Element | str, int]] = [(root, 0)]
    while todo:
        part, depth = todo.pop()
        indent = "  " * min(depth, _DEEPEST_INDENT)
        if isinstance(part, str):
            lines.append(f"{indent}</{part}>")
            continue
        head = part.tag + "".join(
            f' {name}="{value.translate(_ESCAPES)}"'
            for name, value in part.attributes.items()
            if value is not None
        )
        if part.text is not None:
            lines.append(f"{indent}<{head}>{part.text.translate(_ESCAPES)}</{part.tag}>")
        elif part.children:
            lines.append(f"{indent}<{head}>")
            todo.append((part.tag, depth))
            todo += [(child, depth + 1) for child in reversed(part.children)]
        else:
            lines.append(f"{indent}<{head}/>")
    return "\n".join(lines) + "\n"


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
        what = "values under an empty name, which fields of PMML cannot have"
        raise program.refusal(field, what, "name it")
    if field.levels is not None:
        return _level_type(program, field)
    column = field.column
    if column.kind == "datetime" and column.timezone is None:
        return "date" if column.unit == "D" else "dateTime"
    if column.kind == "number" or (column.kind == "integer" and not column.offset):
        return "double"
    raise program.refusal(field, *_REFUSED[column.kind])


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
    what = "levels of several types, dates, or numbers beyond 2**53"
    raise program.refusal(field, what, "make its levels text")


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
    match type_of(classes):
        case "text":
            for label in classes:
                checked_text(label, "The model predicts the class")
            return "string"
        case "boolean":
            return "boolean"
        case "integer" if all(-(2**31) <= label < 2**31 for label in classes):
            return "integer"
        case "integer" | "number" if all(abs(label) <= _LAST_EXACT for label in classes):
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


# Readers of PMML disagree on how quotes and backslashes are escaped in a list of texts.
_PLAIN: Final = re.compile(r"[^\s\"\\]+(?: [^\s\"\\]+)*")


def asks_default_child(program: Program) -> bool:
    """Return whether every question names the child that rows with a missing value follow."""
    asked = [step for step in program.steps if isinstance(step.question, Threshold | Levels)]
    return program.missing == "child" and all(step.missing_child is not None for step in asked)


class Predicates:
    """The predicates of a program's steps; `derived` collects the fields that they need."""

    def __init__(self, program: Program, taken: Iterable[str]) -> None:
        self.derived: list[Element] = []
        self._program = program
        self._taken = set(taken)
        self._default_child = asks_default_child(program)

    def of_children(self, step: Step) -> list[Element]:
        """Return a predicate for each child of a step."""
        question = step.question
        places = range(len(step.children))
        match question:
            case AtLeast():
                name = self._votes(step.number, question)
                sides = ("greaterOrEqual", "lessThan")
                return [_simple(name, side, str(question.m)) for side in sides]
            case Linear():
                name = self._sum(step.number, question)
                bound = spelled(question.threshold)
                tests = [_simple(name, side, bound) for side in ("lessOrEqual", "greaterThan")]
                if self._default_child:
                    return tests
                return [_first_known(tests[0], element("False")), _first_known(tests[1], element("True"))]
            case Missing():
                return [_simple(question.column, side) for side in ("isMissing", "isNotMissing")]
            case Threshold() | Levels():
                own = self._tests(step, question, step.unseen_child)
                if self._default_child:
                    return own
                others = [self._tests(step, other, None) for other in step.surrogates]
                return [
                    self._in_order(step, place, [own[place], *(o[place] for o in others)]) for place in places
                ]
        raise ParameterError(f"Node {step.number} asks {question}, of a kind that PMML does not know.")

    def _in_order(self, step: Step, place: int, tests: list[Element]) -> Element:
        """Return the first test that is not unknown, and at the end where all other rows go."""
        if step.missing_child is not None:
            tests = [*tests, element("True" if step.missing_child == place else "False")]
        return tests[0] if len(tests) == 1 else _first_known(*tests)

    # --- questions about one column

    def _tests(self, step: Step, question: Threshold | Levels, unseen_child: int | None) -> list[Element]:
        field = self._program.field_of(question.about)
        if field.levels is None and isinstance(question, Threshold):
            low, bound = self._bound(field, question, step.number)
            high = {"lessOrEqual": "greaterThan", "lessThan": "greaterOrEqual"}[low]
            sides = [_simple(field.name, low, bound), _simple(field.name, high, bound)]
            return sides[::-1] if question.flipped else sides
        groups = [list(group) for group in level_groups(question)]
        name = field.name
        if unseen_child is not None:
            groups[unseen_child] += unseen_levels(question)
        elif self._program.missing == "surrogates" and unseen_levels(question):
            name = self._seen(step.number, field, [level for group in groups for level in group])
        return [self._among(name, field, group) for group in groups]

    def _bound(self, field: Field, question: Threshold | Literal, number: int) -> tuple[str, str]:
        """Return how a value is compared with a threshold, and how that is spelled."""
        if field.column.kind == "datetime":
            return "lessThan", after(field, question, number)
        if field.column.kind == "integer" and abs(question.floor) + 1 >= 2**53:
            raise ParameterError(
                f"Node {number} asks {question}, beyond 2**53, where evaluators of PMML cannot tell integers "
                "apart.\nHint: fit on a column of smaller numbers, such as one counted from another zero."
            )
        return "lessOrEqual", spelled(question.real)

    def _among(self, name: str, field: Field, levels: Sequence[object]) -> Element:
        if not levels:  # this child takes missing values
            return _simple(name, "isMissing")
        spellings = [spelled_level(field, level) for level in levels]
        if len(spellings) == 1:
            return _simple(name, "equal", spellings[0])
        text = field_type_of(self._program, field) == "string"
        if text and not all(map(_PLAIN.fullmatch, spellings)):
            equal = [_simple(name, "equal", spelling) for spelling in spellings]
            return element("CompoundPredicate", *equal, booleanOperator="or")
        listed = " ".join(f'"{spelling}"' if text else spelling for spelling in spellings)
        array = element("Array", text=listed, type="string" if text else "real", n=len(spellings))
        if field.type == "boolean":
            array.attributes["type"] = "string"
        return element("SimpleSetPredicate", array, field=name, booleanOperator="isIn")

    # --- derived fields

    def _seen(self, number: int, field: Field, levels: Sequence[object]) -> str:
        """Return a field in which unseen levels are missing."""
        kept = _apply("if", self._is_among(field, levels), _ref(field.name))
        kind = field_type_of(self._program, field)
        content = _apply("if", _apply("isNotMissing", _ref(field.name)), kept)
        return self._derive(f"seen by node {number}: {field.name}", content, "categorical", kind)

    def _votes(self, number: int, question: AtLeast) -> str:
        """Return a field that counts the literals that hold."""
        one, zero = _constant(1, "integer"), _constant(0, "integer")
        parts = [
            _unless_missing(part.about.name, zero, _apply("if", self._holds(number, part), one, zero))
            for part in question.literals
        ]
        total = parts[0] if len(parts) == 1 else _apply("sum", *parts)
        return self._derive(f"votes of node {number}", total, "continuous", "integer")

    def _holds(self, number: int, literal: Literal) -> Element:
        field = self._program.field_of(literal.about)
        if literal.level is None and field.levels is None:
            low, bound = self._bound(field, literal, number)
            opposite = {"lessOrEqual": "greaterThan", "lessThan": "greaterOrEqual"}[low]
            kind = field_type_of(self._program, field)
            return _apply(opposite if literal.negated else low, _ref(field.name), _constant(bound, kind))
        levels = levels_at_most(literal) if literal.level is None else _level(literal)
        return self._is_among(field, levels, negated=literal.negated)

    def _is_among(self, field: Field, levels: Sequence[object], *, negated: bool = False) -> Element:
        kind = field_type_of(self._program, field)
        spellings = [spelled_level(field, level) for level in levels]
        function = "isNotIn" if negated else "isIn"
        return _apply(function, _ref(field.name), *(_constant(spelling, kind) for spelling in spellings))

    def _sum(self, number: int, question: Linear) -> str:
        """Return a field with the sum, added up term by term."""
        total: Element | None = None
        for term in question.terms:
            product = _arithmetic("*", _constant(spelled(term.coefficient), "double"), self._variable(term))
            total = product if total is None else _arithmetic("+", total, product)
        if total is None:
            raise ParameterError(f"Node {number} asks about a sum of nothing.")
        return self._derive(f"sum of node {number}", total, "continuous", "double")

    def _variable(self, term: LinearTerm) -> Element:
        field = self._program.field_of(term.about)
        fill = _constant(spelled(term.fill), "double")
        if term.level is None:
            return _unless_missing(field.name, fill, _ref(field.name))
        one, zero = _constant("1.0", "double"), _constant("0.0", "double")
        return _unless_missing(field.name, fill, _apply("if", self._is_among(field, _level(term)), one, zero))

    def _derive(self, name: str, content: Element, optype: str, kind: str) -> str:
        name = free_name(name, self._taken)
        self.derived.append(element("DerivedField", content, name=name, optype=optype, dataType=kind))
        return name


def _level(part: Literal | LinearTerm) -> tuple[object, ...]:
    """Return the level that a part asks about."""
    levels, number = part.about.levels, part.level
    return () if levels is None or number is None else (levels[number],)


def _first_known(*tests: Element) -> Element:
    """Return the first test that is not unknown."""
    return element("CompoundPredicate", *tests, booleanOperator="surrogate")


def _simple(field: str, operator: str, value: str | None = None) -> Element:
    return element("SimplePredicate", field=field, operator=operator, value=value)


def _apply(function: str, *arguments: Element) -> Element:
    return element("Apply", *arguments, function=function)


def _arithmetic(function: str, left: Element, right: Element) -> Element:
    """Return a result that is missing where it is not a number, such as infinity less infinity."""
    return element("Apply", left, right, function=function, invalidValueTreatment="asMissing")


def _unless_missing(field: str, otherwise: Element, value: Element) -> Element:
    # Not with `mapMissingTo`: evaluators take its value for text.
    return _apply("if", _apply("isMissing", _ref(field)), otherwise, value)


def _ref(field: str) -> Element:
    return element("FieldRef", field=field)


def _constant(value: object, kind: str) -> Element:
    return element("Constant", text=spelled(value), dataType=kind)
