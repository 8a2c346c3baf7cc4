"""What held-out rows cost along a sequence of trees.

Sums over the held-out rows add up over trials, one for each fold. Where a tree divides rows, a prediction is
a mean over leaves; elsewhere a row rests at one node, and at a higher one as the tree becomes smaller. A
judge sees the predictions of all rows together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Final, Protocol, TypeVar

import numpy as np

from arboretum import _core
from arboretum._data.rows import Target
from arboretum._options.measures.measure import Measure
from arboretum._prune.pruning import Tuning, errors_at_nodes, modelled, sums_at_nodes
from arboretum._prune.risks import class_losses, predictions_at, predictions_of
from arboretum._prune.sequence import SAME, Sequence
from arboretum._tree.leaves import cheapest
from arboretum._tree.linear_models import models_of
from arboretum._tree.tree import labels_of
from arboretum._types import Array, Codes, Integers, Numbers, RowNumbers

_DIGITS: Final = 12  # of probabilities, some of which are means: rounding must not put rows in an order
_MOST_BLENDED: Final = 4_000_000  # numbers held at a time


class Judged(Protocol):
    """What trees are judged by: a sequence cut at some prices, and the losses of held-out rows."""

    @property
    def sums(self) -> Numbers:
        """The number of rows, and Σ w, Σ w · loss, Σ w · (loss / unit)² of them, at each price."""

    def squared_differences(self, best: int) -> Numbers:
        """Return Σ w · ((loss - loss at `best`) / unit)² at each step after `best`; zero before."""

    def losses_at(self, step: int, strengths: tuple[float, ...]) -> Numbers:
        """Return Σ w · loss of the tree at a step, for each strength of drawing along the path."""


AnyTrial = TypeVar("AnyTrial", bound=Judged)


def mean_losses(sums: Numbers, unit: float) -> tuple[Numbers, Numbers]:
    """Return the mean loss per unit of weight and its standard error; squares are of losses / unit.

    Rows are counted for the error, not their weight: a common factor in the weights changes nothing.
    """
    n_rows, weight, losses, squares = sums
    with np.errstate(invalid="ignore"):  # infinite losses have no spread
        mean_square = squares / weight
        variance = mean_square - (losses / weight / unit) ** 2
        # Losses that are all the same differ by rounding alone.
        spread = np.sqrt(np.where(variance <= SAME * mean_square, 0.0, variance))
        return losses / weight, unit * spread / np.sqrt(n_rows)


def with_totals(n_rows: int, weight: Array, found: Numbers) -> Numbers:
    """Return the number of rows and their weight beside what is found at each price."""
    totals = np.array([[float(n_rows)], _core.twofold_values(weight)])
    return np.vstack([np.broadcast_to(totals, found.shape), found])


def losses_along(sequence: Sequence, prices: Numbers, at_nodes: Iterable[Numbers]) -> Numbers:
    """Return Σ w · loss, Σ w · (loss / unit)² at each price, from what rows cost at the nodes."""
    steps = sequence.steps_at(prices)
    sums, squares, never = (sequence.sums_at_steps(steps, len(prices), errors) for errors in at_nodes)
    return np.array([np.where(never > 0, np.inf, sums), squares])


def differences_along(changes: Array) -> Numbers:
    """Return squared differences at each step from their changes; the last is what never counts."""
    return np.cumsum(_core.twofold_values(changes))[:-1]


def losses_of_sums(sums: Array) -> Numbers:
    """Return the losses that sums of doubled precision stand for: what is infinite leaves no number there."""
    losses = _core.twofold_values(sums)
    return np.where(np.isnan(losses), np.inf, losses)


@dataclass(frozen=True, eq=False)
class Trial:
    """A sequence of trees, each cut at one of the rising prices, and the rows that they are judged by."""

    sequence: Sequence
    prices: Numbers
    tuning: Tuning
    unit: float = 1.0  # of losses, where they are squared
    judge: Measure | None = None  # what compares trees, if that is no sum over nodes

    @property
    def rows(self) -> Integers | RowNumbers:
        """The numbers of the rows among the training rows; any where they are others."""
        given = self.tuning.rows
        return np.arange(self.tuning.targets.n_rows) if given is None else given

    @cached_property
    def sums(self) -> Numbers:
        """The number of rows, and Σ w, Σ w · loss, Σ w · (loss / unit)² of them, at each price."""
        unit = self.unit
        if self._divides or self.judge is not None:
            losses, weights = self._each(range(len(self.prices))), self.weights
            found = np.array([(weights @ loss, weights @ (loss / unit) ** 2) for loss in losses]).T
        else:
            at_nodes = errors_at_nodes(self.sequence.tree, self.tuning, self.sequence.measure, unit)
            found = losses_along(self.sequence, self.prices, at_nodes)
        return with_totals(self.tuning.targets.n_rows, self.weight_sum(), found)

    def weight_sum(self) -> Array:
        """Return Σ w of the rows, in doubled precision."""
        return _core.bin_sums(np.zeros(len(self.weights), dtype=np.int32), self.weights, 1)

    def error_sums(self) -> Array:
        """Return what rows cost at the nodes that they pass, in doubled precision."""
        return sums_at_nodes(self.sequence.tree, self.tuning, self.sequence.measure, self.unit)

    def squared_differences(self, best: int) -> Numbers:
        """Return Σ w · ((loss - loss at `best`) / unit)² at each step after `best`; zero before."""
        found, unit = np.zeros(len(self.prices) + 1), self.unit
        if self._divides or self.judge is not None:
            (least,) = self._each([best])
            for step, loss in enumerate(self._each(range(best + 1, len(self.prices))), best + 1):
                found[step] = (self.weights * ((loss - least) / unit) ** 2).sum()
            return found[:-1]
        return differences_along(self.change_sums(best))

    def change_sums(self, best: int) -> Array:
        """Return by how much squared differences change from step to step, in doubled precision."""
        n_steps, unit = len(self.prices) + 1, self.unit
        found = _core.bin_sums(np.zeros(0, dtype=np.int32), np.zeros(0), n_steps)
        nodes = self._resting_at(best)
        rows, least = np.arange(len(nodes)), self._losses(nodes, slice(None), self._predicted)
        before = np.zeros(len(nodes))
        while len(rows):  # all rows climb one node at a time; what that changes counts from its step on
            above = self.sequence.tree.array("parent")[nodes]
            rows, nodes, before = rows[above >= 0], above[above >= 0], before[above >= 0]
            after = ((self._losses(nodes, rows, self._predicted) - least[rows]) / unit) ** 2
            change = self.weights[rows] * (after - before)
            found = _core.add_twofold(found, _core.bin_sums(self._nested_steps[nodes], change, n_steps))
            before = after
        return found

    def losses_at(self, step: int, strengths: tuple[float, ...]) -> Numbers:
        """Return Σ w · loss of the tree at a step, for each strength of drawing along the path."""
        return losses_of_sums(self.loss_sums(step, strengths))

    def loss_sums(self, step: int, strengths: tuple[float, ...]) -> Array:
        """Return the same in doubled precision."""
        tree, measure = self.sequence.tree, self.sequence.measure
        if self._divides:
            predicted = predictions_at(tree, tree._arrays, measure, strengths)
            means = (next(self._blended([step], each)) for each in predicted)
            losses = np.array([self._row_losses(mean) for mean in means])
        else:  # nodes below those where rows rest do not matter
            nodes, arrays = self._cut_at(step)
            predicted = predictions_at(tree, arrays, measure, strengths)
            n_each = predicted.shape[1]
            places = nodes + n_each * np.arange(len(strengths))[:, None]
            losses = self._losses(places, slice(None), predicted.reshape(-1, *predicted.shape[2:]))
        bins = np.repeat(np.arange(len(strengths), dtype=np.int32), losses.shape[1])
        return _core.bin_sums(bins, np.ascontiguousarray(self._reported * losses).ravel(), len(strengths))

    def _cut_at(self, step: int) -> tuple[Codes, dict[str, Array]]:
        """Return the node at which each row rests at a step, and the arrays of the nodes down to these."""
        parent = self.sequence.tree.array("parent")
        kept = np.flatnonzero((parent < 0) | (self._nested_steps[parent] > step))
        place = np.full(len(parent) + 1, -1, dtype=np.int32)
        place[kept] = np.arange(len(kept))
        names = ("n_rows", "counts", "value", "own_value")
        arrays: dict[str, Array] = {
            name: array[kept] for name, array in self.sequence.tree._arrays.items() if name in names
        }
        return place[self._resting_at(step)], arrays | {"parent": place[parent[kept]]}

    @property
    def _divides(self) -> bool:
        return self.sequence.tree.missing == "fractions"

    @cached_property
    def _steps(self) -> Codes:
        return self.sequence.steps_at(self.prices)

    @cached_property
    def _nested_steps(self) -> Codes:
        """For each node the first step at which it, or a node above it, is a leaf."""
        return _core.nested_steps(self.sequence.shape, self._steps)

    @property
    def weights(self) -> Numbers:
        """What each row counts where losses are added up."""
        return self._reported if self.judge is None else self.judge.weigh(self.altered_weights)

    @cached_property
    def altered_weights(self) -> Numbers:
        """What each row counts with priors, which our own losses of classes contain; a judge's do not."""
        rule, classes = self.sequence.tree.rule, self.tuning.targets.classes
        if rule is None or classes is None:
            return self._reported
        altered: Numbers = self._reported * rule.factors[classes]
        return altered

    @cached_property
    def target(self) -> Target:
        """The targets of the rows, as a judge reads them."""
        targets, tree = self.tuning.targets, self.sequence.tree
        if targets.classes is None:
            return Target(None, None, targets.numbers)
        return Target(labels_of(tree), targets.classes.astype(np.intp), None)

    @property
    def gives_one(self) -> bool:
        """Whether the judge returns one number for all rows."""
        return self.judge is not None and next(self._judged([len(self.prices) - 1])).shape == ()

    def _each(self, steps: Iterable[int]) -> Iterator[Numbers]:
        """Yield the loss of each row at each of these rising steps."""
        if self.judge is not None:
            return (np.broadcast_to(loss, self.weights.shape) for loss in self._judged(steps))
        return map(self._row_losses, self._blended(steps, self._predicted))

    def _judged(self, steps: Iterable[int]) -> Iterator[Numbers]:
        """Yield what the judge says of each of these rising steps."""
        assert self.judge is not None
        tree, weights = self.sequence.tree, None if (self.weights == 1).all() else self.weights
        own = tree.array("value" if tree.rule is None else "probability")
        standing = self.judge.stands_for(len(self.prices))[list(steps)].tolist()
        distinct = list(dict.fromkeys(standing))
        measured = self._blended(distinct, own) if self._divides else self._rested(distinct, own)
        for predicted, (_, same) in zip(measured, groupby(standing), strict=True):
            known = predicted if tree.rule is None else np.round(predicted, _DIGITS)
            loss = self.judge.each(self.target, self.judge.read(known, tree.rule), weights)
            yield from (loss for _ in same)

    @cached_property
    def _reported(self) -> Numbers:
        given = self.tuning.targets.reported_weights
        return np.ones(self.tuning.targets.n_rows) if given is None else given

    @cached_property
    def _predicted(self) -> Numbers:
        return predictions_of(self.sequence.tree, self.sequence.measure)

    @cached_property
    def _leaves(self) -> Codes:
        return self.sequence.tree._router.leaves_of(self.tuning.data)

    def _rested(self, steps: Iterable[int], own: Numbers) -> Iterator[Numbers]:
        """Yield the prediction for each row at each of these steps."""
        if models_of(self.sequence.tree) is not None:
            return (modelled(self.sequence.tree, self.tuning, self._resting_at(step)) for step in steps)
        return (own[self._resting_at(step)] for step in steps)

    def _resting_at(self, step: int) -> Codes:
        """Return the node at which each row rests at a step."""
        return _core.resting_places(self.sequence.shape, self._nested_steps, step)[self._leaves]

    def _losses(self, nodes: Codes, rows: Integers | slice, predicted: Numbers) -> Numbers:
        """Return what rows cost that rest at these nodes."""
        targets, tree, measure = self.tuning.targets, self.sequence.tree, self.sequence.measure
        if models_of(tree) is not None:
            known = np.asarray(targets.numbers)[rows]
            return _number_losses(known, modelled(tree, self.tuning, nodes, rows), measure)
        if tree.rule is None or targets.classes is None:
            return _number_losses(np.asarray(targets.numbers)[rows], predicted[nodes], measure)
        costs = class_losses(predicted, None, tree.rule, measure)
        return np.asarray(costs[nodes, targets.classes[rows]])

    def _blended(self, steps: Iterable[int], predicted: Numbers) -> Iterator[Numbers]:
        """Yield the prediction for each row at each of these steps, where rows are divided.

        All nodes take part in a mean with the prediction of the node above them that is a leaf at that step,
        so that the tree is walked once for many steps.
        """
        tree, every = self.sequence.tree, list(steps)
        own = predicted.reshape(len(tree), -1)
        width = own.shape[1]
        at_once = max(1, _MOST_BLENDED // (width * (len(tree) + self.tuning.targets.n_rows)))
        for begin in range(0, len(every), at_once):
            chosen = np.array(every[begin : begin + at_once])
            at_leaf = own[self._leaves_at(chosen)].transpose(1, 0, 2)  # nodes, steps, width
            means = tree._router.blend(self.tuning.data, np.ascontiguousarray(at_leaf).reshape(len(tree), -1))
            means = means.reshape(-1, len(chosen), width)
            yield from (means[:, i] for i in range(len(chosen)))

    def _leaves_at(self, chosen: Integers) -> Integers:
        """Return for each chosen step and node the highest node on its path that is a leaf by then."""
        shape, nested = self.sequence.shape, self._nested_steps
        return np.stack([_core.resting_places(shape, nested, int(step)) for step in chosen])

    def _row_losses(self, predicted: Numbers) -> Numbers:
        """Return the loss of each row by its mean prediction."""
        targets, rule = self.tuning.targets, self.sequence.tree.rule
        if rule is None or targets.classes is None:
            return _number_losses(np.asarray(targets.numbers), predicted[:, 0], self.sequence.measure)
        costs = class_losses(predicted, cheapest(predicted, rule.loss), rule, self.sequence.measure)
        return np.asarray(costs[np.arange(len(costs)), targets.classes])


def _number_losses(numbers: Numbers, value: Numbers, measure: str) -> Numbers:
    match measure:
        case "squared_error":
            return (numbers - value) ** 2
        case "absolute_error":
            return np.abs(numbers - value)
        case "poisson":
            with np.errstate(divide="ignore", invalid="ignore"):
                deviance = np.where(numbers > 0, numbers * np.log(numbers / value), 0.0)
            return np.asarray(deviance - numbers + value)
    raise ValueError(f"no loss of numbers is called {measure!r}")
