"""One-dimensional NumPy arrays and lists of levels turned into columns: the dtype decides the kind.

Arrays of Python objects are read in objects.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from arboretum._data.column import BIG_OFFSET, Column
from arboretum._data.dataset import ColumnData, some
from arboretum._data.levels import level_key, plain_level, sort_levels
from arboretum._data.times import plain_duration, plain_instant, unit_of
from arboretum._types import Array, Mask
from arboretum.errors import DataError, DataTypeError

_NAT = np.iinfo(np.int64).min


def encode_array(
    name: str, values: Array, missing: Mask | None = None, timezone: str | None = None
) -> ColumnData:
    """Return the column of an array of numbers, booleans, instants or durations, as a view where possible."""
    missing = some(missing)
    match values.dtype.kind:
        case "f":
            return ColumnData(Column(name, "number"), _usual_float(name, native(values)), missing)
        case "i":
            return ColumnData(Column(name, "integer"), native(values), missing)
        case "u":
            return _encode_unsigned(name, native(values), missing)
        case "b":
            return ColumnData(Column(name, "nominal", levels=(False, True)), values.astype(np.int32), missing)
        case "M" | "m":
            return _encode_times(name, native(values), missing, timezone)
        case "c":
            raise DataError(
                f"Complex data not supported: column {name!r} holds complex numbers, which have no order.\n"
                "Hint: give the real and the imaginary part as two columns."
            )
        case _:
            raise DataTypeError(
                f"Column {name!r} has the dtype {values.dtype}; a column holds numbers, text, booleans, "
                f"dates or durations.\nHint: {_HINTS.get(values.dtype.kind, 'convert it first')}."
            )


_HINTS = {
    "S": "bytes are no text; decode them with X.astype(str)",
    "V": "pass the fields of a structured array as the columns of a data frame",
}


def native(values: Array) -> Array:
    """Return the array aligned and in the machine's byte order, as the core needs it; copied only if not."""
    if values.dtype.isnative and values.flags.aligned:
        return values
    return values.astype(values.dtype.newbyteorder("="))


def _usual_float(name: str, values: Array) -> Array:
    """Return floats of 32 or 64 bits: half precision is widened, extended precision rounded."""
    if values.dtype.itemsize in (4, 8):
        return values
    if values.dtype.itemsize == 2:
        return values.astype(np.float32)
    with np.errstate(over="ignore", under="ignore"):
        rounded = values.astype(np.float64)
    lost = np.isinf(rounded) & np.isfinite(values)
    if lost.any():
        row = int(np.argmax(lost))
        raise DataError(
            f"Column {name!r}, row {row} holds {values[row]!s}, which is beyond 64-bit floating point.\n"
            "Hint: rescale the column."
        )
    return rounded


def _encode_unsigned(name: str, values: Array, missing: Mask | None) -> ColumnData:
    """Return a column of unsigned integers; those of 64 bits as int64, shifted when they exceed it."""
    if values.dtype.itemsize < 8:
        return ColumnData(Column(name, "integer"), values, missing)
    if values.size == 0 or int(values.max()) < BIG_OFFSET:
        return ColumnData(Column(name, "integer"), values.view(np.int64), missing)
    # Subtracting 2**63 from an unsigned 64-bit number is turning its highest bit.
    shifted = (values ^ np.uint64(BIG_OFFSET)).view(np.int64)
    return ColumnData(Column(name, "integer", offset=BIG_OFFSET), shifted, missing)


def _encode_times(name: str, values: Array, missing: Mask | None, timezone: str | None) -> ColumnData:
    """Return a column of instants or durations as int64 counts of their unit, NaT as missing."""
    kind = "datetime64" if values.dtype.kind == "M" else "timedelta64"
    unit = unit_of(values.dtype)
    if unit is None:
        raise DataError(
            f"Column {name!r} has the dtype {values.dtype}, whose unit has no fixed length.\n"
            f"Hint: convert it, for instance with .astype('timedelta64[D]')."
        )
    if np.datetime_data(values.dtype) != (unit, 1):
        values = _exact_times(name, values, f"{kind}[{unit}]")
    counts = values.view(np.int64)
    not_a_time: Mask = counts == _NAT
    if not_a_time.any():
        missing = not_a_time if missing is None else not_a_time | missing
    if kind == "datetime64":
        return ColumnData(Column(name, "datetime", unit=unit, timezone=timezone), counts, missing)
    return ColumnData(Column(name, "duration", unit=unit), counts, missing)


def _exact_times(name: str, values: Array, dtype: str) -> Array:
    """Return times in another unit; refuse the first one that would be rounded or would not fit."""
    try:
        converted = values.astype(dtype)
        changed = (converted.astype(values.dtype) != values) & ~np.isnat(values)
    except OverflowError:
        changed = ~np.isnat(values)
    if changed.any():
        row = int(np.argmax(changed))
        raise DataError(
            f"Column {name!r}, row {row} holds {values[row]}, which does not fit into {dtype}.\n"
            "Hint: convert the column to days, seconds or at most nanoseconds first."
        )
    return converted


def encode_bigger(name: str, values: list[int], missing: Mask) -> ColumnData:
    """Return a column of Python integers of any size (0 where missing); refuse what 64 bits cannot hold."""
    low, high = min(values, default=0), max(values, default=0)
    if low >= _NAT and high < BIG_OFFSET:
        return encode_array(name, np.array(values, dtype=np.int64), missing)
    if low >= 0 and high < 2 * BIG_OFFSET:
        return encode_array(name, np.array(values, dtype=np.uint64), missing)
    row = next(row for row, value in enumerate(values) if not _NAT <= value < BIG_OFFSET)
    raise DataError(
        f"Column {name!r}, row {row} holds the integer {values[row]}, and 64 bits cannot hold the whole "
        f"column ({low} to {high}).\nHint: turn the column into floats, or list it in categorical_features."
    )


def encode_levels(
    name: str,
    numbers: Array,
    levels: Iterable[Any],
    *,
    ordered: bool = False,
    missing: Mask | None = None,
) -> ColumnData:
    """Return a nominal or ordered column from level numbers (negative: missing) and the declared levels."""
    plain = tuple(map(plain_level, levels))
    number_of = {level_key(level): number for number, level in enumerate(plain)}
    if len(number_of) < len(plain):
        twice = next(level for number, level in enumerate(plain) if number_of[level_key(level)] != number)
        raise DataError(f"Column {name!r} declares the level {twice!r} twice.\nHint: rename one of the two.")
    outside: Mask = numbers < 0
    if outside.any():
        missing = outside if missing is None else outside | missing
        numbers = np.where(outside, 0, numbers)
    column = Column(name, "ordered" if ordered else "nominal", levels=plain)
    return ColumnData(column, numbers.astype(np.int32, copy=False), some(missing))


def as_nominal(data: ColumnData) -> ColumnData:
    """Return the column as a nominal one; columns without levels get their observed values, sorted."""
    column = data.column
    if column.kind == "nominal":
        return data
    if column.levels is not None:
        return ColumnData(Column(column.name, "nominal", levels=column.levels), data.values, data.missing)
    missing = data.is_missing()
    distinct, numbers = np.unique(data.values[~missing], return_inverse=True)
    values = np.zeros(len(data.values), dtype=np.int32)
    values[~missing] = numbers
    levels = sort_levels(_level(column, value) for value in distinct.tolist())
    return ColumnData(Column(column.name, "nominal", levels=tuple(levels)), values, some(missing))


def _level(column: Column, value: float) -> object:
    """Return the level that a stored value stands for."""
    if column.kind == "datetime":
        return plain_instant(int(value), str(column.unit), aware=column.timezone is not None)
    if column.kind == "duration":
        return plain_duration(int(value), str(column.unit))
    return plain_level(value + column.offset)


def nothing_known(name: str, n_rows: int) -> ColumnData:
    """Return a column whose values are all missing and whose type is unknown.

    It is a number, as in libraries that read an empty column of a file as NaN: a table then has the same
    kinds whatever library read it. Since nothing can be asked of such a column, its kind does no harm.
    """
    return ColumnData(Column(name, "number"), np.full(n_rows, np.nan))
