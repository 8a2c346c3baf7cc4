"""A table as it was read: Arrow columns, and where in the file each row stands.

Words: a *chunk* is some rows in order; `where` tells the place of a row as a person would look for it.
Columns of text are cells: nobody has said yet what they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Chunk", "Table"]

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

    def where(self, row: int) -> str:
        """Return where a row of the chunk stands, for messages."""
        if self.line_of is None:
            return f"row {self.first_row + row + 1}"
        return f"line {self.line_of(row)}"


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
