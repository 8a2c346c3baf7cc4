"""Readable values: of all values in a range, the one that is shortest to write."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np

from arboretum._data import Column
from arboretum._data.times import NANOSECONDS
from arboretum.inspection.counterfactual.pieces import Value

_LONG = (
    NANOSECONDS["D"],
    3600 * NANOSECONDS["s"],
    60 * NANOSECONDS["s"],
    *(NANOSECONDS[unit] for unit in ("s", "ms", "us", "ns")),
)


def readable(column: Column, low: Value, high: Value, *, near_low: bool) -> Value:
    """Return the shortest value from `low` to `high`, both included; of several the one nearest to an end.

    A number is short if it has few digits; a time if it is the first of a year or of a month, a midnight, a
    full hour, and so on.

    >>> readable(Column("x", "number"), 2.4500000000000006, 2.51, near_low=True)
    2.5
    >>> readable(Column("n", "integer"), 3051, 3120, near_low=True)
    3100
    >>> day = Column("day", "datetime", unit="D")
    >>> day.format(readable(day, 19_783, 19_830, near_low=False))
    '2024-04-01'
    """
    if column.levels is not None or not low < high:
        return low if near_low else high
    match column.kind:
        case "datetime":
            return _instant(int(low), int(high), str(column.unit), near_low=near_low)
        case "duration":
            return _duration(int(low), int(high), str(column.unit), near_low=near_low)
        case _:
            return _number(column, low, high, near_low=near_low)


def _number(column: Column, low: Value, high: Value, *, near_low: bool) -> Value:
    whole = column.kind == "integer"
    if whole:
        low, high = int(low) + column.offset, int(high) + column.offset
    if low <= 0 <= high:
        return -column.offset if whole else 0.0
    exact_low, exact_high = Decimal(low), Decimal(high)
    for exponent in range(max(abs(exact_low), abs(exact_high)).adjusted() + 1, -1 if whole else -400, -1):
        step = Decimal(1).scaleb(exponent)
        first, last = math.ceil(exact_low / step), math.floor(exact_high / step)
        if first > last:
            continue
        found = (first if near_low else last) * step
        if whole:
            return int(found) - column.offset
        if low <= float(found) <= high:
            return float(found)
    value = low if near_low else high
    return value - column.offset if whole else value


def _instant(low: int, high: int, unit: Any, *, near_low: bool) -> int:
    ends: list[Any] = [np.datetime64(end, unit) for end in (low, high)]
    for coarse in ("Y", "M", "D", "h", "m", "s", "ms", "us", "ns"):
        if coarse in NANOSECONDS and NANOSECONDS[coarse] < NANOSECONDS[unit]:
            break
        first, last = (end.astype(f"datetime64[{coarse}]") for end in ends)
        if first.astype(ends[0].dtype) < ends[0]:
            first = first + np.timedelta64(1, coarse)
        if first <= last:
            return int((first if near_low else last).astype(ends[0].dtype).astype(np.int64))
    return low if near_low else high


def _duration(low: int, high: int, unit: str, *, near_low: bool) -> int:
    if low <= 0 <= high:
        return 0
    for size in _LONG:
        step, rest = divmod(size, NANOSECONDS[unit])
        if rest or step == 0:
            continue
        first, last = -(-low // step), high // step
        if first <= last:
            return (first if near_low else last) * step
    return low if near_low else high
