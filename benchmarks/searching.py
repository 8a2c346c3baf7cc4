"""Questions about several columns, lookahead, permutation tests: what they cost, what they are good for.

Words: *greedy* is the tree of ordinary questions, each the best at once. `python benchmarks/searching.py`
prints its parts of RESULTS.md and ACCURACY.md, with --write they take their places there; speed.py writes
down the first of them with the others.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import concepts
import numpy as np
import tables
from measuring import NOTHING, Report, medians, once, write_section

from arboretum import Lookahead, MofN, Oblique, Permutation, TreeClassifier, TreeRegressor

HERE = Path(__file__).parent
TITLE = "## Searches"
ACCURACY_TITLE = "## Concepts"
# A Python that has treeple: `make bench` makes one, the environment variable TREEPLE_PYTHON goes first.
TREEPLE = HERE.parent / "build" / "treeple" / "bin" / "python"
SEEDS = range(10)
N_TEST = 20_000

NOTES = """\
{title}

One thread, two classes, grown fully and not pruned; the median of {repeats} fits each, in turn. Greedy fits
use the fast source of nodes, the others lists of rows."""

ACCURACY_NOTES = """\
{title}

Made-up concepts (`benchmarks/concepts.py`), trees as they come, pruned by cross-validation, unless told.
Means over {n_seeds} tables each ± the standard error; error on {n_test:,} new rows without noise."""


# --- speed


def run(report: Report, share: float = 1.0) -> None:
    """Seconds of each search against the greedy one."""
    report.say("\n" + NOTES.format(title=TITLE, repeats=3))
    report.begin_table("10,000 x 20", "seconds", "times greedy", "goal", "leaves")
    X, y = tables.two_classes(int(10_000 * share), 20)
    models: dict[str, tuple[Any, str]] = {
        "greedy": (TreeClassifier(prune=None), NOTHING),
        "`Lookahead(top=64)`": (TreeClassifier(prune=None, search=Lookahead(top=64)), "100"),
        "`MofN()`": (TreeClassifier(prune=None, questions=MofN()), "50"),
        "`Oblique()`": (TreeClassifier(prune=None, questions=Oblique()), NOTHING),
    }
    show_costs(report, models, X, y)
    run_full_lookahead(report, share)
    run_permutation(report, share)
    run_treeple(report, share)


def show_costs(report: Report, models: dict[str, tuple[Any, str]], X: Any, y: Any) -> None:
    """One row for each model; the first is what the others are compared with."""
    works: dict[str, Callable[[], Any]] = {
        name: partial(model.fit, X, y) for name, (model, _) in models.items()
    }
    found = medians(works, 3)
    greedy = next(iter(found.values()))
    for name, (model, goal) in models.items():
        leaves = f"{model.get_n_leaves():,}"
        report.add_row(name, f"{found[name]:.3f}", f"{found[name] / greedy:.0f}", goal, leaves)


def run_full_lookahead(report: Report, share: float) -> None:
    """What it costs to look behind every question."""
    report.say("\nLookahead behind all questions (`top=None`), and two levels deep, on fewer rows:")
    report.begin_table("case", "seconds", "times greedy", "goal", "leaves")
    for n_rows, searches in (
        (1_000, (Lookahead(top=64), Lookahead(top=None))),
        (500, (Lookahead(top=64), Lookahead(depth=2, top=16))),
    ):
        X, y = tables.two_classes(int(n_rows * share), 20)
        models = {f"{n_rows:,} x 20, greedy": (TreeClassifier(prune=None), NOTHING)}
        models |= {
            f"{n_rows:,} x 20, `{search!r}`": (TreeClassifier(prune=None, search=search), NOTHING)
            for search in searches
        }
        show_costs(report, models, X, y)


def run_permutation(report: Report, share: float) -> None:
    """A tree that is stopped by permutation tests."""
    X, y = tables.two_classes(int(10_000 * share), 20)
    noise, labels = tables.noise(int(10_000 * share), 20)
    report.say("\nPermutation tests with 1,000 permutations in each node (goal: seconds):")
    report.begin_table("case", "seconds", "leaves", "nodes tested")
    for name, data in (("10,000 x 20", (X, y)), ("10,000 x 20, noise", (noise, labels))):
        model = TreeClassifier(prune=None, significance=Permutation(permutations=1000))
        spent = once(partial(model.fit, *data))
        tested = sum(node.p_value is not None for node in model.tree_.walk())
        report.add_row(name, f"{spent:.1f}", f"{model.get_n_leaves():,}", f"{tested:,}")


# --- against treeple


def treeple_fits(X: Any, y: Any, X_test: Any, y_test: Any, repeats: int) -> dict[str, Any] | None:
    """What treeple's oblique tree finds on a table; None if it is not installed."""
    python = os.environ.get("TREEPLE_PYTHON", str(TREEPLE))
    if not Path(python).exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npz"
        np.savez(path, X=X, y=y, X_test=X_test, y_test=y_test)
        command = [python, str(HERE / "grow_treeple.py"), str(path), str(repeats)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    return None if done.returncode else dict(json.loads(done.stdout))


def run_treeple(report: Report, share: float) -> None:
    """Unpruned trees side by side, in time and in error on new rows."""
    cases = {
        "rotated box, 10,000 x 20": (concepts.rotated, 10_000, 20),
        "rotated xor, 2,000 x 2": (concepts.rotated_xor, 2_000, 2),
        "rotated xor, 2,000 x 5": (concepts.rotated_xor, 2_000, 5),
    }
    rows, name = [], "treeple (not installed)"
    for case, (make, n_rows, n_columns) in cases.items():
        X, y = make(int(n_rows * share), n_columns, noise=0.0, seed=0)
        X_test, y_test = make(N_TEST, n_columns, noise=0.0, seed=1)
        ours, axis = TreeClassifier(prune=None, questions=Oblique()), TreeClassifier(prune=None)
        spent = statistics.median(once(partial(ours.fit, X, y)) for _ in range(3))
        axis.fit(X, y)
        theirs = treeple_fits(X, y, X_test, y_test, 5)
        cells = [NOTHING] * 4
        if theirs is not None:
            name, fits = theirs["name"], theirs["fits"]
            seconds, leaves, right = (statistics.median(fit[key] for fit in fits) for key in fits[0])
            cells = [f"{seconds:.3f}", f"{seconds / spent:.2f}", f"{leaves:.0f}", f"{right:.3f}"]
        own = [f"{spent:.3f}", *cells[:2], f"{ours.get_n_leaves()}", cells[2]]
        rows.append(
            [case, *own, f"{ours.score(X_test, y_test):.3f}", cells[3], f"{axis.score(X_test, y_test):.3f}"]
        )
    report.say(f"\n`Oblique()` against {name}, the median of five seeds; right answers on new rows:")
    titles = (
        "case",
        "ours",
        "treeple",
        "treeple / ours (goal: 1)",
        "leaves",
        "treeple's",
        "right",
        "treeple's",
    )
    report.begin_table(*titles, "ordinary tree")
    for row in rows:
        report.add_row(*row)


# --- accuracy


def run_accuracy(report: Report) -> None:
    """Size and error of trees with and without the search that suits the concept."""
    report.say(ACCURACY_NOTES.format(title=ACCURACY_TITLE, n_seeds=len(SEEDS), n_test=N_TEST))
    titles = ("leaves, ordinary", "leaves, with it", "error, ordinary", "error, with it")
    report.begin_table("concept", "rows", "noise", "tree", *titles)
    for k, n, distractors, n_rows in ((3, 7, 5, 500), (5, 10, 5, 1000), (5, 10, 20, 1000)):
        for noise in (0.0, 0.05, 0.1):
            make = partial(concepts.k_of_n, k=k, n=n, distractors=distractors)
            name = f"{k}-of-{n} and {distractors} distractors"
            compare(report, name, make, n_rows, noise, TreeClassifier, {"questions": MofN()})
    for n, distractors, depth, n_rows in ((2, 10, 1, 300), (2, 20, 1, 1000), (3, 8, 2, 500)):
        for noise in (0.0, 0.1):
            make = partial(concepts.parity, n=n, distractors=distractors)
            name = f"parity-{n} and {distractors} distractors"
            compare(report, name, make, n_rows, noise, TreeClassifier, {"search": Lookahead(depth=depth)})
    for name, make, n_columns in (
        ("rotated box of two sides", concepts.rotated, 5),
        ("rotated xor", concepts.rotated_xor, 2),
        ("rotated xor", concepts.rotated_xor, 5),
    ):
        for noise in (0.0, 0.1):
            made = partial(make, n_columns=n_columns)
            title = f"{name}, {n_columns} columns"
            compare(report, title, made, 2000, noise, TreeClassifier, {"questions": Oblique()})
    made = partial(concepts.ramp, n_columns=5)
    compare(report, "slanting steps, 5 columns", made, 2000, 0.3, TreeRegressor, {"questions": Oblique()})
    show_pathology(report)


def compare(
    report: Report, name: str, make: Any, n_rows: int, noise: float, estimator: Any, options: dict[str, Any]
) -> None:
    """One row: the ordinary tree and the one with these options."""
    found = []
    for seed in SEEDS:
        X, y = make(n_rows, noise=noise, seed=seed)
        X_test, y_test = make(N_TEST, noise=0.0, seed=1000 + seed)
        models = estimator().fit(X, y), estimator(**options).fit(X, y)
        errors = [float(np.mean((model.predict(X_test) - y_test) ** 2)) for model in models]
        found.append([*(model.get_n_leaves() for model in models), *errors])
    tree = "`" + ", ".join(f"{key}={value!r}" for key, value in options.items()) + "`"
    report.add_row(name, f"{n_rows:,}", f"{noise}", tree, *(show(column) for column in np.transpose(found)))


def show(values: Any) -> str:
    """Mean ± standard error."""
    return f"{np.mean(values):.3g} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.2g}"


def show_pathology(report: Report) -> None:
    """Looking ahead fits the training rows more closely, also where there is nothing to see."""
    report.say(
        "\nThe known pathology: unpruned trees of four levels, of 300 rows that one column tells apart, with"
        " 20 % of the labels turned around, among 20 columns of numbers that tell nothing. The further a"
        " search looks, the more it finds by chance."
    )
    report.begin_table("search", "leaves", "error on the training rows", "error on new rows")
    searches: dict[str, Any] = {"greedy": "greedy", "`Lookahead()`": Lookahead()}
    searches["`Lookahead(depth=2, top=24)`"] = Lookahead(depth=2, top=24)
    for name, search in searches.items():
        found = []
        for seed in SEEDS:
            random = np.random.default_rng(seed)
            X, X_test = random.normal(size=(300, 21)), random.normal(size=(N_TEST, 21))
            y = (X[:, 0] > 0).astype(np.int64) ^ (random.random(300) < 0.2)
            model = TreeClassifier(prune=None, max_depth=4, search=search).fit(X, y)
            wrong = float(np.mean(model.predict(X_test) != (X_test[:, 0] > 0)))
            found.append([model.get_n_leaves(), 1 - model.score(X, y), wrong])
        report.add_row(name, *(show(column) for column in np.transpose(found)))


# --- all of it


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1.0, help="share of the rows")
    parser.add_argument("--only", choices=("speed", "accuracy"), help="one part alone")
    parser.add_argument("--write", action="store_true", help="put the result into the reports")
    arguments = parser.parse_args()
    if arguments.only != "accuracy":
        report = Report()
        run(report, arguments.rows)
        if arguments.write and arguments.rows == 1.0:
            write_section(HERE / "RESULTS.md", TITLE, report.lines)
    if arguments.only != "speed":
        report = Report()
        run_accuracy(report)
        if arguments.write:
            write_section(HERE / "ACCURACY.md", ACCURACY_TITLE, report.lines)


if __name__ == "__main__":
    main()
