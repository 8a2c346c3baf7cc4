"""What the targets say about many splits at once: impurity, gain ratio and p-value of thousands of tables.
Words: table (what some rows add up to: class weights, or moments), children (tables of a split), aside.
Does not know columns or questions: `arboretum.candidate_questions` asks, `arboretum.candidates` lists.

Tables add up, so the left child of each cut is a running sum. Only the absolute error is not made of sums; it
comes from running medians.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arboretum.criteria import NUMBER_CRITERIA
from arboretum.errors import DataError
from arboretum.information import Codes, Floats, as_column, is_missing, label_codes
from arboretum.plurals import many

__all__ = ["ClassTarget", "NumberTarget", "Target", "read_target", "split_information"]


@dataclass(frozen=True)
class ClassTarget:
    """Classes as numbers 0, 1, …; a table holds the weight of each class.

    `aside` is the weight of the rows of the node that are left aside, `n_labels` how many classes there are
    in the whole table.
    """

    criterion: str
    values: Codes
    weights: Floats
    n_labels: int
    aside: float = 0.0

    @property
    def n_classes(self) -> int:
        return int(self.values.max()) + 1

    def only(self, rows: npt.NDArray[np.bool_]) -> ClassTarget:
        """Some of the rows; the others are left aside."""
        values: Codes = np.unique(self.values[rows], return_inverse=True)[1]
        aside = self.aside + float(self.weights[~rows].sum())
        return replace(self, values=values, weights=self.weights[rows], aside=aside)

    def tables(self, groups: Codes, n_groups: int) -> Floats:
        """One table for each group of rows."""
        cells: npt.NDArray[Any] = np.bincount(
            groups * self.n_classes + self.values, weights=self.weights, minlength=n_groups * self.n_classes
        )
        return cells.reshape(n_groups, self.n_classes)

    def weight(self, tables: Floats) -> Floats:
        total: Floats = tables.sum(axis=-1)
        return total

    def admits(self, tables: Floats) -> npt.NDArray[np.bool_]:
        """May these be children? Any may, for classes."""
        return np.ones(tables.shape[:-1], dtype=np.bool_)

    def impurity(self, tables: Floats) -> Floats:
        shares = quotient(tables, self.weight(tables)[..., None])
        if self.criterion == "gini":
            impurity = 1.0 - np.sum(shares * shares, axis=-1)
        elif self.criterion == "entropy":
            impurity = entropy_of(shares)
        else:
            impurity = 1.0 - shares.max(axis=-1)
        return at_least_zero(impurity)

    def ranks(self, groups: Codes, n_groups: int) -> Floats:
        """Numbers to order levels by, one column per order: the share of each class (of two: the second)."""
        tables = self.tables(groups, n_groups + 1)[:n_groups]
        shares = quotient(tables, self.weight(tables)[..., None])
        return shares[:, 1:] if self.n_classes == 2 else shares

    @property
    def ties_are_alike(self) -> bool:
        """Whether levels that tie in the order differ in size only."""
        return self.n_classes <= 2

    def gain_ratio(self, children: Floats) -> Floats:
        """Information gain over split information, whatever the criterion is."""
        node, weight = children.sum(axis=1), self.weight(children)
        shares = quotient(weight, self.weight(node)[:, None])
        inside = np.sum(shares * entropy_of(quotient(children, weight[..., None])), axis=1)
        information_gain = entropy_of(quotient(node, self.weight(node)[:, None])) - inside
        return quotient(
            at_least_zero(information_gain) * known_share(self), split_information(weight, self.aside)
        )

    def p_value(self, children: Floats) -> Floats:
        """Pearson's chi-square of each table of children by classes, without continuity correction."""
        from scipy.stats import chi2

        node = children.sum(axis=1, keepdims=True)
        expected = self.weight(children)[..., None] * quotient(node, self.weight(node)[..., None])
        statistic = quotient((children - expected) ** 2, expected).sum(axis=(1, 2))
        n_children = np.count_nonzero(self.weight(children), axis=1)
        freedom = (n_children - 1) * (np.count_nonzero(node[:, 0], axis=1) - 1)
        return np.where(freedom > 0, chi2.sf(statistic, np.maximum(freedom, 1)), 1.0)


@dataclass(frozen=True)
class NumberTarget:
    """Numbers; a table holds the weight, the sums of y - mean and of its square, of y and of y log y.

    `aside` is the weight of the rows of the node that are left aside.
    """

    criterion: str
    values: Floats
    weights: Floats
    aside: float = 0.0

    def only(self, rows: npt.NDArray[np.bool_]) -> NumberTarget:
        """Some of the rows; the others are left aside."""
        aside = self.aside + float(self.weights[~rows].sum())
        return replace(self, values=self.values[rows], weights=self.weights[rows], aside=aside)

    def tables(self, groups: Codes, n_groups: int) -> Floats:
        """One table for each group of rows."""
        # Distances from the mean keep the sum of squares from swallowing small differences of large numbers.
        centred = self.values - np.average(self.values, weights=self.weights)
        logarithms = np.log(self.values, where=self.values > 0, out=np.zeros_like(self.values))
        parts = (np.ones_like(centred), centred, centred**2, self.values, self.values * logarithms)
        sums = [np.bincount(groups, weights=self.weights * part, minlength=n_groups) for part in parts]
        return np.stack(sums, axis=-1)

    def weight(self, tables: Floats) -> Floats:
        return tables[..., 0]

    def admits(self, tables: Floats) -> npt.NDArray[np.bool_]:
        """May these be children? Not with a mean of zero for poisson: no later event could be explained."""
        if self.criterion != "poisson":
            return np.ones(tables.shape[:-1], dtype=np.bool_)
        positive: npt.NDArray[np.bool_] = tables[..., 3] > 0
        return positive

    def impurity(self, tables: Floats) -> Floats:
        """Squared error or poisson deviance; the absolute error is not made of sums."""
        weight, centred, squares, total, logarithms = np.moveaxis(tables, -1, 0)
        if self.criterion == "poisson":
            mean = quotient(total, weight)
            expected = total * np.log(mean, where=mean > 0, out=np.zeros_like(mean))
            return at_least_zero(quotient(logarithms - expected, weight))
        return at_least_zero(quotient(squares, weight) - quotient(centred, weight) ** 2)

    def ranks(self, groups: Codes, n_groups: int) -> Floats:
        """The number to order levels by: their mean, or their median where that is what leaves predict."""
        if self.criterion == "absolute_error":
            return np.array([[self._median(groups == group)] for group in range(n_groups)])
        tables = self.tables(groups, n_groups + 1)[:n_groups]
        return quotient(tables[:, 1], tables[:, 0])[:, None]

    @property
    def ties_are_alike(self) -> bool:
        """Whether levels that tie in the order differ in size only."""
        return self.criterion != "absolute_error"

    def _median(self, rows: npt.NDArray[np.bool_]) -> float:
        """The middle of some targets, or half-way between the two in the middle."""
        order = np.argsort(self.values[rows], kind="stable")
        values, so_far = self.values[rows][order], np.cumsum(self.weights[rows][order])
        low, high = (np.searchsorted(so_far, so_far[-1] / 2, side=side) for side in ("left", "right"))
        return float(values[low] + values[min(int(high), len(values) - 1)]) / 2

    def gain_ratio(self, children: Floats) -> Floats:
        """Not defined for numbers, which carry no information content."""
        return np.full(len(children), np.nan)

    def p_value(self, children: Floats) -> Floats:
        """One-way F test: the spread between the children's means against that within the children."""
        from scipy.stats import f

        weight, centred, squares = (children[..., part] for part in range(3))
        within = at_least_zero(np.sum(squares - quotient(centred**2, weight), axis=1))
        between = np.sum(quotient(centred**2, weight), axis=1) - centred.sum(axis=1) ** 2 / weight.sum(axis=1)
        between = at_least_zero(between)
        above = np.count_nonzero(weight, axis=1) - 1
        below = weight.sum(axis=1) - above - 1
        # The sums leave rounding behind where the spread is none at all.
        noise = 1e-14 * (squares.sum(axis=1) + np.finfo(float).tiny)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = (between / above) / (within / below)
            p = np.where(within <= noise, 0.0, f.sf(statistic, above, below))
        p = np.where(below > 0, p, np.nan)
        return np.where((above > 0) & (between > noise), p, 1.0)


Target: TypeAlias = ClassTarget | NumberTarget


def read_target(y: Any, criterion: str, n_rows: int, keep: npt.NDArray[np.bool_], weights: Floats) -> Target:
    """The targets of the rows to keep, checked for what the criterion needs."""
    values = as_column(y, "y")
    if len(values) != n_rows:
        raise DataError(
            f"y has {many(len(values), 'value')}, but X has {many(n_rows, 'row')}; "
            "one target per row is needed."
        )
    if criterion in NUMBER_CRITERIA:
        return NumberTarget(criterion, read_numbers(values, criterion)[keep], weights[keep])
    refuse_missing_or_fractions(values, criterion)
    labels = label_codes(values)
    kept = np.unique(labels[keep], return_inverse=True)[1]
    return ClassTarget(criterion, kept, weights[keep], n_labels=len(np.unique(labels)))


def read_numbers(values: npt.NDArray[Any] | list[Any], criterion: str) -> Floats:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"y must hold numbers for criterion={criterion!r}. Hint: for classes use 'gini' or 'entropy'."
        ) from None
    lowest = 0.0 if criterion == "poisson" else -np.inf
    wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= lowest)))
    if len(wrong):
        allowed = "finite numbers from 0 upwards" if criterion == "poisson" else "finite numbers"
        raise DataError(
            f"y holds {numbers[wrong[0]]} in row {wrong[0]}; criterion={criterion!r} allows {allowed} only."
        )
    return numbers


def refuse_missing_or_fractions(values: npt.NDArray[Any] | list[Any], criterion: str) -> None:
    """Classes must be known, and fractions are hardly classes: criterion='squared_error' was meant."""
    fractions = isinstance(values, np.ndarray) and values.dtype.kind == "f"
    for row, value in enumerate(values):
        if is_missing(value):
            raise DataError(f"y is missing in row {row}; every row needs a class. Hint: leave such rows out.")
        if fractions and value % 1 != 0:
            raise DataError(
                f"y holds {value} in row {row}, but criterion={criterion!r} counts classes. "
                "Hint: use criterion='squared_error' for numbers, or turn the classes into text."
            )


def known_share(target: Target) -> float:
    """How much of the node's weight is not left aside."""
    known = float(target.weights.sum())
    return known / (known + target.aside)


def split_information(weights: Floats, aside: float) -> Floats:
    """The information of the answers themselves; that there is none, for the rows left aside, is one more.

    >>> split_information(np.array([[2.0, 1.0]]), aside=1.0).tolist()
    [1.5]
    """
    parts = np.column_stack([weights, np.full(len(weights), aside)])
    return entropy_of(quotient(parts, parts.sum(axis=1, keepdims=True)))


def quotient(above: Floats, below: Floats) -> Floats:
    """above / below, and 0 where below is 0: an empty child has no share of anything."""
    shape = np.broadcast_shapes(above.shape, below.shape)
    return np.divide(above, below, out=np.zeros(shape), where=np.broadcast_to(below != 0, shape))


def at_least_zero(numbers: Any) -> Floats:
    """Rounding below zero counts as zero."""
    clipped: Floats = np.maximum(numbers, 0.0)
    return clipped


def entropy_of(shares: Floats) -> Floats:
    """-sum of p log2 p over the last axis."""
    logarithms = np.log2(shares, where=shares > 0, out=np.zeros_like(shares))
    return at_least_zero(-np.sum(shares * logarithms, axis=-1))


def absolute_errors_along(values: Floats, weights: Floats) -> Floats:
    """The sum of weighted distances from their median, of the first 0, 1, 2, … values.

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
    return at_least_zero(errors)


def running(amounts: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The sums of the first 0, 1, 2, … amounts."""
    return np.concatenate([[0], np.cumsum(amounts)])


def absolute_error_of(values: Floats, weights: Floats) -> float:
    """The sum of weighted distances from the median of values that ascend; weights may be zero."""
    so_far = np.cumsum(weights)
    if len(values) == 0 or so_far[-1] == 0:
        return 0.0
    median = values[np.searchsorted(so_far, so_far[-1] / 2)]
    return float(weights @ np.abs(values - median))
