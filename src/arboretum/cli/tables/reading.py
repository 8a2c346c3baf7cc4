"""Reading a table of any format, in chunks or whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from arboretum.cli.outputs import Format
from arboretum.cli.tables.arff import scan_arff
from arboretum.cli.tables.arrow_files import scan_arrow, scan_parquet
from arboretum.cli.tables.cells import as_text
from arboretum.cli.tables.files import Source, open_source
from arboretum.cli.tables.json_lines import scan_json_lines
from arboretum.cli.tables.table import Scan, Table
from arboretum.cli.tables.text_blocks import (
    BLOCK_BYTES,
    SEPARATORS,
    check_encoding,
    check_separator,
    scan_delimited,
)
from arboretum.errors import DataError


@dataclass(frozen=True)
class Dialect:
    """How text is written; a separator of None is that of the format."""

    separator: str | None = None
    encoding: str = "utf-8"
    header: bool = True
    block_bytes: int = BLOCK_BYTES


@contextmanager
def scan_table(
    path: str,
    format: Format,
    dialect: Dialect | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Iterator[Scan]:
    """Open a table for reading in chunks; `on_progress` is called with the number of bytes read so far."""
    with open_source(path, format, on_progress) as source:
        yield scan_source(source, format.name, dialect or Dialect())


def scan_source(source: Source, format: str, dialect: Dialect) -> Scan:
    """Return the scan of a source in a format."""
    encoding, size = check_encoding(dialect.encoding), dialect.block_bytes
    match format:
        case "parquet":
            return scan_parquet(source)
        case "arrow":
            return scan_arrow(source)
        case "arff":
            return scan_arff(source, encoding=encoding, size=size)
        case "jsonl":
            return scan_json_lines(source, encoding=encoding, size=size)
        case _:
            separator = check_separator(dialect.separator or SEPARATORS[format])
            return scan_delimited(
                source, separator=separator, encoding=encoding, header=dialect.header, size=size
            )


def read_table(path: str, format: Format, dialect: Dialect | None = None) -> Table:
    """Return the whole table; one without rows is refused."""
    with scan_table(path, format, dialect) as scan:
        return table_of(scan)


def table_of(scan: Scan) -> Table:
    """Return all rows of a scan as one table."""
    chunks = [chunk for chunk in scan.chunks if len(chunk)]
    if not chunks:
        raise DataError(f"{scan.label} has column names, but no rows.")
    parts = [chunk.columns for chunk in chunks]
    if all(part.schema == parts[0].schema for part in parts):
        columns = pa.concat_tables(parts)
    else:
        columns = pa.table(
            {name: _joined([part.column(name) for part in parts], name) for name in scan.names}
        )
    return Table(scan.label, columns, chunks, scan.levels, scan.notes)


def _joined(parts: list[Any], name: str) -> Any:
    """Return the parts of a column as one, though their types may differ, as in JSON lines.

    Integers and floats become floats, other mixtures text; a part whose values are all missing suits any
    type.
    """
    tables = [pa.table({name: pa.nulls(len(p)) if p.null_count == len(p) else p}) for p in parts]
    try:
        return pa.concat_tables(tables, promote_options="permissive").column(name)
    except pa.ArrowException:
        return pa.chunked_array(
            [chunk for part in parts for chunk in as_text(part, name).chunks], pa.string()
        )
