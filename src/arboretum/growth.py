"""Growth: all that is needed to grow a tree from a table, or from some of its rows, again and again.

Words: *rows* are numbers of rows of the training table; *held out* are those that a tree has not seen.
Options are resolved in growing.py and class_weights.py; here they are put together, once per fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from arboretum import _core
from arboretum.column_costs import resolve_costs
from arboretum.dataset import Column, Dataset
from arboretum.growing import Targets, counts_weight, evenly, grow, resolve_options
from arboretum.leaves import LeafRule, number_leaves
from arboretum.pruning.collapse import collapse
from arboretum.searching import columns_in_sums
from arboretum.significance.asked import Tested
from arboretum.significance.stopping import p_values
from arboretum.significance.strategies import resolve_significance
from arboretum.tree import Target, Tree

__all__ = ["Growth", "RowNumbers"]

RowNumbers = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class Growth:
    """A table with its targets, and how trees are grown from it."""

    params: Mapping[str, Any]
    columns: tuple[Column, ...]
    target: Target
    criterion: str
    targets: Targets
    monotone: list[int]
    rule: LeafRule | None  # None: numbers
    data: _core.Dataset
    is_even: bool = False  # weights are in units of the average row already, where that matters
    also_seen: tuple[_core.Dataset, ...] = ()  # other rows, whose values thresholds="table" may take
    table: Dataset | None = None  # the same rows as `data`, for tests of significance

    def tree(
        self, rows: RowNumbers | None = None, *, also_seen: Sequence[_core.Dataset] = (), bare: bool = False
    ) -> Tree:
        """Return the tree of all rows, or of these alone: fully grown, within the limits.

        What classes weigh was decided once, from all rows; shares of rows are those of the rows given. With
        `thresholds="table"`, the table includes the rows of `also_seen`, which are not grown from. A `bare`
        tree remembers no competitors: it is only there to be judged. With `significance`, the tree is cut
        off from the top where a question fails its test.
        """
        test = resolve_significance(self.params["significance"], of_classes=self.rule is not None)
        targets = self.targets if rows is None else self.targets.take(rows)
        targets = evenly(targets) if counts_weight(self.params) and not self.is_even else targets
        options = self._options(targets)
        if bare:
            options.competitors = 0
        data = self.data if rows is None else self.data.take(rows)
        if options.thresholds == _core.Thresholds.table:
            for other in (*self.also_seen, *also_seen):
                data.also_saw(other)
        grown = grow(data, self.columns, targets, self.criterion, options)
        predictions = number_leaves(grown.arrays) if self.rule is None else self.rule.leaves(grown.arrays)

        def make(**more: npt.NDArray[Any]) -> Tree:
            return Tree(
                self.columns,
                self.target,
                self.criterion,
                grown.arrays | predictions | more,
                missing=grown.missing,
                others=grown.others,
                terms=grown.terms,
                rule=self.rule,
            )

        if test is None:
            return make()
        if test._searches:
            self.share_codes()
        found = p_values(self._tested(make(), rows, targets), test)
        return collapse(make(p_value=found), found > test.level)

    def _options(self, targets: Targets) -> _core.GrowOptions:
        """Return the core's options for trees of these targets."""
        options = resolve_options(self.params, targets)
        options.monotone = self.monotone
        options.costs = resolve_costs(self.params["column_costs"], self.columns)
        options.oblique.usable = columns_in_sums(self.columns)
        if self.rule is not None:
            options.smoothing_m, options.smoothing_prior = self.rule.m, float(self.rule.prior[-1])
        return options

    def _tested(self, tree: Tree, rows: RowNumbers | None, targets: Targets) -> Tested:
        """Return what tests look at: a tree that was grown from these rows."""
        assert self.table is not None

        def take(chosen: RowNumbers) -> _core.Dataset:
            # Straight from the whole table, whose codes hold for what is taken from it, but not twice.
            return self.data.take(chosen if rows is None else rows[chosen])

        return Tested(
            tree,
            self.table if rows is None else self.table.take(rows),
            targets,
            take,
            lambda: self._options(targets),
            self.params["random_state"],
        )

    def share_codes(self) -> None:
        """Code the columns once for all trees that are grown from some of the rows."""
        self.data.encode(resolve_options(self.params, self.targets).n_threads)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.targets.n_rows
