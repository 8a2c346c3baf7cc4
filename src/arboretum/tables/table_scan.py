"""What every reader gives: the names of the columns at once, and the rows in chunks, when asked for.

Words: a *scan* is a table on its way in; *levels* are those that the file declares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from arboretum.errors import DataError, listing
from arboretum.tables.table import Chunk

__all__ = ["Scan", "check_header"]


@dataclass(frozen=True)
class Scan:
    """A table whose rows come in chunks; `notes` are what the reader had to decide."""

    label: str
    names: Sequence[str]
    chunks: Iterator[Chunk]
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: Sequence[str] = ()


def check_header(names: Sequence[str], label: str) -> tuple[list[str], list[str]]:
    """Return the names of the columns, and what was decided: a column without a name gets one."""
    given = [name or f"column_{place}" for place, name in enumerate(names, start=1)]
    twice = [name for name, count in Counter(given).items() if count > 1]
    if twice:
        raise DataError(
            f"{label} has several columns with the name{'s' if len(twice) > 1 else ''} {listing(twice)}.\n"
            "Hint: rename the columns so that each is there once."
        )
    nameless = [name for name, was in zip(given, names, strict=True) if not was]
    return given, [f"a column without a name is called {listing(nameless)}"] if nameless else []
