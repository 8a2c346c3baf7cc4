"""The text of a file in blocks of UTF-8 bytes that can be handled one after the other.

Words: a *block* holds whole lines, or whole rows where rows may run over lines; its *line* is the number of
its first line. A byte-order mark is taken off. What is no text in the encoding is refused with its line.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple

from arboretum.errors import DataError, ParameterError
from arboretum.tables.row_lexer import quoted_pattern
from arboretum.tables.streams import Source

__all__ = ["Block", "check_encoding", "row_blocks", "text_blocks"]

BLOCK_BYTES: Final = 8 << 20
# A row larger than this is a quote that nobody has closed, or no table.
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
    """Return the usual name of an encoding; refuse what is none, or none of text."""
    try:
        found = codecs.lookup(name)
        "a".encode(found.name)
    except (LookupError, UnicodeError, ValueError, TypeError):
        raise ParameterError(
            f"--encoding {name!r} is not known.\nHint: utf-8, utf-16, latin-1 and cp1252 are."
        ) from None
    return found.name


def text_blocks(source: Source, encoding: str = "utf-8", *, size: int = BLOCK_BYTES) -> Iterator[Block]:
    """Yield the text in blocks of whole lines."""
    return _cut(source, encoding, size, None)


def row_blocks(
    source: Source, separator: str, encoding: str = "utf-8", *, size: int = BLOCK_BYTES
) -> Iterator[Block]:
    """Yield the text in blocks of whole rows, whose quoted fields may run over several lines."""
    return _cut(source, encoding, size, separator)


def _cut(source: Source, encoding: str, size: int, separator: str | None) -> Iterator[Block]:
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
            # So that a long row is joined and searched a few times only, not once for every piece; but the
            # limit is looked at as soon as it is passed, whether or not the row ends before the next look.
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
    """Refuse a quote that is not closed at the end of the file: it would swallow all rows that follow."""
    for quoted in quoted_pattern(separator).finditer(data):
        if not quoted["closed"]:
            raise DataError(
                f"{source.label}, line {line + count_lines(data[: quoted.start()])}: a quote is opened "
                "here and never closed.\nHint: close it, or double every quote that belongs to the text."
            )


def count_lines(data: bytes) -> int:
    """Return how many lines end in the bytes: by a line feed, a carriage return, or both together."""
    returns = data.count(b"\r")
    return data.count(b"\n") + (returns - data.count(b"\r\n") if returns else 0)


def _end_of_rows(data: bytes, separator: str | None) -> int:
    """Return where the last whole row ends; 0 if there is none."""
    # A carriage return at the very end may be one half of a line end.
    limit = len(data) - 1 if data.endswith(b"\r") else len(data)
    if separator is None or b'"' not in data:
        return _last_end(data, 0, limit)
    end = after = 0
    for quoted in quoted_pattern(separator).finditer(data):
        end = _last_end(data, after, min(quoted.start(), limit)) or end
        after = quoted.end()
    # A quote at the very end may be the closing one, or half of a doubled one: no row ends behind it yet.
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
    """Return a block in which every byte is text; a NUL is none."""
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
