"""Stability: a hundred resamples, with the default tree and with the tree as it is grown.

`make bench` runs it with the rest; `python benchmarks/resampling.py --write` alone, and puts the result into
RESULTS.md.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import tables
from measuring import Report, write_section

from arboretum import CostComplexity, TreeClassifier, stability

RESULTS = Path(__file__).with_name("RESULTS.md")
TITLE = "## Resamples"
NOTES = """\
`stability` with 100 resamples of 10,000 rows and 20 columns, two classes; two threads. The seconds of the
processor, those of both threads together, depend less on what else the machine does. The default tree
cross-validates: each resample grows dozens of trees."""
GOAL = 15.0  # seconds, of the default tree


def timed(model: TreeClassifier, X: Any, y: Any, **how: Any) -> tuple[float, float]:
    """The seconds of a run, and those of the processor."""
    begin = time.perf_counter(), time.process_time()
    stability(model, X, y, n_resamples=100, n_jobs=2, **how)
    return time.perf_counter() - begin[0], time.process_time() - begin[1]


def run(report: Report, share: float = 1.0) -> None:
    """Time resamples of trees that are pruned in several ways."""
    report.say(f"\n{TITLE}\n\n{NOTES}")
    X, y = tables.two_classes(int(10_000 * share), 20)
    cases: dict[str, tuple[TreeClassifier, dict[str, Any]]] = {
        "`prune=None`": (TreeClassifier(prune=None), {}),
        "`prune=CostComplexity(repeats=1)`": (TreeClassifier(prune=CostComplexity(repeats=1)), {}),
        "the default tree": (TreeClassifier(), {}),
        'the default tree, `method="subsample"`': (TreeClassifier(), {"method": "subsample"}),
    }
    report.begin_table("100 resamples, 10,000 x 20", "seconds", "of the processor", "goal")
    for name, (model, how) in cases.items():
        wall, used = timed(model, X, y, **how)
        report.add_row(name, f"{wall:.1f}", f"{used:.1f}", f"{GOAL:g}")


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1.0, help="share of the rows")
    parser.add_argument("--write", action="store_true", help="put the result into RESULTS.md")
    arguments = parser.parse_args()
    report = Report()
    run(report, arguments.rows)
    if arguments.write and arguments.rows == 1.0:
        write_section(RESULTS, TITLE, report.lines)


if __name__ == "__main__":
    main()
