"""What a tree computes, in the terms of the outside world: the one source that all exports are written from.

Words: a *program* is the fields that are asked for and the steps; a *field* is a column that some question
asks about, a *step* one node. A *place* of a child counts the children of its node from 0. A level that the
column has, but no row of the node had, is *unseen* there. Values are in user form (values.py). Nothing is
written or predicted here.

What happens at a step, as the core does it (cpp/core/route.hpp):

    leaf                the row rests here
    Threshold, Levels   a known value has an answer, except a level that was unseen; else, by `missing`:
      "child"           missing or unknown: `missing_child`; unseen: `unseen_child`; None: the row rests here
      "surrogates"      the first surrogate with an answer sends it; else `missing_child`; None: it rests here
      "fractions"       it goes to every child, times the child's share; children without a share are left out
    Missing             place 0 if the value is missing or an unknown level, else place 1
    AtLeast, Linear     always answered: place 0 or 1
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arboretum.dataset import Column
from arboretum.errors import DataError
from arboretum.export.self_test import expected, samples
from arboretum.export.values import field_type, levels_at_most, threshold_value, user_value
from arboretum.fitted import tree_of
from arboretum.questions import AtLeast, Composite, Levels, Literal, Question, Threshold
from arboretum.tree import Node, Tree

__all__ = [
    "Field",
    "Program",
    "Step",
    "expected",
    "level_groups",
    "program_of",
    "samples",
    "threshold_value",
    "unseen_levels",
    "user_value",
]


@dataclass(frozen=True)
class Field:
    """One column that some question asks about."""

    column: Column
    place: int  # in tree.columns
    name: str
    type: str  # "number", "integer", "text", "boolean", "datetime", "date", "duration" or "mixed"
    levels: tuple[object, ...] | None


@dataclass(frozen=True)
class Step:
    """One node. `children` are numbers of steps, `missing_child` and `unseen_child` places among them."""

    number: int
    question: Question | None
    children: tuple[int, ...]
    missing_child: int | None  # None: such a row rests here
    unseen_child: (
        int | None
    )  # only told where program.missing == "child"; elsewhere it is like a missing value
    surrogates: tuple[Threshold | Levels, ...]  # in order; only where program.missing == "surrogates"
    shares: tuple[float, ...]  # only where program.missing == "fractions"
    probability: tuple[float, ...] | None
    label: Any
    value: float | None

    @property
    def is_leaf(self) -> bool:
        """Whether nothing is asked here."""
        return self.question is None


@dataclass(frozen=True)
class Program:
    """A tree for exporters. Steps are in the order of their numbers, each before its children; 0 is first."""

    tree: Tree
    fields: tuple[Field, ...]
    steps: tuple[Step, ...]
    classes: tuple[Any, ...] | None
    missing: str  # "child", "surrogates" or "fractions"

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {field.name: field for field in self.fields}

    def field_of(self, column: Column) -> Field:
        """Return the field of a column that some question asks about."""
        return self._by_name[column.name]

    @cached_property
    def cuts(self) -> dict[str, list[tuple[int, Threshold | Literal]]]:
        """All that is asked by thresholds, with the numbers of the nodes, by the names of the fields."""
        found: dict[str, list[tuple[int, Threshold | Literal]]] = {field.name: [] for field in self.fields}
        for step in self.steps:
            for question in questions_of(step):
                parts = question.literals if isinstance(question, AtLeast) else (question,)
                for part in parts:
                    if isinstance(part, Threshold) or (isinstance(part, Literal) and part.level is None):
                        found[part.about.name].append((step.number, part))
        return found

    @property
    def loss(self) -> tuple[tuple[float, ...], ...] | None:
        """What a mistake costs, loss[true][predicted]; None if all cost the same.

        The labels of steps have it already. Only rows that are divided are labelled anew, from their mixed
        probabilities: by the class of least expected cost (see `leaves.cheapest`).
        """
        rule = self.tree.rule
        if rule is None or rule.loss is None:
            return None
        return tuple(tuple(map(float, row)) for row in rule.loss)


def program_of(model: Any, asker: str) -> Program:
    """Return the program of a fitted estimator or a tree; `asker` is the function's name in messages."""
    tree = tree_of(model, asker)
    steps = tuple(_step(tree, Node(tree, number)) for number in range(len(tree)))
    asked = {name for step in steps for question in questions_of(step) for name in question.columns}
    fields = tuple(
        Field(column, place, column.name, field_type(column), column.levels)
        for place, column in enumerate(tree.columns)
        if column.name in asked
    )
    return Program(tree, fields, steps, tree.target.classes, tree.missing)


def questions_of(step: Step) -> tuple[Question, ...]:
    """Return what a step may ask: its own question, and the surrogates'."""
    return () if step.question is None else (step.question, *step.surrogates)


def _step(tree: Tree, node: Node) -> Step:
    first, n_children = (
        int(tree.array("first_child")[node.number]),
        int(tree.array("n_children")[node.number]),
    )
    children = tuple(range(first, first + n_children))
    weights = [float(tree.array("weight")[child]) for child in children]
    question = node.question
    missing = None if question is None or question.missing_child < 0 else question.missing_child
    always = question is None or isinstance(question, Composite) or missing is None
    unseen = None if always or tree.missing != "child" else weights.index(max(weights))
    probability = node.probability
    return Step(
        number=node.number,
        question=question,
        children=children,
        missing_child=missing,
        unseen_child=unseen,
        surrogates=_surrogates(node) if tree.missing == "surrogates" else (),
        shares=tuple(_shares(weights)) if tree.missing == "fractions" else (),
        probability=None if probability is None else tuple(probability.tolist()),
        label=node.label,
        value=node.value,
    )


def _surrogates(node: Node) -> tuple[Threshold | Levels, ...]:
    questions = [surrogate.question for surrogate in node.surrogates]
    return tuple(question for question in questions if isinstance(question, Threshold | Levels))


def _shares(weights: list[float]) -> list[float]:
    """Return each child's share, added up and divided as the core does, so that every bit is the same."""
    total = 0.0
    for weight in weights:
        total += weight
    return [weight / total for weight in weights]


def level_groups(question: Question) -> tuple[tuple[object, ...], ...]:
    """Return for each child the levels that lead there; of `x <= t` about an ordered column as well.

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
