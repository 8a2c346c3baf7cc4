"""Questions `x in {…}` about one nominal column of a node: all of them, or the best of many.

Up to ten levels every subset is listed. Of more levels there are the cuts of the orders that the targets
suggest, and each level against the rest. Where levels tie in an order and leaves have a minimum size, the
tie is also divided so that a side is just large enough. The core looks at the same subsets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from arboretum._types import Indices, Mask, Numbers
from arboretum.inspection.candidates.questions import Asked, Buckets, Limits, ask, ask_about_missing
from arboretum.inspection.candidates.targets import Target

MAX_LEVELS_FOR_ALL_SUBSETS = 10
MAX_LEVELS_FOR_ALL_CUTS = 1000
MAX_CUTS = 100
MAX_STEPS = 100_000  # spent on one tie
TIE = 1e-12  # means that differ by less, measured by their range, are equal


def ask_about_subsets(target: Target, buckets: Buckets, limits: Limits) -> Iterator[Asked]:
    """Yield `x in {…}`: all subsets of few levels; of many, those that the targets suggest, each once."""
    if buckets.n_buckets <= MAX_LEVELS_FOR_ALL_SUBSETS:
        yield limits.admissible(ask(target, buckets, "subset", all_sides(buckets.n_buckets)))
    else:
        seen: set[tuple[bool, bytes]] = set()
        for asked in suggested_subsets(target, buckets, limits):
            yield only_new(first_level_left(asked, buckets), seen)
    yield from ask_about_missing(target, buckets, limits)


def all_sides(n_levels: int) -> Mask:
    """Return every partition in two sides, once: the first level is left, the others move one at a time.

    >>> all_sides(3).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    """
    numbers = np.arange(2 ** max(n_levels - 1, 0))
    gray = numbers ^ numbers >> 1
    marks = np.ones((len(numbers), n_levels), dtype=np.bool_)
    marks[:, 1:] = gray[:, None] >> np.arange(max(n_levels - 1, 0)) & 1 == 1
    return marks[~marks.all(axis=1)]


def suggested_subsets(target: Target, buckets: Buckets, limits: Limits) -> Iterator[Asked]:
    """Yield the cuts of the levels, ordered by their mean or the share of each class; then single levels.

    The cuts come with marks of the levels on the left, as all subsets do.
    """
    ranks = target.ranks(buckets.codes, buckets.n_buckets)
    for rank in ranks.T:
        order = np.argsort(rank, kind="stable")
        last = np.arange(buckets.n_buckets - 1)
        asked = limits.admissible(ask(target, buckets.renumbered(order), "cut", last))
        asked = best_of_very_many(asked, buckets)
        yield replace(asked, form="subset", left=np.argsort(order)[None, :] <= asked.left[:, None])
    numbers = np.arange(buckets.n_buckets)
    asked = limits.admissible(ask(target, buckets, "level", numbers))
    asked = best_of_very_many(asked, buckets)
    yield replace(asked, form="subset", left=numbers[None, :] == asked.left[:, None])
    if target.ties_are_alike:
        yield from ask_within_ties(target, buckets, limits, ranks[:, 0])


def best_of_very_many(asked: Asked, buckets: Buckets) -> Asked:
    """Return the best questions, in their order, where there are too many levels to list them all."""
    if buckets.n_buckets <= MAX_LEVELS_FOR_ALL_CUTS:
        return asked
    return asked.only(np.sort(np.argsort(-asked.gain, kind="stable")[:MAX_CUTS]))


def first_level_left(asked: Asked, buckets: Buckets) -> Asked:
    """Return the questions with the first level on the left, as in `all_sides`; missing rows turn too."""
    swapped = ~asked.left[:, 0]
    return replace(
        asked,
        left=asked.left ^ swapped[:, None],
        missing_left=asked.missing_left ^ (swapped & buckets.some_missing),
        n_rows=np.where(swapped[:, None], asked.n_rows[:, ::-1], asked.n_rows),
        weights=np.where(swapped[:, None], asked.weights[:, ::-1], asked.weights),
        impurities=np.where(swapped[:, None], asked.impurities[:, ::-1], asked.impurities),
    )


def only_new(asked: Asked, seen: set[tuple[bool, bytes]]) -> Asked:
    """Return the questions that are not in `seen`, and add them to it."""
    fresh = []
    for missing_left, marks in zip(asked.missing_left.tolist(), asked.left, strict=True):
        key = (missing_left, np.packbits(marks).tobytes())
        fresh.append(key not in seen)
        seen.add(key)
    return asked.only(np.array(fresh, dtype=np.bool_))


def ask_within_ties(target: Target, buckets: Buckets, limits: Limits, rank: Numbers) -> Iterator[Asked]:
    """Yield the cuts of a tie that make one side just large enough, with the missing rows on either side."""
    n_rows = np.bincount(buckets.codes, minlength=buckets.n_buckets + 1)
    weights = np.bincount(buckets.codes, target.weights, buckets.n_buckets + 1).astype(np.float64)
    is_positive = target.admits(target.tables(buckets.codes, buckets.n_buckets + 1))
    if limits.smallest and is_positive[:-1].all():
        return  # every cut is allowed, and none that divides a tie is the best

    def is_enough(levels: list[int]) -> bool:
        """Return whether these levels make a side that the limits and the criterion allow."""
        large = limits.are_kept(n_rows[levels].sum(), weights[levels].sum())
        return bool(large and is_positive[levels].any())

    def fill_side(order: Indices, side: list[int]) -> list[int]:
        """Return what a side takes in this order until it is large enough; of the last tie, only as needed.

        It takes nothing where the missing rows alone are enough, or all levels together are not.
        """
        for tie in ties(order, rank):
            if is_enough(side):
                return []
            if is_enough(side + tie):
                return side + just_enough(tie, side, n_rows, weights, limits)
            side = side + tie
        return []

    ascending = np.argsort(rank, kind="stable")
    marks = []
    for order, left in ((ascending, True), (ascending[::-1], False)):
        for missing in ([], [buckets.n_buckets]) if buckets.some_missing else ([],):
            own = fill_side(order, missing)
            side = np.full(buckets.n_buckets + 1, not left)
            side[own] = left
            if own and not side[:-1].all() and side[:-1].any():
                marks.append(side[:-1])
    if marks:
        yield limits.admissible(ask(target, buckets, "subset", np.array(marks)))


def ties(order: Indices, rank: Numbers) -> Iterator[list[int]]:
    """Yield the levels of equal rank, group by group.

    >>> list(ties(np.array([1, 2, 0]), np.array([0.5, 0.25, 0.25])))
    [[1, 2], [0]]
    """
    spread = float(np.ptp(rank))
    group = [int(order[0])]
    for before, level in pairwise(order.tolist()):
        if abs(rank[level] - rank[before]) > TIE * spread:
            yield group
            group = []
        group.append(level)
    yield group


def just_enough(
    tie: list[int], side: list[int], n_rows: Indices, weights: Numbers, limits: Limits
) -> list[int]:
    """Return those levels of a tie that make a side large enough, and no heavier than it must be.

    The levels of a tie differ in size only.

    >>> sizes = np.array([2, 5, 6])
    >>> just_enough([0, 1, 2], [], sizes, sizes.astype(float), Limits(6))
    [2]
    >>> just_enough([0, 1], [], sizes, sizes.astype(float), Limits(6))
    [0, 1]
    """
    start = (float(weights[side].sum()), int(n_rows[side].sum()))
    sums: dict[tuple[float, int], list[int]] = {start: []}  # not large enough yet
    lightest, chosen = np.inf, list(tie)
    n_steps = 0
    for level in sorted(tie, key=lambda level: (weights[level], n_rows[level])):
        for (weight, rows), levels in list(sums.items()):
            n_steps += 1
            total = (weight + float(weights[level]), rows + int(n_rows[level]))
            if total[0] >= lightest or n_steps > MAX_STEPS:
                continue
            if limits.are_kept(total[1], total[0]):
                lightest, chosen = total[0], [*levels, level]
            else:
                sums.setdefault(total, [*levels, level])
    return chosen
