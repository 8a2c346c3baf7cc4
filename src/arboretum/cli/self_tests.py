"""The self-tests that exports carry, run where the machine has what they need.

Words: a *self-test* compares predictions of the export with answers that our own core gave. Python runs here,
JavaScript in node, C by the compiler that the machine has; other targets are tested where they are used.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from arboretum.cli.speaking import WorkError
from arboretum.errors import ParameterError

__all__ = ["run_self_test"]

_RUNNABLE: Final = ("python", "javascript", "c")
_SECONDS: Final = 300


def run_self_test(target: str, content: str, given: dict[str, Any]) -> str:
    """Return what the self-test of an export says; a mismatch is an error."""
    if target not in _RUNNABLE:
        raise ParameterError(f"--check can run {', '.join(_RUNNABLE)}; {target} is tested where it is used.")
    with tempfile.TemporaryDirectory(prefix="arboretum-") as folder:
        match target:
            case "python":
                return _run([sys.executable, "-I", _put(folder, "tree.py", content)])
            case "javascript":
                module = Path(_put(folder, "tree.mjs", content)).as_uri()
                program = f"import({module!r}).then((tree) => console.log(tree.selfTest()))"
                return _run([_found("node"), "--input-type=module", "-e", program])
            case _:
                return _run_c(folder, content, str(given.get("name", "")))


def _run_c(folder: str, content: str, name: str) -> str:
    header, program = _put(folder, "tree.h", content), str(Path(folder) / "tree")
    macro = next(
        (
            line.split()[1]
            for line in content.splitlines()
            if line.startswith("#ifdef") and "SELF_TEST" in line
        ),
        f"{name.upper()}_SELF_TEST",
    )
    _run([_found("cc"), "-O1", f"-D{macro}", "-x", "c", header, "-o", program, "-lm"])
    return _run([program])


def _put(folder: str, name: str, content: str) -> str:
    path = Path(folder) / name
    path.write_text(content, encoding="utf-8")
    return str(path)


def _found(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise WorkError(f"--check needs {program}, which is not installed here.")
    return path


def _run(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise WorkError(f"The self-test did not end within {_SECONDS} seconds.") from None
    said = " ".join((done.stdout.strip() or done.stderr.strip()).split()) or "passed"
    if done.returncode != 0:
        raise WorkError(f"The self-test failed: {said[-300:]}.")
    return said[-300:]
