"""Surgery: a tree without some of its subtrees, or with a subtree in place of a leaf.

Every operation says which node each new node takes its rows from and which one it takes its question from.
Which nodes to collapse is up to the pruners, and what to graft up to editing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from arboretum._tree.beside import Beside
from arboretum._tree.edits import Edit
from arboretum._tree.leaves import cheapest, number_leaves, shrunken
from arboretum._tree.tables import NOTHING, Part, Table, flat, names_of, ranges
from arboretum._tree.tree import Tree
from arboretum._types import Array, Integers, Mask, Numbers


def collapse(tree: Tree, leaves: Mask, *, edits: tuple[Edit, ...] | None = None) -> Tree:
    """Return the tree in which these nodes, one truth value per node, are leaves; nodes keep their ids."""
    leaves = leaves | (tree.array("n_children") == 0)
    kept = np.ones(len(tree), dtype=np.bool_)
    for level in levels_below_root(tree):  # a node goes with its parent, or where that becomes a leaf
        parents = tree.array("parent")[level]
        kept[level] = kept[parents] & ~leaves[parents]
    nodes = np.flatnonzero(kept)
    if len(nodes) == len(tree) and edits is None:
        return tree
    # Whole subtrees are left out, so that the rest is still numbered breadth-first, siblings side by side.
    place = np.full(len(tree) + 1, -1, dtype=np.int32)
    place[nodes] = np.arange(len(nodes))
    return assemble(tree, nodes, place[tree.array("parent")[nodes]], leaves[nodes], edits=edits)


def levels_below_root(tree: Tree) -> list[Integers]:
    """Return the nodes of each depth below the root; nodes are numbered level by level."""
    depth = tree.array("depth")
    ends = np.searchsorted(depth, np.arange(1, int(depth[-1]) + 2))
    return [np.arange(begin, end) for begin, end in pairwise(ends.tolist())]


def stump_of(tree: Tree, node: int) -> Tree:
    """Return the tree that asks only the question of one node."""
    n_children = int(tree.array("n_children")[node])
    nodes = np.array([node, *(int(tree.array("first_child")[node]) + np.arange(n_children))])
    questions = tree._questions.take(nodes[:1]).then(_nothing(n_children))
    beside = _beside(tree, nodes)
    return rebuilt(tree, _rows(tree, nodes), questions, np.array([-1] + [0] * n_children), beside=beside)


def assemble(
    tree: Tree,
    nodes: Integers,
    parent: Array,
    leaves: Mask,
    *,
    changed: Mapping[str, Array] | None = None,
    edits: tuple[Edit, ...] | None = None,
) -> Tree:
    """Return the tree made of these nodes, in this order, breadth-first and children side by side.

    `parent` gives their new parents, -1 for the root; where `leaves` is true, nothing is asked. `changed`
    replaces arrays as a whole.
    """
    questions = tree._questions.then(NOTHING).take(np.where(leaves, len(tree), nodes))
    rows = _rows(tree, nodes) | dict(changed or {})
    return rebuilt(tree, rows, questions, parent, edits=edits, beside=_beside(tree, nodes))


@dataclass(frozen=True)
class Subtree:
    """A subtree to be grafted: its shape and the rows of its nodes, root first, and their questions.

    Improvements count as if its rows were the whole table.
    """

    arrays: Mapping[str, Array]
    questions: Table
    missing: str


def graft(
    tree: Tree, leaf: int, subtree: Subtree, *, share: float, first_id: int, edits: tuple[Edit, ...]
) -> Tree:
    """Return the tree with a subtree in place of a leaf; new nodes get ids from `first_id` on.

    The leaf keeps its own rows and takes over what the root of the subtree asks. `share` is its share of the
    weight of the whole tree.
    """
    n_old, new = len(tree), _with_predictions(tree, leaf, subtree.arrays)
    improvement = subtree.questions.columns["improvement"] * share
    added = Table(
        subtree.questions.n_rows,
        {**subtree.questions.columns, "improvement": improvement},
        subtree.questions.lists,
    )
    questions = tree._questions.then(added)
    # Both sets of nodes, one after the other; the leaf stands for the root of the subtree.
    first_child = np.concatenate([tree.array("first_child"), new["first_child"] + n_old])
    n_children = questions.columns["n_children"].copy()
    first_child[leaf], n_children[leaf] = first_child[n_old], n_children[n_old]
    order = _breadth_first(first_child, n_children)
    asks = np.where((order == leaf) & (n_children[leaf] > 0), n_old, order)
    names = names_of(Part.ROWS, tree._arrays)
    rows = {
        name: np.concatenate([tree.array(name), new[name]])[order]
        for name in names
        if name not in ("id", "p_value")
    }
    new_ids = first_id - 1 + np.arange(subtree.questions.n_rows)  # the root, which comes first, needs none
    rows["id"] = np.concatenate([tree.array("id"), new_ids])[order]
    if "p_value" in tree._arrays or "p_value" in new:
        p_value = np.concatenate([_p_values(tree._arrays), _p_values(new)])
        p_value[leaf] = p_value[n_old]  # of the new question, or of the one that failed
        rows["p_value"] = p_value[order]
    parent = np.concatenate([[-1], np.repeat(np.arange(len(order)), n_children[order])])
    missing = subtree.missing if n_old == 1 or subtree.missing == "surrogates" else tree.missing
    return rebuilt(tree, rows, questions.take(asks), parent, missing=missing, edits=edits)


def _breadth_first(first_child: Array, n_children: Array) -> Integers:
    """Return the nodes from node 0 downwards, level by level, children side by side."""
    levels = [np.zeros(1, dtype=np.int64)]
    while len(levels[-1]):
        above = levels[-1][n_children[levels[-1]] > 0]
        levels.append(ranges(first_child[above], n_children[above]))
    return np.concatenate(levels)


def _p_values(arrays: Mapping[str, Array]) -> Array:
    """Return the p-values of nodes; NaN where no question was tested."""
    return arrays.get("p_value", np.full(len(arrays["parent"]), np.nan))


def _with_predictions(tree: Tree, leaf: int, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays of a subtree with what its nodes predict; the root predicts what the leaf does.

    A node without rows predicts what its parent does.
    """
    parent, empty = arrays["parent"], arrays["n_rows"] == 0
    n_rows = np.concatenate([tree.array("n_rows")[leaf : leaf + 1], arrays["n_rows"][1:]])
    if tree.rule is None:
        own = np.array(arrays.get("own_value", arrays["value"]), dtype=np.float64)
        own[0] = tree._arrays.get("own_value", tree.array("value"))[leaf]
    else:
        counts = np.concatenate([tree.array("counts")[leaf : leaf + 1], arrays["counts"][1:]])
        own = tree.rule.probability(np.asarray(counts, dtype=np.float64))
    own[empty] = own[parent[empty]]
    name = "value" if tree.rule is None else "probability"
    path = {"parent": parent, "n_rows": n_rows}
    (predicted,) = shrunken(own, path, [tree.shrinkage], tree.array(name)[leaf])
    predicted[empty] = predicted[parent[empty]]
    more = {"own_value": own} if tree.rule is None else {"label": cheapest(predicted, tree.rule.loss)}
    return {**arrays, name: predicted, **more}


def with_shrinkage(tree: Tree, strength: float) -> Tree:
    """Return the same tree with predictions that are drawn towards the nodes above as strongly as this."""
    if strength == tree.shrinkage:
        return tree
    arrays = {name: array for name, array in tree._arrays.items() if name != "own_value"}
    if tree.rule is None:
        own = {"value": tree._arrays.get("own_value", tree.array("value"))}
        predicted = number_leaves(arrays | own, strength)
    else:
        predicted = tree.rule.leaves(arrays, strength)
    return _altered(tree, arrays | predicted, shrinkage=strength)


def with_beside(
    tree: Tree, beside: Mapping[str, Beside], arrays: Mapping[str, Array] | None = None, **changes: Any
) -> Tree:
    """Return the same tree with more beside its nodes, and with these arrays in place of its own."""
    return _altered(tree, {**tree._arrays, **(arrays or {})}, beside={**tree.beside, **beside}, **changes)


def with_loss(tree: Tree, loss: Numbers | None) -> Tree:
    """Return the same tree of classes with labels of least expected loss by another matrix."""
    assert tree.rule is not None
    labels = {"label": cheapest(tree.array("probability"), loss)}
    return _altered(tree, dict(tree._arrays) | labels, rule=replace(tree.rule, loss=loss))


def _altered(tree: Tree, arrays: Mapping[str, Array], **changes: Any) -> Tree:
    """Return the same tree with other arrays of its nodes, and with these changes."""
    names = ("missing", "remembered", "terms", "rule", "shrinkage", "edits", "beside")
    kept = {name: getattr(tree, name) for name in names}
    return Tree(tree.columns, tree.target, tree.criterion, arrays, **kept | changes)


def _rows(tree: Tree, nodes: Integers) -> dict[str, Array]:
    return {name: tree.array(name)[nodes] for name in names_of(Part.ROWS, tree._arrays)}


def _beside(tree: Tree, nodes: Integers) -> dict[str, Beside]:
    return {name: kept.take(nodes) for name, kept in tree.beside.items()}


def _nothing(n_nodes: int) -> Table:
    return NOTHING.take(np.zeros(n_nodes, dtype=np.int64))


def rebuilt(
    tree: Tree,
    rows: Mapping[str, Array],
    questions: Table,
    parent: Array,
    *,
    missing: str | None = None,
    edits: tuple[Edit, ...] | None = None,
    beside: Mapping[str, Beside] | None = None,
) -> Tree:
    """Return the tree with these nodes, which come breadth-first and siblings side by side."""
    arrays, remembered, terms = flat(questions)
    n_children, rule = arrays["n_children"], tree.missing if missing is None else missing
    first_child = np.where(n_children > 0, 1 + np.cumsum(n_children) - n_children, -1)
    shape = {"parent": parent, "first_child": first_child, "depth": _depths(parent)}
    return Tree(
        tree.columns,
        tree.target,
        tree.criterion,
        {**rows, **arrays, **shape},
        missing="child" if rule == "surrogates" and not remembered else rule,
        remembered=remembered,
        terms=terms,
        rule=tree.rule,
        shrinkage=tree.shrinkage,
        edits=tree.edits if edits is None else edits,
        beside=beside,
    )


def _depths(parent: Array) -> Array:
    """Return the depth of each node; parents are in order."""
    depth = np.zeros(len(parent), dtype=np.int32)
    end, deepest = 1, 0
    while end < len(parent):
        begin, end, deepest = end, int(np.searchsorted(parent, end)), deepest + 1
        depth[begin:end] = deepest
    return depth
