"""Gain ratio: the information gain divided by the information of the answer itself, with C4.5's refinements.
Words: split information, guard (the least gain that may win), penalty (what a choice among many cuts costs).
Does not find questions: it corrects and compares those that `splits` has found.

A question with many answers gains much and says little. The ratio makes up for that, but it also favours
questions whose answer is nearly always the same; that is why the guard asks for an average gain at least.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from arboretum.errors import ParameterError, choices
from arboretum.reference.impurities import entropy
from arboretum.reference.nodes import Split
from arboretum.reference.parts import Part, Table, weight_of
from arboretum.reference.questions import Threshold

__all__ = ["GainRatio", "as_gain_ratio", "least_side", "passing", "pay", "rate"]
__all__ += ["without_rounding"]

# Logarithms are rounded: numbers that are equal on paper may differ by a little less than this.
ROUNDING = Fraction(1, 10**12)


@dataclass(frozen=True)
class GainRatio:
    """How columns compete: the guard is "average", "c45" or None; the penalty is for thresholds only."""

    guard: str | None = "average"
    numeric_penalty: bool = False


def as_gain_ratio(criterion: Any) -> GainRatio | None:
    """The options of "gain_ratio" or of an object with `guard` and `numeric_penalty`; None for all others."""
    if criterion == "gain_ratio":
        return GainRatio()
    if not (hasattr(criterion, "guard") and hasattr(criterion, "numeric_penalty")):
        return None
    if criterion.guard not in ("average", "c45", None):
        raise ParameterError(choices("guard", criterion.guard, ("average", "c45", None)))
    return GainRatio(criterion.guard, criterion.numeric_penalty)


def least_side(ratio: GainRatio, table: Table, judged: Fraction) -> Fraction:
    """The least weight of each side of a cut: with the penalty, a tenth of an average class, at most 25."""
    if not ratio.numeric_penalty or table.classes is None:
        return Fraction(0)
    return min(Fraction(25), judged / len(table.classes) / 10)


def rate(part: Part, split: Split, price: float = 0.0) -> Split:
    """The split with its gain ratio, after its price was paid."""
    gain, information = float(split.gain) - price, split_information(part, split)
    return split._replace(gain=gain, gain_ratio=gain / information if information > 0 else 0.0)


def pay(ratio: GainRatio, part: Part, best: Split, splits: Sequence[Split]) -> Split | None:
    """The best split of a column, less the price of being chosen among many cuts; None if nothing is left."""
    if not ratio.numeric_penalty or not isinstance(best.question, Threshold):
        return best
    n_cuts = sum(isinstance(split.question, Threshold) for split in splits)
    paid = rate(part, best, math.log2(n_cuts) / float(weight_of(part)))
    return paid if paid.gain > 0 else None


def split_information(part: Part, split: Split) -> float:
    """The entropy of the children's weights, in bits.

    The rows that no child holds, because their value is missing, are one more answer.
    """
    weights = [weight_of(part, child) for child in split.children]
    weights.append(weight_of(part) - sum(weights))
    return float(entropy([(answer, weight) for answer, weight in enumerate(weights) if weight > 0]))


def passing(ratio: GainRatio, table: Table, candidates: Sequence[Split]) -> list[Split]:
    """The candidates that the guard lets pass; of these, the one of the largest ratio wins."""
    guards: dict[str | None, Callable[[], Fraction]] = {
        "average": lambda: average_gain(candidates) * (1 - ROUNDING),
        "c45": lambda: average_gain(few_levels(table, candidates) or candidates) - Fraction(1, 1000),
        None: lambda: Fraction(0),
    }
    least = guards[ratio.guard]() if candidates else Fraction(0)
    return [split for split in candidates if split.gain >= least]


def without_rounding(ratio: float | None) -> float:
    """The number by which ratios are compared, so that those which are equal on paper tie."""
    return round(ratio or 0.0, 12)


def average_gain(candidates: Sequence[Split]) -> Fraction:
    return sum((Fraction(split.gain) for split in candidates), Fraction(0)) / len(candidates)


def few_levels(table: Table, candidates: Sequence[Split]) -> list[Split]:
    """Those whose column has fewer levels than three tenths of the table's rows; numbers have none."""
    return [
        split for split in candidates if 10 * len(table.levels[split.question.column]) < 3 * len(table.rows)
    ]
