"""Rows with known answers, so that every export can be checked where it is used.

A sample is a row in user form, by the names of the fields. The same program has the same samples each time.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from arboretum._data import Column, ColumnData, Dataset
from arboretum._data.levels import level_key
from arboretum._tree.composites import Linear
from arboretum._tree.leaves import cheapest
from arboretum._tree.linear_models import values_of_rows
from arboretum._tree.questions import Levels, Missing, Question, Threshold
from arboretum._tree.tree import core_dataset
from arboretum.estimators.bagging.bagged_state import add_tree, empty_forest
from arboretum.estimators.bagging.growing import predictions_for
from arboretum.export._program.program import Field, Program, Step, program_of, stored_value, user_value
from arboretum.export._program.shared import checked_count

Row = dict[str, object]
Answer = tuple[Any, tuple[float, ...] | None]  # a label or a number, and the probabilities

_LOWEST: Final = -(2**63)
_HIGHEST: Final = 2**63 - 1
_UNKNOWN_TEXT: Final = "no such level"


def expected(model: Any, rows: Sequence[Mapping[str, object]]) -> list[Answer]:
    """Return what the core predicts for rows in user form: a label or a number, and the probabilities.

    `model` is a program too.

    Columns that a row does not name are missing. Missing values are never refused: a model with
    `missing="error"` treats them as its tree does, and so do its exports.
    """
    program = (
        model if isinstance(model, Program) else program_of(model, "expected()", ensembles=True, models=True)
    )
    table = stored_table(program.columns, rows)
    tree, data = program.trees[0], core_dataset(table)
    if program.has_models:
        return [(value, None) for value in values_of_rows(tree, table).tolist()]
    if program.is_mean:
        forest = empty_forest(tree.target)
        for member in program.trees:
            add_tree(forest, member)
        mixed = forest.sum(data, 1) / len(program.trees)
    else:
        mixed = predictions_for(tree, data)
    if program.classes is None:
        return [(value, None) for (value,) in mixed.tolist()]
    if program.is_mean or program.missing == "fractions":
        numbers = cheapest(mixed, None if tree.rule is None else tree.rule.loss)
    else:
        numbers = tree.array("label")[tree._router.leaves_of(data)]
    labels = [program.classes[number] for number in numbers.tolist()]
    return [(label, tuple(shares)) for label, shares in zip(labels, mixed.tolist(), strict=True)]


def expected_of_each(program: Program, rows: Sequence[Mapping[str, object]]) -> list[tuple[Answer, ...]]:
    """Return what the core predicts for rows in user form, for each output in order."""
    return list(zip(*(expected(output.program, rows) for output in program.answers), strict=True))


def stored_table(columns: Sequence[Column], rows: Sequence[Mapping[str, object]]) -> Dataset:
    """Return rows in user form as a table in stored form."""
    return Dataset(tuple(_stored_column(column, rows) for column in columns), len(rows), True)


def _stored_column(column: Column, rows: Sequence[Mapping[str, object]]) -> ColumnData:
    numbers = {level_key(level): number for number, level in enumerate(column.levels or ())}

    def stored(value: object) -> float | int | None:
        if column.levels is None or value is None or value != value:
            return stored_value(column, value)
        return numbers.get(level_key(value))

    cells = [stored(row.get(column.name)) for row in rows]
    missing = np.array([cell is None for cell in cells], dtype=np.bool_)
    known = [0 if cell is None else cell for cell in cells]
    if column.levels is not None:
        values: np.ndarray[Any, Any] = np.array(known, dtype=np.int32)
    elif column.kind == "number" or any(isinstance(cell, float) for cell in known):
        values = np.array(known, dtype=np.float64)
    else:
        values = np.array([min(_HIGHEST, max(_LOWEST, int(cell))) for cell in known], dtype=np.int64)
    return ColumnData(column, values, missing if missing.any() else None)


def samples(program: Program, n: int = 32, seed: int = 0) -> list[Row]:
    """Return about `n` rows in user form that are hard to get right.

    First one row for each leaf (for evenly chosen leaves if there are more than half of `n`), with values at
    and just above the thresholds on its path. Then random rows of values at, just below and just above
    thresholds, levels, unknown levels, missing values, infinities and zeros of both signs.
    """
    n = checked_count(n)
    chance = random.Random(seed)
    leaves = [step for step in program.steps if step.is_leaf]
    n_first = min(len(leaves), max(1, n // 2))
    chosen = [leaves[i * len(leaves) // n_first] for i in range(n_first)]
    pools = _pools(program)
    first = [row for leaf in chosen if (row := _row_for(program, leaf, chance)) is not None]
    rest = [_row_at_random(program, pools, chance) for _ in range(n - len(first))]
    return first + rest


# --- rows that reach a given leaf


@dataclass
class _Range:
    """The values of a field that lead to a leaf: low < x <= high in stored form, or levels, or missing."""

    low: float | int = -math.inf
    high: float | int = math.inf
    levels: set[int] | None = None
    known: bool = True
    missing: bool = True


def _row_for(program: Program, leaf: Step, chance: random.Random) -> Row | None:
    """Return a row that reaches this leaf, by known values where possible; None if none was found.

    Questions about several columns are ignored, so the row may go elsewhere.
    """
    ranges: dict[str, _Range] = {
        each.name: _Range(levels=None if each.levels is None else set(range(len(each.levels))))
        for each in program.fields
    }
    for step, place in _path_to(program, leaf):
        if isinstance(step.question, Threshold | Levels | Missing):
            _narrow(ranges[step.question.column], step, step.question, place)
    if not all(left.known or left.missing for left in ranges.values()):
        return None
    return {each.name: _value_in(each, ranges[each.name], chance) for each in program.fields}


def _path_to(program: Program, leaf: Step) -> list[tuple[Step, int]]:
    """Return the steps above a leaf, with the places of the children that lead there."""
    path = []
    number, parent = leaf.number, program.parents[leaf.number]
    while parent >= 0:
        above = program.steps[parent]
        path.append((above, above.children.index(number)))
        number, parent = parent, program.parents[parent]
    return path[::-1]


def _narrow(left: _Range, step: Step, question: Question, place: int) -> None:
    """Keep the values that lead to this child."""
    if isinstance(question, Missing):
        left.known, left.missing = left.known and place == 1, left.missing and place == 0
        return
    left.missing = left.missing and step.missing_child == place
    if left.levels is not None:
        left.levels &= _levels_to(question, step, place)
        left.known = left.known and bool(left.levels)
    elif isinstance(question, Threshold):
        if place == 0:
            left.high = min(left.high, question.threshold)
        else:
            left.low = max(left.low, question.threshold)
        left.known = left.known and left.low < left.high


def _levels_to(question: Question, step: Step, place: int) -> set[int]:
    """Return the numbers of the levels that lead to this child, unseen ones included."""
    every = set(range(len(question.about.levels or ())))
    if isinstance(question, Threshold):
        return {level for level in every if (level <= question.floor) == (place == 0)}
    if not isinstance(question, Levels):
        return every
    seen = {level for group in question.children for level in group}
    return set(question.children[place]) | (every - seen if step.unseen_child == place else set())


def _value_in(each: Field, left: _Range, chance: random.Random) -> object:
    if not left.known:
        return None
    if left.levels is not None:
        return user_value(each.column, chance.choice(sorted(left.levels)))
    ends = []
    real = each.column.kind == "number"
    if math.isfinite(left.high):
        ends.append(left.high if real else math.floor(left.high))
    if math.isfinite(left.low):
        ends.append(math.nextafter(left.low, math.inf) if real else math.floor(left.low) + 1)
    inside = [end for end in ends if left.low < end <= left.high]
    return user_value(each.column, chance.choice(inside or [0]))


# --- rows of values that are hard to get right


def _row_at_random(program: Program, pools: Mapping[str, list[object]], chance: random.Random) -> Row:
    row = {
        each.name: None if chance.random() < 0.15 else chance.choice(pools[each.name])
        for each in program.fields
    }
    sums = [step.question for step in program.steps if isinstance(step.question, Linear)]
    if sums and chance.random() < 0.5:
        _move_to_bound(row, chance.choice(sums), chance)
    return row


def _pools(program: Program) -> dict[str, list[object]]:
    """Return for each field values at the edges of what is asked about it."""
    fills: dict[str, set[float]] = {each.name: set() for each in program.fields}
    for _, question in program.questions:
        for term in question.terms if isinstance(question, Linear) else ():
            fills[term.about.name].add(term.fill)
    for step in program.steps:
        for part in step.model.terms if step.model is not None else ():
            fills[part.column.name] |= {part.fill, 2 * part.fill + 1}
    bounds = {
        name: sorted({part.threshold for _, part in parts if part.threshold is not None})
        for name, parts in program.thresholds.items()
    }
    return {each.name: _pool(each, bounds[each.name], sorted(fills[each.name])) for each in program.fields}


def _pool(each: Field, thresholds: list[float | int], fills: list[float]) -> list[object]:
    """Return values of a field at and beside its thresholds, or known and unknown levels."""
    if each.levels is not None:
        return [*each.levels, *unknown_levels(each)]
    if each.column.kind == "number":
        near = [x for t in thresholds for x in (t, math.nextafter(t, -math.inf), math.nextafter(t, math.inf))]
        return [*near, 0.0, -0.0, math.inf, -math.inf, *fills]
    whole = {x for t in thresholds for x in (math.floor(t) - 1, math.floor(t), math.floor(t) + 1)}
    whole |= {math.floor(fill) for fill in fills}
    inside = sorted(x for x in whole if _LOWEST < x <= _HIGHEST)
    return [user_value(each.column, x) for x in inside or [0]]


def unknown_levels(each: Field) -> list[object]:
    """Return levels that the field does not have, of a type that it has; none for truth values."""
    known = {level_key(level) for level in each.levels or ()}
    candidates: list[object] = []
    if any(isinstance(level, str) for level in each.levels or ()):
        longest = max((level for level in each.levels or () if isinstance(level, str)), key=len)
        candidates += [_UNKNOWN_TEXT, "", f"{longest} "]
    if each.type in ("integer", "number"):
        candidates += [max(level for level in known if isinstance(level, int | float)) + 1, -12345.678]
    return [level for level in candidates if level_key(level) not in known and level == level]


def _move_to_bound(row: Row, question: Linear, chance: random.Random) -> None:
    """Change one number of a row so that the sum lies at its bound, or just beside."""
    places = [i for i, term in enumerate(question.terms) if term.level is None and term.coefficient]
    if not places:
        return
    term = question.terms[chance.choice(places)]
    rest = 0.0
    for other in question.terms:
        if other is not term:
            stored = stored_value(other.about, row[other.about.name])
            number = (
                other.fill
                if stored is None
                else float(stored if other.level is None else stored == other.level)
            )
            rest += other.coefficient * number
    x = (question.threshold - rest) / term.coefficient
    if not math.isfinite(x):
        return
    if term.about.kind == "integer":
        row[term.about.name] = min(_HIGHEST, max(_LOWEST, math.floor(x) + chance.choice((-1, 0, 1))))
    else:
        row[term.about.name] = chance.choice((x, math.nextafter(x, -math.inf), math.nextafter(x, math.inf)))
