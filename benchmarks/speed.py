"""Growing and predicting, side by side with scikit-learn in one run: ratios, peak memory, growth with size.

`make bench` runs all of it (about twenty minutes, most of them scikit-learn's) and writes RESULTS.md beside
this file; `python benchmarks/speed.py --only noise --rows 0.1` runs some of the cases on a tenth of the rows.
Times are wall-clock seconds of one thread on data in memory, the reading of the table included.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
import tables
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import arboretum
from arboretum import TreeClassifier, TreeRegressor

HERE = Path(__file__).parent
TWINS = {TreeClassifier: DecisionTreeClassifier, TreeRegressor: DecisionTreeRegressor}


@dataclass(frozen=True)
class Case:
    """One table, one set of limits, and the ratio to be reached."""

    name: str
    table: str
    maker: Callable[..., tuple[Any, Any]]
    shape: tuple[int, ...]
    model: type
    limits: dict[str, Any]
    goal: float


def list_cases() -> list[Case]:
    """The cases, those of one table next to each other."""
    cases = []

    def add(
        table: str,
        maker: Any,
        shape: tuple[int, ...],
        model: type,
        rows: list[tuple[str, dict[str, Any], float]],
    ) -> None:
        for name, limits, goal in rows:
            cases.append(Case(f"{table}, {name}", table, maker, shape, model, limits, goal))

    full, leaf5, six, ten = {}, {"min_samples_leaf": 5}, {"max_depth": 6}, {"max_depth": 10}
    rows = [("full", full, 70), ("leaf 5", leaf5, 70), ("depth 6", six, 80), ("depth 10", ten, 80)]
    add("1M x 20, 2 classes", tables.two_classes, (1_000_000, 20), TreeClassifier, rows)
    add(
        "100k x 20, 2 classes",
        tables.two_classes,
        (100_000, 20),
        TreeClassifier,
        [("full", full, 40), ("depth 6", six, 40)],
    )
    add(
        "100k x 200, 2 classes",
        tables.two_classes,
        (100_000, 200),
        TreeClassifier,
        [("full", full, 50), ("depth 6", six, 50)],
    )
    rows = [("full", full, 25), ("leaf 5", leaf5, 25), ("depth 6", six, 45), ("depth 10", ten, 45)]
    add("1M x 20, Friedman", tables.friedman, (1_000_000, 20), TreeRegressor, rows)
    rows = [("full", full, 10), ("depth 6", six, 14), ("depth 10", ten, 14)]
    add("581k x 54, forest cover", tables.forest_cover, (581_012,), TreeClassifier, rows)
    add("200k x 50, 10 classes", tables.ten_classes, (200_000, 50), TreeClassifier, [("depth 10", ten, 10)])
    add("1M x 20, noise", tables.noise, (1_000_000, 20), TreeClassifier, [("full", full, 15)])
    return cases


def seconds(work: Callable[[], Any], repeats: int) -> float:
    """The shortest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def run_case(case: Case, X: Any, y: Any) -> tuple[float, float]:
    """Seconds that we take and that scikit-learn takes."""
    ours = seconds(lambda: case.model(**case.limits).fit(X, y), 3)
    theirs = seconds(lambda: TWINS[case.model](**case.limits, random_state=0).fit(X, y), 1)
    return ours, theirs


def own_variants(X: Any, y: Any) -> list[tuple[str, float, float]]:
    """Our own time with other input, in parts of the plain time, and the limit."""
    rng = np.random.default_rng(0)
    holes = X.copy()
    holes[rng.random(X.shape) < 0.05] = np.nan
    weights = rng.random(len(y)) + 0.5
    plain = seconds(lambda: TreeClassifier().fit(X, y), 2)
    return [
        ("float64 input", seconds(lambda: TreeClassifier().fit(X.astype(np.float64), y), 2) / plain, 1.6),
        ("5% missing", seconds(lambda: TreeClassifier().fit(holes, y), 2) / plain, 1.6),
        ("weighted rows", seconds(lambda: TreeClassifier().fit(X, y, weights), 2) / plain, 2.5),
        ("two threads", seconds(lambda: TreeClassifier(n_jobs=2).fit(X, y), 2) / plain, 1 / 1.6),
    ]


def predictions(X: Any, y: Any) -> list[tuple[str, float, float]]:
    """How many times faster we predict than scikit-learn, and the goal."""
    ours, theirs = (
        TreeClassifier().fit(X, y),
        DecisionTreeClassifier(random_state=0).fit(X[:100_000], y[:100_000]),
    )
    theirs = ours.to_sklearn()
    many = seconds(lambda: theirs.predict(X), 3) / seconds(lambda: ours.predict(X), 3)
    row = X[:1]

    def repeat(model: Any) -> Callable[[], None]:
        return lambda: [model.predict(row) for _ in range(200)] and None

    return [
        ("1M rows through the full tree", many, 4),
        ("one row", seconds(repeat(theirs), 3) / seconds(repeat(ours), 3), 3),
    ]


def exponents(rows: float) -> list[tuple[str, float]]:
    """Fitted exponents of our time against the number of rows, columns and levels of depth."""

    def slope(sizes: list[int], run: Callable[[int], float]) -> float:
        return float(np.polyfit(np.log(sizes), np.log([run(size) for size in sizes]), 1)[0])

    def grow(n: int, p: int, depth: int | None) -> float:
        X, y = tables.two_classes(n, p)
        return seconds(lambda: TreeClassifier(max_depth=depth).fit(X, y), 3)

    n = int(400_000 * rows)
    return [
        ("rows, fully grown", slope([n // 16, n // 4, n], lambda size: grow(size, 20, None))),
        ("columns, depth 8", slope([20, 80, 320], lambda p: grow(max(n // 16, 2000), p, 8))),
        ("depth", slope([2, 4, 8], lambda depth: grow(n, 20, depth))),
    ]


def peak_memory() -> list[tuple[str, float]]:
    """Peak memory above the input, in parts of the input, measured in processes of their own."""
    script = (
        "import os, sys; sys.path.insert(0, {here!r}); import tables; from arboretum import {model}\n"
        "X, y = tables.{maker}(1_000_000, 20); model = {model}({limits}); model.fit(X[:1000], y[:1000])\n"
        "now = int(open('/proc/self/statm').read().split()[1]) * os.sysconf('SC_PAGE_SIZE')\n"
        "open('/proc/self/clear_refs', 'w').write('5'); model.fit(X, y)\n"
        "peak = [int(l.split()[1]) * 1024 for l in open('/proc/self/status') if l.startswith('VmHWM')][0]\n"
        "print((peak - now) / X.nbytes)"
    )
    found = []
    for name, maker, model, limits in (
        ("2 classes, full", "two_classes", "TreeClassifier", ""),
        ("Friedman, depth 10", "friedman", "TreeRegressor", "max_depth=10"),
        ("Friedman, full", "friedman", "TreeRegressor", ""),
    ):
        code = script.format(here=str(HERE), maker=maker, model=model, limits=limits)
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        found.append((name, float(result.stdout) if result.returncode == 0 else float("nan")))
    return found


def machine() -> str:
    """What this was measured on."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")
    versions = (
        f"Python {platform.python_version()}, NumPy {np.__version__}, scikit-learn {sklearn.__version__}"
    )
    return f"{cpu}, {platform.system()}, {versions}, arboretum {arboretum.__version__}"


def main() -> None:
    """Run the cases, print them as they come, write them down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--rows", type=float, default=1.0, help="share of the rows")
    parser.add_argument(
        "--more", action=argparse.BooleanOptionalAction, default=True, help="threads, memory, growth"
    )
    arguments = parser.parse_args()
    lines = [
        f"Measured on {machine()}. One thread; seconds; the shortest of three runs (scikit-learn: one run).",
        "",
    ]
    lines += ["| case | arboretum | scikit-learn | times faster | goal |", "|---|---|---|---|---|"]
    print("\n".join(lines), flush=True)

    def say(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    table, data = "", (None, None)
    for case in list_cases():
        if arguments.only not in case.name:
            continue
        if case.table != table:
            table, data = case.table, case.maker(int(case.shape[0] * arguments.rows), *case.shape[1:])
        ours, theirs = run_case(case, *data)
        say(f"| {case.name} | {ours:.3f} | {theirs:.2f} | {theirs / ours:.1f} | {case.goal} |")
    if arguments.more:
        X, y = tables.two_classes(int(1_000_000 * arguments.rows), 20)
        say("\n| our own time, 1M x 20 full, in parts of the plain time | found | limit |\n|---|---|---|")
        for name, ratio, limit in own_variants(X, y):
            say(f"| {name} | {ratio:.2f} | {limit:.2f} |")
        say("\n| predict, times faster than scikit-learn | found | goal |\n|---|---|---|")
        for name, ratio, goal in predictions(X, y):
            say(f"| {name} | {ratio:.1f} | {goal} |")
        say("\n| peak memory above the input, in parts of the input | found | limit |\n|---|---|---|")
        for name, ratio in peak_memory():
            say(f"| {name} | {ratio:.2f} | 2.5 |")
        say("\n| time grows with | exponent |\n|---|---|")
        for name, exponent in exponents(arguments.rows):
            say(f"| {name} | {exponent:.2f} |")
    if not arguments.only and arguments.rows == 1.0:
        (HERE / "RESULTS.md").write_text("# Speed\n\n" + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
