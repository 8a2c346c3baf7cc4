"""The whole exception tree of the package, and the sentences that several messages share.

Errors are raised; warnings are given (_warning.py), and the work goes on.

ArboretumError                  everything the package raises on purpose
├── DataError       (ValueError)    the data hold something that cannot be used: a value, a shape, a name
├── DataTypeError   (TypeError)     the data are of a kind that cannot be read at all
├── ParameterError  (ValueError)    an option has a value that is not allowed
│   └── ParameterNameError  (TypeError as well)    there is no option of this name
├── PackageError    (ImportError)   an optional package is needed, but not installed
└── ClusterError    (RuntimeError)  a cluster lost its scheduler, or its workers over and over

ArboretumWarning (UserWarning)  everything the package warns of
├── IdentifierWarning       a column names single rows
├── TextWarning             a text column holds numbers or dates
├── WeightWarning           the weights leave hardly any row
├── RareClassWarning        a class has fewer rows than there are folds
├── OneLeafWarning          the tree asks nothing
├── UnknownLevelsWarning    many rows to predict hold a level that was not there when fitting
└── ConstantColumnWarning   a column that the tree asks about is the same in all rows to predict
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arboretum._wording import did_you_mean, shortened, shown, visible_lines

__all__ = [
    "ArboretumError",
    "ArboretumWarning",
    "ClusterError",
    "ConstantColumnWarning",
    "DataError",
    "DataTypeError",
    "IdentifierWarning",
    "OneLeafWarning",
    "PackageError",
    "ParameterError",
    "ParameterNameError",
    "RareClassWarning",
    "TextWarning",
    "UnknownLevelsWarning",
    "WeightWarning",
    "choices",
    "import_pandas",
    "listing",
    "some_of",
]


_LONGEST = 240  # letters of a value that is refused


class _Message(Exception):
    """A message that is short and safe to print."""

    def __init__(self, message: str = "", *details: Any) -> None:
        super().__init__(shortened(message), *details)

    def __str__(self) -> str:
        return visible_lines(super().__str__())


class ArboretumError(_Message):
    """The root of every error that the package raises on purpose. Its message is short and safe to print."""


class DataError(ArboretumError, ValueError):
    """The data hold something that cannot be used."""


class DataTypeError(ArboretumError, TypeError):
    """The data are of a kind that cannot be read."""


class ParameterError(ArboretumError, ValueError):
    """An option has a value that is not allowed."""


class ParameterNameError(ParameterError, TypeError):
    """There is no option of this name."""


class PackageError(ArboretumError, ImportError):
    """An optional package is needed, but not installed."""


class ClusterError(ArboretumError, RuntimeError):
    """A cluster could not finish the work: its scheduler is lost, or its workers die or stand still."""


class ArboretumWarning(_Message, UserWarning):
    """The root of every warning. Its message is short and safe to print, and ends in a hint what to do.

    `columns` has all columns that it is about, by name, each with a value found there as text (None where it
    is missing); the message names a few of them.
    """

    def __init__(self, message: str = "", columns: Mapping[str, str | None] | None = None) -> None:
        super().__init__(message)
        self.columns: dict[str, str | None] = dict(columns or {})


class IdentifierWarning(ArboretumWarning):
    """A column names single rows: nearly every level is there once, or numbers count the rows."""


class TextWarning(ArboretumWarning):
    """Nearly all values of a text column are numbers or dates."""


class WeightWarning(ArboretumWarning):
    """The weights of a few rows make nearly all others vanish."""


class RareClassWarning(ArboretumWarning):
    """A class has fewer rows than there are folds to choose the size of the tree by."""


class OneLeafWarning(ArboretumWarning):
    """The fitted tree is one leaf: it asks nothing and gives one answer for all rows."""


class UnprovenWarning(ArboretumWarning):
    """The search for the optimal tree was stopped before it was proven that there is none better."""


class UnknownLevelsWarning(ArboretumWarning):
    """Many of the rows to predict hold a level that was not there when fitting."""


class ConstantColumnWarning(ArboretumWarning):
    """A column that the tree asks about is the same in all of many rows to predict."""


def import_pandas(asker: str) -> Any:
    """Return the pandas module, which is optional, or say how to get it."""
    try:
        import pandas
    except ImportError as error:
        raise PackageError(
            f"{asker} returns a pandas data frame, but pandas is not installed. Hint: pip install pandas."
        ) from error
    return pandas


def choices(option: str, found: object, allowed: Iterable[object]) -> str:
    """Return the sentence that refuses a value that is not allowed.

    >>> print(choices("criterion", "ginni", ["gini", "entropy"]))
    criterion='ginni' is not known; choose 'gini', 'entropy'. Did you mean 'gini'?
    """
    known = list(allowed)
    allowed_text = ", ".join(map(repr, known))
    return (
        f"{option}={shown(found, _LONGEST)} is not known; choose {allowed_text}.{did_you_mean(found, known)}"
    )


def listing(names: Sequence[object], limit: int = 5) -> str:
    """Return the names quoted and separated by commas; of a long list only the beginning and the count.

    >>> print(listing(["a", "b", "c"], limit=2))
    'a', 'b' and 1 more
    """
    return some_of([repr(name) for name in names], limit)


def some_of(phrases: Sequence[str], limit: int = 5) -> str:
    """Return phrases separated by commas; of many only the first, and how many more there are."""
    first = ", ".join(phrases[:limit])
    return first if len(phrases) <= limit else f"{first} and {len(phrases) - limit} more"
