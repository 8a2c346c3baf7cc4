"""The questions about one column of a node as lines of a table, and the one by which the column competes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arboretum._data import Column, ColumnData
from arboretum._types import Array, Mask, Numbers
from arboretum.inspection.candidates.chance import gain_by_chance
from arboretum.inspection.candidates.questions import (
    Asked,
    Buckets,
    ask_about_cuts,
    ask_about_each,
    ask_about_levels,
    correct,
    in_units,
    pay,
)
from arboretum.inspection.candidates.rules import Rules
from arboretum.inspection.candidates.subsets import ask_about_subsets
from arboretum.inspection.candidates.targets import Target
from arboretum.inspection.candidates.text import Lines, describe, thresholds_between

ROUNDING = 1e-12  # bits that differ by less are equal

Between: TypeAlias = Callable[[Column, Array], Array]


@dataclass(frozen=True)
class AskedColumn:
    """A column with all questions about it, as lines; each array has one flag for each line.

    Where the gain ratio decides, `entered` flags the question by which the column competes with others, and
    `gain` is what that gains; None if the column does not compete.
    """

    column: Column
    lines: list[Lines]
    divides: Mask
    entered: Mask
    gain: float | None = None
    corrected: bool = False
    parts: tuple[Asked, ...] = ()
    buckets: Buckets | None = None  # of the rows that are judged
    distinct: Array | None = None
    judged: Mask | None = None  # the rows that are; None: all of them


def ask_about_column(
    target: Target, data: ColumnData, rules: Rules, between_values: Between | None = None
) -> AskedColumn:
    """Return all questions about one column; thresholds are midpoints, or where `between_values` says."""
    values, absent = data.values, data.is_missing()
    some_aside = rules.leaves_aside and bool(absent.any())
    judged = ~absent if some_aside else None
    if some_aside and absent.all():
        return AskedColumn(data.column, [], no_flags(0), no_flags(0))
    if some_aside:
        target, values = target.only(~absent), values[~absent]
        absent = no_flags(len(values))
    distinct, present_codes = np.unique(values[~absent], return_inverse=True)
    codes = np.full(len(absent), len(distinct), dtype=np.intp)
    codes[~absent] = present_codes
    buckets = Buckets(codes, len(distinct))
    asked = [part for part in questions_about(target, data.column, buckets, distinct, rules) if len(part)]
    if corrected := rules.corrected and leaves_a_choice(data.column, buckets, rules):
        by_chance = gain_by_chance(target, buckets, rules.nominal)
        asked = [correct(part, target, by_chance, by_ratio=rules.ratio is not None) for part in asked]
    paid = [pay(part, target) for part in asked]
    between = np.empty(0)
    if data.column.kind != "nominal":
        between = (between_values or thresholds_between)(data.column, distinct)
    lines = [
        describe(
            in_units(part, target, unit=rules.unit, times_n=rules.times_n),
            data.column,
            distinct,
            some_missing=buckets.some_missing,
            some_aside=some_aside,
            between=between,
        )
        for part in paid
    ]
    divides = join([part.divides for part in asked], np.bool_)
    if rules.ratio is None:
        nobody = no_flags(len(divides))
        return AskedColumn(
            data.column, lines, divides, nobody, None, corrected, tuple(paid), buckets, distinct, judged
        )
    by_ratio = data.column.kind == "nominal" and rules.nominal == "one_vs_rest"
    worth = join([part.gain_ratio if by_ratio else part.gain for part in asked])
    entered = first_best(np.where(divides, worth, -1.0))
    gain = gain_of(paid, entered, priced=rules.priced)
    return AskedColumn(
        data.column, lines, divides, entered, gain, corrected, tuple(paid), buckets, distinct, judged
    )


def leaves_a_choice(column: Column, buckets: Buckets, rules: Rules) -> bool:
    """Return whether there are levels to choose from: more than two answers, missing values included."""
    if rules.with_choice is not None:
        return column.name in rules.with_choice
    return column.kind == "nominal" and buckets.n_buckets + buckets.some_missing > 2


def questions_about(
    target: Target, column: Column, buckets: Buckets, distinct: Array, rules: Rules
) -> Iterator[Asked]:
    """Return the questions that suit the kind of column."""
    if column.kind != "nominal":
        limits = rules.cut_limits(target)
        return ask_about_cuts(target, buckets, limits, class_change=rules.class_change, priced=rules.priced)
    if rules.nominal == "subset":
        return ask_about_subsets(target, buckets, rules.limits)
    ask = ask_about_levels if rules.nominal == "one_vs_rest" else ask_about_each
    return ask(target, buckets, rules.limits, len(column.levels or ()), distinct)


def first_best(worth: Numbers) -> Mask:
    """Flag the first of the largest numbers; none if all are below zero.

    >>> first_best(np.array([0.25, 0.5, 0.5])).tolist()
    [False, True, False]
    """
    best = worth >= max(float(worth.max(initial=0.0)) - ROUNDING, 0.0)
    first: Mask = best & (np.cumsum(best) == 1)
    return first


def gain_of(paid: list[Asked], entered: Mask, *, priced: bool) -> float | None:
    """Return the gain of the question that was entered; None without one, or if it is not worth its price."""
    gains = join([part.corrected_gain for part in paid])[entered].tolist()
    is_cut = join([np.full(len(part), part.form == "cut") for part in paid], np.bool_)[entered].any()
    is_chance = any(part.by_chance > 0 for part in paid) and gains and gains[0] <= 0
    if not gains or is_chance or (priced and is_cut and gains[0] <= 0):
        return None
    return float(gains[0])


def no_flags(n: int) -> Mask:
    return np.zeros(n, dtype=np.bool_)


def join(arrays: list[Array], dtype: npt.DTypeLike = np.float64) -> Array:
    """Return one array of all, even if there are none."""
    return np.concatenate([np.empty(0, dtype=dtype), *arrays])
