"""The console text in docs/command_line.md: every command is run, and what it prints is compared.

A console is a block of console text; lines that begin with a dollar sign are commands.
"""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from support.command_line import options_of, say

from arboretum.cli.main import app

PAGE = (Path(__file__).parents[2] / "docs" / "command_line.md").read_text(encoding="utf-8")
CHECKER = doctest.OutputChecker()
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def consoles() -> list[list[tuple[str, str]]]:
    """Return the commands of each block with what they print."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    return [re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE) for block in blocks]


def test_the_console(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output and standard error together, as a person sees them."""
    monkeypatch.chdir(tmp_path)
    (console,) = consoles()
    n_compared = 0
    for command, expected in console:
        program, *words = shlex.split(command)
        if program == "head":
            count, name = int(words[0].removeprefix("-")), words[1]
            found = "".join(Path(name).read_text().splitlines(keepends=True)[:count])
        else:
            found = say(*words).output
        assert CHECKER.check_output(expected, found, FLAGS), f"{command}\n{expected}\n---\n{found}"
        n_compared += 1
    assert n_compared >= 10


def test_every_command_is_named() -> None:
    """The table of the page lists exactly the commands that there are."""
    named = set(re.findall(r"^\| `arboretum ([a-z]+)", PAGE, re.MULTILINE))
    there = {
        command.name or command.callback.__name__ for command in app.registered_commands if command.callback
    }
    assert named == there


def test_every_option_on_the_page_exists() -> None:
    """No option is promised that no command takes."""
    offered = {"--help", "--version", "--install-completion", "--show-completion"}
    for command in app.registered_commands:
        assert command.callback is not None
        offered |= options_of(command.name or command.callback.__name__)
    written = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", PAGE))
    assert written - offered == set()
    assert len(written) > 25
