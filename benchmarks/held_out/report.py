"""The report: trees of the same depth, trees whose size was chosen, every table, and how it was done."""

from __future__ import annotations

import pandas as pd

from benchmarks.measuring import NOTHING, Report
from benchmarks.quality.peers import describe_versions
from benchmarks.quality.tables import Table

from .differences import FEWEST_TABLES, Difference, Shape, compare, in_per_cent, of_shape
from .kinds import DEPTHS, MOST_ROWS, PASSES
from .picture import PICTURE
from .trials import ALL, MOST_COLUMNS, MOST_LEVELS, ROWS, SEED

__all__ = ["tell"]

OPENING = """\
# Optimal trees on held-out rows

Measured with {versions}: {classes} tables of classes and {numbers} of numbers, {splits} splits each.
Errors in per cent: of classes, the share of rows that the tree gets wrong; of numbers, the share of the
variance that it does not explain. Differences are means over tables with their 95% intervals; below 0, the
optimal tree is better. In brackets: on how many tables it is better : worse. Of fewer than {fewest} tables
there is no interval.

![Differences of held-out errors by the number of training rows](../docs/images/{picture})"""

SAME_DEPTH = """
## Trees of the same depth

None of them is pruned. Errors on training → held-out rows, means over tables. *Proven*: the share of the
searches that ended with a proof; the others were stopped after {passes:,} passes over the rows of a node."""

SIZE_CHOSEN = """
## Trees whose size was chosen

Held-out errors and, in brackets, the number of leaves. *Default* is `TreeClassifier()` or `TreeRegressor()`,
of any depth. The others are `max_depth=2` or `3` with the default pruning: the price of a leaf is chosen by
cross-validation, along the pruning path of the greedy tree or along the path of optimal trees. Depth 3 was
left out where there are more than {most:,} training rows, because the choice takes dozens of searches."""

EVERY_TABLE = """
## Every table

Depth 3, all training rows: held-out errors."""

METHOD = """
## Method

**Tables.** Those of [the quality benchmark](QUALITY.md) that are observed, not made, and have at most
{columns} columns and no column of more than {levels} levels, so that every subset of levels can be asked.

**Splits.** A third of the rows is held out, {splits} times, with seed {seed}; all trees get the same rows. Of
the others, 100, 300 or 1,000 are drawn, the smaller draw being part of the larger one, or all are used. A
table counts for a number of rows if it has more than that.

**Limits.** A search is stopped after {passes:,} passes over the rows of a node, not by the clock, so that
every machine finds the same trees. A stopped search keeps its best tree, which is never worse in training
than the greedy one or that of lookahead. The longest single search took {longest:.1f} CPU seconds.

**Intervals.** By Student's t over tables, each of which counts once, by the mean of its splits. They say how
sure the mean over such tables is, not what to expect of a single one: see *Every table*. Of as many intervals
as there are here, a few do not hold the truth."""


def tell(records: pd.DataFrame, tables: list[Table], n_splits: int) -> Report:
    """Write the whole report."""
    report = Report()
    n_classes = sum(table.of_classes for table in tables)
    report.say(
        OPENING.format(
            versions=describe_versions().split(", ")[0],
            classes=n_classes,
            numbers=len(tables) - n_classes,
            splits=n_splits,
            picture=PICTURE.name,
            fewest=FEWEST_TABLES,
        )
    )
    report.say(SAME_DEPTH.format(passes=PASSES))
    show_same_depth(report, records)
    report.say(SIZE_CHOSEN.format(most=MOST_ROWS[3]))
    show_size_chosen(report, records)
    report.say(EVERY_TABLE)
    show_every_table(report, records, tables)
    limits = {"columns": MOST_COLUMNS, "levels": MOST_LEVELS, "seed": SEED, "passes": PASSES}
    longest = float(records.loc[records["kind"] == "optimal", "seconds"].max())
    report.say(METHOD.format(splits=n_splits, longest=longest, **limits))
    return report


def list_shapes(depths: tuple[int, ...]) -> list[Shape]:
    """Return all shapes, in the order of the tables."""
    return [Shape(kind, rows, depth) for kind in (True, False) for rows in (*ROWS, ALL) for depth in depths]


def show_same_depth(report: Report, records: pd.DataFrame) -> None:
    """Greedy, lookahead and optimal, by rows and depth."""
    kinds = ("greedy", "lookahead", "optimal")
    report.begin_table(
        "target", "rows", "depth", "tables", *kinds, "proven", "optimal - greedy", "optimal - lookahead"
    )
    for shape in list_shapes(DEPTHS):
        means = [of_shape(records, kind, shape) for kind in kinds]
        if means[2].empty:
            continue
        report.add_row(
            *name_shape(shape),
            str(len(means[2])),
            *(f"{100 * one['training'].mean():.1f} → {100 * one['held_out'].mean():.1f}" for one in means),
            f"{100 * share_proven(records, shape):.0f}%",
            *(shown(compare(records, "optimal", other, shape)) for other in kinds[:2]),
        )


def share_proven(records: pd.DataFrame, shape: Shape) -> float:
    """Return the share of the searches that ended with a proof."""
    own = records[
        (records["kind"] == "optimal")
        & (records["of_classes"] == shape.of_classes)
        & (records["rows"] == shape.rows)
        & (records["depth"] == shape.depth)
    ]
    return float(own["proven"].astype(bool).mean())


def show_size_chosen(report: Report, records: pd.DataFrame) -> None:
    """The default, and greedy and optimal trees of few levels, all pruned by cross-validation."""
    kinds = ("default", "greedy, size chosen", "optimal, size chosen")
    report.begin_table(
        "target",
        "rows",
        "depth",
        "tables",
        "default",
        "greedy",
        "optimal",
        "optimal - greedy",
        "optimal - default",
    )
    for shape in list_shapes((2, 3)):
        optimal = of_shape(records, kinds[2], shape)
        if optimal.empty:
            continue
        means = [of_shape(records, kind, shape).loc[optimal.index] for kind in kinds]
        report.add_row(
            *name_shape(shape),
            str(len(optimal)),
            *(f"{100 * one['held_out'].mean():.1f} ({one['leaves'].mean():.1f})" for one in means),
            shown(compare(records, kinds[2], kinds[1], shape)),
            shown(compare(records, kinds[2], kinds[0], shape)),
        )


def show_every_table(report: Report, records: pd.DataFrame, tables: list[Table]) -> None:
    """Depth 3 with all training rows."""
    kinds = ("greedy", "lookahead", "optimal", "default")
    report.begin_table("table", "rows x columns", *kinds, "optimal - greedy")
    for table in tables:
        shape = Shape(table.of_classes, ALL, 3)
        found = [
            float(of_shape(records, kind, shape)["held_out"].get(table.name, float("nan"))) for kind in kinds
        ]
        difference = in_per_cent(found[2] - found[0])
        size = f"{len(table.y):,} x {table.X.shape[1]}"
        report.add_row(table.name, size, *(f"{100 * one:.1f}" for one in found), difference)


def name_shape(shape: Shape) -> tuple[str, str, str]:
    """Return the cells that say what a line is about."""
    rows = "all" if shape.rows == ALL else f"{shape.rows:,}"
    return "classes" if shape.of_classes else "numbers", rows, str(shape.depth)


def shown(difference: Difference | None) -> str:
    """Return the cell of a difference."""
    return NOTHING if difference is None else f"{difference} ({difference.tables})"
