"""Parquet and Arrow files: columns with types of their own, read batch by batch.

Words: a *batch* is what Arrow reads at once. Arrow's file format, its stream format and Feather are told
apart by their first bytes. Nothing is converted here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from arboretum.errors import DataError
from arboretum.tables.streams import Source
from arboretum.tables.table import Chunk
from arboretum.tables.table_scan import Scan, check_header

__all__ = ["scan_arrow", "scan_parquet"]

_BATCH_ROWS: Final = 65_536
_ARROW_FILE: Final = b"ARROW1"


def scan_parquet(source: Source) -> Scan:
    """Return the columns of a Parquet file, and its rows to come."""
    from pyarrow import parquet

    with _telling(source, "Parquet"):
        file = parquet.ParquetFile(source.seekable_file())
        return _scan(source, "Parquet", file.schema_arrow.names, file.iter_batches(batch_size=_BATCH_ROWS))


def scan_arrow(source: Source) -> Scan:
    """Return the columns of an Arrow or Feather file, or of an Arrow stream, and the rows to come."""
    import pyarrow as pa

    with _telling(source, "Arrow"):
        file = source.seekable_file()
        is_file = file.read(len(_ARROW_FILE)) == _ARROW_FILE
        file.seek(0)
        if is_file:
            reader = pa.ipc.open_file(file)
            batches = (reader.get_batch(place) for place in range(reader.num_record_batches))
        else:
            reader = pa.ipc.open_stream(file)
            batches = iter(reader)
        return _scan(source, "Arrow", reader.schema.names, batches)


def _scan(source: Source, what: str, found: list[str], batches: Any) -> Scan:
    names, notes = check_header(found, source.label)

    def chunks() -> Iterator[Chunk]:
        import pyarrow as pa

        n_rows = 0
        batch_iterator = iter(batches)
        while True:
            with _telling(source, what):
                batch = next(batch_iterator, None)
                if batch is None:
                    return
                table = pa.Table.from_batches([batch]).rename_columns(names)
            yield Chunk(table, n_rows)
            n_rows += table.num_rows

    return Scan(source.label, names, chunks(), notes=notes)


@contextmanager
def _telling(source: Source, what: str) -> Iterator[None]:
    """Turn what Arrow raises into one sentence."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise DataError(f"{source.label} cannot be read as {what}: {reason}.") from error
