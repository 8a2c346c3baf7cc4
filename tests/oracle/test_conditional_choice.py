"""Conditional inference against a plain twin: column, question and p-value of small random tables.

The twin writes both sides out as matrices, takes mean and covariance of their product over all orders of the
targets from the textbook formula, and tries every cut and every subset of levels with the same formula. Where
two columns or questions are equally good, either may be asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from support.marks import allow_one_leaf
from support.sweeps import few

from arboretum import Conditional, Node, TreeClassifier, TreeRegressor

pytestmark = allow_one_leaf  # random tables may have nothing to ask about

Flags = npt.NDArray[np.bool_]
Matrix = npt.NDArray[np.float64]
SAME = 1e-7  # statistics that differ by less, in shares, are equal but for rounding
LETTERS = "abcde"


def quadratic(left: Matrix, right: Matrix) -> tuple[float, int]:
    """The quadratic form of the sum of products of two sides (one row each per row), and its rank.

    Strasser and Weber (1999): the sum has the mean n · mean(left) · mean(right) over all orders of the
    targets, and its covariance is n² / (n - 1) times the product of those of both sides.
    """
    n = len(left)
    apart = (left.T @ right - np.outer(left.sum(axis=0), right.sum(axis=0)) / n).ravel()
    of_left, of_right = (np.atleast_2d(np.cov(side.T, bias=True)) for side in (left, right))
    covariance = np.kron(of_left, of_right) * n**2 / (n - 1)
    inverse = np.linalg.pinv(covariance, rcond=1e-9, hermitian=True)
    return float(apart @ inverse @ apart), int(np.linalg.matrix_rank(covariance, tol=1e-9, hermitian=True))


def side_of(values: Any, *, nominal: bool) -> Matrix | None:
    """Scores or indicators as a matrix; None where all are equal."""
    known = np.asarray(values)
    if len(np.unique(known)) < 2:
        return None
    if not nominal:
        return np.asarray(known[:, None], dtype=np.float64)
    return np.asarray(known[:, None] == np.unique(known), dtype=np.float64)


@dataclass(frozen=True)
class Table:
    """Columns of numbers and of levels (text), and a target that is a class or a number."""

    columns: dict[str, list[Any]]
    target: list[float]
    of_classes: bool
    min_rows: int

    @property
    def frame(self) -> pd.DataFrame:
        """The table, levels as categories."""
        made = {name: self._cells(values) for name, values in self.columns.items()}
        return pd.DataFrame(made)

    @staticmethod
    def _cells(values: list[Any]) -> Any:
        return pd.Categorical(values, categories=list(LETTERS)) if isinstance(values[0], str) else values

    def fit(self, level: float = 1.0) -> Any:
        """The fitted estimator, one question deep."""
        make: Any = TreeClassifier if self.of_classes else TreeRegressor
        model = make(significance=Conditional(level), max_depth=1, min_samples_leaf=self.min_rows, prune=None)
        return model.fit(self.frame, self.target)

    def tests(self) -> dict[str, tuple[float, float]]:
        """The statistic and the p-value of each column that can be tested."""
        right = side_of(self.target, nominal=self.of_classes)
        found = {}
        for name, values in self.columns.items():
            left = side_of(values, nominal=isinstance(values[0], str))
            if left is not None and right is not None:
                statistic, rank = quadratic(left, right)
                found[name] = (statistic, float(chi2.sf(statistic, rank)))
        return found

    def answers(self, name: str) -> Iterator[Flags]:
        """The left side of every question about a column that leaves enough rows on both."""
        values = np.array(self.columns[name])
        present = np.unique(values)
        if values.dtype.kind == "U":
            kept = [s for n in range(1, len(present)) for s in combinations(present, n)]
            sides = [np.isin(values, subset) for subset in kept]
        else:
            sides = [values <= value for value in present[:-1]]
        yield from (side for side in sides if min(side.sum(), (~side).sum()) >= self.min_rows)

    def worth(self, side: Flags) -> float:
        """The statistic of two sides."""
        right = side_of(self.target, nominal=self.of_classes)
        assert right is not None
        return quadratic(side.astype(float)[:, None], right)[0]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Up to twelve rows of one to three columns."""
    n = draw(st.integers(4, 12))
    rows: Any = lambda cells: st.lists(cells, min_size=n, max_size=n)  # noqa: E731
    column = st.one_of(rows(st.integers(0, 5)), rows(st.sampled_from(LETTERS)))
    columns = draw(st.lists(column, min_size=1, max_size=3))
    of_classes = draw(st.booleans())
    target = draw(rows(st.integers(0, 2) if of_classes else st.integers(-4, 4)))
    named = {f"x{i}": values for i, values in enumerate(columns)}
    return Table(named, target, of_classes, draw(st.integers(1, 3)))


def left_of(model: Any, table: Table) -> Flags:
    """Which rows go left."""
    first: int = model.tree_.root.children[0].number
    side: Flags = np.asarray(model.apply(table.frame)) == first
    return side


def root_of(model: Any) -> Node:
    root: Node = model.tree_.root
    return root


@settings(max_examples=few(3.0))
@given(tables())
def test_column_question_and_p_value(table: Table) -> None:
    """As the twin has them; the next column where the first has no admissible question."""
    model, tests = table.fit(), table.tests()
    root = root_of(model)
    if not tests:
        event("nothing to test")
        assert root.is_leaf
        assert root.p_value is None
        return
    if 2 * table.min_rows > len(table.target):
        event("too few rows")
        assert root.is_leaf
        return
    least = min(p for _, p in tests.values())
    assert root.p_value == pytest.approx(1 - (1 - least) ** len(tests), rel=1e-6, abs=1e-12)
    with_question = {name: p for name, (_, p) in tests.items() if any(True for _ in table.answers(name))}
    if root.is_leaf:
        event("no admissible question")
        assert not with_question
        return
    assert root.question is not None
    column = root.question.column
    event("the best column" if with_question == tests.keys() else "the best column with a question")
    assert with_question[column] == pytest.approx(min(with_question.values()), rel=1e-6)
    best = max(table.worth(side) for side in table.answers(column))
    assert table.worth(left_of(model, table)) == pytest.approx(best, rel=SAME, abs=1e-9)


@settings(max_examples=few(0.5))
@given(tables(), st.sampled_from([0.05, 0.3, 0.8]))
def test_stops_by_the_p_value(table: Table, level: float) -> None:
    """At a level the root is divided just where its p-value is no larger, if it could be at all."""
    whole, stopped = root_of(table.fit()), root_of(table.fit(level))
    assert stopped.p_value == whole.p_value
    if whole.is_leaf or whole.p_value is None:
        assert stopped.is_leaf
        return
    if whole.p_value > level:
        assert stopped.is_leaf
    elif not stopped.is_leaf:
        assert str(stopped.question) == str(whole.question)


def test_three_classes_weigh_by_their_rarity() -> None:
    """A cut that tells a rare class apart beats one that gains more Gini: chi-square decides."""
    x = np.arange(60)
    y = np.where(x >= 56, 2, np.where(x < 26, 0, 1))
    y[[3, 9, 14, 20, 30, 36, 41, 47]] = [1, 1, 1, 1, 0, 0, 0, 0]
    table = Table({"x0": x.tolist()}, y.tolist(), True, 1)
    model = table.fit()
    best = max(table.answers("x0"), key=table.worth)
    assert np.array_equal(left_of(model, table), best)
    greedy = TreeClassifier(criterion="gini", max_depth=1, prune=None).fit(table.frame, y)
    assert not np.array_equal(left_of(greedy, table), best)
