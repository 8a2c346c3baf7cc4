"""What a node costs as a leaf: by its own rows, or by rows that are held aside to tune the tree.
Words: cost (weight of the rows × loss of the label), measure (what is counted), tuning rows, passing a node.
Does not prune: the pruners compare these costs.

>>> from arboretum.reference.plain_tree import grow
>>> from arboretum.reference.subtrees import draw, subtree_of
>>> tree = grow([[1, 2, 3, 4, 5]], ["numeric"], list("aabab"))
>>> print(draw(subtree_of(tree, training_cost)))
0: cost 2
|   1: cost 0
|   2: cost 1
|   |   3: cost 0
|   |   4: cost 1
|   |   |   5: cost 0
|   |   |   6: cost 0
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any, TypeAlias

from arboretum.errors import ParameterError, choices
from arboretum.reference.impurities import Number
from arboretum.reference.nodes import Branch, Leaf
from arboretum.reference.predictions import rest
from arboretum.reference.subtrees import Subtree, subtree_of, with_costs

__all__ = ["Loss", "as_leaf", "child_shares", "passing", "training_cost", "tuning_tree", "zero_one"]

Loss: TypeAlias = Callable[[Any, Any], Number]  # of a target and of what is predicted for it


def zero_one(target: Any, predicted: Any) -> Number:
    """A mistake costs 1, whatever it is."""
    return 0 if target == predicted else 1


def training_cost(
    node: Leaf | Branch,
    measure: str = "misclassification",
    *,
    factors: Mapping[Any, Number] | None = None,
    loss: Loss = zero_one,
) -> Number:
    """What a node costs by the rows that it was grown from: their weight times the mean loss.

    Of numbers that is the weight times the impurity, which is the mean loss of the node's prediction. Of
    classes it is the weight that is misclassified; or the weight times Gini or entropy, which tell how mixed
    the node is. Factors multiply the weight of each class, as priors do.

    >>> node = Leaf("a", 4, 4.0, 0.375, counts={"a": 3, "b": 1})
    >>> print(training_cost(node), training_cost(node, "gini"), round(training_cost(node, "entropy"), 4))
    1 3/2 3.2451
    >>> print(training_cost(node, factors={"a": 1, "b": 5}), training_cost(node, loss=lambda y, label: 10))
    5 40
    """
    if node.counts is None:
        return node.weight * node.impurity
    weights = {name: Fraction(count) for name, count in node.counts.items()}
    if factors is not None:
        weights = {name: weight * Fraction(factors[name]) for name, weight in weights.items()}
    measures: dict[str, Callable[[], Number]] = {
        "misclassification": lambda: sum(weight * loss(name, node.label) for name, weight in weights.items()),
        "gini": lambda: gini_weight(list(weights.values())),
        "entropy": lambda: entropy_weight(list(weights.values())),
    }
    if measure not in measures:
        raise ParameterError(choices("measure", measure, measures))
    return measures[measure]()


def gini_weight(weights: Sequence[Fraction]) -> Number:
    """W (1 - Σ p²) = W - Σ w² / W."""
    whole = sum(weights)
    return whole - sum(weight * weight for weight in weights) / whole if whole else 0


def entropy_weight(weights: Sequence[Fraction]) -> Number:
    """-W Σ p log2 p = Σ w log2 (W / w)."""
    whole = sum(weights)
    return math.fsum(float(weight) * math.log2(whole / weight) for weight in weights if weight)


def tuning_tree(
    tree: Leaf | Branch,
    rows: Sequence[Sequence[Any]],
    targets: Sequence[Any],
    weights: Sequence[Number] | None = None,
    loss: Loss = zero_one,
) -> Subtree:
    """The tree with the costs that its nodes have as leaves by other rows, which it was not grown from.

    Labels are those of the growing rows. A row counts in every node that it passes, with the part of it that
    comes there. One that stays at an inner node is predicted there: it costs the same as long as that node is
    left, whether as a leaf or not.

    >>> from arboretum.reference.plain_tree import grow
    >>> from arboretum.reference.subtrees import draw
    >>> tree = grow([[1, 2, 3, 4]], ["numeric"], list("abbb"))
    >>> print(draw(tuning_tree(tree, [[0], [1], [2], [3]], list("abab"))))
    0: cost 2
    |   1: cost 1
    |   2: cost 1
    """
    numbered = subtree_of(tree)
    costs: dict[int, Number] = {node.number: 0 for node in numbered.walk()}
    resting = dict(costs)
    for place, (row, target) in enumerate(zip(rows, targets, strict=True)):
        weight = 1 if weights is None else weights[place]
        for passed, share, stays in passing(numbered, row):
            assert passed.node is not None
            cost = share * weight * loss(target, passed.node.label)
            costs[passed.number] += cost
            resting[passed.number] += cost if stays else 0
    return with_costs(numbered, costs, resting)


def passing(tree: Subtree, row: Sequence[Any], share: Number = 1) -> Iterator[tuple[Subtree, Number, bool]]:
    """Every node that a row passes on its way down, the part of it that comes there, and whether it stays."""
    shares = child_shares(tree.node, row) if isinstance(tree.node, Branch) else []
    yield tree, share, not shares
    for place, part in shares:
        yield from passing(tree.children[place], row, share * part)


def child_shares(branch: Branch, row: Sequence[Any]) -> list[tuple[int, Number]]:
    """The children to which a row goes, with the part that goes there; none if the row stays.

    It goes where a tree of this one question would have it come to rest.
    """
    children = tuple(as_leaf(child) for child in branch.children)
    places = {id(child): place for place, child in enumerate(children)}
    ends = rest(replace(branch, children=children), row)
    # A whole row stays whole: parts are fractions of floats, but 1 is 1.
    return [(places[id(end)], 1 if share == 1 else share) for end, share in ends if id(end) in places]


def as_leaf(node: Leaf | Branch) -> Leaf:
    """The node as it would be if nothing were asked there."""
    return Leaf(**{field.name: getattr(node, field.name) for field in fields(Leaf)})
