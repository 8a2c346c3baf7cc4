"""Subsets of levels under limits: the best admissible one is found, whatever classes and levels are called.

With leaves of more than one row the best admissible subset need not be a cut of the order of the levels. The
tests compare with all subsets, scored here with NumPy; a missing value is one more level. Of more than ten
levels, the tree must be as good as each single level and each cut of the order, however ties are broken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.sweeps import few
from support.tables import IMPURITIES, categorical
from support.trees import WAYS, estimator, growing

from arboretum import Node, TreeClassifier
from arboretum._options.criteria import CLASS_CRITERIA
from arboretum._tree.questions import Levels, Missing

pytestmark = allow_one_leaf  # random tables may have nothing to ask about

# Each law is tried for every criterion, so that a part of the usual number of tables is enough.
fewer = settings(max_examples=few(0.25))

Flags = npt.NDArray[np.bool_]
FEW_LEVELS = 10  # up to here every subset counts
LETTERS = "abcdefghijklmnop"
WEIGHTS = st.sampled_from([0.7, 1.0, 3.0])  # sums of 0.7 are rounded
# The criteria whose levels have one order that holds the best subset, if classes are two.
ORDERED = tuple(name for name in IMPURITIES if name != "absolute_error")


@dataclass(frozen=True)
class Column:
    """One nominal column with targets, weights and limits; code -1 is a missing value."""

    codes: tuple[int, ...]
    targets: tuple[float, ...]
    weights: tuple[float, ...]
    n_levels: int
    min_rows: int = 1
    min_fraction: float = 0.0

    @property
    def groups(self) -> list[Flags]:
        """The rows of each level that occurs, and those that are missing, as one more."""
        return [np.array(self.codes) == code for code in sorted(set(self.codes))]

    def stump(self, criterion: str, nominal: str = "subset", names: str = LETTERS) -> Node:
        """The root of the tree that asks one question, with the levels declared in the order of `names`."""
        levels = names[: self.n_levels]
        cells = np.array([-1 if code < 0 else levels.index(LETTERS[code]) for code in self.codes])
        frame = pd.DataFrame({"x": categorical(cells, levels)})
        model = estimator(
            criterion,
            max_depth=1,
            nominal=nominal,
            min_samples_leaf=self.min_rows,
            min_weight_fraction_leaf=self.min_fraction,
        )
        fitted: Node = model.fit(
            frame, np.array(self.targets), sample_weight=np.array(self.weights)
        ).tree_.root
        return fitted

    def gain(self, criterion: str, left: Flags) -> float | None:
        """What sending these rows left gains; None if the limits or the criterion forbid it."""
        y, w = np.array(self.targets), np.array(self.weights)
        for side in (left, ~left):
            if side.sum() < self.min_rows or w[side].sum() < self.min_fraction * w.sum() * (1 - 1e-12):
                return None
            if not side.any() or (criterion == "poisson" and y[side].sum() == 0):
                return None
        spoilt = [w[side].sum() * impurity(criterion, y[side], w[side]) for side in (left, ~left)]
        return max(0.0, impurity(criterion, y, w) - float(sum(spoilt) / w.sum()))

    def best(self, criterion: str, choices: Iterator[Flags]) -> tuple[float | None, int]:
        """The largest gain of these left sides, and how many reach it; None if none is allowed."""
        gains = [gain for left in choices if (gain := self.gain(criterion, left)) is not None]
        if not gains:
            return None, 0
        return max(gains), sum(gain > max(gains) - 1e-9 for gain in gains)

    def all_subsets(self) -> Iterator[Flags]:
        """Every division in two, once: the first group stays left."""
        first, *others = self.groups
        for chosen in product([False, True], repeat=len(others)):
            yield np.logical_or.reduce(
                [first, *(g for g, taken in zip(others, chosen, strict=True) if taken)]
            )

    def singles(self) -> Iterator[Flags]:
        """Each level alone, with and without the missing rows, and the missing rows alone."""
        missing = np.array(self.codes) < 0
        for group in self.groups:
            yield group
            yield group | missing

    def ordered_subsets(self) -> Iterator[Flags]:
        """The cuts of every order by share or mean, whichever way ties are broken."""
        y, w, missing = np.array(self.targets), np.array(self.weights), np.array(self.codes) < 0

        def rank(group: Flags) -> float:
            return round(float(np.average(y[group], weights=w[group])), 9)

        before = np.zeros(len(y), dtype=bool)
        levels = sorted((g for g in self.groups if not missing[g].any()), key=rank)
        for _, tied in groupby(levels, key=rank):
            members = list(tied)
            assume(len(members) < 7)  # all their subsets are tried
            for chosen in product([False, True], repeat=len(members)):
                left = np.logical_or.reduce([before, *(g for g, t in zip(members, chosen, strict=True) if t)])
                yield left
                yield left | missing
            before = np.logical_or.reduce([before, *members])


def impurity(criterion: str, y: npt.NDArray[Any], w: npt.NDArray[Any]) -> float:
    """The impurity of some rows, by its formula."""
    if criterion in CLASS_CRITERIA:
        shares = np.array([w[y == label].sum() for label in np.unique(y)]) / w.sum()
        if criterion == "gini":
            return float(1 - shares @ shares)
        return float(-shares @ np.log2(shares) if criterion == "entropy" else 1 - shares.max())
    if criterion == "absolute_error":
        order = np.argsort(y)
        middle = np.searchsorted(np.cumsum(w[order]), w.sum() / 2)
        return float(np.average(np.abs(y - y[order][middle]), weights=w))
    mean = np.average(y, weights=w)
    if criterion == "squared_error":
        return float(np.average((y - mean) ** 2, weights=w))
    logs = np.log(y / mean, where=y > 0, out=np.zeros_like(y))
    return float(np.average(y * logs - y + mean, weights=w))


@st.composite
def columns(
    draw: st.DrawFn, criterion: str, levels: tuple[int, int], n_classes: int, *, weighted: str | None = None
) -> Column:
    """Columns with few rows a level, so that limits refuse many cuts and levels tie."""
    n_levels = draw(st.integers(*levels))
    counts = draw(st.lists(st.integers(1, 6), min_size=n_levels, max_size=n_levels))
    codes = [code for code, count in enumerate(counts) for _ in range(count)]
    codes += [-1] * draw(st.sampled_from([0, 0, 1, 4]))
    n_targets = n_classes if criterion in CLASS_CRITERIA else 4
    targets = draw(st.lists(st.integers(0, n_targets - 1), min_size=len(codes), max_size=len(codes)))
    weights = [1.0] * len(codes)
    if weighted == "rows":
        weights = draw(st.lists(WEIGHTS, min_size=len(codes), max_size=len(codes)))
    if weighted == "levels":  # then levels tie whose weights differ
        by_level = draw(st.lists(WEIGHTS, min_size=n_levels + 1, max_size=n_levels + 1))
        weights = [by_level[code] for code in codes]
    assume(len(set(targets)) > 1)
    return Column(
        tuple(codes),
        tuple(float(target) for target in targets),
        tuple(weights),
        n_levels,
        draw(st.integers(1, max(1, len(codes) // 2))),
        draw(st.sampled_from([0.0, 0.0, 0.125, 0.25, 0.375, 0.5])),
    )


def gain_of(root: Node) -> float | None:
    """What the one question gains; None for a leaf."""
    return None if root.is_leaf else float(root.gain)


def sides(root: Node, column: Column) -> frozenset[frozenset[int]]:
    """The rows of the two children, whichever is called left."""
    question = root.question

    def child(code: int) -> int:
        if isinstance(question, Missing):
            return 0 if code < 0 else 1
        assert isinstance(question, Levels)
        return question.missing_child if code < 0 else int(LETTERS[code] not in question.levels[0])

    left = [child(code) == 0 for code in column.codes]
    rows = range(len(left))
    return frozenset({frozenset(r for r in rows if left[r]), frozenset(r for r in rows if not left[r])})


@pytest.mark.parametrize("criterion", IMPURITIES)
@fewer
@given(data=st.data())
def test_the_best_admissible_subset_of_few_levels(criterion: str, data: st.DataObject) -> None:
    """Limits of rows and of weight, missing values, any number of classes: no admissible subset is better."""
    n_classes = data.draw(st.integers(2, 4), label="n_classes")
    weighted = data.draw(st.sampled_from([None, "rows", "levels"]), label="weighted")
    column = data.draw(columns(criterion, (2, 7), n_classes, weighted=weighted), label="column")
    best, _ = column.best(criterion, column.all_subsets())
    with growing(data.draw(st.sampled_from(WAYS), label="way")):
        found = gain_of(column.stump(criterion))
    event("leaf" if best is None else "split")
    assert found == (None if best is None else pytest.approx(best, rel=1e-9, abs=1e-12))


@pytest.mark.parametrize("criterion", IMPURITIES)
@fewer
@given(data=st.data())
def test_names_of_classes_and_order_of_levels_make_no_difference(criterion: str, data: st.DataObject) -> None:
    """The same gain, and the same children unless subsets tie, under other names and another order."""
    n_classes = data.draw(st.integers(2, 3), label="n_classes")
    column = data.draw(columns(criterion, (2, 7), n_classes), label="column")
    names = "".join(data.draw(st.permutations(LETTERS[: column.n_levels]), label="names"))
    best, n_best = column.best(criterion, column.all_subsets())
    first, second = column.stump(criterion), column.stump(criterion, names=names)
    assert gain_of(second) == (None if best is None else pytest.approx(best, rel=1e-9, abs=1e-12))
    if n_best == 1:
        assert sides(first, column) == sides(second, column)
    if criterion in CLASS_CRITERIA:
        swapped = Column(**vars(column) | {"targets": tuple(-target for target in column.targets)})
        third = swapped.stump(criterion)
        assert gain_of(third) == (None if best is None else pytest.approx(best, rel=1e-9, abs=1e-12))
        if n_best == 1:
            assert sides(first, column) == sides(third, column)


@pytest.mark.parametrize("criterion", IMPURITIES)
@fewer
@given(data=st.data())
def test_many_levels_are_asked_no_worse_than_one_by_one(criterion: str, data: st.DataObject) -> None:
    """ "subset" contains the questions of "one_vs_rest" and is never worse, whatever the number of levels."""
    n_classes = data.draw(st.integers(2, 4), label="n_classes")
    column = data.draw(columns(criterion, (2, 14), n_classes, weighted="rows"), label="column")
    best, _ = column.best(criterion, column.singles())
    with growing(data.draw(st.sampled_from(WAYS), label="way")):
        found, single = gain_of(column.stump(criterion)), gain_of(column.stump(criterion, "one_vs_rest"))
    assert single == (None if best is None else pytest.approx(best, rel=1e-9, abs=1e-12))
    assert best is None or (found is not None and found >= best * (1 - 1e-9) - 1e-12)


@pytest.mark.parametrize("criterion", ORDERED)
@fewer
@given(data=st.data())
def test_many_levels_are_asked_no_worse_than_by_their_order(criterion: str, data: st.DataObject) -> None:
    """At least as good as each admissible cut of the order, ties broken in any way, under any names."""
    weighted = data.draw(st.sampled_from([None, "levels"]), label="weighted")
    column = data.draw(columns(criterion, (FEW_LEVELS + 1, 14), 2, weighted=weighted), label="column")
    best, _ = column.best(criterion, column.ordered_subsets())
    with growing(data.draw(st.sampled_from(WAYS), label="way")):
        found = gain_of(column.stump(criterion))
    assert best is None or (found is not None and found >= best * (1 - 1e-9) - 1e-12)
    names = "".join(data.draw(st.permutations(LETTERS[: column.n_levels]), label="names"))
    same = None if found is None else pytest.approx(found, rel=1e-9, abs=1e-12)
    assert gain_of(column.stump(criterion, names=names)) == same
    if criterion in CLASS_CRITERIA:
        swapped = Column(**vars(column) | {"targets": tuple(-target for target in column.targets)})
        assert gain_of(swapped.stump(criterion)) == same


def sizes_of_leaves(levels: Sequence[str], flip: bool, nominal: str) -> list[int]:
    """The sizes of the leaves of a tree whose leaves hold at least seven rows."""
    x = pd.Series(list("a" * 5 + "b" * 47 + "c" * 2)).astype(pd.CategoricalDtype(levels))
    y = np.array([0] * 4 + [1] * 50)
    model = TreeClassifier(min_samples_leaf=7, prune=None, nominal=nominal)
    return sorted(
        leaf.n_rows for leaf in model.fit(pd.DataFrame({"x": x}), 1 - y if flip else y).tree_.leaves()
    )


@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest"])
@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("levels", ["abc", "cba", "bca"])
def test_a_subset_between_the_cuts_of_the_order(levels: str, flip: bool, nominal: str) -> None:
    """Of a (5 rows, four of class 0), b (47) and c (2) only b against the rest leaves seven rows a side.

    b and c tie in the order, so it depended on the order of the levels and on the names of the classes
    whether that cut was seen at all.
    """
    assert sizes_of_leaves(list(levels), flip, nominal) == [7, 47]
