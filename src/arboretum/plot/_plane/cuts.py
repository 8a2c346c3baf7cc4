"""How a question cuts a plane of one or two columns, while the other columns are fixed.

Values are in stored form; level k is a band from k - 1/2 to k + 1/2. A cut is a grid of cells between lines
parallel to the axes, or a half-plane. All values on the plane are known. The core says where a cell leads.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from arboretum._data import Column, ColumnData, Dataset
from arboretum._show.rows.node_rows import children_of
from arboretum._tree.composites import AtLeast, Linear, LinearTerm
from arboretum._tree.node import Node
from arboretum._tree.questions import Levels, Question, Threshold

Axes = tuple[Column | None, Column | None]  # the columns of x and y; None if nothing is shown
Fixed = Mapping[str, Any]  # stored values of other columns, by name; None is a missing one


@dataclass(frozen=True)
class Grid:
    """Cells between lines: `child[i][j]` belongs to the i-th strip of x and the j-th of y."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    child: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class HalfPlane:
    """a·x + b·y <= bound leads to the first child."""

    a: float
    b: float
    bound: float


def asked_in_turn(node: Node, axes: Axes, fixed: Fixed) -> list[Question]:
    """Return the questions of a node up to one that has an answer everywhere on the plane.

    Surrogates stand in where the question has no answer.
    """
    by_surrogates = node.tree.missing == "surrogates"
    surrogates = [other.question for other in node.surrogates] if by_surrogates else []
    asked: list[Question] = []
    for question in (node.question, *surrogates):
        if question is not None:
            asked.append(question)
            if not _lacks_answers(question, _shown(axes), fixed):
                break
    return asked


def open_columns(asked: Sequence[Question], axes: Axes, fixed: Fixed) -> list[str]:
    """Return the columns that matter here and are neither shown nor fixed."""
    names = dict.fromkeys(name for question in asked for name in question.columns)
    return [name for name in names if name not in _shown(axes) and name not in fixed]


def cut_of(node: Node, asked: Sequence[Question], axes: Axes, fixed: Fixed) -> Grid | HalfPlane:
    """Return how a node cuts the plane, with no `open_columns`. Child -1 means the row stops."""
    if isinstance(asked[0], Linear):
        return _cut_of_sum(asked[0], axes, fixed)
    lines = [sorted({line for question in asked for line in _lines(question, axis)}) for axis in axes]
    xs, ys = (_spots(axis, along) for axis, along in zip(axes, lines, strict=True))
    cells = zip(axes, (np.repeat(xs, len(ys)), np.tile(ys, len(xs))), strict=True)
    shown = {axis.name: values for axis, values in cells if axis is not None}
    table = table_of(node.tree.columns, len(xs) * len(ys), {**fixed, **shown})
    child = children_of(node.tree, node.number, table, np.arange(table.n_rows)).reshape(len(xs), len(ys))
    return _simple(Grid(tuple(lines[0]), tuple(lines[1]), tuple(map(tuple, child.tolist()))))


def table_of(columns: Sequence[Column], n_rows: int, values: Mapping[str, Any]) -> Dataset:
    """Return a table of stored values by column, one for each row or one for all; None is a missing one.

    Columns without a value hold zeros.
    """
    held = []
    for column in columns:
        value = values.get(column.name, 0)
        kind = np.int32 if column.levels is not None else np.float64 if column.kind == "number" else np.int64
        missing = np.ones(n_rows, dtype=np.bool_) if value is None else None
        cells = np.broadcast_to(np.asarray(0 if value is None else value, dtype=kind), n_rows)
        held.append(ColumnData(column, np.ascontiguousarray(cells), missing))
    return Dataset(tuple(held), n_rows, named=True)


def _shown(axes: Axes) -> set[str]:
    return {column.name for column in axes if column is not None}


def _lacks_answers(question: Question, shown: set[str], fixed: Fixed) -> bool:
    """Return whether a question has no answer somewhere on the plane."""
    # An open column may have an answer once its value is known.
    if question.always_answers or (question.column not in shown and question.column not in fixed):
        return False
    if question.column in fixed and fixed[question.column] is None:
        return True
    if not isinstance(question, Levels):
        return False
    seen = {level for group in question.children for level in group}
    known = range(len(question.about.levels or ())) if question.column in shown else [fixed[question.column]]
    return not seen.issuperset(known)


# --- questions about single values


def _lines(question: Question, column: Column | None) -> list[float]:
    """Return the values of a column where the answer may change."""
    if column is None or column.name not in question.columns:
        return []
    if column.levels is not None:
        return [number + 0.5 for number in range(len(column.levels) - 1)]
    if isinstance(question, AtLeast):
        own = [part.threshold for part in question.literals if part.about.name == column.name]
        return [float(threshold) for threshold in own if threshold is not None]
    return [float(question.threshold)] if isinstance(question, Threshold) else []


def _spots(column: Column | None, lines: Sequence[float]) -> list[Any]:
    """Return a value of every strip; a threshold belongs to the strip below it."""
    if column is None or column.levels is not None:
        return list(range(len(lines) + 1))
    if column.kind == "number":
        return [*lines, math.inf]
    least, most = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    return [*(max(least, min(math.floor(line), most)) for line in lines), most]


# --- sums


def _cut_of_sum(question: Linear, axes: Axes, fixed: Fixed) -> Grid | HalfPlane:
    """Return how a sum cuts the plane: by a slanted line if both axes have a slope, else band by band."""
    a, b = (_slope(question, column) for column in axes)
    bands = [
        (0,) if column is None or column.levels is None else range(len(column.levels)) for column in axes
    ]
    rests = [[_rest(question, axes, (i, j), fixed) for j in bands[1]] for i in bands[0]]
    edges = [tuple(band + 0.5 for band in numbers[:-1]) for numbers in bands]
    if a and b:
        return HalfPlane(a, b, question.threshold - rests[0][0])
    if a:
        xs, strips = _turns(question.threshold, a, rests[0])
        return _simple(Grid(xs, edges[1], strips))
    if b:
        ys, strips = _turns(question.threshold, b, [rest for (rest,) in rests])
        return _simple(Grid(edges[0], ys, tuple(zip(*strips, strict=True))))
    child = tuple(tuple(0 if rest <= question.threshold else 1 for rest in row) for row in rests)
    return _simple(Grid(edges[0], edges[1], child))


def _turns(
    bound: float, slope: float, rests: Sequence[float]
) -> tuple[tuple[float, ...], tuple[tuple[int, ...], ...]]:
    """Return where on an axis a sum passes the bound, and the child of each band between these places."""
    turns = [(bound - rest) / slope for rest in rests]
    lines = sorted(set(turns))
    middles = [-math.inf, *(low / 2 + high / 2 for low, high in pairwise(lines)), math.inf]
    strips = (tuple(0 if (middle <= turn) == (slope > 0) else 1 for turn in turns) for middle in middles)
    return tuple(lines), tuple(strips)


def _slope(question: Linear, column: Column | None) -> float:
    """Return how much the sum rises per unit of a column without levels."""
    if column is None or column.levels is not None:
        return 0.0
    return math.fsum(term.coefficient for term in question.terms if term.about.name == column.name)


def _rest(question: Linear, axes: Axes, bands: tuple[int, int], fixed: Fixed) -> float:
    """Return the sum of all terms but the sloping ones, in one band of each axis that has bands."""
    values = {
        **fixed,
        **{axis.name: band for axis, band in zip(axes, bands, strict=True) if axis is not None},
    }
    sloping = {column.name for column in axes if column is not None and column.levels is None}
    total = 0.0
    for term in question.terms:
        if term.about.name not in sloping:
            total += term.coefficient * _number_of(term, values[term.about.name])
    return total


def _number_of(term: LinearTerm, value: Any) -> float:
    if value is None:
        return term.fill
    return float(value) if term.level is None else float(value == term.level)


def _simple(grid: Grid) -> Grid:
    """Return the grid without lines between equal cells."""
    xs = [i for i in range(len(grid.xs)) if grid.child[i] != grid.child[i + 1]]
    child = [grid.child[i] for i in [*xs, len(grid.xs)]]
    columns = list(zip(*child, strict=True))
    ys = [j for j in range(len(grid.ys)) if columns[j] != columns[j + 1]]
    kept = [*ys, len(grid.ys)]
    return Grid(
        tuple(grid.xs[i] for i in xs),
        tuple(grid.ys[j] for j in ys),
        tuple(tuple(row[j] for j in kept) for row in child),
    )
