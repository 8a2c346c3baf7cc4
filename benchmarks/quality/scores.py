"""From records to scores: a table with a row per table and a column per peer, for one measure."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from .measures import MEASURES, Measure
from .tables import Table

__all__ = [
    "MEASURE",
    "RARE",
    "mean_score",
    "names_of",
    "rare_tables",
    "score_peers",
    "share_of_single_leaves",
]

MEASURE = {measure.key: measure for measure in MEASURES}
# Two classes of which one is rarer than this are unbalanced.
RARE = 0.18


def score_peers(records: pd.DataFrame, measure: Measure, tables: list[str]) -> pd.DataFrame:
    """The mean over splits; nan where a peer has no answer."""
    some = records[records["table"].isin(tables) & (records["split"] >= 0)]
    values = np.log(some[measure.key]) if measure.geometric else some[measure.key]
    means = values.groupby([some["table"], some["peer"]], sort=False).mean().unstack("peer")
    means = means.reindex(index=tables, columns=[name for name in records["peer"].unique() if name in means])
    return means.map(math.exp) if measure.geometric else means


def mean_score(scores: pd.Series[Any], measure: Measure) -> float:
    """The mean over tables, of those that have a score."""
    return float(np.exp(np.log(scores).mean()) if measure.geometric else scores.mean())


def names_of(tables: list[Table], *, of_classes: bool, made: bool | None = None) -> list[str]:
    """The names of the tables of one kind; of both, observed and made, unless one is asked for."""
    return [table.name for table in tables if table.of_classes == of_classes and made in (None, table.made)]


def rare_tables(tables: list[Table]) -> list[str]:
    """Tables of two classes with one that is rare, observed and made."""
    of_two = [table for table in tables if table.of_classes and len(table.classes) == 2]
    return [table.name for table in of_two if table.rarest_share < RARE]


def share_of_single_leaves(records: pd.DataFrame, tables: list[str]) -> pd.Series[Any]:
    """For each peer, the share of its fits that ask nothing."""
    some = records[records["table"].isin(tables) & (records["split"] >= 0)]
    return (some["leaves"] == 1).groupby(some["peer"], sort=False).mean()
