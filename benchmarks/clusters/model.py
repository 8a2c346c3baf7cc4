"""A model of large clusters, from what was measured on a small one. It is arithmetic, not a measurement.

For each level of the tree: workers count their rows, at the measured seconds per row. Every partition sends a
message in each round; eight at a time are merged, by tasks that fetch them from other machines. The scheduler
takes its time for each task. The driver receives the merged message and searches.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Final

from .fits import Measured
from .tables import N_COLUMNS

N_ROWS: Final = 10**10
N_WORKERS: Final = 100
RATE: Final = 1.0e9  # bytes per second between machines: a link of 10 Gbit/s
FAN_IN: Final = 8
SINGLE_ROWS: Final = (
    4_096  # of a bucket, that are asked for one by one: cpp/core/shares/node_search_source.cpp
)
BUCKET_BYTES: Final = 8  # two classes, counted
_OF_SMALL: Final = ("take-rows", "be-done", "grow-subtree")  # of nodes that so many rows have only far below
_MERGES: Final = ("add-words", "add-cells", "nearest", "add-totals")


@dataclass(frozen=True)
class LevelCost:
    """Seconds and bytes of a level of the tree on a large cluster."""

    level: int
    message: float  # bytes that a partition sends, and that reach the driver
    moved: float  # bytes between machines, all together
    counting: float  # seconds of each worker
    sending: float  # seconds of each worker's link, and of merging
    scheduling: float  # seconds of the scheduler
    driving: float  # seconds of the driver

    @property
    def seconds(self) -> float:
        """One after the other: nothing overlaps."""
        return self.counting + self.sending + self.scheduling + self.driving


def model(
    small: Measured,
    large: Measured,
    per_task: float,
    *,
    n_rows: int = N_ROWS,
    n_workers: int = N_WORKERS,
    n_parts: int | None = None,
) -> list[LevelCost]:
    """Return the costs of each level; `small` and `large` are fits of the same kind of table.

    Messages grow with the rows as they did from `small` to `large`. Partitions have the same number of rows
    as in `large` unless `n_parts` says how many there are.
    """
    parts = n_parts or round(large.n_parts * n_rows / large.n_rows)
    return [
        _level(small, large, per_task, level, n_rows, n_workers, parts)
        for level in range(min(len(small.levels), len(large.levels)))
    ]


def _level(
    small: Measured, large: Measured, per_task: float, level: int, n_rows: int, n_workers: int, n_parts: int
) -> LevelCost:
    tasks = large.tasks[(large.tasks["level"] == level) & ~large.tasks["step"].isin(_OF_SMALL)]
    merging = tasks["step"].isin(_MERGES)
    told = large.levels.iloc[level]
    of_buckets, cells = float(told["bucket_bytes"]), float(told["cell_bytes"])
    message = of_buckets + _grown(float(small.levels.iloc[level]["cell_bytes"]), cells, small, large, n_rows)
    growth = message / max(1.0, of_buckets + cells)
    moved = message * n_parts * FAN_IN / (FAN_IN - 1)
    # Others may have used the machine: what counts is the time of the processors.
    real = min(1.0, large.worker_cpu / float(large.tasks["seconds"].sum()))
    counting, merge = (real * float(tasks["seconds"][which].sum()) for which in (~merging, merging))
    searching = max(0.0, large.driver_cpu - per_task * len(large.tasks))
    return LevelCost(
        level,
        message,
        moved,
        counting / large.n_rows * n_rows / n_workers,
        moved / n_workers / RATE + merge * growth * n_parts / large.n_parts / n_workers,
        per_task * len(tasks) * n_parts / large.n_parts,
        searching * growth * float(told["seconds"]) / large.seconds + message / RATE,
    )


def _grown(small_bytes: float, large_bytes: float, small: Measured, large: Measured, n_rows: int) -> float:
    """Return the bytes with so many rows, by the power of the rows that led from small to large.

    They cannot grow for ever: of a bucket with more rows than `SINGLE_ROWS`, only steps are asked for, fewer
    than that.
    """
    if not small_bytes or not large_bytes or small.n_rows == large.n_rows:
        return large_bytes
    power = log(large_bytes / small_bytes) / log(large.n_rows / small.n_rows)
    grown = large_bytes * (n_rows / large.n_rows) ** min(1.0, max(0.0, power))
    rows_in_a_bucket = large.n_rows * N_COLUMNS * BUCKET_BYTES / float(large.levels.iloc[0]["bucket_bytes"])
    return float(min(grown, large_bytes * max(1.0, SINGLE_ROWS / rows_in_a_bucket)))
