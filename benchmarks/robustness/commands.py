"""Commands: Ctrl-C at a random moment of the command line, from the start of Python on."""

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
from support.interruptions import Answer
from support.works import Tables

import arboretum
from benchmarks.measuring import NOTHING, Report

from .machine import circumstances

SECTION = "## Interrupted commands"
VERDICTS = ("interrupted", "too early", "finished", "draft left", "crash", "hang")
GOOD = ("interrupted", "too early", "finished")
HOW = """
Ctrl-C (SIGINT) came at a random moment of each command, while Python was still loading or later.
"interrupted" means exit code 130, one sentence on standard error, and the file of before untouched;
"too early", the same before our first line ran, so that Python answered in its own way; "finished",
that the new file was complete. A "draft left" is any other file in the folder, or a part of one. The
seconds pass until the process is gone."""


def look(size: float) -> tuple[str, list[str], int]:
    """Interrupt commands; a size of 1 means 30 times each."""
    report, times, chance = Report(), max(2, round(30 * size)), random.Random(0)
    report.say(f"{SECTION}\n\n{circumstances()}")
    report.say(HOW)
    report.begin_table("command", "takes, s", *VERDICTS, "median, s", "longest, s")
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for name, words in commands(folder).items():
            answers, takes = interrupt_command(words, times, chance)
            seconds = [answer.seconds for answer in answers if answer.verdict in GOOD[:2]]
            quantiles = [f"{q:.2f}" for q in np.quantile(seconds, (0.5, 1.0))] if seconds else [NOTHING] * 2
            counts = (sum(answer.verdict == verdict for answer in answers) for verdict in VERDICTS)
            report.add_row(name, f"{takes:.1f}", *(f"{n:,}" for n in counts), *quantiles)
            faults += [f"{name}: {answer}" for answer in answers if answer.verdict not in GOOD]
    report.say("")
    for fault in faults[:20]:
        report.say(f"- {fault}")
    return SECTION, report.lines, len(faults)


def commands(folder: str) -> dict[str, list[str]]:
    """Return commands that take some seconds; the file they write follows "-o"."""
    tables = Tables(20_000, folder).prepare()
    table, model = Path(folder, "rows.csv"), Path(folder, "model.json")
    names = ",".join([*(f"x{i}" for i in range(10)), "y"])
    np.savetxt(table, np.c_[tables.X, tables.y], delimiter=",", header=names, comments="")
    arboretum.save(tables.model, model)
    return {
        "arboretum fit": ["fit", str(table), "--target", "y", "-o", "written.json", "--force"],
        "arboretum predict": ["predict", str(model), str(table), "--proba", "-o", "written.csv", "--force"],
        "arboretum report": ["report", str(model), str(table), "-o", "written.html", "--force"],
    }


def interrupt_command(words: list[str], times: int, chance: random.Random) -> tuple[list[Answer], float]:
    """Interrupt a command at random moments; return the answers, and how long it takes."""

    name = words[words.index("-o") + 1]

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
        if os.listdir(folder) != [name]:
            raise RuntimeError(f"the command did not work: {said.decode()}")
        end = Path(folder, name).read_bytes()[-20:]
    answers = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, name).write_text("old")
            with start(folder) as process:
                time.sleep(chance.uniform(0.0, seconds))
                sent = time.monotonic()
                process.send_signal(signal.SIGINT)
                try:
                    _, said = process.communicate(timeout=PATIENCE)
                except subprocess.TimeoutExpired:
                    process.kill()
                    answers.append(Answer("hang", PATIENCE))
                    continue
            answers.append(judge(Path(folder, name), end, process.returncode, said, time.monotonic() - sent))
    return answers, seconds


def judge(path: Path, end: bytes, code: int, said: bytes, seconds: float) -> Answer:
    """Say what became of a command, whose file ends in a certain way when it is complete."""
    others = [name for name in os.listdir(path.parent) if name != path.name]
    content = path.read_bytes()
    if others or (content != b"old" and not content.endswith(end)):
        return Answer("draft left", seconds, f"{others}, {len(content)} bytes")
    if content != b"old":
        return Answer("finished", seconds)
    if code == 130 and said.endswith(b"arboretum: interrupted; no file was written.\n"):
        return Answer("interrupted", seconds)
    # Until our first line runs, Python answers in its own way, or the system does.
    if code == -signal.SIGINT or b"KeyboardInterrupt" in said:
        return Answer("too early", seconds)
    return Answer("crash", seconds, f"code {code}: {said.decode(errors='replace')[-300:]}")
