"""Arrow batches from files: refused unless everything in them points to memory of their own.

A batch that says where its texts begin, which entry of a dictionary a row means, or how many rows it has may
lie. Reading such a batch would show other memory of the process, end it, or never end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

__all__ = ["validate_batch", "validate_schema"]

# Rows of nothing but nulls take no bytes: a file of a few hundred bytes may claim 2**63 of them.
_ROWS_WITHOUT_BYTES: Final = 1 << 20
# Views may name one long text many times, and every view is read to see whether it is text.
_SHARED_BYTES: Final = 1 << 30


def validate_schema(schema: Any) -> None:
    """Raise a ValueError if the name of a time zone is no text: Arrow does not look."""
    for field in schema:
        try:
            _zone_of(field.type)
        except UnicodeDecodeError as error:
            raise ValueError(f"the time zone of the column {field.name!r} is no text") from error


def _zone_of(kind: Any) -> str | None:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _zone_of(kind.value_type)
    return kind.tz if pa.types.is_timestamp(kind) else None


def validate_batch(batch: Any) -> None:
    """Raise a ValueError (Arrow's is one) if a batch points outside its memory or claims too much."""
    batch.validate()  # the sizes of buffers alone, so that the next lines may look into them
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
    """Yield the arrays of views that an array consists of."""
    import pyarrow as pa

    kind = array.type
    if _is_view(kind):
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


def _is_view(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string_view(kind) or pa.types.is_binary_view(kind))


def _named_bytes(views: Any) -> int:
    """Return how long the texts are together; each view has 16 bytes, which begin with the length."""
    import numpy as np

    found = views.buffers()[1]
    if found is None or not len(views):
        return 0
    words = np.frombuffer(found, np.int32, count=4 * (views.offset + len(views)))
    return int(words[4 * views.offset :: 4].clip(0).sum(dtype=np.int64))
