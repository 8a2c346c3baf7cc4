"""All questions about one column of a node, each with what it achieves, as arrays.

Whatever the kind of column, its rows fall into buckets, one for each value or level. A question chooses the
buckets of child 0, the *left* one: those up to a cut, one level, or a subset of levels. Missing rows are one
more bucket: on either side, or alone. Rows that are left aside do not come here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from arboretum._grow.impurities import absolute_error, quotient, split_information
from arboretum._types import Array, Indices, Mask, Numbers
from arboretum.inspection.candidates.targets import Target, absolute_errors_along, known_share

MAX_CELLS = 2**22  # of the arrays made at a time


@dataclass(frozen=True)
class Buckets:
    """The bucket of each row, numbered from 0; missing rows have the number after the last."""

    codes: Indices
    n_buckets: int

    @property
    def some_missing(self) -> bool:
        return bool(np.any(self.codes == self.n_buckets))

    def renumbered(self, order: Indices) -> Buckets:
        """Return the same rows, with the buckets numbered in another order."""
        numbers = np.append(np.argsort(order), self.n_buckets)
        return Buckets(numbers[self.codes], self.n_buckets)


@dataclass(frozen=True)
class Cuts:
    """Left are all buckets up to and including `last`."""

    last: Indices

    def __len__(self) -> int:
        return len(self.last)

    def add_up(self, tables: Array) -> Array:
        return np.cumsum(tables, axis=0)[self.last]


@dataclass(frozen=True)
class Sides:
    """Left are the buckets with a mark; one row of marks for each question."""

    marks: Mask

    def __len__(self) -> int:
        return len(self.marks)

    def add_up(self, tables: Array) -> Array:
        left: Array = self.marks.astype(tables.dtype) @ tables
        return left


@dataclass(frozen=True)
class Singles:
    """Left is one bucket; a question for each of them."""

    n_buckets: int

    def __len__(self) -> int:
        return self.n_buckets

    @property
    def marks(self) -> Mask:
        """The marks that `Sides` would have."""
        return np.eye(self.n_buckets, dtype=np.bool_)

    def add_up(self, tables: Array) -> Array:
        return tables


Choice: TypeAlias = Cuts | Sides | Singles


@dataclass(frozen=True)
class Asked:
    """Questions of one form about one column. `left` is what tells them apart: last buckets, or marks."""

    form: Literal["cut", "level", "subset", "missing", "multiway"]
    left: Array
    missing_left: Mask
    n_rows: Indices  # one row per question, one number per child
    weights: Numbers  # likewise
    impurity: Numbers
    gain: Numbers
    gain_ratio: Numbers
    p_value: Numbers
    price: float = 0.0  # of choosing among many, to be paid from the gain

    def __len__(self) -> int:
        return len(self.gain)

    @property
    def divides(self) -> Mask:
        """Whether the rows go to more than one child."""
        several: Mask = np.count_nonzero(self.n_rows, axis=1) > 1
        return several

    def only(self, which: Array) -> Asked:
        """Return some of the questions."""
        return replace(self, **{name: getattr(self, name)[which] for name in PER_QUESTION})


# The arrays of `Asked` that have an entry for each question.
PER_QUESTION: Final = (
    *("left", "missing_left", "n_rows", "weights", "impurity", "gain", "gain_ratio", "p_value"),
)


@dataclass(frozen=True)
class Limits:
    """The rows, and up to rounding the weight, that make a child large enough."""

    rows: int
    weight: float = 0.0

    @property
    def smallest(self) -> bool:
        """Whether one row is enough."""
        return max(self.rows, self.weight) <= 1

    def allow(self, asked: Asked) -> Mask:
        """Return a flag for each child of each question."""
        large: Mask = self.are_kept(asked.n_rows, asked.weights)
        return large

    def are_kept(self, n_rows: Any, weights: Any) -> Any:
        """Return a flag for each pair of a number of rows and a weight."""
        return (n_rows >= self.rows) & (weights >= self.weight * (1 - 1e-9))

    def admissible(self, asked: Asked) -> Asked:
        """Return the questions whose children are all large enough."""
        return asked.only(np.all(self.allow(asked), axis=1))


def ask_about_cuts(
    target: Target, buckets: Buckets, limits: Limits, *, class_change: bool, priced: bool
) -> Iterator[Asked]:
    """Yield `x <= t` between neighbouring buckets, and "is x missing?".

    The price of a cut is the information of its choice among all cuts, spread over the rows of the node.
    """
    last = np.arange(buckets.n_buckets - 1)
    asked = limits.admissible(ask(target, buckets, "cut", Cuts(last), last))
    if priced and len(asked):
        asked = replace(asked, price=float(np.log2(len(asked)) / (target.weights.sum() + target.aside)))
    if class_change:
        asked = asked.only(np.take(changes(target, buckets), asked.left))
    yield asked
    yield from ask_about_missing(target, buckets, limits)


def ask_about_levels(
    target: Target, buckets: Buckets, limits: Limits, n_levels: int, present: Indices
) -> Iterator[Asked]:
    """Yield `x = v` for each declared level; one without rows splits nothing, and is listed with gain 0."""
    marks = np.zeros((n_levels, buckets.n_buckets), dtype=np.bool_)
    marks[present, np.arange(buckets.n_buckets)] = True
    asked = ask(target, buckets, "level", Sides(marks), np.arange(n_levels))
    without_rows = ~np.isin(asked.left, present)
    keep = limits.allow(asked).all(axis=1) & ~without_rows
    if limits.smallest:
        keep |= without_rows & ~asked.missing_left
    yield asked.only(keep)
    yield from ask_about_missing(target, buckets, limits)


def ask_about_each(
    target: Target, buckets: Buckets, limits: Limits, n_levels: int, present: Indices
) -> Iterator[Asked]:
    """Yield a branch for each declared level, with or without rows, and one for the missing rows, if any.

    At least two of the branches must be large enough.
    """
    branches = np.append(present, n_levels)[buckets.codes]
    n_children = n_levels + buckets.some_missing
    n_rows = np.bincount(branches, minlength=n_children)[None, :]
    children = target.tables(branches, n_children)[None, :]
    errors = None
    if target.criterion == "absolute_error":
        errors = np.array([[error_of(target, branches == branch) for branch in range(n_children)]])
    none = np.zeros(1, dtype=np.bool_)
    scores = score(target, children, errors)
    asked = Asked("multiway", none, none, n_rows, target.weight(children), *scores)
    if bool(np.all(target.admits(children) | (n_rows == 0))):
        yield asked.only(np.count_nonzero(limits.allow(asked), axis=1) > 1)


def ask_about_missing(target: Target, buckets: Buckets, limits: Limits) -> Iterator[Asked]:
    """Yield "is x missing?": child 0 holds the missing rows."""
    if buckets.some_missing and buckets.n_buckets > 0:
        two = Buckets(np.where(buckets.codes == buckets.n_buckets, 0, 1), 2)
        first = np.zeros(1, dtype=np.intp)
        asked = ask(target, two, "missing", Cuts(first), first)
        yield limits.admissible(replace(asked, missing_left=np.ones_like(asked.missing_left)))


def pay(asked: Asked, target: Target) -> Asked:
    """Return the questions with their price taken off the gain, which may fall below 0."""
    if asked.price == 0:
        return asked
    information = split_information(asked.weights, target.aside)
    ratio = asked.gain_ratio - quotient(np.full(len(asked), asked.price), information)
    return replace(asked, gain=asked.gain - asked.price, gain_ratio=ratio, price=0.0)


def ask(
    target: Target,
    buckets: Buckets,
    form: Literal["cut", "level", "subset", "missing"],
    choice: Choice,
    left: Array,
) -> Asked:
    """Return each choice of buckets with its scores: missing rows right and then, if there are any, left."""
    variants = [False, True] if buckets.some_missing else [False]
    n_variants = len(variants)
    counts = with_missing(choice, np.bincount(buckets.codes, minlength=buckets.n_buckets + 1), n_variants)
    tables = with_missing(choice, target.tables(buckets.codes, buckets.n_buckets + 1), n_variants)
    errors = None
    if target.criterion == "absolute_error":
        errors = interleave(
            [absolute_errors(target, buckets, choice, missing_left) for missing_left in variants]
        )
    missing_left = np.tile(np.array(variants), len(choice))
    repeated = np.repeat(left, n_variants, axis=0)
    scores = score(target, tables, errors)
    asked = Asked(form, repeated, missing_left, counts, target.weight(tables), *scores)
    # An empty child is told apart by its rows, later; only a child with rows can be refused by the criterion.
    return asked.only(np.all(target.admits(tables) | (counts == 0), axis=1))


def with_missing(choice: Choice, tables: Array, n_variants: int) -> Array:
    """Return the tables of both children of each question; the last table is that of the missing rows."""
    left = choice.add_up(tables[:-1])
    left = interleave([left, left + tables[-1]][:n_variants])
    return np.stack([left, tables.sum(axis=0) - left], axis=1)


def interleave(variants: list[Array]) -> Array:
    """Return the first question of each variant, then the second of each, …"""
    return np.stack(variants, axis=1).reshape(-1, *variants[0].shape[1:])


def score(
    target: Target, children: Numbers, errors: Numbers | None
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return impurity, gain, gain ratio and p-value of each question; in blocks, to save memory.

    `errors` are the children's sums of absolute errors, where that is the criterion.
    """
    step = max(1, MAX_CELLS // (children.shape[1] * children.shape[2]))
    blocks = [
        score_block(target, children[i : i + step], None if errors is None else errors[i : i + step])
        for i in range(0, max(len(children), 1), step)
    ]
    impurity, gain, gain_ratio, p_value = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return impurity, gain, gain_ratio, p_value


def score_block(
    target: Target, children: Numbers, errors: Numbers | None
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    weight = target.weight(children)
    node_impurity = node_impurity_of(target)
    if errors is None:
        impurity = np.sum(weight * target.impurity(children), axis=1) / target.weights.sum()
    else:
        impurity = errors.sum(axis=1) / target.weights.sum()
    gain = np.maximum(node_impurity - impurity, 0.0) * known_share(target)
    return impurity, gain, target.gain_ratio(children), target.p_value(children)


def node_impurity_of(target: Target) -> float:
    """Return the impurity of all rows together."""
    everything = np.ones(len(target.values), dtype=np.bool_)
    if target.criterion == "absolute_error":
        return error_of(target, everything) / float(target.weights.sum())
    return float(target.impurity(target.tables(everything.astype(np.intp) - 1, 1))[0])


def absolute_errors(target: Target, buckets: Buckets, choice: Choice, missing_left: bool) -> Numbers:
    """Return the sums of absolute errors of both children of each question."""
    codes = buckets.codes
    if not isinstance(choice, Cuts):
        left = np.column_stack([choice.marks, np.full(len(choice), missing_left)])
        pairs = [(error_of(target, marks[codes]), error_of(target, ~marks[codes])) for marks in left]
        return np.array(pairs).reshape(-1, 2)
    # Missing rows come first if they go left, last if they go right: then every left child is a prefix.
    place = np.where(codes == buckets.n_buckets, -1, codes) if missing_left else codes
    order = np.argsort(place, kind="stable")
    values, weights = target.values[order].astype(np.float64), target.weights[order]
    n_left = np.searchsorted(place[order], choice.last, side="right")
    from_left = absolute_errors_along(values, weights)[n_left]
    from_right = absolute_errors_along(values[::-1], weights[::-1])[len(values) - n_left]
    return np.column_stack([from_left, from_right])


def error_of(target: Target, rows: Mask) -> float:
    """Return the sum of absolute errors of some rows."""
    return absolute_error(target.values[rows].astype(np.float64), target.weights[rows])


def changes(target: Target, buckets: Buckets) -> Mask:
    """Return between which neighbouring buckets the target changes: not where all rows share one value."""
    present = buckets.codes < buckets.n_buckets
    codes, values = buckets.codes[present], target.values[present]
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(buckets.n_buckets))
    if len(starts) == 0:
        return np.zeros(0, dtype=np.bool_)
    lowest, highest = np.minimum.reduceat(values[order], starts), np.maximum.reduceat(values[order], starts)
    return np.minimum(lowest[:-1], lowest[1:]) < np.maximum(highest[:-1], highest[1:])
