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
    covers = rows.covers[pool].astype(np.float64)
    wrong, own = rows.cost[:, label], rows.of_class[:, label]
    whole, all_own = float(rows.size.sum()), float(own.sum())
    theory = _THEORY * bits[pool]
    count = covers[chosen].sum(axis=0)

    def length(covered: Numbers, words: Numbers) -> Numbers:
        size, mistaken, found = covered
        return words + _choices(size, mistaken) + _choices(whole - size, all_own - found)

    def sums(covered: Mask) -> Numbers:
        return np.array([rows.size[covered].sum(), wrong[covered].sum(), own[covered].sum()])

    best = float(length(sums(count > 0)[:, None], np.array([theory[chosen].sum()]))[0])
    while len(pool):
        gained, lost = count == 0, count == 1
        figures = np.stack([rows.size, wrong, own])
        with_it = (figures * gained) @ covers.T
        without = (figures * lost) @ covers.T
        new = sums(count > 0)[:, None] + np.where(chosen, -without, with_it)
        words = theory[chosen].sum() + np.where(chosen, -theory, theory)
        lengths = length(new, words)
        place = int(np.argmin(lengths))
        if not lengths[place] < best - _LESS * max(1.0, abs(best)):
            break
        best = float(lengths[place])
        count = count + (-covers[place] if chosen[place] else covers[place])
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
    default = _default(order, rows)
    cost = _cost(order, default, labels, rows)
    while order:
        others = [order[:place] + order[place + 1 :] for place in range(len(order))]
        defaults = [_default(other, rows) for other in others]
        found = [_cost(other, own, labels, rows) for other, own in zip(others, defaults, strict=True)]
        least = min(found)
        if least > cost + _LESS * max(1.0, cost):
            break
        place = len(found) - 1 - found[::-1].index(least)  # of equal ones, the last
        order, default, cost = others[place], defaults[place], least
    return order, default


def _default(order: list[int], rows: Rows) -> int:
    """Return the class that costs least where no rule covers; where every row is covered, the cheapest."""
    open_rows = ~rows.covers[order].any(axis=0)
    counted = open_rows if rows.size[open_rows].sum() > 0 else np.ones_like(open_rows)
    of_open, of_all = rows.cost[counted].sum(axis=0), rows.cost.sum(axis=0)
    return min(range(len(of_all)), key=lambda k: (round(float(of_open[k]), 9), round(float(of_all[k]), 9), k))


def _cost(order: list[int], default: int, labels: Integers, rows: Rows) -> float:
    said = np.full(len(rows.size), default)
    for place in reversed(order):
        said[rows.covers[place]] = labels[place]
    return float(rows.cost[np.arange(len(said)), said].sum())
