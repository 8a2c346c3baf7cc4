"""What a model keeps of its training data: its size, its gaps and levels, and its fingerprint.

The fingerprint shows whether a table is the one that a tree was grown from. It depends on the names, kinds,
levels and values of the columns, their order, the target and the weights, but not on how values are stored or
on the library of the data frame. It finds mix-ups, not forgeries: another table with the same fingerprint can
be made on purpose.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arboretum import _core
from arboretum._data import Column, ColumnData, Dataset
from arboretum._data.suspicions import Suspicion
from arboretum._types import Array, Numbers


@dataclass(frozen=True)
class TrainingData:
    """What a model file says about the rows that its tree was grown from."""

    n_rows: int
    n_columns: int
    fingerprint: str
    # Of each column, how many rows are missing and, if it has levels, how many of them some row has; and the
    # columns that are probably not what they were meant to be. None: an old file does not say.
    missing: tuple[int, ...] | None = None
    levels: tuple[int | None, ...] | None = None
    suspicions: tuple[Suspicion, ...] | None = None


def describe_training_data(
    table: Dataset, targets: Array, weights: Numbers | None, suspicions: tuple[Suspicion, ...] = ()
) -> TrainingData:
    """Return what to keep of a table with its targets, class numbers or numbers, and weights."""
    columns = [_core.fingerprint(data.values, data.missing) for data in table.columns]
    others = [0 if values is None else _core.fingerprint(values) for values in (targets, weights)]
    return TrainingData(
        table.n_rows,
        len(table.columns),
        joint_fingerprint(table.schema, columns, others),
        missing=tuple(table.missing_counts().values()),
        levels=tuple(_levels_with_rows(data) for data in table.columns),
        suspicions=suspicions,
    )


def joint_fingerprint(schema: Sequence[Column], columns: Sequence[int], others: Sequence[int]) -> str:
    """Return the fingerprint of a table from those of its columns, its targets and its weights."""
    digest = hashlib.blake2b(digest_size=8)
    for column, printed in zip(schema, columns, strict=True):
        digest.update(repr(sorted(column.to_dict().items())).encode("utf-8", "surrogatepass"))
        digest.update(printed.to_bytes(8, "little"))
    for printed in others:
        digest.update(printed.to_bytes(8, "little"))
    return digest.hexdigest()


def _levels_with_rows(data: ColumnData) -> int | None:
    """Return how many levels some row has; None where there are no levels."""
    if data.column.levels is None:
        return None
    values = data.values if data.missing is None else data.values[~data.missing]
    return int(np.count_nonzero(np.bincount(values, minlength=1)))
