"""Collapsing: a tree without the subtrees below some of its nodes.

Words: to *collapse* a node is to make it a leaf; to *assemble* is to build a tree from nodes of another one;
a *stump* is a node with its children.
Which nodes to collapse is the pruners' business.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from arboretum.edits import Edit
from arboretum.tree import Tree
from arboretum.tree_arrays import LEVEL_ARRAYS

__all__ = [
    "assemble",
    "collapse",
    "depths_of",
    "levels_below_root",
    "ranges",
    "stump_of",
    "taken_levels",
    "taken_others",
    "taken_terms",
]

Array = npt.NDArray[Any]
Nodes = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# What a node is when it asks nothing.
_ASKS_NOTHING: Final[Mapping[str, float]] = {
    "first_child": -1,
    "n_children": 0,
    "column": -1,
    "kind": 0,
    "threshold": 0.0,
    "threshold_floor": 0,
    "missing_child": 1,
    "missing_seen": 0,
    "gain": 0.0,
    "gain_ratio": 0.0,
    "improvement": 0.0,
}
_OTHER_LEVELS: Final = ("level_begin", "level", "level_child")


def collapse(tree: Tree, leaves: Mask, *, edits: tuple[Edit, ...] | None = None) -> Tree:
    """Return the tree in which these nodes, one truth value per node, are leaves; nodes keep their ids."""
    leaves = leaves | (tree.array("n_children") == 0)
    kept = np.ones(len(tree), dtype=np.bool_)
    for parents in levels_below_root(tree):  # a node goes with its parent, or where that becomes a leaf
        children = tree.array("parent")[parents]
        kept[parents] = kept[children] & ~leaves[children]
    nodes = np.flatnonzero(kept)
    if len(nodes) == len(tree) and edits is None:
        return tree
    # Whole subtrees are left out, so that the rest is still numbered breadth-first, siblings side by side.
    return assemble(tree, nodes, _renumbered(tree.array("parent"), nodes), leaves[nodes], edits=edits)


def stump_of(tree: Tree, node: int) -> Tree:
    """Return the tree that asks the question of one node and nothing else."""
    first, n_children = int(tree.array("first_child")[node]), int(tree.array("n_children")[node])
    nodes = np.concatenate([[node], first + np.arange(n_children)])
    parent = np.array([-1] + [0] * n_children, dtype=np.int32)
    return assemble(tree, nodes, parent, np.arange(n_children + 1) > 0)


def levels_below_root(tree: Tree) -> list[Nodes]:
    """Return the nodes of each depth below the root; nodes are numbered level by level."""
    depth = tree.array("depth")
    ends = np.searchsorted(depth, np.arange(1, int(depth[-1]) + 2))
    return [np.arange(begin, end) for begin, end in pairwise(ends.tolist())]


def _renumbered(parent: Array, nodes: Nodes) -> Array:
    place = np.full(len(parent) + 1, -1, dtype=np.int32)
    place[nodes] = np.arange(len(nodes))
    renumbered: Array = place[parent[nodes]]
    return renumbered


def assemble(
    tree: Tree,
    nodes: Nodes,
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
    arrays = {
        name: array[nodes] for name, array in _node_arrays(tree).items() if name not in ("parent", "depth")
    }
    for name, nothing in _ASKS_NOTHING.items():
        if name in arrays:
            arrays[name][leaves] = nothing
    n_children = np.where(leaves, 0, arrays["n_children"])
    first_child = np.full(len(nodes), -1, dtype=np.int32)
    first_child[parent[1:][::-1]] = np.arange(len(nodes) - 1, 0, -1)  # the first of siblings is written last
    arrays |= {"parent": parent, "n_children": n_children, "first_child": first_child}
    arrays["depth"] = depths_of(parent)
    arrays |= taken_levels(tree._arrays, nodes, ~leaves)
    arrays |= dict(changed or {})
    others = taken_others(tree.others, nodes, ~leaves)
    return Tree(
        tree.columns,
        tree.target,
        tree.criterion,
        arrays,
        missing="child" if tree.missing == "surrogates" and not others else tree.missing,
        others=others,
        terms=taken_terms(tree.terms, nodes, ~leaves),
        rule=tree.rule,
        edits=tree.edits if edits is None else edits,
    )


def _node_arrays(tree: Tree) -> dict[str, Array]:
    return {name: array for name, array in tree._arrays.items() if name not in LEVEL_ARRAYS}


def depths_of(parent: Array) -> Array:
    """Return the depth of each node, from the parents of nodes that are numbered breadth-first."""
    depth = np.zeros(len(parent), dtype=np.int32)
    end, deepest = 1, 0
    while end < len(parent):  # level by level: parents are in order
        begin, end, deepest = end, int(np.searchsorted(parent, end)), deepest + 1
        depth[begin:end] = deepest
    return depth


def taken_levels(arrays: Mapping[str, Array], nodes: Nodes, asking: Mask) -> dict[str, Array]:
    """Return the lists of levels of these nodes, empty where nothing is asked."""
    begin, end = arrays["level_begin"][nodes], arrays["level_begin"][nodes + 1]
    sizes = np.where(asking, end - begin, 0)
    places = ranges(begin, sizes)
    return {
        "level_begin": np.concatenate([[0], np.cumsum(sizes)]),
        "level": arrays["level"][places],
        "level_child": arrays["level_child"][places],
    }


def taken_others(others: Mapping[str, Array], nodes: Nodes, asking: Mask) -> dict[str, Array]:
    """Return the competitors and surrogates of these nodes; none where nothing is asked."""
    if not others:
        return {}
    sizes = np.where(asking, others["begin"][nodes + 1] - others["begin"][nodes], 0)
    places = ranges(others["begin"][nodes], sizes)
    if not len(places):
        return {}
    taken = {name: array[places] for name, array in others.items() if name not in (*_OTHER_LEVELS, "begin")}
    taken |= taken_levels(others, places, np.ones(len(places), dtype=np.bool_))
    return taken | {"begin": np.concatenate([[0], np.cumsum(sizes)])}


def taken_terms(terms: Mapping[str, Array], nodes: Nodes, asking: Mask) -> dict[str, Array]:
    """Return the terms of the questions of these nodes; none where nothing is asked."""
    if not terms:
        return {}
    sizes = np.where(asking, terms["begin"][nodes + 1] - terms["begin"][nodes], 0)
    places = ranges(terms["begin"][nodes], sizes)
    if not len(places):
        return {}
    taken = {name: array[places] for name, array in terms.items() if name != "begin"}
    return taken | {"begin": np.concatenate([[0], np.cumsum(sizes)])}


def ranges(begins: Array, sizes: Array) -> Nodes:
    """Return the numbers from each begin on, as many as its size, one range after the other."""
    total = int(sizes.sum())
    starts = np.repeat(begins - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    places: Nodes = starts + np.arange(total)
    return places
