"""Leaves: how the class weights of a node become probabilities, and probabilities a label.

The m-estimate is (weight of the class + m · prior) / (weight of the node + m). Frequencies are m = 0; Laplace
is m = the number of classes, with even priors. Leaves of numbers predict the mean or the median, which the
core has already found. What a node would predict by its own rows may be drawn towards the nodes above it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np

from arboretum import _core
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

    def probabilities(self, arrays: Arrays, strengths: Sequence[float]) -> Numbers:
        """Return the probabilities of each node of a grown tree, within its monotone bounds.

        They are drawn towards the nodes above, once for each strength: strengths × nodes × classes.
        """
        own = _inherited(self.probability(arrays["counts"]), arrays)
        found = shrunken(own, arrays, strengths)
        if "lower" in arrays:
            second = np.clip(found[..., 1], arrays["lower"], arrays["upper"])
            found = np.stack([1.0 - second, second], axis=-1)
        return found

    def leaves(self, arrays: Arrays, strength: float = 0.0) -> dict[str, Array]:
        """Return the probabilities and the label of each node of a grown tree."""
        (probability,) = self.probabilities(arrays, [strength])
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
    """Return the prediction of each node of a grown tree.

    Where predictions are drawn towards the nodes above, `own_value` keeps those of the node's own rows.
    """
    (value,) = number_predictions(arrays, [strength])
    return {"value": value, "own_value": _own_numbers(arrays)} if strength > 0 else {"value": value}


def number_predictions(arrays: Arrays, strengths: Sequence[float]) -> Numbers:
    """Return the prediction of each node, within its monotone bounds, for each strength of drawing it up."""
    found = shrunken(_own_numbers(arrays), arrays, strengths)
    return np.clip(found, arrays["lower"], arrays["upper"]) if "lower" in arrays else found


def _own_numbers(arrays: Arrays) -> Numbers:
    return _inherited(arrays.get("own_value", arrays["value"]), arrays)


def shrunken(own: Numbers, arrays: Arrays, strengths: Sequence[float], start: Array | None = None) -> Numbers:
    """Return predictions that are drawn towards those of the nodes above, for each of the strengths.

    On the way down, each step from what a parent predicts by its own rows to what its child does counts for
    1 / (1 + strength / rows of the parent): hierarchical shrinkage (Agarwal and others 2022). `start` is
    what the root predicts, if that is not its own.
    """
    first = np.atleast_1d(np.asarray(own[0] if start is None else start, dtype=np.float64))
    found = _core.shrunken(
        np.ascontiguousarray(arrays["parent"], dtype=np.int32),
        np.ascontiguousarray(arrays["n_rows"], dtype=np.int64),
        np.ascontiguousarray(own, dtype=np.float64).ravel(),
        first,
        np.array(strengths, dtype=np.float64),
    )
    return found.reshape(len(strengths), *own.shape)


def _inherited(predictions: Numbers, arrays: Arrays) -> Numbers:
    """Return the predictions, with those of the nearest node above that has rows where a node has none."""
    empty = arrays["n_rows"] == 0
    if not empty.any():
        return predictions
    source, parent = np.arange(len(empty)), arrays["parent"]
    for node in np.flatnonzero(empty).tolist():  # parents come first, so that theirs is known
        source[node] = source[parent[node]]
    inherited: Numbers = predictions[source]
    return inherited


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


def rule_bytes(rule: LeafRule | None) -> list[bytes]:
    """Return bytes that are equal only if all numbers of the rules are the same."""
    return [] if rule is None else [np.asarray(part, dtype=np.float64).tobytes() for part in astuple(rule)]
