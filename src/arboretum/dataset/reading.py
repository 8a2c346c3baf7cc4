"""Reading a table for fitting: whatever the caller has becomes a `Dataset`, or a sentence that says why not.

`categorical_features` and `ordered_features` make columns nominal or ordered whatever their dtype says.
Nothing is compared with an earlier table here (see `matching`).
"""

from __future__ import annotations

from typing import Any

from arboretum.dataset.arrays import Source
from arboretum.dataset.chosen import Levels, choose_columns
from arboretum.dataset.column import Column, Kind
from arboretum.dataset.data import ColumnData, Dataset
from arboretum.dataset.encoding import as_nominal
from arboretum.dataset.matching import refuse_unknown, relevel
from arboretum.dataset.tables import open_table
from arboretum.errors import DataError, ParameterError

__all__ = ["read_dataset"]


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
    """Return a column with the levels that an option declares; refuse a value that is none of them."""
    data = as_nominal(source.read(position, True))
    column = Column(data.column.name, kind, levels=levels)
    refuse_unknown(data, column, option)
    return relevel(data, column)
