"""Optimal trees, side by side with ConTree and STreeD: CPU seconds until the proof, on one core.

`python benchmarks/optimal.py` prints its part of RESULTS.md, with --write it takes its place there; speed.py
writes it down with the others. The rivals have an environment of their own, which `make bench` makes.
`--folder` adds tables of text files whose lines are `class x1 x2 …`; files that begin with `r_` hold a number
to regress instead of a class. `--held-out` prints instead how well greedy and optimal trees do on rows that
they have not seen, which docs/optimal.md quotes.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import concepts
import numpy as np
from measuring import NOTHING, Report, write_section
from sklearn import datasets as of_sklearn
from sklearn.model_selection import RepeatedStratifiedKFold

from arboretum import Lookahead, Optimal, TreeClassifier, TreeRegressor

HERE = Path(__file__).parent
TITLE = "## Optimal trees"
PYTHON = HERE.parent / "build" / "certified" / "bin" / "python"
MOST_BINARY = 1_500  # thresholds of a table that STreeD is given
SHORTEST = 0.05  # CPU seconds of ConTree from which on ratios are formed

NOTES = """\
{title}

CPU seconds of one thread until the proof, the shortest of three runs for ours, one run for the others,
stopped after {limit:g} s (>). ConTree learns from columns as they are; STreeD is given every threshold as a
column of zeros and ones where there are at most {binary:,}. Loss: rows the tree gets wrong, or squared
errors. Of several trees of least loss, ours has the fewest leaves; the others stop at any of them. The goal
is a geometric mean of 10 over the tables that take ConTree {shortest:g} s or more, and no ratio below 1."""


@dataclass(frozen=True)
class Case:
    """A table, and the depth of the tree."""

    name: str
    X: Any
    y: Any
    depth: int

    @property
    def of_classes(self) -> bool:
        """Whether targets are classes."""
        return bool(self.y.dtype.kind in "iu")

    @property
    def title(self) -> str:
        """The name, and how large it is."""
        rows, columns = self.X.shape
        classes = f", {len(np.unique(self.y))} classes" if self.of_classes else ""
        return f"{self.name}, {rows:,} x {columns}{classes}"


def list_cases(share: float = 1.0) -> list[Case]:
    """Observed tables that come with packages, and made ones."""
    iris, cancer, diabetes, wine = (
        getattr(of_sklearn, f"load_{name}")(return_X_y=True)
        for name in ("iris", "breast_cancer", "diabetes", "wine")
    )
    made = of_sklearn.make_classification(int(5_000 * share), 10, n_informative=5, flip_y=0.1, random_state=0)
    four = of_sklearn.make_classification(
        int(2_000 * share), 10, n_informative=5, n_classes=4, flip_y=0.1, random_state=0
    )
    xor = concepts.rotated_xor(int(5_000 * share), 5, noise=0.1, seed=0)
    friedman = of_sklearn.make_friedman1(int(2_000 * share), noise=1.0, random_state=0)
    tables: list[tuple[str, Any, tuple[int, ...]]] = [
        ("iris", iris, (3, 4)),
        ("wine", wine, (3,)),
        ("breast cancer", cancer, (2, 3, 4)),
        ("make_classification", made, (2, 3)),
        ("make_classification", four, (3,)),
        ("rotated xor", xor, (3,)),
        ("diabetes", diabetes, (2, 3)),
        ("Friedman 1", friedman, (2, 3)),
    ]
    return [make_case(name, *table, depth) for name, table, depths in tables for depth in depths]


def make_case(name: str, X: Any, y: Any, depth: int) -> Case:
    """Return a case whose classes are numbered."""
    y = np.asarray(y)
    if y.dtype.kind != "f":
        y = np.unique(y, return_inverse=True)[1].astype(np.int64)
    return Case(name, np.ascontiguousarray(X, dtype=float), y, depth)


def read_cases(folder: Path, depths: list[int]) -> list[Case]:
    """Return the tables of a folder, at each of the depths."""
    cases = []
    for path in sorted(folder.glob("*.txt*")):
        table = np.loadtxt(path)
        name = path.name.partition(".")[0]
        y = table[:, 0] if name.startswith("r_") else table[:, 0].astype(int)
        cases += [make_case(name, table[:, 1:], y, depth) for depth in depths]
    return cases


@dataclass(frozen=True)
class Found:
    """What one library found: CPU seconds, the loss, and whether it ended by itself."""

    seconds: float
    loss: float
    ended: bool

    def __str__(self) -> str:
        return ("" if self.ended else "> ") + f"{self.seconds:.3g}"


def ours(case: Case, limit: float, repeats: int = 3) -> Found:
    """Return what we found."""
    best = math.inf
    for _ in range(repeats):
        kind = TreeClassifier if case.of_classes else TreeRegressor
        model: Any = kind(search=Optimal(time_limit=limit), max_depth=case.depth, prune=None)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(case.X, case.y)
        best = min(best, time.process_time() - start)
        if best > 20:
            break
    found = model.optimality_
    return Found(best, found.objective, found.proven)


def theirs(library: str, case: Case, limit: float) -> Found | None:
    """Return what a rival found; None if it cannot be asked."""
    if not PYTHON.exists() or (library == "contree" and not case.of_classes):
        return None
    if library == "streed" and sum(len(np.unique(column)) - 1 for column in case.X.T) > MOST_BINARY:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npz"
        np.savez(path, X=case.X, y=case.y, of_classes=case.of_classes)
        command = [
            str(PYTHON),
            str(HERE / "grow_certified.py"),
            library,
            str(path),
            str(case.depth),
            str(limit),
        ]
        try:
            done = subprocess.run(
                command, check=False, capture_output=True, text=True, timeout=2 * limit + 30
            )
        except subprocess.TimeoutExpired:
            return Found(limit, math.nan, ended=False)
    if done.returncode:
        return None
    answer = json.loads(done.stdout.splitlines()[-1])
    return Found(answer["seconds"], answer["loss"], answer["ended"])


def show(report: Report, cases: list[Case], limit: float) -> None:
    """One line for each case, and the mean of the ratios."""
    report.begin_table(
        "table", "depth", "loss", "arboretum", "ConTree", "its loss", "STreeD", "its loss", "ConTree / ours"
    )
    ratios = []
    for case in cases:
        found = ours(case, limit)
        rivals = [theirs(library, case, limit) for library in ("contree", "streed")]
        cells = [cell for each in rivals for cell in (NOTHING if each is None else str(each), _loss(each))]
        contree, ratio = rivals[0], NOTHING
        if contree is not None and contree.seconds >= SHORTEST:
            ratios.append(contree.seconds / found.seconds)
            ratio = ("" if contree.ended else "> ") + f"{ratios[-1]:.1f}"
        report.add_row(case.title, str(case.depth), _loss(found), str(found), *cells, ratio)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        report.say(
            f"\nGeometric mean of the ratios: {mean:.1f} over {len(ratios)} tables; "
            f"the least is {min(ratios):.1f}."
        )


def _loss(found: Found | None) -> str:
    return NOTHING if found is None else f"{found.loss:.6g}"


def run(report: Report, share: float = 1.0, limit: float = 60.0, more: list[Case] | None = None) -> None:
    """The whole part of the report."""
    report.say("\n" + NOTES.format(title=TITLE, limit=limit, binary=MOST_BINARY, shortest=SHORTEST))
    show(report, [*list_cases(share), *(more or [])], limit)
    run_stopped(report, share)


def run_stopped(report: Report, share: float) -> None:
    """How well limits are kept, and what a second thread is worth."""
    X, y = of_sklearn.make_classification(int(5_000 * share), 10, n_informative=5, flip_y=0.1, random_state=0)
    report.begin_table("time_limit, depth 4", "wall seconds", "objective", "bound")
    for limit in (0.5, 2.0, 8.0):
        model = TreeClassifier(search=Optimal(time_limit=limit), max_depth=4, prune=None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = model.fit(X, y).optimality_
        report.add_row(f"{limit:g}", f"{found.seconds:.2f}", f"{found.objective:g}", f"{found.bound:g}")
    report.say(f"\nMemory of the last search beyond the data: {memory_of(X, y):.0f} MB (goal: 100).")
    spent = []
    for n_jobs in (1, 2):
        model = TreeClassifier(search=Optimal(time_limit=None), max_depth=3, prune=None, n_jobs=n_jobs)
        spent.append(min(model.fit(X, y).optimality_.seconds for _ in range(5)))
    report.say(f"\nTwo threads at depth 3: {spent[0] / spent[1]:.2f} times as fast as one (goal: 1.7).")


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


def run_held_out(report: Report, limit: float) -> None:
    """Errors in training and on held-out rows, by depth: ten folds, five of each of two divisions."""
    report.begin_table("table", "depth", "greedy", "lookahead", "optimal", "size chosen", "optimal - greedy")
    for name in ("iris", "wine", "breast_cancer"):
        X, y = getattr(of_sklearn, f"load_{name}")(return_X_y=True)
        for depth in (2, 3, 4) if len(X) < 500 else (2, 3):
            errors = held_out_errors(X, y, depth, limit)
            cells = ["{:.1f} → {:.1f}".format(*100 * each.mean(axis=0)) for each in errors]
            more = 100 * (errors[2] - errors[0])[:, 1]
            spread = 1.96 * more.std(ddof=1) / math.sqrt(len(more))
            report.add_row(name.replace("_", " "), str(depth), *cells, f"{more.mean():+.1f} ± {spread:.1f}")


def held_out_errors(X: Any, y: Any, depth: int, limit: float) -> list[Any]:
    """For each kind of tree: by fold, the share of training rows and of held-out rows that it gets wrong."""
    kinds: list[dict[str, Any]] = [
        {"prune": None},
        {"prune": None, "search": Lookahead()},
        {"prune": None, "search": Optimal(time_limit=limit)},
        {"search": Optimal(time_limit=limit)},
    ]
    found: list[list[tuple[float, float]]] = [[] for _ in kinds]
    for train, test in RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0).split(X, y):
        for errors, options in zip(found, kinds, strict=True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = TreeClassifier(max_depth=depth, **options).fit(X[train], y[train])
            errors.append(tuple(1 - model.score(X[rows], y[rows]) for rows in (train, test)))
    return [np.array(errors) for errors in found]


def main() -> None:
    """Print the part of the report; write it down if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    parser.add_argument("--rows", type=float, default=1.0, help="share of the rows of made tables")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each library and table")
    parser.add_argument("--folder", type=Path, help="further tables")
    parser.add_argument("--depths", type=int, nargs="*", default=[3], help="of the further tables")
    parser.add_argument("--held-out", action="store_true", help="errors on rows that trees have not seen")
    arguments = parser.parse_args()
    report = Report()
    if arguments.held_out:
        return run_held_out(report, arguments.limit)
    more = [] if arguments.folder is None else read_cases(arguments.folder, arguments.depths)
    run(report, arguments.rows, arguments.limit, more)
    if arguments.write:
        write_section(HERE / "RESULTS.md", TITLE, report.lines)


if __name__ == "__main__":
    main()
