"""What questions are worth with what lies behind them: EvaluateSplit of the lecture notes, for all of them.

The rows are sent to the children, and these are asked every question in turn. The core does the same, faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from arboretum._data import Dataset
from arboretum._grow.given_rows import LEAST_SHARE
from arboretum._types import Indices, Integers, Numbers
from arboretum.inspection.candidates.asking import AskedColumn, ask_about_column
from arboretum.inspection.candidates.questions import Asked, Buckets
from arboretum.inspection.candidates.rules import Rules
from arboretum.inspection.candidates.targets import Target

CROWDED = 1 / 16  # of the weight: cuts of a column so near to a better one are not looked behind
MOST_OF_COLUMN = 1024
MANY_LEVELS = 32  # beyond these only the best question about a column is looked behind


@dataclass(frozen=True)
class Line:
    """One question: a line of one of a column's parts. `place` counts all lines of all columns."""

    column: AskedColumn
    part: Asked
    line: int
    place: int

    @property
    def gain(self) -> float:
        return float(self.part.corrected_gain[self.line])

    @property
    def merit(self) -> float:
        merit = self.part.gain_ratio[self.line] if self.column.entered.any() else self.gain
        return round(float(merit), 12)  # equal merits tie, whatever rounding leaves of them


def worth_of_all(
    asked: list[AskedColumn], data: Dataset, target: Target, rules: Rules, depth: int = 0
) -> Numbers:
    """Return what each question is worth, in the order of the lines; one row for each number of levels.

    `depth` is that of the node: nothing is asked below the greatest depth.
    """
    assert rules.ahead is not None
    n_lines = sum(len(each.divides) for each in asked)
    worth = np.full((rules.ahead.depth, n_lines), np.nan)
    weight = float(target.weights.sum())
    scale = rules.unit * (weight if rules.times_n else 1.0)
    own = replace(rules, unit=1.0, times_n=False, with_choice=choosing(asked, rules))
    for line in looked_behind(asked, target, own):
        for n_levels in range(1, rules.ahead.depth + 1):
            worth[n_levels - 1, line.place] = worth_of(line, data, target, own, n_levels, depth) * scale
    return worth


def choosing(asked: list[AskedColumn], rules: Rules) -> frozenset[str]:
    """Return the columns that leave a choice among levels: those of the whole table do so below it."""
    if rules.with_choice is not None:
        return rules.with_choice
    return frozenset(each.column.name for each in asked if each.corrected)


def looked_behind(asked: list[AskedColumn], target: Target, rules: Rules) -> list[Line]:
    """Return the questions that are looked behind: the best, and the best about each column."""
    assert rules.ahead is not None
    top = rules.ahead.top
    best: list[Line] = []
    others: list[Line] = []
    place = 0
    for each in asked:
        lines = []
        for part in each.parts:
            lines += [Line(each, part, i, place + i) for i in range(len(part))]
            place += len(part)
        lines = [line for line in lines if np.count_nonzero(line.part.n_rows[line.line]) > 1]
        lines.sort(key=lambda line: -line.merit)  # stable: the first of equals stays so
        many = (
            each.buckets is not None
            and each.column.kind == "nominal"
            and each.buckets.n_buckets > MANY_LEVELS
        )
        lines = lines[: 1 if many else len(lines) if top is None else MOST_OF_COLUMN]
        if top is not None:
            lines = thinned(lines, least_distance(target.weights, rules))
        best += lines[:1]
        others += lines[1:]
    others.sort(key=lambda line: -line.merit)
    return best + others[: len(others) if top is None else max(0, top - len(best))]


def least_distance(weights: Numbers, rules: Rules) -> float:
    """Return how far apart cuts must be; the core counts whole rows that weigh 1 in whole numbers."""
    least = CROWDED * float(weights.sum())
    whole = rules.missing != "fractional" and bool(np.all(weights == 1.0))
    return float(np.floor(least)) if whole else least


def thinned(lines: list[Line], least: float) -> list[Line]:
    """Return the questions without the cuts that lie beside a better one."""
    kept: list[Line] = []
    places: list[float] = []
    for line in lines:
        if line.part.form == "cut":
            left = float(line.part.weights[line.line, 0])
            if any(abs(left - other) < least for other in places):
                continue
            places.append(left)
        kept.append(line)
    return kept


def worth_of(line: Line, data: Dataset, target: Target, rules: Rules, n_levels: int, depth: int) -> float:
    """Return the gain of the best subtree that begins with this question and has so many more levels."""
    worth, whole = line.gain, float(target.weights.sum())
    for rows, weights in children_of(line, data, target):
        part = target.of_rows(rows, weights)
        size = weights.sum() if rules.missing == "fractional" else len(rows)
        if part.is_homogeneous or size < rules.min_samples_split or depth + 1 >= rules.max_depth:
            continue
        below = gain_below(data.take(rows), part, rules, n_levels, depth + 1)
        worth += float(weights.sum()) / whole * below
    return worth


def gain_below(data: Dataset, target: Target, rules: Rules, n_levels: int, depth: int) -> float:
    """Return what the best question of a child gains, or the best subtree where that is to be looked for."""
    asked = [ask_about_column(target, column, rules) for column in data.columns]
    if n_levels == 1:
        gains = [part.corrected_gain[part.divides] for each in asked for part in each.parts]
        return max([0.0, *(float(gain.max(initial=0.0)) for gain in gains)])
    lines = looked_behind(asked, target, rules)
    return max([0.0, *(worth_of(line, data, target, rules, n_levels - 1, depth) for line in lines)])


def children_of(line: Line, data: Dataset, target: Target) -> Iterator[tuple[Indices, Numbers]]:
    """Yield the rows of each child that has some, with their weights; rows left aside are divided."""
    judged = np.ones(data.n_rows, dtype=np.bool_) if line.column.judged is None else line.column.judged
    assert line.column.buckets is not None
    child = np.full(data.n_rows, -1, dtype=np.int64)
    child[judged] = answers(line.part, line.line, line.column.buckets, line.column.distinct)
    known = np.bincount(child[judged], target.weights[judged], line.part.n_rows.shape[1])
    for place, share in enumerate(known / known.sum()):
        counts = np.where(judged, child == place, share if share > LEAST_SHARE else 0.0)
        rows = np.flatnonzero(counts > 0)
        if len(rows):
            yield rows, target.weights[rows] * counts[rows]


def answers(part: Asked, line: int, buckets: Buckets, distinct: Numbers | None) -> Integers:
    """Return the child of each row that is judged."""
    left, absent = part.left[line] if len(part.left) else 0, buckets.codes == buckets.n_buckets
    if part.form == "missing":
        return np.where(absent, 0, 1)
    levels = np.append(np.asarray(distinct), part.n_rows.shape[1] - 1)
    if part.form == "multiway":
        return levels[buckets.codes].astype(np.int64)
    if part.form == "cut":
        goes_left = buckets.codes <= left
    elif part.form == "level":
        goes_left = levels[buckets.codes] == left
    else:
        goes_left = np.append(left, False)[buckets.codes]
    return np.where(np.where(absent, part.missing_left[line], goes_left), 0, 1)
