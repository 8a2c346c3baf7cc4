"""Questions: what an inner node asks of a row, and how the answer reads.

Words: *outcome* is one answer of a question, one per child. Kinds: Threshold, Levels, Missing.
Routing rows down a tree is the work of the compiled core; here questions are values to look at and compare.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from arboretum.dataset import Column

__all__ = [
    "LEVELS",
    "MISSING",
    "THRESHOLD",
    "Levels",
    "Missing",
    "Question",
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
    if clear and name != "missing" and not name.endswith(" or missing"):
        return name
    return json.dumps(name, ensure_ascii=False)


def value_text(column: Column, value: float) -> str:
    """Return a threshold or level number, in stored form, as it stands in a question."""
    text = column.format(value)
    return text if column.levels is None else quote(text)


@dataclass(frozen=True)
class Question:
    """A question about one column. `missing_child` takes rows whose value is missing or unknown.

    `missing_seen` tells whether the node had missing values in this column when the tree was grown: then the
    side was chosen by gain, otherwise it is the heavier child.
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
    """`x <= t`. The threshold is kept in stored form, rounded down to a double and to an integer."""

    real: float
    floor: int

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
        return (f"{self._name} <= {value}", f"{self._name} > {value}")


@dataclass(frozen=True, repr=False)
class Levels(Question):
    """`x in {…}`: the levels (by number) that lead to each child. Others had no rows in the node."""

    children: tuple[tuple[int, ...], ...]

    @property
    def levels(self) -> tuple[tuple[object, ...], ...]:
        """The levels themselves, one group per child."""
        known = self.about.levels or ()
        return tuple(tuple(known[number] for number in group) for group in self.children)

    @property
    def outcomes(self) -> tuple[str, ...]:
        return tuple(self._outcome(group) for group in self.children)

    def _outcome(self, group: tuple[int, ...]) -> str:
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
