"""Growing and predicting, side by side with others in one run: ratios, peak memory, growth with size.

`make bench` runs all of it (half an hour, nearly all of it others') and writes RESULTS.md beside this file;
`python benchmarks/speed.py --only noise --rows 0.1` runs some of the cases on a tenth of the rows.
Times are wall-clock seconds of one thread on data in memory, the reading of the table included.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import classics
import counterfactuals
import dependence
import ensembles
import explaining
import numpy as np
import optimal
import pictures
import pruning
import resampling
import rivals
import searching
import sklearn
import tables
from cases import Case, list_cases
from measuring import NOTHING, Report, medians, processor, seconds
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import arboretum
from arboretum import TreeClassifier, TreeRegressor

HERE = Path(__file__).parent
TWINS: dict[type[Any], type[Any]] = {
    TreeClassifier: DecisionTreeClassifier,
    TreeRegressor: DecisionTreeRegressor,
}

NOTES = """\
One thread, one tree as it is grown: nobody prunes. Ours is the shortest of three runs, the others run once;
iris is the median of 200 fits each, in turn. The rivals LightGBM (255 bins), XGBoost (hist) and YDF (CART)
keep to the same limits; the time to make their own data sets counts. LightGBM grows at most as many leaves as
we do, and at most 131,072. It would grow one tree per class: where there are more than two, it is given the
class number to regress. Mixed are ten numeric columns with 5 to 10 % missing and ten nominal ones of 2 to
1,000 levels; the rivals dampen levels as they do by default, and scikit-learn is given their positions, made
beforehand."""


def works_of(case: Case, X: Any, y: Any, growers: dict[str, rivals.Rival]) -> dict[str, Callable[[], Any]]:
    """What each library has to do in a case; those that are not there are left out."""

    def ours() -> Any:
        return case.model(**case.limits, prune=None).fit(X, y)

    numbers = tables.encoded(X)
    works = {
        "arboretum": ours,
        "scikit-learn": lambda: TWINS[case.model](**case.limits, random_state=0).fit(numbers, y),
    }
    order = rivals.Order(
        n_classes=len(np.unique(y)) if case.model is TreeClassifier else 0,
        max_depth=case.limits.get("max_depth"),
        min_leaf=case.limits.get("min_samples_leaf", 1),
        n_leaves=ours().get_n_leaves(),
    )
    for name in case.rivals:
        if name in growers:
            works[name] = partial(growers[name], X, y, order)
    return works


def run_case(case: Case, X: Any, y: Any, growers: dict[str, rivals.Rival]) -> dict[str, float]:
    """The seconds that each library takes."""
    works = works_of(case, X, y, growers)
    if case.repeats:
        return medians(works, case.repeats)
    return {name: seconds(work, 3 if name == "arboretum" else 1) for name, work in works.items()}


def show_case(report: Report, case: Case, times: dict[str, float]) -> None:
    """Add a case to the table: times first, then how many times faster we are."""
    ours, sklearns = times["arboretum"], times["scikit-learn"]
    found = [times[name] / ours for name in rivals.PACKAGES if name in times]
    report.add_row(
        case.name,
        f"{ours:.3f}" if ours > 0.01 else f"{ours:.6f}",
        *(f"{times[name]:.3g}" if name in times else NOTHING for name in ("scikit-learn", *rivals.PACKAGES)),
        f"{sklearns / ours:.1f}",
        NOTHING if case.goal is None else f"{case.goal:g}",
        f"{min(found):.2f}" if found else NOTHING,
    )


def run_cases(report: Report, cases: Iterable[Case], share: float) -> None:
    """Make each table once, grow its trees, show the times."""
    titles = ("case", "arboretum", "scikit-learn", *rivals.PACKAGES)
    report.begin_table(*titles, "scikit-learn / ours", "goal", "best rival / ours (goal: 1)")
    growers, table, data = rivals.available(), "", (None, None)
    for case in cases:
        if case.table != table:
            data = (None, None)  # the old table goes before the new one comes
            table, data = case.table, case.rows(share)
        show_case(report, case, run_case(case, *data, growers))


def own_variants(X: Any, y: Any) -> list[tuple[str, float, float]]:
    """Our own time with other input, in parts of the plain time, and the limit."""
    rng = np.random.default_rng(0)
    holes = X.copy()
    holes[rng.random(X.shape) < 0.05] = np.nan
    doubles, weights = X.astype(np.float64), rng.random(len(y)) + 0.5
    one, two = TreeClassifier(prune=None), TreeClassifier(prune=None, n_jobs=2)
    plain = seconds(lambda: one.fit(X, y), 2)
    return [
        ("float64 input", seconds(lambda: one.fit(doubles, y), 2) / plain, 1.6),
        ("5% missing", seconds(lambda: one.fit(holes, y), 2) / plain, 1.6),
        ("weighted rows", seconds(lambda: one.fit(X, y, weights), 2) / plain, 2.5),
        ("two threads", seconds(lambda: two.fit(X, y), 2) / plain, 1 / 1.6),
    ]


def predictions(X: Any, y: Any) -> list[tuple[str, float, float]]:
    """How many times faster we predict than scikit-learn does with the same tree, and the goal."""
    ours = TreeClassifier(prune=None).fit(X, y)
    theirs = ours.to_sklearn()
    many = seconds(lambda: theirs.predict(X), 3) / seconds(lambda: ours.predict(X), 3)
    row = X[:1]
    one = medians({"ours": lambda: ours.predict(row), "theirs": lambda: theirs.predict(row)}, 500)
    return [("1M rows through the full tree", many, 4), ("one row", one["theirs"] / one["ours"], 3)]


def import_times(repeats: int = 7) -> list[tuple[str, float, float | None]]:
    """Time of an import in parts of scikit-learn's, the shortest of some fresh processes, and the limit."""
    theirs = "import sklearn.tree"
    limits = {"import arboretum": 1.0, "from arboretum import TreeClassifier": None}
    times: dict[str, list[float]] = {statement: [] for statement in (theirs, *limits)}
    for _ in range(repeats):
        for statement, found in times.items():
            code = f"from time import perf_counter as now; start = now(); {statement}; print(now() - start)"
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            found.append(float(done.stdout))
    return [
        (statement, min(times[statement]) / min(times[theirs]), limits[statement]) for statement in limits
    ]


def exponents(rows: float) -> list[tuple[str, float]]:
    """Fitted exponents of our time against the number of rows, columns and levels of depth."""

    def slope(sizes: list[int], run: Callable[[int], float]) -> float:
        return float(np.polyfit(np.log(sizes), np.log([run(size) for size in sizes]), 1)[0])

    def grow(n: int, p: int, depth: int | None) -> float:
        X, y = tables.two_classes(n, p)
        return seconds(lambda: TreeClassifier(prune=None, max_depth=depth).fit(X, y), 3)

    n = int(400_000 * rows)
    return [
        ("rows, fully grown", slope([n // 16, n // 4, n], lambda size: grow(size, 20, None))),
        ("columns, depth 8", slope([20, 80, 320], lambda p: grow(max(n // 16, 2000), p, 8))),
        ("depth", slope([2, 4, 8], lambda depth: grow(n, 20, depth))),
    ]


def peak_memory(n_rows: int) -> list[tuple[str, float]]:
    """Peak memory above the input, in parts of the input, measured in processes of their own."""
    script = (
        "import os, sys; sys.path.insert(0, {here!r}); import tables; from arboretum import {model}\n"
        "X, y = tables.{maker}({n_rows}, 20); model = {model}({limits}); model.fit(X[:1000], y[:1000])\n"
        "now = int(open('/proc/self/statm').read().split()[1]) * os.sysconf('SC_PAGE_SIZE')\n"
        "open('/proc/self/clear_refs', 'w').write('5'); model.fit(X, y)\n"
        "peak = [int(l.split()[1]) * 1024 for l in open('/proc/self/status') if l.startswith('VmHWM')][0]\n"
        "print((peak - now) / X.nbytes)"
    )
    found = []
    for name, maker, model, limits in (
        ("2 classes, full", "two_classes", "TreeClassifier", "prune=None"),
        ("Friedman, depth 10", "friedman", "TreeRegressor", "prune=None, max_depth=10"),
        ("Friedman, full", "friedman", "TreeRegressor", "prune=None"),
    ):
        code = script.format(here=str(HERE), n_rows=n_rows, maker=maker, model=model, limits=limits)
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        found.append((name, float(result.stdout) if result.returncode == 0 else float("nan")))
    return found


def run_more(report: Report, share: float) -> None:
    """Other input, predictions, imports, memory, growth with size, the classics."""
    n_rows = int(1_000_000 * share)
    X, y = tables.two_classes(n_rows, 20)
    report.begin_table("our own time, 1M x 20 full, in parts of the plain time", "found", "limit")
    for name, ratio, limit in own_variants(X, y):
        report.add_row(name, f"{ratio:.2f}", f"{limit:.2f}")
    report.begin_table("predict, times faster than scikit-learn", "found", "goal")
    for name, ratio, goal in predictions(X, y):
        report.add_row(name, f"{ratio:.1f}", f"{goal:g}")
    report.begin_table("time of an import, in parts of `import sklearn.tree`", "found", "limit")
    for name, ratio, at_most in import_times():
        report.add_row(f"`{name}`", f"{ratio:.2f}", NOTHING if at_most is None else f"{at_most:g}")
    report.begin_table("peak memory above the input, in parts of the input", "found", "limit")
    for name, ratio in peak_memory(n_rows):
        report.add_row(name, f"{ratio:.2f}", "2.5")
    report.begin_table("time grows with", "exponent")
    for name, exponent in exponents(share):
        report.add_row(name, f"{exponent:.2f}")
    classics.run(report, share)
    pruning.run(report, share)
    searching.run(report, share)
    optimal.run(report, share)
    counterfactuals.run(report, share)
    pictures.run(report, share)
    explaining.run(report, share)
    dependence.run(report, share)
    resampling.run(report, share)
    ensembles.run(report, share)


def machine() -> str:
    """What this was measured on."""
    both = f"arboretum {arboretum.__version__}, scikit-learn {sklearn.__version__}"
    others = rivals.versions(list(rivals.available()))
    return f"{processor()}, NumPy {np.__version__}, {both}, {others}"


def main() -> None:
    """Run the cases, print them as they come, write them down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--rows", type=float, default=1.0, help="share of the rows")
    parser.add_argument(
        "--more",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="threads, memory, growth, the classics",
    )
    arguments = parser.parse_args()
    report = Report()
    report.say(f"# Speed\n\nMeasured in seconds on {machine()}.\n\n{NOTES}")
    if arguments.rows != 1.0:
        report.say(f"\nOnly {arguments.rows:.0%} of the rows that the names tell.")
    run_cases(report, (case for case in list_cases() if arguments.only in case.name), arguments.rows)
    if arguments.more:
        run_more(report, arguments.rows)
    if arguments.more and not arguments.only and arguments.rows == 1.0:
        (HERE / "RESULTS.md").write_text("\n".join(report.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
