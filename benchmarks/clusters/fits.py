"""One fit, on a cluster of processes on this machine or in memory: seconds, memory of the workers, messages.

Words: the *base* of a worker is its resident memory before it has any data, with all packages loaded; its
*peak* the largest that it ever had.
"""

from __future__ import annotations

import re
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
from dask.delayed import delayed
from dask.utils import key_split
from distributed import Client, LocalCluster, wait
from distributed import get_task_stream as task_stream

import arboretum
from arboretum.dask import TreeClassifier

from .tables import N_COLUMNS, make_columns, make_target, part_sizes

MAX_DEPTH: Final = 8
LOCAL: Final[dict[str, Any]] = {
    "threads_per_worker": 1,
    "dashboard_address": "127.0.0.1:0",
    "protocol": "tcp",
    "host": "127.0.0.1",
}
_TRIVIAL: Final = 2_000  # tasks by which the scheduler is measured


@dataclass(frozen=True)
class Measured:
    """What a fit on a cluster took."""

    n_rows: int
    n_parts: int
    n_workers: int
    seconds: float
    base: int  # bytes of one worker
    peak: int  # of the worker that had most
    levels: pd.DataFrame
    tasks: pd.DataFrame  # step, level, seconds: those that ran on the workers
    tree: arboretum.Tree
    worker_cpu: float  # seconds of all workers' processors
    driver_cpu: float  # of the driver's, whose process is the scheduler's as well

    @property
    def cell_bytes(self) -> float:
        """The bytes that the workers had at most for each cell, beyond their bases."""
        return (self.peak - self.base) * self.n_workers / (self.n_rows * N_COLUMNS)


@contextmanager
def cluster_of(n_workers: int) -> Iterator[Client]:
    """Workers in processes of one thread each, with all packages loaded."""
    with LocalCluster(n_workers=n_workers, processes=True, **LOCAL) as cluster, Client(cluster) as client:
        client.run(_peak)
        yield client


def fit_on_workers(n_rows: int, n_workers: int, *, there: bool) -> Measured:
    """Fit a tree on a new cluster; `there` says that the data are on the workers when time begins."""
    with cluster_of(n_workers) as client:
        base = max(client.run(_peak).values())
        sizes = part_sizes(n_rows)
        x: list[Any] = [delayed(make_columns)(part, size) for part, size in enumerate(sizes)]
        y: list[Any] = [delayed(make_target)(columns, part) for part, columns in enumerate(x)]
        if there:
            x, y = client.compute(x), client.compute(y)
            wait([*x, *y])
        with task_stream(client) as stream:
            worker_cpu, driver_cpu = -sum(client.run(time.process_time).values()), -time.process_time()
            begin = time.perf_counter()
            model = TreeClassifier(prune=None, max_depth=MAX_DEPTH).fit(x, y, client=client)
            seconds = time.perf_counter() - begin
            driver_cpu += time.process_time()
            worker_cpu += sum(client.run(time.process_time).values())
        peak = max(client.run(_peak).values())
    return Measured(
        *(n_rows, len(sizes), n_workers, seconds, base, peak),
        model.growth_.to_frame(),
        _tasks(stream.data),
        model.tree_,
        worker_cpu,
        driver_cpu,
    )


def fit_in_memory(n_rows: int, n_jobs: int) -> tuple[float, arboretum.Tree]:
    """Return the seconds of the fit in memory, and the tree."""
    x, y = in_memory(n_rows)
    begin = time.perf_counter()
    model = arboretum.TreeClassifier(prune=None, max_depth=MAX_DEPTH, n_jobs=n_jobs).fit(x, y)
    return time.perf_counter() - begin, model.tree_


def in_memory(n_rows: int) -> tuple[pd.DataFrame, pd.Series]:
    """Return the table as a whole."""
    parts = [make_columns(part, size) for part, size in enumerate(part_sizes(n_rows))]
    targets = [make_target(columns, part) for part, columns in enumerate(parts)]
    return pd.concat(parts, ignore_index=True), pd.concat(targets, ignore_index=True)


def seconds_per_task() -> float:
    """Return the processor's seconds for a task that does nothing: those of Dask's client and scheduler."""
    with cluster_of(2) as client:
        client.gather(client.map(_nothing, range(100), pure=False))
        begin = time.process_time()
        client.gather(client.map(_nothing, range(_TRIVIAL), pure=False))
        return (time.process_time() - begin) / _TRIVIAL


def _nothing(number: int) -> int:
    return number


def _peak() -> int:
    import arboretum.dask  # noqa: F401 - part of the base

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _tasks(records: Any) -> pd.DataFrame:
    """Return the tasks of the fit, by step and level of the tree; -1 for those before and after."""
    rows = []
    for record in records:
        level = re.search(r"-level(\d+)-", str(record["key"]))
        took = sum(
            span["stop"] - span["start"] for span in record["startstops"] if span["action"] == "compute"
        )
        rows.append((key_split(record["key"]), int(level[1]) if level else -1, took))
    return pd.DataFrame(rows, columns=["step", "level", "seconds"])
