"""Growing the trees and judging them on held-out rows; what was measured is kept in build/held_out.

A run that was ended is continued by the next one: trials whose records are there are not repeated.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.quality.measures import accuracy, explained
from benchmarks.quality.splits import Split, list_splits
from benchmarks.quality.tables import Array, Table

from .kinds import KINDS, Kind

__all__ = [
    "ALL",
    "MOST_COLUMNS",
    "MOST_LEVELS",
    "ROWS",
    "SEED",
    "Trial",
    "chosen_tables",
    "list_trials",
    "run_trials",
]

SEED = 2026
ROWS = (100, 300, 1_000)
ALL = 0  # stands for all training rows
MOST_COLUMNS = 20
MOST_LEVELS = 8  # that `Optimal` divides in every way
KEPT = Path(__file__).parents[2] / "build" / "held_out"

Record = dict[str, Any]


def chosen_tables(tables: list[Table]) -> list[Table]:
    """Return those that are small enough."""
    return [
        table for table in tables if table.X.shape[1] <= MOST_COLUMNS and table.most_levels <= MOST_LEVELS
    ]


@dataclass(frozen=True)
class Trial:
    """One split of a table, with so many training rows."""

    table: Table
    split: Split
    n_rows: int  # ALL: all of them

    @property
    def path(self) -> Path:
        """Where its records are kept."""
        size = self.n_rows or "all"
        return KEPT / f"seed{SEED}" / f"{self.table.name}_{self.split.number}_{size}.json"

    @property
    def rows(self) -> Array:
        """Return the training rows: a smaller number is part of a larger one."""
        if self.n_rows == ALL:
            return self.split.train
        drawn = np.random.default_rng([SEED, self.split.number]).permutation(self.split.train)
        return np.sort(drawn[: self.n_rows])


def list_trials(tables: list[Table], n_splits: int) -> Iterator[Trial]:
    """Yield all trials, one round of all tables after the other."""
    splits = [list_splits(table, n_splits, SEED) for table in tables]
    for number in range(n_splits):
        for table, of_table in zip(tables, splits, strict=True):
            split = of_table[number]
            for n_rows in (*ROWS, ALL):
                if n_rows < len(split.train):
                    yield Trial(table, split, n_rows)


def run_trials(trials: list[Trial]) -> pd.DataFrame:
    """Return the records of all trials; those that are missing are measured now."""
    records: list[Record] = []
    for number, trial in enumerate(trials, 1):
        if not trial.path.exists():
            start = time.process_time()
            found = [measure(trial, kind, depth) for kind in KINDS for depth in kind.depths(len(trial.rows))]
            trial.path.parent.mkdir(parents=True, exist_ok=True)
            trial.path.write_text(json.dumps(found), encoding="utf-8")
            spent = time.process_time() - start
            print(f"[{number}/{len(trials)}] {trial.path.stem}: {spent:.1f} CPU seconds", flush=True)
        records += json.loads(trial.path.read_text(encoding="utf-8"))
    return pd.DataFrame(records)


def measure(trial: Trial, kind: Kind, depth: int | None) -> Record:
    """Grow one tree and judge it."""
    table, rows, test = trial.table, trial.rows, trial.split.test
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rare classes, and of proofs that are not finished
        model = kind.make(table, depth).fit(table.X.iloc[rows], table.y[rows])
    spent = time.process_time() - start
    certificate = getattr(model, "optimality_", None)
    return {
        "table": table.name,
        "of_classes": table.of_classes,
        "split": trial.split.number,
        "rows": trial.n_rows,
        "kind": kind.name,
        "depth": depth or 0,
        "training": error(model, table, rows),
        "held_out": error(model, table, test),
        "leaves": model.get_n_leaves(),
        "proven": None if certificate is None else bool(certificate.proven),
        "seconds": spent,
    }


def error(model: Any, table: Table, rows: Array) -> float:
    """Return the share of rows that the tree gets wrong, or of the variance that it does not explain."""
    predicted = np.asarray(model.predict(table.X.iloc[rows]))
    return 1.0 - (accuracy if table.of_classes else explained)(table.y[rows], predicted)
