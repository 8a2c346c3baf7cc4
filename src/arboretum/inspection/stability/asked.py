"""What many trees ask about: how early each column comes, and where it is cut near the root."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np

from arboretum._data import Column, ColumnData, Dataset
from arboretum._data.times import plain_duration, plain_instant
from arboretum._tree.questions import Threshold, exact_threshold
from arboretum._tree.tree import Tree
from arboretum._types import Array, Integers, Mask, Numbers

NEVER: Final = np.iinfo(np.int64).max
QUANTILES: Final = (0.05, 0.5, 0.95)


@dataclass(frozen=True, eq=False)
class Cuts:
    """The thresholds of the first levels of all trees, in the order of the trees: one entry each."""

    tree: Integers
    depth: Integers
    column: Integers
    real: Numbers
    floor: Integers
    below: Numbers  # the share of all rows with a known value that are at or below the threshold

    def only(self, chosen: Mask) -> Cuts:
        """Return some of them."""
        kept = {field.name: getattr(self, field.name)[chosen] for field in fields(self)}
        return Cuts(**kept)

    def __len__(self) -> int:
        return len(self.tree)


def least_depths(tree: Tree) -> Integers:
    """Return the depth at which each column is first asked about; `NEVER` if it is not."""
    found = np.full(len(tree.columns), NEVER, dtype=np.int64)
    nodes, columns = _nodes_and_columns(tree)
    np.minimum.at(found, columns, tree.array("depth")[nodes].astype(np.int64))
    return found


def _nodes_and_columns(tree: Tree) -> tuple[Integers, Integers]:
    """Return who asks about what: the columns of one-column questions, and those of terms."""
    column = tree.array("column")
    nodes = np.flatnonzero((tree.array("n_children") > 0) & (column >= 0))
    columns = column[nodes]
    if tree.terms:
        nodes = np.concatenate([nodes, _nodes_of_terms(tree)])
        columns = np.concatenate([columns, tree.terms["column"]])
    return nodes, columns.astype(np.int64)


def _nodes_of_terms(tree: Tree) -> Integers:
    return np.repeat(np.arange(len(tree)), np.diff(tree.terms["begin"]))


def cuts_of(trees: Sequence[Tree], data: Dataset, levels: int) -> Cuts:
    """Return the thresholds of the first levels, those of literals included."""
    parts = [_cuts_of(tree, place, levels) for place, tree in enumerate(trees)]
    tree, depth, about, real, floor = (np.concatenate(found) for found in zip(*parts, strict=True))
    below = np.zeros(len(tree))
    for number, column in enumerate(data.columns):
        here = about == number
        if here.any():
            below[here] = _share_below(column, real[here], floor[here])
    return Cuts(tree, depth, about, real, floor, below)


def _cuts_of(tree: Tree, place: int, levels: int) -> tuple[Array, ...]:
    nodes = np.flatnonzero(tree.array("kind") == Threshold.kind)
    found = [nodes, *(tree.array(name)[nodes] for name in ("column", "threshold", "threshold_floor"))]
    if tree.terms:
        literal = tree.terms["kind"] == Threshold.kind
        terms = [_nodes_of_terms(tree), *(tree.terms[n] for n in ("column", "threshold", "threshold_floor"))]
        found = [np.concatenate([own, more[literal]]) for own, more in zip(found, terms, strict=True)]
    depth = tree.array("depth")[found[0]]
    near = depth < levels
    number = np.full(int(near.sum()), place)
    return (number, depth[near], *(field[near] for field in found[1:]))


def _share_below(data: ColumnData, real: Numbers, floor: Integers) -> Numbers:
    values = np.sort(data.values[~data.is_missing()])
    keys, values = (real, values) if values.dtype.kind == "f" else (floor, values.astype(np.int64))
    return np.asarray(np.searchsorted(values, keys, side="right") / max(1, len(values)), dtype=np.float64)


def quantiles(column: Column, cuts: Cuts) -> tuple[float | int, ...] | None:
    """Return the low, the middle and the high threshold of a column, in stored form; None without any.

    They are thresholds that occur: between two dates or levels, there may be no other.
    """
    stored = sorted(map(exact_threshold, [column] * len(cuts), cuts.real.tolist(), cuts.floor.tolist()))
    if not stored:
        return None
    return tuple(stored[max(0, math.ceil(share * len(stored)) - 1)] for share in QUANTILES)


def plain_threshold(column: Column, stored: float | int) -> Any:
    """Return a threshold as people know it: a number, a date, a duration or a level.

    >>> plain_threshold(Column("born", "datetime", unit="D"), 19_783)
    datetime.date(2024, 3, 1)
    """
    if column.levels is not None:
        return column.levels[math.floor(stored)]
    if column.kind == "datetime":
        return plain_instant(math.floor(stored), column.unit, aware=column.timezone is not None)
    if column.kind == "duration":
        return plain_duration(math.floor(stored), column.unit)
    return stored + column.offset
