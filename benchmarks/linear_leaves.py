"""Linear models in leaves on the tables of numbers: against means, LightGBM's `linear_tree` and Cubist.

`python -m benchmarks.linear_leaves` replaces the section in ACCURACY.md. It needs lightgbm and cubist.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arboretum import ArboretumWarning, LinearModel, TreeRegressor
from benchmarks.measuring import Report, write_section
from benchmarks.quality.encoding import OneHot, as_categories
from benchmarks.quality.made_tables import list_made_tables
from benchmarks.quality.measures import explained
from benchmarks.quality.real_tables import list_real_tables
from benchmarks.quality.splits import Split, list_splits
from benchmarks.quality.tables import Array, Table

TITLE = "## Linear models in the leaves"
N_SPLITS, SEED = 5, 0


def ours(leaf: Any) -> Callable[[Table, Split], tuple[Array, int]]:
    """Fit a tree with these leaves."""

    def answer(table: Table, split: Split) -> tuple[Array, int]:
        model = TreeRegressor(leaf=leaf).fit(table.X.iloc[split.train], table.y[split.train])
        return model.predict(table.X.iloc[split.test]), model.get_n_leaves()

    return answer


def lightgbm_linear(table: Table, split: Split) -> tuple[Array, int]:
    """One tree of LightGBM with linear leaves, of the size that ten folds find best."""
    lightgbm = import_module("lightgbm")
    X = as_categories(table)
    train, y = X.iloc[split.train], table.y[split.train]
    fold = np.random.default_rng(0).permutation(len(y)) % 10

    def fitted(n_leaves: int, rows: Array) -> Any:
        model = lightgbm.LGBMRegressor(
            n_estimators=1,
            learning_rate=1.0,
            linear_tree=True,
            linear_lambda=0.01,
            num_leaves=n_leaves,
            min_child_samples=10,
            verbose=-1,
            n_jobs=1,
        )
        return model.fit(train.iloc[rows], y[rows])

    def loss(n_leaves: int) -> float:
        total = 0.0
        for k in range(10):
            model = fitted(n_leaves, np.flatnonzero(fold != k))
            total += float(np.sum((y[fold == k] - model.predict(train.iloc[fold == k])) ** 2))
        return total

    best = min((2, 3, 4, 6, 8, 12, 16, 24, 31, 48), key=loss)
    model = fitted(best, np.arange(len(y)))
    leaves = model.booster_.dump_model()["tree_info"][0]["num_leaves"]
    return model.predict(X.iloc[split.test]), leaves


def cubist(table: Table, split: Split) -> tuple[Array, int]:
    """One model of Cubist: rules with linear models, which it prunes and smooths by itself."""
    encoder = OneHot(table, split.train)
    names = [f"x{number}" for number in range(encoder.encode(split.train[:1]).shape[1])]
    train, test = (pd.DataFrame(encoder.encode(rows), columns=names) for rows in (split.train, split.test))
    model = import_module("cubist").Cubist(random_state=0).fit(train, table.y[split.train])
    return model.predict(test), len(model.coeffs_)


METHODS: dict[str, Callable[[Table, Split], tuple[Array, int]]] = {
    "means": ours("shrinkage"),
    "linear": ours("linear"),
    "linear, path": ours(LinearModel(columns="path")),
    "linear, not smoothed": ours(LinearModel(smoothing=0.0)),
    "LightGBM": lightgbm_linear,
    "Cubist": cubist,
}


def main() -> None:
    """Measure and write the section."""
    warnings.simplefilter("ignore", ArboretumWarning)
    warnings.filterwarnings("ignore", category=UserWarning)
    tables = [t for t in (*list_real_tables(), *list_made_tables()) if not t.of_classes]
    report = Report()
    report.say(TITLE)
    report.say("")
    report.say(
        f"R² on held-out rows, the mean of {N_SPLITS} splits (a third held out), and in brackets the mean "
        'number of leaves. *means* is our default, *linear* is `leaf="linear"`, *path* and *not smoothed* '
        'are `LinearModel(columns="path")` and `LinearModel(smoothing=0)`; *LightGBM* is one tree with '
        "`linear_tree`, 10 rows per leaf at least and the number of leaves that ten folds find best, from 2 "
        "to 48; *Cubist* is one committee without neighbours, on columns of 0 and 1 for levels, with its "
        "number of rules. `python -m benchmarks.linear_leaves`"
    )
    report.begin_table("table", "rows", "columns", *METHODS)
    every: list[list[float]] = []
    for table in tables:
        cells, means, began = [], [], time.process_time()
        for method in METHODS.values():
            scores, leaves = [], []
            for split in list_splits(table, N_SPLITS, SEED):
                predicted, size = method(table, split)
                scores.append(explained(table.y[split.test], predicted))
                leaves.append(size)
            means.append(float(np.mean(scores)))
            cells.append(f"{np.mean(scores):.3f} ({np.mean(leaves):.0f})")
        best = int(np.argmax(means))
        cells[best] = f"**{cells[best]}**"
        every.append(means)
        report.add_row(table.name, f"{len(table.y):,}", str(table.X.shape[1]), *cells)
        print(f"   {time.process_time() - began:.0f} s")
    ranks = (-np.array(every)).argsort(axis=1).argsort(axis=1) + 1
    report.add_row("mean rank", "", "", *(f"{rank:.2f}" for rank in ranks.mean(axis=0)))
    write_section(Path(__file__).parent / "ACCURACY.md", TITLE, report.lines)


if __name__ == "__main__":
    main()
