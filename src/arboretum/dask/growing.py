"""The driver: grows the top of a tree level by level, from what the parts report; small nodes are finished elsewhere.

In each level, every part counts coarse buckets of the open nodes. The core bounds what lies in them; where a bucket
may hold the best cut, finer counts of it are asked for, until every node knows its best question. Then the rows of
all parts are divided. A node whose rows fit into one place is handed over, with its rows, to be grown in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from arboretum import _core
from arboretum._types import Array
from arboretum.dask.part import (
    Cells,
    Subtree,
    add_words,
    all_rows,
    count_buckets,
    count_totals,
    divide_rows,
    find_beside,
    grow_subtree,
    nearest,
    refine_intervals,
    take_rows,
)
from arboretum.dask.runner import Handle, Runner

_THRESHOLD: Final = 1  # the kind of question


@dataclass
class GrownNode:
    """A node of the top of the tree; the first is the root."""

    depth: int
    n_rows: int
    weight: float
    impurity: float
    counts: Array
    children: tuple[int, int] | None = None
    found: dict[str, Any] = field(default_factory=dict)  # the question and what it gains
    threshold: tuple[float, int] = (0.0, 0)
    below: Handle = None  # the arrays of the subtree that was grown in its place


@dataclass(frozen=True)
class Level:
    """What a level took: nodes that were searched, rounds of finer counts, and the bytes that were merged."""

    depth: int
    n_nodes: int
    n_rounds: int
    bucket_bytes: int
    cell_bytes: int


@dataclass(frozen=True, eq=False)
class _Child:
    """A node that is about to be opened: its summary, and what says how to count it."""

    total: Array
    depth: int
    views: Array | None = None
    parent: _core.NodeSearch | None = None


@dataclass(eq=False)
class _Open:
    """A node that waits for its question, by its place among the open rows."""

    node: int
    place: int
    search: _core.NodeSearch
    views: Array


class TopGrowth:
    """The growth of one tree over several parts."""

    def __init__(
        self,
        runner: Runner,
        parts: Sequence[Handle],
        columns: _core.SharedColumns,
        subtree: Subtree,
        *,
        n_codes: int,
        small_rows: int,
    ) -> None:
        self._runner, self._parts, self._columns = runner, parts, columns
        self._subtree, self._options = subtree, subtree.core_options()
        self._n_codes, self._small_rows = n_codes, small_rows
        self.nodes: list[GrownNode] = []
        self.levels: list[Level] = []

    def grow(self) -> None:
        """Grow the tree; `nodes` holds its top."""
        self._rows = self._runner.each(all_rows, self._parts)
        total = self._runner.merged(add_words, self._runner.each(count_totals, self._parts, self._rows))
        self._n_words = len(total)
        open_nodes = self._open([_Child(total, 0, self._columns.root_views(self._n_codes))])
        while open_nodes:
            self._search(open_nodes)
            open_nodes = self._divide(open_nodes)
        for node, arrays in zip(
            small := [node for node in self.nodes if node.below is not None],
            self._runner.values([node.below for node in small]),
            strict=True,
        ):
            node.below = arrays

    def _open(self, children: Sequence[_Child]) -> list[_Open]:
        """Add nodes, in their places among the open rows; return those that are to be searched here."""
        self._n_places = len(children)
        to_search = []
        for place, child in enumerate(children):
            search = _core.NodeSearch(
                self._columns,
                self._subtree.criterion,
                self._subtree.n_classes,
                self._options,
                child.total.view(np.uint8),
                child.depth,
                self._subtree.root_weight,
            )
            node = GrownNode(child.depth, search.n_rows, search.weight, search.impurity, search.counts())
            self.nodes.append(node)
            if search.is_leaf:
                continue
            if search.n_rows <= self._small_rows:
                node.below = self._hand_over(place, child.depth)
            else:
                views = child.views if child.parent is None else child.parent.views_for(search.n_rows)
                to_search.append(_Open(len(self.nodes) - 1, place, search, views))
        return to_search

    def _hand_over(self, place: int, depth: int) -> Handle:
        """Have a node finished in memory, where its rows are brought together."""
        rows = self._runner.each(take_rows, self._parts, self._rows, common=(place,))
        return self._runner.together(grow_subtree, rows, self._subtree, depth)

    def _search(self, open_nodes: list[_Open]) -> None:
        """Let every node find its best question."""
        nodes = np.array([node.place for node in open_nodes], dtype=np.uint32)
        views = np.concatenate([node.views for node in open_nodes])
        counted = self._runner.each(count_buckets, self._parts, self._rows, common=(nodes, views))
        buckets = self._runner.merged(add_words, counted)
        begin = 0
        for node in open_nodes:
            n_buckets = node.views.reshape(-1, 3)[:, 2].astype(np.int64)
            end = begin + int((n_buckets[n_buckets > 0] + 1).sum()) * self._n_words
            node.search.sweep(node.views, buckets[begin:end].view(np.uint8))
            begin = end
        n_rounds = cell_bytes = 0
        while (asked := self._ask(open_nodes)) is not None:
            cells = self._refine(asked)
            n_rounds, cell_bytes = n_rounds + 1, cell_bytes + cells.summaries.nbytes + 28 * len(cells.cell)
        depth = self.nodes[open_nodes[0].node].depth
        self.levels.append(Level(depth, len(open_nodes), n_rounds, buckets.nbytes, cell_bytes))

    def _ask(self, open_nodes: list[_Open]) -> list[tuple[_Open, dict[str, Array]]] | None:
        """Return the intervals whose insides the nodes need to see; None if there are none."""
        asked = [(node, node.search.hopeful()) for node in open_nodes]
        asked = [(node, intervals) for node, intervals in asked if len(intervals["column"])]
        return asked or None

    def _refine(self, asked: list[tuple[_Open, dict[str, Array]]]) -> Cells:
        """Ask all parts for the insides of intervals, and tell the searches."""
        sizes = [len(intervals["column"]) for _, intervals in asked]
        request = {
            name: np.concatenate([intervals[name] for _, intervals in asked])
            for name in ("column", "low", "high", "n_cells")
        }
        request["node"] = np.repeat(np.array([node.place for node, _ in asked], dtype=np.uint32), sizes)
        found = self._runner.each(
            refine_intervals, self._parts, self._rows, common=(request, self._n_words)
        )
        cells: Cells = self._runner.merged(Cells.add, found)
        first = np.concatenate([[0], np.cumsum(sizes)])
        borders = np.searchsorted(cells.interval, first)
        for i, (node, _) in enumerate(asked):
            own = slice(borders[i], borders[i + 1])
            node.search.refine(
                (cells.interval[own] - first[i]).astype(np.uint32),
                cells.cell[own],
                cells.low[own],
                cells.high[own],
                np.ascontiguousarray(cells.summaries[own]).view(np.uint8).ravel(),
            )
        return cells

    def _divide(self, open_nodes: list[_Open]) -> list[_Open]:
        """Ask the best questions, and return the children that are to be searched."""
        best = [(node, found) for node in open_nodes if (found := node.search.best()) is not None]
        self._find_values(best)
        if not best:
            return []
        questions: list[_core.SharedQuestion | None] = [None] * self._n_places
        for node, found in best:
            questions[node.place] = found["question"]
        self._rows = self._runner.each(divide_rows, self._parts, self._rows, common=(questions,))
        children: list[_Child] = []
        for node, found in best:
            grown, first = self.nodes[node.node], len(self.nodes) + len(children)
            grown.found, grown.children = found, (first, first + 1)
            grown.threshold = self._columns.threshold(found["question"], self._options)
            for side in ("left", "right"):
                children.append(_Child(found[side], grown.depth + 1, parent=node.search))
        return self._open(children)

    def _find_values(self, best: list[tuple[_Open, dict[str, Any]]]) -> None:
        """Cuts between codes need the values beside them."""
        lacking = [
            (node, found["question"])
            for node, found in best
            if found["question"].kind == _THRESHOLD and not found["question"].has_values
        ]
        if not lacking:
            return
        cuts = {
            "node": np.array([node.place for node, _ in lacking], dtype=np.uint32),
            "column": np.array([question.column for _, question in lacking], dtype=np.uint32),
            "code": np.array([question.cut for _, question in lacking], dtype=np.uint32),
        }
        found = self._runner.each(find_beside, self._parts, self._rows, common=(cuts,))
        for (_, question), low, high in zip(lacking, *self._runner.merged(nearest, found), strict=True):
            question.low, question.high, question.has_values = int(low), int(high), True
