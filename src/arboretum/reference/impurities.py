"""How mixed the targets of a node are, by each criterion, computed as on paper.

Fractions make equal gains equal; only entropy and poisson, which need logarithms, are floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any, TypeAlias

from arboretum.errors import DataError
from arboretum.reference.questions import choice

Number: TypeAlias = Fraction | float
Pairs: TypeAlias = Sequence[tuple[Any, Fraction]]  # target and weight of each row; the weights are above zero


@dataclass(frozen=True)
class Criterion:
    """An impurity, the label that goes with it, and which targets it can hold."""

    impurity: Callable[[Pairs], Number]
    label: Callable[[Pairs], Any]
    target: Callable[[Any], Any]
    admits: Callable[[Pairs], bool] = lambda pairs: True  # may these be the rows of a child?

    @property
    def of_classes(self) -> bool:
        """Whether the targets are classes rather than numbers."""
        return self.target is any_class


def criterion_named(name: str) -> Criterion:
    """Return the criterion of that name.

    >>> criterion_named("gini").impurity([("a", Fraction(3)), ("b", Fraction(4)), ("c", Fraction(2))])
    Fraction(52, 81)
    """
    return choice("criterion", name, CRITERIA)


def total(pairs: Pairs) -> Fraction:
    return sum((weight for _, weight in pairs), Fraction(0))


def class_weights(pairs: Pairs) -> dict[Any, Fraction]:
    weights: dict[Any, Fraction] = {}
    for target, weight in pairs:
        weights[target] = weights.get(target, Fraction(0)) + weight
    return weights


def class_shares(pairs: Pairs) -> list[Fraction]:
    return [weight / total(pairs) for weight in class_weights(pairs).values()]


def majority(pairs: Pairs) -> Any:
    """Return the class with the most weight; of equals, the first in sorted order."""
    weights = class_weights(pairs)
    return min(weights, key=lambda target: (-weights[target], target))


def mean(pairs: Pairs) -> Fraction:
    return sum((weight * target for target, weight in pairs), Fraction(0)) / total(pairs)


def median(pairs: Pairs) -> Fraction:
    """Return the mean of the lower and the upper weighted median.

    >>> median([(Fraction(target), Fraction(1)) for target in (1, 2, 4, 9)])
    Fraction(3, 1)
    """
    ascending = sorted(pairs)
    half = total(pairs) / 2
    running = list(accumulate(weight for _, weight in ascending))
    lower = next(target for (target, _), weight in zip(ascending, running, strict=True) if weight >= half)
    upper = next(target for (target, _), weight in zip(ascending, running, strict=True) if weight > half)
    return Fraction(lower + upper) / 2


def gini(pairs: Pairs) -> Number:
    return 1 - sum((share * share for share in class_shares(pairs)), Fraction(0))


def misclassification(pairs: Pairs) -> Number:
    return 1 - max(class_shares(pairs))


def entropy(pairs: Pairs) -> Number:
    # fsum does not depend on the order of the classes, so mirrored splits tie exactly.
    return max(0.0, math.fsum(-float(share) * math.log2(share) for share in class_shares(pairs)))


def squared_error(pairs: Pairs) -> Number:
    centre = mean(pairs)
    return sum((weight * (target - centre) ** 2 for target, weight in pairs), Fraction(0)) / total(pairs)


def absolute_error(pairs: Pairs) -> Number:
    centre = median(pairs)
    return sum((weight * abs(target - centre) for target, weight in pairs), Fraction(0)) / total(pairs)


def poisson(pairs: Pairs) -> Number:
    """Return the mean of y log(y/m) - y + m, where m is the mean of y; y log y is 0 at y = 0."""
    centre = mean(pairs)
    terms = [
        float(weight)
        * ((float(target) * math.log(target / centre) if target else 0.0) - float(target - centre))
        for target, weight in pairs
    ]
    return max(0.0, math.fsum(terms) / float(total(pairs)))


def positive_sum(pairs: Pairs) -> bool:
    """Refuse a mean of zero: it calls the event impossible, so any later event has an infinite deviance."""
    return any(target > 0 for target, _ in pairs)


def number(target: Any) -> Fraction:
    try:
        return Fraction(target)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"The target {target!r} is not a finite number, as this criterion needs.") from None


def count(target: Any) -> Fraction:
    value = number(target)
    if value < 0:
        raise DataError(f"The target {target!r} is below zero; criterion='poisson' needs counts or rates.")
    return value


def any_class(target: Any) -> Any:
    return target


CRITERIA = {
    "gini": Criterion(gini, majority, any_class),
    "entropy": Criterion(entropy, majority, any_class),
    "gain_ratio": Criterion(entropy, majority, any_class),  # columns compete by the ratio: see `splits`
    "misclassification": Criterion(misclassification, majority, any_class),
    "squared_error": Criterion(squared_error, mean, number),
    "absolute_error": Criterion(absolute_error, median, number),
    "poisson": Criterion(poisson, mean, count, positive_sum),
}
