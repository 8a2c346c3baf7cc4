"""The table a tree is grown from, the rows that reach a node, and the nodes of a grown tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from arboretum.errors import DataError
from arboretum.reference.impurities import Criterion, Number, Pairs
from arboretum.reference.questions import Question

# Row numbers and weights. A row that is divided among children has a part of its weight in each of them.
Part: TypeAlias = Mapping[int, Fraction]


@dataclass(frozen=True)
class Table:
    """The columns with their declared levels, the targets, and all rows that count."""

    columns: Sequence[Sequence[Any]]
    kinds: Sequence[str]
    levels: Sequence[Sequence[Any]]  # of nominal columns; empty for the others
    targets: Sequence[Any]
    rows: Part
    classes: Sequence[Any] | None  # None if the targets are numbers
    unit: Fraction = Fraction(1)  # what a weight of 1 in `rows` stands for

    def values(self, column: int, rows: Iterable[int]) -> list[Any]:
        return [self.columns[column][row] for row in rows]

    def pairs_of(self, part: Part, rows: Iterable[int] | None = None) -> Pairs:
        """Return the targets with their weights: of the whole part, or of some of its rows."""
        return [(self.targets[row], part[row]) for row in (part if rows is None else rows)]


def weight_of(part: Part, rows: Iterable[int] | None = None) -> Fraction:
    """Return the weight of the whole part, or of some of its rows."""
    return sum((part[row] for row in (part if rows is None else rows)), Fraction(0))


def read(
    columns: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    targets: Sequence[Any],
    weights: Sequence[float] | None,
    levels: Mapping[int, Sequence[Any]] | None,
    criterion: Criterion,
    *,
    evenly: bool = False,
) -> Table:
    """Return the table of all rows of positive weight; `evenly`: an average row weighs 1."""
    n_rows = len(targets)
    weights = [1] * n_rows if weights is None else weights
    lengths = {len(weights), *map(len, columns)}
    if lengths != {n_rows} or len(kinds) != len(columns):
        raise DataError(
            f"There are {n_rows} targets, {len(kinds)} kinds and {len(columns)} columns; columns and weights "
            f"have the lengths {sorted(lengths)}. Each column needs a kind, each row a target and a weight."
        )
    readable = [criterion.target(target) for target in targets]
    rows = {row: Fraction(weight) for row, weight in enumerate(weights) if weight > 0}
    if not rows:
        raise DataError("No row has a weight above zero; at least one is needed.")
    classes = sorted({readable[row] for row in rows}) if criterion.of_classes else None
    declared = [levels_of(columns, kinds, rows, column, levels or {}) for column in range(len(columns))]
    unit = sum(rows.values(), Fraction(0)) / len(rows) if evenly else Fraction(1)
    rows = {row: weight / unit for row, weight in rows.items()}
    return Table(columns, kinds, declared, readable, rows, classes, unit)


def levels_of(
    columns: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    rows: Part,
    column: int,
    levels: Mapping[int, Sequence[Any]],
) -> Sequence[Any]:
    """Return the levels declared for a column, or else those that occur."""
    if kinds[column] != "nominal":
        return ()
    present = sorted({columns[column][row] for row in rows if columns[column][row] is not None})
    declared = levels.get(column, present)
    unknown = [level for level in present if level not in declared]
    if unknown:
        raise DataError(
            f"Column {column} holds {unknown[0]!r}, which is none of its levels {list(declared)!r}. "
            "Hint: declare all levels, or leave them out."
        )
    return declared


class Split(NamedTuple):
    """A question, what it gains, and the rows of each child by which it was judged.

    Equal gains are equal numbers. Rows that are not judged, because their value is missing, are in no child.
    `corrected` is the gain by which columns compete, without what is gained by chance.
    """

    question: Question
    gain: Number
    children: tuple[list[int], ...]
    corrected: Number
    gain_ratio: float | None = None


class Competitor(NamedTuple):
    """The best question about a column that was not chosen."""

    question: Question
    gain: float
    gain_ratio: float | None
    corrected_gain: float | None = None


class SurrogateQuestion(NamedTuple):
    """A question that stands in for the question asked.

    `agreement` is the share of the weight that it sends to the right child. `adjusted_agreement` is 1 if that
    is all of it, and 0 if sending everything to the larger child does as well. It has sent `n_rows` rows.
    """

    question: Question
    agreement: float
    adjusted_agreement: float
    n_rows: int


@dataclass(frozen=True)
class Node:
    """What the rows of a node look like. The label is a class, or the mean or median of the targets.

    Counts are the weight of each class, None if the targets are numbers. Comparisons ignore them and the
    probabilities, so that a leaf can be written down in one line.
    """

    label: Any
    n_rows: int
    weight: float
    impurity: float
    counts: Mapping[Any, float] | None = field(default=None, compare=False)
    probabilities: Mapping[Any, float] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Leaf(Node):
    """A node without a question."""


@dataclass(frozen=True, kw_only=True)
class Branch(Node):
    """A node with a question.

    `missing` says where rows go that the question cannot send: by "surrogates", in "fractions", or all to one
    "child". `missing_child` is that child, also the last resort of surrogates; -1: the row stays here.
    """

    question: Question
    children: tuple[Leaf | Branch, ...]
    gain: float
    gain_ratio: float | None = None
    corrected_gain: float | None = None  # without what is gained by chance, where that is taken off
    competitors: tuple[Competitor, ...] = ()
    surrogates: tuple[SurrogateQuestion, ...] = ()
    missing: str = "child"
    missing_child: int = -1
