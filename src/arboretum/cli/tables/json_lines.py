"""JSON lines: one object per line, whose keys are the columns.

In a row without a key, the value is missing. Numbers, text, true and false stay what they are; in a column
that mixes them they become text. Nested lists and objects are refused; empty lines are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

import pyarrow as pa

from arboretum.cli.tables.cells import as_text
from arboretum.cli.tables.files import Source
from arboretum.cli.tables.table import Chunk, Scan, check_header
from arboretum.cli.tables.text_blocks import BLOCK_BYTES, Block, text_blocks
from arboretum.errors import DataError, listing

_LONGEST_INTEGER: Final = 400  # digits; beyond that no double holds the number either
_EXACT: Final = 2**53

Rows = list[dict[str, Any]]


def scan_json_lines(source: Source, *, encoding: str = "utf-8", size: int = BLOCK_BYTES) -> Scan:
    """Return the columns of the first block of objects, and the rows to come.

    A key that is not in the first block is refused, since a table in chunks has to know its columns. Blocks
    are large, so this is rare.
    """
    blocks = text_blocks(source, encoding, size=size)
    for block in blocks:
        rows, lines = _read_block(block, source.label)
        if not rows:
            continue
        names, notes = check_header(list(dict.fromkeys(key for row in rows for key in row)), source.label)
        if not names:
            break
        chunks = chain([_chunk(rows, lines, names, 0)], _chunks(blocks, names, source.label, len(rows)))
        return Scan(source.label, names, chunks, notes=notes)
    raise DataError(f"{source.label} holds no row with a column.\nHint: each line is one JSON object.")


def _chunks(blocks: Iterator[Block], names: list[str], label: str, n_rows: int) -> Iterator[Chunk]:
    known = set(names)
    for block in blocks:
        rows, lines = _read_block(block, label)
        for row, line in zip(rows, lines, strict=True):
            if not row.keys() <= known:
                new = [key for key in row if key not in known]
                raise DataError(
                    f"{label}, line {line} has the key {listing(new)}, which no row before it has.\n"
                    "Hint: give the first row all keys, with null where nothing is known."
                )
        if rows:
            yield _chunk(rows, lines, names, n_rows)
            n_rows += len(rows)


def _read_block(block: Block, label: str) -> tuple[Rows, list[int]]:
    rows: Rows = []
    lines: list[int] = []
    # Not splitlines(), which also breaks at characters that JSON allows inside text.
    text = block.data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    for line, written in enumerate(text.split("\n"), start=block.line):
        if written and not written.isspace():
            rows.append(_read_row(written, f"{label}, line {line}"))
            lines.append(line)
    return rows, lines


def _read_row(written: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(
            written, parse_int=_integer, parse_constant=_refuse_constant, object_pairs_hook=_object
        )
    except _RefusedError as error:
        raise DataError(f"{where} {error}.") from None
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise DataError(f"{where} is not JSON: {reason}.\nHint: each line is one JSON object.") from error
    if not isinstance(row, dict):
        raise DataError(
            f'{where} is JSON, but not an object.\nHint: write {{"column": value, …}} on each line.'
        )
    for key, value in row.items():
        if isinstance(value, list | dict):
            raise DataError(
                f"{where} holds a {'list' if isinstance(value, list) else 'nested object'} in {key!r}.\n"
                "Hint: spread nested values over several columns."
            )
    return row


class _RefusedError(ValueError):
    """Something that json.loads accepts."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _RefusedError(f"has the key {next(key for key in keys if keys.count(key) > 1)!r} twice")
    for text in (*row, *(value for value in row.values() if isinstance(value, str))):
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise _RefusedError("holds half of a surrogate pair, which is not text") from None
    return row


def _integer(digits: str) -> int | float:
    if len(digits) > _LONGEST_INTEGER:
        raise _RefusedError(f"holds a number of {len(digits):,} digits")
    return int(digits)


def _refuse_constant(word: str) -> None:
    raise _RefusedError(f"holds {word}, which is not JSON; write null")


def _chunk(rows: Rows, lines: list[int], names: list[str], first_row: int) -> Chunk:
    columns = {name: _column([row.get(name) for row in rows]) for name in names}
    return Chunk(pa.table(columns), first_row, lines.__getitem__, typed_cells=True)


def _column(cells: list[Any]) -> Any:
    """Return cells of one type as they are, and mixtures as text."""
    types = set(map(type, cells)) - {type(None)}
    if not types:
        return pa.array(cells, pa.string())
    if types in ({str}, {bool}):
        return pa.array(cells)
    if types == {int} and all(cell is None or -(2**63) <= cell < 2**63 for cell in cells):
        return pa.array(cells, pa.int64())
    if types == {float} or (
        types == {int, float}
        and all(cell is None or isinstance(cell, float) or abs(cell) <= _EXACT for cell in cells)
    ):
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    return pa.array(_texts(cells), pa.string())


def _texts(cells: list[Any]) -> list[str | None]:
    """Return cells as text; a number is spelt as in a column of numbers."""
    floats = pa.array([cell for cell in cells if isinstance(cell, float)], pa.float64())
    spelt = iter(as_text(floats, "").to_pylist())
    return [
        next(spelt) if isinstance(cell, float) else cell if isinstance(cell, str | None) else json.dumps(cell)
        for cell in cells
    ]
