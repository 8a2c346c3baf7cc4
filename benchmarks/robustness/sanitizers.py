"""Sanitizers: the C++ programs under those of addresses, undefined behaviour, threads; Python under that."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.measuring import Report

from .machine import circumstances

SECTION = "## Sanitizers"
ROOT = Path(__file__).parents[2]
HOW = """
The programs in cpp/tests exercise the core without Python: growth by every source and criterion, searches,
optimal trees, forests, contributions, dependence, and memory that runs out at each of its requests. `make
sanitize` builds them with `-fsanitize=address,undefined`, `make sanitize SANITIZE=thread` with
`-fsanitize=thread`. "Python" is the module itself, built with `-fsanitize=thread`: eight threads of Python
do the works of tests/support/works.py at the same time, which share tables and models and use up to four
threads of the core each."""


def look(size: float) -> tuple[str, list[str], int]:
    """Build and run everything; the size is how often each of the eight threads does each work."""
    report = Report()
    report.say(f"{SECTION}\n\n{circumstances()}")
    report.say(HOW)
    report.begin_table("sanitizer", "what ran", "checks", "reports", "ended with", "minutes")
    n_faults = 0
    for kind in ("address,undefined", "thread"):
        begin = time.monotonic()
        done = subprocess.run(
            ["make", "sanitize", f"SANITIZE={kind}"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        n_faults += tell(report, kind, "programs", done, time.monotonic() - begin)
    begin = time.monotonic()
    n_faults += tell(
        report, "thread", "Python", python_under_threads(max(1, round(size))), time.monotonic() - begin
    )
    return SECTION, report.lines, n_faults


def tell(report: Report, kind: str, what: str, done: subprocess.CompletedProcess[str], seconds: float) -> int:
    """Add what was seen; return how many faults that are."""
    said = done.stdout + done.stderr
    n_passed = sum(int(n) for n in re.findall(r"(\d+) passed", said))
    n_reports = len(re.findall(r"^(?:WARNING: ThreadSanitizer|==\d+==ERROR:|.*runtime error:)", said, re.M))
    report.add_row(kind, what, f"{n_passed:,}", f"{n_reports:,}", f"{done.returncode}", f"{seconds / 60:.1f}")
    if n_reports or done.returncode:
        sys.stderr.write(said[-20_000:])
    return n_reports + (done.returncode != 0)


def python_under_threads(times: int) -> subprocess.CompletedProcess[str]:
    """Build the module with the thread sanitizer, and let threads of Python use it."""
    folder = ROOT / "build" / "thread"
    tools = ROOT / ".venv" / "bin"
    steps: list[list[str | Path]] = [
        [tools / "cmake", "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}", "-S", ROOT, "-B", folder,
         "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DARBORETUM_SANITIZE=thread",
         f"-DPython_EXECUTABLE={tools / 'python'}"],
        [tools / "cmake", "--build", folder],
    ]  # fmt: skip
    for words in steps:
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    compiler = os.environ.get("CXX", "g++")
    # The runtime must be there before Python is.
    runtime = [
        subprocess.run([compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True)
        for name in ("libtsan.so", "libstdc++.so")
    ]
    # It cannot live with addresses that are spread as widely as some systems spread them.
    orderly = ["setarch", "-R"] if sys.platform == "linux" else []
    return subprocess.run(
        [*orderly, sys.executable, "-m", "benchmarks.robustness.under_threads",
         *map(str, folder.glob("_core*.so")), str(times)],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "LD_PRELOAD": " ".join(done.stdout.strip() for done in runtime),
             "OPENBLAS_NUM_THREADS": "1", "TSAN_OPTIONS": "exitcode=66"},
    )  # fmt: skip
