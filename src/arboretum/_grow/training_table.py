"""A table with its targets, read once: trees may be grown from it with several weights of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arboretum._data import Dataset, read_dataset
from arboretum._data.queries import Queries, read_queries
from arboretum._data.targets import read_classes, read_numbers
from arboretum._grow.growth import Growth, prepare_growth
from arboretum._grow.training_rows import TrainingRows, choose_rows
from arboretum._options.by_column import resolve_monotone
from arboretum._options.settings import Settings
from arboretum._types import Array, Numbers


@dataclass(frozen=True)
class TrainingTable:
    """Typed columns with a target per row: a class number, or a number if there are no classes."""

    data: Dataset
    targets: Array
    classes: Array | None
    monotone: list[int]
    queries: Queries | None = None  # where the order of rows within them is learnt

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.data.n_rows

    def growth(self, settings: Settings, weights: Numbers | None) -> tuple[TrainingRows, Growth]:
        """Return the rows that count with these weights, and what trees are grown from."""
        rows = choose_rows(self.data, self.targets, weights, settings.missing)
        queries = self.queries
        if queries is not None and rows.origin is not None:
            queries = queries.take(rows.origin)
        return prepare_growth(settings, rows, self.classes, self.monotone, queries)


def read_training_table(settings: Settings, X: Any, y: Any, owner: str, groups: Any = None) -> TrainingTable:
    """Read a table and its targets; messages speak of `owner`, the estimator.

    Where an order is learnt, the groups are the queries.
    """
    data = read_dataset(X, settings.categorical_features, settings.ordered_features)
    monotone = resolve_monotone(settings.monotonic_cst, data.schema)
    if settings.of_classes:
        classes, numbers = read_classes(y, data.n_rows, owner)
        return TrainingTable(data, numbers, classes, monotone)
    targets = read_numbers(y, data.n_rows, owner)
    queries = read_queries(groups, data.n_rows, owner) if settings.of_order else None
    return TrainingTable(data, targets, None, monotone, queries)
