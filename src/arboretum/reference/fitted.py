"""A fitted tree of the library as a tree of the reference, so that both can prune and predict with one tree.

>>> from arboretum import TreeClassifier, datasets
>>> X, y = datasets.load_iris()
>>> tree = from_fitted(TreeClassifier(max_depth=2, prune=None).fit(X, y).tree_)
>>> tree.question, [child.label for child in tree.children]
(Threshold(column=2, threshold=2.45, missing_left=False, flipped=False), ['setosa', 'versicolor'])
>>> tree.children[1].counts
{'setosa': 0.0, 'versicolor': 50.0, 'virginica': 50.0}
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from arboretum._tree import questions
from arboretum._tree.node import Node
from arboretum._tree.tree import Tree
from arboretum.errors import DataError
from arboretum.reference.nodes import Branch, Leaf, SurrogateQuestion
from arboretum.reference.questions import IsMissing, Multiway, Question, Subset, Threshold


def from_fitted(tree: Tree) -> Leaf | Branch:
    """Return the tree with the same questions, labels and weights.

    Numbers are those of the caller, a level is its number in the column's order, and None is missing.
    """
    places = {column.name: place for place, column in enumerate(tree.columns)}
    return _node(tree.root, tree.missing, places)


def _node(node: Node, missing: str, places: dict[str, int]) -> Leaf | Branch:
    counts, probability = _by_class(node, node.counts), _by_class(node, node.probability)
    leaf = Leaf(node.label, node.n_rows, node.weight, node.impurity, counts, probability)
    question = node.question
    if question is None:
        return leaf
    return Branch(
        **vars(leaf),
        question=_question(question, places),
        children=tuple(_node(child, missing, places) for child in node.children),
        gain=node.gain,
        gain_ratio=node.gain_ratio,
        surrogates=tuple(
            SurrogateQuestion(
                _question(other.question, places), other.agreement, other.adjusted_agreement, other.n_rows
            )
            for other in node.surrogates
        ),
        missing=missing,
        missing_child=question.missing_child,
    )


def _by_class(node: Node, numbers: Any) -> dict[Any, float] | None:
    classes = node.tree.target.classes
    return None if classes is None else dict(zip(classes, numbers.tolist(), strict=True))


def _question(question: questions.Question, places: dict[str, int]) -> Question:
    column, missing_left = places[question.column], question.missing_child == 0
    if isinstance(question, questions.Threshold):
        threshold, offset = question.threshold, question.about.offset
        in_full = Fraction(threshold) + offset if offset else threshold
        return Threshold(column, in_full, missing_left, question.flipped)
    if isinstance(question, questions.Missing):
        return IsMissing(column)
    if not isinstance(question, questions.Levels):
        raise DataError("The plain tree asks about one column at a time, but this one asks: " + str(question))
    groups = question.children
    if len(groups) == 2:
        return Subset(column, frozenset(groups[0]), missing_left, frozenset(groups[1]))
    levels = tuple(group[0] for group in groups if group)
    return Multiway(column, levels, missing_last=len(levels) < len(groups))
