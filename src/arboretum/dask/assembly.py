"""One tree from its top and the subtrees grown apart: the arrays of the core, numbered level by level."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Final

import numpy as np

from arboretum._types import Array, Mask
from arboretum.dask.nodes import GrownNode

_TYPES = {
    "first_child": np.int32,
    "n_children": np.int32,
    "depth": np.int32,
    "kind": np.uint8,
    "column": np.int32,
    "threshold": np.float64,
    "threshold_floor": np.int64,
    "missing_child": np.int32,
    "missing_seen": np.uint8,
    "n_rows": np.int64,
    "weight": np.float64,
    "impurity": np.float64,
    "gain": np.float64,
    "improvement": np.float64,
    "corrected_gain": np.float64,
    "counts": np.float64,
    "value": np.float64,
}


_OF_LEAVES: Final = {"first_child": -1, "column": -1, "missing_child": 1}  # all else about questions is 0
_OF_QUESTIONS: Final = (
    *("first_child", "n_children", "kind", "column", "threshold", "threshold_floor"),
    *("missing_child", "missing_seen", "gain", "improvement", "corrected_gain"),
)


def assemble(
    nodes: Sequence[GrownNode], *, of_classes: bool, corrected: bool, max_leaves: int | None = None
) -> dict[str, Array]:
    """Return the arrays of the whole tree; `corrected` says whether gains are corrected for levels.

    Of more leaves than `max_leaves`, those stay that best-first growth would have.
    """
    left_out = {"value" if of_classes else "counts"} | (set() if corrected else {"corrected_gain"})
    names = [name for name in _TYPES if name not in left_out]
    pieces = {name: [np.array(own, dtype=_TYPES[name])] for name, own in _top(nodes, names).items()}
    levels = [_levels(node) for node in nodes]
    lists = [np.array([pair for own in levels for pair in own], dtype=np.int32).reshape(-1, 2)]
    lengths = [np.array([len(own) for own in levels], dtype=np.int64)]
    first = len(nodes)
    for number, node in enumerate(nodes):
        if node.below is None:
            continue
        tree = dict(node.below)
        tree["first_child"] = np.where(
            tree["n_children"] > 0, tree["first_child"] + (first - 1), tree["first_child"]
        )
        tree["depth"] = tree["depth"] + node.depth
        for name in names:
            pieces[name].append(tree[name][1:])
            pieces[name][0][number] = tree[name][0]
        own_lengths = np.diff(tree["level_begin"])
        own_lists = np.stack([tree["level"], tree["level_child"]], axis=1)
        # The root of a subtree lies among the nodes of the top, where it has no levels yet.
        lists.append(own_lists)
        lengths.append(own_lengths)
        first += len(tree["depth"]) - 1
    arrays = {name: np.concatenate(own) for name, own in pieces.items()}
    begins, sizes = _places_of_levels(nodes, lengths)
    if max_leaves is not None:
        leaves = _not_asked(arrays, max_leaves)
        sizes[leaves] = 0
        for name in set(_OF_QUESTIONS) & set(names):
            arrays[name][leaves] = _OF_LEAVES.get(name, 0)
    order = _level_by_level(arrays)
    return _renumbered(arrays, order) | _levels_in_order(np.concatenate(lists), begins[order], sizes[order])


def _not_asked(arrays: dict[str, Array], max_leaves: int) -> Mask:
    """Return the nodes whose questions best-first growth to so many leaves does not ask."""
    first, n_children, priority = (arrays[name] for name in ("first_child", "n_children", "improvement"))
    left_out = n_children > 0
    # As in memory: of equal priority, the node that came first.
    waiting = [(-float(priority[0]), 0, 0)] if n_children[0] else []
    n_leaves = n_nodes = 1
    while waiting and n_leaves < max_leaves:
        *_, node = heappop(waiting)
        more = int(n_children[node])
        if n_leaves + more - 1 > max_leaves:
            continue
        left_out[node] = False
        n_leaves += more - 1
        for child in range(int(first[node]), int(first[node]) + more):
            if n_children[child]:
                heappush(waiting, (-float(priority[child]), n_nodes, child))
            n_nodes += 1
    return left_out


def _top(nodes: Sequence[GrownNode], names: Sequence[str]) -> dict[str, list[object]]:
    rows = [_row(node, nodes) for node in nodes]
    return {name: [row[name] for row in rows] for name in names}


def _row(node: GrownNode, nodes: Sequence[GrownNode]) -> dict[str, object]:
    row: dict[str, object] = {name: 0 for name in _TYPES}
    row |= _OF_LEAVES
    row |= {
        name: getattr(node, name) for name in ("depth", "n_rows", "weight", "impurity", "counts", "value")
    }
    if node.children is None:
        return row
    question, found = node.found["question"], node.found
    left, right = (nodes[child].weight for child in node.children)
    row |= {
        "first_child": node.children[0],
        "n_children": 2,
        "kind": question.kind,
        "column": question.column,
    }
    row |= {"threshold": node.threshold[0], "threshold_floor": node.threshold[1]}
    row |= {name: found[name] for name in ("gain", "improvement", "corrected_gain")}
    # Where no value was missing, missing values follow the heavier child.
    goes_left = question.missing_left if question.missing_seen else left >= right
    row |= {"missing_seen": int(question.missing_seen), "missing_child": 0 if goes_left else 1}
    return row


def _levels(node: GrownNode) -> list[tuple[int, int]]:
    return node.found["question"].levels if node.children is not None else []


def _places_of_levels(nodes: Sequence[GrownNode], lengths: list[Array]) -> tuple[Array, Array]:
    """Return where the levels of each node begin in the joint list, and how many they are."""
    begins, sizes, at = [], [], 0
    for own in lengths:
        begins.append(at + np.concatenate([[0], np.cumsum(own)])[:-1])
        sizes.append(own)
        at += int(own.sum())
    small = [number for number, node in enumerate(nodes) if node.below is not None]
    for number, begin, size in zip(small, begins[1:], sizes[1:], strict=True):
        begins[0][number], sizes[0][number] = begin[0], size[0]
    rest = slice(1, None)
    return (
        np.concatenate([begins[0], *(begin[rest] for begin in begins[1:])]),
        np.concatenate([sizes[0], *(size[rest] for size in sizes[1:])]),
    )


def _level_by_level(arrays: dict[str, Array]) -> Array:
    """Return the nodes level by level, from left to right."""
    level = np.zeros(1, dtype=np.int64)
    order = []
    while len(level):
        order.append(level)
        inner = level[arrays["n_children"][level] > 0]
        first, n_children = arrays["first_child"][inner].astype(np.int64), arrays["n_children"][inner]
        offset = np.arange(n_children.sum()) - np.repeat(np.cumsum(n_children) - n_children, n_children)
        level = np.repeat(first, n_children) + offset
    return np.concatenate(order)


def _renumbered(arrays: dict[str, Array], order: Array) -> dict[str, Array]:
    found = {name: own[order] for name, own in arrays.items()}
    n_children = found["n_children"]
    inner = np.flatnonzero(n_children > 0)
    begins = 1 + np.cumsum(n_children[inner]) - n_children[inner]
    found["first_child"] = np.full(len(order), -1, dtype=np.int32)
    found["first_child"][inner] = begins
    found["parent"] = np.full(len(order), -1, dtype=np.int32)
    found["parent"][1:] = np.repeat(inner, n_children[inner])
    return found


def _levels_in_order(lists: Array, begins: Array, sizes: Array) -> dict[str, Array]:
    ends = np.cumsum(sizes)
    places = np.arange(int(sizes.sum())) + np.repeat(begins - (ends - sizes), sizes)
    return {
        "level_begin": np.concatenate([[0], ends]).astype(np.int64),
        "level": np.ascontiguousarray(lists[places, 0]),
        "level_child": np.ascontiguousarray(lists[places, 1]),
    }
