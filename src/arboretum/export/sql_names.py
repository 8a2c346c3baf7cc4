"""The names that a statement uses inside itself.

A statement reads the columns of a table by their own names once, and uses private names from then on. A
private name is a plain word that no dialect takes for anything else. The table's own names would not do:
SQLite, for example, renames a column `true` of a subquery and then takes `"true"` for a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["private_names", "unique_names"]

_PLAIN = re.compile(r"[A-Za-z0-9_]{1,40}")


def private_names(role: str, names: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Return a private name for each name: its role and, where that is a plain word, the name itself."""
    names = tuple(names)
    wanted = [
        f"{role}_{name}" if _PLAIN.fullmatch(name) else f"{role}_{number}"
        for number, name in enumerate(names, start=1)
    ]
    return dict(zip(names, unique_names(wanted, taken), strict=True))


def unique_names(wanted: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return names that differ from each other and from the taken ones, whatever the case of letters."""
    used = {name.casefold() for name in taken}
    names = []
    next_number: dict[str, int] = {}  # where the search for a free one goes on
    for name in wanted:
        chosen, number = name, next_number.get(name.casefold(), 2)
        while chosen.casefold() in used:
            chosen, number = f"{name}_{number}", number + 1
        next_number[name.casefold()] = number
        used.add(chosen.casefold())
        names.append(chosen)
    return names
