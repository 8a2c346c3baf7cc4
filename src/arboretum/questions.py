"""Questions: what an inner node asks of a row, and how the answer reads.

Words: *outcome* is one answer of a question, one per child. Kinds: Threshold, Levels, Missing. A *competitor*
is a question that was not asked, a *surrogate* one that stands in where the value asked for is missing.
Routing rows down a tree is the work of the compiled core; here questions are values to look at and compare.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

from arboretum.dataset import Column

__all__ = [
    "LEVELS",
    "MISSING",
    "THRESHOLD",
    "Competitor",
    "Levels",
    "Missing",
    "Question",
    "SurrogateQuestion",
    "Threshold",
    "quote",
    "value_text",
]

# The numbers by which the core tells kinds apart; 0 is a leaf.
THRESHOLD, LEVELS, MISSING = 1, 2, 3
_SHOWN_LEVELS = 8
_AMBIGUOUS = frozenset(',{}"\n\r')


def quote(name: str) -> str:
    """Return the name of a column or level as it stands in a question: quoted where it could be misread.

    >>> print(quote("red"), quote("a, b"), quote(""), quote("missing"))
    red "a, b" "" "missing"
    """
    clear = name and name == name.strip() and not _AMBIGUOUS & set(name)
    if clear and name not in ("missing", "?") and not name.endswith(" or missing"):
        return name
    return json.dumps(name, ensure_ascii=False)


def value_text(column: Column, value: float) -> str:
    """Return a threshold or level number, in stored form, as it stands in a question."""
    text = column.format(value)
    return text if column.levels is None else quote(text)


@dataclass(frozen=True)
class Question:
    """A question about one column. `missing_child` takes rows whose value is missing or unknown.

    `missing_seen` tells whether the node had missing values in this column when the tree was grown. With
    missing="category" the child was then chosen by gain; otherwise it is the heavier one. With surrogates it
    takes the rows that none of them can send, and -1 stands for rows that stay; of a row that is divided into
    fractions it has the largest part.
    """

    about: Column
    missing_child: int
    missing_seen: bool

    @property
    def column(self) -> str:
        """The name of the column that is asked about."""
        return self.about.name

    @property
    def _name(self) -> str:
        return quote(self.column)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The answers, one per child, each as a full sentence about the column."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.outcomes[0]

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, repr=False)
class Threshold(Question):
    """`x <= t`. The threshold is kept in stored form, rounded down to a double and to an integer.

    A surrogate may be `flipped`: then its first outcome is `x > t`.
    """

    real: float
    floor: int
    flipped: bool = False

    @property
    def threshold(self) -> float | int:
        """The threshold in stored form: an integer where a double could not hold it, else a float.

        Level numbers, instants and durations count in whole units, so theirs is an integer.
        """
        if self.about.kind == "number":
            return self.real
        if self.about.kind == "integer" and abs(self.real) < 2**51:
            return self.real
        return self.floor

    @property
    def outcomes(self) -> tuple[str, ...]:
        value = value_text(self.about, self.threshold)
        outcomes = (f"{self._name} <= {value}", f"{self._name} > {value}")
        return outcomes[::-1] if self.flipped else outcomes


@dataclass(frozen=True, repr=False)
class Levels(Question):
    """`x in {…}`: the levels (by number) that lead to each child. Others had no rows in the node.

    A child without levels takes the rows whose value is missing.
    """

    children: tuple[tuple[int, ...], ...]

    @property
    def levels(self) -> tuple[tuple[object, ...], ...]:
        """The levels themselves, one group per child."""
        known = self.about.levels or ()
        return tuple(tuple(known[number] for number in group) for group in self.children)

    @cached_property
    def outcomes(self) -> tuple[str, ...]:
        return tuple(self._outcome(group) for group in self.children)

    def __str__(self) -> str:
        return f"{self._name} = ?" if self.is_multiway else self.outcomes[0]

    @property
    def is_multiway(self) -> bool:
        """Whether every level has a child of its own."""
        return all(len(group) <= 1 for group in self.children) and len(self.children) != 2

    def _outcome(self, group: tuple[int, ...]) -> str:
        if not group:
            return f"{self._name} is missing"
        names = [value_text(self.about, number) for number in group[:_SHOWN_LEVELS]]
        if len(group) == 1:
            return f"{self._name} = {names[0]}"
        more = [f"… {len(group) - _SHOWN_LEVELS} more"] if len(group) > _SHOWN_LEVELS else []
        return f"{self._name} in {{{', '.join(names + more)}}}"


@dataclass(frozen=True, repr=False)
class Missing(Question):
    """`x is missing`."""

    @property
    def outcomes(self) -> tuple[str, ...]:
        return (f"{self._name} is missing", f"{self._name} is known")


@dataclass(frozen=True)
class Competitor:
    """The best question about another column, and what it would have gained."""

    question: Question
    gain: float
    gain_ratio: float | None


@dataclass(frozen=True)
class SurrogateQuestion:
    """A question that stands in where the value asked for is missing; its outcomes lead to the same children.

    `agreement` is the share of weight that it sends where the node's own question does, and
    `adjusted_agreement` how much of what the larger child leaves to be won that is. `n_rows` counts the rows
    it sent when the tree was grown.
    """

    question: Question
    agreement: float
    adjusted_agreement: float
    n_rows: int
