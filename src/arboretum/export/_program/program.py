"""A tree in terms of the outside world: the one source that all exports are written from.

A program has a field for each column that some question asks about, and a step for each node. The *place* of
a child counts the children of its node from 0. A level that the column has, but no row of the node had, is
*unseen* there. Values are in user form (values.py). A step treats a row as the core does
(cpp/core/route.hpp):

    leaf                the row stops here
    Threshold, Levels   a known value has an answer, except an unseen level; otherwise, by `missing`:
      "child"           missing or unknown: `missing_child`; unseen: `unseen_child`; None: the row stops here
      "surrogates"      the first surrogate with an answer decides; else `missing_child`; None: it stops here
      "fractions"       it goes to every child, times the child's share; children without a share are left out
    Missing             place 0 if the value is missing or an unknown level, else place 1
    AtLeast, Linear     always answered: place 0 or 1
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arboretum._data import Column
from arboretum._data.levels import level_key
from arboretum._tree.composites import AtLeast, Literal
from arboretum._tree.fitted import tree_of
from arboretum._tree.question_values import read_value
from arboretum._tree.questions import Levels, Question, Threshold
from arboretum._tree.tree import Node, Tree
from arboretum.errors import DataError
from arboretum.inspection.rules.forks import Fork, fork_of


def type_of(values: Iterable[object]) -> str:
    """Return the type of levels or classes: "text", "boolean", "integer", "number" or "mixed"."""
    kinds = {type(value) for value in values}
    if len(kinds) == 1:
        return {str: "text", bool: "boolean", int: "integer", float: "number"}.get(kinds.pop(), "mixed")
    return "number" if kinds == {int, float} else "mixed"


def field_type(column: Column) -> str:
    """Return the type of a column's values; "mixed" for levels of several types, or that are times.

    >>> field_type(Column("born", "datetime", unit="D")), field_type(Column("x", "nominal", levels=(1, 2)))
    ('date', 'integer')
    """
    if column.levels is not None:
        return type_of(column.levels)
    if column.kind == "datetime":
        return "date" if column.unit == "D" and column.timezone is None else "datetime"
    return column.kind


def threshold_value(question: Threshold | Literal) -> float | int | str:
    """Return the threshold t of `x <= t` in user form, exactly.

    For numbers it is a float; for integers a float where that is exact (41.5), else an int; for times text;
    for ordered levels the position of the last level that is at most t.

    >>> threshold_value(Threshold(Column("n", "integer"), 0, False, 41.5, 41))
    41.5
    >>> threshold_value(Threshold(Column("born", "datetime", unit="D"), 0, False, 19783.0, 19783))
    '2024-03-01'
    """
    column, stored = question.about, question.threshold
    if stored is None:
        raise DataError(f"The literal {question} has no threshold.")
    if column.levels is not None:
        return question.floor
    if column.kind == "integer" and not column.offset:
        return stored
    value = user_value(column, stored if column.kind == "number" else question.floor)
    return value if isinstance(value, float | int) else str(value)


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


@dataclass(frozen=True)
class Field:
    """One column that some question asks about."""

    column: Column
    place: int  # in tree.columns
    name: str
    type: str  # "number", "integer", "text", "boolean", "datetime", "date", "duration" or "mixed"
    levels: tuple[object, ...] | None


@dataclass(frozen=True, kw_only=True)
class Step(Fork):
    """One node: how it sends rows on, and what it predicts."""

    number: int
    probability: tuple[float, ...] | None
    label: Any
    value: float | None

    @property
    def is_leaf(self) -> bool:
        """Whether nothing is asked here."""
        return self.question is None

    @property
    def questions(self) -> tuple[Question, ...]:
        """What the step may ask: its own question, and those of its surrogates."""
        return () if self.question is None else (self.question, *self.surrogates)

    @property
    def outcome(self) -> tuple[float, ...]:
        """What is predicted here: the probability of each class, or the one number."""
        if self.probability is not None:
            return self.probability
        return (0.0 if self.value is None else self.value,)


@dataclass(frozen=True)
class Program:
    """A tree for exporters. Steps are in the order of their numbers, each before its children; 0 is first."""

    tree: Tree
    fields: tuple[Field, ...]
    steps: tuple[Step, ...]
    classes: tuple[Any, ...] | None
    missing: str  # "child", "surrogates" or "fractions"

    @property
    def width(self) -> int:
        """How many numbers an outcome has."""
        return 1 if self.classes is None else len(self.classes)

    @property
    def questions(self) -> Iterator[tuple[Step, Question]]:
        """Every question with its step, those of surrogates included."""
        return ((step, question) for step in self.steps for question in step.questions)

    @cached_property
    def _fields(self) -> dict[str, Field]:
        return {field.name: field for field in self.fields}

    def field_of(self, column: Column) -> Field:
        """Return the field of a column that some question asks about."""
        return self._fields[column.name]

    @cached_property
    def thresholds(self) -> dict[str, list[tuple[int, Threshold | Literal]]]:
        """The thresholds that each field is compared with, with the numbers of the nodes, by name."""
        found: dict[str, list[tuple[int, Threshold | Literal]]] = {field.name: [] for field in self.fields}
        for step, question in self.questions:
            for part in question.literals if isinstance(question, AtLeast) else (question,):
                if isinstance(part, Threshold) or (isinstance(part, Literal) and part.level is None):
                    found[part.about.name].append((step.number, part))
        return found

    @property
    def loss(self) -> tuple[tuple[float, ...], ...] | None:
        """What a mistake costs, loss[true][predicted]; None if all mistakes cost the same.

        The labels of steps already account for it. Only divided rows are labelled anew, from their blended
        probabilities: by the class of least expected cost (see `leaves.cheapest`).
        """
        rule = self.tree.rule
        if rule is None or rule.loss is None:
            return None
        return tuple(tuple(map(float, row)) for row in rule.loss)

    def can_stop_at(self, step: Step) -> bool:
        """Return whether some row goes no further than this step: a leaf, or a question without an answer."""
        if step.is_leaf:
            return True
        may_lack_answer = isinstance(step.question, Threshold | Levels)
        return self.missing != "fractions" and may_lack_answer and step.missing_child is None

    def first_question_about(self, field: Field) -> str:
        """Return the first question about a field and its node, for messages: " (node 3 asks: x <= 1)"."""
        found = ((step, question) for step, question in self.questions if field.name in question.columns)
        return next((f" (node {step.number} asks: {question})" for step, question in found), "")

    def refusal(self, field: Field, what: str, hint: str) -> DataError:
        """Return the error about a field whose values a target cannot hold."""
        asked = self.first_question_about(field)
        return DataError(f"Column {field.name!r} holds {what}{asked}.\nHint: {hint} before fitting.")


def program_of(model: Any, asker: str) -> Program:
    """Return the program of a fitted estimator or a tree; `asker` is the function's name in messages."""
    tree = tree_of(model, asker)
    steps = tuple(_step(Node(tree, number)) for number in range(len(tree)))
    asked = {name for step in steps for question in step.questions for name in question.columns}
    fields = tuple(
        Field(column, place, column.name, field_type(column), column.levels)
        for place, column in enumerate(tree.columns)
        if column.name in asked
    )
    return Program(tree, fields, steps, tree.target.classes, tree.missing)


def _step(node: Node) -> Step:
    probability = node.probability
    return Step(
        **vars(fork_of(node)),
        number=node.number,
        probability=None if probability is None else tuple(probability.tolist()),
        label=node.label,
        value=node.value,
    )


def level_groups(question: Question) -> tuple[tuple[object, ...], ...]:
    """Return for each child the levels that lead there, also for `x <= t` about an ordered column.

    >>> colour = Column("colour", "nominal", levels=("blue", "green", "red"))
    >>> level_groups(Levels(colour, 0, False, ((0,), (2,))))
    (('blue',), ('red',))
    """
    known = question.about.levels
    if known is None or not isinstance(question, Levels | Threshold):
        raise DataError(f"The question {question} is not about levels.")
    if isinstance(question, Levels):
        return question.levels
    low = levels_at_most(question)
    groups = (low, known[len(low) :])
    return groups[::-1] if question.flipped else groups


def unseen_levels(question: Question) -> tuple[object, ...]:
    """Return the levels that no row of the node had; there may be many more of them than of the others.

    >>> colour = Column("colour", "nominal", levels=("blue", "green", "red"))
    >>> unseen_levels(Levels(colour, 0, False, ((0,), (2,))))
    ('green',)
    """
    known = question.about.levels or ()
    return tuple(known[number] for number in question._unseen) if isinstance(question, Levels) else ()


def free_name(name: str, taken: set[str]) -> str:
    """Return the name, with underscores appended until it is not taken; it is taken from then on.

    >>> free_name("target", {"target"})
    'target_'
    """
    while name in taken:
        name += "_"
    taken.add(name)
    return name
