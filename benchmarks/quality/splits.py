"""Which rows are held out: a third of each table, again and again, the same for all peers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from .tables import Array, Table

__all__ = ["HELD_OUT", "Split", "list_splits"]

HELD_OUT = 1 / 3


@dataclass(frozen=True)
class Split:
    """The rows to learn from and those to judge by, each in the order of the table."""

    number: int
    train: Array
    test: Array


def list_splits(table: Table, n_splits: int, seed: int) -> list[Split]:
    """Repeated splits; each class has its share on both sides."""
    kind: Any = StratifiedShuffleSplit if table.of_classes else ShuffleSplit
    drawn = kind(n_splits, test_size=HELD_OUT, random_state=seed).split(np.zeros((len(table.y), 1)), table.y)
    return [Split(number, np.sort(train), np.sort(test)) for number, (train, test) in enumerate(drawn)]
