"""Parquet, Arrow and Feather files: columns with types of their own, read batch by batch.

Such a file describes memory: where a text begins, how long a column is, which entry of a dictionary a row
means. A wrong place would make a reader show other memory of the process, or crash. So every batch is
validated in full before any value is read.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyarrow import ipc, parquet

from arboretum.cli.tables.cells import reason_of
from arboretum.cli.tables.files import Source
from arboretum.cli.tables.table import Chunk, Scan, check_header
from arboretum.errors import DataError

# Rows of nulls take no bytes: a file of a few hundred bytes may claim 2**63 of them.
_ROWS_WITHOUT_BYTES: Final = 1 << 20
# Views may name one long text many times, and validation reads every view.
_SHARED_BYTES: Final = 1 << 30


def validate_schema(schema: Any) -> None:
    """Raise a ValueError if the name of a time zone is not text: Arrow does not check."""
    for field in schema:
        try:
            _zone_of(field.type)
        except UnicodeDecodeError as error:
            raise ValueError(f"the time zone of the column {field.name!r} is no text") from error


def _zone_of(kind: Any) -> str | None:
    if pa.types.is_dictionary(kind):
        return _zone_of(kind.value_type)
    return kind.tz if pa.types.is_timestamp(kind) else None


def validate_batch(batch: Any) -> None:
    """Raise a ValueError (Arrow's is one) if a batch points outside its memory or claims too much."""
    batch.validate()  # only the sizes of buffers, so that the next lines may read them
    n_bytes = batch.get_total_buffer_size()
    if batch.num_rows > max(_ROWS_WITHOUT_BYTES, 8 * n_bytes):
        raise ValueError(f"a batch of {n_bytes:,} bytes claims {batch.num_rows:,} rows")
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        for views in _views_in(column):
            n_named = _named_bytes(views)
            if n_named > max(_SHARED_BYTES, views.get_total_buffer_size()):
                raise ValueError(f"the column {name!r} claims {n_named:,} bytes of text by naming it again")
    batch.validate(full=True)


def _views_in(array: Any) -> Iterator[Any]:
    """Yield the arrays of views inside an array."""
    kind = array.type
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        yield array
    elif isinstance(array, pa.ExtensionArray):
        yield from _views_in(array.storage)
    elif pa.types.is_dictionary(kind):
        yield from _views_in(array.dictionary)
    elif pa.types.is_struct(kind) or pa.types.is_union(kind):
        for place in range(kind.num_fields):
            yield from _views_in(array.field(place))
    elif pa.types.is_nested(kind) or pa.types.is_run_end_encoded(kind):
        yield from _views_in(array.values)


def _named_bytes(views: Any) -> int:
    """Return the total length of the texts; each view is 16 bytes that begin with the length."""
    found = views.buffers()[1]
    if found is None or not len(views):
        return 0
    words = np.frombuffer(found, np.int32, count=4 * (views.offset + len(views)))
    return int(words[4 * views.offset :: 4].clip(0).sum(dtype=np.int64))


_BATCH_ROWS: Final = 65_536
_ARROW_FILE: Final = b"ARROW1"
_FEATHER_1: Final = b"FEA1"


def scan_parquet(source: Source) -> Scan:
    """Return the columns and rows of a Parquet file."""
    with _telling(source, "Parquet"):
        file = parquet.ParquetFile(_Bounded(source.seekable_file()), pre_buffer=False)
        batches = file.iter_batches(batch_size=_BATCH_ROWS, use_threads=False)
        return _scan(source, "Parquet", file.schema_arrow, batches)


def scan_arrow(source: Source) -> Scan:
    """Return the columns and rows of an Arrow or Feather file, or of an Arrow stream."""
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
    """Return options that align values in memory, if this version of Arrow can.

    Arrow's threads are not used: one that still holds our file while Python ends would abort the process.
    """
    if not hasattr(ipc, "Alignment"):
        return ipc.IpcReadOptions(use_threads=False)
    return ipc.IpcReadOptions(use_threads=False, ensure_alignment=ipc.Alignment.DataTypeSpecific)


class _Bounded(io.RawIOBase):
    """A file that never reads more bytes than it has: Python would first allocate what is asked for."""

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
    """Turn errors of Arrow into one sentence."""
    try:
        yield
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, MemoryError, OverflowError) as error:
        raise DataError(f"{source.label} cannot be read as {what}: {reason_of(error)}.") from error
