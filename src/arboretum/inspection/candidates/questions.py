"""All questions about one column of a node, each with what it achieves, as arrays.

Whatever the kind of column, its rows fall into buckets, one for each value or level. A question chooses the
buckets of child 0, the *left* one: those up to a cut, one level, or a subset of levels. Missing rows are one
more bucket: on either side, or alone. Rows that are left aside do not come here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from arboretum._grow.impurities import absolute_error, quotient, split_information
from arboretum._types import Array, Indices, Mask, Numbers
from arboretum.inspection.candidates.targets import Target, absolute_errors_along

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


Scores: TypeAlias = tuple[Numbers, Numbers, Numbers, Numbers, Numbers, Numbers]
Form: TypeAlias = Literal["cut", "level", "subset", "missing", "multiway"]


def add_up(form: Form, left: Array, tables: Array) -> Array:
    """Return the sum of the buckets that each question has on the left."""
    if form == "subset":
        chosen: Array = left.astype(tables.dtype) @ tables
        return chosen
    return tables[left] if form == "level" else np.cumsum(tables, axis=0)[left]


@dataclass(frozen=True)
class Asked:
    """Questions of one form about one column.

    `left` says which buckets go left: all up to this one, this one alone, or those with a mark.
    """

    form: Form
    left: Array
    missing_left: Mask
    n_rows: Indices  # one row per question, one number per child
    weights: Numbers  # likewise
    impurity: Numbers
    gain: Numbers
    gain_ratio: Numbers
    p_value: Numbers
    impurities: Numbers  # one row per question, one number per child
    score: Numbers  # the weight of the rows that majority votes in the children get right; NaN for numbers
    price: float = 0.0  # of choosing among many cuts, to be paid from the gain
    by_chance: float = 0.0  # what is gained by choosing among many levels that say nothing

    def __len__(self) -> int:
        return len(self.gain)

    @property
    def corrected_gain(self) -> Numbers:
        """The gain less what is gained by chance."""
        return self.gain - self.by_chance

    @property
    def divides(self) -> Mask:
        """Whether the rows go to more than one child."""
        several: Mask = np.count_nonzero(self.n_rows, axis=1) > 1
        return several

    def only(self, which: Array) -> Asked:
        """Return some of the questions."""
        arrays = [each.name for each in fields(self) if each.name not in ("form", "price", "by_chance")]
        return replace(self, **{name: getattr(self, name)[which] for name in arrays})


@dataclass(frozen=True)
class Limits:
    """The rows, and up to rounding the weight, that make a child large enough."""

    rows: int
    weight: float = 0.0

    @property
    def smallest(self) -> bool:
        """Whether one row is enough."""
        return max(self.rows, self.weight) <= 1

    def are_kept(self, n_rows: Any, weights: Any) -> Any:
        """Return a flag for each pair of a number of rows and a weight."""
        return (n_rows >= self.rows) & (weights >= self.weight * (1 - 1e-9))

    def admissible(self, asked: Asked) -> Asked:
        """Return the questions whose children are all large enough."""
        return asked.only(np.all(self.are_kept(asked.n_rows, asked.weights), axis=1))


def ask_about_cuts(
    target: Target, buckets: Buckets, limits: Limits, *, class_change: bool, priced: bool
) -> Iterator[Asked]:
    """Yield `x <= t` between neighbouring buckets, and "is x missing?".

    The price of a cut is the information of its choice among all cuts, spread over the rows of the node.
    """
    last = np.arange(buckets.n_buckets - 1)
    asked = limits.admissible(ask(target, buckets, "cut", last))
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
    declared = Buckets(np.append(present, n_levels)[buckets.codes], n_levels)
    asked = ask(target, declared, "level", np.arange(n_levels))
    without_rows = ~np.isin(asked.left, present)
    keep = limits.are_kept(asked.n_rows, asked.weights).all(axis=1) & ~without_rows
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
    none, weights = np.zeros(1, dtype=np.bool_), target.weight(children)
    asked = Asked("multiway", none, none, n_rows, weights, *score(target, children, errors))
    if bool(np.all(target.admits(children) | (n_rows == 0))):
        yield asked.only(np.count_nonzero(limits.are_kept(n_rows, weights), axis=1) > 1)


def ask_about_missing(target: Target, buckets: Buckets, limits: Limits) -> Iterator[Asked]:
    """Yield "is x missing?": child 0 holds the missing rows."""
    if buckets.some_missing and buckets.n_buckets > 0:
        two = Buckets(np.where(buckets.codes == buckets.n_buckets, 0, 1), 2)
        asked = ask(target, two, "missing", np.zeros(1, dtype=np.intp))
        yield limits.admissible(replace(asked, missing_left=np.ones_like(asked.missing_left)))


def pay(asked: Asked, target: Target) -> Asked:
    """Return the questions with their price taken off the gain, which may fall below 0."""
    if asked.price == 0:
        return asked
    information = split_information(asked.weights, target.aside)
    ratio = asked.gain_ratio - quotient(np.full(len(asked), asked.price), information)
    return replace(asked, gain=asked.gain - asked.price, gain_ratio=ratio, price=0.0)


def correct(asked: Asked, target: Target, by_chance: float, *, by_ratio: bool) -> Asked:
    """Return the questions with what chance gains; taken off the gain ratio, if that decides."""
    if by_chance == 0 or not by_ratio:
        return replace(asked, by_chance=by_chance)
    information = split_information(asked.weights, target.aside)
    ratio = asked.gain_ratio - quotient(np.full(len(asked), by_chance), information)
    return replace(asked, gain_ratio=ratio, by_chance=by_chance)


def ask(target: Target, buckets: Buckets, form: Form, left: Array) -> Asked:
    """Return each choice of buckets with its scores: missing rows right and then, if there are any, left."""
    variants = [False, True] if buckets.some_missing else [False]

    def of_children(tables: Array) -> Array:
        """Return the sums of both children of each question; the last table is that of the missing rows."""
        known = add_up(form, left, tables[:-1])
        to_left = interleave([known, known + tables[-1]][: len(variants)])
        return np.stack([to_left, tables.sum(axis=0) - to_left], axis=1)

    counts = of_children(np.bincount(buckets.codes, minlength=buckets.n_buckets + 1))
    tables = of_children(target.tables(buckets.codes, buckets.n_buckets + 1))
    errors = None
    if target.criterion == "absolute_error":
        errors = interleave([absolute_errors(target, buckets, form, left, variant) for variant in variants])
    missing_left = np.tile(np.array(variants), len(left))
    repeated = np.repeat(left, len(variants), axis=0)
    scores = score(target, tables, errors)
    asked = Asked(form, repeated, missing_left, counts, target.weight(tables), *scores)
    # An empty child is told apart by its rows, later; only a child with rows can be refused by the criterion.
    return asked.only(np.all(target.admits(tables) | (counts == 0), axis=1))


def interleave(variants: list[Array]) -> Array:
    """Return the first question of each variant, then the second of each, …"""
    return np.stack(variants, axis=1).reshape(-1, *variants[0].shape[1:])


def in_units(asked: Asked, target: Target, *, unit: float, times_n: bool) -> Asked:
    """Return the questions with gains and impurities in another unit, and times the weight they are of."""
    if unit == 1.0 and not times_n:
        return asked
    known = float(target.weights.sum())
    whole = unit * (known + target.aside if times_n else 1.0)
    return replace(
        asked,
        gain=asked.gain * whole,
        by_chance=asked.by_chance * whole,
        impurity=asked.impurity * unit * (known if times_n else 1.0),
        impurities=asked.impurities * unit * (asked.weights if times_n else 1.0),
    )


def score(target: Target, children: Numbers, errors: Numbers | None) -> Scores:
    """Return what is known of each question, from its impurity to its score; in blocks, to save memory.

    `errors` are the children's sums of absolute errors, where that is the criterion.
    """
    step = max(1, MAX_CELLS // (children.shape[1] * children.shape[2]))
    total, before = target.weights.sum(), node_impurity_of(target)
    blocks = []
    for i in range(0, max(len(children), 1), step):
        block = children[i : i + step]
        weights = target.weight(block)
        if errors is None:
            impurities = np.asarray(target.impurity(block), dtype=np.float64)
            impurity = np.sum(weights * impurities, axis=1) / total
        else:
            impurities = quotient(errors[i : i + step], weights)
            impurity = errors[i : i + step].sum(axis=1) / total
        gain = np.maximum(before - impurity, 0.0) * target.known_share
        ratio, p_value = target.gain_ratio(block), target.p_value(block)
        blocks.append((impurity, gain, ratio, p_value, impurities, target.score(block)))
    impurity, gain, ratio, p_value, impurities, right = map(np.concatenate, zip(*blocks, strict=True))
    return impurity, gain, ratio, p_value, impurities, right


def node_impurity_of(target: Target) -> float:
    """Return the impurity of all rows together."""
    if target.criterion == "absolute_error":
        return error_of(target, np.ones(len(target.values), dtype=np.bool_)) / float(target.weights.sum())
    return float(target.impurity(target.tables(np.zeros(len(target.values), dtype=np.intp), 1))[0])


def absolute_errors(target: Target, buckets: Buckets, form: Form, left: Array, missing_left: bool) -> Numbers:
    """Return the sums of absolute errors of both children of each question."""
    codes = buckets.codes
    if form in ("level", "subset"):
        marks = left if form == "subset" else left[:, None] == np.arange(buckets.n_buckets)
        chosen = np.column_stack([marks, np.full(len(left), missing_left)])
        pairs = [(error_of(target, mark[codes]), error_of(target, ~mark[codes])) for mark in chosen]
        return np.array(pairs).reshape(-1, 2)
    # Missing rows come first if they go left, last if they go right: then every left child is a prefix.
    place = np.where(codes == buckets.n_buckets, -1, codes) if missing_left else codes
    order = np.argsort(place, kind="stable")
    values, weights = target.values[order].astype(np.float64), target.weights[order]
    n_left = np.searchsorted(place[order], left, side="right")
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
