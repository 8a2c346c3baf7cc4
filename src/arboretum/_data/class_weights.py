"""Class weights, priors and losses: everything that makes one class count for more than another.

A class factor multiplies the weight of every row of a class, in the search for splits or in what is reported.
As in rpart, a loss matrix acts on splits through altered priors, prior × (row sum of the loss); the
probabilities keep the true priors, and the label is the class of least expected loss.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from arboretum._data.targets import LARGEST_WEIGHT, SMALLEST_WEIGHT
from arboretum._types import Array, Codes, Numbers
from arboretum._wording import many, shown
from arboretum.errors import DataError, ParameterError, choices, listing


@dataclass(frozen=True)
class ClassFactors:
    """What the weight of a row is multiplied by, for each class, and what a mistake costs."""

    case: Numbers  # in what is reported as weight: class_weight
    prior: Numbers  # from there to probabilities: priors / observed shares
    split: Numbers  # from reported weight to that which decides splits, up to a common factor: prior × loss
    shares: Numbers  # of the classes in the population: the priors, or else what is observed
    loss: Numbers | None

    @property
    def alter_splits(self) -> bool:
        """Whether splits are decided by other weights than those reported."""
        return not bool((self.split == 1).all())


def class_totals(numbers: Array, weights: Numbers | None, n_classes: int) -> Numbers:
    """Return the total weight of each class, rounded once: the order of the rows makes no difference."""
    if weights is None:
        return np.bincount(numbers, minlength=n_classes).astype(np.float64)
    order = np.argsort(numbers, kind="stable")
    ends = np.searchsorted(numbers[order], np.arange(n_classes), side="right")
    return np.array([math.fsum(part.tolist()) for part in np.split(weights[order], ends)[:n_classes]])


def resolve_factors(
    classes: Array, totals: Numbers, *, class_weight: Any = None, priors: Any = None, loss: Any = None
) -> ClassFactors:
    """Return the factors for classes of these total weights from `class_weight`, `priors` and `loss`.

    Classes without rows count nothing.
    """
    check_class_options(class_weight, priors, loss)
    case = _resolve_class_weight(class_weight, classes, totals)
    priors, loss = _resolve_priors(priors, classes), read_loss(loss, classes)
    weighted = totals * case
    if not weighted.any():
        raise DataError("class_weight gives every row the weight zero, so there is nothing to learn from.")
    shares = weighted / weighted.sum()
    prior = np.ones_like(shares) if priors is None else _ratio(priors, shares)
    # Altered prior / share = (prior / share) × loss, up to a common factor: whole losses are kept exactly.
    split = prior if loss is None else prior * loss.sum(axis=1)
    return ClassFactors(case, prior, _even(split, shares), shares * prior, loss)


def check_class_options(class_weight: Any, priors: Any, loss: Any) -> None:
    """Refuse `class_weight`, `priors` and `loss` that are wrong whatever the classes are."""
    if priors is not None and class_weight is not None:
        raise ParameterError("class_weight and priors both rescale the classes; choose one of them.")
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ParameterError(choices("class_weight", class_weight, ["balanced", None]))
    elif class_weight is not None and not isinstance(class_weight, Mapping):
        raise ParameterError(
            f"class_weight={shown(class_weight)} is not allowed; give 'balanced' or {{class: weight}}."
        )
    if loss is not None:
        _check_costs(_floats("loss", loss))


def _check_costs(given: Numbers) -> None:
    """Refuse impossible costs; a wrong shape is refused later, when the classes are known."""
    is_square = given.ndim == 2 and given.shape[0] == given.shape[1]
    if is_square and (not ((given >= 0) & (given <= LARGEST_WEIGHT)).all() or np.diag(given).any()):
        raise ParameterError(
            f"loss={given.tolist()} is not allowed; its diagonal is zero, and no entry negative or above "
            f"{LARGEST_WEIGHT:g}."
        )


def scale(weights: Numbers | None, factors: Numbers, numbers: Codes) -> Numbers | None:
    """Return the weights times the factor of each row's class; None still means that every row counts 1."""
    if (factors == 1).all():
        return weights
    scaled: Numbers = factors[numbers]
    with np.errstate(over="ignore"):  # what is too large is refused in the end
        return scaled if weights is None else weights * scaled


def refuse_extreme(weights: Numbers | None, options: str) -> None:
    """Refuse weights whose sums would overflow or vanish; `options` names what made them so."""
    if weights is None:
        return
    wrong = ~((weights >= SMALLEST_WEIGHT) & (weights <= LARGEST_WEIGHT))
    if wrong.any():
        raise ParameterError(
            f"{options} together give a row the weight {weights[np.argmax(wrong)]:g}; weights that are not "
            f"zero lie between {SMALLEST_WEIGHT:g} and {LARGEST_WEIGHT:g}."
        )


def _ratio(wanted: Numbers, shares: Numbers) -> Numbers:
    """Return the factors that turn the shares into the wanted ones; classes without rows are left out."""
    factors = np.ones_like(shares)
    present = shares > 0
    factors[present] = wanted[present] / wanted[present].sum() / shares[present]
    return _even(factors, shares)


def _even(factors: Numbers, shares: Numbers) -> Numbers:
    """Return exactly 1 for all classes if the factors differ by rounding only: then they change nothing.

    A difference in the last digit would decide between questions that are equally good.
    """
    present = factors[shares > 0]
    same = present.max() - present.min() <= 8 * np.finfo(np.float64).eps * present.max()
    return np.ones_like(factors) if same else factors


def _resolve_class_weight(class_weight: Any, classes: Array, totals: Numbers) -> Numbers:
    """Return one factor per class from the option `class_weight`."""
    factors = np.ones(len(classes))
    if class_weight is None:
        return factors
    if isinstance(class_weight, str):  # "balanced"
        # By weight, not by number of rows, so that a row of weight 2 is the same as two rows.
        present = totals > 0
        factors[present] = totals.sum() / (present.sum() * totals[present])
        return factors
    labels = classes.tolist()
    # A weight for a class that has no rows is fine, as in one fold of many; unless it may be a misspelt one.
    if any(label not in class_weight for label in labels):
        _refuse_unknown("class_weight", class_weight, labels)
    given = _floats("class_weight", [class_weight.get(label, 1.0) for label in labels])
    if not ((given == 0) | ((given >= SMALLEST_WEIGHT) & (given <= LARGEST_WEIGHT))).all():
        raise ParameterError(
            f"class_weight={dict(class_weight)!r} is not allowed; weights are finite and not negative: "
            f"0, or from {SMALLEST_WEIGHT:g} to {LARGEST_WEIGHT:g}."
        )
    return given


def _refuse_unknown(option: str, given: Mapping[Any, Any], labels: list[Any]) -> None:
    if unknown := [label for label in given if label not in labels]:
        raise ParameterError(
            f"{option} names {listing(unknown)}, which is no class of the target; "
            f"its classes are {listing(labels, 10)}."
        )


def _floats(option: str, given: Any) -> Numbers:
    """Return numbers as an array; refuse text, even if it could be read as a number."""
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "biufO" or any(isinstance(x, str | bytes) for x in array.ravel().tolist()):
            raise ValueError("not numbers")
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{option}={shown(given)} holds something that is not a number.") from error


def _resolve_priors(priors: Any, classes: Array) -> Numbers | None:
    """Return the prior of each class: from a mapping, or from numbers in the order of the classes."""
    if priors is None:
        return None
    labels = classes.tolist()
    if isinstance(priors, Mapping):
        _refuse_unknown("priors", priors, labels)
        priors = [priors.get(label, 0.0) for label in labels]
    given = _floats("priors", priors)
    if given.shape != (len(labels),) or not (given > 0).all() or abs(given.sum() - 1.0) > 1e-8:
        raise ParameterError(
            f"priors={given.tolist()} are not allowed; give {many(len(labels), 'positive number')} that sum "
            f"to 1, in the order of the classes {listing(labels, 10)}, or {{class: prior}}."
        )
    normalised: Numbers = given / given.sum()
    return normalised


def read_loss(loss: Any, classes: Array) -> Numbers | None:
    """Return the loss matrix: loss[true, predicted] with a zero diagonal."""
    if loss is None:
        return None
    given = _floats("loss", loss)
    _check_costs(given)
    n = len(classes)
    if given.shape != (n, n):
        raise ParameterError(
            f"loss has the shape {given.shape}, but the target has {many(n, 'class')}; "
            f"give loss[true, predicted] of shape ({n}, {n})."
        )
    if n == 1:
        return None  # there is nothing to be mistaken about
    if not given.any(axis=1).all():
        label = classes.tolist()[int(np.argmin(given.any(axis=1)))]
        raise ParameterError(
            f"loss={given.tolist()} is not allowed; no mistake about the class {label!r} costs anything, "
            "so that nothing can be learnt about it."
        )
    return given
