"""Typed columns as a matrix of numbers, for methods that can read nothing else.

Numbers are scaled to a standard deviation of 1, missing ones take the median and are marked in a column of
their own; each frequent level has a column. What is needed for that is learnt from the rows to fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from arboretum._data import ColumnData, Dataset
from arboretum._types import Indices, Numbers

_MOST_LEVELS: Final = 20  # of a column; the others have no column of their own


@dataclass(frozen=True, eq=False)
class _Levels:
    shown: Indices

    def matrix(self, data: ColumnData) -> Numbers:
        codes = np.where(data.is_missing(), -1, data.values)
        return np.asarray(codes[:, None] == self.shown, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Scale:
    middle: float
    mean: float
    spread: float
    marks_missing: bool

    def matrix(self, data: ColumnData) -> Numbers:
        missing = data.is_missing()
        values = np.where(missing, self.middle, _finite(data))
        scaled = (values - self.mean) / self.spread
        return np.column_stack([scaled, missing]) if self.marks_missing else scaled[:, None]


@dataclass(frozen=True, eq=False)
class Encoder:
    """How each column becomes numbers."""

    columns: tuple[_Levels | _Scale, ...]

    @staticmethod
    def of(data: Dataset) -> Encoder:
        """Learn it from these rows."""
        return Encoder(tuple([_levels(each) if _is_nominal(each) else _scale(each) for each in data.columns]))

    def matrix(self, data: Dataset) -> Numbers:
        """Return rows as numbers."""
        parts = [how.matrix(column) for how, column in zip(self.columns, data.columns, strict=True)]
        return np.column_stack(parts)


def _is_nominal(data: ColumnData) -> bool:
    return data.column.kind == "nominal"


def _levels(data: ColumnData) -> _Levels:
    known = data.values[~data.is_missing()]
    counts = np.bincount(known, minlength=1)
    order = np.argsort(-counts, kind="stable")[:_MOST_LEVELS]
    return _Levels(np.asarray(order[counts[order] > 0], dtype=np.intp))


def _scale(data: ColumnData) -> _Scale:
    missing = data.is_missing()
    known = _finite(data)[~missing]
    if not len(known):
        return _Scale(0.0, 0.0, 1.0, False)
    middle, mean, spread = float(np.median(known)), float(known.mean()), float(known.std())
    return _Scale(middle, mean, spread if spread > 0 else 1.0, bool(missing.any()))


def _finite(data: ColumnData) -> Numbers:
    largest = 1e150  # so that squares stay finite
    return np.clip(np.nan_to_num(data.values.astype(np.float64)), -largest, largest)
