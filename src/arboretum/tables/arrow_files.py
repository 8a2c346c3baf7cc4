"""Parquet, Arrow and Feather files: columns with types of their own, read batch by batch.

Such a file describes memory: where a text begins, how long a column is, which entry of a dictionary a row
means. A wrong place would make a reader show other memory of the process, or crash. Every batch is therefore
validated in full before anything reads a value of it. Values are not converted here.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from arboretum.errors import DataError
from arboretum.tables.arrow_validation import validate_batch, validate_schema
from arboretum.tables.arrow_values import reason_of
from arboretum.tables.streams import Source
from arboretum.tables.table import Chunk
from arboretum.tables.table_scan import Scan, check_header

__all__ = ["scan_arrow", "scan_parquet"]

_BATCH_ROWS: Final = 65_536
_ARROW_FILE: Final = b"ARROW1"
_FEATHER_1: Final = b"FEA1"


def scan_parquet(source: Source) -> Scan:
    """Return the columns of a Parquet file, and its rows to come."""
    from pyarrow import parquet

    with _telling(source, "Parquet"):
        file = parquet.ParquetFile(_Bounded(source.seekable_file()))
        return _scan(source, "Parquet", file.schema_arrow, file.iter_batches(batch_size=_BATCH_ROWS))


def scan_arrow(source: Source) -> Scan:
    """Return the columns of an Arrow or Feather file, or of an Arrow stream, and the rows to come."""
    import pyarrow as pa

    with _telling(source, "Arrow"):
        file = source.seekable_file()
        begin = file.read(len(_ARROW_FILE))
        file.seek(0)
        if begin.startswith(_FEATHER_1):
            raise DataError(
                f"{source.label} is a Feather file of version 1, which is not read any more.\n"
                "Hint: read it with pyarrow.feather.read_table and write it again with write_feather."
            )
        if begin == _ARROW_FILE:
            reader = pa.ipc.open_file(_Bounded(file), options=_options())
            batches = (reader.get_batch(place) for place in range(reader.num_record_batches))
        else:
            reader = pa.ipc.open_stream(_Bounded(file), options=_options())
            batches = iter(reader)
        return _scan(source, "Arrow", reader.schema, batches)


def _options() -> Any:
    """Return options that move values to places where the processor may read them, where Arrow can do so."""
    from pyarrow import ipc

    if not hasattr(ipc, "Alignment"):
        return ipc.IpcReadOptions()
    return ipc.IpcReadOptions(ensure_alignment=ipc.Alignment.DataTypeSpecific)


class _Bounded(io.RawIOBase):
    """A file that never hands out more bytes than it has: Python would first make room for what is asked."""

    def __init__(self, file: Any) -> None:
        super().__init__()
        self._file = file
        self._size = file.seek(0, io.SEEK_END)
        file.seek(0)
        self.seek, self.tell = file.seek, file.tell  # type: ignore[method-assign]

    def read(self, size: int = -1) -> bytes:
        left = max(0, self._size - self._file.tell())
        return bytes(self._file.read(left if size < 0 else min(size, left)))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True


def _scan(source: Source, what: str, schema: Any, batches: Any) -> Scan:
    validate_schema(schema)
    if not schema.names:
        raise DataError(f"{source.label} has no columns.")
    names, notes = check_header(schema.names, source.label)

    def chunks() -> Iterator[Chunk]:
        import pyarrow as pa

        n_rows = 0
        batch_iterator = iter(batches)
        while True:
            with _telling(source, what):
                batch = next(batch_iterator, None)
                if batch is None:
                    return
                validate_batch(batch)
                table = pa.Table.from_batches([batch]).rename_columns(names)
            for begin in range(0, table.num_rows, _BATCH_ROWS):
                yield Chunk(table.slice(begin, _BATCH_ROWS), n_rows + begin)
            n_rows += table.num_rows

    return Scan(source.label, names, chunks(), notes=notes)


@contextmanager
def _telling(source: Source, what: str) -> Iterator[None]:
    """Turn what Arrow raises into one sentence."""
    import pyarrow as pa

    try:
        yield
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, MemoryError, OverflowError) as error:
        raise DataError(f"{source.label} cannot be read as {what}: {reason_of(error)}.") from error
