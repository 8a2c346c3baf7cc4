"""Mean ranks over tables, and whether their differences mean anything (Demšar 2006).

Words: a *score* is the mean of a measure over the splits of a table; rank 1 is the best, ties share their
mean rank; the *critical difference* is how far two mean ranks must be apart to mean something.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import f as f_distribution
from scipy.stats import studentized_range

__all__ = ["Ranking", "critical_difference", "friedman", "groups_alike", "rank_peers"]

LEVEL = 0.05
# Scores that agree to so many digits are the same: what differs beyond is the order of a sum.
DIGITS = 6


@dataclass(frozen=True)
class Ranking:
    """The mean ranks of some peers, best first."""

    mean_ranks: pd.Series[Any]
    n_tables: int
    p_value: float  # of Friedman's test: are all peers alike?
    critical_difference: float


def rank_peers(scores: pd.DataFrame, *, higher_is_better: bool) -> Ranking:
    """Rank peers (columns) on tables (rows); peers that lack a table are left out."""
    complete = scores.dropna(axis=1)
    ranks = complete.round(DIGITS).rank(axis=1, ascending=not higher_is_better)
    means, n_tables = ranks.mean().sort_values(kind="stable"), len(ranks)
    return Ranking(
        means,
        n_tables,
        friedman(means.to_numpy(), n_tables)[1],
        critical_difference(len(means), n_tables),
    )


def friedman(mean_ranks: npt.NDArray[np.float64], n_tables: int) -> tuple[float, float]:
    """The statistic of Friedman's test as Iman and Davenport correct it, and its p-value."""
    k = len(mean_ranks)
    chi_squared = 12 * n_tables / (k * (k + 1)) * (float((mean_ranks**2).sum()) - k * (k + 1) ** 2 / 4)
    room = n_tables * (k - 1) - chi_squared
    if room <= 0:  # all tables rank alike
        return float("inf"), 0.0
    statistic = (n_tables - 1) * chi_squared / room
    return statistic, float(f_distribution.sf(statistic, k - 1, (k - 1) * (n_tables - 1)))


def critical_difference(n_peers: int, n_tables: int, level: float = LEVEL) -> float:
    """Nemenyi's, for all pairs of peers."""
    q = float(studentized_range.ppf(1 - level, n_peers, math.inf)) / math.sqrt(2)
    return q * math.sqrt(n_peers * (n_peers + 1) / (6 * n_tables))


def groups_alike(mean_ranks: npt.NDArray[np.float64], difference: float) -> list[tuple[int, int]]:
    """The longest runs (first, last) of sorted mean ranks that lie within the critical difference."""
    groups: list[tuple[int, int]] = []
    for first, rank in enumerate(mean_ranks):
        last = int(np.searchsorted(mean_ranks, rank + difference, side="right")) - 1
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups
