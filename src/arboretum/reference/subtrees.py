"""Pruned subtrees: what is left of a tree when inner nodes become leaves; and the best of all, by trying all.
Words: cost (of a node as a leaf: R(t)), risk (of a tree: the cost of its leaves, R(T)), collapse (to a leaf).
Does not walk down the weakest links (see `weakest_link`) and does not look at rows: costs are given.

A tree is written down by the costs of its nodes, here the errors of each node if it were a leaf:

>>> tree = Subtree(0, 4, (Subtree(1, 1, (Subtree(3, 0), Subtree(4, 0))), Subtree(2, 1)))
>>> print(draw(tree))
0: cost 4
|   1: cost 1
|   |   3: cost 0
|   |   4: cost 0
|   2: cost 1
>>> tree.risk, tree.n_leaves
(1, 3)

It has three pruned subtrees: itself, the one without the leaves 3 and 4, and its root alone.

>>> [(subtree.risk, subtree.n_leaves) for subtree in all_subtrees(tree)]
[(4, 1), (2, 2), (1, 3)]
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TypeAlias

from arboretum.reference.impurities import Number
from arboretum.reference.nodes import Branch, Leaf

__all__ = ["Cost", "Subtree", "all_subtrees", "depth", "draw", "n_leaves", "smallest_minimiser", "subtree_of"]
__all__ += ["text_table", "with_costs"]

Cost: TypeAlias = Callable[[Leaf | Branch], Number]


@dataclass(frozen=True)
class Subtree:
    """A node with all that is below it. Numbers run level by level from the root, which is 0.

    They stay with their nodes when others are collapsed. `resting` is the part of the cost that is due to
    rows which go no further than this node, leaf or not: an inner node costs that, and its children the rest.
    `node` is where the numbers came from, if anywhere.
    """

    number: int
    cost: Number
    children: tuple[Subtree, ...] = ()
    resting: Number = field(default=0, repr=False)
    node: Leaf | Branch | None = field(default=None, compare=False, repr=False)

    @property
    def is_leaf(self) -> bool:
        return not self.children

    def walk(self) -> Iterator[Subtree]:
        """Every node, each before its children, left before right."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def leaves(self) -> list[Subtree]:
        """The leaves from left to right."""
        return [node for node in self.walk() if node.is_leaf]

    @property
    def inner(self) -> list[Subtree]:
        """The nodes that are no leaves, by their numbers: nearest the root first, then from left to right."""
        return sorted((node for node in self.walk() if not node.is_leaf), key=lambda node: node.number)

    @property
    def n_leaves(self) -> int:
        return len(self.leaves)

    @property
    def depth(self) -> int:
        """The largest number of questions on the way to a leaf."""
        return 1 + max(child.depth for child in self.children) if self.children else 0

    @property
    def risk(self) -> Number:
        """What the leaves cost together, and the rows that come to none."""
        return sum(node.cost if node.is_leaf else node.resting for node in self.walk())

    def collapse(self, numbers: Collection[int]) -> Subtree:
        """The tree in which the nodes of these numbers are leaves.

        >>> Subtree(0, 4, (Subtree(1, 1, (Subtree(3, 0), Subtree(4, 0))), Subtree(2, 1))).collapse({1})
        Subtree(number=0, cost=4, children=(Subtree(number=1, cost=1, children=()),
                                            Subtree(number=2, cost=1, children=())))
        """
        if self.number in numbers:
            return replace(self, children=())
        return replace(self, children=tuple(child.collapse(numbers) for child in self.children))


def n_leaves(tree: Subtree) -> int:
    """The usual measure of how complex a tree is."""
    return tree.n_leaves


def depth(tree: Subtree) -> int:
    """The other measure that the notes name."""
    return tree.depth


def all_subtrees(tree: Subtree) -> Iterator[Subtree]:
    """Every tree that collapsing inner nodes can make of this one: few are left of a small tree only.

    The root alone, or the root with one of the subtrees of each child. A full tree with two, four, eight
    leaves has 2, 5, 26 of them:

    >>> def full(height, number=0):
    ...     below = (full(height - 1, 2 * number + i) for i in (1, 2)) if height else ()
    ...     return Subtree(number, 0, tuple(below))
    >>> [len(list(all_subtrees(full(height)))) for height in (0, 1, 2, 3)]
    [1, 2, 5, 26]
    """
    yield replace(tree, children=())
    if not tree.is_leaf:
        for children in product(*(list(all_subtrees(child)) for child in tree.children)):
            yield replace(tree, children=children)


def smallest_minimiser(
    tree: Subtree, alpha: Number, complexity: Callable[[Subtree], int] = n_leaves
) -> Subtree:
    """T(alpha): of all subtrees that have the least R(T) + alpha · complexity(T), the smallest.

    Of a node that costs 4, whose three leaves cost 1, three leaves pay off while each of the two more that
    they are costs less than 1.5; at 1.5 all is equal, and the smaller tree is taken.

    >>> tree = Subtree(0, 4, (Subtree(1, 1), Subtree(2, 0), Subtree(3, 0)))
    >>> [smallest_minimiser(tree, alpha).n_leaves for alpha in (0, 1, 1.5, 2)]
    [3, 3, 1, 1]
    """

    def merit(subtree: Subtree) -> tuple[Number, int, int]:
        size = complexity(subtree)
        return subtree.risk + alpha * size, size, subtree.n_leaves

    return min(all_subtrees(tree), key=merit)


def subtree_of(tree: Leaf | Branch, cost: Cost | None = None) -> Subtree:
    """A tree of `grow`, with the cost of each node, or else no costs at all.

    >>> from arboretum.reference.plain_tree import grow
    >>> tree = grow([[1, 2, 3, 4]], ["numeric"], list("abab"))
    >>> print(draw(subtree_of(tree, lambda node: node.n_rows)))
    0: cost 4
    |   1: cost 1
    |   2: cost 3
    |   |   3: cost 1
    |   |   4: cost 2
    |   |   |   5: cost 1
    |   |   |   6: cost 1
    """
    numbers: dict[tuple[int, ...], int] = {}  # by the way from the root: equal nodes may be one object
    level: list[tuple[tuple[int, ...], Leaf | Branch]] = [((), tree)]
    while level:
        for path, _ in level:
            numbers[path] = len(numbers)
        level = [
            ((*path, place), child)
            for path, node in level
            if isinstance(node, Branch)
            for place, child in enumerate(node.children)
        ]

    def numbered(node: Leaf | Branch, path: tuple[int, ...]) -> Subtree:
        below = node.children if isinstance(node, Branch) else ()
        children = tuple(numbered(child, (*path, place)) for place, child in enumerate(below))
        return Subtree(numbers[path], cost(node) if cost else 0, children, node=node)

    return numbered(tree, ())


def with_costs(tree: Subtree, costs: Mapping[int, Number], resting: Mapping[int, Number]) -> Subtree:
    """The same tree with other costs, by the numbers of the nodes; those that are not named cost nothing."""
    children = tuple(with_costs(child, costs, resting) for child in tree.children)
    number = tree.number
    return replace(tree, cost=costs.get(number, 0), resting=resting.get(number, 0), children=children)


def draw(tree: Subtree, indent: str = "") -> str:
    """The tree as text: the number and the cost of each node."""
    here = f"{indent}{tree.number}: cost {tree.cost}"
    return "\n".join([here, *(draw(child, indent + "|   ") for child in tree.children)])


def text_table(names: Sequence[str], rows: Sequence[Sequence[Number | str]]) -> str:
    """Numbers in columns, flush right; the last column is text."""
    cells = [[f"{x:.6g}" if isinstance(x, float) else str(x) for x in row] for row in rows]
    lines = [list(names), *cells]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = [[text.rjust(width) for text, width in zip(line, widths, strict=True)][:-1] for line in lines]
    return "\n".join("  ".join([*pad, line[-1]]).rstrip() for pad, line in zip(padded, lines, strict=True))
