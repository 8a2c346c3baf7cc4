"""A table as it was read: Arrow columns, and where in the file each row stands.

Words: a *chunk* is some rows in order; `where` tells the place of a row as a person would look for it.
Columns of text are cells: nobody has said yet what they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

__all__ = ["Chunk", "Table"]

# New cells that are made at once: a block of text may hold millions of rows, and each may get many.
MOST_CELLS: Final = 1 << 19

# A pyarrow.Table and a pyarrow.ChunkedArray; pyarrow has no types of its own.
ArrowTable = Any
ArrowColumn = Any


@dataclass(frozen=True)
class Chunk:
    """Some rows of a table. `line_of` tells the line of a row of the chunk, in files that have lines.

    Where `typed_cells` holds, as in JSON lines, types are those of the cells that happen to be in the chunk;
    the next chunk may have others.
    """

    columns: ArrowTable
    first_row: int = 0
    line_of: Callable[[int], int] | None = None
    typed_cells: bool = False

    def __len__(self) -> int:
        return int(self.columns.num_rows)

    def pieces(self, n_cells: int) -> Iterator[Chunk]:
        """Yield the rows in order, as many at once as may be given so many new cells each."""
        most = max(1, MOST_CELLS // max(1, n_cells))
        if len(self) <= most:
            yield self
            return
        for begin in range(0, len(self), most):
            line_of = None if self.line_of is None else _shifted(self.line_of, begin)
            yield replace(
                self,
                columns=self.columns.slice(begin, most),
                first_row=self.first_row + begin,
                line_of=line_of,
            )

    def where(self, row: int) -> str:
        """Return where a row of the chunk stands, for messages."""
        if self.line_of is None:
            return f"row {self.first_row + row + 1}"
        return f"line {self.line_of(row)}"


def _shifted(line_of: Callable[[int], int], begin: int) -> Callable[[int], int]:
    return lambda row: line_of(begin + row)


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
        """Return where a row stands, for messages."""
        for chunk in self.chunks:
            if chunk.first_row <= row < chunk.first_row + len(chunk):
                return chunk.where(row - chunk.first_row)
        return f"row {row + 1}"
