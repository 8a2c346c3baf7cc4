"""Cells that mean a missing value.

Words: a *token* is a text that stands for nothing, such as NA; spaces around it do not count. The list is the
user's to change. Only text is looked at: of typed columns, null is missing already.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from arboretum.tables.numbers import trim

__all__ = ["TOKENS", "count_tokens", "parse_tokens", "without_missing"]

TOKENS: Final = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")


def parse_tokens(written: str | None) -> tuple[str, ...]:
    """Return the tokens of a list with commas; None is the usual list.

    >>> parse_tokens("NA,?,")
    ('NA', '?', '')
    """
    return TOKENS if written is None else tuple(dict.fromkeys(part.strip() for part in written.split(",")))


def without_missing(cells: Any, tokens: Sequence[str], levels: Sequence[object] = ()) -> Any:
    """Return the cells with null in place of the tokens; a cell that is one of the levels is no token."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not tokens:
        return cells
    is_token = _are_tokens(cells, tokens, levels)
    if not pc.any(is_token, min_count=0).as_py():
        return cells
    return pc.if_else(is_token, pa.scalar(None, pa.string()), cells)


def count_tokens(cells: Any, tokens: Sequence[str], levels: Sequence[object] = ()) -> dict[str, int]:
    """Return how often each token occurs among the cells; those that do not are left out."""
    found = trim(cells.filter(_are_tokens(cells, tokens, levels))).value_counts()
    return {str(entry["values"]): int(entry["counts"]) for entry in found.to_pylist()}


def _are_tokens(cells: Any, tokens: Sequence[str], levels: Sequence[object]) -> Any:
    """Return for each cell whether it is a token with or without spaces, and not a level as it stands."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.is_in(trim(cells), value_set=pa.array(tokens, pa.string()))
    texts = [level for level in levels if isinstance(level, str)]
    if not texts:
        return found
    return pc.and_not(found, pc.is_in(cells, value_set=pa.array(texts, pa.string())))
