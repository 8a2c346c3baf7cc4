"""Memory limits: every work with less and less room for its memory."""

from __future__ import annotations

import tempfile
from collections import Counter

from support.memory_limits import GOOD, needed, try_under
from support.works import WORKS, Tables, fit_a_small_table, run

from benchmarks.measuring import Report

from .machine import circumstances

SECTION = "## Memory limits"
VERDICTS = ("done", "MemoryError", "refused", "fault", "unusable", "crash", "hang")
HOW = """
Each work ran in processes of their own whose address space (`RLIMIT_AS`) was limited to what they had when
it began and some room: most of what the work takes when nothing limits it, half of it, next to nothing.
"done" means that the result was the same as without a limit, "MemoryError" that this was raised, "refused"
an error of ours that says what there is no memory for. Then 16 MB were added to the limit, and a table of
60 rows was fitted, pruned and predicted: "unusable" means that this failed or gave another tree. A "fault"
is any other error or result, or a file half written; a "crash" the end of the process, a "hang" a minute
without an answer."""


def look(size: float) -> tuple[str, list[str], int]:
    """Try works under limits; a size of 1 means 25 limits for each, and tables of 40,000 rows."""
    report, n_limits, n_rows = Report(), max(3, round(25 * size)), max(2_000, round(40_000 * min(size, 1.0)))
    report.say(f"{SECTION}\n\n{circumstances()}")
    report.say(HOW)
    report.begin_table("work", "takes, MB", *VERDICTS)
    total: Counter[str] = Counter()
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        tables = Tables(n_rows, folder).prepare()
        small = fit_a_small_table()
        for name, work in WORKS.items():
            run(work, Tables(400, folder).prepare())  # so that all of Python that it needs is loaded
            need, expected = needed(work, tables)
            seen: Counter[str] = Counter()
            for i in range(n_limits):
                room = int(2 * max(need, 1 << 20) * ((i + 0.5) / n_limits) ** 2)
                verdict, details = try_under(room, work, tables, expected, small)
                seen[verdict] += 1
                if verdict not in GOOD:
                    faults.append(f"{name}, {room:,} bytes of room: {verdict}, {details}")
            report.add_row(name, f"{need / 1e6:.1f}", *(f"{seen[verdict]:,}" for verdict in VERDICTS))
            total += seen
    report.add_row("all", "", *(f"{total[verdict]:,}" for verdict in VERDICTS))
    report.say("")
    for fault in faults[:20]:
        report.say(f"- {fault}")
    return SECTION, report.lines, len(faults)
