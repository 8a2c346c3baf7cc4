"""Writing a table of any format, chunk by chunk, all or nothing.

A missing value is an empty field in CSV and TSV, `?` in ARFF, and null elsewhere. All chunks have the columns
of the first one.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from arboretum.cli.outputs import Format
from arboretum.cli.tables.cells import decoded, reason_of
from arboretum.cli.tables.files import open_draft
from arboretum.cli.tables.text_blocks import SEPARATORS
from arboretum.errors import DataError

Levels = Mapping[str, Sequence[str]]

_LARGEST: Final = 1.7976931348623157e308
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.+-]+")
_SPECIAL: Final = re.compile(r"[\\'\n\r\t]")
_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


@contextmanager
def open_writer(
    path: str, format: Format, *, separator: str | None = None, levels: Levels | None = None
) -> Iterator[Writer]:
    """Open a file for a table; `levels` are declared where the format can do so (ARFF)."""
    with open_draft(path, packed=format.packed) as file:
        writer = writer_to(file, format.name, separator=separator, levels=levels)
        yield writer
        writer.close()


def writer_to(
    file: IO[bytes], format: str, *, separator: str | None = None, levels: Levels | None = None
) -> Writer:
    """Return a writer of one format to an open file."""
    match format:
        case "csv" | "tsv":
            return _DelimitedWriter(file, separator or SEPARATORS[format])
        case "jsonl":
            return _JsonWriter(file)
        case "arff":
            return _ArffWriter(file, levels or {})
        case _:
            return _ArrowWriter(file, format)


def empty_table(names: Sequence[str]) -> Any:
    """Return a table without rows."""
    return pa.table({name: pa.array([], pa.string()) for name in names})


class Writer:
    """Writes the rows of a table, chunk by chunk."""

    def write(self, table: Any) -> None:
        """Append rows."""
        raise NotImplementedError

    def close(self) -> None:
        """Write what comes last."""


class _TextWriter(Writer, ABC):
    """A format of text: a header, then rows."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._begun = False

    def write(self, table: Any) -> None:
        if not self._begun:
            self._begun = True
            self._file.write(self._header(table).encode("utf-8"))
        if table.num_rows:
            self._file.write(self._rows(table))

    def _header(self, table: Any) -> str:
        return ""

    @abstractmethod
    def _rows(self, table: Any) -> bytes: ...


class _DelimitedWriter(_TextWriter):
    """CSV and TSV: fields are quoted where they must be."""

    def __init__(self, file: IO[bytes], separator: str) -> None:
        super().__init__(file)
        self._separator = separator
        self._special = rf'[{re.escape(separator)}"\r\n]'

    def _header(self, table: Any) -> str:
        return self._separator.join(map(self._quoted, table.column_names)) + "\n"

    def _quoted(self, text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if re.search(self._special, text) or not text else text

    def _rows(self, table: Any) -> bytes:
        """Return rows as bytes; Arrow joins the fields, and its own buffer is the file's text."""
        fields = [self._fields(column, name) for name, column in _columns(table)]
        if len(fields) == 1:  # an empty line would not be a row
            fields = [pc.if_else(pc.equal(fields[0], ""), pa.scalar('""'), fields[0])]
        lines = pc.binary_join_element_wise(*fields, self._separator)
        text = pc.binary_join_element_wise(lines, pa.scalar("\n"), "", null_handling="replace")
        parts = text.chunks if isinstance(text, pa.ChunkedArray) else [text]
        return b"".join(_bytes_of(part) for part in parts)

    def _fields(self, column: Any, name: str) -> Any:
        text = pc.fill_null(text_of(column, name), "")
        special = pc.match_substring_regex(text, self._special)
        if not pc.any(special).as_py():
            return text
        doubled = pc.replace_substring(text, '"', '""')
        return pc.if_else(special, pc.binary_join_element_wise('"', doubled, '"', ""), text)


def _columns(table: Any) -> Iterator[tuple[str, Any]]:
    """Yield the columns with their names, of which some may be equal."""
    return zip(table.column_names, table.columns, strict=True)


def text_of(column: Any, name: str) -> Any:
    """Return the values of a column as text; NaN is missing, and numbers have all their digits."""
    column = decoded(column, name)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DataError(
            f"The column {name!r} holds {column.type}, which cannot be written as text.\n"
            "Hint: leave it out, or write Parquet."
        ) from error


def _bytes_of(text: Any) -> bytes:
    """Return all texts of an Arrow array, one after the other."""
    _, offsets, data = text.buffers()
    if data is None:
        return b""
    places = np.frombuffer(offsets, dtype=np.int32)[text.offset : text.offset + len(text) + 1]
    return bytes(memoryview(data)[places[0] : places[-1]])


class _JsonWriter(_TextWriter):
    """JSON lines: one object per row; a missing value is null."""

    def _rows(self, table: Any) -> bytes:
        columns = [_json_values(column, name) for name, column in _columns(table)]
        rows = (dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True))
        text = "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
        return text.encode("utf-8")


def _json_values(column: Any, name: str) -> list[Any]:
    kind = column.type
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_string(kind):
        return list(column.to_pylist())
    if pa.types.is_floating(kind):
        # JSON has no infinities; as text they can be read back.
        return [
            value if value is None or abs(value) <= _LARGEST else None if value != value else str(value)
            for value in column.to_pylist()
        ]
    return list(text_of(column, name).to_pylist())


class _ArffWriter(_TextWriter):
    """ARFF: text is a string, unless its levels are declared; dates are ISO."""

    def __init__(self, file: IO[bytes], levels: Levels) -> None:
        super().__init__(file)
        self._levels = levels

    def _header(self, table: Any) -> str:
        declared = [
            f"@attribute {_arff_quoted(name)} {self._declaration(name, column.type)}\n"
            for name, column in _columns(table)
        ]
        return f"@relation table\n\n{''.join(declared)}\n@data\n"

    def _declaration(self, name: str, kind: Any) -> str:
        if name in self._levels:
            return "{" + ",".join(_arff_quoted(level) for level in self._levels[name]) + "}"
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            return "numeric"
        if pa.types.is_boolean(kind):
            return "{false,true}"
        return "date" if _is_plain_time(kind) else "string"

    def _rows(self, table: Any) -> bytes:
        columns = [self._cells(column, name) for name, column in _columns(table)]
        return "".join(",".join(row) + "\n" for row in zip(*columns, strict=True)).encode("utf-8")

    def _cells(self, column: Any, name: str) -> list[str]:
        if _is_plain_time(column.type):
            return ["?" if time is None else f'"{time.isoformat()}"' for time in _python_times(column, name)]
        spelt = str if self._declaration(name, column.type) == "numeric" else _arff_quoted
        return ["?" if cell is None else spelt(cell) for cell in text_of(column, name).to_pylist()]


def _is_plain_time(kind: Any) -> bool:
    return pa.types.is_date(kind) or (pa.types.is_timestamp(kind) and kind.tz is None)


def _python_times(column: Any, name: str) -> list[Any]:
    try:
        return list(column.cast(pa.timestamp("us")).to_pylist())
    except (pa.ArrowInvalid, OverflowError, ValueError) as error:
        raise DataError(
            f"The column {name!r} holds a time outside the years 1 to 9999, which ARFF cannot hold.\n"
            "Hint: leave the column out, or write Parquet."
        ) from error


def _arff_quoted(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    return "'" + _SPECIAL.sub(lambda found: _ESCAPES.get(found[0], f"\\{found[0]}"), text) + "'"


class _ArrowWriter(Writer):
    """Parquet and Arrow: columns keep the types of the first chunk."""

    def __init__(self, file: IO[bytes], format: str) -> None:
        self._file, self._format = file, format
        self._writer: Any = None
        self._schema: Any = None

    def write(self, table: Any) -> None:
        try:
            if self._writer is None:
                sink = pa.PythonFile(self._file, mode="w")
                open_writer = parquet.ParquetWriter if self._format == "parquet" else pa.ipc.new_file
                self._schema, self._writer = table.schema, open_writer(sink, table.schema)
            elif table.schema != self._schema:
                table = self._with_first_types(table)
            self._writer.write_table(table)
        except pa.ArrowException as error:
            raise DataError(f"The table cannot be written as {self._format}: {reason_of(error)}.") from error

    def _with_first_types(self, table: Any) -> Any:
        try:
            return table.cast(self._schema)
        except (pa.ArrowException, ValueError) as error:
            raise DataError(
                "Columns change their type from one part of the table to the next, which "
                f"{self._format} does not allow.\nHint: write JSON lines or CSV."
            ) from error

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
