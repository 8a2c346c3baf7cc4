"""The tables that others' trees are known for: those of the parity tests, read as data frames.

Words: a *task* is a table with the target to be told from its other columns; *encoded* is a table as numbers.
ARBORETUM_ORACLES names the folder, as for the tests; without it, the tables bundled with them are read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["KnownTask", "encoded", "list_tasks"]

BUNDLED = Path(__file__).parents[1] / "tests" / "parity" / "data"
DESCRIPTIONS = ("datasets.json", "datasets_weka.json")

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class KnownTask:
    """A table and its target."""

    name: str
    path: Path
    columns: tuple[dict[str, Any], ...]  # what is known of each: its name, kind, levels
    target: str
    exclude: tuple[str, ...]
    of_classes: bool

    @cached_property
    def rows(self) -> tuple[pd.DataFrame, Array]:
        """The columns that may be asked about and the target, of all rows whose target is known."""
        kinds = {column["name"]: column for column in self.columns}
        texts = pd.read_csv(self.path, dtype=str, keep_default_na=False, encoding="utf-8")
        texts = texts[texts[self.target] != ""].reset_index(drop=True)
        asked = [name for name in texts if name not in (self.target, *self.exclude)]
        X = pd.DataFrame({name: read_column(texts[name], kinds[name]) for name in asked})
        y = texts[self.target].to_numpy(dtype=str)
        return X, y if self.of_classes else y.astype(np.float64)


def read_column(texts: pd.Series, known: dict[str, Any]) -> Any:
    """A column as it is meant: numbers, or levels in their order; an empty field is a missing value."""
    if known["kind"] == "numeric":
        return pd.to_numeric(texts.where(texts != "")).astype(np.float64)
    return pd.Categorical(texts.where(texts != ""), known["levels"], ordered=known["kind"] == "ordered")


def list_tasks() -> list[KnownTask]:
    """Every table with every target that is a class or a number, in the order of the alphabet."""
    folder = Path(os.environ.get("ARBORETUM_ORACLES", BUNDLED))
    stored = [folder / name for name in DESCRIPTIONS if (folder / name).exists()]
    tables = [table for path in stored for table in json.loads(path.read_text(encoding="utf-8"))["tables"]]
    return sorted((task for table in tables for task in tasks_of(table, folder)), key=lambda task: task.name)


def tasks_of(table: dict[str, Any], folder: Path) -> Iterator[KnownTask]:
    """The tasks of one table. Counts are left out: they have the same targets as the numbers."""
    path = folder / "data" / f"{table['id']}.csv"
    for task in table["tasks"]:
        if task["task"] != "poisson":
            yield KnownTask(
                table["id"] if task["id"] == "main" else f"{table['id']}, {task['id']}",
                path if path.exists() else path.with_name(f"{path.name}.gz"),
                tuple(table["cols"]),
                task["target"],
                tuple(task["exclude"]),
                task["task"] == "classification",
            )


def encoded(X: pd.DataFrame) -> Array:
    """The table for those who read numbers only: one column of 0 and 1 per level, places for ordered levels.

    Two levels without a missing value need one column only. A missing level is 0 in all columns of its own,
    a missing number or place is NaN.
    """
    columns: list[Array] = []
    for name in X:
        column = X[name]
        if not isinstance(column.dtype, pd.CategoricalDtype):
            columns.append(column.to_numpy(dtype=np.float64))
            continue
        codes = column.cat.codes.to_numpy()
        if column.cat.ordered:
            columns.append(np.where(codes >= 0, codes, np.nan))
            continue
        n_levels = len(column.cat.categories)
        first = 1 if n_levels == 2 and (codes >= 0).all() else 0
        columns += [(codes == level).astype(np.float64) for level in range(first, n_levels)]
    return np.column_stack(columns)
