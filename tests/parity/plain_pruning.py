"""Cost-complexity pruning the long way: Breiman's weakest links, and rpart's way to find them.

The risk of a node is what its label costs, summed over its rows; a complexity is the price of a split from
which on a node is a leaf: at a price of alpha those nodes ask whose complexity is above alpha. Nothing is
taken from the library under test; its trees come in as plain numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["Cut", "RiskNode", "Step", "cost", "rpart_complexities", "steps", "weakest_links"]

# Complexities that differ by less than this share of the root's risk are one.
SAME: Final = 1e-12

Complexities = Mapping[int, float]  # of the nodes that ask, by their numbers


@dataclass(frozen=True, eq=False)
class RiskNode:
    """A node as pruning sees it, with all that is below."""

    number: int
    risk: float
    label: float  # the number of a class, or the predicted number
    children: tuple[RiskNode, ...] = ()

    def walk(self) -> Iterator[RiskNode]:
        """Yield every node, each before its children."""
        open_nodes = [self]
        while open_nodes:
            node = open_nodes.pop()
            yield node
            open_nodes.extend(reversed(node.children))


@dataclass(frozen=True)
class Cut:
    """What is left of a tree at some price: the risk of its leaves, and how many there are besides one."""

    risk: float
    n_splits: int


@dataclass(frozen=True)
class Step:
    """A tree of a sequence, and the price from which on it is the best one."""

    alpha: float
    cut: Cut


def cost(cut: Cut, alpha: float) -> float:
    """Return what a tree costs when each split costs alpha. The one leaf that every tree has is free."""
    return cut.risk + alpha * cut.n_splits


def _at(node: RiskNode, complexities: Complexities, alpha: float) -> Cut:
    """Return what is left below a node at a price of alpha."""
    if not complexities.get(node.number, 0.0) > alpha:
        return Cut(node.risk, 0)
    return _together(_at(child, complexities, alpha) for child in node.children)


def _together(below: Iterator[Cut]) -> Cut:
    """Return a split and what is below each of its children as one."""
    cuts = list(below)
    return Cut(sum(cut.risk for cut in cuts), len(cuts) - 1 + sum(cut.n_splits for cut in cuts))


def steps(root: RiskNode, complexities: Complexities, least: float = 0.0) -> list[Step]:
    """Return the trees from the root alone to the one at the price `least`, each with its price."""
    prices = [price for price in sorted(complexities.values(), reverse=True) if price > least]
    found: list[Step] = []
    for alpha in [*prices, least]:
        if not found or found[-1].alpha - alpha > SAME * root.risk:
            found.append(Step(alpha, _at(root, complexities, alpha)))
    return found


def weakest_links(root: RiskNode) -> Complexities:
    """Return the complexities by definition: remove what saves least per split, again and again.

    A node that is cut off has the complexity of the node above with which it goes.
    """
    nodes = [node for node in root.walk() if node.children]
    found: dict[int, float] = {}
    alpha = 0.0
    while len(found) < len(nodes):
        # What is cut off already is a leaf: its complexity counts as none.
        alive = {node.number: float("inf") for node in nodes if node.number not in found}
        links = {node: _link(node, alive) for node in nodes if node.number in alive}
        alpha = max(alpha, min(links.values()))
        for node, link in links.items():
            if link <= alpha + SAME * root.risk:
                found |= {below.number: alpha for below in node.walk() if below.number in alive}
    return found


def _link(node: RiskNode, complexities: Complexities) -> float:
    """Return what the splits below a node save, per split."""
    below = _at(node, complexities, 0.0)
    return (node.risk - below.risk) / below.n_splits


def rpart_complexities(root: RiskNode, least: float) -> Complexities:
    """Return the complexities as rpart computes them; nodes that do not reach `least` are leaves.

    rpart goes through the tree once, from the leaves up. A node looks at what is left below each child after
    everything has gone that goes before this child; it does not see that more is left as long as it asks
    itself. So its complexity may be below the weakest link, or above. In the end no complexity is larger than
    the one above it.
    """
    found: dict[int, float] = {}

    def look(node: RiskNode) -> Cut:
        below = {child: look(child) for child in node.children}
        if not node.children:
            return Cut(node.risk, 0)
        # The cheaper child goes first, and of two that cost the same the second one.
        asking = [child for child in node.children[::-1] if child.number in found]
        for child in sorted(asking, key=lambda child: found[child.number]):
            if _saving(node, below) <= found[child.number]:
                break
            below[child] = Cut(child.risk, 0)
        saving = _saving(node, below)
        if saving <= least:
            for gone in node.walk():
                found.pop(gone.number, None)
            return Cut(node.risk, 0)
        found[node.number] = saving
        return _together(iter(below.values()))

    look(root)
    for node in root.walk():
        for child in node.children:
            if child.number in found:
                found[child.number] = min(found[child.number], found[node.number])
    return found


def _saving(node: RiskNode, below: Mapping[RiskNode, Cut]) -> float:
    whole = _together(iter(below.values()))
    return (node.risk - whole.risk) / whole.n_splits
