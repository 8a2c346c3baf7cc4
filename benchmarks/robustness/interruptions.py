"""Interruptions: Ctrl-C at a random moment of every work."""

from __future__ import annotations

import gc
import random
import tempfile
import time

import numpy as np
from support.interruptions import Answer, interrupt
from support.works import WORKS, Tables, Work, fit_a_small_table, run

from benchmarks.measuring import NOTHING, Report

from .machine import circumstances

SECTION = "## Interruptions"
VERDICTS = ("interrupted", "finished", "swallowed", "draft left", "unusable", "crash", "hang")
GOOD = ("interrupted", "finished")
ENOUGH = 1.0  # seconds that a work should take, so that there is something to interrupt
MOST_ROWS = 1_000_000
HOW = """
Ctrl-C (SIGINT) came at a random moment of each work, in a process of its own. "interrupted" means that
KeyboardInterrupt was raised, that no file was left half written, and that the process then fitted, pruned
and predicted a small table as ever; "finished", that the work was over before the signal came. All else is
a fault. The seconds are wall time from the signal to the answer, on a machine that does other things as
well."""


def look(size: float) -> tuple[str, list[str], int]:
    """Interrupt works; a size of 1 means 30 times each."""
    report, times = Report(), max(2, round(30 * size))
    report.say(f"{SECTION}\n\n{circumstances()}")
    report.say(HOW)
    report.begin_table("work", "takes, s", *VERDICTS, "median, s", "90%, s", "longest, s")
    chance, everything = random.Random(0), []
    with tempfile.TemporaryDirectory() as folder:
        small = fit_a_small_table()
        for name, work in WORKS.items():
            tables, seconds = long_enough(work, folder)
            answers = [interrupt(work, tables, chance.uniform(0.0, seconds), small) for _ in range(times)]
            everything += [(name, answer) for answer in answers]
            add_row(report, name, seconds, answers)
    add_row(report, "all", None, [answer for _, answer in everything])
    report.say("")
    faults = [
        f"{name}: {answer.verdict}, {answer.details}"
        for name, answer in everything
        if answer.verdict not in GOOD
    ]
    for fault in faults[:20]:
        report.say(f"- {fault}")
    return SECTION, report.lines, len(faults)


def add_row(report: Report, name: str, takes: float | None, answers: list[Answer]) -> None:
    """Add what became of one work."""
    seconds = [answer.seconds for answer in answers if answer.verdict == "interrupted"]
    quantiles = [f"{q:.2f}" for q in np.quantile(seconds, (0.5, 0.9, 1.0))] if seconds else [NOTHING] * 3
    counts = [sum(answer.verdict == verdict for answer in answers) for verdict in VERDICTS]
    report.add_row(
        name, NOTHING if takes is None else f"{takes:.1f}", *(f"{n:,}" for n in counts), *quantiles
    )


def long_enough(work: Work, folder: str) -> tuple[Tables, float]:
    """Return a table that keeps the work busy for a while, and for how long."""
    gc.collect()  # Ctrl-C while Python collects what others left may be lost in a callback of theirs
    n_rows = 20_000
    while True:
        tables = Tables(n_rows, folder).prepare()
        run(work, tables)
        begin = time.monotonic()
        run(work, tables)
        seconds = time.monotonic() - begin
        if seconds > ENOUGH or n_rows >= MOST_ROWS:
            return tables, seconds
        n_rows = min(MOST_ROWS, round(n_rows * min(10.0, max(2.0, 1.5 * ENOUGH / max(seconds, 1e-3)))))
