"""How far two kinds of trees are apart: the mean difference over tables, and how sure that is.

A table counts once, by the mean over its splits: the splits of a table share rows, the tables do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import t as students_t

__all__ = ["FEWEST_TABLES", "Difference", "Shape", "compare", "in_per_cent", "of_shape"]

FEWEST_TABLES = 4  # of fewer, an interval says nothing


@dataclass(frozen=True)
class Shape:
    """Which records belong together: classes or numbers, how many training rows, how deep the trees."""

    of_classes: bool
    rows: int
    depth: int


@dataclass(frozen=True)
class Difference:
    """The mean over tables, the half-width of its 95% interval, and how many tables are below or above 0."""

    mean: float
    half: float
    below: int
    above: int

    def __str__(self) -> str:
        """In per cent."""
        return f"{in_per_cent(self.mean)} ± {100 * self.half:.1f}"

    @property
    def tables(self) -> str:
        """Tables that got better : worse."""
        return f"{self.below} : {self.above}"


def in_per_cent(difference: float) -> str:
    """Return a difference with its sign, which 0.0 has not."""
    shown = f"{100 * difference:+.1f}"
    return "0.0" if shown in ("+0.0", "-0.0") else shown


def of_shape(records: pd.DataFrame, kind: str, shape: Shape) -> pd.DataFrame:
    """Return the means of a kind of tree by table; the depth does not matter to kinds that have none."""
    own = records[
        (records["kind"] == kind)
        & (records["of_classes"] == shape.of_classes)
        & (records["rows"] == shape.rows)
        & records["depth"].isin([0, shape.depth])
    ]
    return own.groupby("table")[["training", "held_out", "leaves"]].mean()


def compare(records: pd.DataFrame, kind: str, other: str, shape: Shape) -> Difference | None:
    """Return the held-out errors of a kind less those of another; None if few tables have both."""
    means = [of_shape(records, each, shape)["held_out"] for each in (kind, other)]
    apart = (means[0] - means[1]).dropna().to_numpy()
    if len(apart) < FEWEST_TABLES:
        return None
    spread = apart.std(ddof=1) / np.sqrt(len(apart))
    half = float(students_t.ppf(0.975, len(apart) - 1) * spread)
    return Difference(float(apart.mean()), half, int((apart < -1e-12).sum()), int((apart > 1e-12).sum()))
