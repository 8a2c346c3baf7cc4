"""Stopping: from the root downwards every question is tested, and below one that fails nothing is left.

Words: those of the tests. Greedy growth does not depend on where it stops, so that the tree which is stopped
by tests is the grown tree, cut off from the top. The tests themselves have a file each.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arboretum.significance.asked import Rows, Tested, ask, whole
from arboretum.significance.strategies import Test

__all__ = ["p_values"]


def p_values(tested: Tested, test: Test) -> npt.NDArray[np.float64]:
    """Return the p-value of each node that is tested, NaN elsewhere: in leaves and below what failed."""
    tree = tested.tree
    n_children, first_child = tree.array("n_children"), tree.array("first_child")
    found = np.full(len(tree), np.nan)
    waiting: dict[int, Rows] = {}
    if n_children[0] > 0:
        waiting[0] = whole(tested)
    for node in range(len(tree)):  # children come after their parents
        if node not in waiting:
            continue
        asked = ask(tested, node, waiting.pop(node))
        found[node] = test._p_value(asked)
        if found[node] > test.level:
            continue
        for place in range(int(n_children[node])):
            child = int(first_child[node]) + place
            if n_children[child] > 0:
                waiting[child] = asked.part(place)
    return found
