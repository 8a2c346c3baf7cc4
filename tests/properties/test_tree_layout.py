"""The layout of drawn trees: nothing overlaps, children stand in order, parents over their middle.

A level is all nodes of one depth, from left to right.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arboretum._show.picture.layout import lay_out

TOLERANCE = 1e-7


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[list[int]], list[float], float]:
    """Children of each node of a random tree, the breadth of each node, and the gap."""
    children: list[list[int]] = [[]]
    open_nodes = [0]
    for _ in range(draw(st.integers(0, 12))):
        node = open_nodes.pop(draw(st.integers(0, len(open_nodes) - 1)))
        n = draw(st.sampled_from([2, 2, 2, 3, 1, 6]))
        children[node] = list(range(len(children), len(children) + n))
        children += [[] for _ in range(n)]
        open_nodes += children[node]
    size = st.one_of(st.floats(0.0, 100.0), st.sampled_from([1.0, 10.0]))
    breadth = [draw(size) for _ in children]
    return children, breadth, draw(st.sampled_from([0.0, 1.0, 7.5]))


def in_order(children: list[list[int]]) -> list[list[int]]:
    """The nodes of each level from left to right."""
    rows = [[0]]
    while any(children[node] for node in rows[-1]):
        rows.append([child for node in rows[-1] for child in children[node]])
    return rows


def levels(children: list[list[int]]) -> list[int]:
    """The level of each node: the number of steps from the root."""
    level = [0] * len(children)
    for depth, row in enumerate(in_order(children)):
        for node in row:
            level[node] = depth
    return level


def subtree(children: list[list[int]], node: int) -> list[int]:
    """A node and all below it, parents first."""
    found = [node]
    for above in found:
        found.extend(children[above])
    return found


@given(trees())
def test_no_two_nodes_overlap_and_all_stand_in_order(tree: Any) -> None:
    children, breadth, gap = tree
    across = lay_out(children, breadth, gap)
    for row in in_order(children):
        for left, right in pairwise(row):
            apart = across[right] - across[left]
            assert apart >= (breadth[left] + breadth[right]) / 2 + gap - TOLERANCE


@given(trees())
def test_parents_stand_over_the_middle_of_their_children(tree: Any) -> None:
    children, breadth, gap = tree
    across = lay_out(children, breadth, gap)
    for node, below in enumerate(children):
        if below:
            middle = (across[below[0]] + across[below[-1]]) / 2
            assert across[node] == pytest.approx(middle, abs=TOLERANCE)


@given(trees())
def test_the_leftmost_edge_is_zero(tree: Any) -> None:
    children, breadth, gap = tree
    across = lay_out(children, breadth, gap)
    assert min(x - b / 2 for x, b in zip(across, breadth, strict=True)) == pytest.approx(0.0, abs=TOLERANCE)


@given(trees())
def test_two_subtrees_stand_as_near_as_they_can(tree: Any) -> None:
    """Of two siblings, somewhere one's subtree touches the other's: no room is given away."""
    children, breadth, gap = tree
    across = lay_out(children, breadth, gap)
    depth = levels(children)
    for below in children:
        if len(below) == 2:
            left, right = (subtree(children, node) for node in below)
            room = min(
                across[b] - across[a] - (breadth[a] + breadth[b]) / 2
                for a in left
                for b in right
                if depth[a] == depth[b]
            )
            assert room == pytest.approx(gap, abs=TOLERANCE)


@given(trees(), trees())
def test_a_subtree_looks_the_same_wherever_it_is(tree: Any, other: Any) -> None:
    """Under a root of its own, and beside another tree: the same distances."""
    (own, own_breadth, gap), (beside, beside_breadth, _) = tree, other
    alone = lay_out(own, own_breadth, gap)
    shift = 1 + len(beside)
    children = [[1, shift]] + [[child + 1 for child in below] for below in beside]
    children += [[child + shift for child in below] for below in own]
    across = lay_out(children, [1.0, *beside_breadth, *own_breadth], gap)
    moved = [across[shift + node] - across[shift] for node in range(len(own))]
    assert moved == pytest.approx([x - alone[0] for x in alone], abs=TOLERANCE)


def test_a_tree_turned_over_is_drawn_turned_over() -> None:
    """Of two children, left and right are treated alike."""
    children = [[1, 2], [3, 4], [5, 6], [], [7, 8], [], [], [], [9, 10], [], []]
    turned = [below[::-1] for below in children]
    breadth = [float(10 + 3 * node) for node in range(len(children))]
    across, back = lay_out(children, breadth, 4.0), lay_out(turned, breadth, 4.0)
    width = max(x + b / 2 for x, b in zip(across, breadth, strict=True))
    assert [width - x for x in back] == pytest.approx(across)


def test_a_deep_tree_needs_no_deep_stack() -> None:
    n = 30_001
    children = [[i + 1, i + 2] if i % 2 == 0 and i + 2 < n else [] for i in range(n)]
    across = lay_out(children, [1.0] * n, 1.0)
    assert across[1] < across[2]
    assert levels(children)[-1] == (n - 1) // 2
