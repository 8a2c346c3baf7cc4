"""Choosing: which rules stay, in which order, and what is said of rows that none of them covers.

Each class keeps the rules that describe its rows in the fewest bits: those of the rules, and those that name
the exceptions (Quinlan 1993, chapter 5; his annealing is replaced by a search that always ends the same way).
Classes come in the order of their false alarms. At the end, rules go whose loss costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import gammaln

from arboretum._types import Array, Integers, Mask, Numbers
from arboretum.inspection.rules.generalising import Costs, Draft

_THEORY: Final = 0.5  # what a bit of a rule counts beside one of an exception: rules say some things twice
_LESS: Final = 1e-9


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows that no rule tells apart count as one, with what they cost together."""

    covers: Mask  # rules × groups
    size: Numbers
    cost: Numbers  # groups × classes
    of_class: Numbers  # groups × classes: the size of the rows of each class

    @staticmethod
    def grouped(covers: Mask, classes: Array, costs: Costs) -> Rows:
        """Return the groups of rows that the same rules cover."""
        packed = np.ascontiguousarray(np.packbits(covers, axis=0).T)
        if not packed.shape[1]:
            packed = np.zeros((covers.shape[1], 1), dtype=np.uint8)
        keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        n_groups, n_classes = len(first), costs.cost.shape[1]
        size, cost = np.zeros(n_groups), np.zeros((n_groups, n_classes))
        of_class = np.zeros((n_groups, n_classes))
        np.add.at(size, group, costs.size)
        np.add.at(cost, group, costs.cost)
        np.add.at(of_class, (group, classes), costs.size)
        return Rows(covers[:, first], size, cost, of_class)


def chosen_order(drafts: Sequence[Draft], rows: Rows, error: Numbers, bits: Numbers) -> tuple[list[int], int]:
    """Return the places of the rules that stay, in the order they are tried, and the default class."""
    labels = np.array([draft.label for draft in drafts], dtype=np.int64)
    kept = {
        label: _fewest_bits(np.flatnonzero(labels == label), label, rows, bits)
        for label in sorted(set(labels.tolist()))
    }
    order = _by_false_alarms(kept, rows, error)
    order, default = _sifted(order, labels, rows)
    return order, default


# --- which rules


def _fewest_bits(pool: Integers, label: int, rows: Rows, bits: Numbers) -> list[int]:
    """Return the rules of a class that describe its rows in the fewest bits."""
    ends = [
        _climbed(pool, np.full(len(pool), start, dtype=np.bool_), label, rows, bits)
        for start in (False, True)
    ]
    _, chosen = min(ends, key=lambda end: (round(end[0], 6), int(end[1].sum())))
    return [int(place) for place in pool[chosen]]


def _climbed(pool: Integers, chosen: Mask, label: int, rows: Rows, bits: Numbers) -> tuple[float, Mask]:
    """Add or remove the rule that saves the most bits, until none saves any."""
    covers, theory = rows.covers[pool], _THEORY * bits[pool]
    figures = np.stack([rows.size, rows.cost[:, label], rows.of_class[:, label]])
    whole, all_own = float(figures[0].sum()), float(figures[2].sum())
    count = covers[chosen].sum(axis=0, dtype=np.int64)

    def sums(groups: Mask) -> Numbers:
        """Return what the rules cover of some groups: size, mistakes, and rows of the class."""
        places = np.flatnonzero(groups)
        return np.asarray(figures[:, places] @ covers[:, places].T.astype(np.float64))

    def length(covered: Numbers, words: Numbers) -> Numbers:
        size, mistaken, found = covered
        return words + _choices(size, mistaken) + _choices(whole - size, all_own - found)

    # What each rule would bring along, and what would be lost without it. Both change only where the rule
    # that is added or removed covers something.
    brings, loses = sums(count == 0), sums(count == 1)
    covered = figures[:, count > 0].sum(axis=1)
    best = float(length(covered[:, None], np.array([theory[chosen].sum()]))[0])
    while len(pool):
        new = covered[:, None] + np.where(chosen, -loses, brings)
        words = theory[chosen].sum() + np.where(chosen, -theory, theory)
        lengths = length(new, words)
        place = int(np.argmin(lengths))
        if not lengths[place] < best - _LESS * max(1.0, abs(best)):
            break
        best, covered = float(lengths[place]), new[:, place]
        before, here = count, covers[place]
        count = count + (np.where(chosen[place], -1, 1) * here)
        brings = brings + sums(here & (count == 0)) - sums(here & (before == 0))
        loses = loses + sums(here & (count == 1)) - sums(here & (before == 1))
        chosen = chosen.copy()
        chosen[place] = not chosen[place]
    return best, chosen


def _choices(n: Numbers, k: Numbers) -> Numbers:
    """Return the bits that say which k of n rows are exceptions; both need not be whole."""
    n = np.maximum(n, 0.0)
    k = np.clip(k, 0.0, n)
    found: Numbers = (gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)) / np.log(2)
    return found


# --- in which order


def _by_false_alarms(kept: dict[int, list[int]], rows: Rows, error: Numbers) -> list[int]:
    """Return the rules class by class: the one that is wrong about the fewest rows left comes next."""
    order: list[int] = []
    left = np.ones(len(rows.size), dtype=np.bool_)
    todo = {label: places for label, places in kept.items() if places}
    while todo:
        covered = {label: rows.covers[places].any(axis=0) & left for label, places in todo.items()}
        label = min(todo, key=lambda label: (float(rows.cost[covered[label], label].sum()), label))
        order += sorted(todo.pop(label), key=lambda place: (float(error[place]), place))
        left &= ~covered[label]
    return order


def _sifted(order: list[int], labels: Integers, rows: Rows) -> tuple[list[int], int]:
    """Return the rules without those whose loss costs nothing, the costliest first, and the default class."""
    while order:
        now, without = _costs(order, labels, rows)
        least = float(without.min())
        if least > now + _LESS * max(1.0, now):
            break
        order.pop(int(np.flatnonzero(without == least)[-1]))  # of equal ones, the last
    covered = rows.covers[order].any(axis=0)
    return order, int(_defaults(rows.cost[~covered].sum(axis=0)[None], rows)[0])


def _costs(order: list[int], labels: Integers, rows: Rows) -> tuple[float, Numbers]:
    """Return what a list costs, and what it would cost without each of its rules.

    Without a rule, the next one that covers a group decides about it, or the default class, which may be
    another then.
    """
    said, covers = labels[order], rows.covers[order]
    groups = np.arange(covers.shape[1])
    first, covered = covers.argmax(axis=0), covers.any(axis=0)
    covers[first, groups] = False
    second, again = covers.argmax(axis=0), covers.any(axis=0)
    cost = rows.cost[groups, said[first]]
    own = np.bincount(first[covered], cost[covered], minlength=len(order))
    moved = np.bincount(first[again], rows.cost[groups, said[second]][again], minlength=len(order))
    alone = covered & ~again
    freed = np.zeros((len(order), rows.cost.shape[1]))
    np.add.at(freed, first[alone], rows.cost[alone])
    left = rows.cost[~covered].sum(axis=0)
    now = float(own.sum() + left[_defaults(left[None], rows)[0]])
    opened = left + freed
    of_default = opened[np.arange(len(order)), _defaults(opened, rows)]
    return now, own.sum() - own + moved + of_default


def _defaults(left: Numbers, rows: Rows) -> Integers:
    """Return the class that costs least about the rows left over; of equal ones, that which does overall."""
    overall = np.argsort(np.argsort(np.round(rows.cost.sum(axis=0), 9), kind="stable"))
    return np.array([np.lexsort((overall, np.round(each, 9)))[0] for each in left], dtype=np.int64)
