"""Targets: what the core learns, with the weights that decide splits and those that are reported."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from arboretum._data.class_weights import ClassFactors, refuse_extreme, scale
from arboretum._data.queries import Queries
from arboretum._grow.order import order_targets, telling_rows
from arboretum._grow.training_rows import TrainingRows
from arboretum._types import Array, Codes, Numbers
from arboretum.errors import DataError

# The core adds weights up in steps of about 3e-18 of their sum: a row of this share has three of them. Whole
# numbers up to that sum are their own steps.
_LEAST_SHARE: Final = 1e-17
_MOST_WHOLE: Final = 2.0**59
_ROUNDED: Final = 1e-12  # of the largest target


@dataclass(frozen=True)
class Order:
    """How relevant rows are to their queries, which the targets of a criterion of order are made of."""

    relevance: Numbers
    queries: Queries
    weights: Numbers | None = None  # of the rows, as they were given

    def take(self, rows: Array) -> Order:
        """Return the order of these rows."""
        weights = None if self.weights is None else self.weights[rows]
        return Order(self.relevance[rows], self.queries.take(rows), weights)


@dataclass(frozen=True)
class Targets:
    """Class numbers or real numbers, with the weights of the rows."""

    n_rows: int
    classes: Codes | None = None
    n_classes: int = 0
    numbers: Numbers | None = None
    weights: Numbers | None = None  # decide the splits; None: every row counts 1
    case_weights: Numbers | None = None  # are reported, where they differ
    row_weight: float = 1.0  # what counts as one row, where limits and prices count weight
    order: Order | None = None  # what numbers and weights stand for, where an order is learnt

    def take(self, rows: Array) -> Targets:
        """Return the targets of these rows, given by number."""
        parts = {name: getattr(self, name) for name in ("classes", "numbers", "weights", "case_weights")}
        taken = {name: part[rows] for name, part in parts.items() if part is not None}
        order = None if self.order is None else self.order.take(rows)
        return replace(self, n_rows=len(rows), order=order, **taken)

    def shared(self, shares: Numbers) -> Targets:
        """Return the same rows, of which only these shares are present."""
        if (shares == 1.0).all():
            return self
        weights = shares if self.weights is None else self.weights * shares
        reported = None if self.case_weights is None else self.case_weights * shares
        return replace(self, weights=weights, case_weights=reported)

    @property
    def reported_weights(self) -> Numbers | None:
        """The reported weights; None where every row counts 1."""
        return self.weights if self.case_weights is None else self.case_weights

    @property
    def total_weight(self) -> float:
        """The sum of the weights that decide the splits, rounded once, whatever the order of the rows."""
        return float(self.n_rows) if self.weights is None else math.fsum(self.weights.tolist())


def average_weight(weights: Numbers) -> float:
    """Return the mean, rounded once, so that the order of the rows does not matter."""
    return math.fsum(weights.tolist()) / len(weights)


def evenly(targets: Targets) -> Targets:
    """Return the targets with the average deciding weight counted as one row.

    The weights themselves stay as they are: dividing them would round, and part what weighs the same.
    """
    return (
        targets if targets.weights is None else replace(targets, row_weight=average_weight(targets.weights))
    )


def class_targets(rows: TrainingRows, n_classes: int, factors: ClassFactors) -> Targets:
    """Return classes with the weights that decide splits and, where they differ, those reported."""
    n_rows, numbers = rows.data.n_rows, rows.targets
    reported = scale(rows.weights, factors.case, numbers)
    refuse_extreme(reported, "sample_weight and class_weight")
    deciding = scale(reported, factors.split, numbers)
    refuse_extreme(deciding, "sample_weight, class_weight, priors and loss")
    _refuse_light(rows, deciding, "sample_weight, class_weight, priors and loss together give")
    if not factors.alter_splits:
        return Targets(n_rows, classes=numbers, n_classes=n_classes, weights=_unless_even(deciding))
    reported = np.ones(n_rows) if reported is None else reported
    return Targets(n_rows, classes=numbers, n_classes=n_classes, weights=deciding, case_weights=reported)


def _unless_even(weights: Numbers | None) -> Numbers | None:
    """Return None where every row that is left counts 1: the core is faster without weights."""
    return None if weights is None or (weights == 1.0).all() else weights


def _refuse_light(rows: TrainingRows, weights: Numbers | None, givers: str) -> None:
    """Refuse a row whose weight is too small for the core to represent beside the others."""
    if weights is None:
        return
    row, total = int(np.argmin(weights)), float(weights.sum())
    if weights[row] >= _LEAST_SHARE * total or (total < _MOST_WHOLE and (weights == np.floor(weights)).all()):
        return
    given = row if rows.origin is None else int(rows.origin[row])
    raise DataError(
        f"{givers} row {given} the weight {weights[row]:g}, but a row weighs 0 or at least "
        f"{_LEAST_SHARE:g} of all rows together, which weigh {total:g}.\n"
        "Hint: leave such rows out with the weight 0, or bring the weights closer together."
    )


def refuse_targets(numbers: Numbers, criterion: str) -> None:
    """Refuse targets that the criterion does not allow."""
    if criterion == "poisson" and (numbers < 0).any():
        value = numbers[np.argmax(numbers < 0)]
        raise DataError(
            f"criterion='poisson' needs targets that are not negative, but y holds {value}.\n"
            "Hint: criterion='squared_error' takes any number."
        )


def refuse_zeros(criterion: str, *, any_above: bool) -> None:
    """Refuse targets none of which is above zero, if the criterion does not allow that."""
    if criterion == "poisson" and not any_above:
        raise DataError("criterion='poisson' needs a positive target, but all of y is zero.")


def numbers_of_part(rows: TrainingRows) -> Targets:
    """Return real targets that are some of a table's; what refuses targets was asked of all of them."""
    _refuse_light(rows, rows.weights, "sample_weight gives")
    return Targets(rows.data.n_rows, numbers=rows.targets, weights=_unless_even(rows.weights))


def number_targets(rows: TrainingRows, criterion: str) -> Targets:
    """Return real targets; refuse those that the criterion does not allow."""
    refuse_targets(rows.targets, criterion)
    refuse_zeros(criterion, any_above=bool(rows.targets.any()))
    return numbers_of_part(rows)


def ranked_targets(rows: TrainingRows, queries: Queries, criterion: str) -> tuple[TrainingRows, Targets]:
    """Return the rows that say something about an order, and the targets that stand for it."""
    telling = telling_rows(criterion, rows.targets, queries)
    rows, queries = rows.only(telling), queries.take(telling)
    order = Order(rows.targets, queries, rows.weights)
    numbers, weights = order_targets(criterion, order.relevance, order.weights, queries)
    _refuse_light(rows, weights, "sample_weight and the pairs of the queries together give")
    return rows, Targets(rows.data.n_rows, numbers=numbers, weights=_unless_even(weights), order=order)


def held_out_order(order: Order, criterion: str) -> Targets:
    """Return the targets of rows that no tree is grown from; those that tell of no order weigh 0."""
    telling = telling_rows(criterion, order.relevance, order.queries)
    some = order.take(telling)
    found, weighed = order_targets(criterion, some.relevance, some.weights, some.queries)
    numbers, weights = np.zeros(len(telling)), np.zeros(len(telling))
    numbers[telling], weights[telling] = found, 1.0 if weighed is None else weighed
    return Targets(len(telling), numbers=numbers, weights=weights, order=order)


def centred_values(values: Numbers, targets: Targets) -> Numbers:
    """Return the means of nodes, without rounding about zero: targets of a query add up to 0."""
    assert targets.numbers is not None
    rounding = _ROUNDED * float(np.abs(targets.numbers).max(initial=0.0))
    return np.where(np.abs(values) <= rounding, 0.0, values)
