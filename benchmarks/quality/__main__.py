"""Measure, rank and tell: `python -m benchmarks.quality` writes QUALITY.md and its picture.

With `--peers arboretum` only peers whose name begins so are asked again; what the others said is remembered.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import pandas as pd

from .diagram import draw_rankings
from .made_tables import list_made_tables
from .peers import DEFAULT, Peer, list_peers
from .real_tables import list_real_tables
from .records import Plan, keep, keep_minutes, measure, remember, remember_minutes
from .report import PICTURE, Findings, rank_all, tell
from .tables import Table
from .trials import remember_trials, run_trials

REPORT = Path(__file__).parents[1] / "QUALITY.md"


def read_arguments() -> argparse.Namespace:
    """What is wanted."""
    plan = Plan()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument(
        "--peers", nargs="*", help="ask only peers whose name begins so; none: only write the report anew"
    )
    parser.add_argument("--seed", type=int, default=plan.seed, help="of the splits")
    parser.add_argument("--splits", type=int, default=plan.splits, help="of each table")
    parser.add_argument("--jobs", type=int, default=plan.jobs, help="processes that share the work")
    parser.add_argument(
        "--tables", nargs="*", help="only these tables: records are printed, nothing is written"
    )
    return parser.parse_args()


def wanted_peers(peers: list[Peer], beginnings: list[str] | None) -> list[Peer]:
    """All peers, or those whose name begins in one of these ways."""
    if beginnings is None:
        return peers
    for beginning in beginnings:
        if not any(peer.name.startswith(beginning) for peer in peers):
            names = ", ".join(f"'{peer.name}'" for peer in peers)
            raise SystemExit(f"--peers: no peer here is called '{beginning}…'; there are {names}.")
    return [peer for peer in peers if peer.name.startswith(tuple(beginnings))]


def look_at(plan: Plan, peers: list[Peer], tables: list[Table], names: list[str]) -> None:
    """Print what a few tables give."""
    unknown = [name for name in names if name not in {table.name for table in tables}]
    if unknown:
        known = ", ".join(f"'{table.name}'" for table in tables)
        raise SystemExit(f"--tables: '{unknown[0]}' is not known; there are {known}.")
    records = measure(plan, peers, [table for table in tables if table.name in names])
    with pd.option_context("display.width", 200, "display.max_columns", None):
        print(records.groupby(["table", "peer"], sort=False).mean(numeric_only=True).round(3).to_string())


def find_out(plan: Plan, peers: list[Peer], wanted: list[Peer], tables: list[Table]) -> Findings:
    """Ask the peers that are wanted, and remember the others."""
    _, missing = list_peers()
    real = [table for table in tables if not table.made]
    trials = remember_trials(plan, real)
    start = time.perf_counter()
    if wanted:
        keep(plan, measure(plan, wanted, tables))
        if any(peer.name == DEFAULT for peer in wanted):
            trials = run_trials(plan, real)
    if len(wanted) == len(peers):
        keep_minutes(plan, (time.perf_counter() - start) / 60)
    records = remember(plan, peers, tables)
    asked, there = {peer.name for peer in wanted}, set(records.get("peer", []))
    return Findings(
        plan,
        tables,
        records,
        trials,
        missing=missing + [f"{peer.name}: not measured yet" for peer in peers if peer.name not in there],
        minutes=remember_minutes(plan),
        remembered=[peer.name for peer in peers if asked and peer.name in there - asked],
    )


def main() -> None:
    """Do what the arguments say."""
    arguments = read_arguments()
    plan = Plan(arguments.seed, arguments.splits, arguments.jobs)
    peers, _ = list_peers()
    wanted = wanted_peers(peers, arguments.peers)
    tables = [*list_real_tables(), *list_made_tables()]
    if arguments.tables is not None:
        look_at(plan, wanted, tables, arguments.tables)
        return
    findings = find_out(plan, peers, wanted, tables)
    if DEFAULT not in set(findings.records.get("peer", [])):
        raise SystemExit(f"'{DEFAULT}' was never measured with this seed: run with --peers {DEFAULT} first.")
    report = tell(findings)
    draw_rankings(PICTURE, rank_all(findings))
    REPORT.write_text("\n".join(report.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
