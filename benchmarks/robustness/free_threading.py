"""Free-threaded Python: whether there is one here, and what the module declares."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

from benchmarks.measuring import Report

from .machine import circumstances

SECTION = "## Free-threaded Python"
ROOT = Path(__file__).parents[2]
NAMES = ("python3.13t", "python3.14t", "python3.15t")


def look(size: float) -> tuple[str, list[str], int]:
    """Look for a free-threaded Python, and tell what there is to tell without one."""
    report = Report()
    report.say(f"{SECTION}\n\n{circumstances()}\n")
    there = [name for name in NAMES if shutil.which(name)]
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        there.append("the Python that asks")
    declared = re.search(
        r"if\.abi-flags = \"t\"\n.*FREE_THREADED = true", (ROOT / "pyproject.toml").read_text()
    )
    built = re.search(r"APPEND module_options FREE_THREADED", (ROOT / "CMakeLists.txt").read_text())
    if not there:
        report.say(
            f"None of {', '.join(NAMES)} is installed here: nothing was run without the interpreter's lock."
        )
    for name in there[:1]:
        done = subprocess.run(
            [name, "-c", "import arboretum._core, sys; print(sys._is_gil_enabled())"],
            capture_output=True,
            text=True,
        )
        said = (done.stdout or done.stderr).strip().splitlines()[-1:] or ["nothing"]
        report.say(f"{name}: after `import arboretum`, whether the lock is held: {said[0]}.")
    report.say(
        "A wheel for a free-threaded Python "
        + ("declares" if declared and built else "does not declare")
        + " that the module is safe without the lock (`ARBORETUM_FREE_THREADED`); the workflow of releases "
        "builds it and tries it there."
    )
    return SECTION, report.lines, 0 if declared and built else 1
