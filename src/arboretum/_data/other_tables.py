"""Tables that are given as an option other than X."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arboretum.errors import DataError, DataTypeError


@contextmanager
def table_called(option: str) -> Iterator[None]:
    """Let messages about a table name the option that holds it: those of the readers are about X.

    >>> with table_called("background"):
    ...     raise DataError("X has no rows.")
    Traceback (most recent call last):
    arboretum.errors.DataError: background has no rows.
    """
    try:
        yield
    except (DataError, DataTypeError) as error:
        told = str(error)
        if told.startswith("X "):
            told = f"{option}{told[1:]}"
        elif not told.startswith(f"{option} "):
            told = f"In {option}: {told}"
        raise type(error)(told) from error
