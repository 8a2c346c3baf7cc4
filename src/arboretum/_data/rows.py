"""A table with targets, weights and groups, whose rows can be taken: for fitting models and measuring them.

The table stays what the caller gave: a pandas data frame stays one. No value of a column is read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from arboretum._data.missing import find_missing
from arboretum._data.tables import open_table
from arboretum._data.targets import as_array, read_classes, read_numbers
from arboretum._types import Array, Indices, Numbers
from arboretum._wording import many, shown
from arboretum.errors import DataError

# Whole numbers may be classes if they have at most this many distinct values.
FEW = 20


@dataclass(frozen=True, eq=False)
class Target:
    """One target per row: classes if it has `codes`, numbers if it has `numbers`; either if it has both."""

    classes: Array | None
    codes: Indices | None
    numbers: Numbers | None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        known = self.codes if self.numbers is None else self.numbers
        assert known is not None
        return len(known)

    @property
    def kind(self) -> str:
        """What the target is: "classes", "numbers" or "either"."""
        if self.numbers is None:
            return "classes"
        return "numbers" if self.codes is None else "either"

    def take(self, rows: Indices) -> Target:
        """Return the target of these rows; the classes stay those of all rows."""
        return Target(
            self.classes,
            None if self.codes is None else self.codes[rows],
            None if self.numbers is None else self.numbers[rows],
        )

    def values(self, kind: str) -> Array:
        """Return the target as an estimator of classes or of numbers takes it."""
        if kind == "numbers":
            assert self.numbers is not None
            return self.numbers
        assert self.classes is not None
        assert self.codes is not None
        return self.classes.take(self.codes)


def read_target(y: Any, n_rows: int, kind: str | None, owner: str) -> Target:
    """Return the target; if the kind is None, the values decide.

    Text is classes; whole numbers and truth values with at most 20 different values may be either; other
    numbers are numbers.
    """
    if kind == "classes" or (kind is None and _holds_text(y)):
        classes, codes = read_classes(y, n_rows, owner)
        return Target(classes, codes.astype(np.intp), None)
    numbers = read_numbers(y, n_rows, owner)
    if kind == "numbers" or (numbers != np.floor(numbers)).any() or len(np.unique(numbers)) > FEW:
        return Target(None, None, numbers)
    classes, codes = read_classes(y, n_rows, owner)
    return Target(classes, codes.astype(np.intp), numbers)


def _holds_text(y: Any) -> bool:
    given = as_array(y, "y")
    return given.dtype.kind in "USO" and any(isinstance(value, str) for value in given.ravel().tolist())


def with_common_classes(one: Target, other: Target) -> tuple[Target, Target]:
    """Return two targets with common classes, so that their codes mean the same."""
    if one.classes is None or other.classes is None:
        if one.numbers is None or other.numbers is None:
            raise DataError("One of y and y_dev holds classes, the other numbers; both must be of one kind.")
        return Target(None, None, one.numbers), Target(None, None, other.numbers)
    if one.classes.dtype.kind == "O" or other.classes.dtype.kind == "O":
        if one.classes.dtype != other.classes.dtype:
            raise DataError("One of y and y_dev holds text, the other numbers; both must be of one kind.")
        classes = np.array(sorted({*one.classes.tolist(), *other.classes.tolist()}), dtype=object)
    else:
        classes = np.union1d(one.classes, other.classes)
    number_of = {label: number for number, label in enumerate(classes.tolist())}
    both_numbers = one.numbers is not None and other.numbers is not None
    first, second = (
        Target(
            classes,
            np.array([number_of[label] for label in target.classes.tolist()], dtype=np.intp)[target.codes],
            target.numbers if both_numbers else None,
        )
        for target in (one, other)
        if target.classes is not None
    )
    return first, second


@dataclass(frozen=True, eq=False)
class Rows:
    """A table, one target per row, and weights and groups if there are any."""

    X: Any
    target: Target
    weights: Numbers | None = None
    groups: Indices | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.target.n_rows

    def take(self, rows: Indices) -> Rows:
        """Return these rows, in this order."""
        return replace(
            self,
            X=take_rows(self.X, rows),
            target=self.target.take(rows),
            weights=None if self.weights is None else self.weights[rows],
            groups=None if self.groups is None else self.groups[rows],
        )


def as_table(X: Any) -> tuple[Any, int]:
    """Return the table in a form that rows can be taken from, and their number; refuse anything else."""
    n_rows = open_table(X).n_rows
    native = nw.to_native(X, pass_through=True)
    if isinstance(native, np.ndarray | list | tuple) or _is_frame(native):
        return _takeable(native), n_rows
    if hasattr(native, "__arrow_c_stream__"):
        return _takeable(nw.from_arrow(native, backend="pyarrow").to_native()), n_rows
    return np.asarray(native) if hasattr(native, "__array__") else list(native), n_rows


def _takeable(native: Any) -> Any:
    """Return a data frame from whose columns rows can be taken, which is not so of all that can be read."""
    if _is_arrow(native):
        for place, field in enumerate(native.schema):
            if hasattr(field.type, "run_end_type"):
                from pyarrow.compute import run_end_decode

                native = native.set_column(place, field.name, run_end_decode(native.column(place)))
    elif nw.dependencies.is_pandas_dataframe(native):
        foreign = {
            name: kind.newbyteorder("=")
            for name, kind in native.dtypes.items()
            if isinstance(kind, np.dtype) and not kind.isnative
        }
        return native.astype(foreign) if foreign else native
    return native


def _is_arrow(native: Any) -> bool:
    return type(native).__module__.partition(".")[0] == "pyarrow" and hasattr(native, "schema")


def _is_frame(X: Any) -> bool:
    return isinstance(nw.from_native(X, pass_through=True), nw.DataFrame)


def take_rows(X: Any, rows: Indices) -> Any:
    """Return these rows of what `as_table` returned, in this order."""
    if isinstance(X, np.ndarray):
        return X[rows]
    if isinstance(X, list | tuple):
        return [X[row] for row in rows.tolist()]
    return nw.from_native(X, eager_only=True)[rows].to_native()


def read_labels(given: Any, option: str, n_rows: int) -> Array:
    """Return what an option says about rows, such as groups: one value per row, none of them missing."""
    if isinstance(given, str):
        raise DataError(
            f"{option}={shown(given)} is text; give one value per row.\nHint: for a column of X, "
            f"X[{given!r}]."
        )
    values = np.array(given, dtype=object) if isinstance(given, list | tuple) else np.asarray(given)
    if values.ndim != 1 or len(values) != n_rows:
        raise DataError(
            f"{option} has the shape {values.shape}, but X has {many(n_rows, 'row')}; give one value per row."
        )
    if values.dtype.kind == "O" and any(isinstance(value, list | np.ndarray) for value in values):
        raise DataError(f"{option} holds lists; give one value per row.")
    missing = find_missing(values)
    if missing.any():
        raise DataError(
            f"{option} is missing in {missing.sum()} of {n_rows} rows (first: row {np.argmax(missing)}).\n"
            "Hint: drop these rows, or give them a value of their own."
        )
    return values
