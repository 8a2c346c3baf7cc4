"""How the benchmarks measure and report: seconds of a run, of several in turn, and tables in Markdown.

Words: a *work* is what is timed, a *clock* does its work once and returns the seconds.
What is measured, and against whom, is decided elsewhere.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

__all__ = [
    "NOTHING",
    "Clock",
    "Report",
    "in_turn",
    "medians",
    "once",
    "processor",
    "seconds",
    "write_section",
]

NOTHING = "\N{EN DASH}"

Clock = Callable[[], float]


class Report:
    """What was found: printed as it comes, and kept to be written down."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        """Add some lines."""
        self.lines.append(text)
        print(text, flush=True)

    def begin_table(self, *titles: str) -> None:
        """Start a table."""
        self.say("")
        self.add_row(*titles)
        self.say("|" + "---|" * len(titles))

    def add_row(self, *cells: str) -> None:
        """Add one row to the table."""
        self.say("| " + " | ".join(cells) + " |")


def seconds(work: Callable[[], Any], repeats: int) -> float:
    """The shortest of some runs."""
    return min(once(work) for _ in range(repeats))


def once(work: Callable[[], Any]) -> float:
    """The seconds of one run."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turn(clocks: Mapping[str, Clock], repeats: int) -> dict[str, list[float]]:
    """The seconds of several runs of each, in turn, so that all see the same moods of the machine."""
    rounds = [{name: clock() for name, clock in clocks.items()} for _ in range(repeats)]
    return {name: [times[name] for times in rounds] for name in clocks}


def medians(works: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """The median of many runs of each, in turn."""
    times = in_turn({name: partial(once, work) for name, work in works.items()}, repeats)
    return {name: statistics.median(found) for name, found in times.items()}


def processor() -> str:
    """The machine's processor, its system and its Python."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")
    return f"{cpu}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def write_section(path: Path, title: str, lines: list[str]) -> None:
    """Put a part into a report, in the place of an older one or at the end."""
    before, found, old = path.read_text(encoding="utf-8").partition(f"\n{title}\n")
    _, next_title, after = old.partition("\n## ") if found else ("", "", "")
    text = "\n".join(lines).strip("\n")
    path.write_text(before.rstrip("\n") + "\n\n" + text + "\n" + next_title + after, encoding="utf-8")
