"""Rows and fields of delimited text, one by one: slow, exact, with line numbers.

Words: a *field* may be quoted, and then holds separators and line breaks; a doubled quote stands for one.
A quote inside an unquoted field is a character like any other, and what follows a closing quote belongs to
the field: the same rules as Arrow's reader, which reads the bulk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

__all__ = ["Row", "field_pattern", "quoted_pattern", "rows_of"]

_ENDS: Final = ("\n", "\r", "\r\n")


class Row(NamedTuple):
    """A row: the line of the text on which it begins, its fields, and where it ends."""

    line: int
    fields: list[str]
    end: int


@cache
def field_pattern(separator: str) -> re.Pattern[str]:
    """Return what finds one field and what ends it: a separator, a line end, or the end of the text."""
    plain = rf"[^{re.escape(separator)}\r\n]*+"
    quoted = r'"(?P<quoted>[^"]*+(?:""[^"]*+)*+)"?'
    return re.compile(
        rf"(?:{quoted}(?P<rest>{plain})|(?P<plain>{plain}))(?P<end>{re.escape(separator)}|\r\n|\r|\n|\Z)"
    )


@cache
def quoted_pattern(separator: str) -> re.Pattern[bytes]:
    """Return what finds quoted fields in bytes; the last one may lack its closing quote."""
    return re.compile(
        rb'(?:(?<=[\r\n%b])|\A)"[^"]*+(?:""[^"]*+)*+(?P<closed>"?)' % re.escape(separator.encode("ascii"))
    )


def rows_of(text: str, separator: str) -> Iterator[Row]:
    """Yield the rows of a text; empty lines are none."""
    pattern = field_pattern(separator)
    place, line = 0, 1
    while place < len(text):
        fields: list[str] = []
        begin, first_line = place, line
        while True:
            found = pattern.match(text, place)
            assert found is not None, "a field may be empty, so that one is always found"
            quoted = found["quoted"]
            if quoted is None:
                fields.append(found["plain"])
            else:
                fields.append(quoted.replace('""', '"') + found["rest"])
                line += len(_BREAK.findall(quoted))
            place, end = found.end(), found["end"]
            if end != separator:
                break
        if end in _ENDS:
            line += 1
        if place - begin > len(end) or (end == "" and begin < place):
            yield Row(first_line, fields, place)


_BREAK: Final = re.compile(r"\r\n|\r|\n")
