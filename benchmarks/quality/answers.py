"""What a peer says about the held-out rows, in one form for all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .tables import Array, Table

__all__ = ["Answer", "spread_out"]

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Answer:
    """Predictions, the size of the tree, and what the fit took."""

    predicted: Array  # positions of classes, or numbers
    probabilities: Numbers | None  # a column per class of the table
    leaves: int
    seconds: float


def spread_out(table: Table, probabilities: Numbers, classes: Array) -> Numbers:
    """The probabilities of some classes, in the columns of all."""
    wide = np.zeros((len(probabilities), len(table.classes)))
    wide[:, table.numbered(classes)] = probabilities
    return wide
