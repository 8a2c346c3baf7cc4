"""The one rule about files that a command writes: it destroys nothing that it was not told to.

An output must not be an input of the same command, under whatever name, and may replace only a file of its
own kind. `--force` lifts both.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from arboretum.cli.file_kinds import describe_kind, has_kind, kind_of_file
from arboretum.errors import ParameterError
from arboretum.tables.formats import STANDARD
from arboretum.visible import for_terminal

__all__ = ["check_new", "check_output", "refuse_terminal", "write_content"]


def check_output(path: str | None, kind: str, *, inputs: Sequence[str], force: bool) -> None:
    """Refuse an output that cannot or must not be written, before the work begins.

    `path` is None or "-" for standard output, `kind` is what the command writes, `inputs` are the files it
    reads.
    """
    if path == STANDARD and kind == "model":
        raise ParameterError("-o - is standard output, but a model needs a file.\nHint: -o model.json.")
    if path is not None and path != STANDARD:
        _check_place(path)
    if force:
        return
    _refuse_inputs(path, inputs)
    if path is not None and path != STANDARD and os.path.isfile(path) and not has_kind(path, kind):
        found = kind_of_file(path)
        raise ParameterError(
            f"-o {path!r} would replace {describe_kind(found)} by {describe_kind(kind)}.\n"
            "Hint: choose another name, or add --force to replace the file."
        )


def check_new(paths: Iterable[str], *, force: bool) -> None:
    """Refuse to write files that are there already: their names are ours, not the user's choice."""
    found = next((path for path in paths if os.path.lexists(path)), None)
    if found is not None and not force:
        raise ParameterError(
            f"The file {found!r} is there already.\n"
            "Hint: choose another folder, or add --force to replace the file."
        )


def write_content(content: str | bytes, path: str | None, kind: str) -> None:
    """Write what a command has made to a file, or to standard output: byte for byte, except on a terminal."""
    from arboretum.writing import write_bytes

    if path is not None and path != STANDARD:
        write_bytes(path, content.encode("utf-8") if isinstance(content, str) else content)
        return
    if isinstance(content, bytes):
        refuse_terminal(kind)
    elif sys.stdout.isatty():
        content = for_terminal(content)
    sys.stdout.buffer.write(content.encode("utf-8") if isinstance(content, str) else content)
    sys.stdout.buffer.flush()


def refuse_terminal(what: str) -> None:
    """Refuse to show on a terminal what is no text."""
    if sys.stdout.isatty():
        raise ParameterError(f"A {what} cannot be shown on a terminal.\nHint: -o FILE.")


def _check_place(path: str) -> None:
    parent = os.path.dirname(path) or "."
    if not os.path.isdir(parent):
        raise ParameterError(f"-o {path!r} is in no folder that is there.\nHint: make {parent!r} first.")
    if os.path.isdir(path):
        raise ParameterError(f"-o {path!r} is a folder.\nHint: give the name of a file in it.")


def _refuse_inputs(path: str | None, inputs: Sequence[str]) -> None:
    """Refuse an output that is one of the inputs: the same file, whatever links lead to it."""
    written = _identity(path or STANDARD, sys.stdout)
    for name in inputs:
        if written is not None and _identity(name, sys.stdin) == written:
            output = "Standard output" if path in (None, STANDARD) else f"-o {path!r}"
            source = "standard input" if name == STANDARD else repr(name)
            raise ParameterError(
                f"{output} is the same file as the input {source}, which would be lost.\n"
                "Hint: choose another name, or add --force to replace the input."
            )


def _identity(path: str, standard: Any) -> tuple[int, int] | None:
    """Return device and inode of a regular file; None for terminals and pipes, and where nothing is."""
    try:
        found = os.fstat(standard.fileno()) if path == STANDARD else os.stat(path)
    except (OSError, ValueError, AttributeError):  # a standard stream may be closed, or no file at all
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
