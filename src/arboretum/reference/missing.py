"""What becomes of rows whose value is missing: a category of their own, sent by surrogates, or divided.
Words: judged (the rows by which a question is judged), send (rows to children), size (what limits count).
Does not choose the question, and does not predict: see `splits` and `predictions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, Protocol

from arboretum.errors import ParameterError, choices
from arboretum.reference.nodes import Split, SurrogateQuestion
from arboretum.reference.parts import Part, Table, weight_of
from arboretum.reference.surrogates import Surrogate, as_surrogate, surrogates_of

__all__ = ["ByFractions", "BySurrogates", "IsCategory", "MissingPolicy", "Sent", "heaviest", "missing_policy"]


class Sent(NamedTuple):
    """The part of each child, and what the node remembers about rows that its question cannot send."""

    parts: Sequence[Part]
    missing: str
    missing_child: int
    surrogates: tuple[SurrogateQuestion, ...] = ()


class MissingPolicy(Protocol):
    unseen_answer: ClassVar[bool]  # do levels without rows here answer "x = v?" with no, or not at all?

    def judged(self, table: Table, part: Part, column: int) -> list[int]:
        """The rows of the node by which questions about the column are judged."""

    def size(self, part: Part, rows: Iterable[int]) -> Fraction | int:
        """How large a set of rows is, as limits count it."""

    def send(self, table: Table, part: Part, split: Split) -> Sent:
        """Divide the node's rows among the children."""


def missing_policy(missing: Any, thresholds: str) -> MissingPolicy:
    """The policy of that name; an object with the options of surrogates stands for these."""
    named: dict[str, Callable[[], MissingPolicy]] = {
        "category": IsCategory,
        "surrogate": lambda: BySurrogates(Surrogate(), thresholds),
        "fractional": ByFractions,
    }
    if isinstance(missing, str) and missing in named:
        return named[missing]()
    if all(hasattr(missing, name) for name in ("max_surrogates", "send", "agreement")):
        return BySurrogates(as_surrogate(missing), thresholds)
    raise ParameterError(choices("missing", missing, named))


def known(table: Table, part: Part, column: int) -> list[int]:
    return [row for row in part if table.columns[column][row] is not None]


def heaviest(weights: Sequence[Fraction | float]) -> int:
    """The number of the child with the most weight, the first among equals."""
    return max(range(len(weights)), key=lambda child: weights[child])


def take(part: Part, rows: Iterable[int]) -> Part:
    return {row: part[row] for row in rows}


@dataclass(frozen=True)
class IsCategory:
    """Missing is a value like others: the question says where it goes.

    Where the node has no missing value to learn from, later ones follow the heaviest child.
    """

    unseen_answer: ClassVar[bool] = False

    def judged(self, table: Table, part: Part, column: int) -> list[int]:
        return list(part)

    def size(self, part: Part, rows: Iterable[int]) -> int:
        return len(list(rows))

    def send(self, table: Table, part: Part, split: Split) -> Sent:
        parts = [take(part, rows) for rows in split.children]
        if None in table.values(split.question.column, part):
            return Sent(parts, "child", split.question.child(None))
        return Sent(parts, "child", heaviest([weight_of(child) for child in parts]))


@dataclass(frozen=True)
class BySurrogates:
    """CART: other questions send the row, the first that can; else it follows the majority, or stays."""

    options: Surrogate
    thresholds: str  # where surrogates cut, as all questions do
    unseen_answer: ClassVar[bool] = False

    def judged(self, table: Table, part: Part, column: int) -> list[int]:
        return known(table, part, column)

    def size(self, part: Part, rows: Iterable[int]) -> int:
        return len(list(rows))

    def send(self, table: Table, part: Part, split: Split) -> Sent:
        surrogates = surrogates_of(table, part, split, self.options, self.thresholds)
        asked = [] if self.options.send == "never" else [surrogate.question for surrogate in surrogates]
        majority = heaviest([weight_of(part, rows) for rows in split.children])
        missing_child = majority if self.options.send == "always" else -1
        sent = {row: child for child, rows in enumerate(split.children) for row in rows}
        n_sent = [0] * len(surrogates)
        for row in part.keys() - sent.keys():
            values = [table.columns[question.column][row] for question in asked]
            able = [i for i, question in enumerate(asked) if question.knows(values[i])]
            if able:
                sent[row] = asked[able[0]].child(values[able[0]])
                n_sent[able[0]] += 1
            elif missing_child >= 0:
                sent[row] = missing_child
        parts = [take(part, [row for row in part if sent.get(row) == child]) for child in (0, 1)]
        listed = tuple(
            SurrogateQuestion(found.question, float(found.agreement), float(found.adjusted), n_rows)
            for found, n_rows in zip(surrogates, n_sent, strict=True)
        )
        return Sent(parts, "child" if self.options.send == "never" else "surrogates", missing_child, listed)


@dataclass(frozen=True)
class ByFractions:
    """C4.5: the row goes to all children, to each with the share of the known weight that went there.

    Limits count weight, because a node may hold many small pieces of rows.
    """

    unseen_answer: ClassVar[bool] = True

    def judged(self, table: Table, part: Part, column: int) -> list[int]:
        return known(table, part, column)

    def size(self, part: Part, rows: Iterable[int]) -> Fraction:
        return weight_of(part, rows)

    def send(self, table: Table, part: Part, split: Split) -> Sent:
        weights = [weight_of(part, rows) for rows in split.children]
        column = table.columns[split.question.column]
        parts: list[Part] = []
        for rows, weight in zip(split.children, weights, strict=True):
            here, share = set(rows), weight / sum(weights)
            pieces = {
                row: part[row] if row in here else part[row] * share
                for row in part
                if row in here or (column[row] is None and share > 0)
            }
            parts.append(pieces)
        return Sent(parts, "fractions", heaviest(weights))
