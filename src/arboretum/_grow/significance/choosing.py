"""Choosing: a test decides which column each node is asked about, while the tree grows.

The core calls for a decision at every node that it could divide, and looks for the best question about the
first chosen column; where that has none, about the next.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arboretum._data import ColumnData, Dataset
from arboretum._grow.significance.asked import Rows, by_content, scaled
from arboretum._grow.significance.stopping import SignificanceTest
from arboretum._grow.targets import Targets
from arboretum._types import Array, Mask, Numbers, RowNumbers

# From the rows of a node, and their shares, to the columns to ask about, the best first, and the p-value.
ChooseColumns = Callable[[RowNumbers, Numbers | None], tuple[list[int], float]]


@dataclass(frozen=True)
class NodeRows:
    """The rows at a node, in an order that does not depend on that of the table."""

    table: Dataset
    targets: Targets  # of the whole table
    rows: Rows

    def column(self, number: int) -> ColumnData:
        """Return a column with the values of these rows."""
        return self.table.columns[number].take(self.rows.number)

    @cached_property
    def here(self) -> Targets:
        """The targets of these rows, weighted by their shares."""
        return self.targets.take(self.rows.number).shared(self.rows.share)

    @property
    def known(self) -> Array:
        """The class number or the number of each row."""
        return np.asarray(self.here.numbers if self.here.classes is None else self.here.classes)

    def weights(self, rows: Mask) -> Numbers:
        """Return the deciding weights of these rows, scaled to add up to their number."""
        weights = self.here.weights
        return scaled(self.rows.share[rows], None if weights is None else weights[rows])


class ColumnTest(SignificanceTest, abstract=True):
    """A test of every column of a node, which chooses the column that is asked about."""

    @abstractmethod
    def _columns(self, at: NodeRows) -> tuple[list[int], float]:
        """Return the columns that pass the test, the best first, and the p-value of the node."""


def chooser(test: ColumnTest, table: Dataset, targets: Targets) -> ChooseColumns:
    """Return the decision of a test about the nodes of one tree."""
    order = by_content(table, targets)
    place = np.empty_like(order)
    place[order] = np.arange(len(order), dtype=order.dtype)
    table, targets = table.take(order), targets.take(order)

    def choose(rows: RowNumbers, shares: Numbers | None) -> tuple[list[int], float]:
        here = place[rows]
        sorting = np.argsort(here)
        share = np.ones(len(here)) if shares is None else shares[sorting]
        return test._columns(NodeRows(table, targets, Rows(here[sorting], share)))

    return choose
