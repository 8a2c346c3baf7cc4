"""What the caller says about rows, one value per row: groups, times, strata; read as whole numbers.

Words: *codes* number the different values from 0 upwards; *moments* are codes in the order of time; *strata*
are rows that every part is to have its share of. Which part a row goes to is decided in splits.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arboretum.errors import DataError, ParameterError, choices
from arboretum.experiment.targets import Target
from arboretum.plurals import many

__all__ = ["read_groups", "read_moments", "read_strata"]

Array = npt.NDArray[Any]
Codes = npt.NDArray[np.intp]

_BINS = 10  # strata of a numeric target
_SIMPLE = "iufMmbU"  # kinds of arrays that NumPy sorts by itself


def read_groups(groups: Any, n_rows: int) -> Codes | None:
    """Return the number of each row's group."""
    return None if groups is None else _codes(_values(groups, "groups", n_rows))


def read_moments(time: Any, n_rows: int) -> Codes | None:
    """Return the number of each row's moment: times that are equal are one."""
    if time is None:
        return None
    values = _values(time, "time", n_rows)
    if values.dtype.kind in "US" or any(isinstance(v, str | bytes) for v in _objects(values)):
        raise DataError(
            "time holds text, and text is not in the order of time ('10' comes before '9').\n"
            "Hint: convert it first, for instance with pandas.to_datetime(time)."
        )
    try:
        return _codes(values, sort=True)
    except TypeError as error:
        raise DataError(
            f"time holds values that cannot be put in order ({error}).\n"
            "Hint: give numbers, dates or datetimes, all of one kind."
        ) from error


def read_strata(stratify: Any, target: Target, moments: Codes | None) -> Codes | None:
    """Return the number of each row's stratum, None where rows are not stratified."""
    automatic = isinstance(stratify, str) and stratify == "auto"
    if isinstance(stratify, str) and not automatic:
        raise ParameterError(choices("stratify", stratify, ["auto", True, False]) + " Or one value per row.")
    if isinstance(stratify, bool | np.bool_) and not stratify:
        return None
    if moments is not None:
        if automatic:
            return None
        raise ParameterError(
            "stratify does not go with time: the order of time alone says which row is in which part.\n"
            "Hint: leave stratify='auto'."
        )
    if automatic:
        return target.codes
    if isinstance(stratify, bool | np.bool_):
        return _bins(target) if target.codes is None else target.codes
    if stratify is None:
        raise ParameterError(choices("stratify", None, ["auto", True, False]) + " Or one value per row.")
    return _codes(_values(stratify, "stratify", target.n_rows))


def _bins(target: Target) -> Codes:
    """Return tenths of the rows by the size of their target, fewer where rows are few."""
    assert target.numbers is not None
    rank = np.empty(target.n_rows, dtype=np.intp)
    rank[np.argsort(target.numbers, kind="stable")] = np.arange(target.n_rows)
    n_bins = max(1, min(_BINS, target.n_rows // _BINS))
    return rank * n_bins // target.n_rows


def _values(given: Any, option: str, n_rows: int) -> Array:
    """Return one value per row, none of them missing."""
    if isinstance(given, str):
        raise DataError(
            f"{option}={given!r} is text; give one value per row.\nHint: for a column of X, X[{given!r}]."
        )
    values = np.array(given, dtype=object) if isinstance(given, list | tuple) else np.asarray(given)
    if values.ndim != 1 or len(values) != n_rows:
        raise DataError(
            f"{option} has the shape {values.shape}, but X has {many(n_rows, 'row')}; give one value per row."
        )
    missing = _missing(values)
    if missing.any():
        raise DataError(
            f"{option} is missing in {missing.sum()} of {n_rows} rows (first: row {np.argmax(missing)}).\n"
            "Hint: drop these rows, or give them a value of their own."
        )
    return values


def _missing(values: Array) -> npt.NDArray[np.bool_]:
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    return np.array([v is None or v is not v or _unequal(v) for v in _objects(values)], dtype=np.bool_)


def _unequal(value: Any) -> bool:
    """Tell whether a value is not equal to itself, as NaN and NaT are, or cannot say, as pandas' NA."""
    try:
        return bool(value != value)
    except TypeError:
        return True


def _objects(values: Array) -> list[Any]:
    return values.tolist() if values.dtype.kind == "O" else []


def _codes(values: Array, *, sort: bool = False) -> Codes:
    """Return the number of each value among the different ones: sorted, or in the order of appearance."""
    if values.dtype.kind in _SIMPLE:
        return np.unique(values, return_inverse=True)[1].ravel()
    cells = values.tolist()
    different = sorted(set(cells)) if sort else list(dict.fromkeys(cells))
    number_of = {value: number for number, value in enumerate(different)}
    return np.array([number_of[value] for value in cells], dtype=np.intp)
