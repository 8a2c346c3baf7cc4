"""The table that a tree is grown from, and the rows that come to one node.
Words: Table (columns, targets, weights), part (the rows of a node, each with the weight that it has there).
Does not judge or divide: it only looks things up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from arboretum.errors import DataError
from arboretum.reference.impurities import Criterion, Pairs

__all__ = ["Part", "Table", "read", "weight_of"]

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
        """The targets with their weights: of the whole part, or of some of its rows."""
        return [(self.targets[row], part[row]) for row in (part if rows is None else rows)]


def weight_of(part: Part, rows: Iterable[int] | None = None) -> Fraction:
    """The weight of the whole part, or of some of its rows."""
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
    """The table of all rows whose weight is above zero; `evenly`: an average row weighs 1."""
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
    """The levels declared for a column; without a declaration, those that occur."""
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
