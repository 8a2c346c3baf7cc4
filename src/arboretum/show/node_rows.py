"""The rows of a data set in the nodes of a tree: who passes where, and what they cost there.

Words: a row *passes* the nodes on its way and *rests* where that ends: in a leaf, or at an inner node that
cannot send it on. A *part* is what is at one place of a row that the tree divides; other rows are one part.
What the rows are asked is looked at in distribution.py; nothing is drawn here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from arboretum.dataset import ColumnData, Dataset
from arboretum.editing_data import LEAST_SHARE, read_data
from arboretum.pruning.collapse import levels_below_root, stump_of
from arboretum.questions import LEVELS, THRESHOLD
from arboretum.tree import Tree, core_dataset

__all__ = ["NodeRows", "children_of", "resting_parts", "rows_in_nodes", "told_by_value"]

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Parts:
    """Where rows rest, and how much of each: one part a row, more where rows are divided."""

    row: Places
    node: Places
    share: Numbers


@dataclass(frozen=True)
class Order:
    """Parts put in the order of the nodes from the root down, so that each node has one range of them."""

    row: Places
    share: Numbers
    begin: Places  # node -> its first part
    end: Places


@dataclass(frozen=True, eq=False)
class NodeRows:
    """The rows of a data set in the nodes of a tree. Rows of weight 0 are listed, but in no node.

    Where the tree divides rows, a row counts in every node that has a part of it; parts so small that growth
    lets them go stay where they would have been divided.
    """

    table: Dataset  # the rows, in the columns of the tree
    targets: npt.NDArray[Any]  # class numbers, or numbers, one per row
    weights: Numbers  # one per row
    leaf: npt.NDArray[np.int32]  # where each row comes to rest; of a divided row the largest part
    n_rows: Places  # of each node
    weight: Numbers  # of each node
    counts: Numbers | None  # (nodes, classes); None for numbers
    mean: Numbers | None  # weighted mean target of each node, NaN where there is no row; None for classes
    loss: Numbers  # share of weight that the node's label mistakes, or mean squared error of its value
    order: Order

    def rows_of(self, node: int) -> Places:
        """Return the rows that pass a node or rest there, ascending."""
        return self.parts_of(node)[0]

    def parts_of(self, node: int) -> tuple[Places, Numbers]:
        """Return the rows that pass a node or rest there, ascending, and the weight of each that is here."""
        here = slice(int(self.order.begin[node]), int(self.order.end[node]))
        row, share = self.order.row[here], self.order.share[here]
        if not self._divided:
            row = np.sort(row)
            return row, self.weights[row]
        rows, place = np.unique(row, return_inverse=True)
        together = np.bincount(place.ravel(), weights=share, minlength=len(rows))
        return rows, self.weights[rows] * together

    @cached_property
    def _divided(self) -> bool:
        return len(self.order.row) > 0 and bool((self.order.share < 1.0).any())


def rows_in_nodes(tree: Tree, data: Any, *, named: bool | None = None, owner: str = "this tree") -> NodeRows:
    """Return the rows of `data`, (X, y) or (X, y, sample_weight), in the nodes of a tree.

    Columns are found as in predicting: `named` tells whether the tree's own names are real ones, and `owner`
    who complains where a column is lacking.
    """
    given = read_data(tree, data, named=named, owner=owner)
    weights = np.ones(given.data.n_rows) if given.weights is None else given.weights
    leaf = tree._leaves_of(given.data)
    counting = np.flatnonzero(weights > 0)
    if tree.missing == "fractions":
        parts = resting_parts(tree, given.data, counting)
    else:
        parts = Parts(counting, leaf[counting].astype(np.int64), np.ones(len(counting)))
    order = _in_order(tree, parts)
    n_rows = _numbers_of_rows(tree, parts, order)
    figures = _figures(tree, given.targets, weights, parts)
    return NodeRows(given.data, given.targets, weights, leaf, n_rows, *figures, order)


# Asking one node's question


def children_of(tree: Tree, node: int, table: Dataset, rows: Places) -> Places:
    """Return the child to which an inner node sends each row of a table; -1 where the row rests there.

    Of a row that is divided it is the child that gets most.
    """
    stump = stump_of(tree, node)
    asked = {*stump.array("column")[:1].tolist()}
    for extra in (stump.terms, stump.others):
        asked |= {*extra["column"].tolist()} if extra else set()
    found = stump._router.leaves_of(core_dataset(_only(table, rows, asked)))
    return np.asarray(found, dtype=np.int64) - 1


def _only(table: Dataset, rows: Places, asked: set[int]) -> Dataset:
    """Return these rows with the values of these columns; the others, which nobody asks about, hold zeros."""
    columns = tuple(
        data.take(rows)
        if place in asked
        else ColumnData(data.column, np.broadcast_to(np.zeros(1, data.values.dtype), len(rows)))
        for place, data in enumerate(table.columns)
    )
    return Dataset(columns, len(rows), table.named)


def told_by_value(tree: Tree, node: int, table: Dataset, rows: Places) -> Mask:
    """Return for which rows the node's own question has an answer.

    It has none where the value is missing, or is a level that had no rows in the node when the tree was
    grown. Questions whether a value is missing, and about several columns, always have one.
    """
    if tree.array("kind")[node] not in (THRESHOLD, LEVELS):
        return np.ones(len(rows), dtype=np.bool_)
    column = table.columns[int(tree.array("column")[node])].take(rows)
    known = ~column.is_missing()
    if tree.array("kind")[node] == LEVELS:
        begin, end = tree.array("level_begin")[node : node + 2].tolist()
        known &= np.isin(column.values, tree.array("level")[begin:end])
    return known


# Rows that are divided


def resting_parts(tree: Tree, table: Dataset, rows: Places) -> Parts:
    """Return where the parts of rows rest, by asking the nodes one after the other."""
    here: dict[int, tuple[Places, Numbers]] = {0: (rows, np.ones(len(rows)))}
    resting: list[tuple[Places, int, Numbers]] = []
    for node in range(len(tree)):  # parents come before their children
        row, share = here.pop(node, (rows[:0], np.ones(0)))
        if not len(row):
            continue
        if tree.array("n_children")[node] == 0:
            resting.append((row, node, share))
            continue
        first = int(tree.array("first_child")[node])
        sent, left = _divide(tree, node, table, row, share)
        here |= {first + child: part for child, part in enumerate(sent)}
        if len(left[0]):
            resting.append((left[0], node, left[1]))
    return Parts(
        np.concatenate([row for row, _, _ in resting] or [rows[:0]]),
        np.repeat([node for _, node, _ in resting], [len(row) for row, _, _ in resting]).astype(np.int64),
        np.concatenate([share for _, _, share in resting] or [np.ones(0)]),
    )


def _divide(
    tree: Tree, node: int, table: Dataset, row: Places, share: Numbers
) -> tuple[list[tuple[Places, Numbers]], tuple[Places, Numbers]]:
    """Return what goes to each child, and what is so little that it stays."""
    first, n_children = int(tree.array("first_child")[node]), int(tree.array("n_children")[node])
    child = children_of(tree, node, table, row)
    known = told_by_value(tree, node, table, row)
    weight = tree.array("weight")[first : first + n_children]
    shares = weight / weight.sum() if weight.sum() > 0 else weight
    sent, stays = [], np.where(known, 0.0, share)
    for place in range(n_children):
        goes = share * np.where(known, child == place, shares[place])
        goes[~known & (goes <= LEAST_SHARE)] = 0.0
        stays -= np.where(known, 0.0, goes)
        sent.append((row[goes > 0], goes[goes > 0]))
    let_go = ~known & (stays > LEAST_SHARE * 1e-6)  # else it is rounding
    return sent, (row[let_go], stays[let_go])


# Adding up


def _in_order(tree: Tree, parts: Parts) -> Order:
    """Return the parts in the order of a walk down the tree: what is below a node lies side by side."""
    place, size = _walked(tree)
    at = place[parts.node]
    order = np.argsort(at, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=len(tree)))])
    return Order(parts.row[order], parts.share[order], ends[place], ends[place + size])


def _walked(tree: Tree) -> tuple[Places, Places]:
    """Return each node's place in a walk, each before its children, and the number of nodes from it down."""
    parent = tree.array("parent").astype(np.int64)
    levels = levels_below_root(tree)
    size = np.ones(len(tree), dtype=np.int64)
    for nodes in reversed(levels):
        np.add.at(size, parent[nodes], size[nodes])
    place = np.zeros(len(tree), dtype=np.int64)
    for nodes in levels:  # siblings are side by side: a node comes after its parent and elder siblings
        before = np.concatenate([[0], np.cumsum(size[nodes])])[:-1]
        eldest = np.searchsorted(parent[nodes], parent[nodes])
        place[nodes] = place[parent[nodes]] + 1 + before - before[eldest]
    return place, size


def _numbers_of_rows(tree: Tree, parts: Parts, order: Order) -> Places:
    if tree.missing != "fractions" or bool((parts.share == 1.0).all()):
        return order.end - order.begin
    # A divided row has several parts below a node, but is one row there: at each node, its nearest common
    # ancestor included, rows are counted once.
    counts = [len(np.unique(order.row[b:e])) for b, e in zip(order.begin, order.end, strict=True)]
    return np.array(counts, dtype=np.int64)


def _figures(
    tree: Tree, targets: npt.NDArray[Any], weights: Numbers, parts: Parts
) -> tuple[Numbers, Numbers | None, Numbers | None, Numbers]:
    """Return the weight of each node, its class weights or mean target, and the loss."""
    weigh, target = weights[parts.row] * parts.share, targets[parts.row]
    n_nodes = len(tree)
    if tree.target.classes is not None:
        n_classes = len(tree.target.classes)
        place = parts.node * n_classes + target
        counts = _summed(tree, _sums(place, weigh, n_nodes * n_classes).reshape(n_nodes, n_classes))
        weight = counts.sum(axis=1)
        right = counts[np.arange(n_nodes), tree.array("label")]
        with np.errstate(invalid="ignore"):
            loss = np.clip((weight - right) / weight, 0.0, 1.0)  # NaN where there is no row
        return weight, counts, None, loss
    # Targets far from zero have no digits left for their spread: they are counted from the middle.
    centre = float(np.average(target, weights=weigh)) if len(target) else 0.0
    weight, mean, spread = _moments(tree, parts.node, target - centre, weigh)
    with np.errstate(invalid="ignore"):
        loss = spread / weight + (mean - (tree.array("value") - centre)) ** 2
    return weight, None, mean + centre, loss


def _sums(place: Places, numbers: Numbers, n_places: int) -> Numbers:
    return np.asarray(np.bincount(place, weights=numbers, minlength=n_places), dtype=np.float64)


def _summed(tree: Tree, resting: Numbers) -> Numbers:
    """Return what passes each node, from what rests there."""
    passing = resting.copy()
    for nodes in reversed(levels_below_root(tree)):
        np.add.at(passing, tree.array("parent")[nodes], passing[nodes])
    return passing


def _moments(tree: Tree, node: Places, target: Numbers, weigh: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the weight, the mean target and the sum of squared distances from it, in each node.

    They are joined from the leaves up: Σ (y - m)² of all is that of each child, and its weight times the
    square of the distance between its mean and m.
    """
    n_nodes, parent = len(tree), tree.array("parent")
    own = _sums(node, weigh, n_nodes)
    with np.errstate(invalid="ignore"):
        own_mean = _sums(node, weigh * target, n_nodes) / own
    own_spread = _sums(node, weigh * (target - own_mean[node]) ** 2, n_nodes)
    weight, total = _summed(tree, own), _summed(tree, np.where(own > 0, own * own_mean, 0.0))
    with np.errstate(invalid="ignore"):
        mean = total / weight
    apart = np.where(own > 0, own * (own_mean - mean) ** 2, 0.0)
    spread = own_spread + apart
    for nodes in reversed(levels_below_root(tree)):
        above = parent[nodes]
        apart = np.where(weight[nodes] > 0, weight[nodes] * (mean[nodes] - mean[above]) ** 2, 0.0)
        np.add.at(spread, above, spread[nodes] + apart)
    return weight, mean, spread
