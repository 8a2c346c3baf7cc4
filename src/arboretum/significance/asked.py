"""The rows at a node and where its question sends them: all that a test looks at.

Words: a *share* is how much of a row is here, less than 1 only where the tree divides rows; a row is *judged*
if the question was chosen by it: where missing values are no answer, that needs a known value.
Which test is made, and what follows from it, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from arboretum import _core
from arboretum.dataset import ColumnData, Dataset
from arboretum.editing_data import LEAST_SHARE
from arboretum.growing import Targets
from arboretum.pruning.collapse import stump_of
from arboretum.pruning.folds import resolve_random
from arboretum.questions import LEVELS, THRESHOLD
from arboretum.tree import Tree

__all__ = ["Asked", "Tested", "ask", "whole"]

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Tested:
    """A tree before it is stopped, the rows it was grown from, and how the core is told to grow."""

    tree: Tree
    table: Dataset
    targets: Targets
    take: Callable[[npt.NDArray[np.uint32]], _core.Dataset]
    make_options: Callable[[], _core.GrowOptions]
    random_state: Any

    @cached_property
    def missing_is_value(self) -> bool:
        """Whether a missing value is an answer like others."""
        return bool(self.make_options().missing == _core.Missing.category)

    @cached_property
    def _seed(self) -> int:
        return int(resolve_random(self.random_state).randint(2**31))

    def random(self, number: int) -> np.random.Generator:
        """Return the source of random numbers for a node: it does not matter which nodes came before."""
        return np.random.default_rng([self._seed, number])


@dataclass(frozen=True)
class Rows:
    """Rows by number, in an order that does not depend on theirs in the table, and the share of each."""

    number: npt.NDArray[np.uint32]
    share: Numbers

    def only(self, kept: Mask) -> Rows:
        """Return these rows alone."""
        return Rows(self.number[kept], self.share[kept])


@dataclass(frozen=True)
class Asked:
    """A node with its rows; `child` is the answer of each, -1 where the row rests here."""

    tested: Tested
    node: int
    rows: Rows
    data: _core.Dataset
    child: Places
    known: Mask  # whether the row's own value answers
    shares: Numbers | None  # how much of a row whose value is not known each child gets; None: one gets all

    def part(self, place: int) -> Rows:
        """Return what goes to a child."""
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
        """The column that is asked about; of several, the first."""
        return int(self.tested.tree.array("column")[self.node])

    def columns(self) -> Iterator[ColumnData]:
        """Yield each column with the values of the rows here."""
        for column in self.tested.table.columns:
            yield column.take(self.rows.number)

    @cached_property
    def targets(self) -> Targets:
        """The targets of the rows here, weighing as much of them as is here."""
        targets = self.tested.targets.take(self.rows.number)
        if (self.rows.share == 1.0).all():
            return targets
        weights, reported = (
            None if given is None else given * self.rows.share
            for given in (targets.weights, targets.case_weights)
        )
        return Targets(
            targets.n_rows,
            classes=targets.classes,
            n_classes=targets.n_classes,
            numbers=targets.numbers,
            weights=self.rows.share if weights is None else weights,
            case_weights=reported,
            row_weight=targets.row_weight,
        )

    def weights(self, rows: Mask) -> Numbers:
        """Return what these rows weigh in a test: deciding weights, scaled to add up to their number.

        A row that is here in part counts as that part of a row.
        """
        share, weights = self.rows.share[rows], self.targets.weights
        if weights is None:
            return share
        here = weights[rows]
        # Divided by the largest first: sums of weights near the largest number would overflow.
        here = here / here.max() if len(here) else here
        return here * (share.sum() / here.sum()) if len(here) else here


def whole(tested: Tested) -> Rows:
    """Return all rows, sorted by what they hold, so that sums and shuffles do not depend on their order."""
    targets = tested.targets
    keys: list[npt.NDArray[Any]] = [] if targets.weights is None else [targets.weights]
    keys.append(np.asarray(targets.numbers if targets.classes is None else targets.classes))
    for column in tested.table.columns:
        missing = column.is_missing()
        keys.append(column.values)
        if missing.any():
            keys[-1] = np.where(missing, column.values.dtype.type(0), column.values)
            keys.append(missing)
    order = np.lexsort(keys).astype(np.uint32)
    return Rows(order, np.ones(len(order)))


def ask(tested: Tested, node: int, rows: Rows) -> Asked:
    """Ask the node's question of the rows there."""
    data, router = tested.take(rows.number), stump_of(tested.tree, node)._router
    child = np.asarray(router.leaves_of(data), dtype=np.int64) - 1
    known = np.ones(len(child), dtype=np.bool_)
    about_one = tested.tree.array("kind")[node] in (THRESHOLD, LEVELS)  # others always have an answer
    if about_one and not tested.missing_is_value:
        known = ~tested.table.columns[int(tested.tree.array("column")[node])].take(rows.number).is_missing()
    shares = None
    if tested.tree.missing == "fractions" and not known.all():
        one = tested.take(rows.number[np.flatnonzero(~known)[:1]])
        shares = router.blend(one, np.eye(1 + int(tested.tree.array("n_children")[node])))[0, 1:]
    return Asked(tested, node, rows, data, child, known, shares)
