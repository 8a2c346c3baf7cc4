"""Pruned subtrees: what is left of a tree when inner nodes become leaves, and what each node costs as a leaf.

A tree is written down by the costs of its nodes, here the errors that each node would make as a leaf:

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

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from itertools import product
from typing import Any, Self, TypeAlias

from arboretum._wording import visible
from arboretum.reference.impurities import Number
from arboretum.reference.nodes import Branch, Leaf
from arboretum.reference.plain_tree import rest
from arboretum.reference.questions import check_choice

Cost: TypeAlias = Callable[[Leaf | Branch], Number]


class Walked:
    """A node that knows its children, and can be walked through."""

    children: tuple[Any, ...]

    @property
    def is_leaf(self) -> bool:
        """Whether nothing is below it."""
        return not self.children

    def walk(self) -> Iterator[Self]:
        """Yield every node, each before its children, left before right."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def leaves(self) -> list[Self]:
        """The leaves from left to right."""
        return [node for node in self.walk() if node.is_leaf]


@dataclass(frozen=True)
class Subtree(Walked):
    """A node with everything below it. Numbers run level by level from the root, which is 0.

    Nodes keep their numbers when others are collapsed. `resting` is the part of the cost due to rows that go
    no further than this node; an inner node costs that, and its children the rest. `node` is the node of the
    grown tree, if there is one.
    """

    number: int
    cost: Number
    children: tuple[Subtree, ...] = ()
    resting: Number = field(default=0, repr=False)
    node: Leaf | Branch | None = field(default=None, compare=False, repr=False)

    @property
    def inner(self) -> list[Subtree]:
        """The inner nodes by number: nearest the root first, then from left to right."""
        return sorted((node for node in self.walk() if not node.is_leaf), key=lambda node: node.number)

    @property
    def n_leaves(self) -> int:
        """How many leaves are below it."""
        return len(self.leaves)

    @property
    def depth(self) -> int:
        """The largest number of questions on a path to a leaf."""
        return 1 + max(child.depth for child in self.children) if self.children else 0

    @property
    def risk(self) -> Number:
        """What the leaves cost together, and the rows that reach none."""
        return sum(node.cost if node.is_leaf else node.resting for node in self.walk())

    def collapse(self, numbers: Collection[int]) -> Subtree:
        """Return the tree in which the nodes of these numbers are leaves.

        >>> Subtree(0, 4, (Subtree(1, 1, (Subtree(3, 0), Subtree(4, 0))), Subtree(2, 1))).collapse({1})
        Subtree(number=0, cost=4, children=(Subtree(number=1, cost=1, children=()),
                                            Subtree(number=2, cost=1, children=())))
        """
        if self.number in numbers:
            return replace(self, children=())
        return replace(self, children=tuple(child.collapse(numbers) for child in self.children))


def n_leaves(tree: Subtree) -> int:
    """Return the usual measure of how complex a tree is."""
    return tree.n_leaves


def depth(tree: Subtree) -> int:
    """Return the other measure that the lecture notes name."""
    return tree.depth


def all_subtrees(tree: Subtree) -> Iterator[Subtree]:
    """Yield every tree that collapsing inner nodes can make of this one.

    It is the root alone, or the root with one of the subtrees of each child. A full tree with two, four,
    eight leaves has 2, 5, 26 of them:

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
    """Return T(alpha): of all subtrees with the least R(T) + alpha · complexity(T), the smallest.

    A node costs 4, its three leaves together 1: they pay off while each of the two additional leaves costs
    less than 1.5. At 1.5 both trees are equal, and the smaller one is taken.

    >>> tree = Subtree(0, 4, (Subtree(1, 1), Subtree(2, 0), Subtree(3, 0)))
    >>> [smallest_minimiser(tree, alpha).n_leaves for alpha in (0, 1, 1.5, 2)]
    [3, 3, 1, 1]
    """

    def merit(subtree: Subtree) -> tuple[Number, int, int]:
        size = complexity(subtree)
        return subtree.risk + alpha * size, size, subtree.n_leaves

    return min(all_subtrees(tree), key=merit)


def subtree_of(tree: Leaf | Branch, cost: Cost | None = None) -> Subtree:
    """Return a tree of `grow` as a Subtree, with the cost of each node if `cost` is given.

    >>> from arboretum.reference.plain_tree import grow
    >>> tree = grow([[1, 2, 3, 4, 5]], ["numeric"], list("aabab"))
    >>> print(draw(subtree_of(tree, training_cost)))
    0: cost 2
    |   1: cost 0
    |   2: cost 1
    |   |   3: cost 0
    |   |   4: cost 1
    |   |   |   5: cost 0
    |   |   |   6: cost 0
    """
    numbers: dict[tuple[int, ...], int] = {}  # by the path from the root: equal nodes may be one object
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
    """Return the tree with other costs, by node number; nodes that are not named cost nothing."""
    children = tuple(with_costs(child, costs, resting) for child in tree.children)
    number = tree.number
    return replace(tree, cost=costs.get(number, 0), resting=resting.get(number, 0), children=children)


def draw(tree: Subtree, indent: str = "") -> str:
    """Return the tree as text: the number and the cost of each node."""
    here = f"{indent}{tree.number}: cost {tree.cost}"
    return "\n".join([here, *(draw(child, indent + "|   ") for child in tree.children)])


def text_table(names: Sequence[str], rows: Sequence[Sequence[Number | str]]) -> str:
    """Return a table as text: numbers flush right, and a last column of text."""
    cells = [[f"{x:.6g}" if isinstance(x, float) else visible(str(x)) for x in row] for row in rows]
    lines = [list(names), *cells]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = [[text.rjust(width) for text, width in zip(line, widths, strict=True)][:-1] for line in lines]
    return "\n".join("  ".join([*pad, line[-1]]).rstrip() for pad, line in zip(padded, lines, strict=True))


Loss: TypeAlias = Callable[[Any, Any], Number]  # loss(target, predicted)


def zero_one(target: Any, predicted: Any) -> Number:
    """Return 1 for any mistake."""
    return 0 if target == predicted else 1


def training_cost(
    node: Leaf | Branch,
    measure: str = "misclassification",
    *,
    factors: Mapping[Any, Number] | None = None,
    loss: Loss = zero_one,
) -> Number:
    """Return what a node costs by the rows it was grown from: their weight times the mean loss.

    For numbers, the mean loss is the impurity. For classes, the cost is the misclassified weight, or the
    weight times Gini or entropy. Factors multiply the weight of each class, as priors do.

    >>> node = Leaf("a", 4, 4.0, 0.375, counts={"a": 3, "b": 1})
    >>> print(training_cost(node), training_cost(node, "gini"), round(training_cost(node, "entropy"), 4))
    1 3/2 3.2451
    >>> print(training_cost(node, factors={"a": 1, "b": 5}), training_cost(node, loss=lambda y, label: 10))
    5 40
    """
    if node.counts is None:
        return node.weight * node.impurity
    weights = {name: Fraction(count) for name, count in node.counts.items()}
    if factors is not None:
        weights = {name: weight * Fraction(factors[name]) for name, weight in weights.items()}
    check_choice("measure", measure, ("misclassification", "gini", "entropy"))
    if measure == "misclassification":
        return sum(weight * loss(name, node.label) for name, weight in weights.items())
    whole = sum(weights.values())
    if measure == "gini":  # W (1 - Σ p²) = W - Σ w² / W
        return whole - sum(weight * weight for weight in weights.values()) / whole if whole else 0
    # -W Σ p log2 p = Σ w log2 (W / w)
    return math.fsum(float(weight) * math.log2(whole / weight) for weight in weights.values() if weight)


def tuning_tree(
    tree: Leaf | Branch,
    rows: Sequence[Sequence[Any]],
    targets: Sequence[Any],
    weights: Sequence[Number] | None = None,
    loss: Loss = zero_one,
) -> Subtree:
    """Return the tree with what its nodes cost as leaves by tuning rows, which it was not grown from.

    Labels are those of the growing rows. A row counts in every node it passes, with its share there. A row
    that stays at an inner node is predicted there: it costs the same whether that node is a leaf or not.

    >>> from arboretum.reference.plain_tree import grow
    >>> tree = grow([[1, 2, 3, 4]], ["numeric"], list("abbb"))
    >>> print(draw(tuning_tree(tree, [[0], [1], [2], [3]], list("abab"))))
    0: cost 2
    |   1: cost 1
    |   2: cost 1
    """
    numbered = subtree_of(tree)
    costs: dict[int, Number] = {node.number: 0 for node in numbered.walk()}
    resting = dict(costs)
    for place, (row, target) in enumerate(zip(rows, targets, strict=True)):
        weight = 1 if weights is None else weights[place]
        for passed, share, stays in passing(numbered, row):
            assert passed.node is not None
            cost = share * weight * loss(target, passed.node.label)
            costs[passed.number] += cost
            resting[passed.number] += cost if stays else 0
    return with_costs(numbered, costs, resting)


def passing(tree: Subtree, row: Sequence[Any], share: Number = 1) -> Iterator[tuple[Subtree, Number, bool]]:
    """Yield every node that a row passes, the row's share there, and whether it stays."""
    shares = child_shares(tree.node, row) if isinstance(tree.node, Branch) else []
    yield tree, share, not shares
    for place, part in shares:
        yield from passing(tree.children[place], row, share * part)


def child_shares(branch: Branch, row: Sequence[Any]) -> list[tuple[int, Number]]:
    """Return the children that a row goes to, with its share in each; none if the row stays.

    They are where the row ends in a tree of this one question.
    """
    children = tuple(as_leaf(child) for child in branch.children)
    places = {id(child): place for place, child in enumerate(children)}
    ends = rest(replace(branch, children=children), row)
    # A whole row stays whole: parts are fractions of floats, but 1 is 1.
    return [(places[id(end)], 1 if share == 1 else share) for end, share in ends if id(end) in places]


def as_leaf(node: Leaf | Branch) -> Leaf:
    """Return the node without its question."""
    return Leaf(**{field.name: getattr(node, field.name) for field in fields(Leaf)})
