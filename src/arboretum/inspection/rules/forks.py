"""Forks: how a node sends rows on, with everything that the core looks at (cpp/core/route.hpp).

The *place* of a child counts the children of its node from 0. A level that the column has, but no row of the
node had, is *unseen* there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add

from arboretum._tree.composites import Composite
from arboretum._tree.questions import Levels, Question, Threshold
from arboretum._tree.tree import Node


@dataclass(frozen=True)
class Fork:
    """One node. `children` are the numbers of nodes, `missing_child` and `unseen_child` places among them."""

    question: Question | None
    children: tuple[int, ...]
    missing_child: int | None  # None: such a row stops here
    unseen_child: int | None  # set where rows follow a child; elsewhere unseen is like missing
    surrogates: tuple[Threshold | Levels, ...]  # in order; only where surrogates stand in
    shares: tuple[float, ...]  # only where rows are divided


def fork_of(node: Node) -> Fork:
    """Return how a node sends rows on."""
    tree, question = node.tree, node.question
    first = int(tree.array("first_child")[node.number])
    children = tuple(range(first, first + int(tree.array("n_children")[node.number])))
    weights: list[float] = tree.array("weight")[first : first + len(children)].tolist() if children else []
    missing = None if question is None or question.missing_child < 0 else question.missing_child
    always = question is None or isinstance(question, Composite) or missing is None
    surrogates = [surrogate.question for surrogate in node.surrogates] if tree.missing == "surrogates" else []
    return Fork(
        question=question,
        children=children,
        missing_child=missing,
        unseen_child=None if always or tree.missing != "child" else weights.index(max(weights)),
        surrogates=tuple(each for each in surrogates if isinstance(each, Threshold | Levels)),
        shares=_shares(weights) if tree.missing == "fractions" else (),
    )


def _shares(weights: list[float]) -> tuple[float, ...]:
    """Return the shares of the children, added up and divided as the core does: every bit is the same."""
    total = reduce(add, weights, 0.0)
    return tuple([weight / total for weight in weights])
