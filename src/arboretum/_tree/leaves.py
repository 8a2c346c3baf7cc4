"""Leaves: how the class weights of a node become probabilities, and probabilities a label.

The m-estimate is (weight of the class + m · prior) / (weight of the node + m). Frequencies are m = 0; Laplace
is m = the number of classes, with even priors. Leaves of numbers predict the mean or the median, which the
core has already found. What a node would predict by its own rows may be drawn towards the nodes above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from arboretum._data.class_weights import ClassFactors
from arboretum._types import Array, Codes, Numbers

Arrays = Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class LeafRule:
    """How the class weights of a node become its probabilities and its label, and what they were made of."""

    m: float  # the number of rows that are added to every node …
    prior: Numbers  # … with these shares of the classes
    factors: Numbers  # what class weights are multiplied by: priors / observed shares
    loss: Numbers | None  # loss[true, predicted], if mistakes do not all cost the same
    # What the weights of rows were multiplied by before they were added up; None: an old file does not say.
    class_weight: Numbers | None = None

    @staticmethod
    def of(factors: ClassFactors, m: float = 0.0, prior: Numbers | None = None) -> LeafRule:
        """Return the m-estimate for classes that count by these factors; without a prior, by their shares."""
        shares = factors.shares if prior is None else prior
        return LeafRule(m, shares, factors.prior, factors.loss, factors.case)

    @staticmethod
    def plain(n_classes: int) -> LeafRule:
        """Return the rule of trees that know no other: observed frequencies, the most frequent class."""
        even, ones = np.full(n_classes, 1.0 / n_classes), np.ones(n_classes)
        return LeafRule(0.0, even, ones, None, ones)

    def probability(self, counts: Numbers) -> Numbers:
        """Return the probability of each class in each node, from class weights of shape (nodes, classes)."""
        weighed = counts * self.factors
        total = weighed.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):  # nodes without rows have no probabilities of their own
            estimate: Numbers = (weighed + self.m * self.prior) / (total + self.m)
        return estimate

    def leaves(self, arrays: Arrays, strength: float = 0.0) -> dict[str, Array]:
        """Return the probabilities and the label of each node of a grown tree, within its monotone bounds."""
        probability = shrunken(_inherited(self.probability(arrays["counts"]), arrays), arrays, strength)
        if "lower" in arrays:
            second = np.clip(probability[:, 1], arrays["lower"], arrays["upper"])
            probability = np.column_stack([1.0 - second, second])
        return {"probability": probability, "label": cheapest(probability, self.loss)}

    @property
    def changes_shares(self) -> tuple[str, ...]:
        """The options by which the shares of classes are not those of the rows."""
        has_weights = self.class_weight is not None and not (self.class_weight == 1).all()
        has_priors = not (self.factors == 1).all()
        return ("class_weight",) * has_weights + ("priors",) * has_priors

    def costs(self) -> Numbers:
        """Return what a mistake costs: the loss, or 1 for each."""
        return 1.0 - np.eye(len(self.prior)) if self.loss is None else self.loss


def number_leaves(arrays: Arrays, strength: float = 0.0) -> dict[str, Array]:
    """Return the prediction of each node of a grown tree, within its monotone bounds, if it has any.

    Where predictions are drawn towards the nodes above, `own_value` keeps those of the node's own rows.
    """
    own = _inherited(arrays.get("own_value", arrays["value"]), arrays)
    value = shrunken(own, arrays, strength)
    value = np.clip(value, arrays["lower"], arrays["upper"]) if "lower" in arrays else value
    return {"value": value, "own_value": own} if strength > 0 else {"value": value}


def shrunken(own: Numbers, arrays: Arrays, strength: float, start: Array | None = None) -> Numbers:
    """Return predictions that are drawn towards those of the nodes above.

    On the way down, each step from what a parent predicts by its own rows to what its child does counts for
    1 / (1 + strength / rows of the parent): hierarchical shrinkage (Agarwal and others 2022). `start` is
    what the root predicts, if that is not its own.
    """
    predicted = np.array(own, dtype=np.float64)
    if start is not None:
        predicted[0] = start
    if strength <= 0:
        return predicted
    parent = arrays["parent"]
    share = 1.0 / (1.0 + strength / np.maximum(arrays["n_rows"], 1))
    share = share if own.ndim == 1 else share[:, None]
    for level in levels_of(parent):
        above = parent[level]
        predicted[level] = predicted[above] + (own[level] - own[above]) * share[above]
    return predicted


def levels_of(parent: Array) -> Iterator[slice]:
    """Yield the nodes of each depth below the root; nodes are numbered level by level."""
    end = 1
    while end < len(parent):
        begin, end = end, int(np.searchsorted(parent, end))
        yield slice(begin, end)


def _inherited(predictions: Numbers, arrays: Arrays) -> Numbers:
    """Return the predictions, with those of the parent where a node has no rows."""
    empty = arrays["n_rows"] == 0
    if not empty.any():
        return predictions
    predictions = predictions.copy()
    predictions[empty] = predictions[arrays["parent"][empty]]
    return predictions


def cheapest(probability: Numbers, loss: Numbers | None) -> Codes:
    """Return the class of least expected loss for each node; without a loss matrix, the most probable one.

    Of several that are equal up to rounding it is the most probable, and of these the first.
    """
    if loss is None:
        return np.asarray(np.argmax(probability, axis=1), dtype=np.int32)
    cost = probability @ loss
    rounding = 8 * np.finfo(np.float64).eps * cost.max(axis=1, keepdims=True)
    least = cost <= cost.min(axis=1, keepdims=True) + rounding
    return np.asarray(np.argmax(np.where(least, probability, -1.0), axis=1), dtype=np.int32)
