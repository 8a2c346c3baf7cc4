"""The tops of trees while they grow: nodes, and the trees that they belong to."""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from arboretum import _core
from arboretum._types import Array
from arboretum.dask.part import Subtree
from arboretum.dask.runner import Handle


@dataclass
class GrownNode:
    """A node of the top of the tree; the first is the root."""

    depth: int
    n_rows: int
    weight: float
    impurity: float
    counts: Array | None = None  # of classes
    value: float = 0.0  # of numbers
    children: tuple[int, int] | None = None
    found: dict[str, Any] = field(default_factory=dict)  # the question and what it gains
    threshold: tuple[float, int] = (0.0, 0)
    below: Handle = None  # the arrays of the subtree that was grown in its place
    bottleneck: float = math.inf  # the least improvement on the way from the root, its own included


@dataclass(eq=False)
class GrowingTree:
    """One of the trees that grow side by side: what is known of its rows, and the nodes of its top."""

    subtree: Subtree
    nodes: list[GrownNode] = field(default_factory=list)
    n_nodes: int = 1  # with those that are about to be opened
    root_weight: float = 0.0
    sums: dict[int, Array] = field(default_factory=dict)  # of what is reported, by node
    bottlenecks: list[float] = field(default_factory=list)  # of the nodes that have a question

    @cached_property
    def options(self) -> _core.GrowOptions:
        """The options of the core for the whole tree."""
        return self.subtree.core_options()

    def find_bottleneck(self, node: int, improvement: float, parent: GrownNode | None) -> None:
        """Note what a node, whose question is known, gains where the path to it gains least."""
        own = self.nodes[node]
        own.bottleneck = min(improvement, math.inf if parent is None else parent.bottleneck)
        insort(self.bottlenecks, own.bottleneck)

    def may_ask(self, node: int) -> bool:
        """Return whether best-first growth may ask the question of a node before there are enough leaves.

        Whatever has the larger bottleneck is asked earlier, and each question adds a leaf.
        """
        most = self.subtree.max_leaves
        if most is None:
            return True
        n_before = len(self.bottlenecks) - bisect_right(self.bottlenecks, self.nodes[node].bottleneck)
        return n_before < most - 1
