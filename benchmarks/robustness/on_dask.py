"""Fits on one Dask cluster, one after the other: neither the workers nor the driver may grow."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from dask.delayed import delayed
from distributed import Client, LocalCluster
from scipy import stats
from support.clusters import LOCAL

import arboretum
from arboretum.dask import TreeClassifier, TreeRegressor
from arboretum.dask.estimators import fit_parts
from benchmarks.measuring import Report

from .machine import circumstances

SECTION = "## Fits on a Dask cluster"
N_FITS, N_ROWS, N_PARTS, N_KILLS = 60, 100_000, 4, 10
WARM_UP = 30  # fits until caches have found their size: Dask keeps account of the last thousand tasks
ALLOWED = 1.0  # MB a fit that the interval of the slope may leave open: a leaked partition is 4 MB
HOW = f"""
A cluster of two processes fitted {N_FITS} trees, of classes and of numbers in turn, from new tables of
{N_ROWS:,} rows in {N_PARTS} partitions. Memory is resident, after each fit and a garbage collection. The
slope is that of all fits after the first {WARM_UP}, with its 95% interval. Then a worker was killed (SIGKILL)
at a random moment of each of {N_KILLS} fits of the same table, and the trees were compared."""


def table(number: int, part: int) -> pd.DataFrame:
    """One partition of one of the tables."""
    values = np.random.default_rng([number, part]).normal(size=(N_ROWS // N_PARTS, 5))
    return pd.DataFrame(values, columns=list("abcde"))


def target(x: pd.DataFrame, of_numbers: bool) -> Any:
    """Numbers that depend on the columns, or classes."""
    score = x["a"] + x["b"] * x["c"]
    return score if of_numbers else (score > 0).astype(int)


def fit(client: Client, number: int, of_numbers: bool) -> arboretum.Tree:
    """Grow the tree of a table; most of it on the workers side by side."""
    x: list[Any] = [delayed(table)(number, part) for part in range(N_PARTS)]
    y = [delayed(target)(own, of_numbers) for own in x]
    model: Any = TreeRegressor if of_numbers else TreeClassifier
    found: arboretum.Tree = model(prune=None, max_depth=6).fit(x, y, client=client).tree_
    return found


def resident() -> float:
    """Return the megabytes of this process now."""
    gc.collect()
    text = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(text.partition("VmRSS:")[2].split()[0]) / 1024


def look(size: float) -> tuple[str, list[str], int]:
    """Fit over and over; a size of 1 means 60 fits and 10 kills."""
    report = Report()
    report.say(f"{SECTION}\n\n{circumstances()}")
    report.say(HOW)
    defaults: dict[str, Any] = fit_parts.__kwdefaults__ or {}
    small_rows, defaults["small_rows"] = defaults["small_rows"], 2_000
    try:
        with LocalCluster(n_workers=2, processes=True, **LOCAL) as cluster, Client(cluster) as client:
            faults = _soak(client, report, max(WARM_UP + 5, round(N_FITS * size)))
            faults += _kill(client, report, max(1, round(N_KILLS * size)))
    finally:
        defaults["small_rows"] = small_rows
    return SECTION, report.lines, faults


def _soak(client: Client, report: Report, n_fits: int) -> int:
    looks, futures = [], []
    for number in range(n_fits):
        fit(client, number, of_numbers=number % 2 == 1)
        workers = client.run(resident)
        looks.append((resident(), *(workers[address] for address in sorted(workers))))
        futures.append(len(client.futures))
    report.begin_table("", f"after {WARM_UP} fits, MB", f"after {n_fits}, MB", "slope, MB a fit", "interval")
    faults = 0
    for name, seen in zip(("driver", "worker 1", "worker 2"), zip(*looks, strict=True), strict=True):
        rest = seen[WARM_UP:]
        line = stats.linregress(range(len(rest)), rest)
        half = stats.t.ppf(0.975, len(rest) - 2) * line.stderr
        interval = f"{line.slope - half:+.2f} to {line.slope + half:+.2f}"
        report.add_row(name, f"{rest[0]:.1f}", f"{rest[-1]:.1f}", f"{line.slope:+.2f}", interval)
        faults += line.slope - half > ALLOWED
    kept = len(client.who_has()) + max(futures)
    report.say(f"\nResults that were still held after all {n_fits} fits: {kept}.")
    return faults + (kept > 0)


def _kill(client: Client, report: Report, n_kills: int) -> int:
    begin = time.monotonic()
    expected = fit(client, 0, of_numbers=True)
    seconds = time.monotonic() - begin
    chance, same = np.random.default_rng(0), 0
    for _ in range(n_kills):
        client.wait_for_workers(2)
        victims = sorted(client.run(os.getpid).values())
        alarm = threading.Timer(seconds * chance.random(), os.kill, (victims[0], signal.SIGKILL))
        alarm.start()
        same += fit(client, 0, of_numbers=True) == expected
        alarm.join()
    report.say(f"\n{n_kills} fits in which a worker was killed: {same} gave the same tree.")
    return n_kills - same
