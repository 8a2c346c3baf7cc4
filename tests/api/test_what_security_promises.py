"""What SECURITY.md says the library never does, as Python itself sees it.

Python tells its audit hooks of files that are opened, programs that run, names that are looked up. A hook
cannot be taken off again, so a process of its own has it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.stored_models import FOLDER

# Prints what was seen after everything had been done once, so that all that is imported when needed is there.
WATCHED = """
import json, os, sys
sys.path[:0] = [sys.argv[1]]
seen, watching = [], False
NAMES = ("open", "import", "exec", "compile", "ctypes.dlopen", "pty.spawn", "urllib.Request")
GROUPS = ("socket.", "subprocess.", "os.", "shutil.", "http.", "ftplib.", "smtplib.", "webbrowser.")

def hook(event, given):
    if watching and (event in NAMES or event.startswith(GROUPS)):
        seen.append([event, str(given[0]) if given else "", given[1] if event == "open" else None])

sys.addaudithook(hook)
{work}
for watching in (False, True):
    work()
watching = False
print(json.dumps(seen))
"""

READING = """
import warnings
import arboretum
from pathlib import Path
warnings.simplefilter("ignore")
paths = [Path(name) for name in sys.argv[2:]]
texts = [arboretum.load(path).tree_.to_json() for path in paths if "tree_" in dir(arboretum.load(path))]

def work():
    for path in paths:
        arboretum.load(path)
    for text in texts:
        arboretum.Tree.from_json(text)
"""

WORKING = """
import warnings
from support.works import WORKS, Tables
warnings.simplefilter("ignore")
tables = Tables(400, sys.argv[2]).prepare()

def work():
    for name in WORKS:
        WORKS[name](tables)
"""


def events(work: str, *words: str) -> list[list[Any]]:
    """Return what happened during a work: the event, what it was about, and the mode of an opened file."""
    program = WATCHED.replace("{work}", work)
    support = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", program, support, *words],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stderr
    found: list[list[Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def writes(mode: object) -> bool:
    """Return whether a file that is opened in this way may be written."""
    return bool(set(str(mode)) & set("wax+"))


def test_reading_a_model_opens_that_file_and_does_nothing_else() -> None:
    """No code is compiled, nothing imported, no program run, nobody asked; every stored file is read."""
    paths = sorted(str(path) for path in FOLDER.glob("*/*.model.*"))
    assert len(paths) > 20
    found = events(READING, *paths)
    assert [(event, about) for event, about, _ in found] == [("open", path) for path in paths]
    assert not [mode for _, _, mode in found if writes(mode)]


@pytest.mark.skipif(sys.platform == "win32", reason="folders for work look different there")
def test_work_asks_no_network_runs_no_program_and_writes_only_what_was_named(tmp_path: Path) -> None:
    """Fits by every search, predictions, reports, pictures, exports and files, watched."""
    found = events(WORKING, str(tmp_path))
    names = {event for event, _, _ in found}
    assert "open" in names
    assert not [name for name in names if name.startswith(("socket.", "subprocess.", "http.", "urllib."))]
    assert not names & {"os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn"}
    written = [about for event, about, mode in found if event == "open" and writes(mode)]
    assert written
    assert [about for about in written if not about.startswith(str(tmp_path))] == []
