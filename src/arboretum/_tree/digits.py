"""Digits: how many of a number a reader needs, wherever numbers become text.

A value is written with six, or with more where it would look like another value of its column. None stands
for all digits: then the number shown is the one used.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final

from arboretum._data import Column
from arboretum._data.levels import number_text
from arboretum._tree.question_values import value_text

DIGITS: Final = 6
_COMPUTED_DIGITS: Final = 4
_MOST_DIGITS: Final = 17  # tell every double from every other
_NUMBER: Final = re.compile(r"-?\d*\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+")
_FRACTION: Final = re.compile(r"(?<=:\d\d)\.\d+")
_MIDNIGHT: Final = re.compile(r"(?<=-\d\d)T00:00:00$")
_FULL_MINUTE: Final = re.compile(r"(?<=T\d\d:\d\d):00(?=$|[-+])")


def figure(value: float, digits: int | None, sign: str = "") -> str:
    """Return a computed number with so many digits; "+" as the sign writes that, too.

    >>> figure(1 / 3, 4), figure(1 / 3, None), figure(2.0, 4, "+"), figure(0.25, None, "+")
    ('0.3333', '0.3333333333333333', '+2', '+0.25')
    """
    if digits is not None:
        return f"{value:{sign}.{digits}g}"
    text = number_text(value)
    return f"+{text}" if sign and not text.startswith("-") else text


def computed_text(value: float, digits: int | None, sign: str = "") -> str:
    """Return a probability, a mean or a contribution in a table: four digits do, unless more are asked for.

    >>> computed_text(1 / 3, DIGITS), computed_text(1 / 3, 8), computed_text(1 / 3, 2, "+")
    ('0.3333', '0.33333333', '+0.33')
    >>> computed_text(1 / 3, None)
    '0.3333333333333333'
    """
    enough = digits is not None and digits <= DIGITS
    return figure(value, min(_COMPUTED_DIGITS, digits or 1) if enough else digits, sign)


def texts_apart(column: Column, values: Sequence[float | int], digits: int | None) -> list[str]:
    """Return values of a column as text, with as many digits as it takes for all to look different.

    >>> texts_apart(Column("x", "number"), [1 / 3, 0.33333333, 2.0], 6)
    ['0.333333333', '0.33333333', '2']
    """
    needed = digits_apart(column, values, digits)
    return [short_text(column, value, needed) for value in values]


def digits_apart(column: Column, values: Iterable[float | int], digits: int | None) -> int | None:
    """Return with how many digits different values of a column look different; None: with all."""
    different = set(values)
    for tried in _digits_tried(column, digits):
        if len({short_text(column, value, tried) for value in different}) == len(different):
            return tried
    return None


def text_beside(
    column: Column, value: float | int, others: Sequence[float | int], digits: int | None, theirs: int | None
) -> str:
    """Return a value with enough digits to lie, as it is shown, on its own side of others as they are shown.

    The others are sorted, and shown with `theirs` digits.

    >>> x = Column("x", "number")
    >>> text_beside(x, 0.25411909, [0.25411908], 6, 6), text_beside(x, 0.7891234567, [0.25411908], 6, 6)
    ('0.2541191', '0.789123')
    """
    if column.kind != "number" or not math.isfinite(value):
        return short_text(column, value, None)
    place = bisect_left(others, value)  # rounding keeps their order, so the nearest two decide
    below = -math.inf if place == 0 else rounded(others[place - 1], theirs)
    above = math.inf if place == len(others) else rounded(others[place], theirs)
    for tried in _digits_tried(column, digits):
        if below < rounded(float(value), tried) <= above:
            return short_text(column, value, tried)
    return short_text(column, value, None)


def texts_beside(
    column: Column, value: float | int, threshold: float | int, digits: int | None, theirs: int | None
) -> tuple[str, str]:
    """Return a value and a threshold, with enough digits for the one to lie on its side of the other.

    The threshold has at least `theirs`.

    >>> texts_beside(Column("x", "number"), 0.12345679012, 0.123456789565, 6, 6)
    ('0.1234567901', '0.1234567896')
    """
    for tried in _digits_tried(column, digits) if column.kind == "number" and theirs is not None else ():
        more = max(tried, theirs or tried)
        if (value <= threshold) is (rounded(float(value), tried) <= rounded(float(threshold), more)):
            return short_text(column, value, tried), short_text(column, threshold, more)
    return short_text(column, value, None), short_text(column, threshold, theirs)


def _digits_tried(column: Column, digits: int | None) -> Iterable[int]:
    if digits is None:
        return ()
    return range(digits, _MOST_DIGITS) if column.kind == "number" else (digits,)


def short_text(column: Column, value: float | int, digits: int | None) -> str:
    """Return a value of a column with so many digits; None means all.

    Integers and times are whole already; of times, fractions of a second and an hour of zero are left out.
    """
    text = value_text(column, value)
    if digits is None or column.kind == "integer" or column.levels is not None:
        return text
    return number_text(rounded(float(value), digits)) if column.kind == "number" else short_value(text)


def rounded(value: float, digits: int | None) -> float:
    """Return a number with so many digits, but at least one behind the point.

    >>> rounded(0.145584707397086, 6), rounded(1234567.5, 6), rounded(-2.6e-9, 1)
    (0.145585, 1234567.5, -3e-09)
    """
    if digits is None or value == 0 or not math.isfinite(value):
        return value
    behind = digits - 1 - math.floor(math.log10(abs(value)))
    return round(value, max(behind, 1))


def short_value(text: str) -> str:
    """Return the text of a number or a time with no more digits than a picture needs.

    >>> short_value("0.0562282892752646"), short_value("3.0598883311608e-06"), short_value("5003090796881990")
    ('0.0562283', '3.05989e-06', '5003090796881990')
    >>> short_value("2024-03-01T08:01:04.929859+00:00"), short_value("2024-03-01T00:00:00")
    ('2024-03-01T08:01:04+00:00', '2024-03-01')
    >>> short_value("2024-03-01T12:00:00")
    '2024-03-01T12:00'
    """
    if _NUMBER.fullmatch(text):
        return number_text(float(f"{float(text):.{DIGITS}g}"))
    return full_minute(_FRACTION.sub("", text))


def full_minute(text: str) -> str:
    """Return the text of an instant without a midnight, or seconds that are zero.

    >>> full_minute("2024-03-01T12:00:00"), full_minute("2024-03-01T12:00:00.5")
    ('2024-03-01T12:00', '2024-03-01T12:00:00.5')
    """
    return _FULL_MINUTE.sub("", _MIDNIGHT.sub("", text))
