"""Asking peers and remembering what was measured: one CSV per peer under build/quality.

Words: a *plan* says which splits; what was measured with one plan is kept apart from that of another.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import pandas as pd

from .answers import Answer
from .measures import judge_classes, judge_numbers
from .peers import Peer
from .splits import Split, list_splits
from .tables import Table

__all__ = ["Plan", "keep", "keep_minutes", "measure", "remember", "remember_minutes"]

KEPT = Path(__file__).parents[2] / "build" / "quality"

Record = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """How often and by which chance rows are held out, and how many processes share the work."""

    seed: int = 2026
    splits: int = 4
    jobs: int = 2

    @property
    def folder(self) -> Path:
        """Where its records are kept."""
        return KEPT / f"seed{self.seed}_splits{self.splits}"


def measure(plan: Plan, peers: list[Peer], tables: list[Table]) -> pd.DataFrame:
    """Ask all peers about all tables; the largest tables first, so that the processes end together."""
    asked = [(peer, table) for table in tables for peer in peers if peer.applies_to(table)]
    asked.sort(key=lambda pair: pair[1].X.size, reverse=True)
    work = (joblib.delayed(measure_one)(plan, peer, table) for peer, table in asked)
    run = joblib.Parallel(n_jobs=plan.jobs, batch_size=1, return_as="generator_unordered")
    records: list[Record] = []
    for number, found in enumerate(run(work), 1):
        records += found
        seconds = sum(record.get("seconds", 0.0) for record in found)
        what = found[0].get("error") or f"{seconds:.1f} s"
        print(f"[{number}/{len(asked)}] {found[0]['table']}, {found[0]['peer']}: {what}", flush=True)
    return pd.DataFrame(records)


def measure_one(plan: Plan, peer: Peer, table: Table) -> list[Record]:
    """One record per split, or one that says why there are none."""
    splits = list_splits(table, plan.splits, plan.seed)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # each library warns of the same rare classes and levels in its own way
        try:
            answers = peer.answers(table, splits)
        except (
            Exception
        ) as error:  # of any library: the others are measured all the same, and the report names it
            text = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            return [{"peer": peer.name, "table": table.name, "split": -1, "error": text}]
    return [record_of(peer, table, split, answer) for split, answer in zip(splits, answers, strict=True)]


def record_of(peer: Peer, table: Table, split: Split, answer: Answer) -> Record:
    """An answer, measured."""
    if answer.probabilities is not None:
        truth = table.numbered(table.y[split.test])
        judged = judge_classes(truth, answer.predicted, answer.probabilities)
    else:
        judged = judge_numbers(table.y[split.test], answer.predicted)
    size = {"leaves": answer.leaves, "seconds": answer.seconds}
    return {"peer": peer.name, "table": table.name, "split": split.number, **judged, **size, "error": None}


def file_of(plan: Plan, name: str) -> Path:
    """Where the records of a peer are kept."""
    return plan.folder / f"{re.sub('[^a-zA-Z0-9.]+', '_', name).strip('_')}.csv"


def keep(plan: Plan, records: pd.DataFrame) -> None:
    """Write the records of each peer in the place of older ones."""
    plan.folder.mkdir(parents=True, exist_ok=True)
    for name, of_peer in records.groupby("peer"):
        of_peer.to_csv(file_of(plan, str(name)), index=False)


def remember(plan: Plan, peers: Iterable[Peer], tables: Iterable[Table]) -> pd.DataFrame:
    """What was measured before, of these peers and tables."""
    stored = [pd.read_csv(path) for peer in peers if (path := file_of(plan, peer.name)).exists()]
    if not stored:
        return pd.DataFrame()
    records = pd.concat([one.dropna(axis=1, how="all") for one in stored], ignore_index=True)
    return records[records["table"].isin([table.name for table in tables])]


def keep_minutes(plan: Plan, minutes: float) -> None:
    """Write down how long it took to ask all peers."""
    (plan.folder / "minutes.txt").write_text(f"{minutes}\n", encoding="utf-8")


def remember_minutes(plan: Plan) -> float | None:
    """How long it took the last time, if it was ever done."""
    path = plan.folder / "minutes.txt"
    return float(path.read_text(encoding="utf-8")) if path.exists() else None
