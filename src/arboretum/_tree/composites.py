"""Questions about several columns: "at least m of" some literals, and linear sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from arboretum._data import Column
from arboretum._data.levels import number_text
from arboretum._tree.question_values import MINUS, TIMES, floor_of, quote_inside
from arboretum._tree.questions import Head, Levels, Question, Row, Threshold, exact_threshold


def may_be_added(column: Column) -> bool:
    """Return whether values of the column can be terms of a sum as they are stored.

    Levels are not numbers, a sum of dates means nothing to a reader, and integers beyond 2**63 are stored
    minus an offset, so their sum would mislead.
    """
    return column.kind in ("number", "integer") and column.offset == 0


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
        threshold = exact_threshold(self.about, self.real, self.floor) if self.level is None else None
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

    def encode(self) -> dict[str, Any]:
        """Return the fields of the literal except its column."""
        if self.level is not None:
            return {"kind": Levels.kind, "level": self.level, "negated": self.negated}
        cut = {"threshold": self.real, "threshold_floor": self.floor}
        return {"kind": Threshold.kind, **cut, "negated": self.negated}

    @staticmethod
    def decode(row: Row) -> Literal:
        """Return the literal in a row of a table of terms."""
        if row["kind"] == Levels.kind:
            return Literal(row.column, bool(row["negated"]), level=int(row["level"]))
        return Literal(row.column, bool(row["negated"]), float(row["threshold"]), int(row["threshold_floor"]))


@dataclass(frozen=True)
class LinearTerm:
    """A part of a sum: `coefficient * x`, or `coefficient * [x = v]`, where [x = v] is 1 if x is v, else 0.

    Times count in units of their column. A missing value counts as `fill`, the mean of the known values in
    the node (of `[x = v]`, the share of v) when the tree was grown. It describes the node, not the question.
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

    def encode(self) -> dict[str, Any]:
        """Return the fields of the term except its column."""
        asked = {"kind": Linear.kind} if self.level is None else {"kind": Levels.kind, "level": self.level}
        return {**asked, "coefficient": self.coefficient, "fill": self.fill}

    @staticmethod
    def decode(row: Row) -> LinearTerm:
        """Return the term in a row of a table of terms."""
        level = int(row["level"]) if row["kind"] == Levels.kind else None
        return LinearTerm(row.column, float(row["coefficient"]), level, float(row["fill"]))


@dataclass(frozen=True, repr=False)
class Composite(Question):
    """A question about several columns. It always has an answer, so missing values need no child.

    `missing_child` is the heavier child; it does not belong to the question.
    """

    always_answers = True

    missing_child: int = field(compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns that are asked about, each once, in the order of the terms."""
        return tuple(dict.fromkeys(part.about.name for part in self.parts))

    @property
    def parts(self) -> tuple[Literal, ...] | tuple[LinearTerm, ...]:
        """The literals or terms that the question is made of."""
        raise NotImplementedError

    def _terms(self, columns: Sequence[Column]) -> list[dict[str, Any]]:
        return [part.encode() | {"column": columns.index(part.about)} for part in self.parts]


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

    kind = 4

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

    def _fields(self) -> dict[str, float]:
        return {"threshold": self.m, "threshold_floor": self.m}

    @classmethod
    def _decode(cls, head: Head, row: Row) -> AtLeast:
        return cls(*head, int(row["threshold"]), tuple(map(Literal.decode, row.terms())))


@dataclass(frozen=True, repr=False)
class Linear(Composite):
    """`0.8·a − 1.2·b <= 3.1`: the first child takes rows whose sum is at most the threshold.

    The sum is computed in double precision, term by term in their order.

    >>> a, b = Column("a", "number"), Column("b", "nominal", levels=("blue", "red"))
    >>> Linear(a, 0, False, (LinearTerm(a, 0.8), LinearTerm(b, -1.5, level=1)), 3.1).outcomes
    ('0.8·a − 1.5·[b = red] <= 3.1', '0.8·a − 1.5·[b = red] > 3.1')
    """

    kind = 5

    terms: tuple[LinearTerm, ...]
    threshold: float

    @cached_property
    def outcomes(self) -> tuple[str, ...]:
        signs = [MINUS if term.coefficient < 0 else "+" for term in self.terms]
        parts = [f"{number_text(abs(term.coefficient))}{TIMES}{term.variable}" for term in self.terms]
        first = parts[0] if signs[0] == "+" else MINUS + parts[0]
        rest = [f"{sign} {part}" for sign, part in zip(signs[1:], parts[1:], strict=True)]
        total, bound = " ".join([first, *rest]), number_text(self.threshold)
        return (f"{total} <= {bound}", f"{total} > {bound}")

    @property
    def parts(self) -> tuple[LinearTerm, ...]:
        return self.terms

    @classmethod
    def suits_as_part(cls, column: Column) -> bool:
        return may_be_added(column)

    def filled(self, fill_of: Callable[[Column, int | None], float]) -> Linear:
        return replace(
            self, terms=tuple(replace(term, fill=fill_of(term.about, term.level)) for term in self.terms)
        )

    def _fields(self) -> dict[str, float]:
        return {"threshold": self.threshold, "threshold_floor": floor_of(self.threshold)}

    @classmethod
    def _decode(cls, head: Head, row: Row) -> Linear:
        return cls(*head, tuple(map(LinearTerm.decode, row.terms())), float(row["threshold"]))
