"""The rows at a node and where its question sends them: the input of every test.

A row may be present only in part where the tree divides rows. A question is judged by the rows whose value is
known, or by all rows where missing is an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from arboretum import _core
from arboretum._data import ColumnData, Dataset
from arboretum._grow.given_rows import LEAST_SHARE
from arboretum._grow.targets import Targets
from arboretum._options.running import random_source
from arboretum._tree.surgery import stump_of
from arboretum._tree.tree import Tree
from arboretum._types import Array, Integers, Mask, Numbers, RowNumbers


@dataclass(frozen=True)
class Tested:
    """A fully grown tree, the rows it was grown from, and the core's options for growing."""

    tree: Tree
    table: Dataset
    targets: Targets
    take: Callable[[RowNumbers], _core.Dataset]
    make_options: Callable[[], _core.GrowOptions]
    grow: Callable[[_core.Dataset, Targets, _core.GrowOptions], Any]  # what the core grows, as arrays
    random_state: Any

    @cached_property
    def missing_is_value(self) -> bool:
        """Whether a missing value counts as an answer."""
        return bool(self.make_options().missing == _core.Missing.category)

    @cached_property
    def _seed(self) -> int:
        return int(random_source(self.random_state).randint(2**31))

    def random(self, number: int) -> np.random.Generator:
        """Return the source of random numbers for a node, whichever nodes were tested before."""
        return np.random.default_rng([self._seed, number])


@dataclass(frozen=True)
class Rows:
    """Row numbers in an order that does not depend on the order of the table, with the share of each."""

    number: RowNumbers
    share: Numbers

    def only(self, kept: Mask) -> Rows:
        """Return these rows alone."""
        return Rows(self.number[kept], self.share[kept])


@dataclass(frozen=True)
class Asked:
    """A node with its rows; `child` is the answer of each, or -1 where the row stays at the node."""

    tested: Tested
    node: int
    rows: Rows
    data: _core.Dataset
    child: Integers
    known: Mask  # whether the row's own value answers
    shares: Numbers | None  # how much of a row whose value is not known each child gets; None: one gets all

    def part(self, place: int) -> Rows:
        """Return the rows that go to a child."""
        if self.shares is None:
            return self.rows.only(self.child == place)
        share = self.rows.share * np.where(self.known, self.child == place, self.shares[place])
        kept = share > LEAST_SHARE
        return Rows(self.rows.number[kept], share[kept])

    @cached_property
    def judged(self) -> Mask:
        """The rows by which the question was chosen."""
        return self.known & (self.child >= 0)

    @property
    def column(self) -> int:
        """The column of the question; of several, the first."""
        return int(self.tested.tree.array("column")[self.node])

    def columns(self) -> Iterator[ColumnData]:
        """Yield each column with the values of these rows."""
        for column in self.tested.table.columns:
            yield column.take(self.rows.number)

    @cached_property
    def targets(self) -> Targets:
        """The targets of these rows, weighted by their shares."""
        return self.tested.targets.take(self.rows.number).shared(self.rows.share)

    def weights(self, rows: Mask) -> Numbers:
        """Return the deciding weights of these rows, scaled to add up to their number.

        A row that is here in part counts as that part of a row.
        """
        weights = self.targets.weights
        return scaled(self.rows.share[rows], None if weights is None else weights[rows])


def scaled(share: Numbers, weights: Numbers | None) -> Numbers:
    """Return weights of rows, scaled to add up to the number of rows, of which only these shares are here."""
    if weights is None or len(weights) == 0:
        return share
    # Divided by the largest first: sums of weights near the largest number would overflow.
    here = weights / weights.max()
    return np.asarray(here * (share.sum() / here.sum()))


def whole(tested: Tested) -> Rows:
    """Return all rows, sorted by what they hold, so that sums and shuffles do not depend on their order."""
    order = by_content(tested.table, tested.targets)
    return Rows(order, np.ones(len(order)))


def by_content(table: Dataset, targets: Targets) -> RowNumbers:
    """Return the numbers of the rows, sorted by what they hold."""
    keys: list[Array] = [] if targets.weights is None else [targets.weights]
    keys.append(np.asarray(targets.numbers if targets.classes is None else targets.classes))
    for column in table.columns:
        missing = column.is_missing()
        keys.append(column.values)
        if missing.any():
            keys[-1] = np.where(missing, column.values.dtype.type(0), column.values)
            keys.append(missing)
    return np.lexsort(keys).astype(np.uint32)


def ask(tested: Tested, node: int, rows: Rows) -> Asked:
    """Ask the node's question of the rows there."""
    data, router = tested.take(rows.number), stump_of(tested.tree, node)._router
    child = np.asarray(router.leaves_of(data), dtype=np.int64) - 1
    known = np.ones(len(child), dtype=np.bool_)
    question = tested.tree.node(node).question
    if question is not None and not question.always_answers and not tested.missing_is_value:
        known = ~tested.table.columns[int(tested.tree.array("column")[node])].take(rows.number).is_missing()
    shares = None
    if tested.tree.missing == "fractions" and not known.all():
        one = tested.take(rows.number[np.flatnonzero(~known)[:1]])
        shares = router.blend(one, np.eye(1 + int(tested.tree.array("n_children")[node])))[0, 1:]
    return Asked(tested, node, rows, data, child, known, shares)
