"""Many rows walk down a tree at once, and a matrix is read where it lies: neither changes where a row ends.

The plain way takes one row after the other and every value in its own type. That the plain way is right is
shown in `tests/oracle`; how fast the other ones are, in `benchmarks`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from support.marks import allow_constant_column, allow_one_leaf
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import Tree, TreeRegressor, _core
from arboretum._data import Column, ColumnData, Dataset, match_dataset
from arboretum._tree import asked_columns
from arboretum._tree.tree import core_dataset

pytestmark = [allow_constant_column, allow_one_leaf]

Array = npt.NDArray[Any]

N_COLUMNS = 3
TYPES = ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4")
# Each pool puts the thresholds elsewhere: into fractions, beyond the whole numbers of a float or a double.
POOLS: tuple[tuple[float, ...], ...] = (
    (-1.5, -0.0, 0.0, 1e-3, 1.0, 7.0),
    (0.1, 0.2, 0.30000000000000004, 0.3, math.nextafter(0.3, 1.0)),
    (-math.inf, -1.7e308, -3.5e38, 0.0, 3.4e38, 1e300, math.inf),
    (5e-324, -5e-324, 1e-45, 1e-40, 0.0),
    (2.0**24 - 1, 2.0**24, 2.0**24 + 1, 2.0**24 + 2, -(2.0**24)),
    (2.0**53 - 1, 2.0**53, 2.0**53 + 2, -(2.0**53)),
    (-128.0, 127.0, 0.0, 255.0, 65_535.0),
)
BIG = (2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**62, 2**62 + 1, -(2**63), 2**63 - 1)


@st.composite
def grown(draw: st.DrawFn) -> Tree:
    """A small tree that asks about numbers, and whether they are missing; of floats or of large integers."""
    n_rows = draw(st.integers(2, 40))
    drawn = draw(st.binary(min_size=n_rows * (N_COLUMNS + 1), max_size=n_rows * (N_COLUMNS + 1)))
    picks = np.frombuffer(drawn, dtype=np.uint8).reshape(n_rows, N_COLUMNS + 1)
    y = picks[:, -1] % 5
    if draw(st.booleans()):
        pool = np.array(BIG, dtype=np.int64)
        return unpruned_regressor().fit(pool[picks[:, :-1] % len(pool)], y).tree_
    with np.errstate(over="ignore"):
        pool = np.array(draw(st.sampled_from(POOLS))).astype(draw(st.sampled_from(["f4", "f8"])))
    X = pool[picks[:, :-1] % len(pool)]
    if draw(st.booleans()):
        X[picks[:, :-1] % 5 == 0] = np.nan
        y[np.isnan(X[:, 0])] += 9  # so that whether the value is missing is worth a question
    return unpruned_regressor().fit(X, y).tree_


def near(tree: Tree) -> list[float]:
    """The thresholds of the tree and the numbers next to them, as floats, doubles and integers have them."""
    asked = tree.array("threshold")[tree.array("n_children") > 0]
    with np.errstate(over="ignore"):
        singles = asked.astype(np.float32)
    sides = [np.nextafter(values, side) for values in (asked, singles) for side in (-np.inf, np.inf)]
    around = np.concatenate([asked, singles, *sides, np.floor(asked), np.ceil(asked)]).tolist()
    return [*sorted(set(around)), math.nan, math.inf, -math.inf, -0.0, 1e300]


@st.composite
def columns(draw: st.DrawFn, tree: Tree, n_rows: int) -> ColumnData:
    """A column of any type the core reads, masked or not, in memory forwards, backwards or with gaps."""
    dtype = np.dtype(draw(st.sampled_from(TYPES)))
    pool: Array
    with np.errstate(over="ignore"):
        if dtype.kind == "f":
            pool = np.array(near(tree)).astype(dtype)
        else:
            floors = tree.array("threshold_floor").tolist()
            whole = {*BIG, *floors, *(floor + 1 for floor in floors), 0, 2**24, 2**24 + 1}
            limits = np.iinfo(dtype.name)
            pool = np.array([int(min(max(n, limits.min), limits.max)) for n in sorted(whole)], dtype=dtype)
    picks = np.frombuffer(draw(st.binary(min_size=n_rows, max_size=n_rows)), dtype=np.uint8)
    values = pool[picks % len(pool)]
    step = draw(st.sampled_from([1, 2, -1, -3]))
    room = np.zeros(n_rows * abs(step), dtype=dtype)[::step]
    room[:] = values
    missing = picks % 7 == 0 if draw(st.booleans()) else None
    return ColumnData(Column("x", "number" if dtype.kind == "f" else "integer"), room, missing)


@given(data=st.data())
def test_rows_that_walk_together_end_where_they_end_alone(data: st.DataObject) -> None:
    """Columns of all types, next to all thresholds, masked or not: the leaves are those of the plain way."""
    tree = data.draw(grown(), label="tree")
    n_rows = data.draw(st.sampled_from([16, 33, 100]), label="n_rows")
    drawn = data.draw(st.tuples(*[columns(tree, n_rows)] * N_COLUMNS), label="columns")
    table = core_dataset(Dataset(drawn, n_rows, False))
    np.testing.assert_array_equal(
        tree._router.leaves_of(table), tree._router.leaves_of(table, plain=True), strict=True
    )


@given(data=st.data())
def test_trees_that_walk_together_end_where_each_ends_alone(data: st.DataObject) -> None:
    """A few rows go down many trees at once, many down one: leaves and sums stay the same."""
    trees = data.draw(st.lists(grown(), min_size=1, max_size=4), label="trees") * data.draw(
        st.integers(1, 12)
    )
    n_rows = data.draw(st.sampled_from([0, 1, 2, 11, 33, 100]), label="n_rows")
    drawn = data.draw(st.tuples(*[columns(trees[0], n_rows)] * N_COLUMNS), label="columns")
    table = core_dataset(Dataset(drawn, n_rows, False))
    forest, sums = _core.Forest(1), np.zeros((n_rows, 1))
    for number, tree in enumerate(trees):
        values = tree.array("value").reshape(-1, 1) / (3 + number)
        forest.add(tree._router, values)
        sums += values[tree._router.leaves_of(table, plain=True)]
    leaves = forest.leaves_of(table, data.draw(st.integers(1, 2), label="n_threads"))
    for number, tree in enumerate(trees):
        np.testing.assert_array_equal(leaves[:, number], tree._router.leaves_of(table, plain=True))
    np.testing.assert_array_equal(forest.sum(table, 1), sums, strict=True)


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "rows": lambda X: X,
    "columns": np.asfortranarray,
    "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every second column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "one row again and again": lambda X: np.broadcast_to(X[:1], X.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n_rows", [1, 15, 20_000])
def test_a_matrix_may_lie_in_memory_in_any_way(layout: str, dtype: str, n_rows: int) -> None:
    """Read-only and strided matrices of many rows or one: the leaves are those of the plain way."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(20_000, 6)).astype(dtype)
    X[rng.random(X.shape) < 0.05] = np.nan
    model = unpruned_classifier().fit(X[:3000], rng.integers(0, 3, 3000))
    matrix = LAYOUTS[layout](X[:n_rows])
    matrix.flags.writeable = False
    data = core_dataset(match_dataset(matrix, model.tree_.columns, named=False))
    leaves = model.tree_._router.leaves_of(data, plain=True)
    np.testing.assert_array_equal(model.apply(matrix), leaves, strict=True)
    np.testing.assert_array_equal(model.predict_proba(matrix), model.tree_.array("probability")[leaves])


def test_a_wide_table_and_a_bare_root() -> None:
    """Trees that ask about more columns than a step of eight bytes can name, and about none at all."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(4000, 700)).astype(np.float32)
    tree = unpruned_regressor().fit(X, rng.normal(size=4000)).tree_
    assert len(np.unique(tree.array("column"))) > 300
    data = core_dataset(match_dataset(X, tree.columns, named=False))
    np.testing.assert_array_equal(tree.apply(X), tree._router.leaves_of(data, plain=True))
    root = unpruned_regressor().fit(X, np.ones(4000))
    assert not root.apply(X).any()


class TestTheShortCut:
    """A plain matrix of floats goes to the core as it is; whatever might be refused or converted does not."""

    X = np.arange(60, dtype=np.float64).reshape(20, 3)

    @pytest.fixture
    def matched(self, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
        """The tables that were looked at."""
        seen: list[Any] = []

        def spy(X: Any, *arguments: Any, **options: Any) -> Dataset:
            seen.append(X)
            return match_dataset(X, *arguments, **options)

        monkeypatch.setattr(asked_columns, "match_dataset", spy)
        return seen

    def test_plain_matrices_take_it(self, matched: list[Any]) -> None:
        """Also with a tree that was fitted to integers: they are compared as they come."""
        for fitted in (self.X, self.X.astype(np.float32), self.X.astype(np.int64)):
            model = unpruned_regressor().fit(fitted, np.arange(20))
            for X in (self.X, self.X.astype(np.float32), np.asfortranarray(self.X)):
                np.testing.assert_array_equal(model.predict(X), np.arange(20))
                np.testing.assert_array_equal(model.tree_.predict(X), np.arange(20))
        assert not matched

    @pytest.mark.parametrize(
        "change",
        [
            lambda X: X.astype(np.float16),
            lambda X: X.astype(">f8"),
            lambda X: X.astype(np.int32),
            lambda X: X.astype(np.longdouble),
            lambda X: X.astype(object),
            lambda X: np.ma.masked_array(X, mask=False),
            lambda X: X.tolist(),
        ],
        ids=["half precision", "other byte order", "integers", "long doubles", "objects", "masked", "lists"],
    )
    def test_others_are_looked_at(self, matched: list[Any], change: Callable[[Array], Any]) -> None:
        """Tables of other types come to the same leaves on the long way."""
        model = unpruned_regressor().fit(self.X, np.arange(20))
        np.testing.assert_array_equal(model.predict(change(self.X)), np.arange(20))
        assert len(matched) == 1

    @pytest.mark.parametrize(
        ("X", "message"),
        [
            (X[:, :2], "X has 2 features, but TreeRegressor is expecting 3 features"),
            (X[0], "Reshape your data"),
            (X[None], "X has 3 dimensions"),
            (X[:0], "0 sample"),
        ],
    )
    def test_wrong_shapes_are_refused(self, X: Array, message: str) -> None:
        """In the words they have always been refused with."""
        with pytest.raises(ValueError, match=message):
            unpruned_regressor().fit(self.X, np.arange(20)).predict(X)

    def test_masked_values_are_missing(self) -> None:
        """A mask is seen, although the array underneath is of floats."""
        X = np.ma.masked_array(self.X, mask=np.arange(60).reshape(20, 3) == 0)
        plain = self.X.copy()
        plain[0, 0] = np.nan
        model = unpruned_regressor().fit(X, np.arange(20))
        np.testing.assert_array_equal(model.apply(X), model.apply(plain))

    def test_missing_values_are_refused_where_asked(self) -> None:
        """`missing="error"` still looks at every value."""
        model = unpruned_regressor(missing="error").fit(self.X, np.arange(20))
        with pytest.raises(ValueError, match="Input X contains NaN: column 'x1'"):
            model.predict(np.array([[1.0, np.nan, 2.0]]))

    def test_levels_and_times_are_matched(self, matched: list[Any]) -> None:
        """Where a column held levels or integers beyond 2**63, floats mean something else."""
        levels = unpruned_regressor(categorical_features=[1]).fit(self.X, np.arange(20))
        np.testing.assert_array_equal(levels.predict(self.X), np.arange(20))
        shifted = unpruned_regressor().fit(self.X.astype(np.uint64) + np.uint64(2**63), np.arange(20))
        np.testing.assert_array_equal(shifted.predict(self.X), np.zeros(20))
        assert len(matched) == 2

    def test_an_unfitted_estimator_says_so(self) -> None:
        """Before anything else, and in scikit-learn's words."""
        with pytest.raises(NotFittedError, match="This TreeRegressor instance is not fitted yet"):
            TreeRegressor().predict(self.X)
