"""Reading a table for fitting: whatever the caller has becomes a `Dataset`, or a sentence that says why not.

Words: `categorical_features` is the option that makes columns nominal whatever their dtype; *declared* levels
are those the caller lists himself. It does not compare with an earlier table (see `matching`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from arboretum.dataset.arrays import Source
from arboretum.dataset.column import Column
from arboretum.dataset.data import ColumnData, Dataset
from arboretum.dataset.encoding import as_nominal
from arboretum.dataset.levels import plain_level
from arboretum.dataset.matching import refuse_unknown, relevel
from arboretum.dataset.tables import open_table
from arboretum.errors import ParameterError, choices, listing

__all__ = ["read_dataset"]

Levels = tuple[object, ...]


def read_dataset(X: Any, categorical_features: Any = "from_dtype") -> Dataset:
    """Return a data frame, 2-D array or list of rows as a Dataset; the dtypes decide the kinds.

    `categorical_features` names the columns that are nominal whatever their dtype: a mask, positions, names,
    or a mapping from names or positions to the levels they may hold. `"from_dtype"` and None leave it to the
    dtypes.

    >>> read_dataset([[5.1, "red"], [None, "blue"]]).schema[1].levels
    ('blue', 'red')
    """
    source = open_table(X)
    nominal = _resolve(categorical_features, source.names)
    columns = (_read_column(source, position, nominal) for position in range(len(source.names)))
    return Dataset(tuple(columns), source.n_rows, source.named)


def _read_column(source: Source, position: int, nominal: Mapping[int, Levels | None]) -> ColumnData:
    if position not in nominal:
        return source.read(position, False)
    data = as_nominal(source.read(position, True))
    levels = nominal[position]
    if levels is None:
        return data
    column = Column(data.column.name, "nominal", levels=levels)
    refuse_unknown(data, column)
    return relevel(data, column)


def _resolve(option: Any, names: tuple[str, ...]) -> dict[int, Levels | None]:
    """Return the positions that `categorical_features` makes nominal, with their declared levels if any."""
    if option is None or (isinstance(option, str) and option == "from_dtype"):
        return {}
    if isinstance(option, str):
        raise ParameterError(choices("categorical_features", option, ["from_dtype"]) + _HINT)
    if isinstance(option, Mapping):
        return {_position(key, names): _declared(key, levels) for key, levels in option.items()}
    if not isinstance(option, Iterable):
        raise ParameterError(f"categorical_features={option!r} is not a list.{_HINT}")
    chosen = list(option)
    if chosen and all(isinstance(value, bool | np.bool_) for value in chosen):
        if len(chosen) != len(names):
            raise ParameterError(
                f"categorical_features is a mask of {len(chosen)}, but X has {len(names)} columns.{_HINT}"
            )
        return {position: None for position, yes in enumerate(chosen) if yes}
    return {_position(key, names): None for key in chosen}


_HINT = "\nHint: give a mask with one value a column, a list of positions or names, or {name: levels}."


def _position(key: Any, names: tuple[str, ...]) -> int:
    """Return the position of the column that a name or position stands for."""
    if isinstance(key, str):
        if key not in names:
            raise ParameterError(
                f"categorical_features names the column {key!r}, which X lacks; it has {listing(names)}."
            )
        return names.index(key)
    if isinstance(key, bool | np.bool_) or not isinstance(key, int | np.integer):
        raise ParameterError(
            f"categorical_features holds {key!r}, which is neither a name nor a position.{_HINT}"
        )
    if not 0 <= key < len(names):
        raise ParameterError(
            f"categorical_features holds the position {key}, but X has the columns 0 to {len(names) - 1}."
        )
    return int(key)


def _declared(key: object, levels: Any) -> Levels:
    """Return declared levels as plain values; refuse none at all, missing ones and repeated ones."""
    if isinstance(levels, str) or not isinstance(levels, Iterable):
        raise ParameterError(f"categorical_features gives {levels!r} as the levels of {key!r}; give a list.")
    given = list(levels)
    plain = tuple(map(plain_level, given))
    if not plain or any(level is None or level != level for level in given):
        raise ParameterError(
            f"categorical_features gives the levels {listing(given)} for {key!r}; at least one is "
            "needed, and a missing value is no level."
        )
    Column(str(key), "nominal", levels=plain)  # refuses what is there twice
    return plain
