"""Two trees side by side: what the comparisons with other libraries share.

A tie is a node where the two ask different questions of the same gain, as judged by plain_gains.py. How the
other library stores its trees is the business of the test that reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from arboretum import Node
from arboretum._tree.questions import Levels, Question, Threshold

from .plain_gains import agree, gain, total

__all__ = ["Comparison", "goes_left", "match_children"]

Array = npt.NDArray[Any]
Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]


@dataclass
class Comparison:
    """The rows that both trees were grown from, and what was found on the way down.

    `w` are the weights that decide splits. `forks` are ties after which the two go on with different rows,
    `explained` differences that a stated rule accounts for.
    """

    criterion: str
    y: Array
    w: Numbers
    n_nodes: int = 0
    ties: list[int] = field(default_factory=list)
    forks: list[int] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    explained: list[str] = field(default_factory=list)

    def check(self, number: int, what: str, ours: float, theirs: float, scale: float = 0.0) -> None:
        """Note a difference, if there is one."""
        if not agree(ours, theirs, scale):
            self.differences.append(f"node {number}: {what} is {ours!r} here, {theirs!r} there")

    def total(self, rows: Rows) -> float:
        """Return the impurity of these rows times their weight."""
        return total(self.criterion, self.y[rows], self.w[rows])

    def gain(self, rows: Rows, left: Mask | None) -> float:
        """Return what a split gains on these rows; no split gains nothing."""
        return 0.0 if left is None else gain(self.criterion, self.y[rows], self.w[rows], left)

    def judge(
        self,
        number: int,
        rows: Rows,
        ours: Mask | None,
        theirs: Mask | None,
        *,
        costs: tuple[float, float] = (1.0, 1.0),
        reason: str | None = None,
    ) -> None:
        """Decide whether two different questions (or none) are equally good on these rows.

        Gains are divided by the costs of what the two ask about. With a reason, ours may be the better one.
        """
        our_gain, their_gain = self.gain(rows, ours) / costs[0], self.gain(rows, theirs) / costs[1]
        if not agree(our_gain, their_gain, self.total(rows)):
            if reason is not None and our_gain > their_gain:
                self.explained.append(f"node {number}: {reason}")
                return
            self.differences.append(f"node {number}: our split gains {our_gain!r}, theirs {their_gain!r}")
            return
        self.ties.append(number)
        if ours is None or theirs is None or match_children(ours, theirs) is None:
            self.forks.append(number)

    def record(
        self, library: str, record_property: Callable[[str, object], None], *, listed: bool = False
    ) -> None:
        """Hand the verdict to the summary in conftest.py."""
        verdict = "the same up to ties" if self.ties else "the same"
        if self.explained:
            verdict = "the same up to stated rules"
        if self.differences or listed:
            verdict = "different as listed" if listed else "DIFFERENT"
        record_property("parity", f"{library}: {verdict}")
        record_property("parity_nodes", self.n_nodes)
        record_property("parity_ties", len(self.ties))


def goes_left(question: Question, values: Numbers) -> Mask:
    """Return which values our question sends to its first child. Nominal values are given by level number."""
    if isinstance(question, Threshold):
        return np.asarray(values <= question.threshold)
    assert isinstance(question, Levels)
    return np.isin(values, question.children[0])


def match_children(ours: Mask, theirs: Mask) -> Callable[[Node], tuple[Node, ...]] | None:
    """Return how to order our children so that they hold the rows of theirs; None if they hold other rows."""
    if bool((ours == theirs).all()):
        return lambda node: node.children
    if bool((ours != theirs).all()):
        return lambda node: node.children[::-1]
    return None
