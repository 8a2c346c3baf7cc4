"""Small nodes: brought together in bundles, with their rows, and grown in memory, a task for each bundle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np

from arboretum import _core
from arboretum._data import ColumnData, Dataset
from arboretum._grow.targets import Targets
from arboretum._tree.tree import core_dataset
from arboretum._types import Array
from arboretum.dask.nodes import GrowingTree, GrownNode
from arboretum.dask.part import THRESHOLD, OpenRows, Part, Subtree, observed
from arboretum.dask.runner import Handle, Runner

_FULL: Final = 4  # bundles hold the rows of so many small nodes of the largest size
_PER_THREAD: Final = 2  # bundles whose rows are on their way, or being finished


class Small(NamedTuple):
    """A node that is to be grown in memory: its tree, its place among the open rows, and its scale."""

    tree: GrowingTree
    node: GrownNode
    place: int
    scale: Array


class Job(NamedTuple):
    """What must be known of a node to grow the tree below it."""

    subtree: Subtree
    depth: int
    root_weight: float
    scale: Array


@dataclass(frozen=True, eq=False)
class TakenRows:
    """The rows of the nodes of a bundle in one part, those of a node next to each other."""

    data: Dataset
    targets: Targets
    begins: Array  # of each node; then the end

    def of(self, node: int) -> tuple[Dataset, Targets]:
        """Return the rows of a node, in their order."""
        begin, end = self.begins[node : node + 2].tolist()
        columns = (
            ColumnData(
                own.column, own.values[begin:end], None if own.missing is None else own.missing[begin:end]
            )
            for own in self.data.columns
        )
        numbers = np.arange(begin, end)
        return Dataset(tuple(columns), end - begin, self.data.named), self.targets.take(numbers)

    @property
    def nbytes(self) -> int:
        """The memory that the rows take, for whoever moves them."""
        return sum(own.values.nbytes for own in self.data.columns) + 8 * self.data.n_rows


class Bundles:
    """Hands small nodes over, and brings the trees that were grown below them back."""

    def __init__(self, runner: Runner, parts: Sequence[Handle], *, n_rows: int, small_rows: int) -> None:
        self._runner, self._parts = runner, parts
        # Rows that are brought together take memory: no more than a few nodes have, or a part of the table.
        self._most_rows = max(small_rows, min(_FULL * small_rows, n_rows // max(1, len(parts))))
        self._grown: list[tuple[list[GrownNode], Handle]] = []
        self._finished: list[Handle] = []  # for each bundle, when it is done

    def hand_over(self, rows: Sequence[Handle], nodes: Sequence[Small]) -> None:
        """Have nodes finished in memory, which are among the open rows of the parts."""
        if not nodes:
            return
        n_threads = self._runner.n_threads()
        for bundle in bundled(nodes, self._most_rows, _PER_THREAD * n_threads):
            self._hand_over(rows, bundle, _PER_THREAD * n_threads)

    def _hand_over(self, rows: Sequence[Handle], bundle: list[Small], at_once: int) -> None:
        turn = self._finished[-at_once] if len(self._finished) >= at_once else None
        places = [small.place for small in bundle]
        taken = self._runner.each(take_rows, self._parts, rows, [turn] * len(self._parts), common=(places,))
        jobs = [
            Job(small.tree.subtree, small.node.depth, small.tree.root_weight, small.scale) for small in bundle
        ]
        grown = self._runner.together(grow_subtrees, taken, jobs)
        self._finished.append(self._runner.together(be_done, [grown]))
        self._grown.append(([small.node for small in bundle], grown))

    def __len__(self) -> int:
        return len(self._grown)

    def arriving(self) -> Iterator[None]:
        """Yield as bundles become ready."""
        return self._runner.arriving([grown for _, grown in self._grown])

    def finish(self) -> None:
        """Put what was grown in the places of the nodes."""
        for (nodes, _), found in zip(
            self._grown, self._runner.values([grown for _, grown in self._grown]), strict=True
        ):
            for node, arrays in zip(nodes, found, strict=True):
                node.below = arrays


def bundled(nodes: Sequence[Small], most_rows: int, at_least: int) -> Iterator[list[Small]]:
    """Yield bundles of nodes: about so many, equally large, or more where they would hold too many rows."""
    total = sum(small.node.n_rows for small in nodes)
    most_rows = min(most_rows, -(-total // at_least))
    bundle: list[Small] = []
    n_rows = 0
    for small in nodes:
        if bundle and n_rows + small.node.n_rows > most_rows:
            yield bundle
            bundle, n_rows = [], 0
        bundle.append(small)
        n_rows += small.node.n_rows
    yield bundle


def take_rows(part: Part, open_rows: OpenRows, turn: None, nodes: Sequence[int]) -> TakenRows:
    """Return the rows of nodes with their targets; `turn` is what has to be done before."""
    each = [open_rows.of(node) for node in nodes]
    rows = np.concatenate(each).astype(np.intp)
    columns = (
        ColumnData(own.column, _taken(own.values, rows), None if own.missing is None else own.missing[rows])
        for own in part.data.columns
    )
    data = Dataset(tuple(columns), len(rows), part.data.named)
    return TakenRows(data, part.targets.take(rows), np.cumsum([0, *map(len, each)]))


def _taken(values: Array, rows: Array) -> Array:
    """Return these rows. `take` is the quicker way, but copies all of an array with gaps first."""
    return values.take(rows) if values.flags.c_contiguous else values[rows]


def be_done(several: Sequence[Any]) -> None:
    """Return nothing, as soon as these answers are there."""


def grow_subtrees(several: Sequence[TakenRows], jobs: Sequence[Job]) -> list[dict[str, Array]]:
    """Return the trees below the nodes of a bundle, all of whose rows are here."""
    return [grow_subtree([taken.of(node) for taken in several], *job) for node, job in enumerate(jobs)]


def grow_subtree(
    several: Sequence[tuple[Dataset, Targets]], subtree: Subtree, depth: int, root_weight: float, scale: Array
) -> dict[str, Array]:
    """Return the tree below a node, all of whose rows are here, as the arrays of the core."""
    data = core_dataset(join_rows([data for data, _ in several]))
    data.belongs_to(list(subtree.n_seen), list(subtree.missing))
    targets = join_targets([targets for _, targets in several])

    def grown(options: _core.GrowOptions) -> dict[str, Array]:
        learnt = (targets.classes, targets.n_classes, targets.numbers, targets.weights, targets.case_weights)
        arrays: dict[str, Array]
        arrays, *_ = _core.grow_tree(data, subtree.form.criterion, *learnt, options, scale=scale)
        return arrays

    arrays = grown(subtree.core_options(depth, root_weight))
    if any(subtree.in_bins):
        of_bins = (arrays["kind"] == THRESHOLD) & np.array(subtree.in_bins)[arrays["column"]]
        below = grown(observed(subtree.core_options(depth, root_weight)))
        for name in ("threshold", "threshold_floor"):
            arrays[name] = np.where(of_bins, below[name], arrays[name])
    return arrays


def join_targets(several: Sequence[Targets]) -> Targets:
    """Return the targets of several parts, one after the other."""
    names = ("classes", "numbers", "weights", "case_weights")
    joint: dict[str, Any] = {
        name: np.concatenate([getattr(own, name) for own in several])
        for name in names
        if getattr(several[0], name) is not None
    }
    return replace(several[0], n_rows=sum(own.n_rows for own in several), **joint)


def join_rows(several: Sequence[Dataset]) -> Dataset:
    """Return the rows of several tables with the same columns, one after the other."""
    columns = []
    for data in zip(*(table.columns for table in several), strict=True):
        missing = None
        if any(column.missing is not None for column in data):
            missing = np.concatenate(
                [
                    np.zeros(len(column.values), dtype=np.bool_) if column.missing is None else column.missing
                    for column in data
                ]
            )
        columns.append(ColumnData(data[0].column, np.concatenate([c.values for c in data]), missing))
    return Dataset(tuple(columns), sum(table.n_rows for table in several), several[0].named)
