"""Of trees that cost the same, the optimal one has the fewest leaves, then the lower column, the lower cut.

The brute force asks every question about every node in this order, and keeps the first of the best. Numbers
are compared as fractions, so that equal means equal.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arboretum import Optimal, TreeClassifier, TreeRegressor

Rows = frozenset[int]
Columns = list[tuple[str, list[Any]]]
LEVELS: Final = "abc"


class Best(NamedTuple):
    """A cost with the price of leaves, their number, and a tree: its rows, or a column and two trees."""

    cost: Any
    leaves: int
    tree: Any


def questions(kind: str, values: list[Any], nominal: str) -> list[Rows]:
    """Return the rows that go left, question by question; missing values to the right come first."""
    known = sorted({v for v in values if v is not None})
    some_missing = None in values

    def rows_of(left: list[Any]) -> Rows:
        return frozenset(i for i, v in enumerate(values) if v in left)

    if kind == "number":
        lefts = [known[: i + 1] for i in range(len(known))]
        lefts += [[None, *known[:i]] for i in range(len(known))] if some_missing else []
    elif nominal == "one_vs_rest":
        lefts = [[v, *more] for v in known for more in ([[], [None]] if some_missing else [[]])]
        lefts += [[None]]
    else:
        seen = [*known, None] if some_missing else known
        lefts = [
            [v for bit, v in enumerate(seen) if number >> bit & 1]
            for number in range(1, 2 ** (len(seen) - 1))
        ]
    return [rows_of(left) for left in lefts]


def first_best(
    columns: Columns,
    leaf_cost: Callable[[Rows], Any],
    depth: int,
    leaves: int,
    *,
    nominal: str,
    least: int,
    price: Any,
) -> Best:
    """Return the best tree that comes first."""
    ways = [(f, left) for f, column in enumerate(columns) for left in questions(*column, nominal)]

    @cache
    def best(rows: Rows, depth: int, leaves: int) -> Best:
        found = Best(leaf_cost(rows) + price, 1, rows)
        if depth == 0:
            return found
        for column, way in ways:
            left, right = rows & way, rows - way
            if min(len(left), len(right)) < least:
                continue
            for left_leaves in range(1, leaves):
                one = best(left, depth - 1, left_leaves)
                two = best(right, depth - 1, leaves - left_leaves)
                cost, n = one.cost + two.cost, one.leaves + two.leaves
                if (cost, n) < found[:2]:
                    found = Best(cost, n, (column, frozenset([one.tree, two.tree])))
        return found

    return best(frozenset(range(len(columns[0][1]))), depth, leaves)


def shape(model: Any, X: Any) -> Any:
    """Return the tree in the form of the brute force."""
    at = model.tree_.apply(X)

    def below(node: Any) -> Any:
        if not node.children:
            return frozenset(np.flatnonzero(at == node.id).tolist())
        return int(node.question.columns[0][1:]), frozenset(map(below, node.children))

    return below(model.tree_.root)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Columns, int]:
    """Return columns of few values, some of them twice, and the number of rows."""
    n = draw(st.integers(2, 10))
    number = st.integers(0, 3)
    kinds = {
        "number": st.one_of(st.none(), number) if draw(st.booleans()) else number,
        "level": st.one_of(st.none(), st.sampled_from(LEVELS)),
    }
    columns = []
    for kind in draw(st.lists(st.sampled_from(["number", "number", "level"]), min_size=1, max_size=3)):
        columns.append((kind, draw(st.lists(kinds[kind], min_size=n, max_size=n))))
    if draw(st.booleans()):
        columns.append(draw(st.sampled_from(columns)))
    return columns, n


def frame(columns: Columns) -> Any:
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(
        {
            f"x{i}": pd.Series([np.nan if v is None else float(v) for v in values])
            if kind == "number"
            else pd.Categorical(values, categories=list(LEVELS))
            for i, (kind, values) in enumerate(columns)
        }
    )


@settings(max_examples=120, deadline=None)
@given(st.data())
@pytest.mark.parametrize("of_classes", [True, False])
def test_the_first_of_equal_trees_is_found(of_classes: bool, data: st.DataObject) -> None:
    columns, n = data.draw(tables())
    y = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    even = data.draw(st.booleans())
    weights = [1] * n if even else data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    depth, leaves = data.draw(st.integers(1, 3)), data.draw(st.integers(2, 8))
    least, nominal = data.draw(st.integers(1, 2)), data.draw(st.sampled_from(["subset", "one_vs_rest"]))
    price = data.draw(st.sampled_from([0.0, 0.0, 0.125]))

    def mistakes(rows: Rows) -> Fraction:
        each = [sum(weights[i] for i in rows if y[i] == label) for label in range(3)]
        return Fraction(sum(each) - max(each))

    def squares(rows: Rows) -> Fraction:
        weight, total = sum(weights[i] for i in rows), sum(weights[i] * y[i] for i in rows)
        return sum(weights[i] * y[i] ** 2 for i in rows) - Fraction(total**2, weight)

    best = first_best(
        columns, mistakes if of_classes else squares, depth, leaves,
        nominal=nominal, least=least, price=Fraction(price) * sum(weights),
    )  # fmt: skip
    kind: Any = TreeClassifier if of_classes else TreeRegressor
    X = frame(columns)
    for n_jobs in (1, 2):
        model = kind(
            search=Optimal(leaf_penalty=price), max_depth=depth, max_leaf_nodes=leaves,
            min_samples_leaf=least, nominal=nominal, prune=None, n_jobs=n_jobs,
            leaf="frequency" if of_classes else "mean",
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y, sample_weight=None if even else weights)
        assert model.optimality_.objective == pytest.approx(float(best.cost), abs=1e-9)
        assert model.get_n_leaves() == best.leaves
        assert shape(model, X) == best.tree
