"""ARFF, the format of Weka: declared columns, then rows of values, full or sparse.

A sparse row, in braces, lists places and values; what it leaves out is 0 or the first level, and a missing
value for a string. `?` is a missing value. A level that is not declared, a number that is none and a date of
another pattern are refused with their line; so are weights of rows and relational attributes.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import pyarrow as pa

from arboretum._wording import many
from arboretum.cli.tables.cells import as_number
from arboretum.cli.tables.files import Source
from arboretum.cli.tables.table import Chunk, Scan, check_header
from arboretum.cli.tables.text_blocks import BLOCK_BYTES, text_blocks
from arboretum.errors import DataError, listing

ISO_PATTERN: Final = "%Y-%m-%dT%H:%M:%S"
_ISO_IN_JAVA: Final = "yyyy-MM-dd'T'HH:mm:ss"
_QUOTED: Final = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_NAME: Final = re.compile(rf"\s*({_QUOTED}|[^\s{{]+)\s*(.*)\Z", re.DOTALL)
_LEVEL: Final = re.compile(rf"\s*({_QUOTED}|[^,{{}}'\"]*?)\s*(,|\Z)", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r"}
_NUMERIC: Final = ("numeric", "real", "integer")
# Java's letters, and Python's.
_LETTERS: Final = {"yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S", "SSS": "%f"}
_PATTERN: Final = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")


@dataclass(frozen=True)
class Attribute:
    """A declared column: `kind` is numeric, nominal, string or date; `pattern` is that of `strptime`."""

    name: str
    kind: str
    levels: tuple[str, ...] | None = None
    pattern: str | None = None


def is_comment(line: str) -> bool:
    """Return whether a line is empty, or begins with a per cent sign."""
    stripped = line.strip()
    return not stripped or stripped.startswith("%")


def unquote(text: str) -> str:
    """Return a value without its quotes and escapes."""
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
    """Return the column that is declared after the word @attribute."""
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
        raise DataError(f"{where}: a level of {name!r} is empty, or declared twice.")
    return tuple(levels)


def _translate(name: str, pattern: str, where: str) -> str | None:
    """Return a Java date pattern as a Python one; None is the default, ISO 8601."""
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


_CHUNK_ROWS: Final = 50_000
_VALUE: Final = re.compile(
    r"""[ \t]*('(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|[^,\t'"{}]*+)[ \t]*(,|\t|\Z)""", re.DOTALL
)
_SPARSE: Final = re.compile(
    r"""\s*([0-9]{1,9})\s+('(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|[^,\s'"{}]++)\s*(,|\Z)""", re.DOTALL
)
_MISSING: Final = "?"
_ARROW_TYPES: Final = {"numeric": pa.float64(), "date": pa.timestamp("us")}

Lines = Iterator[tuple[int, str]]


def scan_arff(source: Source, *, encoding: str = "utf-8", size: int = BLOCK_BYTES) -> Scan:
    """Return the declared columns and the rows."""
    lines = _lines(source, encoding, size)
    attributes = _read_header(lines, source.label)
    names, notes = check_header([attribute.name for attribute in attributes], source.label)
    levels = {
        name: attribute.levels
        for name, attribute in zip(names, attributes, strict=True)
        if attribute.levels is not None
    }
    return Scan(source.label, names, _chunks(lines, attributes, names, source.label), levels, notes)


def _lines(source: Source, encoding: str, size: int) -> Lines:
    for block in text_blocks(source, encoding, size=size):
        text = block.data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        for line, written in enumerate(text.split("\n"), start=block.line):
            if not is_comment(written):
                yield line, written.strip(" \t\f\v")


def _read_header(lines: Lines, label: str) -> list[Attribute]:
    attributes: list[Attribute] = []
    for line, written in lines:
        where = f"{label}, line {line}"
        word, *_ = written.replace("\t", " ").partition(" ")
        match word.lower():
            case "@relation":
                pass
            case "@attribute":
                attributes.append(read_attribute(written[len(word) :], where))
            case "@data":
                if attributes:
                    return attributes
                break
            case _:
                raise DataError(
                    f"{where}: {written[:40]!r} is not part of an ARFF header; known are @relation, "
                    "@attribute and @data."
                )
    if not attributes:
        raise DataError(f"{label} declares no @attribute before its @data.")
    raise DataError(f"{label} has no @data.")


def _chunks(lines: Lines, attributes: list[Attribute], names: list[str], label: str) -> Iterator[Chunk]:
    readers = [_reader(attribute) for attribute in attributes]
    n_rows = 0
    while True:
        rows: list[list[Any]] = []
        places: list[int] = []
        for line, written in lines:
            cells = _read_cells(written, attributes, f"{label}, line {line}")
            each = zip(readers, cells, attributes, strict=True)
            rows.append([_read(read, cell, about, label, line) for read, cell, about in each])
            places.append(line)
            if len(rows) == _CHUNK_ROWS:
                break
        if not rows:
            return
        columns = [
            pa.array(values, _ARROW_TYPES.get(attribute.kind, pa.string()))
            for values, attribute in zip(zip(*rows, strict=True), attributes, strict=True)
        ]
        yield Chunk(pa.table(columns, names=names), n_rows, places.__getitem__)
        n_rows += len(rows)


def _read_cells(written: str, attributes: list[Attribute], where: str) -> list[str | None]:
    """Return one cell per attribute; None is a missing value."""
    if written.startswith("{"):
        return _read_sparse(written, attributes, where)
    cells: list[str | None] = []
    place = 0
    while True:
        found = _VALUE.match(written, place)
        if found is None:
            _refuse_weight(written[place:], where)
            raise DataError(f"{where}: a value cannot be read: {written[place:][:40]!r}.")
        cells.append(None if found[1] == _MISSING else unquote(found[1]))
        place = found.end()
        if found[2] == "":
            break
    if len(cells) != len(attributes):
        raise DataError(
            f"{where} has {many(len(cells), 'value')}, but {len(attributes)} attributes are declared."
        )
    return cells


def _read_sparse(written: str, attributes: list[Attribute], where: str) -> list[str | None]:
    end = written.rfind("}")
    tail = written[end + 1 :].strip() if end >= 0 else ""
    if end >= 0 and "}" in written[:end]:
        _refuse_weight(written[written.index("}") + 1 :].lstrip(", \t"), where)
    if end < 0 or tail:
        raise DataError(f"{where}: a sparse row ends with a closing brace.")
    inside = written[1:end]
    cells: list[str | None] = [_left_out(attribute) for attribute in attributes]
    seen: set[int] = set()
    place = 0
    while inside.strip():
        found = _SPARSE.match(inside, place)
        if found is None:
            raise DataError(f"{where}: the sparse row cannot be read after {inside[:place][-20:]!r}.")
        at = int(found[1])
        if at >= len(attributes) or at in seen:
            what = "is there twice" if at in seen else f"is beyond the {len(attributes)} attributes"
            raise DataError(f"{where}: the place {at} of the sparse row {what} (the first is 0).")
        seen.add(at)
        cells[at] = None if found[2] == _MISSING else unquote(found[2])
        place = found.end()
        if found[3] == "":
            break
    return cells


def _left_out(attribute: Attribute) -> str | None:
    """Return the value that a sparse row leaves out; unknown for a string."""
    if attribute.kind == "numeric":
        return "0"
    if attribute.kind == "nominal" and attribute.levels:
        return attribute.levels[0]
    if attribute.kind == "date":
        return dt.datetime(1970, 1, 1).strftime(attribute.pattern or ISO_PATTERN)
    return None


def _refuse_weight(rest: str, where: str) -> None:
    if rest.strip().startswith("{"):
        raise DataError(
            f"{where} gives its row a weight, {rest.strip()[:20]!r}.\nHint: make the weights a "
            "column of their own, and name it with --weights."
        )


def _read(read: Any, cell: str | None, attribute: Attribute, label: str, line: int) -> Any:
    if cell is None:
        return None
    try:
        return read(cell)
    except (KeyError, ValueError, OverflowError):
        raise _undeclared(cell, attribute, f"{label}, line {line}") from None


def _undeclared(cell: str, attribute: Attribute, where: str) -> DataError:
    shown = repr(cell if len(cell) <= 40 else f"{cell[:37]}…")
    if attribute.kind == "numeric":
        return DataError(f"{where}: {attribute.name!r} is declared numeric, but holds {shown}.")
    wrong = f"not a date of the form {attribute.pattern or _ISO_IN_JAVA}"
    if attribute.kind == "nominal":
        wrong = f"not among its declared levels {listing(attribute.levels or ())}"
    return DataError(f"{where}: {attribute.name!r} holds {shown}, which is {wrong}.")


def _reader(attribute: Attribute) -> Any:
    """Return a function that turns a cell into a value, or raises."""
    match attribute.kind:
        case "numeric":
            return as_number
        case "nominal":
            return {level: level for level in attribute.levels or ()}.__getitem__
        case "date":
            return _date_reader(attribute.pattern)
        case _:
            return str


@cache
def _date_reader(pattern: str | None) -> Any:
    def read(cell: str) -> dt.datetime:
        found = dt.datetime.fromisoformat(cell) if pattern is None else dt.datetime.strptime(cell, pattern)
        if found.tzinfo is not None:
            raise ValueError("ARFF dates have no time zone")
        return found

    return read
