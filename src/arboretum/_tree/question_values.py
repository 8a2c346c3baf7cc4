"""The names, values and levels that questions are written with, and how they are read back.

A value is read to its stored form, the number that stands for it in memory. A threshold has two: `real` is
rounded down to a double and `floor` to an integer, since the core compares values of both types with it.
Whole questions are read in question_text.py.
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Final

import numpy as np

from arboretum._data import Column
from arboretum._data.levels import level_text
from arboretum._data.times import NANOSECONDS
from arboretum._wording import did_you_mean, is_visible, visible_json
from arboretum.errors import ParameterError, listing

TIMES: Final = "\N{MIDDLE DOT}"
MINUS: Final = "\N{MINUS SIGN}"
EVERY_LEVEL: Final = "?"  # "colour = ?" has a branch for each level
OR_MISSING: Final = " or missing"  # rows whose value is missing go with those for which the text holds
NOT_MISSING: Final = ", not missing"  # or with the others

_NUMBER: Final = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?inf")
_CLOCK: Final = r"([0-9]+):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,9}))?)?"
_INSTANT: Final = re.compile(
    rf"([-+]?[0-9]+-[0-9]{{2}}-[0-9]{{2}})(?:[T ](?=(?:[01][0-9]|2[0-3]):){_CLOCK})?"
    r"(Z|[-+][0-9]{2}:[0-5][0-9])?"
)
_DURATION: Final = re.compile(rf"(-?)(?:([0-9]+) days?(?: (?=[0-9]))?)?(?:{_CLOCK})?")
_LOWEST: Final = -(2**63)
_HIGHEST: Final = 2**63 - 1
_NO_HALVES: Final = 2**51  # from here on thresholds of integers are whole, as the core makes them
_FAR: Final = Decimal(2**70)  # beyond what any column can hold
_SHORTENED: Final = re.compile(r"… [0-9]+ more")
_AMBIGUOUS: Final = frozenset(',{}"')
_LIKE_A_SUM: Final = re.compile(rf"[-+{MINUS}]?\s*[0-9.]+(?:[eE][-+]?[0-9]+)?\s*[{TIMES}*]")
_SIGNS: Final = re.compile(rf"[{TIMES}*+{MINUS}<>=!\[\]]|-\s*[0-9.]")


def quote(name: str) -> str:
    r"""Return the name of a column or level as it stands in a question: quoted where it could be misread.

    >>> print(quote("red"), quote("a, b"), quote(""), quote("missing"), quote("\x1b[31m"))
    red "a, b" "" "missing" "\u001b[31m"
    """
    clear = name and name == name.strip() and not _AMBIGUOUS & set(name) and not _LIKE_A_SUM.match(name)
    if clear and name not in ("missing", EVERY_LEVEL) and not name.endswith(OR_MISSING) and is_visible(name):
        return name
    return _quoted(name)


def quote_inside(name: str) -> str:
    """Return the name of a column or level for a composite question, in which signs have a meaning.

    >>> print(quote_inside("petal length (cm)"), quote_inside("a = b"), quote_inside("t-1"))
    petal length (cm) "a = b" "t-1"
    """
    return _quoted(name) if _SIGNS.search(name) else quote(name)


def _quoted(name: str) -> str:
    """Return a name in quotes as JSON writes it, so that it can be read back and is safe to print."""
    return visible_json(json.dumps(name, ensure_ascii=False))


def value_text(column: Column, value: float) -> str:
    """Return a threshold or level number, in stored form, as it stands in a question."""
    text = column.format(value)
    return text if column.levels is None else quote(text)


def read_threshold(column: Column, text: str) -> tuple[float, int]:
    """Return a threshold of a column that has an order, in both stored forms.

    >>> read_threshold(Column("size", "ordered", levels=("small", "large")), "large")
    (1.0, 1)
    """
    if column.kind != "ordered":
        return read_value(column, text)
    (number,) = read_levels(column, [text])
    return float(number), number


def read_value(column: Column, text: str) -> tuple[float, int]:
    """Return a threshold of a column without levels in both stored forms.

    >>> read_value(Column("age", "integer"), "41.5")
    (41.5, 41)
    >>> read_value(Column("stay", "duration", unit="s"), "1 day 00:00:01")
    (86401.0, 86401)
    """
    match column.kind:
        case "number":
            real = float(_number(column, text)) + 0.0  # 0.0 for both zeros
            return real, floor_of(real)
        case "integer":
            return _read_integer(column, text)
        case "datetime":
            return _whole(column, text, _instant_nanoseconds(column, text))
        case _:
            return _whole(column, text, _duration_nanoseconds(column, text))


def _refusal(column: Column, text: str, example: str) -> ParameterError:
    return ParameterError(
        f"The value {text!r} for column {column.name!r} of kind {column.kind!r} cannot be read; "
        f"write it as {example}."
    )


def _number(column: Column, text: str) -> str:
    if not _NUMBER.fullmatch(text):
        raise _refusal(column, text, "2.5, -3 or 1e6")
    return text


def floor_of(real: float) -> int:
    """Return a threshold rounded down to an integer that the core can hold.

    Below -2**63 it holds none: the core sees from the real form that no integer is at most the threshold.
    """
    if real >= 2.0**63:
        return _HIGHEST
    return _LOWEST if real < -(2.0**63) else math.floor(real)


def _read_integer(column: Column, text: str) -> tuple[float, int]:
    """Return the threshold of an integer column, exactly even where a double could not hold it."""
    number = min(_FAR, max(-_FAR, Decimal(_number(column, text))))
    stored = number - column.offset
    if abs(stored) < _NO_HALVES:
        real = float(stored) + 0.0
        return real, math.floor(real)
    if stored < _LOWEST:  # no integer is at most that, and the lowest would be
        raise ParameterError(f"The value {text!r} is beyond what column {column.name!r} can hold.")
    return _both_forms(min(_HIGHEST, math.floor(stored)))


def _both_forms(floor: int) -> tuple[float, int]:
    """Return a whole threshold, and the largest double that is not above it."""
    real = float(floor)
    return (math.nextafter(real, -math.inf) if real > floor else real), floor


def _whole(column: Column, text: str, nanoseconds: int) -> tuple[float, int]:
    """Return whole units, rounded down: the column holds whole units, so no answer changes."""
    count = nanoseconds // NANOSECONDS[str(column.unit)]
    if not _LOWEST < count <= _HIGHEST:  # the lowest stands for a time that is missing
        raise ParameterError(f"The value {text!r} is beyond what column {column.name!r} can hold.")
    return _both_forms(count)


def _instant_nanoseconds(column: Column, text: str) -> int:
    found = _INSTANT.fullmatch(text)
    aware = column.timezone is not None
    example = "2024-03-01T14:30:00+00:00" if aware else "2024-03-01 or 2024-03-01T14:30:00"
    if not found or (found[6] is not None) != aware:
        raise _refusal(column, text, example)
    try:
        days = int(np.datetime64(found[1], "D").astype(np.int64))
    except (ValueError, OverflowError) as error:
        raise _refusal(column, text, example) from error
    return (
        days * NANOSECONDS["D"] + _clock_nanoseconds(*found.group(2, 3, 4, 5)) - _zone_nanoseconds(found[6])
    )


def _zone_nanoseconds(zone: str | None) -> int:
    if zone in (None, "Z"):
        return 0
    hours, minutes = map(int, str(zone)[1:].split(":"))
    return (-1 if str(zone)[0] == "-" else 1) * (hours * 60 + minutes) * 60 * NANOSECONDS["s"]


def _duration_nanoseconds(column: Column, text: str) -> int:
    found = _DURATION.fullmatch(text)
    if not found or (found[2] is None and found[3] is None):
        raise _refusal(column, text, "3 days, 04:05:06.5 or 3 days 04:05:06")
    length = int(found[2] or 0) * NANOSECONDS["D"] + _clock_nanoseconds(*found.group(3, 4, 5, 6))
    return -length if found[1] else length


def _clock_nanoseconds(
    hours: str | None, minutes: str | None, seconds: str | None, fraction: str | None
) -> int:
    whole = (int(hours or 0) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)
    return whole * NANOSECONDS["s"] + int((fraction or "0").ljust(9, "0"))


def split_at_commas(text: str, part: re.Pattern[str]) -> tuple[list[str], str | None]:
    """Return the parts of a list and None, or the parts up to a rest that cannot be read.

    `part` matches one part and what follows it, a comma or the end; it decides what quotes protect.
    """
    parts: list[str] = []
    place = 0
    while found := part.match(text, place):
        parts.append(found[1].strip())
        place = found.end()
        if not found[2]:
            return parts, None
    return parts, text[place:].strip()


def read_levels(column: Column, names: list[str]) -> list[int]:
    """Return the numbers of the levels with these names, which may stand in quotes."""
    known: dict[str, list[int]] = {}
    for number, level in enumerate(column.levels or ()):
        known.setdefault(level_text(level), []).append(number)
    return [_level_number(column, name, known) for name in names]


def _level_number(column: Column, text: str, known: dict[str, list[int]]) -> int:
    name = _unquoted(column, text) if text.startswith('"') else text
    numbers = known.get(name, [])
    if len(numbers) == 1:
        return numbers[0]
    if numbers:
        raise ParameterError(
            f"Column {column.name!r} has {len(numbers)} levels that read {name!r}, so that a question about "
            "them cannot be written down.\nHint: make the levels text before fitting."
        )
    if _SHORTENED.fullmatch(text):
        raise ParameterError(
            f"The question about column {column.name!r} was shortened for printing: {text!r} stands for "
            "levels that are not named.\nHint: name them all, or give the question itself, as node.question."
        )
    raise ParameterError(
        f"Column {column.name!r} has no level {name!r}; its levels are {listing(list(known), 10)}."
        f"{did_you_mean(name, known)}"
    )


def _unquoted(column: Column, text: str) -> str:
    try:
        name = json.loads(text)
    except ValueError as error:
        raise ParameterError(
            f"The level {text} of column {column.name!r} cannot be read: its quotes do not close."
        ) from error
    return str(name)
