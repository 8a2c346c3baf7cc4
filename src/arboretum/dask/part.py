"""What a worker does with its part of the table: each step is a function of values, which can be asked anew.

A lost answer is worked out again from the partition and the questions asked so far: no worker keeps a secret.
Answers of parts add up, in any order, because they are sums of whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Final

import numpy as np

from arboretum import _core
from arboretum._data import Column, ColumnData, Dataset
from arboretum._grow.core_options import core_options, only_to_judge
from arboretum._grow.targets import Targets
from arboretum._options.settings import Settings
from arboretum._tree.leaves import LeafRule
from arboretum._tree.tree import core_dataset
from arboretum._types import Array

Questions = Sequence[_core.SharedQuestion | None]
THRESHOLD: Final = 1  # the kind of question


@dataclass(frozen=True)
class Coding:
    """How the columns are coded, the same for all parts, and what the codes are for."""

    form: _core.TargetForm
    edges: tuple[Array, ...]  # of each column, keys; numeric columns only


@dataclass(frozen=True, eq=False)
class Part:
    """One partition: its rows, their targets, and the rows as the core counts them."""

    data: Dataset
    targets: Targets
    coding: Coding
    share: _core.Share

    def __reduce__(self) -> tuple[Any, ...]:
        return encode_part, ((self.data, self.targets), self.coding)

    @property
    def nbytes(self) -> int:
        """The memory that its values take, for whoever moves it or stores it; codes take as much at most."""
        return 2 * sum(column.values.nbytes for column in self.data.columns) + 8 * self.data.n_rows


@dataclass(frozen=True, eq=False)
class OpenRows:
    """The rows of the open nodes of a tree in one part, those of a node next to each other."""

    rows: Array
    begins: Array  # of each node; then the end

    def of(self, node: int) -> Array:
        """Return the rows of a node, in their order."""
        rows: Array = self.rows[self.begins[node] : self.begins[node + 1]]
        return rows


@dataclass(frozen=True, eq=False)
class Facts:
    """What the parts say of the columns: codes of a single value, missing values, levels that occur."""

    n_rows: int
    singles: tuple[Array, ...]
    missing: Array
    levels: tuple[Array, ...]

    @staticmethod
    def add(some: Sequence[Facts]) -> Facts:
        """Return what holds of several parts together."""
        return Facts(
            sum(facts.n_rows for facts in some),
            tuple(np.bitwise_and.reduce(codes) for codes in zip(*(f.singles for f in some), strict=True)),
            np.logical_or.reduce([facts.missing for facts in some]),
            tuple(np.logical_or.reduce(levels) for levels in zip(*(f.levels for f in some), strict=True)),
        )


def encode_part(rows: tuple[Dataset, Targets], coding: Coding) -> Part:
    """Return the part with its columns coded."""
    data, targets = rows
    learnt = (targets.classes, targets.numbers, targets.weights, targets.case_weights)
    share = _core.Share(core_dataset(data), coding.form, *learnt, list(coding.edges))
    return Part(data, targets, coding, share)


def facts_of(part: Part) -> Facts:
    """Return what the part says of its columns."""
    singles, missing = part.share.facts()
    levels = tuple(
        np.bincount(data.values[~data.is_missing()], minlength=len(data.column.levels)) > 0
        if data.column.levels is not None
        else np.zeros(0, dtype=np.bool_)
        for data in part.data.columns
    )
    return Facts(part.data.n_rows, tuple(singles), np.array(missing, dtype=np.bool_), levels)


def divide_rows(part: Part, open_rows: OpenRows, questions: Questions) -> OpenRows:
    """Return the rows of the children: two for each node with a question, none for the others."""
    return OpenRows(*part.share.divide(open_rows.rows, open_rows.begins, list(questions)))


@dataclass(frozen=True, eq=False)
class Extents:
    """Where the targets of nodes lie: nodes × (weights, numbers, products)."""

    lowest: Array
    highest: Array
    finest: Array

    def of(self, node: int) -> tuple[Array, Array, Array]:
        """Return those of one node, as the core takes them."""
        return self.lowest[node], self.highest[node], self.finest[node]

    @staticmethod
    def add(some: Sequence[Extents]) -> Extents:
        """Return the extents of several parts together."""
        return Extents(
            np.minimum.reduce([own.lowest for own in some]),
            np.maximum.reduce([own.highest for own in some]),
            np.minimum.reduce([own.finest for own in some]),
        )


def find_extents(part: Part, open_rows: OpenRows) -> Extents:
    """Return where the targets of each node lie."""
    return Extents(**part.share.extents(open_rows.rows, open_rows.begins))


def count_totals(part: Part, open_rows: OpenRows, scales: Array) -> tuple[Array, Array]:
    """Return the summary of each node, and the largest target that bounds must reckon with."""
    totals, reach = part.share.totals(open_rows.rows, open_rows.begins, scales)
    return words(totals, part.coding.form), reach


def add_totals(several: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Return the sums of several answers, and the largest reach."""
    totals, reach = zip(*several, strict=True)
    return add_words(totals), np.maximum.reduce(reach)


def count_buckets(part: Part, open_rows: OpenRows, nodes: Array, views: Array, scales: Array) -> Array:
    """Return the summaries of the buckets of these nodes, in words that add up."""
    buckets = part.share.count(open_rows.rows, open_rows.begins, nodes, views, scales)
    return words(buckets, part.coding.form)


def counts_units(form: _core.TargetForm) -> bool:
    """Return whether summaries are plain counts of rows in classes."""
    return form.n_classes > 0 and not form.weighted


def words(summaries: Array, form: _core.TargetForm) -> Array:
    """Return summaries as the whole numbers that they are made of."""
    return summaries.view(np.uint32 if counts_units(form) else np.int64)


def sum_chance(part: Part, open_rows: OpenRows, nodes: Array, totals: Array, scales: Array) -> Array:
    """Return what is known of chance in nodes with these totals, as bytes."""
    return part.share.chance_sums(open_rows.rows, open_rows.begins, nodes, totals, scales)


def add_chance(several: Sequence[Array]) -> Array:
    """Return the sums of several answers."""
    return reduce(_core.add_chance_sums, several)


def add_words(several: Sequence[Array]) -> Array:
    """Return the sums of several answers."""
    total = several[0].copy()
    for other in several[1:]:
        total += other
    return total


@dataclass(frozen=True, eq=False)
class Cells:
    """What lies in some intervals of keys: the cells that hold rows, sorted by interval and cell."""

    interval: Array
    cell: Array
    low: Array  # the least key in each cell
    high: Array
    summaries: Array  # cells × words

    @staticmethod
    def add(some: Sequence[Cells]) -> Cells:
        """Return the cells of several parts together."""
        interval, cell, low, high, summaries = (
            np.concatenate([getattr(cells, name) for cells in some])
            for name in ("interval", "cell", "low", "high", "summaries")
        )
        order = np.lexsort((cell, interval))
        interval, cell = interval[order], cell[order]
        is_first = np.ones(len(order), dtype=np.bool_)
        is_first[1:] = (interval[1:] != interval[:-1]) | (cell[1:] != cell[:-1])
        begins = np.flatnonzero(is_first)
        if not len(begins):
            return some[0]
        return Cells(
            interval[begins],
            cell[begins],
            np.minimum.reduceat(low[order], begins),
            np.maximum.reduceat(high[order], begins),
            np.add.reduceat(summaries[order], begins, axis=0, dtype=summaries.dtype),
        )


def refine_intervals(
    part: Part, open_rows: OpenRows, intervals: dict[str, Array], scales: Array, n_words: int
) -> Cells:
    """Return what lies in intervals of keys, each of one column in one node."""
    found = part.share.refine(open_rows.rows, open_rows.begins, **intervals, scales=scales)
    summaries = words(found.pop("summaries"), part.coding.form).reshape(-1, n_words)
    return Cells(**found, summaries=summaries)


def find_beside(part: Part, open_rows: OpenRows, cuts: dict[str, Array]) -> tuple[Array, Array]:
    """Return the keys beside cuts between codes: the largest below each, the smallest above it."""
    below, above = part.share.keys_beside(open_rows.rows, open_rows.begins, **cuts)
    return below, above


def nearest(several: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Return the keys that are nearest to the cuts in several parts."""
    below, above = zip(*several, strict=True)
    return np.maximum.reduce(below), np.minimum.reduce(above)


def take_rows(part: Part, open_rows: OpenRows, turn: None, node: int) -> tuple[Dataset, Targets]:
    """Return the rows of a node with their targets; `turn` is what has to be done before."""
    rows = open_rows.of(node).astype(np.intp)
    columns = (
        ColumnData(own.column, _taken(own.values, rows), None if own.missing is None else own.missing[rows])
        for own in part.data.columns
    )
    return Dataset(tuple(columns), len(rows), part.data.named), part.targets.take(rows)


def _taken(values: Array, rows: Array) -> Array:
    """Return these rows. `take` is the quicker way, but copies all of an array with gaps first."""
    return values.take(rows) if values.flags.c_contiguous else values[rows]


def be_done(several: Sequence[Any]) -> None:
    """Return nothing, as soon as these answers are there."""


@dataclass(frozen=True, eq=False)
class Subtree:
    """What must be known of the whole tree where a part of it is grown."""

    settings: Settings
    columns: tuple[Column, ...]
    monotone: list[int]
    rule: LeafRule | None  # None: numbers
    form: _core.TargetForm
    n_rows: int
    n_seen: tuple[int, ...]  # of each column, the levels that occur, counted up to three
    missing: tuple[bool, ...]
    bare: bool = False  # whether the tree is only judged, never shown
    total_weight: float = 0.0  # only where a limit is a share of it
    in_bins: tuple[bool, ...] = ()  # whether values of a column are numbers of buckets

    @property
    def max_leaves(self) -> int | None:
        """How many leaves the tree may have; None: any number."""
        return self.settings.max_leaf_nodes

    def core_options(self, depth: int = 0, root_weight: float = 0.0) -> _core.GrowOptions:
        """Return the options for a tree that begins at this depth of a tree of such a weight."""
        options = core_options(self.settings, Targets(self.n_rows), self.columns, self.monotone, self.rule)
        if self.bare:
            only_to_judge(options)
        options.min_leaf_weight = self.settings.min_weight_fraction_leaf * self.total_weight
        options.max_depth -= depth
        options.root_weight = root_weight
        options.n_threads = 1
        return options


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


def observed(options: _core.GrowOptions) -> _core.GrowOptions:
    """Return the options with cuts at the values below them, which say how many buckets go left."""
    options.thresholds = _core.Thresholds.observed
    return options


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
