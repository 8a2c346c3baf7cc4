"""Reading a table of any format: in chunks, or the whole of it.

Words: a *dialect* is how a text format is written: its separator, its encoding, whether it has a header.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from arboretum.errors import DataError, PackageError
from arboretum.tables.arrow_values import as_text
from arboretum.tables.formats import Format
from arboretum.tables.streams import Source, open_source
from arboretum.tables.table import Table
from arboretum.tables.table_scan import Scan
from arboretum.tables.text_blocks import BLOCK_BYTES, check_encoding

__all__ = ["Dialect", "read_table", "scan_source", "scan_table"]

_SEPARATORS: Final = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True)
class Dialect:
    """How text is written; None for the separator is that of the format."""

    separator: str | None = None
    encoding: str = "utf-8"
    header: bool = True
    block_bytes: int = BLOCK_BYTES


@contextmanager
def scan_table(
    path: str, format: Format, dialect: Dialect | None = None, told: Callable[[int], None] | None = None
) -> Iterator[Scan]:
    """Open a table for reading in chunks; `told` hears how many bytes of the file were read."""
    _require_arrow()
    with open_source(path, format, told) as source:
        yield scan_source(source, format.name, dialect or Dialect())


def scan_source(source: Source, format: str, dialect: Dialect) -> Scan:
    """Return the scan of a source in a format."""
    from arboretum.tables.arff import scan_arff
    from arboretum.tables.arrow_files import scan_arrow, scan_parquet
    from arboretum.tables.delimited import check_separator, scan_delimited
    from arboretum.tables.json_lines import scan_json_lines

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
            separator = check_separator(dialect.separator or _SEPARATORS[format])
            return scan_delimited(
                source, separator=separator, encoding=encoding, header=dialect.header, size=size
            )


def read_table(path: str, format: Format, dialect: Dialect | None = None) -> Table:
    """Return the whole table; one without rows is refused."""
    with scan_table(path, format, dialect) as scan:
        return table_of(scan)


def table_of(scan: Scan) -> Table:
    """Return all rows of a scan as one table."""
    import pyarrow as pa

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
    """Return parts of a column as one, though their types may differ, as those of cells do (JSON lines).

    Integers and floats become floats, other mixtures text; a part in which all is missing joins any of them.
    """
    import pyarrow as pa

    tables = [pa.table({name: pa.nulls(len(p)) if p.null_count == len(p) else p}) for p in parts]
    try:
        return pa.concat_tables(tables, promote_options="permissive").column(name)
    except pa.ArrowException:
        return pa.chunked_array(
            [chunk for part in parts for chunk in as_text(part, name).chunks], pa.string()
        )


def _require_arrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise PackageError(
            "Reading files needs pyarrow, which is not installed. Hint: pip install 'arboretum[cli]'."
        ) from error
