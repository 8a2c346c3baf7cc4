"""Bytes from a file or from standard input, unpacked if need be.

Words: a *source* is where bytes come from; it knows how many bytes were read, for a progress bar.
What the bytes mean is not asked here; what cannot be read is told in one sentence.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final, cast

from arboretum.errors import DataError
from arboretum.tables.formats import STANDARD, Format

__all__ = ["Source", "open_source"]

_MAGIC: Final = b"\x1f\x8b"
_PIECE: Final = 1 << 20

Told = Callable[[int], None]


class Source(io.RawIOBase):
    """The bytes of a table, in order; `told` hears how many bytes of the file were read so far."""

    def __init__(self, file: BinaryIO, name: str, packed: bool, told: Told | None) -> None:
        super().__init__()
        self.label = name
        self._file = file
        self._told = told
        self._n_read = 0
        self._spool: Any = None
        self._unpacked = gzip.GzipFile(fileobj=cast(Any, _Counted(self))) if packed else None

    def readable(self) -> bool:
        """Tell that bytes can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return up to so many bytes, none at the end; what the system or gzip refuses is told by name."""
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
        if self._told is not None:
            self._told(self._n_read)
        return data

    def seekable_file(self) -> Any:
        """Return a file that can be read at any place, for formats whose table of contents comes last."""
        if self._unpacked is None and self._file.seekable():
            return self._file
        self._spool = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the source
        shutil.copyfileobj(cast(Any, self), self._spool, _PIECE)
        self._spool.seek(0)
        return self._spool

    def close(self) -> None:
        """Let go of what was copied aside; the file itself belongs to whoever opened it."""
        if self._spool is not None:
            self._spool.close()
        super().close()


class _Counted:
    """The packed bytes, counted as they are read."""

    def __init__(self, source: Source) -> None:
        self.read = source._take


@contextmanager
def open_source(path: str, format: Format, told: Told | None = None) -> Iterator[Source]:
    """Open a file, or standard input for `-`."""
    label = "Standard input" if path == STANDARD else f"The file {path!r}"
    with _open_file(path, label) as file:
        peek = file.peek(2)[:2] if isinstance(file, io.BufferedReader) else b""
        packed = format.packed or (path == STANDARD and peek == _MAGIC)
        if peek == _MAGIC and not packed:
            raise DataError(
                f"{label} is packed by gzip, but its name does not say so.\nHint: call it {path + '.gz'!r}."
            )
        with Source(cast(BinaryIO, file), label, packed, told) as source:
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
