"""Soak: a quarter of an hour of mixed works in one process, whose memory, files and threads must not grow."""

from __future__ import annotations

import gc
import os
import random
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats
from support.works import WORKS, Tables, run

from benchmarks.measuring import Report

from .machine import circumstances

SECTION = "## Soak"
MINUTES = 15.0
WARM_UP = 0.25  # share of the time until allocators and caches have found their size
N_BLOCKS = 10
ALLOWED = (
    2.0  # MB an hour that the interval of the slope may leave open; a leaked small model per fit is far more
)
HOW = f"""
One process did all works in random order, with tables of 500 to 6,000 rows, while its resident memory, open
files and threads were looked at after every work (and after a garbage collection). The first {WARM_UP:.0%}
of the time is warm-up. The slope of the memory is that of the medians of {N_BLOCKS} equal spans of the
rest, with its 95% interval."""


@dataclass(frozen=True)
class Look:
    """What the process had at some time."""

    seconds: float
    memory: float  # MB
    files: int
    threads: int


def look_now(begin: float) -> Look:
    """Return what this process has now."""
    gc.collect()
    status = dict(
        line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line
    )
    memory = int(status["VmRSS"].split()[0]) / 1024
    files = len(os.listdir("/proc/self/fd"))
    return Look(time.monotonic() - begin, memory, files, int(status["Threads"]))


def look(size: float) -> tuple[str, list[str], int]:
    """Work on and on; a size of 1 means a quarter of an hour."""
    report = Report()
    report.say(f"{SECTION}\n\n{circumstances()}")
    report.say(HOW)
    looks, n_works = soak(60 * MINUTES * size)
    begins = WARM_UP * looks[-1].seconds
    rest = [look for look in looks if look.seconds >= begins]
    spans = np.array_split(np.array([(look.seconds / 3600, look.memory) for look in rest]), N_BLOCKS)
    hours = [statistics.median(span[:, 0]) for span in spans]
    line = stats.linregress(hours, [statistics.median(span[:, 1]) for span in spans])
    half = stats.t.ppf(0.975, N_BLOCKS - 2) * line.stderr
    first, last = (statistics.median(span[:, 1]) for span in (spans[0], spans[-1]))
    report.begin_table("", "after the warm-up", "at the end")
    report.add_row("resident memory, MB", f"{first:.1f}", f"{last:.1f}")
    report.add_row("open files", f"{rest[0].files}", f"{rest[-1].files}")
    report.add_row("threads", f"{rest[0].threads}", f"{rest[-1].threads}")
    report.say(
        f"\n{n_works:,} works of {len(WORKS)} kinds in {looks[-1].seconds / 60:.1f} minutes. Memory grew by "
        f"{line.slope:+.1f} MB an hour (interval: {line.slope - half:+.1f} to {line.slope + half:+.1f}); "
        f"at most it was {max(look.memory for look in rest):.1f} MB."
    )
    grows = line.slope - half > ALLOWED
    faults = int(grows) + (rest[-1].files > rest[0].files) + (rest[-1].threads > rest[0].threads)
    return SECTION, report.lines, faults


def soak(seconds: float) -> tuple[list[Look], int]:
    """Do works in random order for so long; return what was seen, and how many works there were."""
    chance, begin, n_works = random.Random(0), time.monotonic(), 0
    names = list(WORKS)
    looks: list[Look] = []
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() - begin < seconds:
            tables = Tables(chance.choice((500, 1_000, 2_000, 6_000)), folder).prepare()
            chance.shuffle(names)
            for name in names:
                run(WORKS[name], tables)
                n_works += 1
                looks.append(look_now(begin))
                if time.monotonic() - begin > seconds:
                    break
    return looks, n_works
