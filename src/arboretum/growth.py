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
from arboretum.dataset import Column
from arboretum.growing import Targets, counts_weight, evenly, grow, resolve_options
from arboretum.leaves import LeafRule, number_leaves
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

    def tree(
        self, rows: RowNumbers | None = None, *, also_seen: Sequence[_core.Dataset] = (), bare: bool = False
    ) -> Tree:
        """Return the tree of all rows, or of these alone: fully grown, within the limits.

        What classes weigh was decided once, from all rows; shares of rows are those of the rows given. With
        `thresholds="table"`, the table includes the rows of `also_seen`, which are not grown from. A `bare`
        tree remembers no competitors: it is only there to be judged.
        """
        targets = self.targets if rows is None else self.targets.take(rows)
        targets = evenly(targets) if counts_weight(self.params) and not self.is_even else targets
        options = resolve_options(self.params, targets)
        options.monotone = self.monotone
        if bare:
            options.competitors = 0
        if self.rule is not None:
            options.smoothing_m, options.smoothing_prior = self.rule.m, float(self.rule.prior[-1])
        data = self.data if rows is None else self.data.take(rows)
        if options.thresholds == _core.Thresholds.table:
            for other in (*self.also_seen, *also_seen):
                data.also_saw(other)
        grown = grow(data, self.columns, targets, self.criterion, options)
        predictions = number_leaves(grown.arrays) if self.rule is None else self.rule.leaves(grown.arrays)
        return Tree(
            self.columns,
            self.target,
            self.criterion,
            grown.arrays | predictions,
            missing=grown.missing,
            others=grown.others,
            rule=self.rule,
        )

    def share_codes(self) -> None:
        """Code the columns once for all trees that are grown from some of the rows."""
        self.data.encode(resolve_options(self.params, self.targets).n_threads)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.targets.n_rows
