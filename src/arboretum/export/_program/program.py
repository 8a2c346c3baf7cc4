"""A tree, or an ensemble, in terms of the outside world: the one source that all exports are written from.

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

Where leaves hold linear models, a step predicts by its model instead of its value.

Of an ensemble, the steps of all trees follow one another. Each tree has a root; the outcomes of all trees are
added up in order, and divided by the number of trees.

Of several outputs, each has a program of its own: fields and ways of rows are the same in all of them, what
the steps predict is not. The first one's `outputs` holds them all, so that an exporter writes the ways once.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from arboretum._data import Column
from arboretum._data.levels import level_key
from arboretum._tree.composites import AtLeast, Literal
from arboretum._tree.fitted import tree_of
from arboretum._tree.linear_models import MODELS, models_of
from arboretum._tree.multi_tree import several_of
from arboretum._tree.question_values import read_value
from arboretum._tree.questions import Levels, Question, Threshold
from arboretum._tree.tree import Node, Tree
from arboretum._types import Array
from arboretum._wording import many
from arboretum.errors import DataError
from arboretum.estimators.bagging.base_bagging import BaseBagging
from arboretum.inspection.rules.forks import Fork, fork_of

_MOST_NODES: Final = 200_000


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


@dataclass(frozen=True)
class Term:
    """A term of a linear model: coefficient · column; a missing or infinite value counts as `fill`."""

    coefficient: float
    column: Column
    fill: float


@dataclass(frozen=True)
class Model:
    """The linear model of a step: intercept + terms, added in this order, held between `low` and `high`.

    A sum that is not a number counts as the intercept.
    """

    intercept: float
    terms: tuple[Term, ...]
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Step(Fork):
    """One node: how it sends rows on, and what it predicts."""

    number: int
    probability: tuple[float, ...] | None
    label: Any
    value: float | None
    model: Model | None = None
    formula: str | None = None  # the model as text, rounded

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
class Output:
    """What is predicted: one of several outputs, or the only one, which has no name."""

    name: str | None
    program: Program

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The classes; None for numbers."""
        return self.program.classes

    def at(self, step: Step) -> Step:
        """Return this output's own step, which says what it predicts there."""
        return self.program.steps[step.number]

    def class_at(self, step: Step) -> int:
        """Return the number of the class that is predicted at a step."""
        return self.program.labels[step.number]


@dataclass(frozen=True)
class Program:
    """A tree or an ensemble for exporters. Steps are in the order of their numbers, each before its children.

    `trees` is the one tree, whose root is step 0, or those of the ensemble; they share columns and classes.
    """

    trees: tuple[Tree, ...]
    fields: tuple[Field, ...]
    steps: tuple[Step, ...]
    classes: tuple[Any, ...] | None
    missing: str  # "child", "surrogates" or "fractions"
    is_mean: bool = False  # of the outcomes of several trees, as in an ensemble
    outputs: tuple[Output, ...] = ()  # of several: the program of each

    @cached_property
    def answers(self) -> tuple[Output, ...]:
        """The outputs, also where there is only one."""
        return self.outputs or (Output(None, self),)

    @property
    def width(self) -> int:
        """How many numbers an outcome has; of several outputs, all of them together."""
        if self.outputs:
            return sum(output.program.width for output in self.outputs)
        return 1 if self.classes is None else len(self.classes)

    @property
    def has_models(self) -> bool:
        """Whether steps predict by linear models."""
        return self.steps[0].model is not None

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the training table."""
        return self.trees[0].columns

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The number of the first step of each tree."""
        sizes = [0, *map(len, self.trees)]
        return tuple(np.cumsum(sizes[:-1]).tolist())

    @property
    def depth(self) -> int:
        """The depth of the deepest tree."""
        return max(tree.depth for tree in self.trees)

    @property
    def noun(self) -> str:
        """What is exported, in words."""
        return f"The mean of {many(len(self.trees), 'decision tree')}" if self.is_mean else "A decision tree"

    def array(self, name: str) -> Array:
        """Return an array of the trees with an entry for each step."""
        return np.concatenate([tree.array(name) for tree in self.trees])

    @cached_property
    def labels(self) -> tuple[int, ...]:
        """The number of the class that each step predicts."""
        return tuple(self.array("label").tolist())

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The number of the step above each step, -1 for roots."""
        found = [-1] * len(self.steps)
        for step in self.steps:
            for child in step.children:
                found[child] = step.number
        return tuple(found)

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

        The labels of steps already account for it. Only divided rows and means of several trees are labelled
        anew, from their probabilities: by the class of least expected cost (see `leaves.cheapest`).
        """
        rule = self.trees[0].rule
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


def program_of(
    model: Any, asker: str, *, ensembles: bool = False, models: bool = False, outputs: bool = False
) -> Program:
    """Return the program of a fitted estimator or a tree; `asker` is the function's name in messages.

    An ensemble is refused unless `asker` knows what to do with several trees, and so are a tree whose leaves
    hold linear models, and several outputs.
    """
    if outputs and (several := several_of(model)) is not None:
        found = tuple(
            Output(name, _program((tree,))) for name, tree in zip(several.names, several.outputs, strict=True)
        )
        return replace(found[0].program, outputs=found)
    if ensembles and isinstance(model, BaseBagging):
        return _program(_members(model, asker), is_mean=True)
    return _program((tree_of(model, asker, models=models),))


def _program(trees: tuple[Tree, ...], *, is_mean: bool = False) -> Program:
    """Return the program of one tree, or of the mean of several."""
    steps: list[Step] = []
    for tree in trees:
        first = len(steps)
        steps += [_step(Node(tree, number), first) for number in range(len(tree))]
    asked = {name for step in steps for question in step.questions for name in question.columns}
    asked |= {term.column.name for step in steps if step.model is not None for term in step.model.terms}
    fields = tuple(
        Field(column, place, column.name, field_type(column), column.levels)
        for place, column in enumerate(trees[0].columns)
        if column.name in asked
    )
    return Program(trees, fields, tuple(steps), trees[0].target.classes, trees[0].missing, is_mean)


def _members(model: BaseBagging, asker: str) -> tuple[Tree, ...]:
    """Return the trees of an ensemble; refuse more nodes than a program should have."""
    packed = model._fitted.packed
    n_nodes = sum(tree.n_nodes for tree in packed)
    if n_nodes > _MOST_NODES:
        raise too_many_nodes(asker, n_nodes, _MOST_NODES)
    return tuple(model.trees_)


def too_many_nodes(asker: str, n_nodes: int, most: int) -> DataError:
    """Return the error about an ensemble that is too large for an export."""
    return DataError(
        f"The ensemble has {n_nodes:,} nodes; {asker} writes {most:,} at most.\n"
        "Hint: grow fewer trees (n_trees) or smaller ones (max_leaf_nodes, min_samples_leaf), or export one "
        "tree, such as model.trees_[0]."
    )


def _step(node: Node, first: int) -> Step:
    """Return the step of a node, in a tree whose root has the number `first`."""
    probability = node.probability
    fork = vars(fork_of(node))
    return Step(
        **fork | {"children": tuple(first + child for child in fork["children"])},
        number=first + node.number,
        probability=None if probability is None else tuple(probability.tolist()),
        label=node.label,
        value=node.value,
        model=None if models_of(node.tree) is None else _model(node),
        formula=node.formula,
    )


def _model(node: Node) -> Model:
    models = node.tree.beside[MODELS]
    arrays = {name: array[node.number] for name, array in models.per_node.items()}
    columns = [node.tree.columns[place] for place in models.whole["column"].tolist()]
    parts = zip(arrays["coefficient"].tolist(), columns, arrays["fill"].tolist(), strict=True)
    return Model(
        float(arrays["intercept"]),
        tuple(Term(coefficient, column, fill) for coefficient, column, fill in parts if coefficient),
        float(arrays["low"]),
        float(arrays["high"]),
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
