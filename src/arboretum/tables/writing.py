"""Writing a table of any format, chunk by chunk, all or nothing.

Words: a *writer* takes Arrow tables that all have the columns of the first one. Text is written as it is; a
missing value is an empty field in CSV and TSV, `?` in ARFF, null elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any, Final, Protocol

from arboretum.errors import DataError
from arboretum.tables.arrow_values import decoded, reason_of
from arboretum.tables.drafts import open_draft
from arboretum.tables.formats import Format

__all__ = ["Writer", "open_writer", "text_of", "writer_to"]


class Writer(Protocol):
    """Takes the rows of a table, chunk by chunk."""

    def write(self, table: Any) -> None:
        """Append rows."""

    def close(self) -> None:
        """Write what comes last."""


@contextmanager
def open_writer(
    path: str,
    format: Format,
    *,
    separator: str | None = None,
    levels: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[Writer]:
    """Open a file for a table; `levels` are declared where the format can do so (ARFF)."""
    with open_draft(path, packed=format.packed) as file:
        writer = writer_to(file, format.name, separator=separator, levels=levels)
        yield writer
        writer.close()


def writer_to(
    file: IO[bytes],
    format: str,
    *,
    separator: str | None = None,
    levels: Mapping[str, Sequence[str]] | None = None,
) -> Writer:
    """Return a writer of one format to an open file."""
    match format:
        case "csv":
            return _DelimitedWriter(file, separator or ",")
        case "tsv":
            return _DelimitedWriter(file, separator or "\t")
        case "jsonl":
            return _JsonWriter(file)
        case "arff":
            return _ArffWriter(file, levels or {})
        case _:
            return _ArrowWriter(file, format)


class _DelimitedWriter:
    """CSV and TSV: fields are quoted where they must be."""

    def __init__(self, file: IO[bytes], separator: str) -> None:
        self._file, self._separator = file, separator
        self._special = rf'[{re.escape(separator)}"\r\n]'
        self._begun = False

    def write(self, table: Any) -> None:
        if not self._begun:
            self._begun = True
            header = [self._quoted(name) for name in table.column_names]
            self._file.write((self._separator.join(header) + "\n").encode("utf-8"))
        if table.num_rows:
            self._file.write(self._rows(table))

    def close(self) -> None:
        pass

    def _quoted(self, text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if re.search(self._special, text) or not text else text

    def _rows(self, table: Any) -> bytes:
        """Return rows as bytes; Arrow joins the fields, and its own buffer is the file's text."""
        import pyarrow as pa
        import pyarrow.compute as pc

        fields = [self._fields(table.column(place), name) for place, name in enumerate(table.column_names)]
        if len(fields) == 1:  # an empty line would be no row
            fields = [pc.if_else(pc.equal(fields[0], ""), pa.scalar('""'), fields[0])]
        ends = pa.scalar("\n")
        text = pc.binary_join_element_wise(
            pc.binary_join_element_wise(*fields, self._separator), ends, "", null_handling="replace"
        )
        parts = text.chunks if isinstance(text, pa.ChunkedArray) else [text]
        return b"".join(_bytes_of(part) for part in parts)

    def _fields(self, column: Any, name: str) -> Any:
        import pyarrow.compute as pc

        text = pc.fill_null(text_of(column, name), "")
        special = pc.match_substring_regex(text, self._special)
        if not pc.any(special).as_py():
            return text
        doubled = pc.replace_substring(text, '"', '""')
        return pc.if_else(special, pc.binary_join_element_wise('"', doubled, '"', ""), text)


def text_of(column: Any, name: str) -> Any:
    """Return the values of a column as text; NaN is missing, and numbers have all their digits."""
    import pyarrow as pa
    import pyarrow.compute as pc

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
    import numpy as np

    _, offsets, data = text.buffers()
    if data is None:
        return b""
    places = np.frombuffer(offsets, dtype=np.int32)[text.offset : text.offset + len(text) + 1]
    return bytes(memoryview(data)[places[0] : places[-1]])


class _JsonWriter:
    """JSON lines: one object per row; what is missing is null."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, table: Any) -> None:
        names = table.column_names
        columns = [_json_values(table.column(place), name) for place, name in enumerate(names)]
        rows = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
        text = "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
        self._file.write(text.encode("utf-8"))

    def close(self) -> None:
        pass


def _json_values(column: Any, name: str) -> list[Any]:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_string(kind):
        return list(column.to_pylist())
    if pa.types.is_floating(kind):
        # JSON knows no infinities; as text they can be read back.
        return [
            value if value is None or abs(value) <= _LARGEST else None if value != value else str(value)
            for value in column.to_pylist()
        ]
    return list(text_of(column, name).to_pylist())


_LARGEST: Final = 1.7976931348623157e308


class _ArrowWriter:
    """Parquet and Arrow: columns keep their types, which are those of the first chunk."""

    def __init__(self, file: IO[bytes], format: str) -> None:
        self._file, self._format = file, format
        self._writer: Any = None

    def write(self, table: Any) -> None:
        import pyarrow as pa

        try:
            if self._writer is None:
                self._writer = self._open(table.schema)
            elif table.schema != self._writer.schema:
                table = self._fitted(table)
            self._writer.write_table(table)
        except pa.ArrowException as error:
            raise DataError(f"The table cannot be written as {self._format}: {reason_of(error)}.") from error

    def _fitted(self, table: Any) -> Any:
        import pyarrow as pa

        try:
            return table.cast(self._writer.schema)
        except (pa.ArrowException, ValueError) as error:
            raise DataError(
                "Columns change their type from one part of the table to the next, which "
                f"{self._format} does not allow.\nHint: write JSON lines or CSV."
            ) from error

    def _open(self, schema: Any) -> Any:
        import pyarrow as pa
        from pyarrow import parquet

        sink = pa.PythonFile(self._file, mode="w")
        if self._format == "parquet":
            return parquet.ParquetWriter(sink, schema)
        return _Ipc(pa.ipc.new_file(sink, schema), schema)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


class _Ipc:
    """Arrow's file writer, which does not tell its schema."""

    def __init__(self, writer: Any, schema: Any) -> None:
        self.schema = schema
        self.write_table, self.close = writer.write_table, writer.close


class _ArffWriter:
    """ARFF: text is a string, unless its levels are declared; dates are ISO."""

    def __init__(self, file: IO[bytes], levels: Mapping[str, Sequence[str]]) -> None:
        self._file, self._levels = file, levels
        self._begun = False

    def write(self, table: Any) -> None:
        if not self._begun:
            self._begun = True
            self._write_header(table)
        columns = [self._cells(table.column(place), name) for place, name in enumerate(table.column_names)]
        rows = "".join(",".join(row) + "\n" for row in zip(*columns, strict=True))
        self._file.write(rows.encode("utf-8"))

    def close(self) -> None:
        pass

    def _write_header(self, table: Any) -> None:
        lines = ["@relation table", ""]
        for place, name in enumerate(table.column_names):
            lines.append(
                f"@attribute {_arff_quoted(name)} {self._declaration(name, table.column(place).type)}"
            )
        self._file.write(("\n".join([*lines, "", "@data"]) + "\n").encode("utf-8"))

    def _declaration(self, name: str, kind: Any) -> str:
        import pyarrow as pa

        if name in self._levels:
            return "{" + ",".join(_arff_quoted(level) for level in self._levels[name]) + "}"
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            return "numeric"
        if pa.types.is_boolean(kind):
            return "{false,true}"
        if (pa.types.is_timestamp(kind) or pa.types.is_date(kind)) and getattr(kind, "tz", None) is None:
            return "date"
        return "string"

    def _cells(self, column: Any, name: str) -> list[str]:
        import pyarrow as pa

        kind = column.type
        if (pa.types.is_timestamp(kind) or pa.types.is_date(kind)) and getattr(kind, "tz", None) is None:
            times = _python_times(column, name)
            return ["?" if time is None else f'"{time.isoformat()}"' for time in times]
        text = text_of(column, name).to_pylist()
        if self._declaration(name, kind) == "numeric":
            return ["?" if cell is None else cell for cell in text]
        return ["?" if cell is None else _arff_quoted(cell) for cell in text]


def _python_times(column: Any, name: str) -> list[Any]:
    import pyarrow as pa

    try:
        return list(column.cast(pa.timestamp("us")).to_pylist())
    except (pa.ArrowInvalid, OverflowError, ValueError) as error:
        raise DataError(
            f"The column {name!r} holds a time outside the years 1 to 9999, which ARFF cannot hold.\n"
            "Hint: leave the column out, or write Parquet."
        ) from error


_PLAIN: Final = re.compile(r"[A-Za-z0-9_.+-]+")
_SPECIAL: Final = re.compile(r"[\\'\n\r\t]")
_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _arff_quoted(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    return "'" + _SPECIAL.sub(lambda found: _ESCAPES.get(found[0], f"\\{found[0]}"), text) + "'"
