"""The whole exception tree of the package, and the sentences that several messages share.

ArboretumError                  everything the package raises on purpose
├── DataError       (ValueError)    the data hold something that cannot be used: a value, a shape, a name
├── DataTypeError   (TypeError)     the data are of a kind that cannot be read at all
├── ParameterError  (ValueError)    an option has a value that is not allowed
│   └── ParameterNameError  (TypeError as well)    there is no option of this name
└── PackageError    (ImportError)   an optional package is needed, but not installed
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arboretum._wording import did_you_mean, shortened, visible_lines

__all__ = [
    "ArboretumError",
    "DataError",
    "DataTypeError",
    "PackageError",
    "ParameterError",
    "ParameterNameError",
    "choices",
    "import_pandas",
    "listing",
]


class ArboretumError(Exception):
    """The root of every error that the package raises on purpose. Its message is short and safe to print."""

    def __init__(self, message: str = "", *details: Any) -> None:
        super().__init__(shortened(message), *details)

    def __str__(self) -> str:
        return visible_lines(super().__str__())


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
    return f"{option}={found!r} is not known; choose {allowed_text}.{did_you_mean(found, known)}"


def listing(names: Sequence[object], limit: int = 5) -> str:
    """Return the names quoted and separated by commas; of a long list only the beginning and the count.

    >>> print(listing(["a", "b", "c"], limit=2))
    'a', 'b' and 1 more
    """
    shown = ", ".join(map(repr, names[:limit]))
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"
