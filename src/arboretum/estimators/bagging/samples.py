"""Samples: which rows each tree is grown from. A sample depends on the seed and its number alone.

Where an order within queries is learnt, whole queries are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from arboretum._data.queries import Queries
from arboretum._grow.growth import ColumnDraw
from arboretum._types import Array, Codes, Mask, RowNumbers

Bootstrap = bool | Literal["balanced"]
_SEEDS: Final = 2**64


@dataclass(frozen=True, eq=False)
class Samples:
    """How the rows and columns of each tree are drawn, by the number of the tree."""

    seed: int
    n_rows: int
    n_drawn: int  # rows, or queries
    bootstrap: Bootstrap
    n_columns: int | None  # that each node may ask about; None: all
    classes: Codes | None = None  # of the rows, where all classes are drawn equally often
    queries: Queries | None = None  # of the rows, where whole queries are drawn

    def rows(self, number: int) -> RowNumbers | None:
        """Return the rows of a tree, in ascending order, as often as they were drawn; None: all of them."""
        if not self.leaves_rows_out:
            return None
        random = self._random(number, 0)
        if self.bootstrap is False:
            drawn = random.permutation(self._n_there)[: self.n_drawn]
        elif self.classes is None:
            drawn = random.integers(self._n_there, size=self.n_drawn)
        else:
            drawn = _of_each_class(self.classes, self.n_drawn, random)
        if self.queries is not None:
            times = np.bincount(drawn, minlength=len(self.queries))
            return np.repeat(np.arange(self.n_rows, dtype=np.uint32), times[self.queries.numbers])
        return np.sort(drawn.astype(np.uint32))

    def left_out(self, number: int) -> Mask:
        """Return which rows a tree was not grown from."""
        rows = self.rows(number)
        out = np.full(self.n_rows, rows is not None)
        if rows is not None:
            out[rows] = False
        return out

    def draw(self, number: int) -> ColumnDraw | None:
        """Return how the nodes of a tree draw their columns; None: they may ask about all."""
        if self.n_columns is None:
            return None
        return ColumnDraw(self.n_columns, int(self._random(number, 1).integers(_SEEDS, dtype=np.uint64)))

    @property
    def leaves_rows_out(self) -> bool:
        """Whether trees have rows that they were not grown from."""
        return self.bootstrap is not False or self.n_drawn < self._n_there

    @property
    def _n_there(self) -> int:
        """How many rows, or queries, there are to draw from."""
        return self.n_rows if self.queries is None else len(self.queries)

    def _random(self, number: int, use: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, number, use])


def _of_each_class(classes: Codes, n_drawn: int, random: np.random.Generator) -> Array:
    """Return rows, of which every class that is there has the same number, give or take one."""
    present = np.unique(classes)
    sizes = np.full(len(present), n_drawn // len(present))
    sizes[random.permutation(len(present))[: n_drawn % len(present)]] += 1
    return np.concatenate(
        [
            random.choice(np.flatnonzero(classes == k), size)
            for k, size in zip(present.tolist(), sizes.tolist(), strict=True)
        ]
    )
