"""What it takes to find the nearest change of a row that gives another prediction, in trees of many leaves.

`python benchmarks/counterfactuals.py` prints its part of RESULTS.md; speed.py writes it down with the others.
"""

from __future__ import annotations

import statistics
from functools import partial
from typing import Any

import numpy as np
from measuring import Report, once

from arboretum import TreeClassifier, TreeRegressor, counterfactual

TITLE = "## Counterfactuals"
NOTES = """\
{title}

Trees of up to 10,000 leaves, numbers in all columns. Each row is read from an array, searched for and checked
by predicting. Milliseconds a row, the median and the slowest of {n_rows} rows."""
N_ROWS = 50


def run(report: Report, share: float = 1.0) -> None:
    """Milliseconds a row for some tables and wishes."""
    report.say("\n" + NOTES.format(title=TITLE, n_rows=N_ROWS))
    report.begin_table("case", "leaves", "median", "slowest", "goal")
    for n_columns in (5, 20, 100):
        X = np.random.default_rng(n_columns).normal(size=(int(60_000 * share), n_columns))
        score = X[:, :5].sum(axis=1) + np.random.default_rng(1).normal(0, 2, len(X))
        classes = TreeClassifier(prune=None, max_leaf_nodes=10_000).fit(X, score > 0)
        numbers = TreeRegressor(prune=None, max_leaf_nodes=10_000).fit(X, score)
        other = ~classes.predict(X[:N_ROWS])
        high = float(np.quantile(score, 0.99))
        cases: dict[str, tuple[Any, list[Any], dict[str, Any]]] = {
            "the other class": (classes, other.tolist(), {}),
            "the other class, one change": (classes, other.tolist(), {"max_changes": 1}),
            "among the highest 1%": (numbers, [(high, None)] * N_ROWS, {}),
            "among the highest 1%, 3 answers": (numbers, [(high, None)] * N_ROWS, {"n": 3}),
        }
        for name, (model, desired, options) in cases.items():
            counterfactual(model, X[0], desired[0], **options)  # what is made once per tree
            found = [
                once(partial(counterfactual, model, row, wish, **options)) * 1e3
                for row, wish in zip(X[:N_ROWS], desired, strict=True)
            ]
            leaves = f"{model.get_n_leaves():,}"
            report.add_row(
                f"{n_columns} columns, {name}",
                leaves,
                f"{statistics.median(found):.1f}",
                f"{max(found):.1f}",
                "10",
            )


if __name__ == "__main__":
    run(Report())
