"""CSV and TSV: rows of fields, read by Arrow block by block, every cell as text.

A row with more or fewer fields than the header is refused with its line; empty lines are skipped.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pyarrow as pa
from pyarrow import csv

from arboretum._wording import many
from arboretum.cli.tables.files import Source
from arboretum.cli.tables.table import Chunk, Scan, check_header
from arboretum.cli.tables.text_blocks import BLOCK_BYTES, Block, count_lines, rows_of, text_blocks
from arboretum.errors import DataError, ParameterError


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
        _refuse_ragged(block, names, separator, label)
        raise DataError(f"{label}, after line {block.line}: {error}.") from error


def _refuse_ragged(block: Block, names: list[str], separator: str, label: str) -> None:
    for row in rows_of(block.data.decode("utf-8"), separator):
        found = len(row.fields)
        if found != len(names):
            raise DataError(
                f"{label}, line {block.line + row.line - 1} has {many(found, 'field')}, but "
                f"the table has {many(len(names), 'column')}.\n"
                "Hint: a field that holds the separator must be quoted; or give another --separator."
            )


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
