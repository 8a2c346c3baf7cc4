"""Stopping: test every question from the root downwards, and keep nothing below one that fails.

Greedy growth does not depend on where it stops, so the stopped tree is the grown tree, cut off from the top.
Tests that choose the columns themselves work while the tree grows; see choosing.py.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from arboretum._grow.significance.asked import Asked, Rows, Tested, ask, whole
from arboretum._options.rules import Real
from arboretum._options.strategy import Strategy
from arboretum._types import Numbers


class SignificanceTest(Strategy, abstract=True):
    """A statistical test of a node. A node whose p-value is above `level` becomes a leaf."""

    level: float = 0.05

    _option = "significance"
    _level: ClassVar = Real("a number above 0 and up to 1", above=True, most=1.0)


class QuestionTest(SignificanceTest, abstract=True):
    """A test of the question that a node asks: the best of all columns by the criterion."""

    _searches: ClassVar[bool] = False  # whether it lets the core search for other questions

    @abstractmethod
    def _p_value(self, asked: Asked) -> float:
        """Return the p-value of a node's question."""


def p_values(tested: Tested, test: QuestionTest) -> Numbers:
    """Return the p-value of each tested node; NaN in leaves and below a question that failed."""
    tree = tested.tree
    n_children, first_child = tree.array("n_children"), tree.array("first_child")
    found = np.full(len(tree), np.nan)
    waiting: dict[int, Rows] = {}
    if n_children[0] > 0:
        waiting[0] = whole(tested)
    for node in range(len(tree)):  # children come after their parents
        if node not in waiting:
            continue
        asked = ask(tested, node, waiting.pop(node))
        found[node] = test._p_value(asked)
        if found[node] > test.level:
            continue
        for place in range(int(n_children[node])):
            child = int(first_child[node]) + place
            if n_children[child] > 0:
                waiting[child] = asked.part(place)
    return found
