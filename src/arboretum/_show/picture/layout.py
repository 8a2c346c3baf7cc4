"""Where the nodes of a drawn tree stand: a tidy layout for any number of children, in linear time.

The method is that of Buchheim, Jünger and Leipert (2002), which does for many children what Reingold and
Tilford do for two, written without recursion, because trees may be deep. Nodes stand on levels, one per
depth; *across* is the direction of a level, and the *breadth* of a node its room there. A *contour* is the
outermost node of a subtree on each level; where a subtree ends above its neighbour, a *thread* continues its
contour.
"""

from __future__ import annotations

from collections.abc import Sequence


def lay_out(children: Sequence[Sequence[int]], breadth: Sequence[float], gap: float) -> list[float]:
    """Return the middle of each node across its level; the leftmost edge of the drawing is 0.

    `children[i]` are the places of the children of node i, from left to right; the root is at place 0.
    Parents stand over the middle of their first and last child, neighbours are at least `gap` apart, and a
    subtree looks the same wherever it is.

    >>> lay_out([[1, 2], [], [3, 4], [], []], [10, 10, 10, 10, 10], gap=2)
    [11.0, 5.0, 17.0, 11.0, 23.0]
    """
    return _Layout(children, breadth, gap).places()


class _Layout:
    """The numbers of nodes while they are placed."""

    def __init__(self, children: Sequence[Sequence[int]], breadth: Sequence[float], gap: float) -> None:
        n = len(children)
        self.children, self.breadth, self.gap = children, breadth, gap
        self.parent = [-1] * n
        self.rank = [0] * n  # among its siblings
        for node, below in enumerate(children):
            for rank, child in enumerate(below):
                self.parent[child], self.rank[child] = node, rank
        self.place = [0.0] * n  # relative to the parent's subtree
        self.offset = [0.0] * n  # what is added to the places of all nodes below
        # How far a subtree moves against its left sibling's, and how that changes from sibling to sibling;
        # both wait until all siblings are placed.
        self.shift = [0.0] * n
        self.change = [0.0] * n
        self.thread = [-1] * n
        self.ancestor = list(range(n))
        self.default = [below[0] if below else -1 for below in children]

    def places(self) -> list[float]:
        """Place every subtree beside its left sibling's from the leaves up; add up from the root down."""
        order = self._parents_first()
        for node in reversed(order):
            self._settle(node)
        across = [0.0] * len(order)
        added = [0.0] * len(order)
        for node in order:
            across[node] = self.place[node] + added[node]
            below = added[node] + self.offset[node]
            for child in self.children[node]:
                added[child] = below
        edge = min(middle - room / 2 for middle, room in zip(across, self.breadth, strict=True))
        return [middle - edge for middle in across]

    def _parents_first(self) -> list[int]:
        """Return the nodes so that, backwards, a node comes after all below it and its left siblings."""
        order: list[int] = []
        todo = [0]
        while todo:
            node = todo.pop()
            order.append(node)
            todo.extend(self.children[node])
        return order

    def _settle(self, node: int) -> None:
        below = self.children[node]
        middle = 0.0
        if below:
            self._spread(below)
            middle = (self.place[below[0]] + self.place[below[-1]]) / 2
        if self.rank[node] == 0:
            self.place[node] = middle
            return
        left = self.children[self.parent[node]][self.rank[node] - 1]
        self.place[node] = self.place[left] + self._distance(left, node)
        self.offset[node] = self.place[node] - middle
        self._push_apart(node, left)

    def _spread(self, siblings: Sequence[int]) -> None:
        """Apply the waiting shifts."""
        shift = change = 0.0
        for node in reversed(siblings):
            self.place[node] += shift
            self.offset[node] += shift
            change += self.change[node]
            shift += self.shift[node] + change

    def _push_apart(self, node: int, left: int) -> None:
        """Move a subtree to the right until it is clear of the subtrees of its left siblings.

        This follows four contours down: the inner ones face each other, the outer ones get the threads.
        """
        first = self.children[self.parent[node]][0]
        inner_left, outer_left = left, first
        inner_right = outer_right = node
        at_inner_left, at_outer_left = self.offset[left], self.offset[first]
        at_inner_right = at_outer_right = self.offset[node]
        while (next_left := self._right_end(inner_left)) >= 0 and (
            next_right := self._left_end(inner_right)
        ) >= 0:
            inner_left, inner_right = next_left, next_right
            outer_left, outer_right = self._left_end(outer_left), self._right_end(outer_right)
            self.ancestor[outer_right] = node
            overlap = (
                self.place[inner_left]
                + at_inner_left
                - self.place[inner_right]
                - at_inner_right
                + self._distance(inner_left, inner_right)
            )
            if overlap > 0:
                self._move(self._sibling_above(inner_left, node), node, overlap)
                at_inner_right += overlap
                at_outer_right += overlap
            at_inner_left += self.offset[inner_left]
            at_inner_right += self.offset[inner_right]
            at_outer_left += self.offset[outer_left]
            at_outer_right += self.offset[outer_right]
        if self._right_end(inner_left) >= 0 and self._right_end(outer_right) < 0:
            self.thread[outer_right] = self._right_end(inner_left)
            self.offset[outer_right] += at_inner_left - at_outer_right
        if self._left_end(inner_right) >= 0 and self._left_end(outer_left) < 0:
            self.thread[outer_left] = self._left_end(inner_right)
            self.offset[outer_left] += at_inner_right - at_outer_left
            self.default[self.parent[node]] = node

    def _move(self, left: int, right: int, distance: float) -> None:
        """Move a subtree, and those between it and the one it met by their share of the distance."""
        share = distance / (self.rank[right] - self.rank[left])
        self.change[right] -= share
        self.shift[right] += distance
        self.change[left] += share
        self.place[right] += distance
        self.offset[right] += distance

    def _sibling_above(self, met: int, node: int) -> int:
        """Return the sibling of `node` in whose subtree a node of the inner contour lies."""
        known = self.ancestor[met]
        parent = self.parent[node]
        return known if self.parent[known] == parent else self.default[parent]

    def _left_end(self, node: int) -> int:
        below = self.children[node]
        return below[0] if below else self.thread[node]

    def _right_end(self, node: int) -> int:
        below = self.children[node]
        return below[-1] if below else self.thread[node]

    def _distance(self, left: int, right: int) -> float:
        return (self.breadth[left] + self.breadth[right]) / 2 + self.gap
