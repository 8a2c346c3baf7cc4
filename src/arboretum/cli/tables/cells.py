"""What the text of a cell may mean: a number, a date, or a missing value. Spaces around it do not count.

A number has digits, a decimal mark, a sign and an exponent, or is an infinity ("inf", "-Infinity"). Words
such as "nan", digits of other scripts, hexadecimal numbers and thousands separators are text. A number
without mark and exponent is an integer, kept to the last digit.

A date is 2024-03-01; an instant has a time as well, 2024-03-01T14:30 or with a space for the T, optionally
with seconds and fractions, and is aware if it ends in Z or an offset. Aware instants become UTC.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

_NUMBER: Final = (
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?[iI][nN][fF](?:[iI][nN][iI][tT][yY])?"
)
_NUMBER_PATTERN: Final = re.compile(_NUMBER)
_INTEGER: Final = r"^[+-]?[0-9]+$"
SPACES: Final = " \t"


def as_number(cell: str) -> float:
    """Return a cell as a number, or raise a ValueError."""
    text = cell.strip(SPACES)
    if _NUMBER_PATTERN.fullmatch(text) is None:
        raise ValueError(cell)
    return float(text)


def trim(cells: Any) -> Any:
    """Return cells without the spaces around them."""
    return pc.utf8_trim(cells, characters=SPACES)


def parse_numbers(cells: Any, decimal: str = ".", *, integers: bool = True) -> Any | None:
    """Return a column of numbers, integers if all are; None if a cell is not a number. Nulls stay."""
    texts = _with_points(trim(cells), decimal)
    if texts is None:
        return None
    if integers and pc.all(pc.match_substring_regex(texts, _INTEGER), min_count=0).as_py():
        plain = pc.replace_substring_regex(texts, r"^\+", "")
        for kind in (pa.int64(), pa.uint64()):
            try:
                return plain.cast(kind)
            except pa.ArrowInvalid:
                continue
    try:
        numbers = texts.cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    # "nan" is the only other text that Arrow reads as a number.
    return None if pc.any(pc.is_nan(numbers), min_count=0).as_py() else numbers


def first_not_number(cells: Any, decimal: str = ".") -> int | None:
    """Return the index of the first cell that is not a number; None if all are."""
    place = pc.index(pc.fill_null(are_numbers(cells, decimal), True), False).as_py()
    return None if place < 0 else int(place)


def are_numbers(cells: Any, decimal: str = ".") -> Any:
    """Return for each cell whether it is a number; null where it is missing."""
    written = _NUMBER.replace(r"\.", ",") if decimal == "," else _NUMBER
    return pc.match_substring_regex(trim(cells), rf"^(?:{written})$")


def _with_points(texts: Any, decimal: str) -> Any | None:
    """Return texts with points for decimal commas; None if one has a point already."""
    if decimal == ".":
        return texts
    if pc.any(pc.match_substring(texts, "."), min_count=0).as_py():
        return None
    return pc.replace_substring(texts, ",", ".")


_DATE: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME: Final = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.([0-9]{1,9}))?)?"
_ZONE: Final = r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
_FINE: Final = r"\.[0-9]{7,9}"
# 31.12.2024 and 12/31/24, 2024/12/31, 31 Dec 2024; a time may follow.
_ODD: Final = (
    r"^(?:[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{4}|[0-9]{2})"
    r"|[0-9]{4}[./][0-9]{1,2}[./][0-9]{1,2}"
    r"|[0-9]{1,2}[ -][A-Za-z]{3,9}[ -][0-9]{2,4})(?:[ T].*)?$"
)


def parse_dates(cells: Any) -> Any | None:
    """Return a column of dates, or of instants if some have a time; None if a cell is neither.

    Instants with and without a time zone cannot be mixed.
    """
    texts = trim(cells)
    if _all(texts, rf"^{_DATE}$"):
        return _cast(texts, pa.date32())
    if _all(texts, rf"^{_DATE}(?:{_TIME})?$"):
        unit = "ns" if pc.any(pc.match_substring_regex(texts, _FINE), min_count=0).as_py() else "us"
        return _cast(texts, pa.timestamp(unit))
    if _all(texts, rf"^{_DATE}{_TIME}{_ZONE}$"):
        unit = "ns" if pc.any(pc.match_substring_regex(texts, _FINE), min_count=0).as_py() else "us"
        return _cast(texts, pa.timestamp(unit, "UTC"))
    return None


def looks_like_odd_dates(cells: Any) -> bool:
    """Return whether all cells look like dates of another form, such as 31.12.2024."""
    return _all(trim(cells), _ODD)


def _all(texts: Any, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, pattern), min_count=1).as_py())


def _cast(texts: Any, kind: Any) -> Any | None:
    try:
        return texts.cast(kind)
    except pa.ArrowInvalid:
        return None


TOKENS: Final = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")


def parse_tokens(written: str | None) -> tuple[str, ...]:
    """Return the tokens, the texts that mean a missing value, in a list with commas; None is the default.

    >>> parse_tokens("NA,?,")
    ('NA', '?', '')
    """
    return TOKENS if written is None else tuple(dict.fromkeys(part.strip() for part in written.split(",")))


def without_missing(cells: Any, tokens: Sequence[str], levels: Sequence[object] = ()) -> Any:
    """Return the cells with null in place of tokens; a cell that is one of the levels is not a token."""
    if not tokens:
        return cells
    is_token = _are_tokens(cells, tokens, levels)
    if not pc.any(is_token, min_count=0).as_py():
        return cells
    return pc.if_else(is_token, pa.scalar(None, pa.string()), cells)


def count_tokens(cells: Any, tokens: Sequence[str], levels: Sequence[object] = ()) -> dict[str, int]:
    """Return how often each token occurs among the cells."""
    found = trim(cells.filter(_are_tokens(cells, tokens, levels))).value_counts()
    return {str(entry["values"]): int(entry["counts"]) for entry in found.to_pylist()}


def _are_tokens(cells: Any, tokens: Sequence[str], levels: Sequence[object]) -> Any:
    """Return for each cell whether it is a token, and not exactly a level."""
    found = pc.is_in(trim(cells), value_set=pa.array(tokens, pa.string()))
    texts = [level for level in levels if isinstance(level, str)]
    if not texts:
        return found
    return pc.and_not(found, pc.is_in(cells, value_set=pa.array(texts, pa.string())))
