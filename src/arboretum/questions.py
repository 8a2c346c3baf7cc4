"""Questions: what an inner node asks of a row, and how the answer reads.

Words: *outcome* is one answer of a question, one per child. Kinds: Threshold, Levels, Missing, and about
several columns, *composite*, AtLeast, made of *literals*, and Linear, made of *terms*. A *competitor* is a
question that was not asked, a *surrogate* one that stands in where the value asked for is missing.
Routing rows down a tree is the work of the compiled core; here questions are values to look at and compare.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from arboretum.dataset import Column
from arboretum.dataset.levels import number_text
from arboretum.visible import is_visible, visible_json

__all__ = [
    "AT_LEAST",
    "COMPOSITE",
    "LEVELS",
    "LINEAR",
    "MISSING",
    "THRESHOLD",
    "AtLeast",
    "Competitor",
    "Composite",
    "Levels",
    "Linear",
    "LinearTerm",
    "Literal",
    "Missing",
    "Question",
    "SurrogateQuestion",
    "Threshold",
    "may_be_added",
    "quote",
    "quote_inside",
    "quoted",
    "value_text",
]

# The numbers by which the core tells kinds apart; 0 is a leaf. Terms are THRESHOLD, LEVELS or LINEAR.
THRESHOLD, LEVELS, MISSING, AT_LEAST, LINEAR = 1, 2, 3, 4, 5
COMPOSITE: Final = (AT_LEAST, LINEAR)
_SHOWN_LEVELS = 8
_AMBIGUOUS = frozenset(',{}"')
_TIMES, _MINUS = "\N{MIDDLE DOT}", "\N{MINUS SIGN}"
_LIKE_A_SUM: Final = re.compile(rf"[-+{_MINUS}]?\s*[0-9.]+(?:[eE][-+]?[0-9]+)?\s*[{_TIMES}*]")
_SIGNS: Final = re.compile(rf"[{_TIMES}*+{_MINUS}<>=!\[\]]|-\s*[0-9.]")


def quote(name: str) -> str:
    r"""Return the name of a column or level as it stands in a question: quoted where it could be misread.

    >>> print(quote("red"), quote("a, b"), quote(""), quote("missing"), quote("\x1b[31m"))
    red "a, b" "" "missing" "\u001b[31m"
    """
    clear = name and name == name.strip() and not _AMBIGUOUS & set(name) and not _LIKE_A_SUM.match(name)
    if clear and name not in ("missing", "?") and not name.endswith(" or missing") and is_visible(name):
        return name
    return quoted(name)


def quoted(name: str) -> str:
    """Return a name in quotes, as JSON writes it, so that it can be read back and is safe to print."""
    return visible_json(json.dumps(name, ensure_ascii=False))


def quote_inside(name: str) -> str:
    """Return the name of a column or level as it stands in a composite question, where signs mean something.

    >>> print(quote_inside("petal length (cm)"), quote_inside("a = b"), quote_inside("t-1"))
    petal length (cm) "a = b" "t-1"
    """
    return quoted(name) if _SIGNS.search(name) else quote(name)


def value_text(column: Column, value: float) -> str:
    """Return a threshold or level number, in stored form, as it stands in a question."""
    text = column.format(value)
    return text if column.levels is None else quote(text)


def may_be_added(column: Column) -> bool:
    """Tell whether values of the column can be terms of a sum as they are stored.

    Levels are no numbers, sums of dates could not be read, and integers beyond 2**63 are stored less an
    offset, so that a sum would mislead.
    """
    return column.kind in ("number", "integer") and column.offset == 0


def _threshold(column: Column, real: float, floor: int) -> float | int:
    """Return a threshold, given in both stored forms, in the one that tells it in full."""
    if column.kind == "number":
        return real
    if column.kind == "integer" and abs(real) < 2**51:
        return real
    return floor


@dataclass(frozen=True)
class Question:
    """A question about one column, or several. `missing_child` takes rows whose value is missing or unknown.

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
        """The name of the column that is asked about; of several the first."""
        return self.about.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns that are asked about, each once."""
        return (self.column,)

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
        return _threshold(self.about, self.real, self.floor)

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
class Literal:
    """A part of "at least m of": `x <= t` or `x = v`, or the opposite if it is `negated`.

    `x <= t` has a threshold in both stored forms, `x = v` the number of its level. Literals that ask the same
    are equal: of whole units, 1.5 is the same threshold as 1. About a missing value neither a literal nor its
    opposite holds.
    """

    about: Column
    negated: bool = False
    real: float = field(default=0.0, compare=False)
    floor: int = field(default=0, compare=False)
    level: int | None = None
    threshold: float | int | None = field(init=False, repr=False)  # as that of `Threshold`; None for `x = v`

    def __post_init__(self) -> None:
        threshold = _threshold(self.about, self.real, self.floor) if self.level is None else None
        object.__setattr__(self, "threshold", threshold)

    @property
    def beginning(self) -> str:
        """All but the value, such as `x <= `."""
        signs = ("<=", ">") if self.level is None else ("=", "!=")
        return f"{quote_inside(self.about.name)} {signs[self.negated]} "

    @property
    def value(self) -> str:
        """The threshold or level as text."""
        value = self.about.format(self.threshold if self.level is None else self.level)
        return value if self.about.levels is None else quote_inside(value)

    def __str__(self) -> str:
        return f"{self.beginning}{self.value}"


@dataclass(frozen=True)
class LinearTerm:
    """A part of a sum: `coefficient * x`, or `coefficient * [x = v]`, where [x = v] is 1 if x is v, else 0.

    Times count in units of their column. A missing value counts as `fill`, the mean of the known values in
    the node (of `[x = v]`, the share of v) when the tree was grown: a number of the node, and no part of what
    is asked.
    """

    about: Column
    coefficient: float
    level: int | None = None
    fill: float = field(default=0.0, compare=False)

    @property
    def variable(self) -> str:
        """What the coefficient is multiplied with, as text."""
        name = quote_inside(self.about.name)
        if self.level is None:
            return name
        return f"[{name} = {quote_inside(self.about.format(self.level))}]"


@dataclass(frozen=True, repr=False)
class Composite(Question):
    """A question about several columns. It always has an answer, so that no child is kept for missing values.

    `missing_child` is the heavier child, which is no part of what is asked.
    """

    missing_child: int = field(compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns that are asked about, each once, in the order of the terms."""
        return tuple(dict.fromkeys(part.about.name for part in self.parts))

    @property
    def parts(self) -> tuple[Literal, ...] | tuple[LinearTerm, ...]:
        """The literals or terms that the question is made of."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class AtLeast(Composite):
    """`at least m of: …`: the first child takes rows for which at least m of the literals hold.

    >>> a, b = Column("a", "number"), Column("b", "nominal", levels=("blue", "red"))
    >>> literals = (Literal(a, False, 3.0, 3), Literal(a, True, 1.0, 1), Literal(b, level=1))
    >>> AtLeast(a, 0, False, 2, literals)
    at least 2 of: a <= 3, a > 1, b = red
    >>> AtLeast(a, 0, False, 3, literals).outcomes
    ('all of: a <= 3, a > 1, b = red', 'not all of: a <= 3, a > 1, b = red')
    >>> AtLeast(a, 0, False, 1, literals).columns
    ('a', 'b')
    """

    m: int
    literals: tuple[Literal, ...]

    @cached_property
    def outcomes(self) -> tuple[str, ...]:
        listed = ", ".join(map(str, self.literals))
        return tuple(f"{quantifier} of: {listed}" for quantifier in self._quantifiers)

    @property
    def _quantifiers(self) -> tuple[str, str]:
        if self.m == len(self.literals):
            return "all", "not all"
        return ("any", "none") if self.m == 1 else (f"at least {self.m}", f"fewer than {self.m}")

    @property
    def parts(self) -> tuple[Literal, ...]:
        return self.literals


@dataclass(frozen=True, repr=False)
class Linear(Composite):
    """`0.8·a − 1.2·b <= 3.1`: the first child takes rows whose sum is at most the threshold.

    The sum is computed in double precision, term by term in their order.

    >>> a, b = Column("a", "number"), Column("b", "nominal", levels=("blue", "red"))
    >>> Linear(a, 0, False, (LinearTerm(a, 0.8), LinearTerm(b, -1.5, level=1)), 3.1).outcomes
    ('0.8·a − 1.5·[b = red] <= 3.1', '0.8·a − 1.5·[b = red] > 3.1')
    """

    terms: tuple[LinearTerm, ...]
    threshold: float

    @cached_property
    def outcomes(self) -> tuple[str, ...]:
        signs = [_MINUS if term.coefficient < 0 else "+" for term in self.terms]
        parts = [f"{number_text(abs(term.coefficient))}{_TIMES}{term.variable}" for term in self.terms]
        first = parts[0] if signs[0] == "+" else _MINUS + parts[0]
        rest = [f"{sign} {part}" for sign, part in zip(signs[1:], parts[1:], strict=True)]
        total, bound = " ".join([first, *rest]), number_text(self.threshold)
        return (f"{total} <= {bound}", f"{total} > {bound}")

    @property
    def parts(self) -> tuple[LinearTerm, ...]:
        return self.terms


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
