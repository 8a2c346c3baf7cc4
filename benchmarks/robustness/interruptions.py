"""Interruptions: Ctrl-C at a random moment of every work, and of the commands of the command line."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from support.children import PATIENCE
from support.interruptions import Answer, interrupt
from support.works import WORKS, Tables, Work, fit_a_small_table, run

import arboretum
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
well. Commands are processes from their start on, while Python is still loading: they must end with code 130
and one sentence, and leave the old file as it was."""


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
        for name, words in commands(folder).items():
            answers, seconds = interrupt_command(words, times, chance)
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


def commands(folder: str) -> dict[str, list[str]]:
    """Return commands that take some seconds; the last word is the file they write."""
    tables = Tables(60_000, folder).prepare()
    table, model = Path(folder, "rows.csv"), Path(folder, "model.json")
    names = ",".join([*(f"x{i}" for i in range(10)), "y"])
    np.savetxt(table, np.c_[tables.X, tables.y], delimiter=",", header=names, comments="")
    arboretum.save(tables.model, model)
    return {
        "arboretum fit": ["fit", str(table), "--target", "y", "-o", "written.json"],
        "arboretum predict": ["predict", str(model), str(table), "--proba", "-o", "written.csv"],
        "arboretum report": ["report", str(model), str(table), "-o", "written.html"],
    }


def interrupt_command(words: list[str], times: int, chance: random.Random) -> tuple[list[Answer], float]:
    """Interrupt a command at random moments; return the answers, and how long it takes."""

    def start(folder: str) -> subprocess.Popen[bytes]:
        # A process that was started in the background ignores Ctrl-C.
        def restore() -> None:
            signal.signal(signal.SIGINT, signal.default_int_handler)

        return subprocess.Popen(
            [sys.executable, "-m", "arboretum", *words],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=restore,
        )  # fmt: skip

    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        _, said = start(folder).communicate()
        seconds = time.monotonic() - begin
        if os.listdir(folder) != [words[-1]]:
            raise RuntimeError(f"the command did not work: {said.decode()}")
    answers = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, words[-1]).write_text("old")
            with start(folder) as process:
                time.sleep(chance.uniform(0.0, seconds))
                running = process.poll() is None
                sent = time.monotonic()
                process.send_signal(signal.SIGINT)
                try:
                    _, said = process.communicate(timeout=PATIENCE)
                except subprocess.TimeoutExpired:
                    process.kill()
                    answers.append(Answer("hang", PATIENCE))
                    continue
            answers.append(
                judge(folder, words[-1], running, process.returncode, said, time.monotonic() - sent)
            )
    return answers, seconds


def judge(folder: str, name: str, running: bool, code: int, said: bytes, seconds: float) -> Answer:
    """Say what became of a command."""
    drafts = [other for other in os.listdir(folder) if other != name]
    if drafts:
        return Answer("draft left", seconds, str(drafts))
    is_old = Path(folder, name).read_text() == "old"
    if code == 0 and not is_old:
        return Answer("finished", seconds)
    if not is_old:
        return Answer("draft left", seconds, f"code {code}, and a new file")
    if code == 130 and said == b"arboretum: interrupted; no file was written.\n":
        return Answer("interrupted", seconds)
    # Before our first line runs, and after our last, Python answers in its own way.
    if code in (130, -signal.SIGINT, 1) and b"KeyboardInterrupt" in said:
        return Answer("interrupted", seconds, "by Python itself")
    if code == -signal.SIGINT and running:
        return Answer("interrupted", seconds, "by the system")
    return Answer("crash", seconds, f"code {code}: {said.decode(errors='replace')[-300:]}")
