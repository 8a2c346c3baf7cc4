"""The head of an ARFF file: the relation, and the attributes that declare the columns.

Words: an *attribute* is a column with its declared type: numeric, nominal with its levels, string or date.
A date has a *pattern* in Java's letters, which is translated. Relational attributes are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from arboretum.errors import DataError

__all__ = ["ISO_PATTERN", "Attribute", "is_comment", "read_attribute", "unquote"]

ISO_PATTERN: Final = "%Y-%m-%dT%H:%M:%S"
_QUOTED: Final = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_NAME: Final = re.compile(rf"\s*({_QUOTED}|[^\s{{]+)\s*(.*)\Z", re.DOTALL)
_LEVEL: Final = re.compile(rf"\s*({_QUOTED}|[^,{{}}'\"]*?)\s*(,|\Z)", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r"}
_NUMERIC: Final = ("numeric", "real", "integer")
# Java's letters, the longer ones first, and what Python calls them.
_LETTERS: Final = {
    "yyyy": "%Y",
    "MM": "%m",
    "dd": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%f",
}
_PATTERN: Final = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")


@dataclass(frozen=True)
class Attribute:
    """A declared column: `kind` is numeric, nominal, string or date; `pattern` is that of `strptime`."""

    name: str
    kind: str
    levels: tuple[str, ...] | None = None
    pattern: str | None = None


def is_comment(line: str) -> bool:
    """Tell whether a line says nothing: it is empty, or begins with a per cent sign."""
    stripped = line.strip()
    return not stripped or stripped.startswith("%")


def unquote(text: str) -> str:
    """Return a value without its quotes, and what its backslashes stand for."""
    if len(text) >= 2 and text[0] in "'\"" and text[-1] == text[0]:
        return _ESCAPE.sub(_unescape, text[1:-1])
    return text


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) == 5:
        sign = chr(int(code[1:], 16))
        return found[0] if 0xD800 <= ord(sign) <= 0xDFFF else sign
    return _ESCAPES.get(code, code)


def read_attribute(declared: str, where: str) -> Attribute:
    """Return the column that stands behind the word @attribute."""
    found = _NAME.match(declared)
    if found is None or not found[2].strip():
        raise DataError(f"{where}: @attribute needs a name and a type.\nHint: @attribute size numeric.")
    name, kind = unquote(found[1]), found[2].strip()
    if kind.startswith("{"):
        return Attribute(name, "nominal", levels=_read_levels(name, kind, where))
    word, _, rest = kind.partition(" ")
    word = word.lower()
    if word == "date":
        return Attribute(name, "date", pattern=_translate(name, unquote(rest.strip()), where))
    if word in _NUMERIC or word == "string":
        if rest.strip() and not rest.strip().startswith(("[", "%")):
            raise DataError(f"{where}: {rest.strip()[:40]!r} follows the type of the attribute {name!r}.")
        return Attribute(name, "string" if word == "string" else "numeric")
    raise DataError(
        f"{where}: the attribute {name!r} is of type {word[:40]!r}; known are numeric, real, integer, "
        "string, date and {levels}."
    )


def _read_levels(name: str, kind: str, where: str) -> tuple[str, ...]:
    end = kind.rfind("}")
    if end < 0:
        raise DataError(f"{where}: the levels of {name!r} have no closing brace.")
    inside, place, levels = kind[1:end], 0, []
    while True:
        found = _LEVEL.match(inside, place)
        if found is None:
            raise DataError(f"{where}: the levels of {name!r} cannot be read after {inside[:place][-20:]!r}.")
        levels.append(unquote(found[1]))
        place = found.end()
        if found[2] == "":
            break
    if len(set(levels)) < len(levels) or "" in levels:
        raise DataError(f"{where}: a level of {name!r} is empty, or there twice.")
    return tuple(levels)


def _translate(name: str, pattern: str, where: str) -> str | None:
    """Return Java's pattern of a date as Python's; None is the usual one, ISO 8601."""
    if not pattern:
        return None
    parts = []
    for found in _PATTERN.finditer(pattern):
        part = found[0]
        if found[1] is not None:
            parts.append((found[1].replace("''", "'") or "'").replace("%", "%%"))
        elif found[2] is None:
            parts.append(part.replace("%", "%%"))
        elif part in _LETTERS and _LETTERS[part] not in parts:
            parts.append(_LETTERS[part])
        else:
            raise DataError(
                f"{where}: the date pattern {pattern!r} of {name!r} has {part!r}; known are "
                f"{', '.join(_LETTERS)}, each once, and quoted text."
            )
    return "".join(parts)
