"""Queries: which rows are put in an order together. Only rows of the same query are ever compared."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from arboretum._data.rows import read_labels
from arboretum._data.scalars import can_be_hashed
from arboretum._types import Array, Indices, Numbers
from arboretum._wording import shown
from arboretum.errors import DataError, DataTypeError


@dataclass(frozen=True, eq=False)
class Queries:
    """The number of each row's query; numbers run from 0 without gaps."""

    numbers: Indices

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.numbers)

    @cached_property
    def sizes(self) -> Indices:
        """The number of rows of each query."""
        return np.bincount(self.numbers)

    def __len__(self) -> int:
        return len(self.sizes)

    def take(self, rows: Array) -> Queries:
        """Return the queries of these rows, numbered anew in the order of their old numbers.

        A row may be taken again: its second copy is of a second copy of its query.

        >>> Queries(np.array([0, 0, 1])).take(np.array([0, 0, 1, 1, 2])).numbers.tolist()
        [0, 1, 0, 1, 2]
        """
        numbers, copies = self.numbers[rows], _copies(rows)
        if copies is not None:
            numbers = numbers * (int(copies.max()) + 1) + copies
        _, numbers = np.unique(numbers, return_inverse=True)
        return Queries(numbers.ravel().astype(np.intp))

    def sums(self, values: Numbers) -> Numbers:
        """Return the sum of a quantity of rows over each query."""
        return np.asarray(np.bincount(self.numbers, values, len(self)), dtype=np.float64)

    def means(self, values: Numbers) -> Numbers:
        """Return the mean of a quantity of rows over each query."""
        return np.asarray(self.sums(values) / self.sizes)


def read_queries(groups: Any, n_rows: int, owner: str, option: str = "groups") -> Queries:
    """Return the query of each row from one label per row, which may be anything that can be hashed."""
    if groups is None:
        raise DataError(
            f"{owner} puts the rows of each query in an order, but {option} is not given.\n"
            f"Hint: {option}=… takes one value per row, the same for all rows of a query; if all rows are of "
            f"one query, {option}=[0] * len(y)."
        )
    cells = read_labels(groups, option, n_rows).tolist()
    number_of: dict[Any, int] = {}
    try:
        numbers = [number_of.setdefault(cell, len(number_of)) for cell in cells]
    except TypeError as error:
        row = next(row for row, cell in enumerate(cells) if not can_be_hashed(cell))
        raise DataTypeError(
            f"{option} of row {row} is {shown(cells[row])}, of type {type(cells[row]).__name__}, which "
            "cannot name a query.\nHint: give text, whole numbers, or anything else that can be hashed."
        ) from error
    return Queries(np.array(numbers, dtype=np.intp))


def _copies(rows: Array) -> Indices | None:
    """Return how often each row was taken before; None if none is taken twice."""
    if rows.dtype == np.bool_ or not len(rows):
        return None
    order = np.argsort(rows, kind="stable")
    is_first = np.append(True, np.diff(rows[order].astype(np.int64)) != 0)
    if is_first.all():
        return None
    copies = np.empty(len(rows), dtype=np.intp)
    copies[order] = np.arange(len(rows)) - np.flatnonzero(is_first)[np.cumsum(is_first) - 1]
    return copies
