"""The buckets of `max_bins`: those of the whole table in memory, found exactly over its parts.

A bucket takes the next value while that brings it nearer to its share of the rows, which depends on where
the bucket before it ended (cpp/core/codes.cpp). Here the parts count cells of keys. Walking over the cells
tells in which of them buckets may end; these alone are counted anew, finer, until each bucket ends between
two cells. Then values make room for the numbers of their buckets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from arboretum import _core
from arboretum._data import Column, ColumnData, Dataset
from arboretum._grow.targets import Targets
from arboretum._tree.tree import core_dataset
from arboretum._types import Array
from arboretum.dask.part import THRESHOLD, Cells
from arboretum.dask.runner import Handle, Runner

_CELLS: Final = 8192  # of a column, in each round
_FEWEST: Final = 16  # that a cell is divided into

Rows = tuple[Dataset, Targets]
Intervals = tuple[Array, Array]  # the lowest and the highest key of each


@dataclass(frozen=True, eq=False)
class Bins:
    """The buckets of one column: the lowest and the highest key of each."""

    lowest: Array
    highest: Array

    def __len__(self) -> int:
        return len(self.lowest)


def find_bins(runner: Runner, rows: Sequence[Handle], empty: Dataset, most: int) -> tuple[Bins | None, ...]:
    """Return the buckets of each column, `most` at most; None where every value has its own."""
    spans = runner.merged(Spans.add, runner.each(find_spans, rows, common=(most,)))
    asked = {number: span.interval() for number, span in spans.of.items() if len(span.lowest) > most}
    cells: dict[int, Cells] = {}
    bins: dict[int, Bins] = {}
    while asked:
        for number, found in _count(runner, rows, asked).items():
            cells[number] = _divided(cells.get(number), asked[number], found)
        opened = {}
        for number in asked:
            own = cells[number]
            open_cells, begins = walk(own.summaries[:, 0], own.low == own.high, most)
            if len(open_cells):
                opened[number] = own.low[open_cells], own.high[open_cells]
            else:
                ends = np.append(begins[1:], len(own.low))
                bins[number] = Bins(own.low[begins], own.high[ends - 1])
        asked = opened
    return tuple(bins.get(number) for number in range(len(empty.columns)))


def walk(n_rows: Array, single: Array, most: int) -> tuple[Array, Array]:
    """Return the cells in which buckets may end, and the cells that buckets begin with.

    `n_rows` are those of the cells, `single` says which of them hold a single value. As long as some cells
    are returned, where buckets begin behind the first of them is a guess.
    """
    ends = np.cumsum(n_rows)
    total, opened, begins = int(ends[-1]), set(), []
    cell = at = 0  # the bucket begins with this cell, after so many rows
    while at < total:
        begins.append(cell)
        bins_left = most - len(begins) + 1
        if bins_left == 1:
            break
        goal = at + -(-(total - at) // bins_left)
        last = int(np.searchsorted(ends, goal, side="right"))  # the first cell that ends beyond the goal
        if last == len(ends):
            break
        start = int(ends[last] - n_rows[last])
        if not single[last] and start < goal:
            opened.add(last)
            cell, at = last, goal
            continue
        taken = single[last] and (start + int(ends[last]) <= 2 * goal or last == cell)
        cell = last + 1 if taken else last
        at = int(ends[cell - 1])
    return np.array(sorted(opened), dtype=np.int64), np.array(begins, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Span:
    """Where the values of a column lie, and the lowest of them."""

    lowest: Array  # one more than there may be buckets, if there are so many
    highest: int

    def interval(self) -> Intervals:
        """Return the interval that holds all keys."""
        return self.lowest[:1], np.array([self.highest], dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class Spans:
    """The spans of numeric columns that have values, by the number of the column."""

    of: Mapping[int, Span]
    most: int

    @staticmethod
    def add(some: Sequence[Spans]) -> Spans:
        """Return the spans of several parts together."""
        most, joint = some[0].most, {}
        for number in {number for spans in some for number in spans.of}:
            own = [spans.of[number] for spans in some if number in spans.of]
            lowest = np.unique(np.concatenate([span.lowest for span in own]))[: most + 1]
            joint[number] = Span(lowest, max(span.highest for span in own))
        return Spans(joint, most)


def find_spans(rows: Rows, most: int) -> Spans:
    """Return where the values of a part lie."""
    table, spans = core_dataset(rows[0]), {}
    for number, data in enumerate(rows[0].columns):
        if data.column.levels is not None:
            continue
        keys = _core.keys_of(table, number, sort=True)
        if len(keys):
            spans[number] = Span(np.unique(keys)[: most + 1], int(keys[-1]))
    return Spans(spans, most)


def _count(runner: Runner, rows: Sequence[Handle], asked: Mapping[int, Intervals]) -> dict[int, Cells]:
    """Return the cells of the intervals of each column."""
    found: Cells = runner.merged(Cells.add, runner.each(count_cells, rows, common=(dict(asked),)))
    first = np.cumsum([0, *(len(low) for low, _ in asked.values())])
    borders = np.searchsorted(found.interval, first)
    names = ("interval", "cell", "low", "high", "summaries")
    return {
        number: Cells(*(getattr(found, name)[begin:end] for name in names))
        for number, begin, end in zip(asked, borders, borders[1:], strict=False)
    }


def count_cells(rows: Rows, asked: Mapping[int, Intervals]) -> Cells:
    """Return how many rows lie in the cells of intervals; intervals are numbered column by column."""
    table, number = core_dataset(rows[0]), 0
    pieces: list[list[Array]] = [[] for _ in range(5)]
    for column, (lows, highs) in asked.items():
        keys = _core.keys_of(table, column, sort=True)
        n_cells = max(_FEWEST, _CELLS // len(lows))
        for low, high in zip(lows, highs, strict=True):
            own = keys[np.searchsorted(keys, low) : np.searchsorted(keys, high, side="right")]
            cell = (own - low) // ((high - low) // np.uint64(n_cells) + np.uint64(1))
            begins = np.flatnonzero(np.append(True, cell[1:] != cell[:-1])[: len(cell)])
            ends = np.append(begins[1:], len(cell))[: len(begins)]
            numbers = np.full(len(begins), number, dtype=np.uint32)
            found = (numbers, cell[begins], own[begins], own[ends - 1], ends - begins)
            for piece, its in zip(pieces, found, strict=True):
                piece.append(its)
            number += 1
    interval, cell, least, most, n_rows = (np.concatenate(piece) for piece in pieces)
    return Cells(interval, cell, least, most, n_rows.reshape(-1, 1))


def _divided(cells: Cells | None, intervals: Intervals, parts: Cells) -> Cells:
    """Return the cells of a column, of which those that are the intervals have been divided."""
    if cells is None:
        return parts
    kept = ~np.isin(cells.low, intervals[0])
    joint = [np.concatenate([getattr(cells, name)[kept], getattr(parts, name)]) for name in ("low", "high")]
    n_rows = np.concatenate([cells.summaries[kept], parts.summaries])
    order = np.argsort(joint[0])
    nothing = np.zeros(len(order), dtype=np.uint64)
    return Cells(nothing, nothing, joint[0][order], joint[1][order], n_rows[order])


def put_in_bins(rows: Rows, bins: Sequence[Bins | None]) -> Rows:
    """Return the rows with the numbers of buckets in place of values."""
    data, targets = rows
    table = core_dataset(data)
    columns = tuple(
        own if found is None else _in_bins(own, found, _core.keys_of(table, number, sort=False))
        for number, (own, found) in enumerate(zip(data.columns, bins, strict=True))
    )
    return Dataset(columns, data.n_rows, data.named), targets


def _in_bins(data: ColumnData, bins: Bins, keys: Array) -> ColumnData:
    missing = data.is_missing()
    numbers = np.zeros(len(missing), dtype=np.int32)
    numbers[~missing] = np.searchsorted(bins.highest[:-1], keys)
    return ColumnData(Column(data.column.name, "integer"), numbers, missing)


def put_borders(
    arrays: dict[str, Array], empty: Dataset, bins: Sequence[Bins | None], options: _core.GrowOptions
) -> None:
    """Put thresholds in the place of the last buckets that go left; they are the same in every node."""
    table = core_dataset(empty)
    for number, own in enumerate(bins):
        if own is None:
            continue
        borders = [
            _core.threshold_between(table, number, int(low), int(high), options)
            for low, high in zip(own.highest[:-1], own.lowest[1:], strict=True)
        ]
        asked = np.flatnonzero((arrays["column"] == number) & (arrays["kind"] == THRESHOLD))
        for node, last in zip(asked, arrays["threshold"][asked].astype(np.int64), strict=True):
            arrays["threshold"][node], arrays["threshold_floor"][node] = borders[last]
