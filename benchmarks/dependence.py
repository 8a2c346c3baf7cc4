"""Partial dependence: seconds beside scikit-learn's, on the same trees and grids, and whether both agree.

`python benchmarks/dependence.py` prints its part of RESULTS.md, with --write it takes its place there;
speed.py writes it down with the others.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import tables
from measuring import Report, medians, once, seconds, write_section
from sklearn.inspection import partial_dependence as of_sklearn

from arboretum import TreeRegressor, partial_dependence

TITLE = "## Partial dependence"
LEAVES = (100, 1_000, 10_000)
NOTES = """\
{title}

Two columns, 50 x 50 points, the same tree and the same grid for both. Exact: the mean over {rows:,} rows of
ten columns (Friedman's), against `method="brute"` of scikit-learn, which runs once; ours is the shortest of
three runs. By the weights of the tree: against `method="recursion"`, medians of {repeats} runs each, in turn.
The last column is the largest difference between the two."""


def run(report: Report, share: float = 1.0) -> None:
    """Seconds of both ways, for trees of several sizes."""
    n_rows, repeats = int(100_000 * share), 21
    X, y = tables.friedman(n_rows, 10)
    X = np.ascontiguousarray(X, dtype=np.float64)
    report.say("\n" + NOTES.format(title=TITLE, rows=n_rows, repeats=repeats))
    for title, way in (("exact", _exact), ("by the weights of the tree", _by_weights)):
        goal = 100 if way is _exact else 1
        head = (f"{title}: leaves", "arboretum", "scikit-learn", "scikit-learn / ours", "goal")
        report.begin_table(*head, "largest difference")
        for leaves in LEAVES:
            model = TreeRegressor(prune=None, max_leaf_nodes=leaves).fit(X, y)
            ours, theirs, difference = way(model, X, repeats)
            report.add_row(
                f"{model.get_n_leaves():,}", f"{ours:.4f}", f"{theirs:.4g}", f"{theirs / ours:,.1f}",
                f"{goal}", f"{difference:.1e}",
            )  # fmt: skip


def _grid(X: Any) -> list[Any]:
    """Values that a float32 has, since scikit-learn compares those."""
    return [
        np.linspace(X[:, place].min(), X[:, place].max(), 50).astype(np.float32).astype(float)
        for place in (0, 1)
    ]


def _exact(model: Any, X: Any, repeats: int) -> tuple[float, float, float]:
    grid, twin, found = _grid(X), model.to_sklearn(), {}

    def ours() -> None:
        found["ours"] = partial_dependence(model, [0, 1], X, kind="exact", grid=grid).values

    def theirs() -> None:
        found["theirs"] = _ask_sklearn(twin, X, grid, "brute")

    times = seconds(ours, 3), once(theirs)
    return *times, float(np.abs(found["ours"] - found["theirs"]).max())


def _by_weights(model: Any, X: Any, repeats: int) -> tuple[float, float, float]:
    grid, twin, found = _grid(X), model.to_sklearn(), {}
    few = X[:1000]  # which scikit-learn wants, and does not look at

    def ours() -> None:
        found["ours"] = partial_dependence(model, [0, 1], kind="tree", grid=grid).values

    def theirs() -> None:
        found["theirs"] = _ask_sklearn(twin, few, grid, "recursion")

    times = medians({"ours": ours, "theirs": theirs}, repeats)
    return times["ours"], times["theirs"], float(np.abs(found["ours"] - found["theirs"]).max())


def _ask_sklearn(twin: Any, X: Any, grid: list[Any], method: str) -> Any:
    values = {0: grid[0], 1: grid[1]}
    return of_sklearn(twin, X, [0, 1], method=method, kind="average", custom_values=values)["average"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the result into RESULTS.md")
    parser.add_argument("--rows", type=float, default=1.0, help="share of the rows")
    arguments = parser.parse_args()
    written = Report()
    run(written, arguments.rows)
    if arguments.write:
        write_section(Path(__file__).parent / "RESULTS.md", TITLE, written.lines)
