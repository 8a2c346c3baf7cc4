"""The text of a file as blocks of UTF-8 bytes that hold whole lines, or whole rows where rows run over lines.

A byte-order mark is removed. What is not text in the encoding is refused with its line number.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Final, NamedTuple

from arboretum.cli.tables.files import Source
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
                "Hint: a quote may be open that is never closed; or this is no table."
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
        if separator is not None:
            _refuse_open_quote(kept, separator, line, source)
        yield Block(_checked(kept, line, source), line)


def _refuse_open_quote(data: bytes, separator: str, line: int, source: Source) -> None:
    """Refuse a quote that is never closed: it would swallow all rows that follow."""
    for quoted in quoted_pattern(separator).finditer(data):
        if not quoted["closed"]:
            raise DataError(
                f"{source.label}, line {line + count_lines(data[: quoted.start()])}: a quote is opened "
                "here and never closed.\nHint: close it, or double every quote that belongs to the text."
            )


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
    _refuse_other_marks(head, source)
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
            raise DataError(
                f"{source.label}, after line {line}: this is not {encoding} ({_fault(error)}).\n"
                "Hint: give another --encoding."
            ) from error
        if text and not begun:
            begun = True
            text = text.removeprefix("\ufeff")
        if text:
            data = text.encode("utf-8", "surrogatepass")
            line += count_lines(data)
            yield data


def _refuse_other_marks(piece: bytes, source: Source) -> None:
    for mark, encoding in _MARKS.items():
        if piece.startswith(mark):
            raise DataError(
                f"{source.label} begins with the mark of {encoding}, and is to be utf-8.\n"
                f"Hint: --encoding {encoding}."
            )


def _checked(data: bytes, line: int, source: Source) -> bytes:
    """Return the block, or refuse it if it holds a NUL or bytes that are not UTF-8."""
    nul = data.find(b"\0")
    if nul >= 0:
        raise DataError(
            f"{source.label}, line {line + count_lines(data[:nul])} holds a NUL byte, which is no text.\n"
            "Hint: give another --encoding, such as utf-16; or this is no text file."
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


def _fault(error: UnicodeError) -> str:
    return error.reason if isinstance(error, UnicodeDecodeError) else str(error)
