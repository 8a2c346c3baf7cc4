"""How a question cuts a plane of one or two columns, while the other columns are fixed.

Values are in stored form; level k is a band from k - 1/2 to k + 1/2. A cut is a grid of cells between lines
parallel to the axes, or a half-plane. All values on the plane are known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from arboretum._data import Column
from arboretum._tree.composites import AtLeast, Composite, Linear, LinearTerm, Literal
from arboretum._tree.questions import Levels, Missing, Question, Threshold

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


def open_columns(question: Question, surrogates: Sequence[Question], axes: Axes, fixed: Fixed) -> list[str]:
    """Return the columns that matter here and are neither shown nor fixed.

    The surrogates stand in where the question has no answer.
    """
    names = [name for asked in _asked_in_turn(question, surrogates, axes, fixed) for name in asked.columns]
    shown = _shown(axes)
    return [name for name in dict.fromkeys(names) if name not in shown and name not in fixed]


def cut_of(question: Question, surrogates: Sequence[Question], axes: Axes, fixed: Fixed) -> Grid | HalfPlane:
    """Return how the question cuts the plane, with no `open_columns`. Child -1 means the row stops."""
    if isinstance(question, Linear):
        return _cut_of_sum(question, axes, fixed)
    asked = _asked_in_turn(question, surrogates, axes, fixed)
    lines = [sorted({line for q in asked for line in _lines(q, column)}) for column in axes]
    spots = [_spots(column, along) for column, along in zip(axes, lines, strict=True)]
    child_of_level = [_child_of_level(question) for question in asked]
    child = tuple(
        tuple(_child_at(asked, child_of_level, _values(axes, (x, y), fixed)) for y in spots[1])
        for x in spots[0]
    )
    return _simple(Grid(tuple(lines[0]), tuple(lines[1]), child))


def _shown(axes: Axes) -> set[str]:
    return {column.name for column in axes if column is not None}


def _asked_in_turn(
    question: Question, surrogates: Sequence[Question], axes: Axes, fixed: Fixed
) -> list[Question]:
    """Return the questions asked in turn, up to one that has an answer everywhere on the plane."""
    asked: list[Question] = []
    for each in (question, *surrogates):
        asked.append(each)
        if not _lacks_answers(each, _shown(axes), fixed):
            break
    return asked


def _lacks_answers(question: Question, shown: set[str], fixed: Fixed) -> bool:
    """Return whether a question has no answer somewhere on the plane."""
    if isinstance(question, Composite | Missing):
        return False
    if question.column in shown:
        levels = question.about.levels or ()
        return isinstance(question, Levels) and sum(map(len, question.children)) < len(levels)
    # An open column may have an answer once its value is known.
    return question.column in fixed and _answer(question, _child_of_level(question), fixed) is None


# --- questions about single values


def _lines(question: Question, column: Column | None) -> list[float]:
    """Return the values of a column where the answer may change."""
    if column is None or column.name not in question.columns:
        return []
    if column.levels is not None:
        return [number + 0.5 for number in range(len(column.levels) - 1)]
    if isinstance(question, AtLeast):
        own = [part.threshold for part in question.literals if part.about.name == column.name]
        return sorted({float(threshold) for threshold in own if threshold is not None})
    return [float(question.threshold)] if isinstance(question, Threshold) else []


def _spots(column: Column | None, lines: Sequence[float]) -> list[float]:
    """Return a value of every strip; a threshold belongs to the strip below it."""
    if column is not None and column.levels is not None:
        return [float(number) for number in range(len(lines) + 1)]
    return [*lines, math.inf]


def _values(axes: Axes, at: tuple[float, float], fixed: Fixed) -> dict[str, Any]:
    shown = {column.name: value for column, value in zip(axes, at, strict=True) if column is not None}
    return {**fixed, **shown}


def _child_of_level(question: Question) -> dict[Any, int]:
    """Return the child of each level; empty if the question is not about levels."""
    groups = question.children if isinstance(question, Levels) else ()
    return {level: child for child, group in enumerate(groups) for level in group}


def _child_at(
    asked: Sequence[Question], child_of_level: Sequence[Mapping[Any, int]], values: Mapping[str, Any]
) -> int:
    """Return the child to which the first question with an answer sends a row."""
    answers = (
        _answer(question, children, values) for question, children in zip(asked, child_of_level, strict=True)
    )
    return next((child for child in answers if child is not None), asked[0].missing_child)


def _answer(question: Question, child_of_level: Mapping[Any, int], values: Mapping[str, Any]) -> int | None:
    """Return the child to which a question sends a row with these stored values; None if it has no answer."""
    if isinstance(question, AtLeast):
        n_hold = sum(_holds(part, values[part.about.name]) for part in question.literals)
        return 0 if n_hold >= question.m else 1
    value = values[question.column]
    match question:
        case Missing():
            return 0 if value is None else 1
        case _ if value is None:
            return None
        case Threshold():
            return int((value > question.threshold) != question.flipped)
        case Levels():
            return child_of_level.get(value)  # an unseen level is like a missing value
    raise NotImplementedError(type(question).__name__)


def _holds(literal: Literal, value: Any) -> bool:
    if value is None:
        return False
    if literal.threshold is None:
        return bool((value == literal.level) != literal.negated)
    return bool((value <= literal.threshold) != literal.negated)


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
    values = _values(axes, bands, fixed)
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
