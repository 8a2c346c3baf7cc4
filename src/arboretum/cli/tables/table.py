"""A table as it is read: Arrow columns in chunks of rows, and where in the file each row stands.

Columns of text are cells whose meaning is still open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from arboretum.errors import DataError, listing

# Most cells to add at once: a block of text may hold millions of rows, and each may get many.
MOST_CELLS: Final = 1 << 19

# A pyarrow.Table and a pyarrow.ChunkedArray; pyarrow has no types of its own.
ArrowTable = Any
ArrowColumn = Any


@dataclass(frozen=True)
class Chunk:
    """Some rows of a table. `line_of` gives the line of a row of the chunk, in files that have lines.

    With `typed_cells`, as in JSON lines, the types are those of the cells in this chunk; the next chunk may
    have others.
    """

    columns: ArrowTable
    first_row: int = 0
    line_of: Callable[[int], int] | None = None
    typed_cells: bool = False

    def __len__(self) -> int:
        return int(self.columns.num_rows)

    def pieces(self, n_cells: int) -> Iterator[Chunk]:
        """Yield the rows in order, in pieces small enough to add so many cells to each row."""
        most = max(1, MOST_CELLS // max(1, n_cells))
        if len(self) <= most:
            yield self
            return
        for begin in range(0, len(self), most):
            line_of = self.line_of and partial(_line_after, self.line_of, begin)
            rows = self.columns.slice(begin, most)
            yield replace(self, columns=rows, first_row=self.first_row + begin, line_of=line_of)

    def row(self, number: int) -> Chunk:
        """Return one row, by its place in the chunk."""
        line_of = self.line_of and partial(_line_after, self.line_of, number)
        one = self.columns.slice(number, 1)
        return replace(self, columns=one, first_row=self.first_row + number, line_of=line_of)

    def where(self, row: int) -> str:
        """Return the place of a row of the chunk, for messages."""
        if self.line_of is None:
            return f"row {self.first_row + row + 1}"
        return f"line {self.line_of(row)}"


def _line_after(line_of: Callable[[int], int], begin: int, row: int) -> int:
    return line_of(begin + row)


@dataclass(frozen=True)
class Table:
    """All rows of a table, and the levels that the file declares for some columns."""

    label: str
    columns: ArrowTable
    chunks: Sequence[Chunk] = ()
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def __len__(self) -> int:
        return int(self.columns.num_rows)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.columns.column_names)

    def where(self, row: int) -> str:
        """Return the place of a row, for messages."""
        for chunk in self.chunks:
            if chunk.first_row <= row < chunk.first_row + len(chunk):
                return chunk.where(row - chunk.first_row)
        return f"row {row + 1}"


@dataclass(frozen=True)
class Scan:
    """A table whose rows come in chunks, with declared levels; `notes` say what the reader decided."""

    label: str
    names: Sequence[str]
    chunks: Iterator[Chunk]
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: Sequence[str] = ()


def check_header(names: Sequence[str], label: str) -> tuple[list[str], list[str]]:
    """Return the names of the columns and notes on them; a column without a name gets one."""
    given = [name or f"column_{place}" for place, name in enumerate(names, start=1)]
    twice = [name for name, count in Counter(given).items() if count > 1]
    if twice:
        raise DataError(
            f"{label} has several columns with the name{'s' if len(twice) > 1 else ''} {listing(twice)}.\n"
            "Hint: rename the columns so that each is there once."
        )
    nameless = [name for name, was in zip(given, names, strict=True) if not was]
    return given, [f"a column without a name is called {listing(nameless)}"] if nameless else []
