"""m-of-n splits: "at least m of these n literals hold", found by hill climbing on information gain.

The climb starts from the best 1-of-1, an ordinary split with two outcomes. Its operators add a literal: from
m-of-n come m-of-(n+1) and (m+1)-of-(n+1). It ends where no step gains more, although two steps might.

>>> from itertools import product
>>> rows = [dict(zip("abcd", bits)) for bits in product([0, 1], repeat=4)]
>>> targets = [row["a"] + row["b"] + row["d"] >= 2 for row in rows]
>>> literals = [Literal(column, "=", 1) for column in "abcd"]
>>> for question in climb(rows, targets, literals):
...     print(question, round(info_gain(rows, targets, question), 3))
1 of {a = 1} 0.189
1 of {a = 1, b = 1} 0.311
2 of {a = 1, b = 1, d = 1} 1.0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import eq, gt, le, ne
from typing import Any, Final

from arboretum.reference.make_subtree import (
    Row,
    determine_candidate_numeric_splits,
    find_best_split,
    info_gain,
    rounded,
)
from arboretum.reference.reading import reads_tables

SIGNS: Final[dict[str, Callable[[Any, Any], Any]]] = {"=": eq, "!=": ne, "<=": le, ">": gt}
NEGATIONS: Final = {"=": "!=", "!=": "=", "<=": ">", ">": "<="}


@dataclass(frozen=True)
class Literal:
    """`column = value`, `column != value`, `column <= value` or `column > value`."""

    column: str
    sign: str
    value: Any

    def outcome(self, row: Row) -> bool:
        """Return whether a row meets it."""
        return bool(SIGNS[self.sign](row[self.column], self.value))

    def negation(self) -> Literal:
        """Return the literal that holds where this one does not."""
        return Literal(self.column, NEGATIONS[self.sign], self.value)

    def __str__(self) -> str:
        return f"{self.column} {self.sign} {self.value}"


@dataclass(frozen=True)
class AtLeast:
    """At least m of the literals hold; they stand in the order in which they were added."""

    m: int
    literals: tuple[Literal, ...]

    def outcome(self, row: Row) -> bool:
        """Return whether a row meets it."""
        return sum(literal.outcome(row) for literal in self.literals) >= self.m

    def __str__(self) -> str:
        return f"{self.m} of {{{', '.join(map(str, self.literals))}}}"


@reads_tables
def find_m_of_n(rows: Sequence[Row], targets: Sequence[Any], literals: Sequence[Literal]) -> AtLeast:
    """Return the question where the climb ends."""
    return climb(rows, targets, literals)[-1]


@reads_tables
def climb(rows: Sequence[Row], targets: Sequence[Any], literals: Sequence[Literal]) -> list[AtLeast]:
    """Return the questions on the way from the best literal up; of equal steps, the first is taken."""
    path = [find_best_split(rows, targets, start(literals))]
    while steps := operators(path[-1], literals):
        step = find_best_split(rows, targets, steps)
        gain, gain_so_far = (rounded(info_gain(rows, targets, question)) for question in (step, path[-1]))
        if gain <= gain_so_far:
            break
        path.append(step)
    return path


def start(literals: Sequence[Literal]) -> list[AtLeast]:
    """Return every 1-of-1."""
    return [AtLeast(1, (literal,)) for literal in literals]


def operators(question: AtLeast, literals: Sequence[Literal]) -> list[AtLeast]:
    """Return what both operators make of a question: first every m-of-(n+1), then every (m+1)-of-(n+1).

    The negation of a literal is not added to it: exactly one of the two holds, so they would say nothing.
    """
    asked = {*question.literals, *(literal.negation() for literal in question.literals)}
    more = [(*question.literals, literal) for literal in literals if literal not in asked]
    return [AtLeast(m, longer) for m in (question.m, question.m + 1) for longer in more]


@reads_tables
def determine_candidate_literals(
    rows: Sequence[Row], targets: Sequence[Any], kinds: Mapping[str, str]
) -> list[Literal]:
    """Return `x = v` and `x != v` for the values of nominal columns, `x <= t` and `x > t` for thresholds.

    Of two values, one is the negation of the other, and the first is enough.

    >>> rows = [{"colour": "red", "age": 20}, {"colour": "blue", "age": 30}]
    >>> literals = determine_candidate_literals(rows, [0, 1], {"colour": "nominal", "age": "numeric"})
    >>> [str(literal) for literal in literals]
    ['colour = blue', 'colour != blue', 'age <= 25', 'age > 25']
    """
    literals = []
    for column, kind in kinds.items():
        signs: tuple[str, ...] = ("<=", ">")
        if kind == "numeric":
            splits = determine_candidate_numeric_splits(rows, targets, column)
            values = [split.threshold for split in splits]
        else:
            values = sorted({row[column] for row in rows})
            signs, values = ("=", "!="), values[:1] if len(values) == 2 else values
        literals += [Literal(column, sign, value) for value in values for sign in signs]
    return literals
