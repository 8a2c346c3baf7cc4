"""The levels of nominal and ordered columns as plain Python values: compared, sorted, written, stored.

A plain level is a str, bool, int, float, date, datetime or timedelta. Two levels with the same *key* are the
same level.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from arboretum._data.times import (
    NANOSECONDS,
    UNITS,
    duration_nanoseconds,
    duration_text,
    instant_nanoseconds,
    instant_text,
    is_aware,
    plain_duration,
    plain_instant,
)
from arboretum._wording import shown
from arboretum.errors import DataError

Family = Literal["number", "text", "instant", "duration"]
_RANK: dict[Family, int] = {"number": 0, "text": 1, "instant": 2, "duration": 3}


def plain_level(value: Any) -> object:
    """Return a level as a plain Python value; anything else (intervals, tuples, …) becomes text."""
    if isinstance(value, str):
        return str.__str__(value)  # str() of a member of a text enumeration would be its name, not its text
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, dt.date | np.datetime64):
        nanoseconds, unit = instant_nanoseconds(value)
        return plain_instant(nanoseconds // NANOSECONDS[unit], unit, aware=is_aware(value))
    if isinstance(value, dt.timedelta | np.timedelta64):  # before int: timedelta64 counts as one to NumPy
        nanoseconds, unit = duration_nanoseconds(value)
        return plain_duration(nanoseconds // NANOSECONDS[unit], unit)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) + 0.0  # -0.0 and 0.0 are one level
    if isinstance(value, Decimal | Fraction):
        return _plain_fraction(value)
    return str(value)


def _plain_fraction(value: Any) -> object:
    """Return an exact number as an int or float, or as text if it is too large for both."""
    if isinstance(value, Decimal) and value.is_nan():  # one that signals cannot even be compared
        return str(value)
    if abs(value) < 2**64 and value == int(
        value
    ):  # the bound keeps int() from writing out Decimal("1e999999")
        return int(value)
    try:
        number = float(value)
    except OverflowError:
        return str(value)
    return str(value) if math.isinf(number) and value != number else number


def family_of(level: object) -> Family:
    """Return the family of a plain level; booleans count as the numbers 0 and 1, as they do in Python."""
    if isinstance(level, str):
        return "text"
    if isinstance(level, dt.date | np.datetime64):
        return "instant"
    if isinstance(level, dt.timedelta | np.timedelta64):
        return "duration"
    return "number"


def level_key(level: object) -> Hashable:
    """Return the key of a plain level: 1, 1.0 and True share one, and so do a date and its midnight."""
    match family_of(level):
        case "instant":
            return ("instant", is_aware(level), instant_nanoseconds(level)[0])
        case "duration":
            return ("duration", duration_nanoseconds(level)[0])
        case _:
            return level  # equal numbers of any type have the same hash; text never equals a number


def number_of_level(levels: Sequence[object], value: Any) -> int | None:
    """Return the number of a level, which may be given in any form that reads as the same; None if unknown.

    >>> number_of_level(("blue", "red"), "red"), number_of_level((1, 2), 2.0), number_of_level((1, 2), "2")
    (1, 1, None)
    """
    try:
        key = level_key(plain_level(value))
    except (TypeError, ValueError):  # a value that no level can be
        return None
    return next((number for number, level in enumerate(levels) if level_key(level) == key), None)


def sort_levels(levels: Iterable[object]) -> list[object]:
    """Return plain levels in their natural order: numbers, then text, instants and durations."""

    def order(level: object) -> tuple[int, Any]:
        return _RANK[family_of(level)], level_key(level)

    return sorted(levels, key=order)


def number_text(value: float) -> str:
    """Return a number with enough digits to tell it from every other one: the number shown is the one used.

    >>> number_text(57.95), number_text(1 / 3), number_text(1e300), number_text(-0.0), number_text(2.0)
    ('57.95', '0.3333333333333333', '1e+300', '0', '2')
    """
    return repr(float(value) + 0.0).removesuffix(".0")


def level_text(level: object) -> str:
    """Return a plain level as it is printed."""
    if isinstance(level, dt.datetime | dt.date | np.datetime64):
        nanoseconds, unit = instant_nanoseconds(level)
        return instant_text(nanoseconds // NANOSECONDS[unit], unit, aware=is_aware(level))
    if isinstance(level, dt.timedelta | np.timedelta64):
        nanoseconds, unit = duration_nanoseconds(level)
        return duration_text(nanoseconds // NANOSECONDS[unit], unit)
    return number_text(level) if isinstance(level, float) else str(level)


def level_to_json(level: object) -> object:
    """Return a plain level in JSON's own types; what JSON lacks becomes {type: value}."""
    if isinstance(level, dt.datetime):
        return {"datetime": level.isoformat()}
    if isinstance(level, dt.date):
        return {"date": level.isoformat()}
    if isinstance(level, dt.timedelta):
        return {"timedelta": [level.days, level.seconds, level.microseconds]}
    if isinstance(level, np.datetime64 | np.timedelta64):
        unit, _ = np.datetime_data(level.dtype)
        return {str(level.dtype.name).split("[")[0]: [int(level.astype(np.int64)), unit]}
    if isinstance(level, float) and not math.isfinite(level):
        return {"float": repr(level)}
    return level


def level_from_json(stored: object) -> object:
    """Return the level that `level_to_json` wrote; anything else is refused."""
    if isinstance(stored, str | bool | int | float):
        return stored
    if isinstance(stored, Mapping) and len(stored) == 1:
        ((kind, value),) = stored.items()
        try:
            return _FROM_JSON[kind](value)
        except (KeyError, TypeError, ValueError, OverflowError):
            pass
    raise DataError(
        f"{shown(stored)} is not a stored level; a level is text, a number, true, false or a date."
    )


def _count_and_unit(parts: Any) -> tuple[int, Any]:
    """Return what `level_to_json` writes for NumPy's times; NumPy itself would also read "NaT" or "now"."""
    count, unit = parts
    smallest_is_nat = -(2**63)
    if type(count) is not int or unit not in UNITS or count == smallest_is_nat:
        raise ValueError("no count of a unit")
    return count, unit


def _not_nan(text: Any) -> float:
    if text not in ("inf", "-inf"):
        raise ValueError("no infinity")
    return float(text)


_FROM_JSON: dict[str, Any] = {
    "datetime": dt.datetime.fromisoformat,
    "date": dt.date.fromisoformat,
    "timedelta": lambda parts: dt.timedelta(*parts),
    "datetime64": lambda parts: np.datetime64(*_count_and_unit(parts)),
    "timedelta64": lambda parts: np.timedelta64(*_count_and_unit(parts)),
    "float": _not_nan,
}
