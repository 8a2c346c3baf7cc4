"""Optimal trees, side by side with ConTree and STreeD: CPU seconds until the proof, on one core.

`python benchmarks/optimal.py` prints its part of RESULTS.md, with --write it takes its place there; speed.py
writes it down with the others. The rivals have an environment of their own, which `make bench` makes.
`--folder` adds tables of text files whose lines are `class x1 x2 …`; files that begin with `r_` hold a number
to regress instead of a class. Whether optimal trees are better on other rows: `benchmarks/held_out`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from measuring import NOTHING, Report, write_section
from optimal_tables import STOPPED, Case, list_cases, read_cases
from sklearn import datasets as of_sklearn

from arboretum import Optimal, TreeClassifier, TreeRegressor, _core

HERE = Path(__file__).parent
TITLE = "## Optimal trees"
PYTHON = HERE.parent / "build" / "certified" / "bin" / "python"
KEPT = HERE.parent / "build" / "optimal"
MOST_BINARY = 2_000  # thresholds of a table that STreeD is given
SHORTEST = 0.05  # CPU seconds of ConTree from which on ratios are formed
LIMIT = 60.0
REPEATS = 3
LONG = 20.0  # CPU seconds from which on ours is not repeated

NOTES = """\
{title}

CPU seconds of one thread until the proof, the shortest of three runs for ours, one run for the others,
stopped after {limit:g} s of the clock (>). ConTree learns from columns as they are; STreeD is given every
threshold as a column of zeros and ones where there are at most {binary:,}. Loss: rows the tree gets wrong,
or squared errors; where ours is not proven, also its lower bound. Of several trees of least loss, ours has
the fewest leaves; the others stop at any of them. The goal is a geometric mean of 10 over the tables that
take ConTree {shortest:g} s or more, and no ratio below 1; those of single tables are CPU seconds of ours."""

DURATION = """\
The tables that come with packages take at most ten minutes. Each table of a folder takes, at each depth, at
most the limit for each library: thirteen tables at depths 3 and 4 with --limit 120 at most two hours, nearly
all of it the rivals'. What was measured is kept in build/optimal, so that the same command goes on where it
was ended; --anew forgets it, and what an older build of ours took is not used. A rival that fails, or runs
out of memory, is named in its cell, and the next one has its turn."""


@dataclass(frozen=True)
class Found:
    """What one library found: CPU seconds, the loss, whether it was proven, and what is known then."""

    seconds: float
    loss: float
    ended: bool
    bound: float = math.nan
    failed: str = ""

    def __str__(self) -> str:
        if self.failed:
            return self.failed
        return ("" if self.ended else "> ") + f"{self.seconds:.3g}"

    @property
    def shown_loss(self) -> str:
        """The loss, and where it is not proven the bound."""
        if self.failed or math.isnan(self.loss):
            return NOTHING
        known = f" (≥ {self.bound:.6g})" if not self.ended and not math.isnan(self.bound) else ""
        return f"{self.loss:.6g}{known}"


def ours(case: Case, limit: float) -> Found:
    """Return what we found."""
    best = math.inf
    for _ in range(REPEATS):
        kind = TreeClassifier if case.of_classes else TreeRegressor
        model: Any = kind(search=Optimal(time_limit=limit), max_depth=case.depth, prune=None)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(case.X, case.y)
        best = min(best, time.process_time() - start)
        if best > LONG or not model.optimality_.proven:
            break
    found = model.optimality_
    return Found(best, found.objective, found.proven, found.bound)


def theirs(library: str, case: Case, limit: float) -> Found | None:
    """Return what a rival found; None if it cannot be asked."""
    if not PYTHON.exists() or (library == "contree" and not case.of_classes):
        return None
    if library == "streed" and case.n_thresholds > MOST_BINARY:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npz"
        np.savez(path, X=case.X, y=case.y, of_classes=case.of_classes)
        program = [str(PYTHON), str(HERE / "grow_certified.py"), library, str(path)]
        try:
            done = subprocess.run(
                [*program, str(case.depth), str(limit)],
                check=False,
                capture_output=True,
                text=True,
                timeout=1.2 * limit + 30,
            )
        except subprocess.TimeoutExpired:
            return Found(limit, math.nan, ended=False)
    if done.returncode:
        print(f"{library}, {case.title}: {done.stderr.strip()[-300:] or done.returncode}", file=sys.stderr)
        return Found(math.nan, math.nan, ended=False, failed="failed")
    answer = json.loads(done.stdout.splitlines()[-1])
    return Found(answer["seconds"], answer["loss"], answer["ended"])


def remembered(measure: Callable[[], Found | None], library: str, case: Case, limit: float) -> Found | None:
    """Return what was found before with this limit, or find it and keep it."""
    rows, columns = case.X.shape
    build = f"_{_build()}" if library == "arboretum" else ""
    name = f"{case.name}_{rows}x{columns}_depth{case.depth}_{library}{build}_{limit:g}s.json"
    path = KEPT / name.replace(" ", "_")
    if path.exists():
        stored = json.loads(path.read_text(encoding="utf-8"))
        return None if stored is None else Found(**stored)
    found = measure()
    KEPT.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(None if found is None else asdict(found)), encoding="utf-8")
    return found


@cache
def _build() -> str:
    """Return what tells one build of the compiled module from another."""
    return hashlib.sha256(Path(_core.__file__).read_bytes()).hexdigest()[:8]


def show(report: Report, cases: list[Case], limit: float, *, keep: bool) -> None:
    """One line for each case, and the mean of the ratios."""
    titles = ("table", "depth", "loss", "arboretum", "goal", "ConTree", "its loss", "STreeD", "its loss")
    report.begin_table(*titles, "ConTree / ours")
    ratios = []
    for case in cases:
        works: dict[str, Callable[[], Found | None]] = {
            "arboretum": lambda case=case: ours(case, limit),
            "contree": lambda case=case: theirs("contree", case, limit),
            "streed": lambda case=case: theirs("streed", case, limit),
        }
        found = {
            name: remembered(work, name, case, limit) if keep else work() for name, work in works.items()
        }
        own, contree = found["arboretum"], found["contree"]
        assert own is not None
        ratio = NOTHING
        if contree is not None and contree.seconds >= SHORTEST and own.ended:
            ratios.append(contree.seconds / own.seconds)
            ratio = ("" if contree.ended else "> ") + f"{ratios[-1]:.1f}"
        cells = [
            cell
            for rival in (contree, found["streed"])
            for cell in ((NOTHING, NOTHING) if rival is None else (str(rival), rival.shown_loss))
        ]
        goal = NOTHING if case.goal is None else f"{case.goal:g}"
        report.add_row(case.title, str(case.depth), own.shown_loss, str(own), goal, *cells, ratio)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        report.say(
            f"\nGeometric mean of the ratios: {mean:.1f} over {len(ratios)} tables; "
            f"the least is {min(ratios):.1f}."
        )


def run(
    report: Report,
    share: float = 1.0,
    limit: float = LIMIT,
    more: list[Case] | None = None,
    *,
    keep: bool = False,
) -> None:
    """The whole part of the report."""
    report.say("\n" + NOTES.format(title=TITLE, limit=limit, binary=MOST_BINARY, shortest=SHORTEST))
    show(report, [*list_cases(share), *(more or [])], limit, keep=keep)
    run_stopped(report, share, more or [])


def run_stopped(report: Report, share: float, more: list[Case]) -> None:
    """How well limits are kept, what is known then, and what a second thread is worth."""
    X, y = of_sklearn.make_classification(int(5_000 * share), 10, n_informative=5, flip_y=0.1, random_state=0)
    stops = [("make_classification", X, y, limit, NOTHING) for limit in (0.5, 2.0, 8.0)]
    for case in more:
        if (case.name, case.depth) in STOPPED:
            limit, objective, bound = STOPPED[case.name, case.depth]
            stops.append((case.name, case.X, case.y, limit, f"≤ {objective:g}, ≥ {bound:g}"))
    report.begin_table("depth 4", "time_limit", "wall seconds", "objective", "bound", "goal")
    for name, *table, limit, goal in stops:
        model = TreeClassifier(search=Optimal(time_limit=limit), max_depth=4, prune=None)
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = model.fit(*table).optimality_
        spent = time.perf_counter() - start
        report.add_row(name, f"{limit:g}", f"{spent:.2f}", f"{found.objective:g}", f"{found.bound:g}", goal)
    report.say(
        f"\nMemory of a search of 8 s at depth 4 beyond the data: {memory_of(X, y):.0f} MB (goal: 100)."
    )
    spent_by = []
    for n_jobs in (1, 2):
        model = TreeClassifier(search=Optimal(time_limit=None), max_depth=3, prune=None, n_jobs=n_jobs)
        spent_by.append(min(model.fit(X, y).optimality_.seconds for _ in range(5)))
    report.say(f"\nTwo threads at depth 3: {spent_by[0] / spent_by[1]:.2f} times as fast as one (goal: 1.7).")


FIT = """\
import resource, sys, warnings
import numpy as np
from arboretum import Optimal, TreeClassifier
table = np.load(sys.argv[1])
X, y = table["X"], table["y"]
warnings.simplefilter("ignore")
TreeClassifier(search=Optimal(), max_depth=1, prune=None).fit(X, y)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
TreeClassifier(search=Optimal(time_limit=8.0), max_depth=4, prune=None).fit(X, y)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def memory_of(X: Any, y: Any) -> float:
    """Return the megabytes by which a process of its own grows in the search."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npz"
        np.savez(path, X=X, y=y)
        done = subprocess.run(
            [sys.executable, "-c", FIT, str(path)], check=True, capture_output=True, text=True
        )
    return float(done.stdout)


def main() -> None:
    """Print the part of the report; write it down if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, epilog=DURATION)
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    parser.add_argument("--rows", type=float, default=1.0, help="share of the rows of made tables")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for each library and table")
    parser.add_argument("--folder", type=Path, help="further tables")
    parser.add_argument("--depths", type=int, nargs="*", default=[3, 4], help="of the further tables")
    parser.add_argument("--anew", action="store_true", help="measure again what earlier runs have measured")
    arguments = parser.parse_args()
    if arguments.anew:
        for path in KEPT.glob("*.json"):
            path.unlink()
    more = [] if arguments.folder is None else read_cases(arguments.folder, arguments.depths)
    report = Report()
    run(report, arguments.rows, arguments.limit, more, keep=True)
    if arguments.write:
        write_section(HERE / "RESULTS.md", TITLE, report.lines)


if __name__ == "__main__":
    main()
