"""Trees as plain values, ours and other libraries' alike, so that they can be collapsed, routed and compared.

A share is the part of a row that a node gets: a row whose value is missing goes to all children, in
proportion to their weights. To collapse is to make a leaf of a node whose subtree saves no training error.
Nothing is grown or judged here, and of the library under test only its nodes are read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from arboretum import Node
from arboretum._tree.questions import Levels, Threshold

__all__ = ["PlainNode", "collapse", "distributions", "from_ours", "is_collapsed", "outcomes", "pass_on"]

Numbers = npt.NDArray[np.float64]
Outcomes = npt.NDArray[np.int64]
Values = Mapping[str, Numbers]  # per column; nominal ones as level numbers from 0, NaN where missing

# C4.5 keeps a subtree only if it makes fewer training errors than its root as a leaf, by more than this.
COLLAPSE_SLACK: Final = 1e-3


@dataclass(frozen=True, eq=False)
class PlainNode:
    """A node with its subtree. Without children it is a leaf, and the fields of its question mean nothing.

    `child_of` tells the child of each level of a nominal column, and `other` the child of all other levels.
    `rivals` are the gain ratios of the best questions about the other columns, as far as they are known.
    `grown` is what stood here before the node was collapsed.
    """

    weights: Numbers
    column: str = ""
    threshold: float = np.nan
    child_of: Mapping[int, int] | None = None
    other: int = -1
    gain: float = 0.0
    ratio: float = 0.0
    rivals: tuple[float, ...] = ()
    children: tuple[PlainNode, ...] = ()
    grown: PlainNode | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether nothing is asked here."""
        return not self.children

    @property
    def weight(self) -> float:
        """The weight of all classes."""
        return float(self.weights.sum())

    @property
    def errors(self) -> float:
        """The weight of the rows that are not of the most frequent class."""
        return float(self.weights.sum() - self.weights.max())

    @property
    def leaf_errors(self) -> float:
        """The errors of all leaves below."""
        return self.errors if self.is_leaf else sum(child.leaf_errors for child in self.children)

    def walk(self) -> Iterator[PlainNode]:
        """Yield every node, each before its children."""
        yield self
        for child in self.children:
            yield from child.walk()


def from_ours(node: Node) -> PlainNode:
    """Return a node of our tree and all that is below it as plain values."""
    assert node.counts is not None
    weights = np.array(node.counts, dtype=np.float64)
    question = node.question
    if question is None:
        return PlainNode(weights)
    inner = PlainNode(
        weights,
        question.column,
        gain=node.gain,
        ratio=_given(node.gain_ratio),
        rivals=tuple(_given(rival.gain_ratio) for rival in node.competitors),
        children=tuple(from_ours(child) for child in node.children),
    )
    if isinstance(question, Threshold):
        return replace(inner, threshold=float(question.threshold))
    assert isinstance(question, Levels)
    child_of = {level: child for child, group in enumerate(question.children) for level in group}
    # A question "is it this level?" sends levels without rows to where the other levels go.
    rest = 1 if len(question.children[0]) == 1 else 0
    return replace(inner, child_of=child_of, other=rest if len(question.children) == 2 else -1)


def _given(ratio: float | None) -> float:
    """Return a gain ratio; only trees that were grown by gain ratio are read here."""
    assert ratio is not None
    return float(ratio)


def collapse(node: PlainNode) -> PlainNode:
    """Return the tree as C4.5 leaves it when it does not prune: subtrees that save no errors become leaves.

    From the root down, and with the errors of the subtrees as they were grown.
    """
    if node.is_leaf:
        return node
    if node.leaf_errors >= node.errors - COLLAPSE_SLACK:
        return PlainNode(node.weights, grown=node)
    return replace(node, children=tuple(collapse(child) for child in node.children))


def is_collapsed(node: PlainNode) -> bool:
    """Return whether some subtree was collapsed."""
    return any(below.grown is not None for below in node.walk())


def outcomes(node: PlainNode, values: Values) -> Outcomes:
    """Return the child to which the question of a node sends each row; -1 where the value is missing."""
    column = values[node.column]
    found = np.full(len(column), -1, dtype=np.int64)
    known = ~np.isnan(column)
    if node.child_of is None:
        found[known] = np.where(column[known] <= node.threshold, 0, 1)
    else:
        found[known] = [node.child_of.get(int(level), node.other) for level in column[known]]
    return found


def pass_on(node: PlainNode, values: Values, shares: Numbers) -> list[Numbers]:
    """Return the share of each row that every child gets, of the shares that the node has."""
    found = outcomes(node, values)
    weights = np.array([child.weight for child in node.children])
    parts = weights / weights.sum()
    return [shares * ((found == place) + (found == -1) * parts[place]) for place in range(len(node.children))]


def distributions(
    root: PlainNode, values: Values, n_rows: int, watched: Collection[PlainNode] = ()
) -> tuple[Numbers, npt.NDArray[np.bool_]]:
    """Return the class probabilities of each row, and whether some part of it comes through a watched node.

    A leaf without rows predicts what its parent would.
    """
    found = np.zeros((n_rows, len(root.weights)))
    seen = np.zeros(n_rows, dtype=np.bool_)
    identities = {id(node) for node in watched}

    def descend(node: PlainNode, shares: Numbers, above: Numbers) -> None:
        own = node.weights / node.weight if node.weight > 0 else above
        if id(node) in identities:
            seen[shares > 0] = True
        if node.is_leaf:
            found[:] += shares[:, None] * own
            return
        for child, part in zip(node.children, pass_on(node, values, shares), strict=True):
            if part.any():
                descend(child, part, own)

    descend(root, np.ones(n_rows), root.weights)
    return found, seen
