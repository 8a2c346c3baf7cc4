"""Files that are written piece by piece, and found whole or not at all.

Words: a *draft* is the file that grows; it takes the place of the real one when it is complete. An error or
Ctrl-C removes it. Standard output, terminals and pipes cannot be replaced and are written to as they are.
"""

from __future__ import annotations

import codecs
import gzip
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from arboretum.errors import DataError, ParameterError
from arboretum.tables.formats import STANDARD
from arboretum.visible import for_terminal
from arboretum.writing import drafted, mode_of, path_of

__all__ = ["open_draft"]


@contextmanager
def open_draft(path: str, *, packed: bool = False) -> Iterator[IO[bytes]]:
    """Open a file for writing; it is there when the block has ended well, and untouched otherwise."""
    if path == STANDARD:
        # What goes wrong here is told by whoever owns standard output.
        with _packing(_standard_output(), packed) as file:
            yield file
        sys.stdout.buffer.flush()
        return
    given = path_of(path)
    if not given.parent.is_dir():
        raise ParameterError(
            f"{path!r} is in no folder that is there.\nHint: make {str(given.parent)!r} first."
        )
    if given.is_dir():
        raise ParameterError(f"{path!r} is a folder.\nHint: give the name of a file in it.")
    if given.exists() and not stat.S_ISREG(given.stat().st_mode):
        with _telling(path), given.open("wb") as pipe, _packing(pipe, packed) as file:
            yield file
        return
    with (
        _telling(path),
        drafted(Path(os.path.realpath(given)), mode_of(given)) as plain,
        _packing(plain, packed) as file,
    ):
        yield file


def _standard_output() -> IO[bytes]:
    return cast(Any, _Terminal()) if sys.stdout.isatty() else sys.stdout.buffer


class _Terminal:
    """Standard output where somebody looks: text from data is shown, but does not steer the terminal."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def write(self, data: bytes) -> int:
        sys.stdout.buffer.write(for_terminal(self._decoder.decode(data)).encode("utf-8"))
        return len(data)


@contextmanager
def _telling(label: str) -> Iterator[None]:
    """Tell in one sentence what the system refuses, from opening to closing."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"The file {label!r} cannot be written: {error.strerror or error}.") from error


@contextmanager
def _packing(file: IO[bytes], packed: bool) -> Iterator[IO[bytes]]:
    if not packed:
        yield file
        return
    # Without name and time in it, equal tables are equal files.
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=cast(Any, file), mtime=0) as packing:
        yield cast(Any, packing)
