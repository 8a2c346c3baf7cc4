"""Values of Arrow columns, as text or taken out of their dictionaries."""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from arboretum.errors import DataError

_EXACT: Final = 2.0**53
_LONGEST_REASON: Final = 200
# The limit of an Arrow array of text. A dictionary may name one long text in every row.
_TEXT_BYTES: Final = 2**31 - 1


def is_text(column: Any) -> bool:
    """Return whether a column is text."""
    return _is_text_type(column.type)


def as_text(column: Any, name: str) -> Any:
    """Return a column of plain values as text, as in a CSV file.

    A number has one spelling, whatever the other values are: 1 is written 1 and not 1.0.
    """
    try:
        text = column.cast(pa.string())
        return _with_whole(column, text) if pa.types.is_floating(column.type) else text
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise no_column(column, name) from error


def decoded(column: Any, name: str) -> Any:
    """Return the values of a dictionary column; any other column as it is."""
    if not pa.types.is_dictionary(column.type):
        return column
    kind = column.type.value_type
    texts = _is_text_type(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    if not texts:
        try:
            return column.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise no_column(column, name) from error
    wanted = pa.string() if _is_text_type(kind) else kind
    return pa.chunked_array([_decoded_texts(chunk, wanted, name) for chunk in column.chunks], wanted)


def no_column(column: Any, name: str) -> DataError:
    """Return the error about a column whose type cannot be used."""
    return DataError(
        f"The column {name!r} holds {column.type}; a column holds numbers, text, true and false, dates or "
        f"durations.\nHint: leave the column out; fit does so with --drop {name}."
    )


def reason_of(error: Exception) -> str:
    """Return the first line of an Arrow error, shortened: it may quote much of a file."""
    line = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return line if len(line) <= _LONGEST_REASON else f"{line[: _LONGEST_REASON - 1]}…"


def _is_text_type(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _with_whole(column: Any, text: Any) -> Any:
    """Return floats as text, with those that are exact integers spelt as integers."""
    numbers = column.cast(pa.float64())
    is_whole = pc.and_(pc.less_equal(pc.abs(numbers), _EXACT), pc.equal(pc.trunc(numbers), numbers))
    whole = pc.if_else(is_whole, numbers, pa.scalar(0.0)).cast(pa.int64()).cast(pa.string())
    return pc.if_else(is_whole, whole, text)


def _decoded_texts(chunk: Any, kind: Any, name: str) -> Any:
    texts = chunk.dictionary.cast(kind)
    n_bytes = pc.sum(pc.binary_length(texts).take(chunk.indices)).as_py() or 0
    if n_bytes > _TEXT_BYTES:
        raise DataError(
            f"The column {name!r} holds {n_bytes:,} bytes of text in {len(chunk):,} rows, which is more than "
            "Arrow can hold.\nHint: leave the column out."
        )
    return texts.take(chunk.indices)
