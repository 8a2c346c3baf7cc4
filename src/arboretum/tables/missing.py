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


def without_missing(cells: Any, tokens: Sequence[str]) -> Any:
    """Return the cells with null in place of the tokens."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not tokens:
        return cells
    is_token = pc.is_in(trim(cells), value_set=pa.array(tokens, pa.string()))
    if not pc.any(is_token, min_count=0).as_py():
        return cells
    return pc.if_else(is_token, pa.scalar(None, pa.string()), cells)


def count_tokens(cells: Any, tokens: Sequence[str]) -> dict[str, int]:
    """Return how often each token occurs among the cells; those that do not are left out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = trim(cells)
    found = texts.filter(pc.is_in(texts, value_set=pa.array(tokens, pa.string()))).value_counts()
    return {str(entry["values"]): int(entry["counts"]) for entry in found.to_pylist()}
