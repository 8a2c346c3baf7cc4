"""Writing files so that no reader ever finds half of one.

A new file, the draft, is written beside the old one and takes its place when it is complete and on the disk.
A program that is killed may leave a draft behind, but the file itself is always the old one or the new one.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from arboretum._wording import shown
from arboretum.errors import DataError, DataTypeError, ParameterError


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file; a reader meanwhile finds the old one or the new one, never a part."""
    # What UTF-8 cannot hold, half of a surrogate pair, is written as JSON, JavaScript and Python escape it.
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file; a reader meanwhile finds the old one or the new one, never a part.

    A file that is replaced keeps its permissions, and a link still points to where it did. A terminal or a
    pipe cannot be replaced and is written to directly.
    """
    given = path_of(path)
    if not given.parent.is_dir():
        raise ParameterError(
            f"path={str(given)!r} is in no folder that is there.\nHint: make {str(given.parent)!r} first."
        )
    try:
        mode = mode_of(given)
        if mode is None or stat.S_ISREG(mode):
            with drafted(Path(os.path.realpath(given)), mode) as file:
                file.write(content)
        else:
            given.write_bytes(content)
    except OSError as error:
        raise DataError(f"The file {str(given)!r} cannot be written: {_reason(error)}.") from error


def path_of(path: Any) -> Path:
    """Return the name of a file as a path; refuse anything else."""
    if not isinstance(path, str | os.PathLike):
        raise DataTypeError(f"path is the name of a file, a str or a Path, not {type(path).__name__}.")
    name = os.fspath(path)
    if not isinstance(name, str):
        raise DataTypeError(f"path is the name of a file, a str or a Path, not {type(name).__name__}.")
    if not name or "\0" in name:
        raise ParameterError(f"path={shown(name)} is not the name of a file.")
    return Path(name)


def mode_of(path: Path) -> int | None:
    """Return the type and permissions of an existing file, following links; None if it does not exist."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


@contextmanager
def drafted(path: Path, mode: int | None) -> Iterator[IO[bytes]]:
    """Open a draft of a file; it takes the file's place if the block ends well, and is removed otherwise.

    `mode` is that of the existing file; None if it is new.
    """
    # The draft would not ask: the folder may be written to.
    if mode is not None and not os.access(path, os.W_OK):
        raise PermissionError("it may not be written to")
    draft = path.with_name(f".arboretum-{secrets.token_hex(8)}")
    try:
        # As for any new file, the permissions are those that the user's umask leaves.
        with draft.open("xb") as file:
            if mode is not None:
                draft.chmod(stat.S_IMODE(mode))
            yield file
            file.flush()
            os.fsync(file.fileno())  # else a computer that stops could be left with the name but no content
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
