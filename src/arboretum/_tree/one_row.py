"""One row of a table, as people write it, read in the columns of a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from arboretum._data import ColumnData, Dataset, match_dataset
from arboretum._tree.tree import Tree
from arboretum.errors import DataError, DataTypeError, listing


def read_row(
    tree: Tree, row: Any, *, named: bool | None = None, given: dict[str, ColumnData] | None = None
) -> Dataset:
    """Return one row: a table with one row, or a mapping, list or series of its values.

    `named` says whether the column names are real; by default the tree guesses. `given` receives each column
    as it was before levels that the tree does not know became missing values.
    """

    def keep(data: ColumnData, name: str) -> None:
        if given is not None:
            given[name] = data

    try:
        table = match_dataset(
            as_table(tree, row),
            tree.columns,
            named=tree._is_named if named is None else named,
            owner="this tree",
            check=keep,
        )
    except (DataError, DataTypeError) as error:
        # The readers' messages are about X.
        found = str(error)
        told = f"it{found[1:]}" if found.startswith("X ") else found
        raise type(error)(f"row must be one row of a table: {told}") from error
    if table.n_rows != 1:
        raise DataError(
            f"row must be one row, but it holds {table.n_rows:,} of them.\nHint: row=X.iloc[[3]]."
        )
    return table


def as_table(tree: Tree, row: Any) -> Any:
    """Return one row as a table: values by name, or in the order of the columns."""
    if hasattr(row, "to_dict") and not hasattr(row, "columns"):
        row = row.to_dict()  # a series of pandas
    if isinstance(row, Mapping):
        values = {str(name): value for name, value in row.items()}
        lacking = [column.name for column in tree.columns if column.name not in values]
        if lacking:
            several = "s" if len(lacking) > 1 else ""
            has = f"; it has {listing(list(values))}" if values else ""
            raise DataError(
                f"it lacks the column{several} {listing(lacking, 10)}{has}.\n"
                "Hint: None stands for a missing value."
            )
        row = [values[column.name] for column in tree.columns]
    if isinstance(row, list | tuple):
        inside = row and isinstance(row[0], list | tuple | np.ndarray)
        return [list(values) for values in row] if inside else [list(row)]
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return row.reshape(1, -1)
    return row
