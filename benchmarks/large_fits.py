"""Large fits: wall time and peak memory of tables that must fit into an ordinary machine.

Words: *peak* is the largest resident memory of a process of its own, *before* that before the fit, *data* the
table itself. Nothing is pruned, and nobody compared with. Run `python benchmarks/large_fits.py [name …]` on a
quiet machine.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from arboretum import TreeClassifier, TreeRegressor

Case = Callable[[], tuple[Any, Any, Any]]  # an estimator, its table and its target


def tall(**options: Any) -> Case:
    """Ten million rows of ten float32 columns; the class depends on three of them, a fifth is wrong."""

    def make() -> tuple[Any, Any, Any]:
        rng = np.random.default_rng(0)
        X = rng.random((10_000_000, 10), dtype=np.float32)
        y = ((X[:, 0] > 0.5) ^ (X[:, 1] * X[:, 2] > 0.25) ^ (rng.random(len(X)) < 0.2)).astype(np.int8)
        return TreeClassifier(prune=None, **options), X, y

    return make


def wide() -> tuple[Any, Any, Any]:
    """Five thousand columns of two thousand rows, fully grown."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 5_000)).astype(np.float32)
    return TreeClassifier(prune=None), X, (X[:, :3].sum(axis=1) + rng.normal(size=2_000) > 0)


def many_levels(n_classes: int) -> Case:
    """One nominal column of 50,000 levels in a million rows; seven targets of ten follow from the level."""

    def make() -> tuple[Any, Any, Any]:
        options: dict[str, Any] = {"categorical_features": [0], "min_samples_leaf": 20, "prune": None}
        rng = np.random.default_rng(0)
        level = rng.integers(0, 50_000, size=(1_000_000, 1))
        y = np.where(rng.random(len(level)) < 0.3, rng.integers(0, 10, len(level)), level[:, 0] % 10)
        if n_classes:
            return TreeClassifier(**options), level, y % n_classes
        return TreeRegressor(**options), level, y

    return make


CASES: dict[str, Case] = {
    "10M x 10 float32, max_depth=8": tall(max_depth=8),
    "10M x 10 float32, max_depth=8, n_jobs=2": tall(max_depth=8, n_jobs=2),
    "10M x 10 float32, max_depth=8, max_bins=255": tall(max_depth=8, max_bins=255),
    "10M x 10 float32, min_samples_leaf=1000": tall(min_samples_leaf=1_000),
    "2,000 x 5,000 float32, full": wide,
    "1M x 1 of 50,000 levels, 2 classes": many_levels(2),
    "1M x 1 of 50,000 levels, 10 classes": many_levels(10),
    "1M x 1 of 50,000 levels, regression": many_levels(0),
}


def peak_gigabytes() -> float:
    """Return the largest resident memory of this process so far; Linux counts kilobytes, macOS bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def measure(name: str) -> str:
    """Run one case in this process and return its line of the table."""
    estimator, X, y = CASES[name]()
    data, before = (X.nbytes + y.nbytes) / 1e9, peak_gigabytes()
    start = time.perf_counter()
    estimator.fit(X, y)
    seconds, peak = time.perf_counter() - start, peak_gigabytes()
    leaves = f"{estimator.get_n_leaves():,}"
    return f"{name:<46} {seconds:>8.1f} s {data:>7.2f} GB {before:>7.2f} GB {peak:>7.2f} GB {leaves:>9}"


def main(names: list[str]) -> None:
    """Print one line per case, each measured in a process of its own."""
    print(f"{os.cpu_count()} cores\n")
    print(f"{'case':<46} {'fit':>10} {'data':>10} {'before':>10} {'peak':>10} {'leaves':>9}", flush=True)
    for name in names or CASES:
        subprocess.run([sys.executable, __file__, "--one", name], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(measure(sys.argv[2]), flush=True)
    else:
        main(sys.argv[1:])
