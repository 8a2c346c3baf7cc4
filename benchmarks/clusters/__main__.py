"""Measure fits on a cluster of two processes on this machine: `python -m benchmarks.clusters [--write]`.

python -m benchmarks.clusters --rows 2000000     a look: nothing is written without --write
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.measuring import NOTHING, Report, processor, write_section

from .fits import MAX_DEPTH, Measured, fit_in_memory, fit_on_workers, seconds_per_task
from .model import N_ROWS, N_WORKERS, RATE, model
from .tables import N_COLUMNS, PART_ROWS, held_out

ROOT: Final = Path(__file__).parents[2]
PATH: Final = ROOT / "benchmarks" / "DASK.md"
PYTHON: Final = ROOT / "build" / "dask-rivals" / "bin" / "python"
FITS: Final = 5_000_000  # rows of the table that is compared with the fit in memory, at most
HEAD: Final = """\
# Fits on Dask clusters

`make bench-dask` writes this; `python -m benchmarks.clusters --rows 2000000` is a quick look."""


def main() -> None:
    """Measure, print, and with --write keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000_000, help="of the large table")
    parser.add_argument("--write", action="store_true", help="write benchmarks/DASK.md")
    given = parser.parse_args()
    report = Report()
    report.say(f"## {given.rows:,} rows\n")
    report.say(
        f"Measured on {time.strftime('%Y-%m-%d')}: {processor()}, dask {version('dask')}, "
        f"a load of {os.getloadavg()[1]:.1f} before. "
        f"Tables have {N_COLUMNS} columns of float32, nearly all values different, two classes, and "
        f"partitions of at most {PART_ROWS:,} rows; trees have max_depth={MAX_DEPTH}. "
        "Workers are processes of one thread."
    )
    large = tell_large(report, given.rows)
    small = tell_overhead(report, min(FITS, given.rows // 2))
    tell_model(report, small, large)
    if given.write:
        if not PATH.exists():
            PATH.write_text(HEAD + "\n", encoding="utf-8")
        write_section(PATH, f"## {given.rows:,} rows", report.lines)


def tell_large(report: Report, n_rows: int) -> Measured:
    """The large table, made on two workers while the fit goes on."""
    found = fit_on_workers(n_rows, 2, there=False)
    levels = found.levels
    report.say(
        f"\n**Two workers, {n_rows:,} rows** in {found.n_parts} partitions, made by the fit itself: "
        f"{found.seconds:.1f} s, of which the levels took {levels['seconds'].sum():.1f} s. "
        f"Each worker had at most {found.peak / 1e6:,.0f} MB, {found.base / 1e6:,.0f} MB of which before "
        f"there were any data: {found.cell_bytes:.1f} bytes a cell beyond that. The values themselves, which "
        "exactness needs, take 4 of them."
    )
    report.begin_table("level", "nodes", "rounds", "buckets, bytes", "cells, bytes", "seconds")
    names = ("depth", "n_nodes", "n_rounds", "bucket_bytes", "cell_bytes")
    for row in levels.to_dict("records"):
        report.add_row(*(f"{row[name]:,}" for name in names), f"{row['seconds']:.2f}")
    steps = found.tasks.groupby("step")["seconds"].agg(["count", "sum"]).sort_values("sum", ascending=False)
    listed = ", ".join(
        f"{step} {took:.1f}" for step, took in zip(map(str, steps.index[:8]), steps["sum"], strict=False)
    )
    report.say(
        f"\nSeconds of the workers by step: {listed}; {int(steps['count'].sum()):,} tasks in all. "
        f"Processors were busy for {found.worker_cpu:.1f} s on the workers, {found.driver_cpu:.1f} s in the "
        "driver."
    )
    return found


def tell_overhead(report: Report, n_rows: int) -> Measured:
    """A table that fits into memory: there, on one worker and on two, and by other libraries."""
    report.say(f"\n**{n_rows:,} rows that fit into memory**, which are there when time begins:")
    right_answers = held_out()
    report.begin_table("fit", "seconds", "to the fit in memory, as many threads", "held-out rows right")
    trees, seconds = {}, {}
    for n_jobs in (1, 2):
        seconds[n_jobs], trees[n_jobs] = fit_in_memory(n_rows, n_jobs)
        right = right_share(trees[n_jobs], *right_answers)
        name = f"arboretum in memory, {n_jobs} thread{'s' if n_jobs > 1 else ''}"
        report.add_row(name, f"{seconds[n_jobs]:.2f}", "1.00", f"{right:.4f}")
    found = {}
    for n_workers in (1, 2):  # both have the same partitions
        found[n_workers] = fit_on_workers(n_rows, n_workers, there=True)
        took = found[n_workers].seconds
        same = "the same tree" if found[n_workers].tree == trees[1] else "ANOTHER TREE"
        name = f"arboretum.dask, {n_workers} worker{'s' if n_workers > 1 else ''}"
        report.add_row(name, f"{took:.2f}", f"{took / seconds[n_workers]:.2f}", same)
    for name, title in (("lightgbm", "LightGBM"), ("xgboost", "XGBoost")):
        told = ask_rival(name, n_rows)
        if told is None:
            report.add_row(f"{title}'s Dask interface", NOTHING, NOTHING, "not installed, or failed")
        else:
            report.add_row(
                f"{title} {told['version']}'s Dask interface, 2 workers",
                f"{told['seconds']:.2f}",
                f"{told['seconds'] / seconds[2]:.2f}",
                f"{told['right']:.4f}",
            )
    report.say(
        f"\nFrom one worker to two: {found[1].seconds / found[2].seconds:.2f} times as fast. "
        "The others look at 255 thresholds of each column, ours at all."
    )
    return found[2]


def right_share(tree: Any, x: Any, y: Any) -> float:
    """Return the share of rows that the tree gets right."""
    return float(np.mean(np.asarray(tree.predict(x)) == y.to_numpy()))


def ask_rival(name: str, n_rows: int) -> dict[str, Any] | None:
    """Return what another library found in its own environment; None if it has none."""
    if not PYTHON.exists():
        return None
    command = [str(PYTHON), "-m", "benchmarks.clusters.rivals", name, str(n_rows), "2"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if ran.returncode:
        print(ran.stderr[-2000:])
        return None
    told: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return told


def tell_model(report: Report, small: Measured, large: Measured) -> None:
    """A model of a large cluster from these figures."""
    per_task = seconds_per_task()
    report.say(
        f"\n**A model, not a measurement**: {N_WORKERS} workers of one thread, {N_ROWS:.0e} rows, "
        f"{RATE / 1e9:g} GB/s between machines. Rates and sizes are those of the fits above; Dask takes "
        f"{1e6 * per_task:.0f} µs a task. "
        "Seconds are those of processors, so that a busy machine does not show."
    )
    for title, n_parts in (
        (f"partitions of {PART_ROWS:,} rows", N_ROWS // PART_ROWS),
        ("a partition for each worker", N_WORKERS),
    ):
        costs = model(small, large, per_task, n_parts=n_parts)
        report.say(f"\n{title[0].upper()}{title[1:]}:")
        names = ("counting, s", "sending and merging, s", "scheduler, s", "driver, s", "all, s")
        report.begin_table("level", "message, MB", "moved in all, GB", *names)
        for cost in costs:
            times = (cost.counting, cost.sending, cost.scheduling, cost.driving, cost.seconds)
            sizes = (f"{cost.message / 1e6:.2f}", f"{cost.moved / 1e9:.2f}")
            report.add_row(f"{cost.level}", *sizes, *(f"{took:.1f}" for took in times))
        total = [sum(getattr(cost, name) for cost in costs) for name in PARTS]
        moved = f"{sum(cost.moved for cost in costs) / 1e9:.2f}"
        report.add_row("all", "", moved, *(f"{took:.1f}" for took in (*total, sum(total))))


PARTS: Final = ("counting", "sending", "scheduling", "driving")

if __name__ == "__main__":
    main()
