"""What a grown tree is made of, and what a node remembers of the questions that it did not ask.
Words: Leaf, Branch, Split (a question judged), Competitor (a runner-up), SurrogateQuestion (a substitute).
Does not grow anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from arboretum.reference.impurities import Number
from arboretum.reference.questions import Question

__all__ = ["Branch", "Competitor", "Leaf", "Node", "Split", "SurrogateQuestion"]


class Split(NamedTuple):
    """A question, what it gains, and the rows of each child by which it was judged.

    Equal gains are equal numbers. Where rows without a value are left aside, they are in no child.
    """

    question: Question
    gain: Number
    children: tuple[list[int], ...]
    gain_ratio: float | None = None


class Competitor(NamedTuple):
    """The best question of a column that was not chosen."""

    question: Question
    gain: float
    gain_ratio: float | None


class SurrogateQuestion(NamedTuple):
    """A question that sends rows to the same children as the question asked, as well as it can.

    `agreement` is the share of the weight that it sends rightly. `adjusted_agreement` is 1 if that is all,
    and 0 if sending everything to the larger child would do as well. `n_rows` are the rows that it has sent.
    """

    question: Question
    agreement: float
    adjusted_agreement: float
    n_rows: int


@dataclass(frozen=True)
class Node:
    """What the rows of a node look like. The label is a class, or the mean or median of the targets.

    Counts are the weight of each class, None if the targets are numbers. They, and the probabilities that
    follow from them, take no part in comparisons, so that a leaf can be written down in one line.
    """

    label: Any
    n_rows: int
    weight: float
    impurity: float
    counts: Mapping[Any, float] | None = field(default=None, compare=False)
    probabilities: Mapping[Any, float] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Leaf(Node):
    """A node without a question."""


@dataclass(frozen=True, kw_only=True)
class Branch(Node):
    """A node with a question.

    `missing` says what helps rows that the question cannot send: "surrogates", "fractions", or only the
    "child" that takes them all. `missing_child` is that child, the last resort; -1: the row stays here.
    """

    question: Question
    children: tuple[Leaf | Branch, ...]
    gain: float
    gain_ratio: float | None = None
    competitors: tuple[Competitor, ...] = ()
    surrogates: tuple[SurrogateQuestion, ...] = ()
    missing: str = "child"
    missing_child: int = -1
