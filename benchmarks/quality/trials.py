"""What is asked of our default alone: an identifier, pure noise, and the chance of the folds.

Each trial returns one row per fit; they are kept beside the records and measured again with the default.
"""

from __future__ import annotations

import warnings
from typing import Any

import joblib
import numpy as np
import pandas as pd

from .made_tables import make_noise, with_identifier
from .measures import accuracy
from .peers import make_default
from .records import Plan
from .splits import Split, list_splits
from .tables import Table

__all__ = ["TRIALS", "remember_trials", "run_trials"]

NOISE_TABLES = 20
FOLD_SEEDS = 8
# Of each table of classes to which an identifier is added.
IDENTIFIER_SPLITS = 2

TRIALS = ("identifier", "noise", "fold_seeds")

Row = dict[str, Any]


def fit_default(table: Table, rows: Any, **options: Any) -> Any:
    """Our default on some rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make_default(table, **options).fit(table.X.iloc[rows], table.y[rows])


def try_identifier(plan: Plan, table: Table) -> list[Row]:
    """Accuracy without and with a column that has another text in every row."""
    named = with_identifier(table, plan.seed)
    rows = []
    for split in list_splits(table, plan.splits, plan.seed)[:IDENTIFIER_SPLITS]:
        found = [told_right(fit_default(one, split.train), one, split) for one in (table, named)]
        rows.append({"table": table.name, "split": split.number, "without": found[0], "with": found[1]})
    return rows


def told_right(model: Any, table: Table, split: Split) -> float:
    """Accuracy on the held-out rows."""
    return accuracy(table.y[split.test], np.asarray(model.predict(table.X.iloc[split.test])))


def try_noise(plan: Plan, number: int, *, of_classes: bool) -> list[Row]:
    """The leaves of a tree of nothing but noise."""
    table = make_noise(plan.seed + number, of_classes=of_classes)
    leaves = fit_default(table, np.arange(len(table.y))).get_n_leaves()
    return [{"table": "classes" if of_classes else "numbers", "split": number, "leaves": leaves}]


def try_fold_seeds(plan: Plan, table: Table) -> list[Row]:
    """The leaves of trees that differ only in the chance that deals rows out to folds."""
    split = list_splits(table, plan.splits, plan.seed)[0]
    return [
        {
            "table": table.name,
            "split": seed,
            "leaves": fit_default(table, split.train, random_state=seed).get_n_leaves(),
        }
        for seed in range(FOLD_SEEDS)
    ]


def run_trials(plan: Plan, real: list[Table]) -> dict[str, pd.DataFrame]:
    """Run all trials and keep what was found."""
    print("identifiers, noise, fold seeds …", flush=True)
    large_first = sorted(real, key=lambda table: table.X.size, reverse=True)
    of_classes = [table for table in large_first if table.of_classes]
    numbers = range(NOISE_TABLES)
    calls = {
        "identifier": [joblib.delayed(try_identifier)(plan, table) for table in of_classes],
        "noise": [
            joblib.delayed(try_noise)(plan, number, of_classes=kind)
            for number in numbers
            for kind in (True, False)
        ],
        "fold_seeds": [joblib.delayed(try_fold_seeds)(plan, table) for table in large_first],
    }
    found = {}
    plan.folder.mkdir(parents=True, exist_ok=True)
    for name in TRIALS:
        rows = joblib.Parallel(n_jobs=plan.jobs, batch_size=1)(calls[name])
        found[name] = pd.DataFrame([row for some in rows for row in some])
        found[name].to_csv(plan.folder / f"trial_{name}.csv", index=False)
    return found


def remember_trials(plan: Plan, real: list[Table]) -> dict[str, pd.DataFrame]:
    """What was found before on these tables; a trial that was not run is missing."""
    names = [table.name for table in real]
    found = {}
    for trial in TRIALS:
        path = plan.folder / f"trial_{trial}.csv"
        if path.exists():
            rows = pd.read_csv(path)
            found[trial] = rows if trial == "noise" else rows[rows["table"].isin(names)]
    return found
