"""The rule of a leaf: the merged conditions of its path, what it predicts, and how far that can be trusted.

`rules_of` is the one source: `tree.rules()`, `export.to_rules` and the interactive page show what it finds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from arboretum._tree.digits import DIGITS
from arboretum._tree.fitted import refuse_linear
from arboretum._tree.tree import Node, Tree
from arboretum.errors import import_pandas
from arboretum.inspection.rules.conditions import Condition
from arboretum.inspection.rules.figures import Figures, figures_of
from arboretum.inspection.rules.premises import Reached, premises

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Rule:
    """The conditions of one leaf and what they say of a row that meets all of them.

    `confidence` is the probability that the tree gives to its label. `own_share` is the share of the label
    among the rows of the leaf, or in their weight where rows have weights. `interval` says between which
    bounds it may well lie: Wilson's interval, 95 %. Of numbers, `own_value` is their mean (or median) and
    `interval` that of the mean, by Student's t. It is None where the tree does not know it: with weights, and
    for criteria that keep no variance. `lift` is the share of the label over its share among all rows.

    Attributes
    ----------
    conditions : what a row must meet, all of it
    label : what is predicted
    n_rows, weight : the training rows that meet the conditions, and their weight
    share : their share of all rows
    node : the id of the leaf, by which `tree` finds it
    tree : the tree that the rule is taken from
    """

    conditions: tuple[Condition, ...]
    label: Any
    n_rows: int
    share: float  # of all rows; where rows are divided, of their weight
    weight: float
    confidence: float | None
    own_share: float | None
    own_value: float | None
    interval: tuple[float, float] | None
    lift: float | None
    node: int
    tree: Tree = field(repr=False, compare=False)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The conditions as text, one each."""
        from arboretum._show.rule_text import condition_texts

        return condition_texts(self.tree, self.conditions)

    @property
    def premise(self) -> str:
        """All conditions in one line, in brackets where one could be misread before an "and"."""
        from arboretum._show.rule_text import premise_text

        return premise_text(self.tree, self.conditions)

    def to_text(self, *, digits: int | None = DIGITS, figures: bool = False) -> str:
        """Return the rule in one line.

        Parameters
        ----------
        digits : how many digits of a threshold are shown, and more where two of them would look the same;
            None shows all
        figures : whether the interval, the share of all rows and the lift are told as well
        """
        from arboretum._show.rule_text import rule_to_text

        return rule_to_text(self, digits=digits, figures=figures)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Rule: {self}>"


class Rules(list[Rule]):
    """Rules from left to right. A list, with a table and a text of its own."""

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one row per rule."""
        names = ("label", "n_rows", "share", "weight", "confidence", "own_share", "own_value", "lift")
        frame: pd.DataFrame = import_pandas("to_frame()").DataFrame(
            {
                "node": [rule.node for rule in self],
                "rule": [rule.premise for rule in self],
                "n_conditions": [len(rule.conditions) for rule in self],
                **{name: [getattr(rule, name) for rule in self] for name in names},
                "low": [None if rule.interval is None else rule.interval[0] for rule in self],
                "high": [None if rule.interval is None else rule.interval[1] for rule in self],
            }
        )
        return frame.dropna(axis="columns", how="all")

    def __str__(self) -> str:
        return "\n".join(map(str, self))


def rules_of(tree: Tree, *, resting: bool = False, exact: bool = False, merge: bool = True) -> Rules:
    """Return one rule per leaf, from left to right.

    With `resting`, those of rows that stop at an inner node come along, each before the rules below it.
    `exact` conditions hold for just the rows of the leaf; others are for people (see premises.py).
    """
    refuse_linear(tree, "rules()")
    reached = [each for each in premises(tree, exact=exact, merge=merge) if each.stops]
    if not resting:
        is_leaf = tree.array("n_children") == 0
        reached = [each for each in reached if is_leaf[each.number]]
    return Rules(_rules(tree, reached))


def _rules(tree: Tree, reached: Iterable[Reached]) -> Iterable[Rule]:
    figures = Figures.of(tree)
    for each in reached:
        node = Node(tree, each.number)
        yield Rule(
            tuple(each.premise.conditions.values()),
            node.label,
            node.n_rows,
            weight=node.weight,
            confidence=node.confidence,
            node=each.number,
            tree=tree,
            **figures_of(figures, each.number),
        )
