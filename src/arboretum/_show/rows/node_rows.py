"""The rows of a data set in the nodes of a tree: which rows pass each node, and their loss there.

A row passes the nodes on its path and stops at the last: a leaf, or an inner node that cannot send it on. A
part is what one place has of a row that the tree divides; other rows are one part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from arboretum._data import ColumnData, Dataset
from arboretum._grow.given_rows import LEAST_SHARE, read_data
from arboretum._tree.questions import Levels
from arboretum._tree.surgery import levels_below_root, stump_of
from arboretum._tree.tree import Tree, core_dataset
from arboretum._types import Array, Codes, Integers, Mask, Numbers


@dataclass(frozen=True)
class Parts:
    """Where rows stop, and how much of each: one part per row, more for divided rows."""

    row: Integers
    node: Integers
    share: Numbers


@dataclass(frozen=True)
class Order:
    """Parts in the order of nodes from the root down, so that each node has one range of them."""

    row: Integers
    share: Numbers
    begin: Integers  # node -> its first part
    end: Integers


@dataclass(frozen=True, eq=False)
class NodeRows:
    """The rows of a data set in the nodes of a tree. Rows of weight 0 are listed, but in no node.

    A divided row counts in every node that has a part of it. Parts that growing would drop as too small stay
    where they would have been divided.
    """

    table: Dataset  # the rows, in the columns of the tree
    targets: Array  # class numbers, or numbers, one per row
    weights: Numbers  # one per row
    leaf: Codes  # where each row stops; for a divided row, its largest part
    n_rows: Integers  # of each node
    weight: Numbers  # of each node
    counts: Numbers | None  # (nodes, classes); None for numbers
    mean: Numbers | None  # weighted mean target of each node, NaN without rows; None for classes
    loss: Numbers  # share of weight with another class than the label, or mean squared error
    order: Order

    def rows_of(self, node: int) -> Integers:
        """Return the rows that pass a node or stop there, in order."""
        return self.parts_of(node)[0]

    def parts_of(self, node: int) -> tuple[Integers, Numbers]:
        """Return the rows that pass a node or stop there, in order, and the weight of each there."""
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

    Columns are matched as in predicting: `named` says whether the tree's column names are real, and `owner`
    is named in messages about missing columns.
    """
    given = read_data(tree, data, named=named, owner=owner)
    weights = np.ones(given.data.n_rows) if given.weights is None else given.weights
    leaf = tree._leaves_of(given.data)
    counting = np.flatnonzero(weights > 0)
    if tree.missing == "fractions":
        parts = stopping_parts(tree, given.data, counting)
    else:
        parts = Parts(counting, leaf[counting].astype(np.int64), np.ones(len(counting)))
    order = _in_order(tree, parts)
    n_rows = _numbers_of_rows(tree, parts, order)
    figures = _figures(tree, given.targets, weights, parts)
    return NodeRows(given.data, given.targets, weights, leaf, n_rows, *figures, order)


# --- the question of one node


def children_of(tree: Tree, node: int, table: Dataset, rows: Integers) -> Integers:
    """Return the child to which an inner node sends each row of a table; -1 if the row stops there.

    A divided row counts for the child that gets most of it.
    """
    stump = stump_of(tree, node)
    asked = {*stump.array("column")[:1].tolist()}
    for extra in (stump.terms, stump.remembered):
        asked |= {*extra["column"].tolist()} if extra else set()
    found = stump._router.leaves_of(core_dataset(_only(table, rows, asked)))
    return np.asarray(found, dtype=np.int64) - 1


def _only(table: Dataset, rows: Integers, asked: set[int]) -> Dataset:
    """Return these rows with the values of these columns; the others, which do not matter, hold zeros."""
    columns = tuple(
        data.take(rows)
        if place in asked
        else ColumnData(data.column, np.broadcast_to(np.zeros(1, data.values.dtype), len(rows)))
        for place, data in enumerate(table.columns)
    )
    return Dataset(columns, len(rows), table.named)


def has_answer(tree: Tree, node: int, table: Dataset, rows: Integers) -> Mask:
    """Return for which rows the node's own question has an answer.

    It has none for a missing value or an unseen level. Questions about several columns, or about whether a
    value is missing, always have one.
    """
    question = tree.node(node).question
    if question is None or question.always_answers:
        return np.ones(len(rows), dtype=np.bool_)
    column = table.columns[int(tree.array("column")[node])].take(rows)
    known = ~column.is_missing()
    if isinstance(question, Levels):
        known &= np.isin(column.values, question._seen)
    return known


# --- divided rows


def stopping_parts(tree: Tree, table: Dataset, rows: Integers) -> Parts:
    """Return where the parts of rows stop, by asking the nodes one after the other."""
    here: dict[int, tuple[Integers, Numbers]] = {0: (rows, np.ones(len(rows)))}
    stopping: list[tuple[Integers, int, Numbers]] = []
    for node in range(len(tree)):  # parents come before their children
        row, share = here.pop(node, (rows[:0], np.ones(0)))
        if not len(row):
            continue
        if tree.array("n_children")[node] == 0:
            stopping.append((row, node, share))
            continue
        first = int(tree.array("first_child")[node])
        sent, left = _divide(tree, node, table, row, share)
        here |= {first + child: part for child, part in enumerate(sent)}
        if len(left[0]):
            stopping.append((left[0], node, left[1]))
    return Parts(
        np.concatenate([row for row, _, _ in stopping] or [rows[:0]]),
        np.repeat([node for _, node, _ in stopping], [len(row) for row, _, _ in stopping]).astype(np.int64),
        np.concatenate([share for _, _, share in stopping] or [np.ones(0)]),
    )


def _divide(
    tree: Tree, node: int, table: Dataset, row: Integers, share: Numbers
) -> tuple[list[tuple[Integers, Numbers]], tuple[Integers, Numbers]]:
    """Return what goes to each child, and what is too little to go on."""
    first, n_children = int(tree.array("first_child")[node]), int(tree.array("n_children")[node])
    child = children_of(tree, node, table, row)
    known = has_answer(tree, node, table, row)
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


# --- sums


def _in_order(tree: Tree, parts: Parts) -> Order:
    """Return the parts in the order of a walk down the tree, so that those below a node are adjacent."""
    place, size = _walked(tree)
    at = place[parts.node]
    order = np.argsort(at, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=len(tree)))])
    return Order(parts.row[order], parts.share[order], ends[place], ends[place + size])


def _walked(tree: Tree) -> tuple[Integers, Integers]:
    """Return the place of each node in a walk, parents first, and the size of its subtree."""
    parent = tree.array("parent").astype(np.int64)
    levels = levels_below_root(tree)
    size = np.ones(len(tree), dtype=np.int64)
    for nodes in reversed(levels):
        np.add.at(size, parent[nodes], size[nodes])
    place = np.zeros(len(tree), dtype=np.int64)
    for nodes in levels:  # siblings are adjacent: a node comes after its parent and earlier siblings
        before = np.concatenate([[0], np.cumsum(size[nodes])])[:-1]
        eldest = np.searchsorted(parent[nodes], parent[nodes])
        place[nodes] = place[parent[nodes]] + 1 + before - before[eldest]
    return place, size


def _numbers_of_rows(tree: Tree, parts: Parts, order: Order) -> Integers:
    if tree.missing != "fractions" or bool((parts.share == 1.0).all()):
        return order.end - order.begin
    # A divided row may have several parts below a node, but counts there once.
    counts = [len(np.unique(order.row[b:e])) for b, e in zip(order.begin, order.end, strict=True)]
    return np.array(counts, dtype=np.int64)


def _figures(
    tree: Tree, targets: Array, weights: Numbers, parts: Parts
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
    # Targets far from zero would lose the digits of their spread: they are counted from their mean.
    centre = float(np.average(target, weights=weigh)) if len(target) else 0.0
    weight, mean, spread = _moments(tree, parts.node, target - centre, weigh)
    with np.errstate(invalid="ignore"):
        loss = spread / weight + (mean - (tree.array("value") - centre)) ** 2
    return weight, None, mean + centre, loss


def _sums(place: Integers, numbers: Numbers, n_places: int) -> Numbers:
    return np.asarray(np.bincount(place, weights=numbers, minlength=n_places), dtype=np.float64)


def _summed(tree: Tree, stopping: Numbers) -> Numbers:
    """Return what passes each node, from what stops there."""
    passing = stopping.copy()
    for nodes in reversed(levels_below_root(tree)):
        np.add.at(passing, tree.array("parent")[nodes], passing[nodes])
    return passing


def _moments(tree: Tree, node: Integers, target: Numbers, weigh: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the weight, the mean target and the sum of squared distances from it, in each node.

    They are merged from the leaves up: Σ (y - m)² over all rows is the sum over the children of their own
    Σ (y - m_child)² plus weight · (m_child - m)².
    """
    n_nodes, parent = len(tree), tree.array("parent")
    own = _sums(node, weigh, n_nodes)
    with np.errstate(invalid="ignore"):
        own_mean = _sums(node, weigh * target, n_nodes) / own
    own_spread = _sums(node, weigh * (target - own_mean[node]) ** 2, n_nodes)
    weight, total = _summed(tree, own), _summed(tree, np.where(own > 0, own * own_mean, 0.0))
    with np.errstate(invalid="ignore"):
        mean = total / weight
    between = np.where(own > 0, own * (own_mean - mean) ** 2, 0.0)
    spread = own_spread + between
    for nodes in reversed(levels_below_root(tree)):
        above = parent[nodes]
        between = np.where(weight[nodes] > 0, weight[nodes] * (mean[nodes] - mean[above]) ** 2, 0.0)
        np.add.at(spread, above, spread[nodes] + between)
    return weight, mean, spread
