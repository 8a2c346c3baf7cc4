"""Reading a table for fitting: what the caller has becomes a `Dataset`, or an error says why not.

`categorical_features` and `ordered_features` make columns nominal or ordered whatever their dtype. Both are
written in the same ways: a mask, positions or names, or a mapping from these to levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from arboretum._data.arrays import Source
from arboretum._data.column import Column, Kind
from arboretum._data.dataset import ColumnData, Dataset
from arboretum._data.encoding import as_nominal
from arboretum._data.levels import level_key, plain_level
from arboretum._data.matching import refuse_unknown, relevel
from arboretum._data.missing import find_missing
from arboretum._data.scalars import items_of
from arboretum._data.tables import open_table
from arboretum._wording import many, shown
from arboretum.errors import DataError, ParameterError, choices, listing

Levels = tuple[object, ...]

_HINT = "\nHint: give a mask with one value a column, a list of positions or names, or {name: levels}."


def read_dataset(X: Any, categorical_features: Any = "from_dtype", ordered_features: Any = None) -> Dataset:
    """Return a data frame, 2-D array or list of rows as a Dataset; the dtypes decide the kinds.

    `categorical_features` names the columns that are nominal whatever their dtype: a mask, positions, names,
    or a mapping from names or positions to the levels they may hold. `"from_dtype"` and None leave it to the
    dtypes. `ordered_features` names those that are ordered: in the order of the levels that are given, or
    else in the order that the dtype declares.

    >>> read_dataset([[5.1, "red"], [None, "blue"]]).schema[1].levels
    ('blue', 'red')
    >>> read_dataset([["high"], ["low"]], ordered_features={0: ["low", "high"]}).schema[0].kind
    'ordered'
    """
    source = open_table(X)
    names = source.names
    nominal = choose_columns("categorical_features", categorical_features, names, default="from_dtype")
    ordered = choose_columns("ordered_features", ordered_features, names)
    if both := [names[position] for position in ordered if position in nominal]:
        raise ParameterError(
            f"Column {both[0]!r} is in categorical_features and in ordered_features.\n"
            "Hint: keep it in one of them; levels have an order or they have none."
        )

    def read(position: int) -> ColumnData:
        if position in nominal:
            return _read_nominal(source, position, nominal[position])
        if position in ordered:
            return _read_ordered(source, position, ordered[position])
        return source.read(position, False)

    return Dataset(tuple(map(read, range(len(names)))), source.n_rows, source.named)


def _read_nominal(source: Source, position: int, levels: Levels | None) -> ColumnData:
    if levels is None:
        return as_nominal(source.read(position, True))
    return _read_declared(source, position, "nominal", levels, "categorical_features")


def _read_ordered(source: Source, position: int, levels: Levels | None) -> ColumnData:
    if levels is not None:
        return _read_declared(source, position, "ordered", levels, "ordered_features")
    data = source.read(position, False)
    column = data.column
    if column.kind == "ordered" or data.is_missing().all():  # of nothing, any order is right
        return data
    if column.levels is None:
        raise DataError(
            f"Column {column.name!r} is in ordered_features, but holds {_HOLDS[column.kind]}, which are in "
            "order by themselves.\nHint: leave it out, or list its values as levels: "
            f"ordered_features={{{column.name!r}: […]}}."
        )
    if not source.declares(position) and column.levels != (False, True):
        raise DataError(
            f"Column {column.name!r} is in ordered_features, but its type does not say in which order.\n"
            f"Hint: list its levels, the lowest first: ordered_features={{{column.name!r}: […]}}."
        )
    return ColumnData(Column(column.name, "ordered", levels=column.levels), data.values, data.missing)


_HOLDS = {"number": "numbers", "integer": "numbers", "datetime": "dates", "duration": "durations"}


def _read_declared(source: Source, position: int, kind: Kind, levels: Levels, option: str) -> ColumnData:
    """Return a column with the levels that an option declares; refuse any other value."""
    data = as_nominal(source.read(position, True))
    column = Column(data.column.name, kind, levels=levels)
    refuse_unknown(data, column, option)
    return relevel(data, column)


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
        raise ParameterError(f"{option}={shown(given)} is one name, not a list.{_HINT}")
    places = {name: position for position, name in enumerate(names)}
    if isinstance(given, Mapping):
        return {_position(option, key, places): _levels(option, key, given[key]) for key in given}
    chosen = items_of(given)
    if chosen is None:
        raise ParameterError(f"{option}={shown(given)} is not a list.{_HINT}")
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
    """Return declared levels as plain values; refuse an empty list, missing levels and repeated ones."""
    given = None if isinstance(levels, str) else items_of(levels)
    if given is None:
        raise ParameterError(f"{option} gives {shown(levels)} as the levels of {key!r}; give a list.")
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
