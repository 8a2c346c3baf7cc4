"""Targets and weights as the caller gives them: checked, and turned into plain arrays."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning

from arboretum._data.missing import find_missing
from arboretum._types import Array, Codes, Numbers
from arboretum._warning import level_of_caller
from arboretum._wording import many, shown
from arboretum.errors import DataError, DataTypeError, listing

# Every node keeps the weight of every class: beyond this a target is a number or an identifier, not a class.
MOST_CLASSES = 1_000
# Sums of weight × target² must fit into a double with room to spare, for any number of rows.
LARGEST = 1e100
# And they must not vanish.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-100, 1e100


def read_classes(y: Any, n_rows: int, owner: str) -> tuple[Array, Codes]:
    """Return the classes in sorted order, and the number of each row's class among them."""
    given = _one_per_row(y, n_rows, owner)
    if given.dtype.kind == "O":
        given = _plain_classes(given)
    if given.dtype.kind == "O":
        classes, numbers = _number_objects(given)
    else:
        _refuse_no_class(given)
        classes, inverse = np.unique(given, return_inverse=True)
        numbers = inverse.astype(np.int32).ravel()
    if len(classes) > MOST_CLASSES:
        raise DataError(
            f"The target has {len(classes):,} different values, more than the {MOST_CLASSES:,} classes "
            "that a tree can tell apart.\nHint: if it is a number, use TreeRegressor; if it names "
            "single rows, it cannot be learnt."
        )
    return classes, numbers


def match_classes(y: Any, n_rows: int, known: Array, owner: str) -> Codes:
    """Return the number of each row's class among the known ones, which are sorted; refuse other classes."""
    classes, numbers = read_classes(y, n_rows, owner)
    number_of = {label: number for number, label in enumerate(known.tolist())}
    if unknown := [label for label in classes.tolist() if label not in number_of]:
        raise DataError(
            f"The target holds the class {listing(unknown)}, which the tree does not know; its classes are "
            f"{listing(known.tolist(), 10)}."
        )
    return np.array([number_of[label] for label in classes.tolist()], dtype=np.int32)[numbers]


def read_numbers(y: Any, n_rows: int, owner: str) -> Numbers:
    """Return real, finite targets as doubles."""
    given = _one_per_row(y, n_rows, owner)
    bad = _first_not_number(given)
    if bad is not None:
        if given.dtype.kind == "c":
            raise DataError("Complex data not supported: the target is complex, but a tree predicts reals.")
        raise DataError(
            f"The target should be a number, but row {bad} holds {_shown(given, bad)}.\n"
            "Hint: for classes, use TreeClassifier; text that means a number must be converted first."
        )
    numbers = _doubles(given)
    beyond = ~(np.abs(numbers) <= LARGEST)
    if beyond.any():
        row = int(np.argmax(beyond))
        raise DataError(
            f"Input y contains infinity or a value too large for dtype('float64'): row {row} holds "
            f"{_shown(given, row)}, and targets lie between -{LARGEST:g} and {LARGEST:g}."
        )
    return numbers


def read_weights(sample_weight: Any, n_rows: int) -> Numbers | None:
    """Return one weight per row, or None when all rows count the same."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Iterator):
        kind = type(sample_weight).__name__
        raise DataTypeError(f"sample_weight is of type {kind}, which can be read only once; give a list.")
    given = as_array(sample_weight, "sample_weight")
    if given.ndim == 0:
        given = np.full(n_rows, given)
    if given.ndim != 1:
        raise DataError(f"Sample weights must be 1D array or scalar; sample_weight has shape {given.shape}.")
    if len(given) != n_rows:
        raise DataError(
            f"sample_weight.shape == {given.shape}, but X has {many(n_rows, 'row')}; give one per row."
        )
    bad = _first_not_number(given)
    if bad is not None:
        raise DataError(
            f"sample_weight of row {bad} is {_shown(given, bad)}; weights are numbers, one per row."
        )
    weights = _doubles(given)
    wrong = ~((weights == 0) | ((weights >= SMALLEST_WEIGHT) & (weights <= LARGEST_WEIGHT)))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            f"sample_weight of row {row} is {_shown(given, row)}; weights are finite and not negative: "
            f"0, or from {SMALLEST_WEIGHT:g} to {LARGEST_WEIGHT:g}."
        )
    if not weights.any():
        raise DataError("sample_weight is zero in every row, so there is nothing to learn from.")
    return None if (weights == 1.0).all() else weights


# From whatever the caller has to one value per row


def _one_per_row(y: Any, n_rows: int, owner: str) -> Array:
    """Return the target as an array of one dimension in which nothing is missing."""
    if y is None:
        who = owner if owner.endswith("()") else f"This {owner} estimator"
        raise DataError(f"{who} requires y to be passed, but the target y is None.")
    given = as_array(y, "y")
    if given.ndim == 2 and given.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Hint: y.ravel().",
            DataConversionWarning,
            stacklevel=level_of_caller(),
        )
        given = given.ravel()
    if given.ndim != 1:
        raise DataError(
            f"y should be a 1d array, got {type(y).__name__} of shape {given.shape} instead; "
            "one target per row is learnt."
        )
    if len(given) != n_rows:
        raise DataError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {many(n_rows, 'row')}, but y has {len(given)}."
        )
    _refuse_missing(given)
    return given


def as_array(values: Any, name: str) -> Array:
    """Return a list, array, series or table as an array; masked values become None."""
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # which puts None where the mask is
    if isinstance(values, Sequence):
        # As objects, since ["a", 1] and ["a", nan] would turn into text without a word.
        try:
            return np.array(values, dtype=object)
        except ValueError as error:
            raise DataError(
                f"{name} is a list of lists of different lengths; give one value per row."
            ) from error
    given = np.asarray(values)
    # NumPy's text of variable width has its own missing value.
    return given.astype(object) if given.dtype.kind == "T" else given


def _refuse_missing(given: Array) -> None:
    missing = find_missing(given)
    if missing.any():
        raise DataError(
            f"Input y contains NaN: the target is missing in {missing.sum()} of {len(given)} rows "
            f"(first: row {np.argmax(missing)}).\nHint: drop these rows."
        )


def _shown(given: Array, row: int) -> str:
    """Return the target of a row for a message."""
    return shown(given[row : row + 1].tolist()[0])


# Numbers


def _first_not_number(given: Array) -> int | None:
    """Return the first row whose value is not a real number. Text never is one, even if it reads like one."""
    if given.dtype.kind in "biuf":
        return None
    if given.dtype.kind != "O":
        return 0
    return next((i for i, value in enumerate(given.tolist()) if not _is_number(value)), None)


def _is_number(value: Any) -> bool:
    # A NaN that signals is no number, and no float can be made of it.
    return not value.is_snan() if isinstance(value, Decimal) else isinstance(value, Real)


def _doubles(given: Array) -> Numbers:
    """Return real numbers as doubles; numbers that are too large become infinite."""
    try:
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(given, dtype=np.float64)
    except OverflowError:  # a whole number of more than 308 digits
        return np.array([_double(value) for value in given.tolist()])


def _double(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf


# Classes


def _plain_classes(given: Array) -> Array:
    """Return whole numbers and booleans as an array of their own type, text unchanged; refuse the rest."""
    values = given.tolist()
    kinds = {type(value) for value in values}
    text = {kind for kind in kinds if issubclass(kind, str)}
    if text and text != kinds:
        others = sorted(kind.__name__ for kind in kinds - text)
        raise DataError(f"The target mixes text with {listing(others)}.\nHint: make all of it text, or none.")
    if text:
        return given
    for kind in kinds:
        if not issubclass(kind, Integral | float | np.floating | np.bool_):
            row = next(i for i, value in enumerate(values) if type(value) is kind)
            raise DataError(
                f"Unknown label type: row {row} of the target holds {_shown(given, row)}, of type "
                f"{kind.__name__}; a class is text, a whole number, or True or False."
            )
    return np.array(values)


def _number_objects(given: Array) -> tuple[Array, Codes]:
    """Return the distinct objects in sorted order, and the number of each row's object."""
    values = given.tolist()
    classes = sorted(set(values))
    number_of = {label: number for number, label in enumerate(classes)}
    plain = [str.__str__(label) if isinstance(label, str) else label for label in classes]
    return np.array(plain, dtype=object), np.array([number_of[value] for value in values], dtype=np.int32)


def _refuse_no_class(given: Array) -> None:
    kind = given.dtype.kind
    if kind == "f":
        if not np.isfinite(given).all():
            row = int(np.argmin(np.isfinite(given)))
            raise DataError(
                f"Input y contains infinity: the target of row {row} is {_shown(given, row)}, no class."
            )
        fraction = given != np.floor(given)
        if fraction.any():
            row = int(np.argmax(fraction))
            raise DataError(
                f"Unknown label type: continuous. Row {row} of the target holds {_shown(given, row)}, and "
                "fractions are no classes.\n"
                "Hint: for numbers, use TreeRegressor; in candidates(), criterion='squared_error'."
            )
    elif kind not in "biuU":
        raise DataError(
            f"Unknown label type: the target has the dtype {given.dtype}; a class is text, a whole number, "
            "or True or False.\nHint: y.astype(str)."
        )
