"""What the fit of an ensemble leaves behind: one value, which the next fit replaces in one step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from arboretum import _core
from arboretum._data import Column, Dataset, is_plain_matrix
from arboretum._data.dataset import core_dataset
from arboretum._data.fingerprint import TrainingData
from arboretum._data.matching import takes_unknown_as_missing
from arboretum._tree.asked_columns import are_plain_numbers, look_at_matrix, match_asked
from arboretum._tree.packing import PackedTree, TreeKind
from arboretum._tree.tree import Target, Tree
from arboretum._types import Array, Codes, Indices, Numbers
from arboretum.estimators.bagging.growing import node_predictions
from arboretum.estimators.bagging.out_of_bag import OutOfBag
from arboretum.estimators.bagging.samples import Samples


class Trees(Sequence[Tree]):
    """The trees of an ensemble, each made when it is asked for: many large ones would fill the memory."""

    def __init__(self, packed: tuple[PackedTree, ...]) -> None:
        self._packed = packed

    def __len__(self) -> int:
        return len(self._packed)

    @overload
    def __getitem__(self, place: int) -> Tree: ...
    @overload
    def __getitem__(self, place: slice) -> Trees: ...
    def __getitem__(self, place: int | slice) -> Tree | Trees:
        if isinstance(place, slice):
            return Trees(self._packed[place])
        return self._packed[place].unpacked()

    def __iter__(self) -> Iterator[Tree]:
        return (packed.unpacked() for packed in self._packed)

    def __repr__(self) -> str:
        n_nodes = sum(packed.n_nodes for packed in self._packed)
        return f"<{len(self)} trees, {n_nodes:,} nodes>"


@dataclass(frozen=True, eq=False)
class BaggedState:
    """The trees and everything that belongs to them."""

    packed: tuple[PackedTree, ...]
    importances: Numbers  # trees × columns, as each tree adds them up
    asked: Indices  # the places of the columns that some tree asks about
    samples: Samples
    origin: (
        Indices | None
    )  # the places of the rows that samples speak of in the table as given; None: all of it
    n_given: int
    n_rows_dropped: int
    training_data: TrainingData
    named: bool
    classes: Array | None
    out_of_bag: OutOfBag | None
    stopped: bool = False  # before all trees were grown, because the error was flat

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "forest"}

    @property
    def kind(self) -> TreeKind:
        """What the trees share."""
        return self.packed[0].kind

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the training table."""
        return self.kind.columns

    @property
    def trees(self) -> Trees:
        """The trees."""
        return Trees(self.packed)

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return len(self.columns)

    @property
    def width(self) -> int:
        """How many numbers are predicted for a row: one for each class, or one."""
        classes = self.kind.target.classes
        return 1 if classes is None else len(classes)

    @property
    def feature_names(self) -> Array | None:
        """The names of the columns, if they have any."""
        names = [column.name for column in self.columns]
        return np.array(names, dtype=object) if self.named else None

    @cached_property
    def forest(self) -> _core.Forest:
        """The trees as the core predicts with them; made when first needed."""
        forest = empty_forest(self.kind.target)
        for tree in self.trees:
            add_tree(forest, tree)
        return forest

    def mean(self, X: Any, n_threads: int, **matching: Any) -> Numbers:
        """Return the mean of what the trees predict: rows × classes, or a column of numbers."""
        matrix, matching = self._as_matrix(X, **matching), {"named": self.named, **matching}
        if matrix is not None:
            sums = self.forest.sum_of_matrix(matrix, n_threads)
        else:
            data = match_asked(X, self.columns, self.asked, **matching)
            sums = self.forest.sum(core_dataset(data), n_threads)
        means: Numbers = sums / len(self.packed)
        return means

    def leaves(self, X: Any, n_threads: int, **matching: Any) -> Codes:
        """Return the leaf of each row in each tree."""
        return self.forest.leaves_of(core_dataset(self.matched(X, **matching)), n_threads)

    def matched(self, X: Any, **matching: Any) -> Dataset:
        """Return a table in the columns of the trees."""
        return match_asked(X, self.columns, self.asked, named=self.named, **matching)

    def _as_matrix(self, X: Any, *, check: Any, unknown: Any, owner: str) -> Array | None:
        """Return the table as it is, if there is nothing to find, convert or refuse."""
        if check is not None or not takes_unknown_as_missing(unknown) or not self._all_numbers:
            return None
        if not is_plain_matrix(X, self.n_features):
            return None
        look_at_matrix(X, self.columns, self.asked)
        matrix: Array = X
        return matrix

    @cached_property
    def _all_numbers(self) -> bool:
        return are_plain_numbers(self.columns)


def empty_forest(target: Target) -> _core.Forest:
    """Return a forest without trees, for trees with this target."""
    return _core.Forest(1 if target.classes is None else len(target.classes))


def add_tree(forest: _core.Forest, tree: Tree) -> None:
    """Add a tree to a forest."""
    forest.add(tree._router, node_predictions(tree))
