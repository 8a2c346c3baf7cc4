"""Soak: a quarter of an hour of mixed works in one process, whose memory, files and threads must not grow.

What a process has in memory is more than what it uses: the allocator keeps what was freed, and libraries
fill caches that have a limit (matplotlib remembers how wide thousands of texts are). So the allocator gives
back what is free before memory is looked at, after full rounds of the same works; and what grows is judged
in the second half, only where it grows in each part of it: a leak does not stop, a cache does.
"""

from __future__ import annotations

import ctypes
import gc
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy import stats
from support.works import WORKS, Tables, run

from benchmarks.measuring import Report

from .machine import circumstances

SECTION = "## Soak"
MINUTES = 15.0
WARM_UP = 0.5  # share of the time until allocators and caches have found their size
N_PARTS = 3
SIZES = (500, 1_000, 2_000, 6_000)
# MB an hour that the interval of a slope may leave open; a small model lost per fit is far more.
ALLOWED = 2.0
HOW = f"""
One process did all works in random order, tables having {", ".join(map(str, SIZES))} rows. After each round
of all works and tables, garbage was collected, the allocator gave back what was free (`malloc_trim`), and
resident memory, the blocks of Python's own allocator, open files and threads were counted. The first
{WARM_UP:.0%} of the time is warm-up. The slope is that of all rounds of the rest, with its 95% interval; the
parts are thirds of it. Memory counts as growing where the interval lies above {ALLOWED:g} MB an hour and
the medians of the parts rise, the last rise being no less than a third of the first."""


@dataclass(frozen=True)
class Look:
    """What the process had at some time."""

    seconds: float
    memory: float  # MB
    blocks: int
    files: int
    threads: int


def look_now(begin: float) -> Look:
    """Return what this process has now."""
    gc.collect()
    trim()
    status = dict(
        line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line
    )
    memory = int(status["VmRSS"].split()[0]) / 1024
    files = len(os.listdir("/proc/self/fd"))
    blocks = sys.getallocatedblocks()
    return Look(time.monotonic() - begin, memory, blocks, files, int(status["Threads"]))


def trim() -> None:
    """Let the allocator give back what is free, where it can."""
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if give_back is not None:
        give_back(0)


def look(size: float) -> tuple[str, list[str], int]:
    """Work on and on; a size of 1 means a quarter of an hour."""
    report = Report()
    report.say(f"{SECTION}\n\n{circumstances()}")
    report.say(HOW)
    looks, n_works = soak(60 * MINUTES * size)
    begins = WARM_UP * looks[-1].seconds
    rest = [look for look in looks if look.seconds >= begins]
    growth = growth_of(rest)
    report.begin_table("", "after the warm-up", "at the end")
    report.add_row("resident memory, MB", f"{rest[0].memory:.1f}", f"{rest[-1].memory:.1f}")
    report.add_row("blocks of Python's allocator", f"{rest[0].blocks:,}", f"{rest[-1].blocks:,}")
    report.add_row("open files", f"{rest[0].files}", f"{rest[-1].files}")
    report.add_row("threads", f"{rest[0].threads}", f"{rest[-1].threads}")
    minutes = looks[-1].seconds / 60
    report.say(
        f"\n{n_works:,} works of {len(WORKS)} kinds in {minutes:.1f} minutes, {len(rest)} rounds after the "
        f"warm-up.\nThe slope is {growth.slope:+.1f} MB an hour (interval: {growth.low:+.1f} to "
        f"{growth.high:+.1f}); the medians of the parts are\n"
        f"{', '.join(f'{part:.1f}' for part in growth.parts)} MB: memory "
        f"{'grew' if growth.is_steady else 'did not grow'}. After the first round it was "
        f"{looks[0].memory:.1f} MB."
    )
    more = (rest[-1].files > rest[0].files) + (rest[-1].threads > rest[0].threads)
    return SECTION, report.lines, growth.is_steady + more


@dataclass(frozen=True)
class Growth:
    """How memory changes: MB an hour with the ends of an interval, and the medians of equal parts."""

    slope: float
    low: float
    high: float
    parts: tuple[float, ...]

    @property
    def is_steady(self) -> bool:
        """Whether memory grows, and does not stop."""
        first, *others = (b - a for a, b in pairwise(self.parts))
        return self.low > ALLOWED and first > 0 and all(rise > first / 3 for rise in others)


def growth_of(looks: list[Look]) -> Growth:
    """Return how memory changed in the course of some looks."""
    memory = [look.memory for look in looks]
    line = stats.linregress([look.seconds / 3600 for look in looks], memory)
    half = stats.t.ppf(0.975, len(looks) - 2) * line.stderr
    cuts = [round(i * len(looks) / N_PARTS) for i in range(N_PARTS + 1)]
    parts = tuple(float(np.median(memory[a:b])) for a, b in pairwise(cuts))
    return Growth(float(line.slope), float(line.slope - half), float(line.slope + half), parts)


def soak(seconds: float) -> tuple[list[Look], int]:
    """Do rounds of works for so long; return what was seen after each, and how many works there were."""
    chance, begin, n_works = random.Random(0), time.monotonic(), 0
    todo = [(size, name) for size in SIZES for name in WORKS]
    looks: list[Look] = []
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() - begin < seconds or len(looks) < 4 * N_PARTS:
            tables = {size: Tables(size, folder).prepare() for size in SIZES}
            chance.shuffle(todo)
            for size, name in todo:
                run(WORKS[name], tables[size])
            n_works += len(todo)
            looks.append(look_now(begin))
    return looks, n_works
