"""The tops of trees while they grow: nodes, and the trees that they belong to."""

from __future__ import annotations

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


@dataclass(eq=False)
class GrowingTree:
    """One of the trees that grow side by side: what is known of its rows, and the nodes of its top."""

    subtree: Subtree
    nodes: list[GrownNode] = field(default_factory=list)
    n_nodes: int = 1  # with those that are about to be opened
    root_weight: float = 0.0
    sums: dict[int, Array] = field(default_factory=dict)  # of what is reported, by node

    @cached_property
    def options(self) -> _core.GrowOptions:
        """The options of the core for the whole tree."""
        return self.subtree.core_options()
