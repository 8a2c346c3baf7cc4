"""Bytes in and bytes out: files, standard input and output, packed by gzip or not.

A file is written whole or not at all: a draft grows beside it and takes its place when complete; an error or
Ctrl-C removes the draft. Standard output, terminals and pipes cannot be replaced and are written to directly.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, cast

from arboretum._store.writing import drafted, mode_of, path_of
from arboretum._wording import for_terminal
from arboretum.cli.outputs import STANDARD, Format, check_place
from arboretum.errors import DataError

_MAGIC: Final = b"\x1f\x8b"
_PIECE: Final = 1 << 20

Progress = Callable[[int], None]


class Source(io.RawIOBase):
    """The bytes of a table, in order; `on_progress` is called with the number of bytes read so far."""

    def __init__(self, file: BinaryIO, name: str, packed: bool, on_progress: Progress | None) -> None:
        super().__init__()
        self.label = name
        self._file = file
        self._on_progress = on_progress
        self._n_read = 0
        self._spool: Any = None
        self._unpacked = gzip.GzipFile(fileobj=cast(Any, _Counted(self))) if packed else None

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Return up to so many bytes, none at the end."""
        try:
            return self._take(size) if self._unpacked is None else self._unpacked.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataError(
                f"{self.label} is packed by gzip, but damaged or cut off: {_reason(error)}."
            ) from error
        except OSError as error:
            raise DataError(f"{self.label} cannot be read: {_reason(error)}.") from error

    def _take(self, size: int) -> bytes:
        data = self._file.read(size)
        self._n_read += len(data)
        if self._on_progress is not None:
            self._on_progress(self._n_read)
        return data

    def seekable_file(self) -> Any:
        """Return a file that can be read in any order, for formats whose table of contents comes last."""
        if self._unpacked is None and self._file.seekable():
            return self._file
        self._spool = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the source
        shutil.copyfileobj(cast(Any, self), self._spool, _PIECE)
        self._spool.seek(0)
        return self._spool

    def close(self) -> None:
        """Close the temporary copy, if there is one; whoever opened the file closes it."""
        if self._spool is not None:
            self._spool.close()
        super().close()


class _Counted:
    """The packed bytes, counted as they are read."""

    def __init__(self, source: Source) -> None:
        self.read = source._take


@contextmanager
def open_source(path: str, format: Format, on_progress: Progress | None = None) -> Iterator[Source]:
    """Open a file, or standard input for `-`."""
    label = "Standard input" if path == STANDARD else f"The file {path!r}"
    with _open_file(path, label) as file:
        peek = file.peek(2)[:2] if isinstance(file, io.BufferedReader) else b""
        packed = format.packed or (path == STANDARD and peek == _MAGIC)
        if peek == _MAGIC and not packed:
            raise DataError(
                f"{label} is packed by gzip, but its name does not say so.\nHint: call it {path + '.gz'!r}."
            )
        with Source(cast(BinaryIO, file), label, packed, on_progress) as source:
            yield source


@contextmanager
def _open_file(path: str, label: str) -> Iterator[Any]:
    if path == STANDARD:
        yield sys.stdin.buffer
        return
    if os.path.isdir(path):
        raise DataError(f"{label} is a folder.\nHint: give one file.")
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below
    except (OSError, ValueError) as error:
        raise DataError(f"{label} cannot be read: {_reason(error)}.") from error
    with file:
        yield file


def _reason(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return (text[:1].lower() + text[1:]).rstrip(".") if text else type(error).__name__


@contextmanager
def open_draft(path: str, *, packed: bool = False) -> Iterator[IO[bytes]]:
    """Open a file for writing; it appears when the block ends without an error."""
    if path == STANDARD:
        # Errors of standard output are reported in main.
        output = cast(Any, _Terminal()) if sys.stdout.isatty() else sys.stdout.buffer
        with _packing(output, packed) as file:
            yield file
        sys.stdout.buffer.flush()
        return
    given = path_of(path)
    check_place(str(given), repr(path))
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


class _Terminal:
    """A terminal as standard output: text from data is shown, but cannot control it."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def write(self, data: bytes) -> int:
        sys.stdout.buffer.write(for_terminal(self._decoder.decode(data)).encode("utf-8"))
        return len(data)


@contextmanager
def _telling(label: str) -> Iterator[None]:
    """Turn errors of the system into one sentence."""
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
