"""The driver: grows the tops of trees level by level; nodes of few rows are finished elsewhere.

Several trees grow side by side, each from rows of its own, in the same passes over the parts. In each level,
every part counts coarse buckets of the open nodes. The core bounds what lies in them; where a bucket may hold
the best cut, finer counts of it are asked for, until every node knows its best question. Then the rows of all
parts are divided. A node whose rows fit into one place is handed over, with its rows, to be grown in memory.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from arboretum import _core
from arboretum._options.running import progress
from arboretum._types import Array
from arboretum.dask.nodes import GrowingTree, GrownNode
from arboretum.dask.part import (
    THRESHOLD,
    Cells,
    Extents,
    add_chance,
    add_totals,
    add_words,
    be_done,
    count_buckets,
    count_totals,
    counts_units,
    divide_rows,
    find_beside,
    find_extents,
    grow_subtree,
    nearest,
    observed,
    refine_intervals,
    sum_chance,
    take_rows,
)
from arboretum.dask.reported import End, Reported
from arboretum.dask.runner import Handle, Runner

_Extents = tuple[Array, Array, Array]  # the lowest, the highest and the finest of weights, numbers, products
_LEAST_AT_ONCE: Final = 8  # nodes whose rows are on their way, or being finished


@dataclass(frozen=True)
class Level:
    """What a level took: nodes that were searched, rounds of finer counts, bytes that were merged, seconds.

    `bucket_bytes` and `cell_bytes` are the sizes of the merged answers, for all rounds together: each worker
    sends about as much, however many rows it has.
    """

    depth: int
    n_nodes: int
    n_rounds: int
    bucket_bytes: int
    cell_bytes: int
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, eq=False)
class _Child:
    """A node that is about to be opened: its summary, and what says how to count it."""

    tree: GrowingTree
    total: Array | None
    depth: int
    scale: Array | None = None  # of the node above
    views: Array | None = None
    parent: _core.NodeSearch | None = None
    above: GrownNode | None = None


@dataclass(eq=False)
class _Open:
    """A node that waits for its question, by its place among the open rows."""

    tree: GrowingTree
    node: int  # its number in the tree
    place: int
    search: _core.NodeSearch
    views: Array
    total: Array
    scale: Array
    extents: _Extents | None  # where its targets lie
    parent: GrownNode | None
    beside: _Beside | None = None


@dataclass(frozen=True, eq=False)
class _Beside:
    """How the buckets of a node follow from those of the node above and of its smaller sibling."""

    parent: _core.NodeSearch
    sibling: int  # its place
    views: Array  # what is left to be counted


class TopGrowth:
    """The growth of trees over several parts, side by side."""

    def __init__(
        self,
        runner: Runner,
        parts: Sequence[Handle],
        columns: _core.SharedColumns,
        trees: Sequence[GrowingTree],
        *,
        n_codes: int,
        small_rows: int,
    ) -> None:
        self._runner, self._parts, self._columns = runner, parts, columns
        self._trees = trees
        self._n_codes, self._small_rows = n_codes, small_rows
        self._form = trees[0].subtree.form
        self._units = counts_units(self._form)
        self._plain = self._form.scale(np.zeros(3), np.zeros(3), np.zeros(3, dtype=np.int32), 1)
        self._corrects = columns.corrects(trees[0].options)
        self._reported = None if self._units else Reported(runner, parts, self._form)
        self._finished: list[Handle] = []  # for each node that is handed over, when it is done
        self.levels: list[Level] = []

    def grow(self, roots: Sequence[Handle]) -> None:
        """Grow the tops of the trees; `roots` are the rows of their roots in each part."""
        self._rows = roots
        views = self._columns.root_views(self._n_codes)
        open_nodes = self._open([_Child(tree, None, 0, views=views) for tree in self._trees])
        settings = self._trees[0].subtree.settings
        for _ in progress(self._levels(open_nodes), settings.max_depth, "levels", shown=settings.verbose):
            pass
        self._runner.level = None
        small = [node for tree in self._trees for node in tree.nodes if node.below is not None]
        subtrees = [node.below for node in small]
        arriving = self._runner.arriving(subtrees)
        for _ in progress(arriving, len(small), "small nodes", shown=settings.verbose):
            pass
        for node, arrays in zip(small, self._runner.values(subtrees), strict=True):
            node.below = arrays
        if self._reported is not None:
            self._reported.finish(self._trees)

    def _levels(self, open_nodes: list[_Open]) -> Iterator[None]:
        """Search and divide level by level; yield after each."""
        while open_nodes:
            begin = time.perf_counter()
            self._runner.level = open_nodes[0].tree.nodes[open_nodes[0].node].depth
            self._search(open_nodes)
            open_nodes = self._divide(open_nodes)
            self.levels[-1] = replace(self.levels[-1], seconds=time.perf_counter() - begin)
            yield

    def _open(self, children: Sequence[_Child]) -> list[_Open]:
        """Add nodes, in their places among the open rows; return those that are to be searched here."""
        targets = self._read_targets(children)
        self._scales = np.concatenate([scale for _, scale, _ in targets])
        to_search: list[_Open] = []
        ends, sizes = [], []
        for place, (child, (total, scale, extents)) in enumerate(zip(children, targets, strict=True)):
            tree = child.tree
            same_targets = extents is not None and bool(extents[0][1] == extents[1][1])
            search = _core.NodeSearch(
                self._columns,
                self._form,
                tree.options,
                total.view(np.uint8),
                scale,
                child.depth,
                tree.root_weight,
                same_targets,
            )
            if child.parent is None:
                tree.root_weight, self._n_words = search.weight, len(total)
            node = GrownNode(child.depth, search.n_rows, search.weight, search.impurity, search.counts())
            tree.nodes.append(node)
            sizes.append(search.n_rows)
            number = len(tree.nodes) - 1
            if not search.is_leaf and search.n_rows > self._small_rows:
                views: Any = child.views if child.parent is None else child.parent.views_for(search.n_rows)
                to_search.append(
                    _Open(tree, number, place, search, views, total, scale, extents, child.above)
                )
                continue
            ends.append(_end(tree, number, place, extents))
            if not search.is_leaf:
                node.below = self._hand_over(tree, place, child.depth, scale)
        if self._reported is not None:
            self._reported.add(self._rows, ends)
        self._n_places = len(children)
        self._look_beside(to_search, children, sizes)
        return to_search

    def _look_beside(
        self, open_nodes: Sequence[_Open], children: Sequence[_Child], sizes: Sequence[int]
    ) -> None:
        """Count only the smaller of two siblings that are on the scale of the node above."""
        families: dict[int, list[int]] = {}
        for place, child in enumerate(children):
            families.setdefault(id(child.parent), []).append(place)
        by_place = {node.place: node for node in open_nodes}
        scales = self._scales.reshape(len(children), -1)
        for places in families.values():
            parent = children[places[0]].parent
            if parent is None or len(places) != 2:
                continue
            smaller, larger = sorted(places, key=lambda place: sizes[place])
            above = children[larger].scale
            same_scale = above is not None and bool((scales[places] == above).all())
            if larger not in by_place or not same_scale:
                continue
            node = by_place[larger]
            node.beside = _Beside(parent, smaller, parent.views_beside_sibling(node.views))
            if smaller in by_place:
                by_place[smaller].views = node.views

    def _read_targets(self, children: Sequence[_Child]) -> list[tuple[Array, Array, _Extents | None]]:
        """Return of each node its summary, its scale and where its targets lie.

        As in memory, the scale is that of the node above, unless it has become too coarse.
        """
        if self._units and children[0].total is not None:
            return [(child.total, self._plain, None) for child in children if child.total is not None]
        if self._units:
            counted, _ = self._count_totals([self._plain] * len(children))
            return [(total, self._plain, None) for total in counted.reshape(len(children), -1)]
        extents: Extents = self._runner.merged(
            Extents.add, self._runner.each(find_extents, self._parts, self._rows)
        )
        scales, fresh = [], []
        for place, child in enumerate(children):
            own = extents.of(place)
            if child.scale is None or self._form.is_coarse(child.scale, *own):
                of_tree = child.tree.subtree.n_rows
                n_rows = of_tree if child.total is None else int(child.total.view(np.int64)[-1])
                scales.append(self._form.scale(*own, n_rows))
                fresh.append((place, n_rows))
            else:
                scales.append(child.scale)
        totals: list[Any] = [child.total for child in children]
        if fresh:
            counted, reach = self._count_totals(scales)
            size = len(counted) // len(children)
            for place, n_rows in fresh:
                totals[place] = counted[place * size : (place + 1) * size]
                scales[place] = self._form.reaching(scales[place], float(reach[place]), n_rows)
        return [
            (total, scale, extents.of(place))
            for place, (total, scale) in enumerate(zip(totals, scales, strict=True))
            if total is not None
        ]

    def _count_totals(self, scales: Sequence[Array]) -> tuple[Array, Array]:
        counted = self._runner.each(count_totals, self._parts, self._rows, common=(np.concatenate(scales),))
        totals, reach = self._runner.merged(add_totals, counted)
        return totals, reach

    def _hand_over(self, tree: GrowingTree, place: int, depth: int, scale: Array) -> Handle:
        """Have a node finished in memory, where its rows are brought together."""
        # Rows that are brought together take memory: only so many nodes at a time.
        at_once = max(len(self._parts), _LEAST_AT_ONCE)
        turn = self._finished[-at_once] if len(self._finished) >= at_once else None
        turns = [turn] * len(self._parts)
        rows = self._runner.each(take_rows, self._parts, self._rows, turns, common=(place,))
        grown = self._runner.together(grow_subtree, rows, tree.subtree, depth, tree.root_weight, scale)
        self._finished.append(self._runner.together(be_done, [grown]))
        return grown

    def _search(self, open_nodes: list[_Open]) -> None:
        """Let every node find its best question."""
        n_bytes = self._sweep(open_nodes)
        n_rounds = cell_bytes = 0
        while (asked := self._ask(open_nodes)) is not None:
            cells = self._refine(asked)
            n_rounds, cell_bytes = n_rounds + 1, cell_bytes + cells.summaries.nbytes + 28 * len(cells.cell)
        depth = open_nodes[0].tree.nodes[open_nodes[0].node].depth
        self.levels.append(Level(depth, len(open_nodes), n_rounds, n_bytes, cell_bytes))

    def _sweep(self, open_nodes: list[_Open]) -> int:
        """Let the searches see the buckets of their nodes; return how many bytes were merged."""
        views = {node.place: node.views for node in open_nodes if node.beside is None}
        views |= {node.beside.sibling: node.views for node in open_nodes if node.beside is not None}
        views_beside = {node.place: node.beside.views for node in open_nodes if node.beside is not None}
        counted = self._count_buckets([*views.items(), *views_beside.items()])
        if self._corrects:
            self._find_chance(open_nodes)
        whole, rest = counted[: len(views)], counted[len(views) :]
        by_place, beside = dict(zip(views, whole, strict=True)), dict(zip(views_beside, rest, strict=True))
        for node in open_nodes:
            if node.beside is None:
                buckets = by_place[node.place]
            else:
                sibling = by_place[node.beside.sibling]
                buckets = node.beside.parent.beside_sibling(node.views, sibling, beside[node.place])
                node.beside = None  # the node above has served
            node.search.sweep(node.views, buckets)
        return sum(len(own) for own in counted)

    def _count_buckets(self, wanted: Sequence[tuple[int, Array]]) -> list[Array]:
        """Return the buckets of nodes, given by their places and views, as bytes."""
        nodes = np.array([place for place, _ in wanted], dtype=np.uint32)
        views = np.concatenate([own for _, own in wanted])
        counted = self._runner.each(
            count_buckets, self._parts, self._rows, common=(nodes, views, self._scales)
        )
        buckets = self._runner.merged(add_words, counted)
        n_buckets = [own.reshape(-1, 3)[:, 2].astype(np.int64) for _, own in wanted]
        sizes = [int((own[own > 0] + 1).sum()) * self._n_words for own in n_buckets]
        return [own.view(np.uint8) for own in np.split(buckets, np.cumsum(sizes)[:-1])]

    def _find_chance(self, open_nodes: list[_Open]) -> None:
        """Tell the searches what questions about levels gain by chance."""
        nodes = np.array([node.place for node in open_nodes], dtype=np.uint32)
        totals = np.concatenate([node.total.view(np.uint8) for node in open_nodes])
        found = self._runner.each(sum_chance, self._parts, self._rows, common=(nodes, totals, self._scales))
        sums = self._runner.merged(add_chance, found).reshape(len(open_nodes), -1)
        for node, own in zip(open_nodes, sums, strict=True):
            node.search.set_chance(np.ascontiguousarray(own))

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
            refine_intervals, self._parts, self._rows, common=(request, self._scales, self._n_words)
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
        asking = [(node, found) for node in open_nodes if (found := self._best(node)) is not None]
        best = [(node, found) for node, found in asking if node.tree.may_ask(node.node)]
        asked = {node.place for node, _ in best}
        leaves = [
            _end(node.tree, node.node, node.place, node.extents)
            for node in open_nodes
            if node.place not in asked
        ]
        if self._reported is not None:
            self._reported.add(self._rows, leaves)
        self._find_values(best)
        if not best:
            return []
        questions: list[_core.SharedQuestion | None] = [None] * self._n_places
        for node, found in best:
            questions[node.place] = found["question"]
        self._rows = self._runner.each(divide_rows, self._parts, self._rows, common=(questions,))
        children: list[_Child] = []
        for node, found in best:
            tree = node.tree
            grown, first = tree.nodes[node.node], tree.n_nodes
            grown.found, grown.children = found, (first, first + 1)
            tree.n_nodes += 2
            grown.threshold = self._threshold(tree, found["question"])
            for side in ("left", "right"):
                children.append(
                    _Child(tree, found[side], grown.depth + 1, node.scale, parent=node.search, above=grown)
                )
        return self._open(children)

    def _threshold(self, tree: GrowingTree, question: _core.SharedQuestion) -> tuple[float, int]:
        """Return the threshold of a question, or the last bucket that goes left."""
        of_bins = any(tree.subtree.in_bins) and tree.subtree.in_bins[question.column]
        return self._columns.threshold(
            question, observed(tree.subtree.core_options()) if of_bins else tree.options
        )

    @staticmethod
    def _best(node: _Open) -> dict[str, Any] | None:
        """Return the best question of a node, and note how early best-first growth would ask it."""
        found: Any = node.search.best()
        if found is not None:
            node.tree.find_bottleneck(node.node, found["improvement"], node.parent)
        return None if found is None else dict(found)

    def _find_values(self, best: list[tuple[_Open, dict[str, Any]]]) -> None:
        """Cuts between codes need the values beside them."""
        lacking = [
            (node, found["question"])
            for node, found in best
            if found["question"].kind == THRESHOLD and not found["question"].has_values
        ]
        if not lacking:
            return
        cuts = {
            "node": np.array([node.place for node, _ in lacking], dtype=np.uint32),
            "column": np.array([question.column for _, question in lacking], dtype=np.uint32),
            "code": np.array([question.cut for _, question in lacking], dtype=np.uint32),
        }
        beside = self._runner.each(find_beside, self._parts, self._rows, common=(cuts,))
        for (_, question), low, high in zip(lacking, *self._runner.merged(nearest, beside), strict=True):
            question.low, question.high, question.has_values = int(low), int(high), True


def _end(tree: GrowingTree, node: int, place: int, extents: _Extents | None) -> End:
    if extents is None:
        return End(tree, node, place)
    (_, lowest, _), (_, highest, _), _ = extents
    return End(tree, node, place, float(lowest), float(highest))
