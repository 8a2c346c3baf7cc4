"""Threads: 32 of them fit, predict, draw and save at the same time, with the same tables and models."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter

from support.works import WORKS, Tables, run

from benchmarks.measuring import Report

from .crew import at_once
from .machine import circumstances

SECTION = "## Threads"
N_THREADS = 32
# These speak to the whole process: the streams of the command line, and the settings of matplotlib.
ALONE = ("predict a file", "chart")
LEFT_OUT = " and ".join(ALONE)
HOW = f"""
{N_THREADS} threads of Python did all works at once, each in an order of its own: they share tables and fitted
models, and some works use threads of their own (`n_jobs`). Python switched between threads every 10 µs. Each
result was compared with that of one thread alone, to the last bit. Left out: {LEFT_OUT}, which belong to one
thread."""


def look(size: float) -> tuple[str, list[str], int]:
    """Let threads work; a size of 1 means that each does each work twice."""
    report, times = Report(), max(1, round(2 * size))
    report.say(f"{SECTION}\n\n{circumstances()}")
    report.say(HOW)
    with tempfile.TemporaryDirectory() as folder:
        tables = Tables(3_000, folder).prepare()
        works = {name: work for name, work in WORKS.items() if name not in ALONE}
        expected = {name: run(work, tables) for name, work in works.items()}
        same: Counter[str] = Counter()
        faults: list[str] = []

        def work_on(number: int) -> None:
            names = list(works) * times
            random.Random(number).shuffle(names)
            for name in names:
                try:
                    found = works[name](tables)
                except Exception as error:
                    faults.append(f"{name}: {type(error).__name__}: {error}")
                else:
                    if found == expected[name]:
                        same[name] += 1
                    else:
                        faults.append(f"{name}: another result than in one thread")

        begin, interval = time.monotonic(), sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        try:
            at_once(work_on, N_THREADS)
        finally:
            sys.setswitchinterval(interval)
    n_done, seconds = same.total(), time.monotonic() - begin
    report.say(
        f"\n{n_done + len(faults):,} works ({len(works)} kinds) in {seconds:.0f} s: {n_done:,} "
        f"gave what one thread gives, {len(faults):,} did not."
    )
    for fault in sorted(set(faults))[:20]:
        report.say(f"- {fault}")
    return SECTION, report.lines, len(faults)
