"""The text of a file as blocks of UTF-8 bytes that hold whole lines, or whole rows where rows run over lines.

A byte-order mark is removed. What is not text in the encoding is refused with its line number.
"""

from __future__ import annotations

import codecs
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any, Final, NamedTuple

import pyarrow as pa
from pyarrow import csv

from arboretum._wording import many
from arboretum.cli.tables.files import Source
from arboretum.cli.tables.table import Chunk, Scan, check_header
from arboretum.errors import DataError, ParameterError

_ENDS: Final = ("\n", "\r", "\r\n")


class Row(NamedTuple):
    """A row: the line on which it begins, its fields, and where it ends in the text."""

    line: int
    fields: list[str]
    end: int


@cache
def field_pattern(separator: str) -> re.Pattern[str]:
    """Return a pattern for one field and what ends it: a separator, a line end, or the end of the text."""
    plain = rf"[^{re.escape(separator)}\r\n]*+"
    quoted = r'"(?P<quoted>[^"]*+(?:""[^"]*+)*+)"?'
    return re.compile(
        rf"(?:{quoted}(?P<rest>{plain})|(?P<plain>{plain}))(?P<end>{re.escape(separator)}|\r\n|\r|\n|\Z)"
    )


@cache
def quoted_pattern(separator: str) -> re.Pattern[bytes]:
    """Return a pattern for quoted fields in bytes; the last one may lack its closing quote."""
    return re.compile(
        rb'(?:(?<=[\r\n%b])|\A)"[^"]*+(?:""[^"]*+)*+(?P<closed>"?)' % re.escape(separator.encode("ascii"))
    )


def rows_of(text: str, separator: str) -> Iterator[Row]:
    """Yield the rows of delimited text, without empty lines: slow, exact, with line numbers.

    The rules are those of Arrow's reader, which reads the bulk: a quoted field may hold separators and line
    breaks, and a doubled quote stands for one; what follows a closing quote belongs to the field; a quote
    inside an unquoted field is an ordinary character.
    """
    pattern = field_pattern(separator)
    place, line = 0, 1
    while place < len(text):
        fields: list[str] = []
        begin, first_line = place, line
        while True:
            found = pattern.match(text, place)
            assert found is not None, "a field may be empty, so one is always found"
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


BLOCK_BYTES: Final = 8 << 20
# A larger row is due to an unclosed quote, or this is not a table.
LONGEST_ROW: Final = 256 << 20
_LONGEST_MARK: Final = 4
_MARKS: Final = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class Block(NamedTuple):
    """Some text as UTF-8 bytes, and the number of its first line in the file."""

    data: bytes
    line: int


def check_encoding(name: str) -> str:
    """Return the usual name of an encoding of text, or refuse it."""
    try:
        found = codecs.lookup(name)
        "a".encode(found.name)
    except (LookupError, UnicodeError, ValueError, TypeError):
        raise ParameterError(
            f"--encoding {name!r} is not known.\nHint: utf-8, utf-16, latin-1 and cp1252 are."
        ) from None
    return found.name


def text_blocks(
    source: Source, encoding: str = "utf-8", separator: str | None = None, *, size: int = BLOCK_BYTES
) -> Iterator[Block]:
    """Yield the text in blocks of whole lines, or of whole rows if there is a separator.

    Quoted fields of rows may run over several lines.
    """
    parts: list[bytes] = []
    held, line, wanted = 0, 1, size
    for piece in _pieces(source, encoding, size):
        parts.append(piece)
        held += len(piece)
        if held < wanted:
            continue
        kept = b"".join(parts)
        if held > LONGEST_ROW and _end_of_rows(kept[: LONGEST_ROW + 1], separator) == 0:
            raise DataError(
                f"{source.label}, line {line}: the row is longer than {LONGEST_ROW >> 20} MB.\n"
                "Hint: a quote may be open that is never closed; or this is not a table."
            )
        end = _end_of_rows(kept, separator)
        if end == 0:
            # Wait for twice as much, so that a long row is joined and searched a few times only, not once for
            # every piece; but look at the limit as soon as it is passed.
            parts, wanted = [kept], min(2 * held, LONGEST_ROW + 1)
            continue
        block, parts, wanted = kept[:end], [kept[end:]], size
        held -= end
        yield Block(_checked(block, line, source), line)
        line += count_lines(block)
    kept = b"".join(parts)
    if kept:
        for quoted in () if separator is None else quoted_pattern(separator).finditer(kept):
            if not quoted["closed"]:  # it would swallow all rows that follow
                raise DataError(
                    f"{source.label}, line {line + count_lines(kept[: quoted.start()])}: a quote is opened "
                    "here and never closed.\nHint: close it, or double every quote that belongs to the text."
                )
        yield Block(_checked(kept, line, source), line)


def count_lines(data: bytes) -> int:
    """Return how many lines end in the bytes, by a line feed, a carriage return, or both together."""
    returns = data.count(b"\r")
    return data.count(b"\n") + (returns - data.count(b"\r\n") if returns else 0)


def _end_of_rows(data: bytes, separator: str | None) -> int:
    """Return where the last whole row ends; 0 if there is none."""
    # A carriage return at the very end may be half of a line end.
    limit = len(data) - 1 if data.endswith(b"\r") else len(data)
    if separator is None or b'"' not in data:
        return _last_end(data, 0, limit)
    end = after = 0
    for quoted in quoted_pattern(separator).finditer(data):
        end = _last_end(data, after, min(quoted.start(), limit)) or end
        after = quoted.end()
    # A quote at the very end may close the field or be half of a doubled one: no row ends after it yet.
    return _last_end(data, after, limit) or end


def _last_end(data: bytes, begin: int, end: int) -> int:
    return max(data.rfind(b"\n", begin, end), data.rfind(b"\r", begin, end)) + 1


def _pieces(source: Source, encoding: str, size: int) -> Iterator[bytes]:
    """Yield the file as UTF-8 bytes, without its byte-order mark."""
    pieces = iter(lambda: source.read(size), b"")
    if encoding != "utf-8":
        yield from _decoded(pieces, encoding, source)
        return
    head = next(pieces, b"")
    while 0 < len(head) < _LONGEST_MARK and (more := source.read(size)):
        head += more
    for mark, other in _MARKS.items():
        if head.startswith(mark):
            raise DataError(
                f"{source.label} begins with the mark of {other}, and is to be utf-8.\n"
                f"Hint: --encoding {other}."
            )
    if head := head.removeprefix(codecs.BOM_UTF8):
        yield head
    yield from pieces


def _decoded(pieces: Iterator[bytes], encoding: str, source: Source) -> Iterator[bytes]:
    """Yield text of another encoding as UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line, begun = 1, False
    for piece in chain(pieces, [b""]):
        try:
            text = decoder.decode(piece, final=not piece)
        except UnicodeError as error:
            fault = getattr(error, "reason", error)
            raise DataError(
                f"{source.label}, after line {line}: this is not {encoding} ({fault}).\n"
                "Hint: give another --encoding."
            ) from error
        if text and not begun:
            begun = True
            text = text.removeprefix("\ufeff")
        if text:
            data = text.encode("utf-8", "surrogatepass")
            line += count_lines(data)
            yield data


def _checked(data: bytes, line: int, source: Source) -> bytes:
    """Return the block, or refuse it if it holds a NUL or bytes that are not UTF-8."""
    nul = data.find(b"\0")
    if nul >= 0:
        raise DataError(
            f"{source.label}, line {line + count_lines(data[:nul])} holds a NUL byte, which is not text.\n"
            "Hint: give another --encoding, such as utf-16; or this is not a text file."
        )
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            at = line + count_lines(data[: error.start])
            raise DataError(
                f"{source.label}, line {at} is not utf-8 (byte 0x{data[error.start]:02x}).\n"
                "Hint: give another --encoding, such as latin-1 or cp1252."
            ) from error
    return data


SEPARATORS: Final = {"csv": ",", "tsv": "\t"}


def check_separator(separator: str) -> str:
    """Return a separator of one ASCII character; `\\\\t` and `tab` are a tab."""
    found = {"\\t": "\t", "tab": "\t"}.get(separator, separator)
    if len(found) != 1 or not found.isascii() or found in '"\r\n\0':
        raise ParameterError(
            f"--separator {separator!r} is not allowed; give one character, such as ';', or 'tab'."
        )
    return found


def scan_delimited(
    source: Source,
    *,
    separator: str = ",",
    encoding: str = "utf-8",
    header: bool = True,
    size: int = BLOCK_BYTES,
) -> Scan:
    """Return the names of the columns, and the rows to come."""
    blocks = text_blocks(source, encoding, separator, size=size)
    for block in blocks:
        text = block.data.decode("utf-8")
        first = next(rows_of(text, separator), None)
        if first is None:
            continue  # only empty lines
        if not header:
            names = [f"x{place}" for place in range(len(first.fields))]
            return Scan(source.label, names, _chunks(chain([block], blocks), names, separator, source.label))
        names, notes = check_header(first.fields, source.label)
        head = text[: first.end].encode("utf-8")
        rest = Block(block.data[len(head) :], block.line + count_lines(head))
        rows = _chunks(chain([rest], blocks), names, separator, source.label)
        return Scan(source.label, names, rows, notes=notes)
    raise DataError(f"{source.label} is empty.\nHint: a table begins with a row of column names.")


def _chunks(blocks: Iterator[Block], names: list[str], separator: str, label: str) -> Iterator[Chunk]:
    n_rows = 0
    for block in blocks:
        if not block.data.strip(b"\r\n"):
            continue
        columns = _read_block(block, names, separator, label)
        yield Chunk(columns, n_rows, _Lines(block, separator, columns.num_rows).line_of)
        n_rows += columns.num_rows


def _read_block(block: Block, names: list[str], separator: str, label: str) -> Any:
    """Return the fields of a block as columns of text."""
    # Arrow would remove what looks like a byte-order mark at the beginning of every block.
    data = b"\n" + block.data if block.data.startswith(BOM_UTF8) else block.data
    try:
        return csv.read_csv(
            pa.BufferReader(data),
            # One block for Arrow too, so that rows that run over lines are never cut.
            read_options=csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
            parse_options=csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types={name: pa.string() for name in names},
                strings_can_be_null=False,
                quoted_strings_can_be_null=False,
                check_utf8=False,  # checked before, with its line
            ),
        )
    except pa.ArrowInvalid as error:
        for row in rows_of(block.data.decode("utf-8"), separator):
            if len(row.fields) != len(names):
                raise DataError(
                    f"{label}, line {block.line + row.line - 1} has {many(len(row.fields), 'field')}, but "
                    f"the table has {many(len(names), 'column')}.\n"
                    "Hint: a field that holds the separator must be quoted; or give another --separator."
                ) from None
        raise DataError(f"{label}, after line {block.line}: {error}.") from error


class _Lines:
    """The line of each row of a block: counted if every row is one line, otherwise looked up."""

    def __init__(self, block: Block, separator: str, n_rows: int) -> None:
        lines = count_lines(block.data) + (not block.data.endswith((b"\n", b"\r")))
        self._line = block.line
        self._block = None if lines == n_rows else block
        self._separator = separator

    def line_of(self, row: int) -> int:
        if self._block is None:
            return self._line + row
        rows = rows_of(self._block.data.decode("utf-8"), self._separator)
        return self._line + next(found.line for place, found in enumerate(rows) if place == row) - 1
