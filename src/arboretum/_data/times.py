"""Instants and durations as exact whole numbers of a unit: converting units and writing them down.

An instant counts units since 1970-01-01, in UTC if it has a time zone. Nothing here passes through a
floating-point number.
"""

from __future__ import annotations

import datetime as dt
import math
from typing import Any, Final, Literal, get_args

import numpy as np

from arboretum._types import Integers

Unit = Literal["D", "s", "ms", "us", "ns"]
UNITS: Final[tuple[Unit, ...]] = get_args(Unit)
NANOSECONDS: Final[dict[str, int]] = {
    "D": 86_400 * 10**9,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}
# NumPy knows more units than we keep; each is stored in the next one of ours that holds it exactly.
# Years and months have no fixed length, so they are fine for instants (a date) and refused for durations.
_KEPT: Final[dict[str, Unit]] = {
    "Y": "D", "M": "D", "W": "D", "D": "D", "h": "s", "m": "s", "s": "s", "ms": "ms", "us": "us", "ns": "ns",
    "ps": "ns", "fs": "ns", "as": "ns",
}  # fmt: skip
_INT64: Final = np.iinfo(np.int64)


def unit_of(dtype: np.dtype[Any]) -> Unit | None:
    """Return the unit in which values of a NumPy time dtype are kept; None if it has none."""
    unit, _ = np.datetime_data(dtype)
    if dtype.kind == "m" and unit in {"Y", "M"}:
        return None
    if unit == "generic":  # datetime64 without a unit can hold nothing but NaT
        return "D" if dtype.kind == "M" else None
    return _KEPT[unit]


def is_aware(value: object) -> bool:
    """Return whether a date or datetime has a time zone."""
    return isinstance(value, dt.datetime) and value.utcoffset() is not None


def instant_nanoseconds(value: Any) -> tuple[int, Unit]:
    """Return an instant as nanoseconds since 1970 (of any size) and the unit it was given in."""
    # A pandas Timestamp is a datetime that may hold nanoseconds besides.
    exact = getattr(value, "asm8", value)
    if isinstance(exact, np.datetime64):
        unit = unit_of(exact.dtype) or "D"
        return _count(exact, f"datetime64[{unit}]") * NANOSECONDS[unit], unit
    if not isinstance(exact, dt.datetime):
        return (exact.toordinal() - _EPOCH.toordinal()) * NANOSECONDS["D"], "D"
    naive = exact.replace(tzinfo=None) - (exact.utcoffset() or dt.timedelta(0))
    return duration_nanoseconds(naive - _EPOCH)[0], "us"


def duration_nanoseconds(value: Any) -> tuple[int, Unit]:
    """Return a duration as nanoseconds (of any size) and the unit it was given in."""
    exact = getattr(value, "asm8", value)
    if isinstance(exact, np.timedelta64):
        unit = unit_of(exact.dtype)
        if unit is None:
            raise ValueError(f"{value!r} has no fixed length")
        return _count(exact, f"timedelta64[{unit}]") * NANOSECONDS[unit], unit
    return ((exact.days * 86_400 + exact.seconds) * 10**6 + exact.microseconds) * 1000, "us"


def _count(value: Any, dtype: str) -> int:
    """Return a datetime64 or timedelta64 as a whole number of units; refuse to round or overflow."""
    converted = value.astype(dtype)
    if converted.astype(value.dtype) != value:
        raise ValueError(f"{value!r} cannot be kept exactly in 64 bits of at most nanosecond precision")
    return int(converted.astype(np.int64))


_EPOCH: Final = dt.datetime(1970, 1, 1)
_FIRST: Final = instant_nanoseconds(dt.datetime.min)[0]
_LAST: Final = instant_nanoseconds(dt.datetime.max)[0]
_SHORTEST: Final = duration_nanoseconds(dt.timedelta.min)[0]
_LONGEST: Final = duration_nanoseconds(dt.timedelta.max)[0]


def plain_instant(count: int, unit: Any, *, aware: bool) -> dt.date | np.datetime64:
    """Return an instant as a date or datetime, or as a datetime64 where Python's own cannot hold it."""
    nanoseconds = count * NANOSECONDS[unit]
    if nanoseconds % 1000 or not _FIRST <= nanoseconds <= _LAST:
        return np.datetime64(count, unit)
    naive = _EPOCH + dt.timedelta(microseconds=nanoseconds // 1000)
    if aware:
        return naive.replace(tzinfo=dt.UTC)
    return naive.date() if unit == "D" else naive


def plain_duration(count: int, unit: Any) -> dt.timedelta | np.timedelta64:
    """Return a duration as a timedelta, or as a timedelta64 where Python's own cannot hold it."""
    nanoseconds = count * NANOSECONDS[unit]
    if nanoseconds % 1000 or not _SHORTEST <= nanoseconds <= _LONGEST:
        return np.timedelta64(count, unit)
    return dt.timedelta(microseconds=nanoseconds // 1000)


def convert_units(counts: Integers, unit: str, wanted: str) -> Integers:
    """Return counts of one unit as counts of another: rounded down to a coarser one, exact in a finer one.

    Rounding down puts an instant into the day (second, …) in which it lies, so that 2024-03-01 14:30 answers
    `day <= 2024-03-01` as that day did when the tree was grown. Counts too large for the finer unit stop at
    the ends of the 64 bits: thresholds lie between values that were seen, so nothing changes sides.
    """
    have, want = NANOSECONDS[unit], NANOSECONDS[wanted]
    if have == want:
        return counts
    if have < want:
        return counts // (want // have)
    factor = have // want
    limit = int(_INT64.max) // factor
    product = np.clip(counts, -limit, limit) * factor
    product[counts > limit] = _INT64.max
    product[counts < -limit] = -_INT64.max
    return product


def instant_text(count: float, unit: str, *, aware: bool) -> str:
    """Return an instant as an ISO date, or a datetime if it is not midnight; aware ones end in +00:00.

    >>> instant_text(19_783, "D", aware=False), instant_text(1_709_303_400, "s", aware=True)
    ('2024-03-01', '2024-03-01T14:30:00+00:00')
    """
    whole = _whole(count)
    if isinstance(whole, str):
        return whole
    if not aware and whole * NANOSECONDS[unit] % NANOSECONDS["D"] == 0:
        days = whole * NANOSECONDS[unit] // NANOSECONDS["D"]
        return str(np.datetime_as_string(np.datetime64(days, "D"), unit="D"))
    shown = next(u for u in UNITS[1:] if whole * NANOSECONDS[unit] % NANOSECONDS[u] == 0)
    if NANOSECONDS[shown] < NANOSECONDS[unit]:  # whole days of an aware column still show their hour
        return f"{instant_text(whole, unit, aware=False)}T00:00:00+00:00"
    count_shown = whole * NANOSECONDS[unit] // NANOSECONDS[shown]
    text = str(np.datetime_as_string(np.datetime64(count_shown, shown), unit=shown))
    return f"{text}+00:00" if aware else text


def duration_text(count: float, unit: str) -> str:
    """Return a duration in days, hours, minutes and seconds; a minus sign applies to all of it.

    >>> duration_text(273_906, "s"), duration_text(1, "D"), duration_text(-1_500, "ms")
    ('3 days 04:05:06', '1 day', '-00:00:01.5')
    """
    whole = _whole(count)
    if isinstance(whole, str):
        return whole
    days, rest = divmod(abs(whole) * NANOSECONDS[unit], NANOSECONDS["D"])
    seconds, fraction = divmod(rest, NANOSECONDS["s"])
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if fraction:
        clock += f".{fraction:09}".rstrip("0")
    parts = [f"{days} day{'' if days == 1 else 's'}"] if days else []
    if rest or not days:
        parts.append(clock)
    return ("-" if whole < 0 else "") + " ".join(parts)


def _whole(count: Any) -> int | str:
    """Return a threshold in whole units, rounded down, which changes no answer; text if it is not finite."""
    if isinstance(count, float | np.floating) and not math.isfinite(count):
        return "missing" if math.isnan(count) else ("inf" if count > 0 else "-inf")
    whole = math.floor(count)
    return whole if abs(whole) <= _INT64.max else "missing"
