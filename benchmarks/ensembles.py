"""Ensembles: bagged trees and random forests beside scikit-learn's: growing, predicting, threads, memory.

`make bench` runs it with the rest; `python benchmarks/ensembles.py --write` alone, and puts the result into
RESULTS.md.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import tables
from measuring import NOTHING, Report, in_turn, medians, once, write_section
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from arboretum import BaggedClassifier, TreeClassifier

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
TITLE = "## Ensembles"
NOTES = """\
100,000 rows and 20 columns, two classes. Fully grown trees with all columns: the seconds of the processor for
each tree, by twelve of ours, the time of two taken off, and by two of scikit-learn's. Forests: 100 trees
of each, the square root of the columns, depth 10, two threads; the seconds of the processor, all threads
together, the better of two runs in turn, and the share of 50,000 other rows that are predicted right. XGBoost
is its forest mode (`XGBRFClassifier`, `hist`). Where labels are noisy, trees are larger. Predicting: the
seconds of the processor for all rows, or the seconds that pass for one, with 20 fully grown trees of each.
Two threads: the shortest of ten runs with one thread and with two, in turn; other work on the machine makes
it look worse than it is. Memory is what a process of its own needs above its data to grow 100 trees."""
N_TREES = 20
N_KEPT = 100  # whose memory is measured


def used(work: Callable[[], Any]) -> float:
    """The seconds of the processor of one run, all threads together."""
    start = time.process_time()
    work()
    return time.process_time() - start


def noisy_classes(n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """Three columns tell the classes apart, beneath as much noise."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n_rows, n_columns))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n_rows) > 0).astype(int)


TABLES: dict[str, Callable[[int, int], tuple[Any, Any]]] = {
    "two classes": tables.two_classes,
    "noisy labels": noisy_classes,
}


def bagged(n_trees: int, n_jobs: int = 1, max_features: Any = None, **options: Any) -> BaggedClassifier:
    """An ensemble of ours of trees as they are by default, which nobody prunes."""
    tree = TreeClassifier(prune=None, leaf="frequency", **options)
    return BaggedClassifier(tree, n_trees=n_trees, n_jobs=n_jobs, random_state=0, max_features=max_features)


def show_growing(report: Report, share: float) -> None:
    """Seconds for each fully grown tree, ours and theirs."""
    report.begin_table(
        "growing fully with all columns, for each tree",
        "arboretum",
        "BaggingClassifier",
        "theirs / ours",
        "goal",
    )
    theirs = BaggingClassifier(DecisionTreeClassifier(), n_estimators=2, random_state=0)
    for name, make in TABLES.items():
        X, y = make(int(100_000 * share), 20)
        ours = (fit_time(bagged(12), X, y) - fit_time(bagged(2), X, y)) / 10
        other = fit_time(theirs, X, y) / 2
        report.add_row(name, f"{ours:.3f}", f"{other:.3g}", f"{other / ours:.1f}", "20")


def show_forests(report: Report, share: float) -> None:
    """Seconds for 100 trees of a random forest, and how good they are, ours and theirs."""
    report.begin_table(
        "100 trees, sqrt columns, depth 10",
        "s of the processor",
        "theirs / ours",
        "goal",
        "right on other rows",
    )
    for name, make in TABLES.items():
        n_rows = int(100_000 * share)
        X, y = make(n_rows + n_rows // 2, 20)
        models = forests()
        for _ in range(2):
            for forest in models.values():
                forest.seconds = min(forest.seconds, fit_time(forest.model, X[:n_rows], y[:n_rows]))
        ours = models["arboretum"].seconds
        for library, forest in models.items():
            right = float((forest.model.predict(X[n_rows:]) == y[n_rows:]).mean())
            ratio = NOTHING if library == "arboretum" else f"{forest.seconds / ours:.1f}"
            report.add_row(f"{name}, {library}", f"{forest.seconds:.3g}", ratio, forest.goal, f"{right:.4f}")


@dataclass
class Forest:
    """A random forest of some library, and the shortest time that it took."""

    model: Any
    goal: str
    seconds: float = math.inf


def forests() -> dict[str, Forest]:
    """Random forests of 100 trees; without XGBoost where it is not installed."""
    ours = bagged(100, n_jobs=2, max_features="sqrt", max_depth=10)
    found = {
        "arboretum": Forest(ours, NOTHING),
        "scikit-learn": Forest(RandomForestClassifier(100, max_depth=10, n_jobs=2, random_state=0), "6"),
    }
    if find_spec("xgboost") is not None:
        make = import_module("xgboost").XGBRFClassifier
        options = {"n_estimators": 100, "max_depth": 10, "colsample_bynode": 0.21, "n_jobs": 2}
        found["XGBoost"] = Forest(make(**options, random_state=0), "1")
    return found


def fit_time(model: Any, X: Any, y: Any) -> float:
    """The seconds of the processor of a fit."""
    return used(lambda: model.fit(X, y))


def show_predicting(report: Report, share: float) -> None:
    """Seconds for many rows and for one."""
    report.begin_table("predicting", "arboretum", "scikit-learn", "scikit-learn / ours", "goal")
    for name, make in TABLES.items():
        X, y = make(int(100_000 * share), 20)
        ours = bagged(N_TREES, n_jobs=2).fit(X, y).set_params(n_jobs=1)
        forest = RandomForestClassifier(N_TREES, max_features=None, n_jobs=2, random_state=0)
        bagging = BaggingClassifier(DecisionTreeClassifier(), N_TREES, n_jobs=2, random_state=0)
        for theirs in (forest, bagging):
            theirs.fit(X, y).set_params(n_jobs=1)
            title = f"{name}, {type(theirs).__name__}"
            for rows, times, goal in (
                ("all rows", times_of_all(ours, theirs, X), 3),
                ("one row", times_of_one(ours, theirs, X[:1]), 20),
            ):
                cells = (f"{seconds:.3g}" for seconds in times)
                report.add_row(f"{title}, {rows}", *cells, f"{times[1] / times[0]:.1f}", f"{goal}")


def times_of_all(ours: Any, theirs: Any, X: Any) -> tuple[float, float]:
    """The seconds of the processor for all rows, the shortest of five runs in turn."""
    ours.predict(X[:10])  # makes its trees ready
    times = in_turn(
        {"ours": lambda: used(lambda: ours.predict(X)), "theirs": lambda: used(lambda: theirs.predict(X))}, 5
    )
    return min(times["ours"]), min(times["theirs"])


def times_of_one(ours: Any, theirs: Any, row: Any) -> tuple[float, float]:
    """The seconds that pass for one row."""
    one = medians({"ours": lambda: ours.predict(row), "theirs": lambda: theirs.predict(row)}, 100)
    return one["ours"], one["theirs"]


def show_threads_and_memory(report: Report, share: float) -> None:
    """How much sooner two threads are done, and the peak of memory."""
    n_rows = int(100_000 * share)
    X, y = tables.two_classes(n_rows, 20)
    works = {n_jobs: partial(once, lambda n=n_jobs: bagged(N_TREES, n_jobs=n).fit(X, y)) for n_jobs in (1, 2)}
    one, two = map(min, in_turn(works, 10).values())
    ours, theirs = (peak_memory(model, n_rows) for model in ("ours", "theirs"))
    report.begin_table("threads and memory", "found", "goal")
    report.add_row("two threads, times faster", f"{one / two:.2f}", "1.8")
    report.add_row("memory, MB", f"{ours:.0f}", NOTHING)
    report.add_row("memory of scikit-learn, MB", f"{theirs:.0f}", NOTHING)
    report.add_row("memory, in parts of scikit-learn's", f"{ours / theirs:.2f}", "1")


def peak_memory(model: str, n_rows: int) -> float:
    """Peak memory of a fit above what was there before, in megabytes."""
    script = (
        f"import os, sys; sys.path.insert(0, {str(HERE)!r}); import ensembles, tables\n"
        f"X, y = tables.two_classes({n_rows}, 20); model = ensembles.for_memory({model!r})\n"
        "model.fit(X[:1000], y[:1000])\n"
        "now = int(open('/proc/self/statm').read().split()[1]) * os.sysconf('SC_PAGE_SIZE')\n"
        "open('/proc/self/clear_refs', 'w').write('5'); model.fit(X, y)\n"
        "peak = [int(l.split()[1]) * 1024 for l in open('/proc/self/status') if l.startswith('VmHWM')][0]\n"
        "print((peak - now) / 1e6)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return float(done.stdout)


def for_memory(model: str) -> Any:
    """The model whose memory is measured."""
    if model == "ours":
        return bagged(N_KEPT)
    return BaggingClassifier(DecisionTreeClassifier(), n_estimators=N_KEPT, random_state=0)


def run(report: Report, share: float = 1.0) -> None:
    """Measure ensembles beside those of scikit-learn."""
    report.say(f"\n{TITLE}\n\n{NOTES}")
    show_growing(report, share)
    show_forests(report, share)
    show_predicting(report, share)
    show_threads_and_memory(report, share)


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1.0, help="share of the rows")
    parser.add_argument("--write", action="store_true", help="put the result into RESULTS.md")
    arguments = parser.parse_args()
    report = Report()
    run(report, arguments.rows)
    if arguments.write and arguments.rows == 1.0:
        write_section(RESULTS, TITLE, report.lines)


if __name__ == "__main__":
    main()
