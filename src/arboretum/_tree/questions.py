"""Questions: what an inner node asks of a row. Here are those about one column.

Each kind of question is one class: it knows its number and its form in the arrays, how it reads, and which
columns it suits. kinds.py lists them all. The compiled core routes rows; text is read back in
question_text.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from arboretum import _core
from arboretum._data import Column, Dataset
from arboretum._data.dataset import core_dataset
from arboretum._tree.question_values import (
    EVERY_LEVEL,
    NOT_MISSING,
    OR_MISSING,
    quote,
    value_text,
)
from arboretum._tree.tables import NOTHING, Table, flat, question_row, routed
from arboretum._types import Integers
from arboretum._wording import shown
from arboretum.errors import ParameterError

_SHOWN_LEVELS = 8


def exact_threshold(column: Column, real: float, floor: int) -> float | int:
    """Return a threshold in the more exact of its two stored forms."""
    if column.kind == "number":
        return real
    if column.kind == "integer" and abs(real) < 2**51:
        return real
    return floor


@dataclass(frozen=True)
class Row:
    """A row of a table of questions or terms about these columns."""

    table: Table
    number: int
    columns: Sequence[Column]

    def __getitem__(self, name: str) -> Any:
        return self.table.columns[name][self.number]

    @property
    def column(self) -> Column:
        """The column that is asked about."""
        return self.columns[int(self["column"])]

    def terms(self) -> list[Row]:
        """Return the terms of a question."""
        terms = self.table.lists["terms"]
        return [Row(terms.items, place, self.columns) for place in terms.range(self.number)]


Head = tuple[Column, int, bool]  # the fields that all kinds of questions have


@dataclass(frozen=True)
class Question:
    """A question about one column, or several. `missing_child` takes rows whose value is missing or unknown.

    `missing_seen` is true if the node had missing values in this column when the tree was grown. With
    missing="category" the child was then chosen by gain; otherwise it is the heavier one. With surrogates it
    takes the rows that none of them can send, and -1 means that such rows stay. Of a row that is divided into
    fractions it gets the largest part.
    """

    kind: ClassVar[int]  # its number in the arrays and in the core; 0 is a leaf
    always_answers: ClassVar[bool] = False  # also where a value is missing

    about: Column
    missing_child: int
    missing_seen: bool

    @property
    def column(self) -> str:
        """The name of the column that is asked about; the first of several."""
        return self.about.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns that are asked about, each once."""
        return (self.column,)

    @property
    def n_children(self) -> int:
        """The number of outcomes."""
        return 2

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The answers, one per child, each as a full sentence about the column."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.outcomes[0]

    def __repr__(self) -> str:
        return str(self)

    def written(self) -> str:
        """Return the question as text that `read_question` understands; every level is named."""
        return str(self)

    @property
    def _name(self) -> str:
        return quote(self.column)

    def _said(self, *, goes_first: bool) -> str:
        """Return what the text says about missing values."""
        if not self.missing_seen or self.missing_child < 0:
            return ""
        return OR_MISSING if goes_first else NOT_MISSING

    @classmethod
    def suits(cls, column: Column) -> bool:
        """Return whether a column can be asked such a question."""
        return True

    @classmethod
    def suits_as_part(cls, column: Column) -> bool:
        """Return whether a column can be the subject of such a part of a composite question."""
        return cls.suits(column)

    @classmethod
    def levels_in(cls, row: Row) -> list[int]:
        """Return the numbers of the levels that a row of a table of questions or terms names."""
        return []

    # --- arrays

    def encode(self, columns: Sequence[Column], **numbers: float) -> Table:
        """Return the question as a table of one row, with numbers such as its gain."""
        fields = {
            "kind": self.kind,
            "column": columns.index(self.about),
            "n_children": self.n_children,
            "missing_child": self.missing_child,
            "missing_seen": self.missing_seen,
        }
        return question_row(fields | self._fields() | numbers, self._levels(), self._terms(columns))

    def filled(self, fill_of: Callable[[Column, int | None], float]) -> Question:
        """Return the question with what missing values count as; `fill_of` gets a column and its level."""
        return self

    def _fields(self) -> dict[str, float]:
        return {}

    def _levels(self) -> list[tuple[int, int]]:
        return []

    def _terms(self, columns: Sequence[Column]) -> list[dict[str, Any]]:
        return []

    @classmethod
    def _decode(cls, head: Head, row: Row) -> Question:
        return cls(*head)

    def answers(self, columns: Sequence[Column], data: Dataset) -> Integers:
        """Return the child to which the question sends each row of a table with these columns.

        Where the value is missing, or a level that the question does not know, it is any of them.
        """
        leaves = np.zeros(self.n_children, dtype=np.int64)
        arrays, _, terms = flat(self.encode(columns).then(NOTHING.take(leaves)))
        first_child = np.array([1, *(leaves - 1)])
        router = _core.Router(
            **routed(arrays | {"first_child": first_child, "weight": np.zeros(len(first_child))}), terms=terms
        )
        return np.asarray(router.leaves_of(core_dataset(data)), dtype=np.int64) - 1


@dataclass(frozen=True, repr=False)
class Threshold(Question):
    """`x <= t`. The threshold is kept in stored form, rounded down to a double and to an integer.

    A surrogate may be `flipped`: then its first outcome is `x > t`.
    """

    kind = 1

    real: float
    floor: int
    flipped: bool = False

    @property
    def threshold(self) -> float | int:
        """The threshold in stored form: an integer where a double could not hold it, else a float.

        Level numbers, instants and durations count in whole units, so theirs is an integer.
        """
        return exact_threshold(self.about, self.real, self.floor)

    @property
    def outcomes(self) -> tuple[str, ...]:
        value = value_text(self.about, self.threshold)
        outcomes = (f"{self._name} <= {value}", f"{self._name} > {value}")
        return outcomes[::-1] if self.flipped else outcomes

    def written(self) -> str:
        plain = replace(self, flipped=False)
        return str(plain) + plain._said(goes_first=self.missing_child == int(self.flipped))

    @classmethod
    def suits(cls, column: Column) -> bool:
        return column.kind != "nominal"

    @classmethod
    def levels_in(cls, row: Row) -> list[int]:
        return [] if row.column.levels is None else [int(row["threshold_floor"])]

    def _fields(self) -> dict[str, float]:
        return {"threshold": self.real, "threshold_floor": self.floor}

    @classmethod
    def _decode(cls, head: Head, row: Row) -> Threshold:
        flipped = "flipped" in row.table.columns and bool(row["flipped"])
        return cls(*head, float(row["threshold"]), int(row["threshold_floor"]), flipped)


@dataclass(frozen=True, repr=False)
class Levels(Question):
    """`x in {…}`: the levels (by number) that lead to each child. Others had no rows in the node.

    A child without levels takes the rows whose value is missing.

    >>> colour = Column("colour", "nominal", levels=("blue", "green", "red"))
    >>> Levels(colour, 1, True, ((0, 2), (1,))).written()
    'colour in {blue, red}, not missing'
    """

    kind = 2

    children: tuple[tuple[int, ...], ...]

    @property
    def n_children(self) -> int:
        return len(self.children)

    @property
    def levels(self) -> tuple[tuple[object, ...], ...]:
        """The levels themselves, one group per child."""
        known = self.about.levels or ()
        return tuple(tuple(known[number] for number in group) for group in self.children)

    @cached_property
    def _seen(self) -> tuple[int, ...]:
        """The numbers of the levels that some row of the node had, ascending."""
        return tuple(sorted(number for group in self.children for number in group))

    @cached_property
    def _unseen(self) -> tuple[int, ...]:
        """The numbers of all other levels."""
        seen = set(self._seen)
        return tuple(number for number in range(len(self.about.levels or ())) if number not in seen)

    @cached_property
    def outcomes(self) -> tuple[str, ...]:
        return tuple(self._outcome(group) for group in self.children)

    def __str__(self) -> str:
        return f"{self._name} = {EVERY_LEVEL}" if self.is_multiway else self.outcomes[0]

    @property
    def is_multiway(self) -> bool:
        """Whether every level has a child of its own."""
        return all(len(group) <= 1 for group in self.children) and len(self.children) != 2

    def _outcome(self, group: tuple[int, ...]) -> str:
        if not group:
            return f"{self._name} is missing"
        names = [value_text(self.about, number) for number in group[:_SHOWN_LEVELS]]
        if len(group) > _SHOWN_LEVELS:
            names.append(f"… {len(group) - _SHOWN_LEVELS} more")
        return self._about(names)

    def _about(self, names: list[str]) -> str:
        return f"{self._name} = {names[0]}" if len(names) == 1 else f"{self._name} in {{{', '.join(names)}}}"

    def written(self) -> str:
        known = tuple(group for group in self.children if group)
        if len(self.children) != 2 and all(len(group) == 1 for group in known):
            return f"{self._name} = {EVERY_LEVEL}{OR_MISSING if len(known) < len(self.children) else ''}"
        if len(self.children) != 2 or not self.children[0]:
            raise ParameterError(
                f"The question {shown(str(self))} has {len(self.children)} answers; one about levels "
                "that is set by hand has two, or one for each level."
            )
        named = self._about([level_name(self.about, number) for number in self.children[0]])
        return named + self._said(goes_first=self.missing_child == 0)

    @classmethod
    def suits(cls, column: Column) -> bool:
        return column.kind == "nominal"

    @classmethod
    def levels_in(cls, row: Row) -> list[int]:
        if "level" in row.table.columns:  # a term
            return [int(row["level"])]
        found: list[int] = row.table.lists["levels"].of(row.number)["level"].tolist()
        return found

    def _levels(self) -> list[tuple[int, int]]:
        return sorted((level, child) for child, group in enumerate(self.children) for level in group)

    @classmethod
    def _decode(cls, head: Head, row: Row) -> Levels:
        groups: list[list[int]] = [[] for _ in range(int(row["n_children"]))]
        levels = row.table.lists["levels"].of(row.number)
        for level, child in zip(levels["level"].tolist(), levels["level_child"].tolist(), strict=True):
            groups[child].append(level)
        return cls(*head, tuple(map(tuple, groups)))


def level_name(column: Column, number: int) -> str:
    """Return the name of a level as a question writes it so that it can be read back."""
    name = value_text(column, number)
    return json.dumps(name) if name == EVERY_LEVEL else name


@dataclass(frozen=True, repr=False)
class Missing(Question):
    """`x is missing`."""

    kind = 3
    always_answers = True

    @property
    def outcomes(self) -> tuple[str, ...]:
        return (f"{self._name} is missing", f"{self._name} is known")


@dataclass(frozen=True)
class Competitor:
    """The best question about another column, and what it would have gained.

    `corrected_gain` is None unless gains were corrected for the number of levels; `gain_ratio` is None unless
    the tree was grown by it.
    """

    question: Question
    gain: float
    gain_ratio: float | None
    corrected_gain: float | None = None


@dataclass(frozen=True)
class SurrogateQuestion:
    """A question that stands in where the value asked for is missing; its outcomes lead to the same children.

    `agreement` is the share of the weight that it sends the way the node's own question does.
    `adjusted_agreement` is 0 if that is no better than always choosing the larger child, and 1 if it is
    perfect. `n_rows` counts the rows it sent when the tree was grown.
    """

    question: Question
    agreement: float
    adjusted_agreement: float
    n_rows: int
