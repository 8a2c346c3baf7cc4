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

from arboretum.errors import DataError

_EXACT: Final = 2.0**53
_LONGEST_REASON: Final = 200
# The limit of an Arrow array of text. A dictionary may name one long text in every row.
_TEXT_BYTES: Final = 2**31 - 1


def is_text(column: Any) -> bool:
    """Return whether a column is text."""
    return _is_text_type(column.type)


def as_text(column: Any, name: str) -> Any:
    """Return a column of plain values as text, as in a CSV file.

    A number has one spelling, whatever the other values are: 1 is written 1 and not 1.0.
    """
    try:
        text = column.cast(pa.string())
        return _with_whole(column, text) if pa.types.is_floating(column.type) else text
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise no_column(column, name) from error


def decoded(column: Any, name: str) -> Any:
    """Return the values of a dictionary column; any other column as it is."""
    if not pa.types.is_dictionary(column.type):
        return column
    kind = column.type.value_type
    texts = _is_text_type(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    if not texts:
        try:
            return column.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise no_column(column, name) from error
    wanted = pa.string() if _is_text_type(kind) else kind
    return pa.chunked_array([_decoded_texts(chunk, wanted, name) for chunk in column.chunks], wanted)


def no_column(column: Any, name: str) -> DataError:
    """Return the error about a column whose type cannot be used."""
    return DataError(
        f"The column {name!r} holds {column.type}; a column holds numbers, text, true and false, dates or "
        f"durations.\nHint: leave the column out; fit does so with --drop {name}."
    )


def reason_of(error: Exception) -> str:
    """Return the first line of an Arrow error, shortened: it may quote much of a file."""
    line = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return line if len(line) <= _LONGEST_REASON else f"{line[: _LONGEST_REASON - 1]}…"


def _is_text_type(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _with_whole(column: Any, text: Any) -> Any:
    """Return floats as text, with those that are exact integers spelt as integers."""
    numbers = column.cast(pa.float64())
    is_whole = pc.and_(pc.less_equal(pc.abs(numbers), _EXACT), pc.equal(pc.trunc(numbers), numbers))
    whole = pc.if_else(is_whole, numbers, pa.scalar(0.0)).cast(pa.int64()).cast(pa.string())
    return pc.if_else(is_whole, whole, text)


def _decoded_texts(chunk: Any, kind: Any, name: str) -> Any:
    texts = chunk.dictionary.cast(kind)
    n_bytes = pc.sum(pc.binary_length(texts).take(chunk.indices)).as_py() or 0
    if n_bytes > _TEXT_BYTES:
        raise DataError(
            f"The column {name!r} holds {n_bytes:,} bytes of text in {len(chunk):,} rows, which is more than "
            "Arrow can hold.\nHint: leave the column out."
        )
    return texts.take(chunk.indices)


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
    unit = "ns" if pc.any(pc.match_substring_regex(texts, _FINE), min_count=0).as_py() else "us"
    if _all(texts, rf"^{_DATE}(?:{_TIME})?$"):
        return _cast(texts, pa.timestamp(unit))
    return _cast(texts, pa.timestamp(unit, "UTC")) if _all(texts, rf"^{_DATE}{_TIME}{_ZONE}$") else None


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
