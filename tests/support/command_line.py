"""The command line, run within this process or in one of its own.

`say` runs a command here and returns what it printed; `run` starts a real process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from typer import Context
from typer.main import get_command
from typer.testing import CliRunner, Result

from arboretum.cli.main import app

__all__ = ["document", "options_of", "refused", "run", "say"]


def say(*words: object, input: bytes | str | None = None) -> Result:
    """Run a command in this process, with standard streams of its own."""
    return CliRunner().invoke(app, list(map(str, words)), input=input, prog_name="arboretum")


def document(*words: object, input: bytes | str | None = None) -> Any:
    """Return the JSON document of a command that must end well and say nothing else."""
    done = say(*words, "--json", input=input)
    assert done.exit_code == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def refused(*words: object, code: int = 2, input: bytes | str | None = None) -> str:
    """Return the sentence of a command that must fail: one line on standard error, nothing else."""
    done = say(*words, "--quiet", input=input)
    assert done.exit_code == code, (done.exit_code, done.output)
    assert done.stdout == ""
    assert done.stderr.startswith("arboretum: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    return done.stderr.removeprefix("arboretum: ").strip()


def run(
    *words: object,
    input: bytes | IO[bytes] = b"",
    output: IO[bytes] | None = None,
    folder: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own; its input and output may be files."""
    environment = {name: value for name, value in os.environ.items() if name != "ARBORETUM_DEBUG"}
    source: dict[str, Any] = {"input": input} if isinstance(input, bytes) else {"stdin": input}
    return subprocess.run(
        [sys.executable, "-m", "arboretum", *map(str, words)],
        **source,
        stdout=subprocess.PIPE if output is None else output,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**environment, **(env or {})},
        check=False,
    )


def options_of(command: str) -> set[str]:
    """Return the options that a command takes, as they are written."""
    group: Any = get_command(app)
    _, found, _ = group.resolve_command(Context(group), [command])
    return {written for parameter in found.params for written in parameter.opts}
