"""Memory that runs out, Ctrl-C at any moment, and many threads: a few of what `make robustness` tries.

Each attempt is a forked process, so that a crash is a failure of the test and not its end.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest
from support.works import WORKS, Tables

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")

# Forks while pytest's own threads run would be complained about: a process of its own does them.
LIMITS = """
import sys
sys.path[:0] = [sys.argv[1]]
from support.memory_limits import GOOD, needed, try_under
from support.works import WORKS, Tables, fit_a_small_table, run

tables, small = Tables(8_000, sys.argv[2]).prepare(), fit_a_small_table()
for name in sys.argv[3:]:
    work = WORKS[name]
    run(work, Tables(400, sys.argv[2]).prepare())
    need, expected = needed(work, tables)
    for share in (0.003, 0.1, 0.4, 3.0):
        verdict, details = try_under(int(share * max(need, 1 << 20)), work, tables, expected, small)
        print(verdict if verdict in GOOD else f"{name}, {share}: {verdict} {details}")
"""

INTERRUPTIONS = """
import sys
sys.path[:0] = [sys.argv[1]]
from support.interruptions import interrupt
from support.works import WORKS, Tables, fit_a_small_table, run

tables, small = Tables(20_000, sys.argv[2]).prepare(), fit_a_small_table()
for name in sys.argv[3:]:
    for after in (0.0, 0.02, 0.2):
        answer = interrupt(WORKS[name], tables, after, small)
        is_good = answer.verdict in ("interrupted", "finished")
        print(answer.verdict if is_good else f"{name}, {after}: {answer}")
"""


def verdicts_of(program: str, folder: Path, *names: str) -> list[str]:
    """Return the lines that a program prints."""
    support = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", program, support, str(folder), *names], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_memory_that_runs_out(tmp_path: Path) -> None:
    """A MemoryError or the right result, never a crash or a hang, and the process can fit again.

    With threads, the core ended the process ("cannot allocate memory for thread-local data"), and Python
    waited for ever for a thread that had lacked the memory to begin.
    """
    found = verdicts_of(
        LIMITS,
        tmp_path,
        "fit, four threads",
        "bagging, four threads",
        "predict divided rows",
        "save and load",
    )
    assert set(found) == {"done", "MemoryError"}
    assert len(found) == 16


def test_ctrl_c_at_any_moment(tmp_path: Path) -> None:
    """KeyboardInterrupt, no draft of a file is left, and the process can fit again."""
    found = verdicts_of(
        INTERRUPTIONS, tmp_path, "bagging, four threads", "optimal, four threads", "report", "save and load"
    )
    assert set(found) <= {"interrupted", "finished"}
    assert "interrupted" in found
    assert len(found) == 12


def test_many_threads_share_models_and_tables(tmp_path: Path) -> None:
    """Sixteen threads fit, predict, draw and save at once; each finds what one thread alone finds."""
    names = ("fit, four threads", "bagging, four threads", "predict divided rows", "contributions", "picture")
    tables = Tables(2_000, str(tmp_path)).prepare()
    expected = {name: WORKS[name](tables) for name in names}
    wrong: list[str] = []

    def work_on(first: int) -> None:
        for number in range(len(names)):
            name = names[(first + number) % len(names)]
            if WORKS[name](tables) != expected[name]:
                wrong.append(name)
        done.append(first)

    done: list[int] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        crew = [threading.Thread(target=work_on, args=(number,)) for number in range(16)]
        for thread in crew:
            thread.start()
        for thread in crew:
            thread.join()
    assert not wrong
    assert len(done) == 16
