"""The table that fits on clusters are measured with, made on the workers, part by part.

Neither arboretum nor anything else but NumPy and pandas is needed here: other libraries make it in an
environment of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

__all__ = ["N_COLUMNS", "PART_ROWS", "held_out", "make_columns", "make_target", "part_sizes"]

N_COLUMNS = 20
PART_ROWS = 1_250_000  # of a partition, at most: 100 MB
_WRONG = 0.1


def part_sizes(n_rows: int) -> list[int]:
    """Return the rows of each partition, of which there are two or more."""
    n_parts = max(2, -(-n_rows // PART_ROWS))
    return [n_rows * (part + 1) // n_parts - n_rows * part // n_parts for part in range(n_parts)]


def make_columns(part: int, n_rows: int) -> pd.DataFrame:
    """Return the columns of a partition: float32, nearly all values different."""
    values = np.random.default_rng([0, part]).standard_normal((N_COLUMNS, n_rows), dtype=np.float32)
    return pd.DataFrame({f"x{number}": column for number, column in enumerate(values)}, copy=False)


def make_target(x: Any, part: int) -> pd.Series:
    """Return two classes that depend on five columns; a tenth is wrong."""
    score = x["x0"] + x["x1"] * x["x2"] + np.abs(x["x3"]) - (x["x4"] > 0.5)
    wrong = np.random.default_rng([1, part]).random(len(x), dtype=np.float32) < _WRONG
    return pd.Series(((score > 0.4) ^ wrong).to_numpy(dtype=np.int8), name="y")


def held_out() -> tuple[pd.DataFrame, pd.Series]:
    """Return rows that no fit has seen."""
    x = make_columns(1_000_000, 200_000)
    return x, make_target(x, 1_000_000)
