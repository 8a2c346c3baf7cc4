"""The fingerprint of training data: tells later whether a table is the one that a tree was grown from.

Words: a fingerprint is 16 hexadecimal digits. Names, kinds, levels, values and their order count, the target
and weights as well; how values are stored does not, and neither does the library whose data frame they came
in.
It finds mix-ups, not forgeries: who wants to can make another table with the same fingerprint.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from arboretum import _core
from arboretum.dataset import Dataset

__all__ = ["TrainingData", "describe_training_data"]


@dataclass(frozen=True)
class TrainingData:
    """What a model file tells of the rows that its tree was grown from."""

    n_rows: int
    n_columns: int
    fingerprint: str


def describe_training_data(
    table: Dataset, targets: npt.NDArray[Any], weights: npt.NDArray[np.float64] | None
) -> TrainingData:
    """Return the size and fingerprint of a table with its targets, class numbers or numbers, and weights."""
    digest = hashlib.blake2b(digest_size=8)
    for data in table.columns:
        digest.update(repr(sorted(data.column.to_dict().items())).encode("utf-8", "surrogatepass"))
        digest.update(_core.fingerprint(data.values, data.missing).to_bytes(8, "little"))
    for values in (targets, weights):
        printed = 0 if values is None else _core.fingerprint(values)
        digest.update(printed.to_bytes(8, "little"))
    return TrainingData(table.n_rows, len(table.columns), digest.hexdigest())
