"""Which nodes of a large tree are shown: the heaviest, so that most rows are seen to the end of their way.

Words: a node is *opened* when its children are shown; children are shown together or not at all.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence, Set

from arboretum.tree import Tree

__all__ = ["opened_nodes"]


def opened_nodes(
    tree: Tree, max_nodes: int | None, may_open: Sequence[bool], wanted: Set[int] = frozenset()
) -> set[int]:
    """Return the inner nodes to open: the heaviest first, as long as no more than `max_nodes` are shown.

    `may_open` tells of each node whether it may be opened at all; those that are `wanted` are opened even if
    there is no room for their children.
    """
    weight = tree.array("weight").tolist()
    first, n_children = tree.array("first_child").tolist(), tree.array("n_children").tolist()
    room = (len(tree) if max_nodes is None else max_nodes) - 1
    opened: set[int] = set()
    todo = [(0 not in wanted, -weight[0], 0)]
    while todo:
        unwanted, _, node = heapq.heappop(todo)
        if not n_children[node] or not may_open[node] or (n_children[node] > room and unwanted):
            continue
        opened.add(node)
        room -= n_children[node]
        for child in range(first[node], first[node] + n_children[node]):
            heapq.heappush(todo, (child not in wanted, -weight[child], child))
    return opened
