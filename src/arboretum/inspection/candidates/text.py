"""Candidates in words: the lines of the data frame, as a list or array for each of its columns."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from arboretum._data import Column
from arboretum._tree.question_values import quote, value_text
from arboretum._types import Array, Numbers
from arboretum.inspection.candidates.questions import Asked

MAX_LEVELS_IN_TEXT = 8
POWERS_OF_TEN = np.array([float(10**exponent) for exponent in range(23)])  # all that are exact

Lines: TypeAlias = dict[str, Any]


def describe(
    asked: Asked, column: Column, distinct: Array, *, some_missing: bool, some_aside: bool, between: Array
) -> Lines:
    """Return the questions in words, and their numbers; `between` are the thresholds of cuts."""
    lines: Lines = {
        "question": [f"{quote(column.name)} is missing"] * len(asked),
        "column": [column.name] * len(asked),
        "threshold": np.full(len(asked), np.nan),
        "levels": [None] * len(asked),
        "missing": sides_of_missing(asked, some_missing, some_aside),
        "gain": asked.gain,
        "corrected_gain": asked.corrected_gain,
        "gain_ratio": asked.gain_ratio,
        "impurity": asked.impurity,
        "children": list(map(tuple, asked.n_rows.tolist())),
        "impurities": list(map(tuple, asked.impurities.tolist())),
        "score": asked.score,
        "p_value": asked.p_value,
    }
    if asked.form == "cut":
        lines["threshold"] = (between + column.offset if column.offset else between)[asked.left]
        texts = [f"{quote(column.name)} <= {value_text(column, value)}" for value in between.tolist()]
        lines["question"] = [texts[cut] for cut in asked.left.tolist()]
    elif asked.form != "missing":
        known = column.levels or ()
        numbers = level_numbers(asked, distinct, len(known))
        lines["levels"] = [tuple(known[number] for number in chosen) for chosen in numbers]
        lines["question"] = [text_of_levels(asked.form, column, chosen) for chosen in numbers]
    add_missing_to_text(lines, asked, some_missing)
    return lines


def level_numbers(asked: Asked, distinct: Array, n_levels: int) -> list[list[int]]:
    """Return the level numbers that each question names: the one asked for, those on the left, or all."""
    if asked.form == "level":
        return [[number] for number in asked.left.tolist()]
    if asked.form == "multiway":
        return [list(range(n_levels))]
    return [distinct[marks].tolist() for marks in asked.left]


def text_of_levels(form: str, column: Column, numbers: list[int]) -> str:
    """Return `x = a`, `x in {a, b}` or `x = a | b | c`; a long list is cut short, the frame has all of it."""
    names = [value_text(column, number) for number in numbers[:MAX_LEVELS_IN_TEXT]]
    if len(numbers) > len(names):
        names.append(f"… {len(numbers) - len(names)} more")
    if form == "subset" and len(numbers) > 1:
        return f"{quote(column.name)} in {{{', '.join(names)}}}"
    return f"{quote(column.name)} = {' | '.join(names)}"


def sides_of_missing(asked: Asked, some_missing: bool, some_aside: bool) -> list[str | None]:
    """Return where missing rows go: "left", "right", their "own" branch or "aside"; None without any."""
    if some_aside:
        return ["aside"] * len(asked)
    if not some_missing:
        return [None] * len(asked)
    if asked.form == "multiway":
        return ["own"] * len(asked)
    return ["left" if left else "right" for left in asked.missing_left.tolist()]


def add_missing_to_text(lines: Lines, asked: Asked, some_missing: bool) -> None:
    """Add to the text that missing rows go left, or have their own branch."""
    if asked.form == "multiway" and some_missing:
        lines["question"] = [text + " | missing" for text in lines["question"]]
    elif asked.form != "missing" and some_missing:
        sides = zip(lines["question"], asked.missing_left.tolist(), strict=True)
        lines["question"] = [text + " or missing" if left else text for text, left in sides]


def thresholds_between(column: Column, distinct: Array) -> Array:
    """Return the midpoints of neighbouring values in stored form, such that low <= midpoint < high."""
    if column.kind == "number":
        values = distinct.astype(np.float64)
        low, high = values[:-1], values[1:]
        with np.errstate(over="ignore", invalid="ignore"):
            middle = (low + high) / 2
            middle = np.where(np.isfinite(middle), middle, low / 2 + high / 2)  # the halves do not overflow
        tidy = to_digits(middle, 8 if distinct.dtype == np.float32 else 15)
        middle = np.where((low <= tidy) & (tidy < high), tidy, middle)
        return np.where((low <= middle) & (middle < high), middle, low) + 0.0  # one zero for both
    integers = distinct.astype(np.int64)
    # Subtracting as unsigned numbers: the gap between two 64-bit integers may need all 64 bits.
    gap: Array = np.diff(integers.astype(np.uint64))
    whole = integers[:-1] + (gap // 2).astype(np.int64)
    if column.kind == "ordered":
        return whole.astype(np.float64)
    if column.kind != "integer":
        return whole.astype(object)  # times need all their bits, which a float has not
    large = np.abs(whole.astype(np.float64)) >= 2**51  # above that a float has no halves
    half = np.where((gap % 2 == 1) & ~large, 0.5, 0.0)
    if not column.offset and not large.any():
        return whole + half
    exact = [
        number + 0.5 if odd else number for number, odd in zip(whole.tolist(), half.tolist(), strict=True)
    ]
    return np.array(exact, dtype=object)


def to_digits(numbers: Numbers, digits: int) -> Numbers:
    """Round numbers to this many decimal digits, as the core does: 57.95, not 57.949999999999996.

    A number stays as it is if the power of ten needed is not a float.
    """
    usual = np.isfinite(numbers) & (numbers != 0)
    size = np.abs(np.where(usual, numbers, 1.0))
    logs = np.log10(size)
    # Next to a power of ten the last bit decides, and vectorised logarithms may differ in it from the core's.
    near = np.abs(logs - np.rint(logs)) < 1e-9
    logs[near] = [math.log10(number) for number in size[near].tolist()]
    after_point = digits - 1 - np.floor(logs).astype(np.int64)
    usual &= (after_point >= 0) & (after_point <= 22)
    power = POWERS_OF_TEN[np.where(usual, after_point, 0)]
    return np.where(usual, np.rint(np.where(usual, numbers, 0.0) * power) / power, numbers)
