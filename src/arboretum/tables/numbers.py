"""Cells that are numbers: which texts are one, and which.

Words: a number is written with digits, a decimal mark, a sign and an exponent, or is an infinity ("inf",
"-Infinity"); spaces around it do not count. Words such as "nan", digits of other scripts, hexadecimal
numbers and separators of thousands are text. Numbers without mark and exponent are integers, kept to the
last digit.
"""

from __future__ import annotations

import re
from typing import Any, Final

__all__ = ["are_numbers", "as_number", "first_not_number", "parse_numbers", "trim"]

_NUMBER: Final = (
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?[iI][nN][fF](?:[iI][nN][iI][tT][yY])?"
)
_NUMBER_PATTERN: Final = re.compile(_NUMBER)
_INTEGER: Final = r"^[+-]?[0-9]+$"
SPACES: Final = " \t"


def as_number(cell: str) -> float:
    """Return one cell as a number; a ValueError if it is none."""
    text = cell.strip(SPACES)
    if _NUMBER_PATTERN.fullmatch(text) is None:
        raise ValueError(cell)
    return float(text)


def trim(cells: Any) -> Any:
    """Return cells without the spaces around them."""
    import pyarrow.compute as pc

    return pc.utf8_trim(cells, characters=SPACES)


def parse_numbers(cells: Any, decimal: str = ".", *, integers: bool = True) -> Any | None:
    """Return a column of numbers, integers if all are; None if some cell is no number. Nulls stay."""
    import pyarrow as pa
    import pyarrow.compute as pc

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
    # Arrow reads "nan" as a number, and it is the only other thing that it does read.
    return None if pc.any(pc.is_nan(numbers), min_count=0).as_py() else numbers


def first_not_number(cells: Any, decimal: str = ".") -> int | None:
    """Return the place of the first cell that is no number; None if all are."""
    import pyarrow.compute as pc

    place = pc.index(pc.fill_null(are_numbers(cells, decimal), True), False).as_py()
    return None if place < 0 else int(place)


def are_numbers(cells: Any, decimal: str = ".") -> Any:
    """Return for each cell whether it is a number; null where it is missing."""
    import pyarrow.compute as pc

    written = _NUMBER.replace(r"\.", ",") if decimal == "," else _NUMBER
    return pc.match_substring_regex(trim(cells), rf"^(?:{written})$")


def _with_points(texts: Any, decimal: str) -> Any | None:
    """Return texts with points for decimal commas; None if some have a point already."""
    import pyarrow.compute as pc

    if decimal == ".":
        return texts
    if pc.any(pc.match_substring(texts, "."), min_count=0).as_py():
        return None
    return pc.replace_substring(texts, ",", ".")
