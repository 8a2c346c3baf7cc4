"""CART's surrogates against rpart, C4.5's multiway splits against Weka's J48, and how their time grows.

Words: a *blanked* table is one of numbers, a tenth of them missing; the *plain* fit takes missing as a value.
`python benchmarks/classics.py` prints this part of RESULTS.md alone; speed.py writes it down.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import rivals
from measuring import NOTHING, Report, in_turn, medians, once, seconds
from partners import MISSING, Partner, start_j48, start_rpart
from sklearn.datasets import make_classification

from arboretum import Surrogate, TreeClassifier

Table = tuple[pd.DataFrame, Any]

NOTES = """\
## The classics

Growth alone: `prune=None`, and others as near to it as they have it. One thread, the median of {repeats}
runs each, in turn; others time themselves, without start and reading.
Surrogates: {n_rows:,} x 20 numbers, 10 % missing, five surrogates, depth 30. rpart (xval 0, cp 0, no
competitors) cuts off in the end what saves no error. Multiway: {n_rows:,} x 20 nominal columns of five
levels; J48 (-U -M 2) collapses what saves no error. Its first build finds Java cold; *later* is the median
of the builds after it."""

# rpart's own limits, and growth to the last row; rpart numbers its nodes so that it can go no deeper than 30.
SURROGATE_CASES: dict[str, dict[str, Any]] = {
    "split 20, leaf 7": {"min_samples_split": 20, "min_samples_leaf": 7, "max_depth": 30, "prune": None},
    "full": {"min_samples_split": 2, "min_samples_leaf": 1, "max_depth": 30, "prune": None},
}
MULTIWAY_CASES: dict[str, Callable[..., Any]] = {
    "gain ratio, multiway, full": partial(
        TreeClassifier, criterion="gain_ratio", nominal="multiway", prune=None
    ),
    "`c45(prune=None)`": partial(TreeClassifier.c45, prune=None),
}
N_ROWS = 100_000
REPEATS = 5
J48_OPTIONS = "-U -M 2"
IMODELS_ROWS = 2_000

GROWTH_LIMITS: dict[str, Any] = {"min_samples_split": 20, "min_samples_leaf": 7, "prune": None}
GROWTH_ROWS, GROWTH_COLUMNS, GROWTH_DEPTH = 50_000, 20, 8


def blanked(n_rows: int, n_columns: int) -> Table:
    """Half of the columns carry signal, 5 % of the labels are wrong, 10 % of the values are missing."""
    X, y = make_classification(
        n_rows,
        n_columns,
        n_informative=n_columns // 2,
        n_redundant=n_columns // 10,
        flip_y=0.05,
        random_state=1,
    )
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    return pd.DataFrame(X, columns=[f"x{column}" for column in range(n_columns)]), y


def nominal(n_rows: int, n_columns: int) -> Table:
    """Five levels each; the target follows from up to six columns, two of them together, and from noise."""
    rng = np.random.default_rng(1)
    levels = rng.integers(0, 5, (n_rows, n_columns))
    score = rng.normal(size=n_rows) + rng.normal(size=(5, 5))[levels[:, 0], levels[:, 1]]
    for column in range(min(n_columns, 6)):
        score += rng.normal(size=5)[levels[:, column]]
    names = pd.Index([f"l{level}" for level in range(5)])
    columns = {
        f"x{column}": pd.Categorical.from_codes(levels[:, column], names) for column in range(n_columns)
    }
    return pd.DataFrame(columns), (score > np.median(score)).astype(int)


def run_surrogates(report: Report, share: float) -> None:
    """Surrogates against our plain fit, against two threads, against rpart."""
    X, y = blanked(int(N_ROWS * share), 20)
    with tempfile.TemporaryDirectory() as folder, start_rpart(X, y, Path(folder)) as rpart:
        report.say(f"\nSurrogates, {rpart.name}:")
        report.begin_table(
            "case",
            "surrogates",
            "plain",
            "surrogates / plain (limit: 10)",
            "two threads",
            "rpart",
            "rpart / ours (goal: 10)",
            "leaves",
            "rpart's leaves",
        )
        for name, limits in SURROGATE_CASES.items():
            show_surrogates(report, name, X, y, limits, rpart)


def show_surrogates(
    report: Report, name: str, X: Any, y: Any, limits: dict[str, Any], rpart: Partner
) -> None:
    """Add one set of limits to the table."""
    ours = TreeClassifier(missing=Surrogate(max_surrogates=5), **limits)
    plain = TreeClassifier(missing="category", **limits)
    two = TreeClassifier(missing=Surrogate(max_surrogates=5), n_jobs=2, **limits)
    order = f"{limits['min_samples_split']} {limits['min_samples_leaf']}"
    clocks = {
        "ours": partial(once, lambda: ours.fit(X, y)),
        "plain": partial(once, lambda: plain.fit(X, y)),
        "two": partial(once, lambda: two.fit(X, y)),
        "rpart": partial(rpart.grow, order),
    }
    found = {who: statistics.median(times) for who, times in in_turn(clocks, REPEATS).items()}
    report.add_row(
        name,
        f"{found['ours']:.3f}",
        f"{found['plain']:.3f}",
        f"{found['ours'] / found['plain']:.1f}",
        f"{found['two']:.3f}",
        rpart.show(found["rpart"], ".3g"),
        rpart.show(found["rpart"] / found["ours"], ".1f"),
        f"{ours.get_n_leaves():,}",
        rpart.show(rpart.leaves, ",.0f"),
    )


def run_multiway(report: Report, share: float) -> None:
    """Gain ratio and multiway splits against J48; without Weka, against imodels."""
    X, y = nominal(int(N_ROWS * share), 20)
    models = {name: make() for name, make in MULTIWAY_CASES.items()}
    with tempfile.TemporaryDirectory() as folder, start_j48(X, y, Path(folder)) as weka:
        clocks = {name: partial(once, partial(model.fit, X, y)) for name, model in models.items()}
        times = in_turn(clocks | {"J48": partial(weka.grow, J48_OPTIONS)}, REPEATS + 1)
    first, *later = times.pop("J48")
    theirs = statistics.median(later)
    report.say(f"\nMultiway splits, {weka.name}:")
    report.begin_table(
        "case",
        "ours",
        "J48, first",
        "J48, later",
        "first / ours",
        "later / ours (goal: 20)",
        "leaves",
        "J48's leaves",
    )
    for name, found in times.items():
        ours = statistics.median(found)
        report.add_row(
            name,
            f"{ours:.3f}",
            weka.show(first, ".3g"),
            weka.show(theirs, ".3g"),
            weka.show(first / ours, ".1f"),
            weka.show(theirs / ours, ".1f"),
            f"{models[name].get_n_leaves():,}",
            weka.show(weka.leaves, ",.0f"),
        )
    if not weka.present:
        run_imodels(report)


def run_imodels(report: Report) -> None:
    """C4.5, unpruned, against imodels', which is plain Python and takes levels for numbers: few rows only."""
    X, y = nominal(IMODELS_ROWS, 20)
    report.begin_table(f"{IMODELS_ROWS:,} x 20 nominal columns", "ours", "imodels", "imodels / ours")
    if not rivals.can_import("imodels"):
        report.add_row("`c45(prune=None)`", NOTHING, MISSING, NOTHING)
        return
    from imodels import C45TreeClassifier  # type: ignore[import-not-found, unused-ignore]

    codes = X.apply(lambda column: column.cat.codes).to_numpy()
    works = {
        "ours": lambda: TreeClassifier.c45(prune=None).fit(X, y),
        "theirs": lambda: C45TreeClassifier().fit(codes, y),
    }
    found = medians(works, REPEATS)
    report.add_row(
        "`c45(prune=None)`",
        f"{found['ours']:.4f}",
        f"{found['theirs']:.3g}",
        f"{found['theirs'] / found['ours']:.0f}",
    )


def growers(max_depth: int) -> dict[str, tuple[Callable[[int, int], Table], Any]]:
    """The fits whose growth is measured: the maker of their table, and the model."""
    limits = GROWTH_LIMITS | {"max_depth": max_depth}
    return {
        "surrogates": (blanked, TreeClassifier(missing="surrogate", **limits)),
        "fractional": (blanked, TreeClassifier(missing="fractional", **limits)),
        "multiway": (nominal, TreeClassifier(criterion="gain_ratio", nominal="multiway", **limits)),
    }


def time_growth(n_rows: int, n_columns: int, max_depth: int) -> dict[str, float]:
    """The nanoseconds that each fit takes per row and column, the shortest of three."""
    found = {}
    for name, (make, model) in growers(max_depth).items():
        X, y = make(n_rows, n_columns)
        found[name] = 1e9 * seconds(partial(model.fit, X, y), 3) / X.size
    return found


def show_growth(
    report: Report, label: str, sizes: list[int], time: Callable[[int], dict[str, float]]
) -> None:
    """Add the nanoseconds of some sizes to the table, and the exponents that fit them best."""
    found = []
    for size in sizes:
        found.append(time(size))
        report.add_row(label.format(size), *(f"{value:.0f}" for value in found[-1].values()))
    logs = np.log([list(times.values()) for times in found])
    report.add_row("exponent", *(f"{slope:+.2f}" for slope in np.polyfit(np.log(sizes), logs, 1)[0]))


def run_growth(report: Report, share: float) -> None:
    """Nanoseconds per row and column for growing numbers of rows, of columns, and growing depth."""
    n_rows, p, depth = int(GROWTH_ROWS * share), GROWTH_COLUMNS, GROWTH_DEPTH
    report.say(
        f"\nNanoseconds per row and column: {n_rows:,} rows, {p} columns and depth {depth} unless told,\n"
        "split 20, leaf 7. An exponent of 0 means that time grows in step with rows or columns."
    )
    report.begin_table("size", *growers(depth))
    rows = [int(size * share) for size in (25_000, 50_000, 100_000, 200_000)]
    show_growth(report, "{:,} rows", rows, lambda size: time_growth(size, p, depth))
    show_growth(report, "{} columns", [5, 10, 20, 40], lambda size: time_growth(n_rows, size, depth))
    show_growth(report, "depth {}", [2, 4, 8, 16], lambda size: time_growth(n_rows, p, size))


def run(report: Report, share: float = 1.0) -> None:
    """All of this part, on a share of the rows."""
    report.say("\n" + NOTES.format(repeats=REPEATS, n_rows=int(N_ROWS * share)))
    run_surrogates(report, share)
    run_multiway(report, share)
    run_growth(report, share)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1.0, help="share of the rows")
    run(Report(), parser.parse_args().rows)
