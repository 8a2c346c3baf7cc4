"""The target of an experiment: classes, numbers, or whole numbers that may be either.

Words: *codes* are the numbers of the classes; a target that may be *either* is settled by the loss, and the
loss by the first estimator. Single values are checked in arboretum.targets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from arboretum.errors import DataError
from arboretum.targets import read_classes, read_numbers

__all__ = ["FEW", "Target", "read_target", "with_common_classes"]

Array = npt.NDArray[Any]
Rows = npt.NDArray[np.intp]

# Whole numbers of no more different values than this may be classes.
FEW = 20


@dataclass(frozen=True, eq=False)
class Target:
    """One target per row: with `codes` it may be classes, with `numbers` it may be numbers, or either."""

    classes: Array | None
    codes: npt.NDArray[np.intp] | None
    numbers: npt.NDArray[np.float64] | None

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

    def take(self, rows: Rows) -> Target:
        """Return the target of these rows; the classes stay those of all."""
        return Target(
            self.classes,
            None if self.codes is None else self.codes[rows],
            None if self.numbers is None else self.numbers[rows],
        )

    def values(self, kind: str) -> Array:
        """Return what an estimator of classes or of numbers is given to learn."""
        if kind == "numbers":
            assert self.numbers is not None
            return self.numbers
        assert self.classes is not None
        assert self.codes is not None
        return self.classes.take(self.codes)


def read_target(y: Any, n_rows: int, kind: str | None, owner: str) -> Target:
    """Return the target as the kind says; None looks at the values.

    Text is classes; whole numbers (and truth values) of at most 20 different values may be either; other
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
    given = np.asarray(y)
    return given.dtype.kind in "USTO" and any(isinstance(value, str) for value in given.ravel().tolist())


def with_common_classes(one: Target, other: Target) -> tuple[Target, Target]:
    """Return two targets whose codes mean the same classes: those of either."""
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
