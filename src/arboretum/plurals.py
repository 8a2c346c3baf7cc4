"""How many there are of something, in words."""

from __future__ import annotations

from typing import Final

__all__ = ["many"]

_IRREGULAR: Final = {"leaf": "leaves", "class": "classes", "entry": "entries"}


def many(count: int, noun: str) -> str:
    """Return a count with its noun: singular for one, plural for all other numbers.

    >>> many(1, "row"), many(1_200, "row"), many(0, "leaf")
    ('1 row', '1,200 rows', '0 leaves')
    """
    return f"{count:,} {noun if count == 1 else _IRREGULAR.get(noun, f'{noun}s')}"
