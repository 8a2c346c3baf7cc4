"""What the targets of a node say about many questions at once: impurity, gain ratio and p-value.

A *table* is what some rows add up to: class weights, or sums of numbers. The left child of each cut is a
running sum of tables. Only the absolute error is not made of sums; it comes from running medians.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np

from arboretum._grow.impurities import (
    class_impurities,
    class_tables,
    entropy_of,
    may_be_children,
    number_impurities,
    number_tables,
    quotient,
    split_information,
)
from arboretum._types import Array, Indices, Mask, Numbers


@dataclass(frozen=True)
class _Targets:
    """The targets of rows that are judged; `aside` is the weight of the node's rows that are left aside."""

    criterion: str
    values: Array
    weights: Numbers
    aside: float = 0.0

    def only(self, rows: Mask) -> Self:
        """Return some of the rows; the others are left aside."""
        aside = self.aside + float(self.weights[~rows].sum())
        return replace(self, values=self.values[rows], weights=self.weights[rows], aside=aside)

    def of_rows(self, rows: Indices, weights: Numbers) -> Self:
        """Return some of the rows with other weights, as a node of their own."""
        return replace(self, values=self.values[rows], weights=weights, aside=0.0)

    @property
    def is_homogeneous(self) -> bool:
        """Whether all rows share one target."""
        return len(self.values) == 0 or bool(np.all(self.values == self.values[0]))

    @property
    def known_share(self) -> float:
        """The share of the node's weight that is not left aside."""
        known = float(self.weights.sum())
        return known / (known + self.aside)


@dataclass(frozen=True)
class ClassTarget(_Targets):
    """Classes as numbers 0, 1, …; a table holds the weight of each class."""

    n_labels: int = 0  # in the whole table

    @property
    def n_classes(self) -> int:
        return int(self.values.max()) + 1

    def only(self, rows: Mask) -> Self:
        """Return some of the rows, their classes numbered anew; the others are left aside."""
        chosen = super().only(rows)
        return replace(chosen, values=np.unique(chosen.values, return_inverse=True)[1])

    def of_rows(self, rows: Indices, weights: Numbers) -> Self:
        """Return some of the rows with other weights, as a node of their own; classes are numbered anew."""
        chosen = super().of_rows(rows, weights)
        return replace(chosen, values=np.unique(chosen.values, return_inverse=True)[1])

    def tables(self, groups: Indices, n_groups: int) -> Numbers:
        """Return one table for each group of rows."""
        return class_tables(self.values, self.weights, groups, n_groups, self.n_classes)

    def weight(self, tables: Numbers) -> Numbers:
        total: Numbers = tables.sum(axis=-1)
        return total

    def admits(self, tables: Numbers) -> Mask:
        """Return which tables may be children: all of them, for classes."""
        return np.ones(tables.shape[:-1], dtype=np.bool_)

    def impurity(self, tables: Numbers) -> Numbers:
        return class_impurities(self.criterion, tables)

    def ranks(self, groups: Indices, n_groups: int) -> Numbers:
        """Return numbers to order levels by: a column with the shares of each class (of two: the second)."""
        tables = self.tables(groups, n_groups + 1)[:n_groups]
        shares = quotient(tables, self.weight(tables)[..., None])
        return shares[:, 1:] if self.n_classes == 2 else shares

    @property
    def ties_are_alike(self) -> bool:
        """Whether levels that tie in the order differ in size only."""
        return self.n_classes <= 2

    def score(self, children: Numbers) -> Numbers:
        """Return the weight of the rows of each child's most frequent class, all children together."""
        right: Numbers = children.max(axis=-1).sum(axis=-1)
        return right

    def gain_ratio(self, children: Numbers) -> Numbers:
        """Return information gain over split information, whatever the criterion is."""
        node, weight = children.sum(axis=1), self.weight(children)
        shares = quotient(weight, self.weight(node)[:, None])
        inside = np.sum(shares * entropy_of(quotient(children, weight[..., None])), axis=1)
        gain = entropy_of(quotient(node, self.weight(node)[:, None])) - inside
        return quotient(np.maximum(gain, 0.0) * self.known_share, split_information(weight, self.aside))

    def p_value(self, children: Numbers) -> Numbers:
        """Return that of Pearson's chi-square, of children by classes, without continuity correction."""
        from scipy.stats import chi2

        node = children.sum(axis=1, keepdims=True)
        expected = self.weight(children)[..., None] * quotient(node, self.weight(node)[..., None])
        statistic = quotient((children - expected) ** 2, expected).sum(axis=(1, 2))
        n_children = np.count_nonzero(self.weight(children), axis=1)
        freedom = (n_children - 1) * (np.count_nonzero(node[:, 0], axis=1) - 1)
        return np.where(freedom > 0, chi2.sf(statistic, np.maximum(freedom, 1)), 1.0)


@dataclass(frozen=True)
class NumberTarget(_Targets):
    """Numbers; a table holds the sums of weight, y - mean, the square of that, y, and y log y."""

    def tables(self, groups: Indices, n_groups: int) -> Numbers:
        """Return one table for each group of rows."""
        return number_tables(self.values, self.weights, groups, n_groups)

    def weight(self, tables: Numbers) -> Numbers:
        return tables[..., 0]

    def admits(self, tables: Numbers) -> Mask:
        """Return which tables the criterion allows as children."""
        return may_be_children(self.criterion, tables)

    def impurity(self, tables: Numbers) -> Numbers:
        return number_impurities(self.criterion, tables)

    def ranks(self, groups: Indices, n_groups: int) -> Numbers:
        """Return the number to order levels by: their mean, or their median where leaves predict that."""
        if self.criterion == "absolute_error":
            return np.array([[self._median(groups == group)] for group in range(n_groups)])
        tables = self.tables(groups, n_groups + 1)[:n_groups]
        return quotient(tables[:, 1], tables[:, 0])[:, None]

    @property
    def ties_are_alike(self) -> bool:
        """Whether levels that tie in the order differ in size only."""
        return self.criterion != "absolute_error"

    def _median(self, rows: Mask) -> float:
        """Return the middle of some targets, or half-way between the two in the middle."""
        order = np.argsort(self.values[rows], kind="stable")
        values, so_far = self.values[rows][order], np.cumsum(self.weights[rows][order])
        low, high = (np.searchsorted(so_far, so_far[-1] / 2, side=side) for side in ("left", "right"))
        return float(values[low] + values[min(int(high), len(values) - 1)]) / 2

    def score(self, children: Numbers) -> Numbers:
        """Return NaN: numbers have no majority."""
        return np.full(len(children), np.nan)

    def gain_ratio(self, children: Numbers) -> Numbers:
        """Return NaN: numbers carry no information content."""
        return np.full(len(children), np.nan)

    def p_value(self, children: Numbers) -> Numbers:
        """Return that of the one-way F test: the spread between the children against that inside them."""
        from scipy.stats import f

        weight, centred, squares = (children[..., part] for part in range(3))
        within = np.maximum(np.sum(squares - quotient(centred**2, weight), axis=1), 0.0)
        between = np.sum(quotient(centred**2, weight), axis=1) - centred.sum(axis=1) ** 2 / weight.sum(axis=1)
        between = np.maximum(between, 0.0)
        above = np.count_nonzero(weight, axis=1) - 1
        below = weight.sum(axis=1) - above - 1
        # The sums leave rounding behind where there is no spread at all.
        noise = 1e-14 * (squares.sum(axis=1) + np.finfo(float).tiny)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = (between / above) / (within / below)
            p = np.where(within <= noise, 0.0, f.sf(statistic, above, below))
        p = np.where(below > 0, p, np.nan)
        return np.where((above > 0) & (between > noise), p, 1.0)


Target: TypeAlias = ClassTarget | NumberTarget


def absolute_errors_along(values: Numbers, weights: Numbers) -> Numbers:
    """Return the sums of weighted distances from their median, of the first 0, 1, 2, … values.

    All prefixes look for their median together: each step halves the ranks that it can have. `array` holds
    the ranks in the order of the bits already seen, `low` and `high` where each prefix lies in it. Any median
    gives the same sum, so the lower one will do.

    >>> absolute_errors_along(np.array([5.0, 1.0, 3.0]), np.ones(3)).tolist()
    [0.0, 0.0, 4.0, 4.0]
    """
    n_values = len(values)
    ascending = np.argsort(values, kind="stable")
    array = np.empty(n_values, dtype=np.intp)
    array[ascending] = np.arange(n_values)
    total_weight, total_sum = running(weights), running(weights * values)
    low, high = np.zeros(n_values + 1, dtype=np.intp), np.arange(n_values + 1)
    rank = np.zeros_like(low)
    weight_below, sum_below = np.zeros(n_values + 1), np.zeros(n_values + 1)
    for bit in reversed(range(n_values.bit_length())):
        small = array >> bit & 1 == 0
        rows = ascending[array]
        n_small = running(small)
        weight = running(np.where(small, weights[rows], 0.0))
        moment = running(np.where(small, (weights * values)[rows], 0.0))
        some_small = n_small[high] > n_small[low]
        some_large = high - n_small[high] > low - n_small[low]
        enough = weight_below + weight[high] - weight[low] >= total_weight / 2
        # Rounding must not send a prefix to a half in which it has no value.
        large = some_large & ~(enough & some_small)
        rank += large << bit
        weight_below += np.where(large, weight[high] - weight[low], 0.0)
        sum_below += np.where(large, moment[high] - moment[low], 0.0)
        low, high = (
            np.where(large, n_small[-1] + end - n_small[end], n_small[end]).astype(np.intp)
            for end in (low, high)
        )
        array = np.concatenate([array[small], array[~small]])
    median = values[ascending[np.minimum(rank, n_values - 1)]]
    errors = median * (2 * weight_below - total_weight) - 2 * sum_below + total_sum
    positive: Numbers = np.maximum(errors, 0.0)
    return positive


def running(amounts: Array) -> Array:
    """Return the sums of the first 0, 1, 2, … amounts."""
    return np.concatenate([[0], np.cumsum(amounts)])
