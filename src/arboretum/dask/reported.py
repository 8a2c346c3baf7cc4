"""What is reported of nodes: weights of classes, or sums of numbers, in doubled precision.

Ends, which are leaves and nodes that are handed over, are summed over the parts. What lies above is the sum
of its children, as in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final, NamedTuple

import numpy as np

from arboretum import _core
from arboretum._types import Array
from arboretum.dask.nodes import GrowingTree, GrownNode
from arboretum.dask.part import OpenRows, Part
from arboretum.dask.runner import Handle, Runner

_WITH_LOGS: Final = ("poisson",)  # criteria whose impurity is made of logarithms


class End(NamedTuple):
    """A node that nothing is asked here: its tree and number, its place, and where its numbers lie."""

    tree: GrowingTree
    node: int
    place: int
    lowest: float = 0.0
    highest: float = 0.0


class Reported:
    """Sums up the ends of trees as they come, and then all nodes."""

    def __init__(self, runner: Runner, parts: Sequence[Handle], form: _core.TargetForm) -> None:
        self._runner, self._parts = runner, parts
        self._of_classes, self._with_logs = form.n_classes > 0, form.criterion in _WITH_LOGS
        self._n_classes = form.n_classes
        self._waiting: list[tuple[Sequence[End], list[Handle]]] = []

    def add(self, rows: Sequence[Handle], ends: Sequence[End]) -> None:
        """Have the targets of ends summed up, which are among the open rows of the parts."""
        if not ends:
            return
        places = np.array([end.place for end in ends], dtype=np.uint32)
        if self._of_classes:
            sums = self._runner.each(sum_classes, self._parts, rows, common=(places,))
        else:
            lowest, highest = (
                np.array([getattr(end, name) for end in ends]) for name in ("lowest", "highest")
            )
            common = (places, lowest, highest, self._with_logs)
            sums = self._runner.each(sum_numbers, self._parts, rows, common=common)
        if self._with_logs:
            self._close(rows, ends, sums)
        else:
            self._waiting.append((ends, sums))

    def _close(self, rows: Sequence[Handle], ends: Sequence[End], sums: Sequence[Handle]) -> None:
        """Find deviances. Where logarithms cancel, divergences from the mean are added up instead."""
        merged, lacking = _core.close_real_sums(self._runner.merged(add_real_sums, sums))
        found = merged.reshape(len(ends), -1)
        # The deviance of a node that is handed over comes from below.
        leaves = [
            number for number in lacking.tolist() if ends[number].tree.nodes[ends[number].node].below is None
        ]
        if leaves:
            places = np.array([ends[number].place for number in leaves], dtype=np.uint32)
            means = _core.real_sums_report(found[leaves].ravel(), with_logs=True)[2]
            diverged = self._runner.each(sum_divergences, self._parts, rows, common=(places, means))
            total = self._runner.merged(add_twofold, diverged)
            found[leaves] = _core.close_with_divergences(found[leaves].ravel(), total).reshape(
                len(leaves), -1
            )
        self._keep(ends, found)

    def _keep(self, ends: Sequence[End], found: Array) -> None:
        for end, own in zip(ends, found.reshape(len(ends), -1), strict=True):
            end.tree.sums[end.node] = np.ascontiguousarray(own)

    def finish(self, trees: Sequence[GrowingTree]) -> None:
        """Set the reported numbers of all nodes; subtrees that were grown elsewhere have arrived."""
        add = add_twofold if self._of_classes else add_real_sums
        for ends, sums in self._waiting:
            self._keep(ends, self._runner.merged(add, sums))
        for tree in trees:
            for number in reversed(range(len(tree.nodes))):
                node = tree.nodes[number]
                if node.children is not None:
                    tree.sums[number] = self._join([tree.sums[child] for child in node.children])
                elif self._with_logs and node.below is not None:
                    tree.sums[number] = _core.set_deviance(tree.sums[number], node.below["impurity"][0])
                self._report(node, tree.sums[number])

    def _join(self, children: Sequence[Array]) -> Array:
        """Return the sums of children, in the order in which they are added in memory."""
        if self._of_classes:
            return add_twofold(children[::-1])
        return reduce(lambda some, own: _core.join_real_sums(some, own, self._with_logs), children)

    def _report(self, node: GrownNode, sums: Array) -> None:
        if self._of_classes:
            node.counts = _core.twofold_values(sums)
            each = list(sums.reshape(self._n_classes, -1))
            node.weight = float(_core.twofold_values(add_twofold(each))[0])
        else:
            weight, impurity, value = _core.real_sums_report(sums, self._with_logs)
            node.weight, node.impurity, node.value = float(weight[0]), float(impurity[0]), float(value[0])


def sum_classes(part: Part, open_rows: OpenRows, nodes: Array) -> Array:
    """Return the weights of the classes in nodes, as bytes."""
    return part.share.class_weights(open_rows.rows, open_rows.begins, nodes)


def sum_numbers(
    part: Part, open_rows: OpenRows, nodes: Array, lowest: Array, highest: Array, with_logs: bool
) -> Array:
    """Return the sums of the numbers in nodes, as bytes."""
    return part.share.real_sums(open_rows.rows, open_rows.begins, nodes, lowest, highest, with_logs)


def sum_divergences(part: Part, open_rows: OpenRows, nodes: Array, means: Array) -> Array:
    """Return how far the numbers in nodes diverge from their means, as bytes."""
    return part.share.divergences(open_rows.rows, open_rows.begins, nodes, means)


def add_twofold(several: Sequence[Array]) -> Array:
    """Return the sums of several answers."""
    return reduce(_core.add_twofold, several)


def add_real_sums(several: Sequence[Array]) -> Array:
    """Return the sums of several answers about the same nodes."""
    return reduce(_core.add_real_sums, several)
