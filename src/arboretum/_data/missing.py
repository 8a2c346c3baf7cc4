"""What counts as missing in the data a caller gives: None, NaN, NaT, pandas' NA, a masked entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np

from arboretum._types import Array, Mask

# By name: pandas need not be there.
_MISSING_TYPES: Final = {"NoneType", "NAType", "NaTType", "MaskedConstant"}


def is_missing_type(kind: type) -> bool:
    """Return whether every value of this type is missing."""
    return kind.__name__ in _MISSING_TYPES


def find_missing(values: Array | Sequence[Any]) -> Mask:
    """Return which values of an array or a list are missing.

    >>> find_missing([None, 1.5, float("nan"), "x"]).tolist()
    [True, False, True, False]
    """
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        if values.dtype.kind in "fc":
            return np.isnan(values)
        return np.isnat(values) if values.dtype.kind in "mM" else np.zeros(len(values), dtype=np.bool_)
    cells = values.tolist() if isinstance(values, np.ndarray) else values
    kinds = set(map(type, cells))
    if kinds == {float}:
        return np.isnan(np.array(cells, dtype=np.float64))
    tests = {kind: test for kind in kinds if (test := _missing_test(kind)) is not None}
    if not tests:  # types that cannot be missing cost nothing
        return np.zeros(len(cells), dtype=np.bool_)
    never = _never
    return np.fromiter(
        (tests.get(type(cell), never)(cell) for cell in cells), dtype=np.bool_, count=len(cells)
    )


def _never(cell: Any) -> bool:
    return False


def _missing_test(kind: type) -> Callable[[Any], bool] | None:
    """Return the test for missing values of this type; None if they are never missing."""
    if is_missing_type(kind):
        return lambda cell: True
    if issubclass(kind, float | np.floating):
        return lambda cell: bool(cell != cell)
    if issubclass(kind, Decimal):
        return lambda cell: bool(cell.is_nan())
    if issubclass(kind, np.datetime64 | np.timedelta64):
        return lambda cell: bool(np.isnat(cell))
    return None
