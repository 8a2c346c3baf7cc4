"""The tables and limits at which optimal trees are compared with those of ConTree and STreeD.

Nothing but the standard library and NumPy: other programs read this file in an environment of their own. The
random numbers are those of `random`, which are the same in every version of Python.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Final

import numpy as np


@dataclass(frozen=True)
class Case:
    """A table of whole numbers, and what the tree is limited by."""

    seed: int
    rows: int
    columns: int
    values: int  # distinct ones of a column, at most
    classes: int  # 0: numbers
    depth: int
    leaves: int | None = None
    least: int = 1  # rows in a leaf
    price: float = 0.0  # of a leaf, as a share of the rows

    @property
    def name(self) -> str:
        """What it is, in words that a file can be searched for."""
        targets = f"{self.classes} classes" if self.classes else "numbers"
        limits = "".join(
            f", {what} {value}"
            for what, value, usual in (
                ("leaves", self.leaves, None),
                ("least", self.least, 1),
                ("price", self.price, 0.0),
            )
            if value != usual
        )
        return (
            f"seed {self.seed}: {self.rows} x {self.columns} of {self.values}, {targets}, "
            f"depth {self.depth}{limits}"
        )

    @property
    def is_coarse(self) -> bool:
        """Whether STreeD can be given each threshold as a column."""
        return self.columns * self.values <= 120

    def table(self) -> tuple[Any, Any]:
        """Return columns and targets: a noisy tree of four questions."""
        draw = random.Random(self.seed)
        X = np.array([[draw.randrange(self.values) for _ in range(self.columns)] for _ in range(self.rows)])
        score = np.zeros(self.rows)
        for _ in range(4):
            one, two = draw.randrange(self.columns), draw.randrange(self.columns)
            cut, other = draw.randrange(self.values), draw.randrange(self.values)
            score += (draw.randrange(9) - 4) * ((X[:, one] < cut) ^ (X[:, two] < other))
        score += [draw.randrange(-3, 4) for _ in range(self.rows)]
        if not self.classes:
            return X, score
        return X, np.mod(score, self.classes).astype(int)


CASES: Final = (
    Case(1, 800, 6, 1000, 2, 3),
    Case(2, 600, 5, 1000, 3, 3),
    Case(3, 1500, 8, 1000, 4, 2),
    Case(4, 250, 4, 1000, 2, 4),
    Case(5, 200, 5, 40, 3, 4),
    Case(6, 1000, 8, 15, 2, 3),
    Case(7, 500, 6, 20, 5, 3),
    Case(8, 400, 10, 12, 2, 3, leaves=5),
    Case(9, 300, 6, 10, 3, 4, leaves=5),
    Case(10, 600, 8, 10, 2, 3, least=25),
    Case(11, 300, 6, 10, 4, 3, least=8),
    Case(12, 500, 8, 12, 2, 4, price=0.02),
    Case(13, 400, 6, 20, 3, 3, price=0.0075),
    Case(14, 500, 6, 20, 0, 2),
    Case(15, 300, 5, 16, 0, 3),
    Case(16, 400, 6, 12, 0, 3, least=15),
)
