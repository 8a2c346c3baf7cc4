"""The way of one row through a tree, and in words why it goes there.

Words: a *step* is one question on the way with the row's own value and the outcome that held.
What would have changed the way is not asked here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from arboretum.dataset import Dataset, match_dataset
from arboretum.errors import DataError
from arboretum.questions import Composite, Question
from arboretum.tree import Node, Tree

__all__ = ["RowPath", "row_path"]


@dataclass(frozen=True)
class RowPath:
    """The nodes from the root to where a row comes to rest, and one sentence per question on the way."""

    nodes: tuple[int, ...]
    sentences: tuple[str, ...]
    table: Dataset = field(compare=False, repr=False)  # the row, in the columns of the tree


def row_path(tree: Tree, row: Any) -> RowPath:
    """Return the way of one row: a table with one row, or a mapping, list or series of its values.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_penguins()
    >>> tree = TreeClassifier(max_depth=2).fit(X, y).tree_
    >>> print(*row_path(tree, X.iloc[[0]]).sentences, sep="\\n")
    flipper_length_mm is 181, so flipper_length_mm <= 206.5
    bill_length_mm is 39.1, so bill_length_mm <= 43.35
    """
    table = match_dataset(_as_table(tree, row), tree.columns, named=tree._is_named, owner="this tree")
    if table.n_rows != 1:
        raise DataError(
            f"row must be one row, but it holds {table.n_rows:,} of them.\nHint: row=X.iloc[[3]]."
        )
    node = tree.node(int(tree._leaves_of(table)[0]))
    ways = [node]
    while (parent := ways[-1].parent) is not None:
        ways.append(parent)
    ways.reverse()
    sentences = tuple(_sentence(above, below, table) for above, below in pairwise(ways))
    return RowPath(tuple(step.number for step in ways), sentences, table)


def _as_table(tree: Tree, row: Any) -> Any:
    """Return one row as a table: values by name, or in the order of the columns."""
    if hasattr(row, "to_dict") and not hasattr(row, "columns"):
        row = row.to_dict()  # a series of pandas
    names = [column.name for column in tree.columns]
    if isinstance(row, Mapping):
        unknown = [name for name in names if name not in row]
        if unknown:
            raise DataError(
                f"row lacks a value for column {unknown[0]!r}.\nHint: None stands for a missing value."
            )
        row = [row[name] for name in names]
    if isinstance(row, list | tuple):
        inside = row and isinstance(row[0], list | tuple | np.ndarray)
        return [list(values) for values in row] if inside else [list(row)]
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return row.reshape(1, -1)
    return row


def _sentence(above: Node, below: Node, table: Dataset) -> str:
    question, outcome = above.question, below.outcome
    if question is None or outcome is None:
        raise DataError("The way of a row leads through a leaf.")
    found = _found(question, above.tree, table)
    if isinstance(question, Composite):
        return f"{found}, so {outcome}" if found else outcome
    if found is None:
        return f"{question.column} is missing, so the row goes with {outcome}"
    return f"{question.column} is {found}, so {outcome}"


def _found(question: Question, tree: Tree, table: Dataset) -> str | None:
    """Return the row's own value as text, or those of all columns of a composite question."""
    if isinstance(question, Composite):
        names = [column.name for column in tree.columns]
        values = [(name, _value(tree, names.index(name), table)) for name in question.columns]
        return ", ".join(f"{name} is {'missing' if value is None else value}" for name, value in values)
    return _value(tree, tree.columns.index(question.about), table)


def _value(tree: Tree, place: int, table: Dataset) -> str | None:
    column = table.columns[place]
    if column.is_missing()[0]:
        return None
    return tree.columns[place].format(column.values[0].item())
