"""Measure and tell: `python -m benchmarks.held_out` writes OPTIMAL.md and its picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.quality.real_tables import list_real_tables

from .picture import draw_differences
from .report import tell
from .trials import chosen_tables, list_trials, run_trials

REPORT = Path(__file__).parents[1] / "OPTIMAL.md"


def main() -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.held_out",
        description=__doc__,
        epilog="Takes about 20 CPU minutes. What was measured is kept in build/held_out, so that a run that "
        "was ended goes on where it was; remove that folder to measure anew.",
    )
    parser.add_argument("--splits", type=int, default=3, help="of each table (default: 3)")
    parser.add_argument("--tables", nargs="*", help="only these tables: nothing is written")
    arguments = parser.parse_args()
    tables = chosen_tables(list_real_tables())
    if arguments.tables is not None:
        tables = [table for table in tables if table.name in arguments.tables]
    records = run_trials(list(list_trials(tables, arguments.splits)))
    report = tell(records, tables, arguments.splits)
    if arguments.tables is None:
        draw_differences(records)
        REPORT.write_text("\n".join(report.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
