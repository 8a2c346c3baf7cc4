"""Trees that choose their own size, against those of others, and how the time of pruning grows with a tree.

Words: *growth* is the part of a fit that grows trees; what is left of the pruner's time is *pruning*.
`python benchmarks/pruning.py` prints this part of RESULTS.md alone, with --write it takes its place there;
speed.py writes it down with the others.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import classics
import grid_search
import numpy as np
import pandas as pd
import tables
from measuring import Report, in_turn, medians, once, seconds, write_section
from partners import Partner, start_j48, start_rpart
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from arboretum import CostComplexity, Pessimistic, ReducedError, TreeClassifier, TreeRegressor
from arboretum._grow.growth import Growth

RESULTS = Path(__file__).parent / "RESULTS.md"
TITLE = "## Pruning"

NOTES = """\
{title}

One thread; the tables are those above, two classes unless told. The default is 10-fold cross-validation with
the one-standard-error rule up to 100,000 rows, and one of the ten folds held out beyond; the tree that is
kept is grown from all rows. Fits of 10,000 rows are the median of {repeats} each, in turn; of larger tables
ours is the shortest of three and the other runs once."""

RPART_NOTES = """
Against {name}, xval 10: split 20, leaf 7, depth 30, five surrogates, four competitors, as `cart()` has it.
The default has no surrogates and grows until all leaves are pure; neither of ours knows a cp while it grows,
with a larger one rpart grows less."""

PRUNERS_NOTES = """
Pruning alone: noise, {n_rows:,} x 5, fully grown; for reduced error as many tuning rows, sent down the tree
in that time. The shortest of three."""

GROWTH_NOTES = """
Weakest links: noise, 5 columns, fully grown; the whole sequence and the tree of one alpha, in seconds and in
microseconds per node, the shortest of three. An exponent of 1 means in step with the nodes."""

REPEATS = 5
FEW_ROWS = 10_000  # up to so many, all is measured as often
J48_OPTIONS = "-C 0.25 -M 2"
RPART_ORDER = "20 7 10 {cp} 4"  # minsplit, minbucket, folds, cp, competitors
RPART_PRICES = ("0.001", "0")
# Rows of noise: every second row, roughly, becomes a node.
NOISE_ROWS = (2_000, 20_000, 200_000, 2_000_000)


# --- against one unpruned fit


def run_defaults(report: Report, share: float) -> None:
    """A fit that prunes itself against one fit of scikit-learn that does not."""
    report.begin_table(
        "fit", "ours", "scikit-learn, one tree", "scikit-learn / ours (goal: 1)", "leaves", "of", "its leaves"
    )
    cases: list[tuple[str, Callable[..., Any], int, type[Any], type[Any]]] = [
        ("10,000 x 20", tables.two_classes, 10_000, TreeClassifier, DecisionTreeClassifier),
        ("10,000 x 20, Friedman", tables.friedman, 10_000, TreeRegressor, DecisionTreeRegressor),
        ("1,000,000 x 20", tables.two_classes, 1_000_000, TreeClassifier, DecisionTreeClassifier),
        ("1,000,000 x 20, Friedman", tables.friedman, 1_000_000, TreeRegressor, DecisionTreeRegressor),
    ]
    for name, make, n_rows, ours, theirs in cases:
        X, y = make(int(n_rows * share), 20)
        models = {f"{name}, default": ours()}
        if n_rows > FEW_ROWS:
            models[f'{name}, `CostComplexity(alpha="cv")`'] = ours(prune=CostComplexity())
        show_defaults(report, models, theirs(random_state=0), X, y, few=n_rows <= FEW_ROWS)


def show_defaults(report: Report, models: dict[str, Any], rival: Any, X: Any, y: Any, *, few: bool) -> None:
    """Add the fits of one table."""
    works: dict[str, Callable[[], Any]] = {name: partial(model.fit, X, y) for name, model in models.items()}
    works["theirs"] = partial(rival.fit, X, y)
    if few:
        found = medians(works, REPEATS)
    else:
        found = {name: seconds(work, 1 if name == "theirs" else 3) for name, work in works.items()}
    for name, model in models.items():
        report.add_row(
            name,
            f"{found[name]:.3f}",
            f"{found['theirs']:.3g}",
            f"{found['theirs'] / found[name]:.1f}",
            f"{model.get_n_leaves():,}",
            f"{model.unpruned().get_n_leaves():,}",
            f"{rival.get_n_leaves():,}",
        )


# --- against rpart and J48


def run_rpart(report: Report, share: float) -> None:
    """The default and `cart()` with their cross-validation against rpart with its own."""
    name, rows = "", []
    for n_rows in (int(10_000 * share), int(100_000 * share)):
        numbers, y = tables.two_classes(n_rows, 20)
        X = pd.DataFrame(numbers).add_prefix("x")
        with tempfile.TemporaryDirectory() as folder, start_rpart(X, y, Path(folder)) as rpart:
            name = rpart.name
            rows += [compare_rpart(rpart, cp, X, y) for cp in RPART_PRICES]
    report.say(RPART_NOTES.format(name=name))
    report.begin_table(
        "case",
        "default",
        "`cart()`",
        "rpart",
        "rpart / default (goal: 10)",
        "rpart / `cart()`",
        "leaves",
        "rpart's",
    )
    for cells in rows:
        report.add_row(*cells)


def compare_rpart(rpart: Partner, cp: str, X: Any, y: Any) -> list[str]:
    """The cells of one table and one cp."""
    model, cart = TreeClassifier(), TreeClassifier.cart()
    clocks = {
        "default": partial(once, partial(model.fit, X, y)),
        "cart": partial(once, partial(cart.fit, X, y)),
        "rpart": partial(rpart.grow, RPART_ORDER.format(cp=cp)),
    }
    times = in_turn(clocks, REPEATS if len(y) <= FEW_ROWS else 2)
    ours, its, theirs = (statistics.median(times[who]) for who in ("default", "cart", "rpart"))
    return [
        f"{len(y):,} x 20, cp {cp}",
        f"{ours:.3f}",
        f"{its:.3f}",
        rpart.show(theirs, ".3g"),
        rpart.show(theirs / ours, ".1f"),
        rpart.show(theirs / its, ".1f"),
        f"{model.get_n_leaves():,} and {cart.get_n_leaves():,}",
        rpart.show(rpart.leaves, ",.0f"),
    ]


def run_j48(report: Report, share: float) -> None:
    """`c45()` with its pruning against J48 with its own."""
    X, y = classics.nominal(int(100_000 * share), 20)
    model = TreeClassifier.c45()
    with tempfile.TemporaryDirectory() as folder, start_j48(X, y, Path(folder)) as weka:
        clocks = {"ours": partial(once, partial(model.fit, X, y)), "J48": partial(weka.grow, J48_OPTIONS)}
        times = in_turn(clocks, REPEATS + 1)
    first, *later = times["J48"]
    ours, theirs = statistics.median(times["ours"]), statistics.median(later)
    report.say(f"\nAgainst {weka.name}, {J48_OPTIONS}: {len(y):,} x 20 nominal columns of five levels.")
    report.begin_table(
        "case", "ours", "J48, first", "J48, later", "first / ours", "later / ours", "leaves", "J48's leaves"
    )
    report.add_row(
        "`c45()`, pruned",
        f"{ours:.3f}",
        weka.show(first, ".3g"),
        weka.show(theirs, ".3g"),
        weka.show(first / ours, ".1f"),
        weka.show(theirs / ours, ".1f"),
        f"{model.get_n_leaves():,}",
        weka.show(weka.leaves, ",.0f"),
    )


# --- the pruners alone


def time_parts(model: Any, *rows: Any, **more: Any) -> tuple[float, float]:
    """Fit once: the seconds of growing trees, and those the pruner took besides."""
    spent = {"growth": 0.0, "all": 0.0}

    def clocked(part: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **named: Any) -> Any:
            start = time.perf_counter()
            try:
                return work(*arguments, **named)
            finally:
                spent[part] += time.perf_counter() - start

        return run

    pruner = type(model.prune)
    with ExitStack() as patches:
        patches.enter_context(patch.object(Growth, "tree", clocked("growth", Growth.tree)))
        patches.enter_context(patch.object(pruner, "_prune", clocked("all", pruner._prune)))
        model.fit(*rows, **more)
    return spent["growth"], spent["all"] - spent["growth"]


def run_pruners(report: Report, share: float) -> None:
    """Seconds of the pruners that prune one tree, on a large one."""
    n_rows = int(400_000 * share)
    X, y = tables.noise(n_rows, 5)
    half = n_rows // 2
    report.say(PRUNERS_NOTES.format(n_rows=half))
    report.begin_table("pruner", "nodes", "growth", "pruning (goal: about 1)", "leaves before", "after")
    tuning = {"X_val": X[half:], "y_val": y[half:]}
    pruners: dict[str, tuple[Any, dict[str, Any]]] = {
        '`ReducedError(order="greedy")`': (ReducedError(order="greedy"), tuning),
        '`ReducedError(order="leaves")`': (ReducedError(order="leaves"), tuning),
        '`ReducedError(order="bottom_up")`': (ReducedError(order="bottom_up"), tuning),
        "`Pessimistic()`": (Pessimistic(), {}),
        "`Pessimistic(raise_subtrees=False)`": (Pessimistic(raise_subtrees=False), {}),
    }
    for name, (pruner, more) in pruners.items():
        model = TreeClassifier(prune=pruner)
        show_parts(report, name, model, [time_parts(model, X[:half], y[:half], **more) for _ in range(3)])


def show_parts(report: Report, name: str, model: Any, parts: list[tuple[float, float]]) -> None:
    """Add one pruner to the table."""
    growth, pruning = (min(part) for part in zip(*parts, strict=True))
    grown = model.unpruned()
    report.add_row(
        name,
        f"{len(grown.tree_):,}",
        f"{growth:.2f}",
        f"{pruning:.3f}",
        f"{grown.get_n_leaves():,}",
        f"{model.get_n_leaves():,}",
    )


def run_growth(report: Report, share: float) -> None:
    """Time of the weakest-link sequence against the number of nodes."""
    report.say(GROWTH_NOTES)
    report.begin_table(
        "nodes", "growth", "misclassification", "us per node", "steps", "gini", "us per node", "steps"
    )
    nodes, times = [], []
    for n_rows in NOISE_ROWS:
        X, y = tables.noise(int(n_rows * share), 5)
        found, cells, growth = [], [], 0.0
        for measure in ("misclassification", "gini"):
            model = TreeClassifier(prune=CostComplexity(alpha=0.0, measure=measure))
            parts = [time_parts(model, X, y) for _ in range(3)]
            growth, pruning = (min(part) for part in zip(*parts, strict=True))
            size = len(model.unpruned().tree_)
            found.append(pruning)
            cells += [f"{pruning:.4f}", f"{1e6 * pruning / size:.2f}", f"{len(model.pruning_path_):,}"]
        nodes.append(size)
        times.append(found)
        report.add_row(f"{size:,}", f"{growth:.3f}", *cells)
    plain, gini = np.polyfit(np.log(nodes), np.log(times), 1)[0]
    report.add_row("exponent", "", f"{plain:.2f}", "", "", f"{gini:.2f}", "", "")


# --- all of it


def run(report: Report, share: float = 1.0, *, complete: bool = False) -> None:
    """All of this part, on a share of the rows."""
    report.say("\n" + NOTES.format(title=TITLE, repeats=REPEATS))
    run_defaults(report, share)
    grid_search.run(report, share, complete=complete)
    run_rpart(report, share)
    run_j48(report, share)
    run_pruners(report, share)
    run_growth(report, share)


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1.0, help="share of the rows")
    parser.add_argument("--complete", action="store_true", help="try all alphas of scikit-learn's search")
    parser.add_argument("--write", action="store_true", help="put the result into RESULTS.md")
    arguments = parser.parse_args()
    report = Report()
    if arguments.rows != 1.0:
        report.say(f"Only {arguments.rows:.0%} of the rows that the names tell.")
    run(report, arguments.rows, complete=arguments.complete)
    if arguments.write and arguments.rows == 1.0:
        write_section(RESULTS, TITLE, report.lines)


if __name__ == "__main__":
    main()
