"""The fingerprint of training data, which shows whether a table is the one that a tree was grown from.

It depends on the names, kinds, levels and values of the columns, their order, the target and the weights, but
not on how values are stored or on the library of the data frame. It finds mix-ups, not forgeries: another
table with the same fingerprint can be made on purpose.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from arboretum import _core
from arboretum._data import Dataset
from arboretum._types import Array, Numbers


@dataclass(frozen=True)
class TrainingData:
    """What a model file says about the rows that its tree was grown from."""

    n_rows: int
    n_columns: int
    fingerprint: str


def describe_training_data(table: Dataset, targets: Array, weights: Numbers | None) -> TrainingData:
    """Return the size and fingerprint of a table with its targets, class numbers or numbers, and weights."""
    digest = hashlib.blake2b(digest_size=8)
    for data in table.columns:
        digest.update(repr(sorted(data.column.to_dict().items())).encode("utf-8", "surrogatepass"))
        digest.update(_core.fingerprint(data.values, data.missing).to_bytes(8, "little"))
    for values in (targets, weights):
        printed = 0 if values is None else _core.fingerprint(values)
        digest.update(printed.to_bytes(8, "little"))
    return TrainingData(table.n_rows, len(table.columns), digest.hexdigest())
