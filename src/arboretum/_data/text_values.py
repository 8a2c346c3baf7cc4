"""What text is meant to be: whether a value of a text column is written like a number or like a date.

Nothing is converted here. A number with a leading zero (007) is no number but a code.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

_WHOLE: Final = r"(?:[1-9][0-9]{0,2}(?:[.,' ][0-9]{3})+|[1-9][0-9]*|0)"
_NUMBER: Final = re.compile(
    rf"[+-]?(?:{_WHOLE}(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?\s?%?", re.ASCII
)
_TIME: Final = (
    r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?\s?(?:[AaPp][Mm]|Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_YEAR_FIRST: Final = re.compile(rf"([0-9]{{4}})([-/.])([0-9]{{1,2}})\2([0-9]{{1,2}}){_TIME}", re.ASCII)
# Two digits are a year between strokes, but a version between points.
_YEAR_LAST: Final = re.compile(
    rf"([0-9]{{1,2}})(?:([-/])([0-9]{{1,2}})\2([0-9]{{4}}|[0-9]{{2}})|\.([0-9]{{1,2}})\.([0-9]{{4}})){_TIME}",
    re.ASCII,
)
_NAMED_MONTH: Final = re.compile(
    rf"(?:[0-9]{{1,2}}[ .-]{{1,2}}([A-Za-z]{{3,9}})[ .,-]{{1,2}}[0-9]{{2,4}}"
    rf"|([A-Za-z]{{3,9}})\.? [0-9]{{1,2}},? [0-9]{{4}}){_TIME}",
    re.ASCII,
)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def reads_as_number(text: str) -> bool:
    """Return whether a text is written like a number, with a decimal point or comma, or as a percentage.

    >>> [reads_as_number(text) for text in ("41", "-1,5", "1,234.5", "12 %", "007", "1.2.3", "n/a")]
    [True, True, True, True, False, False, False]
    """
    return _NUMBER.fullmatch(text.strip()) is not None


def reads_as_date(text: str) -> bool:
    """Return whether a text is written like a date, with or without a time of day.

    >>> [reads_as_date(text) for text in ("2024-03-01T14:30", "31/12/99", "3 Mar 2024", "1.2.10", "13/13/99")]
    [True, True, True, False, False]
    """
    text = text.strip()
    if found := _YEAR_FIRST.fullmatch(text):
        return _is_day(int(found[1]), int(found[3]), int(found[4]))
    if found := _YEAR_LAST.fullmatch(text):
        first, second = int(found[1]), int(found[3] or found[5])
        year = int(found[4] or found[6])
        return _is_day(year, second, first) or _is_day(year, first, second)
    found = _NAMED_MONTH.fullmatch(text)
    return found is not None and (found[1] or found[2])[:3].lower() in _MONTHS


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        dt.date(year or 2000, month, day)
    except ValueError:
        return False
    return True
