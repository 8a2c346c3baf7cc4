"""Columns that an option chooses, with the levels it declares for them.

`categorical_features` and `ordered_features` are written in the same way: a mask, positions or names, or a
mapping from these to levels. What becomes of a chosen column is decided in reading.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from arboretum.dataset.levels import level_key, plain_level
from arboretum.dataset.objects import find_missing
from arboretum.errors import ParameterError, choices, listing
from arboretum.plurals import many

__all__ = ["Levels", "choose_columns"]

Levels = tuple[object, ...]

_HINT = "\nHint: give a mask with one value a column, a list of positions or names, or {name: levels}."


def choose_columns(
    option: str, given: Any, names: tuple[str, ...], *, default: str | None = None
) -> dict[int, Levels | None]:
    """Return the positions of the columns that an option chooses, with their declared levels if any.

    None and its default choose no column.
    """
    if given is None or (isinstance(given, str) and given == default):
        return {}
    if isinstance(given, str):
        if default is not None:
            raise ParameterError(choices(option, given, [default]) + _HINT)
        raise ParameterError(f"{option}={given!r} is one name, not a list.{_HINT}")
    places = {name: position for position, name in enumerate(names)}
    if isinstance(given, Mapping):
        return {_position(option, key, places): _levels(option, key, given[key]) for key in given}
    if not isinstance(given, Iterable):
        raise ParameterError(f"{option}={given!r} is not a list.{_HINT}")
    chosen = list(given)
    if chosen and all(isinstance(value, bool | np.bool_) for value in chosen):
        if len(chosen) != len(names):
            raise ParameterError(
                f"{option} is a mask of {len(chosen)}, but X has {many(len(names), 'column')}.{_HINT}"
            )
        return {position: None for position, yes in enumerate(chosen) if yes}
    return {_position(option, key, places): None for key in chosen}


def _position(option: str, key: Any, places: Mapping[str, int]) -> int:
    """Return the position of the column that a name or position stands for; `places` are those of names."""
    if isinstance(key, str):
        if key not in places:
            raise ParameterError(
                f"{option} names the column {key!r}, which X lacks; it has {listing(list(places))}."
            )
        return places[key]
    if isinstance(key, bool | np.bool_) or not isinstance(key, int | np.integer):
        raise ParameterError(f"{option} holds {key!r}, which is neither a name nor a position.{_HINT}")
    if not 0 <= key < len(places):
        raise ParameterError(
            f"{option} holds the position {key}, but X has the columns 0 to {len(places) - 1}."
        )
    return int(key)


def _levels(option: str, key: object, levels: Any) -> Levels:
    """Return declared levels as plain values; refuse none at all, missing ones and repeated ones."""
    if isinstance(levels, str) or not isinstance(levels, Iterable):
        raise ParameterError(f"{option} gives {levels!r} as the levels of {key!r}; give a list.")
    given = list(levels)
    plain = tuple(map(plain_level, given))
    if not plain or find_missing(given).any():
        raise ParameterError(
            f"{option} gives the levels {listing(given)} for {key!r}; at least one is needed, and a missing "
            "value is no level."
        )
    seen = set()
    for level in plain:
        if level_key(level) in seen:
            raise ParameterError(f"{option} gives the level {level!r} of {key!r} twice.")
        seen.add(level_key(level))
    return plain
