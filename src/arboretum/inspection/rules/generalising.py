"""Generalising: conditions that a rule is better without are dropped, one by one.

The rows that meet all conditions but one are those that would come along without it, so that one pass over
the rows judges every condition of a rule (Quinlan 1993, chapter 5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaincinv

from arboretum._types import Mask, Numbers
from arboretum.inspection.rules.conditions import Allowed, Condition
from arboretum.inspection.rules.matching import Table
from arboretum.inspection.rules.premises import known_values


@dataclass(frozen=True)
class Draft:
    """A rule on its way to the list: conditions that are asked one by one, and the number of its class."""

    conditions: tuple[Condition, ...]
    label: int


@dataclass(frozen=True, eq=False)
class Costs:
    """What rows cost if they are called by each class: their weight times the loss, scaled to one a row."""

    size: Numbers  # the most that each row can cost
    cost: Numbers  # rows × classes
    confidence: float | None

    def error(self, wrong: Numbers, size: Numbers) -> Numbers:
        """Return the error rates of rules that cost so much: a pessimist's, or as they are.

        The pessimist takes the upper limit of a binomial share, which so few errors exceed with a chance of
        `confidence`. Without rows, everything may be wrong.
        """
        if self.confidence is None:
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.where(size > 0, wrong / size, 1.0)
        right = np.maximum(size - wrong, 0.0)
        certain = right <= 1e-12 * np.maximum(size, 1.0)
        limit = betaincinv(wrong + 1.0, np.where(certain, 1.0, right), 1.0 - self.confidence)
        return np.where(certain, 1.0, limit)


def single_conditions(conditions: Iterable[Condition], *, divided: bool) -> tuple[Condition, ...]:
    """Return conditions that can be dropped alone: an interval is two of them.

    Where rows are divided, one whose value is missing meets no condition about it.
    """
    parts: list[Condition] = []
    for condition in conditions:
        if divided and isinstance(condition, Allowed) and condition.share is not None:
            condition = replace(known_values(condition), missing=False)
        if isinstance(condition, Allowed) and condition.above is not None and condition.at_most is not None:
            parts += [replace(condition, at_most=None), replace(condition, above=None)]
        else:
            parts.append(condition)
    return tuple(parts)


class Asker:
    """Asks conditions of a table, each only once."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._met: dict[Condition, Mask] = {}

    def meets(self, condition: Condition) -> Mask:
        """Return which rows meet a condition."""
        if condition not in self._met:
            self._met[condition] = self._table.meets(condition)
        return self._met[condition]

    def covered(self, conditions: Sequence[Condition]) -> Mask:
        """Return which rows meet all conditions."""
        covered: Mask = np.ones(self._table.n_rows, dtype=np.bool_)
        for condition in conditions:
            covered &= self.meets(condition)
        return covered

    @property
    def n_conditions(self) -> int:
        """How many different conditions were asked."""
        return len(self._met)


def generalised(draft: Draft, asker: Asker, costs: Costs) -> Draft:
    """Return the rule without the conditions that do not lower its error rate.

    The condition without which the error is least goes first; of equal ones, the last, since questions far
    down in a tree are asked of few rows.
    """
    kept = list(draft.conditions)
    if not kept:
        return draft
    cost = costs.cost[:, draft.label]
    failed = ~np.array([asker.meets(condition) for condition in kept])
    n_failed = failed.sum(axis=0, dtype=np.int32)
    while kept:
        covered, alone = n_failed == 0, np.flatnonzero(n_failed == 1)
        by = failed[:, alone].argmax(axis=0)  # the one condition that keeps each of these rows out
        now = costs.error(np.array([cost[covered].sum()]), np.array([costs.size[covered].sum()]))[0]
        sizes = costs.size[covered].sum() + np.bincount(by, costs.size[alone], minlength=len(kept))
        wrongs = cost[covered].sum() + np.bincount(by, cost[alone], minlength=len(kept))
        without = costs.error(wrongs, sizes).tolist()
        least = min(without)
        if least > now:
            break
        place = len(without) - 1 - without[::-1].index(least)
        n_failed -= failed[place]
        failed = np.delete(failed, place, axis=0)
        kept.pop(place)
    return replace(draft, conditions=tuple(kept))
