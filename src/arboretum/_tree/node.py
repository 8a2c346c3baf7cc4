"""Nodes: light views of a tree, made when they are looked at. A node holds only its tree and its number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arboretum._tree.kinds import decode
from arboretum._tree.linear_models import formula_of, models_of
from arboretum._tree.questions import Competitor, Levels, Question, SurrogateQuestion
from arboretum._tree.tables import COMPETITOR, SURROGATE
from arboretum._types import Numbers
from arboretum._wording import many, visible

if TYPE_CHECKING:
    from arboretum._tree.tree import Tree


@dataclass(frozen=True)
class Node:
    """One node of a tree."""

    tree: Tree
    number: int

    def _get(self, name: str) -> Any:
        return self.tree.array(name)[self.number]

    @property
    def id(self) -> int:
        """A number that survives pruning and editing: the one the node had in the tree as it was grown."""
        return int(self._get("id"))

    @property
    def path(self) -> tuple[int, ...]:
        """Which child to take at each node from the root to here; empty for the root."""
        steps: list[int] = []
        node = self
        while (parent := node.parent) is not None:
            steps.append(node.number - int(parent._get("first_child")))
            node = parent
        return tuple(reversed(steps))

    @property
    def is_leaf(self) -> bool:
        """Whether nothing is asked here."""
        return bool(self._get("n_children") == 0)

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes below, one per outcome of the question."""
        first = int(self._get("first_child"))
        return tuple(Node(self.tree, first + i) for i in range(int(self._get("n_children"))))

    @property
    def parent(self) -> Node | None:
        """The node above; None for the root."""
        above = int(self._get("parent"))
        return None if above < 0 else Node(self.tree, above)

    @property
    def depth(self) -> int:
        """The number of questions between the root and this node."""
        return int(self._get("depth"))

    @property
    def question(self) -> Question | None:
        """What is asked here; None in a leaf."""
        if self.is_leaf:
            return None
        return self.tree._question_of(self.number)

    @property
    def competitors(self) -> tuple[Competitor, ...]:
        """The best questions about other columns, best first, if the tree was grown to remember them."""
        found, by_ratio = self.tree.remembered, self.tree.criterion == "gain_ratio"
        return tuple(
            Competitor(
                question,
                gain=float(found["gain"][i]),
                gain_ratio=float(found["gain_ratio"][i]) if by_ratio else None,
                corrected_gain=float(found["corrected_gain"][i]) if "corrected_gain" in found else None,
            )
            for i, question in self._remembered(COMPETITOR)
        )

    @property
    def surrogates(self) -> tuple[SurrogateQuestion, ...]:
        """The questions that stand in where the value asked for is missing, in the order they are tried."""
        found = self.tree.remembered
        return tuple(
            SurrogateQuestion(
                question,
                float(found["agreement"][i]),
                float(found["adjusted_agreement"][i]),
                int(found["n_rows"][i]),
            )
            for i, question in self._remembered(SURROGATE)
        )

    def _remembered(self, role: int) -> list[tuple[int, Question]]:
        """Return the questions that the node remembers in this role, and where they stand."""
        lists = self.tree._questions.lists["remembered"]
        places = [i for i in lists.range(self.number) if lists.items.columns["role"][i] == role]
        return [(i, decode(lists.items, i, self.tree.columns)) for i in places]

    @property
    def outcome(self) -> str | None:
        """The answer that leads here from the parent; None for the root."""
        parent = self.parent
        if parent is None or parent.question is None:
            return None
        return parent.question.outcomes[self.number - int(parent._get("first_child"))]

    @property
    def takes_missing(self) -> bool:
        """Whether rows with a missing value are sent here because some were when the tree was grown."""
        parent = self.parent
        if parent is None or parent.question is None or parent.question.always_answers:
            return False
        if self.tree.missing != "child":
            return False
        place = self.number - int(parent._get("first_child"))
        own_branch = isinstance(parent.question, Levels) and not parent.question.children[place]
        return parent.question.missing_seen and parent.question.missing_child == place and not own_branch

    @property
    def outcomes(self) -> tuple[str, ...]:
        """All answers from the root to here."""
        path: list[str] = []
        node: Node | None = self
        while node is not None and (answer := node._answer) is not None:
            path.append(answer)
            node = node.parent
        return tuple(reversed(path))

    @property
    def _answer(self) -> str | None:
        """The answer that leads here; it says so if missing values come along."""
        outcome = self.outcome
        return f"{outcome} or missing" if self.takes_missing else outcome

    @property
    def n_rows(self) -> int:
        """The number of rows that came here when the tree was grown."""
        return int(self._get("n_rows"))

    @property
    def weight(self) -> float:
        """The sum of their weights."""
        return float(self._get("weight"))

    @property
    def impurity(self) -> float:
        """How mixed their targets are, by the tree's criterion."""
        return float(self._get("impurity"))

    @property
    def gain(self) -> float:
        """By how much the question lowers the impurity, on average over the rows of the node; 0 in a leaf."""
        return float(self._get("gain"))

    @property
    def gain_ratio(self) -> float | None:
        """The gain over the information of the answer; None unless the tree was grown by gain ratio."""
        return float(self._get("gain_ratio")) if self.tree.criterion == "gain_ratio" else None

    @property
    def corrected_gain(self) -> float | None:
        """The gain less what a column of so many levels gains by chance; see the option `levels`.

        Questions compete by it. None if the tree was grown with `levels="raw"`, or has no column to correct.
        """
        return float(self._get("corrected_gain")) if "corrected_gain" in self.tree._arrays else None

    @property
    def p_value(self) -> float | None:
        """The probability of finding such a good question by chance, adjusted; see the option `significance`.

        None if no test was made: in a tree that was grown without, in a node that had nothing to ask, and
        where a question was asked by hand. A leaf that has one is a leaf because it is above the level, or
        was pruned later.
        """
        found = float(self._get("p_value")) if "p_value" in self.tree._arrays else np.nan
        return None if np.isnan(found) else found

    @property
    def improvement(self) -> float:
        """The gain times the node's share of the whole weight: what `feature_importances_` adds up."""
        return float(self._get("improvement"))

    @property
    def counts(self) -> Numbers | None:
        """The weight of each class, in the order of `tree.target.classes`; None for numbers."""
        return None if self.tree.target.classes is None else np.asarray(self._get("counts"))

    @property
    def probability(self) -> Numbers | None:
        """The estimated probability of each class; None for numbers."""
        return None if self.tree.target.classes is None else np.asarray(self._get("probability"))

    @property
    def value(self) -> float | None:
        """The number that is predicted here; None for classes."""
        return float(self._get("value")) if self.tree.target.classes is None else None

    @property
    def own_value(self) -> float | None:
        """What the node's rows alone say: their mean or median; None for classes.

        It differs from `value` where predictions are drawn towards the nodes above.
        """
        if self.tree.target.classes is not None:
            return None
        return float(self._get("own_value" if "own_value" in self.tree._arrays else "value"))

    @property
    def formula(self) -> str | None:
        """The linear model that predicts here, as text; None where the tree predicts numbers or classes."""
        return None if models_of(self.tree) is None else formula_of(self.tree, self.number)

    @property
    def label(self) -> Any:
        """What is predicted here: a class or a number."""
        classes = self.tree.target.classes
        return self.value if classes is None else classes[int(self._get("label"))]

    @property
    def confidence(self) -> float | None:
        """The estimated probability of the label; None for numbers."""
        probability = self.probability
        return None if probability is None else float(probability[int(self._get("label"))])

    def __repr__(self) -> str:
        asked = f"leaf: {visible(self.formula or str(self.label))}" if self.is_leaf else str(self.question)
        return f"<Node {self.number}, {many(self.n_rows, 'row')}, {asked}>"


def answers_of(tree: Tree) -> list[tuple[str | None, bool]]:
    """Return for each node the answer that leads there, and whether it takes missing values.

    The same as each node's own properties, but every question is decoded only once.
    """
    answers: list[tuple[str | None, bool]] = [(None, False)] * len(tree)
    for number in np.flatnonzero(tree.array("n_children")).tolist():
        for child in Node(tree, number).children:
            answers[child.number] = (child._answer, child.takes_missing)
    return answers
