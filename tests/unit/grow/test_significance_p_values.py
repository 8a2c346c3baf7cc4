"""The p-values of significance=: against scipy, against all orders of the targets, and under noise.

A table has a line for each child and a column for each class; noise is a target that has nothing to do with
the columns. How trees are stopped by p-values is tested in test_significance_stops_growth.py.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, f_oneway, fisher_exact, norm
from support.marks import allow_one_leaf
from support.tables import categorical

from arboretum import (
    ChiSquare,
    Conditional,
    FTest,
    Permutation,
    TreeClassifier,
    TreeRegressor,
    candidates,
)
from arboretum._grow.significance.adjusting import bonferroni, sidak
from arboretum._grow.significance.association import associate, indicators, scores
from arboretum._grow.significance.chi_square import chi_square, simulated
from arboretum._grow.significance.f_test import f_test
from arboretum._grow.significance.normal_tail import factor_of, normal_tail

Array = npt.NDArray[Any]


def rows_of(table: Array) -> tuple[pd.DataFrame, Array]:
    """One nominal column and classes, of which this is the table."""
    line, column = np.indices(table.shape)
    level, label = (np.repeat(index.ravel(), table.ravel()) for index in (line, column))
    return pd.DataFrame({"x": categorical(level, [f"l{i}" for i in range(len(table))])}), label


def root_of(model: Any, X: Any, y: Any, weights: Any = None) -> Any:
    """The root of the tree that asks one question with a branch for each level."""
    model.set_params(nominal="multiway", levels="raw", max_depth=1, prune=None)
    return model.fit(X, y, sample_weight=weights).tree_.root


def p_of(test: Any, X: Any, y: Any, weights: Any = None) -> float:
    """The p-value of that question."""
    estimator = TreeRegressor if isinstance(test, FTest) else TreeClassifier
    p_value = root_of(estimator(significance=test), X, y, weights).p_value
    assert p_value is not None
    return float(p_value)


@st.composite
def tables(draw: st.DrawFn, most: int = 40) -> Array:
    """Children by classes; some cells are empty, but two lines and two columns are not."""
    shape = draw(st.tuples(st.integers(2, 4), st.integers(2, 4)))
    cells = draw(st.lists(st.integers(0, most), min_size=math.prod(shape), max_size=math.prod(shape)))
    table = np.array(cells).reshape(shape)
    assume((table.sum(axis=0) > 0).sum() >= 2)
    assume((table.sum(axis=1) > 0).sum() >= 2)
    return table


def without_empty(table: Array) -> Array:
    """Only lines and columns that have rows."""
    filled: Array = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    return filled


def all_tables(lines: tuple[int, ...], columns: tuple[int, ...]) -> Any:
    """Every table with these sums, and in how many ways rows can be dealt out to make it."""
    if not lines:
        yield (), 1
        return
    for first in itertools.product(*(range(n + 1) for n in columns)):
        if sum(first) == lines[0]:
            ways = math.prod(math.comb(n, k) for n, k in zip(columns, first, strict=True))
            left = tuple(n - k for n, k in zip(columns, first, strict=True))
            for rest, more in all_tables(lines[1:], left):
                yield (first, *rest), ways * more


def exact_p_value(table: Array) -> float:
    """The share of all ways to deal out rows whose chi-square is as large, by trying every table."""
    lines, columns = (tuple(map(int, table.sum(axis=axis))) for axis in (1, 0))
    least = chi_square(table.astype(float))[0] * (1 - 1e-9)
    large = total = 0
    for cells, ways in all_tables(lines, columns):
        total += ways
        large += ways * (chi_square(np.array(cells, dtype=float))[0] >= least)
    return large / total


# --- chi-square


@given(tables())
def test_chi_square_is_that_of_scipy(table: Array) -> None:
    """Whatever is expected, with min_expected=0; lines and columns without rows do not count."""
    expected = chi2_contingency(without_empty(table), correction=False).pvalue
    found = p_of(ChiSquare(level=1.0, min_expected=0), *rows_of(table))
    assert found == pytest.approx(expected, rel=1e-10)


@given(tables())
def test_chi_square_only_where_enough_is_expected(table: Array) -> None:
    """By default Fisher's exact test takes over in tables of two by two, dealing in larger ones."""
    filled = without_empty(table)
    found = p_of(ChiSquare(level=1.0), *rows_of(table))
    if chi2_contingency(filled, correction=False).expected_freq.min() >= 5:
        assert found == pytest.approx(chi2_contingency(filled, correction=False).pvalue, rel=1e-10)
    elif filled.shape == (2, 2):
        assert found == pytest.approx(min(1.0, fisher_exact(filled)[1]), rel=1e-10)
    else:
        assert (found * 10_000) == pytest.approx(round(found * 10_000), abs=1e-6)  # (1 + k) / (1 + 9999)


@given(tables(most=3))
def test_dealing_comes_near_the_exact_p_value(table: Array) -> None:
    """All tables with the same sums are tried; chance may be off by five standard deviations."""
    filled = without_empty(table)
    assume(4 < filled.size <= 9)
    exact = exact_p_value(filled)
    found = p_of(ChiSquare(level=1.0), *rows_of(table))
    assert abs(found - exact) <= 5 * math.sqrt(exact * (1 - exact) / 9999) + 2e-4


@given(tables(most=3), st.sampled_from([0.01, 0.05, 0.2]))
def test_dealing_stops_early_but_decides_the_same(table: Array, level: float) -> None:
    """The first tables are the same, and it stops only when no more could change the decision."""
    child, classes = (np.repeat(index.ravel(), table.ravel()) for index in np.indices(table.shape))
    assume(min(without_empty(table).shape) >= 2)
    ones = np.ones(len(child))
    short = simulated(child, classes, ones, level, 1999, np.random.default_rng(3))
    long = simulated(child, classes, ones, 1.0, 1999, np.random.default_rng(3))
    assert (short <= level) == (long <= level)


@given(tables(most=12), st.sampled_from([0.125, 2.0, 1e100]))
def test_equal_weights_change_nothing(table: Array, weight: float) -> None:
    """Weights are scaled so that they add up to the number of rows."""
    X, y = rows_of(table)
    plain = p_of(ChiSquare(level=1.0), X, y)
    assert p_of(ChiSquare(level=1.0), X, y, np.full(len(y), weight)) == plain


def test_weighted_table() -> None:
    """Twice the weight of some rows is a table of its own, scaled down to the number of rows."""
    table = np.array([[30, 10], [12, 28]])
    X, y = rows_of(table)
    weights = np.where(y == 1, 2.0, 1.0)
    heavy = table * [1, 2]
    scaled = heavy * (table.sum() / heavy.sum())
    expected = chi2_contingency(scaled, correction=False).pvalue
    assert p_of(ChiSquare(), X, y, weights) == pytest.approx(expected, rel=1e-12)
    assert p_of(ChiSquare(), X, y) != pytest.approx(expected, rel=0.1)


def test_small_weighted_table_is_dealt_with_its_weights() -> None:
    """Every order of six weighted rows is tried by hand."""
    child, classes = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 1, 0])
    weights = np.array([2.0, 1.0, 1.0, 0.5, 1.0, 0.5])

    def statistic(order: Any) -> float:
        table = np.zeros((2, 2))
        np.add.at(table, (child, classes[list(order)]), weights[list(order)])
        return chi_square(table)[0]

    least = statistic(range(6)) * (1 - 1e-9)
    exact = np.mean([statistic(order) >= least for order in itertools.permutations(range(6))])
    found = simulated(child, classes, weights, 1.0, 20_000, np.random.default_rng(0))
    assert found == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / 20_000))


def test_many_columns_do_not_outnumber_the_random_tables() -> None:
    """With 500 columns a p-value of 0.0001 would not do: more tables are dealt."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1, 2, 3], 4)
    X = pd.DataFrame(rng.integers(0, 2, (16, 500)).astype(float)).rename(columns="x{}".format)
    X["x0"] = y.astype(float)
    X = X.astype({"x0": "category"})
    root = root_of(TreeClassifier(significance=0.05), X, y)
    assert root.question.column == "x0"
    assert root.p_value < 0.05


# --- F


@given(st.lists(st.lists(st.integers(-5, 5), min_size=0, max_size=6), min_size=2, max_size=4))
def test_f_is_that_of_scipy(groups: list[list[int]]) -> None:
    """Groups without rows do not count."""
    filled = [np.array(group, dtype=float) for group in groups if group]
    y = np.concatenate([*filled, []])
    assume(len(filled) >= 2)
    assume(len(y) > len(filled))
    assume(len(set(y)) > 1)
    level = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    X = pd.DataFrame({"x": categorical(level, [f"l{i}" for i in range(len(groups))])})
    found = p_of(FTest(level=1.0), X, y)
    if all(len(set(group)) == 1 for group in filled):
        assert found == 0.0
    else:
        assert found == pytest.approx(f_oneway(*filled).pvalue, rel=1e-9, abs=1e-14)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-4, 4), st.integers(1, 3)), min_size=5, max_size=20))
def test_f_of_weighted_rows(rows: list[tuple[int, int, int]]) -> None:
    """Sums of squares by weights that add up to the number of rows."""
    child, y, w = (np.array(part, dtype=float) for part in zip(*rows, strict=True))
    children = np.unique(child)
    assume(1 < len(children) < len(y))
    assume(all(len(set(y[child == c])) > 1 for c in children))
    w *= len(w) / w.sum()
    mean = w @ y / w.sum()
    means = {c: np.average(y[child == c], weights=w[child == c]) for c in children}
    between = sum(w[child == c].sum() * (means[c] - mean) ** 2 for c in children) / (len(children) - 1)
    within = sum(w[child == c] @ (y[child == c] - means[c]) ** 2 for c in children) / (len(y) - len(children))
    from scipy.stats import f

    expected = f.sf(between / within, len(children) - 1, len(y) - len(children))
    assert f_test(child.astype(int), y, w) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e300])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_f_does_not_depend_on_the_unit(scale: float, shift: float) -> None:
    """Neither squares nor sums overflow or vanish."""
    child = np.repeat([0, 1], 10)
    y = np.random.default_rng(0).normal(size=20).round(3) + child
    expected = f_oneway(y[:10], y[10:]).pvalue
    assert f_test(child, (y + shift) * scale, np.ones(20)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("y", "expected"), [([1.0, 2.0], 1.0), ([1.0, 1.0, 2.0, 2.0], 0.0), ([1.0, 2.0, 1.0, 2.0], 1.0)]
)
def test_f_at_its_ends(y: list[float], expected: float) -> None:
    """As many children as rows: nothing to compare with. No spread within: certain. None between: nothing."""
    child = np.repeat([0, 1], len(y) // 2)
    assert f_test(child, np.array(y), np.ones(len(y))) == expected


# --- adjusting


def test_adjusted_for_the_columns_that_vary() -> None:
    """Constant columns are not tried; where missing is an answer, missing values make a column vary."""
    X, y = rows_of(np.array([[20, 8], [8, 20]]))
    alone = p_of(ChiSquare(adjust=None), X, y)
    half = np.where(np.arange(len(y)) % 2, np.nan, 1.0)
    X = X.assign(constant=1.0, noise=np.arange(len(y)) % 5, gaps=half)
    for missing, n_tried in (("category", 3), ("surrogate", 2), ("fractional", 2)):
        nominal = "subset" if missing == "surrogate" else "multiway"
        how: dict[str, Any] = {"missing": missing, "nominal": nominal, "max_depth": 1, "prune": None}
        root = TreeClassifier(significance=ChiSquare(), **how).fit(X, y).tree_.root
        assert root.question.column == "x"
        assert root.p_value == pytest.approx(n_tried * alone)
        root = TreeClassifier(significance=ChiSquare(adjust=None), **how).fit(X, y).tree_.root
        assert root.p_value == pytest.approx(alone)


def test_adjustments() -> None:
    """p·m, at most 1; and 1 - (1 - p)^m without losing small p-values."""
    assert bonferroni(0.4, 3) == 1.0
    assert sidak(0.4, 3) == pytest.approx(1 - 0.6**3)
    assert sidak(1e-30, 5) == pytest.approx(5e-30)
    assert sidak(1.0, 2) == 1.0


# --- permutations


def best_gain(X: Any, y: Any) -> float:
    """The best of all questions, by the table of candidates, which is made without the core."""
    return float(candidates(X, y)["gain"].max())


def test_permutation_comes_near_all_orders() -> None:
    """Seven rows, all 5,040 orders of their targets, the best of two columns in each."""
    X = pd.DataFrame({"a": [1.0, 2, 3, 4, 5, 6, 7], "b": [1.0, 1, 2, 2, 3, 3, 1]})
    y = np.array([0, 0, 0, 1, 0, 1, 1])
    least = best_gain(X, y) * (1 - 1e-9)
    # Orders of two classes: 35 different ones, each as often as the others.
    gains = [
        best_gain(X, np.isin(range(7), ones).astype(int)) for ones in itertools.combinations(range(7), 3)
    ]
    exact = float(np.mean(np.array(gains) >= least))
    assert 0.05 < exact < 0.95
    model = TreeClassifier(significance=Permutation(level=1.0, permutations=4000), max_depth=1, prune=None)
    found = model.fit(X, y).tree_.root.p_value
    assert found == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / 4000))


def noise_p_values(test: Any, n_tables: int) -> Array:
    """The p-value of the root of many trees that were grown from noise: two columns of 30 values."""
    rng = np.random.default_rng(8)
    found = []
    for _ in range(n_tables):
        X, y = rng.normal(size=(30, 2)), rng.permutation(np.repeat([0, 1], 15))
        model = TreeClassifier(significance=test, max_depth=1, min_samples_leaf=5, prune=None, random_state=1)
        found.append(model.fit(X, y).tree_.root.p_value)
    return np.array(found)


@pytest.mark.parametrize("n_tables", [200, pytest.param(300, marks=pytest.mark.deep)])
def test_noise_is_uniform_to_permutations_and_conditional_tests_but_not_to_chi_square(n_tables: int) -> None:
    """Of p-values of noise about one in ten is at most 0.1 (of 300, 18 to 42); chi-square sees far more."""
    for test in (Permutation(level=1.0, permutations=99), Conditional(level=1.0)):
        found = noise_p_values(test, n_tables)
        for level in (0.1, 0.5, 0.9):
            assert abs((found <= level).mean() - level) <= 4 * math.sqrt(level * (1 - level) / len(found))
    too_small = noise_p_values(ChiSquare(level=1.0), n_tables)
    assert (too_small <= 0.1).mean() > 0.2  # the best cut of many, for which nothing is paid


@allow_one_leaf
def test_shuffling_stops_early_but_decides_the_same() -> None:
    """The p-value counts the shuffles that were made, and falls on the same side of the level."""
    rng = np.random.default_rng(2)
    sides = []
    for _ in range(40):
        X = rng.normal(size=(24, 2))
        y = (X[:, 0] + 1.5 * rng.normal(size=24) > 0).astype(int)
        p_values: list[Any] = []
        for level in (0.1, 1.0):
            test = Permutation(level=level, permutations=99)
            model = TreeClassifier(significance=test, max_depth=1, prune=None)
            p_values.append(model.fit(X, y).tree_.root.p_value)
        short, full = p_values
        assert full * 100 == pytest.approx(round(full * 100))
        assert (short <= 0.1) == (full <= 0.1)
        assert short == full or short > 0.1
        sides.append((short <= 0.1, short == full))
    assert len(set(sides)) >= 2
    assert (False, False) in sides


def test_gain_ratio_is_compared_where_it_decides() -> None:
    """A lopsided but pure question has little gain and a large ratio: the two tests differ."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"rare": np.arange(60) < 3, "often": rng.integers(0, 4, 60).astype(float)})
    y = np.where(X["rare"], 1, rng.integers(0, 2, 60))
    p_values = []
    for criterion in ("entropy", "gain_ratio"):
        test = Permutation(level=1.0, permutations=200)
        how: dict[str, Any] = {"max_depth": 1, "prune": None}
        p_values.append(
            TreeClassifier(criterion=criterion, significance=test, **how).fit(X, y).tree_.root.p_value
        )
    assert p_values[0] != p_values[1]


def test_random_state_steers_shuffles_and_deals() -> None:
    """None is always the same; another number gives other shuffles."""
    X, y = rows_of(np.array([[3, 2, 1], [1, 2, 3], [2, 2, 2]]))
    for test in (Permutation(level=1.0, permutations=199), ChiSquare(level=1.0, simulations=199)):
        found = [
            root_of(TreeClassifier(significance=test, random_state=state), X, y).p_value
            for state in (None, None, 0, 1, 2, np.random.RandomState(3))
        ]
        assert found[0] == found[1] == found[2]
        assert len(set(found)) >= 3


# --- conditional tests


def statistics_over_all_orders(g: Array, h: Array) -> tuple[Array, Array, Array]:
    """The linear statistic, its mean and its covariance over all orders of the targets, by trying them."""
    every = np.array(
        [(g.T @ h[list(order)]).ravel() for order in itertools.permutations(range(len(h)))], dtype=float
    )
    return every[0], every.mean(axis=0), np.cov(every.T, bias=True).reshape(every.shape[1], -1)


def as_indicators(values: Array) -> Array:
    indicators: Array = (values[:, None] == np.unique(values)).astype(float)
    return indicators


NUMBERS = np.array([1.0, 4.0, 2.5, 2.5, 7.0, 3.0])
OTHERS = np.array([0.3, 1.0, -2.0, 0.5, 0.1, 0.0])
LEVELS = np.array([0, 2, 1, 0, 2, 2])
CLASSES = np.array([1, 0, 1, 1, 2, 0])


@pytest.mark.parametrize("x", [NUMBERS, LEVELS], ids=["numbers", "levels"])
@pytest.mark.parametrize("y", [OTHERS, CLASSES], ids=["of numbers", "of classes"])
def test_association_is_that_of_all_orders(x: Array, y: Array) -> None:
    """Mean and covariance of the linear statistic from all 720 orders of six targets."""
    nominal, of_classes = x.dtype.kind == "i", y.dtype.kind == "i"
    g = as_indicators(x) if nominal else x[:, None]
    h = as_indicators(y) if of_classes else y[:, None]
    found, mean, covariance = statistics_over_all_orders(g, h)
    away = found - mean
    ones = np.ones(6)
    sides = ((indicators if nominal else scores)(x, ones), (indicators if of_classes else scores)(y, ones))
    assert sides[0] is not None
    assert sides[1] is not None
    quadratic = associate(*sides, ones, "quadratic")
    assert quadratic.statistic == pytest.approx(away @ np.linalg.pinv(covariance, rcond=1e-9) @ away)
    rank = np.linalg.matrix_rank(covariance, tol=1e-9)
    from scipy.stats import chi2

    assert quadratic.p_value == pytest.approx(chi2.sf(quadratic.statistic, rank))
    maximum = associate(*sides, ones, "maximum")
    assert maximum.statistic == pytest.approx((np.abs(away) / np.sqrt(np.diag(covariance))).max())
    rng = np.random.default_rng(0)
    draws = np.abs(rng.multivariate_normal(np.zeros(len(away)), covariance, size=200_000, method="svd"))
    by_chance = (draws / np.sqrt(np.diag(covariance))).max(axis=1) >= maximum.statistic
    assert maximum.p_value == pytest.approx(by_chance.mean(), abs=0.006)


def test_integer_weights_are_repeated_rows_in_shares() -> None:
    """A column tells as much if all rows are there twice, but for the number of rows."""
    ones, twos = np.ones(6), np.full(6, 2.0)
    sides = [(scores(NUMBERS, w), indicators(CLASSES, w)) for w in (ones, twos)]
    first, second = (
        associate(*pair, w, "quadratic").statistic for pair, w in zip(sides, (ones, twos), strict=True)
    )
    assert second == pytest.approx(first * 11 / 5)  # n - 1 times what does not depend on n


@pytest.mark.parametrize("bound", [0.3, 1.0, 2.0, 3.0, 6.0, 12.0])
def test_tail_of_independent_numbers(bound: float) -> None:
    """One, two and more independent numbers: the tail is known."""
    single = 2 * norm.sf(bound)
    for n_numbers in (1, 2, 3, 6):
        exact = -math.expm1(n_numbers * math.log1p(-single))
        tolerance = 1e-12 if n_numbers < 3 else 3e-3
        assert normal_tail(bound, np.eye(n_numbers)) == pytest.approx(exact, rel=tolerance)


def test_tail_in_the_plane_is_exact() -> None:
    """Three numbers of rank two, by fine polar coordinates, at the middle and far out."""
    share = np.array([0.2, 0.3, 0.5])
    factor = factor_of(np.diag(share) - np.outer(share, share))
    assert factor.shape == (3, 2)
    angle = (np.arange(200_000) + 0.5) * np.pi / 200_000
    reach = np.abs(np.stack([np.cos(angle), np.sin(angle)], axis=1) @ factor.T).max(axis=1)
    for bound in (0.5, 2.0, 5.0, 10.0):
        exact = np.exp(-((bound / reach) ** 2) / 2).mean()
        assert normal_tail(bound, factor) == pytest.approx(exact, rel=1e-7)
    # The same numbers twice, and turned around: nothing changes.
    assert normal_tail(2.0, np.concatenate([factor, -factor])) == pytest.approx(
        normal_tail(2.0, factor), rel=1e-12
    )


def test_tail_in_space_comes_near_the_plane() -> None:
    """A third number that hardly matters: what is drawn comes near what is exact."""
    share = np.array([0.2, 0.3, 0.5])
    factor = factor_of(np.diag(share) - np.outer(share, share))
    almost = np.column_stack([factor, np.full(3, 1e-7)])
    for bound in (0.5, 1.0, 2.0, 4.0):
        assert normal_tail(bound, almost) == pytest.approx(normal_tail(bound, factor), rel=3e-3)


def test_conditional_leaves_infinite_and_missing_values_out() -> None:
    """As if those rows were not there, column by column."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=40)
    y = (x + rng.normal(size=40) > 0).astype(int)
    clean = TreeClassifier(significance=Conditional(level=1.0), max_depth=1, prune=None)
    expected = clean.fit(x[5:, None], y[5:]).tree_.root.p_value
    x[:3], x[3:5] = np.nan, [np.inf, -np.inf]
    found = clean.fit(x[:, None], y).tree_.root.p_value
    assert found == pytest.approx(expected, rel=1e-12)


@allow_one_leaf
def test_as_many_children_as_rows_have_nothing_to_compare_with() -> None:
    """Weights that add up to two rows but for rounding do not make a third."""
    weights = [0.12857020276919962, 0.49927786244011496]
    model = TreeRegressor(significance=FTest(0.001), prune=None)
    assert model.fit([[0.0], [1.0]], [0.0, 1.0], sample_weight=weights).tree_.root.p_value == 1.0


@allow_one_leaf
def test_columns_of_very_many_levels_are_tested() -> None:
    """In memory that grows with the levels, not with their square."""
    random = np.random.default_rng(0)
    levels = pd.Categorical.from_codes(random.integers(0, 30_000, 60_000), [f"l{i}" for i in range(30_000)])
    model = TreeClassifier(significance=Conditional(), prune=None, max_depth=1)
    root = model.fit(pd.DataFrame({"level": levels}), random.integers(0, 2, 60_000)).tree_.root
    assert root.p_value is not None
    assert 0.01 < root.p_value <= 1.0
