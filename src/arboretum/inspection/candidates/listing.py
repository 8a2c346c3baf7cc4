"""All questions of a node in one data frame, best first: by gain, gain ratio, worth, cost and the guard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arboretum._types import Integers, Numbers
from arboretum.inspection.candidates.asking import ROUNDING, AskedColumn, join, no_flags
from arboretum.inspection.candidates.rules import Rules

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("question", "column", "threshold", "levels", "missing"),
    *("gain", "gain_ratio", "impurity", "children", "impurities", "score", "p_value"),
)
NUMBERS = ("threshold", "gain", "gain_ratio", "impurity", "score", "p_value")  # others: words and tuples


def least_gain(asked: list[AskedColumn], guard: str | None, n_rows: int) -> float:
    """Return what a column must gain to win; C4.5 leaves out columns of very many levels if it can."""
    gains = [(each.gain, each.column) for each in asked if each.gain is not None]
    if guard is None or not gains:
        return 0.0
    everyone = [gain for gain, _ in gains]
    if guard == "average":
        return float(np.mean(everyone)) / (1 + ROUNDING)
    many = 0.3 * n_rows
    few = [gain for gain, column in gains if column.kind != "nominal" or len(column.levels or ()) < many]
    return float(np.mean(few or everyone)) - 1e-3


def ranks(merit: Numbers, same: float) -> Integers:
    """Return the place of each merit, the largest first; those no further apart than `same` share a place."""
    order = np.argsort(-merit, kind="stable")
    place = np.empty(len(merit), dtype=np.int64)
    place[order] = np.cumsum(np.diff(merit[order], prepend=merit[order[:1]]) < -same)
    return place


def best_first(
    asked: list[AskedColumn],
    rules: Rules,
    n_rows: int,
    costs: dict[str, float],
    pandas: Any,
    worth: Numbers | None = None,
) -> pd.DataFrame:
    """Return one frame of all lines; gains that differ by rounding only are equal and keep their order.

    `worth` says what questions are worth with what lies behind them: one row for each number of levels,
    NaN for questions that are not looked behind. These come last. The index tells the place of each line
    among those of its column, and of the columns before it.
    """
    parts = [part for each in asked for part in each.lines]
    n_lines = [len(each.divides) for each in asked]
    cost = np.repeat([costs.get(each.column.name, 1.0) for each in asked], n_lines)
    merit = join([part["corrected_gain" if rules.ratio is None else "gain_ratio"] for part in parts]) / cost
    largest = merit.max(initial=0.0) or 1.0
    # The last key comes first. What divides nothing comes after what divides but gains nothing.
    keys = [~join([each.divides for each in asked], np.bool_), ranks(merit, 1e-12 * largest)]
    allowed = no_flags(0)
    if worth is not None:
        keys += [
            ranks(each, 1e-9 * (each.max(initial=0.0) or 1.0)) for each in np.nan_to_num(worth, nan=-1.0)
        ]
    elif rules.ratio is not None:
        least = least_gain(asked, rules.ratio.guard, n_rows)
        may_win = np.array([each.gain is not None and each.gain >= least for each in asked], dtype=np.bool_)
        allowed = np.repeat(may_win, n_lines)
        keys += [~join([each.entered for each in asked], np.bool_), ~allowed]
    order = np.lexsort(keys)
    frame: pd.DataFrame = pandas.DataFrame(
        {
            name: join([part[name] for part in parts])
            if name in NUMBERS
            else pandas.Series([value for part in parts for value in part[name]], dtype=object)
            for name in COLUMNS
        }
    )
    frame = frame.iloc[order]
    if any(each.corrected for each in asked):
        corrected = join([part["corrected_gain"] for part in parts])
        frame.insert(COLUMNS.index("gain") + 1, "corrected_gain", corrected[order])
    if worth is not None:
        frame.insert(COLUMNS.index("gain"), "worth", worth[-1][order])
    elif rules.ratio is not None:
        frame.insert(list(frame.columns).index("gain_ratio") + 1, "allowed", allowed[order])
    if np.isnan(frame["score"]).all():
        frame = frame.drop(columns="score")
    if costs:
        frame.insert(COLUMNS.index("gain"), "cost", cost[order])
    return frame
