"""Optimal trees against every tree there is, on small random tables.

The brute force knows no bounds: it takes a set of rows and asks every question about it, with a table of what
each number of leaves costs at least. Costs are whole numbers, so that equal means equal.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arboretum import Optimal, TreeClassifier, TreeRegressor, UnprovenWarning, _core
from arboretum._prune.certified import cost_of

Columns = list[tuple[str, list[Any]]]


def questions(columns: Columns, nominal: str) -> list[frozenset[int]]:
    """Return every way to divide the rows, as the set of rows that go left."""
    ways = set()
    for kind, values in columns:
        rows = range(len(values))
        known = sorted({v for v in values if v is not None})
        some_missing = any(v is None for v in values)
        missing_sides = (False, True) if some_missing else (False,)
        if kind == "number":
            lefts = [known[: i + 1] for i in range(len(known))]
        elif nominal == "one_vs_rest":
            lefts = [[v] for v in known]
        else:
            lefts = [list(c) for size in range(len(known) + 1) for c in combinations(known, size)]
        lefts = [*lefts, []]
        for left in lefts:
            for with_missing in missing_sides:
                ways.add(
                    frozenset(i for i in rows if (with_missing if values[i] is None else values[i] in left))
                )
    return [way for way in ways if 0 < len(way) < len(columns[0][1])]


def brute_force(
    columns: Columns,
    leaf_cost: Callable[[frozenset[int]], float],
    depth: int,
    leaves: int,
    *,
    nominal: str = "subset",
    least: int = 1,
) -> list[float]:
    """Return the least cost with at most so many leaves, for each number of leaves from 1 on."""
    ways = questions(columns, nominal)

    @cache
    def costs(rows: frozenset[int], depth: int) -> list[float]:
        best = [leaf_cost(rows)]
        if depth > 0 and len(rows) >= 2:
            best += [best[0]] * (min(2**depth, leaves, len(rows)) - 1)
            for left, right in {(rows & way, rows - way) for way in ways}:
                if min(len(left), len(right)) < least:
                    continue
                one, two = costs(left, depth - 1), costs(right, depth - 1)
                for a, cost in enumerate(one, 1):
                    for b, other in enumerate(two, 1):
                        if a + b <= len(best):
                            best[a + b - 1] = min(best[a + b - 1], cost + other)
        return best

    found = costs(frozenset(range(len(columns[0][1]))), depth)
    return list(np.minimum.accumulate(found))


numbers = st.one_of(st.none(), st.integers(0, 5))
levels = st.one_of(st.none(), st.sampled_from("abcd"))


@st.composite
def tables(draw: st.DrawFn, most_rows: int = 13) -> tuple[Columns, list[int]]:
    """Return columns with equal and missing values, and as many class numbers."""
    n = draw(st.integers(2, most_rows))
    columns = [
        (kind, draw(st.lists(numbers if kind == "number" else levels, min_size=n, max_size=n)))
        for kind in draw(st.lists(st.sampled_from(["number", "number", "level"]), min_size=1, max_size=3))
    ]
    return columns, draw(st.lists(st.integers(0, draw(st.integers(1, 3))), min_size=n, max_size=n))


def frame(columns: Columns) -> Any:
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(
        {
            f"x{i}": pd.Series([np.nan if v is None else float(v) for v in values])
            if kind == "number"
            else pd.Categorical(values, categories=list("abcd"))
            for i, (kind, values) in enumerate(columns)
        }
    )


def fitted(model: Any, X: Any, y: Any, **more: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y, **more)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_classes(data: st.DataObject) -> None:
    columns, y = data.draw(tables())
    weights = np.array(data.draw(st.lists(st.integers(1, 4), min_size=len(y), max_size=len(y))))
    even = data.draw(st.booleans())
    weights = np.ones(len(y)) if even else weights
    classes = sorted(set(y))
    loss = None
    if len(classes) > 1 and data.draw(st.booleans()):
        loss = np.array(
            [[0 if a == b else data.draw(st.integers(1, 4)) for b in classes] for a in classes], float
        )
    depth, leaves = data.draw(st.integers(1, 3)), data.draw(st.integers(2, 8))
    least, nominal = data.draw(st.integers(1, 3)), data.draw(st.sampled_from(["subset", "one_vs_rest"]))
    price = data.draw(st.sampled_from([0.0, 0.0, 0.0625, 0.125]))
    costs = 1 - np.eye(len(classes)) if loss is None else loss
    truth = np.searchsorted(classes, y)

    def leaf_cost(members: frozenset[int]) -> float:
        rows = list(members)
        return float((weights[rows, None] * costs[truth[rows]]).sum(axis=0).min())

    each = brute_force(columns, leaf_cost, depth, leaves, nominal=nominal, least=least)
    priced = np.array(each) + price * weights.sum() * np.arange(1, len(each) + 1)
    model = TreeClassifier(
        search=Optimal(leaf_penalty=price), max_depth=depth, max_leaf_nodes=leaves, min_samples_leaf=least,
        nominal=nominal, loss=loss, prune=None, leaf="frequency",
    )  # fmt: skip
    fitted(model, frame(columns), y, sample_weight=None if even else weights)
    found = model.optimality_
    assert found.proven
    assert found.stopped_by == "proof"
    assert found.objective == pytest.approx(priced.min(), abs=1e-9)
    assert cost_of(model.tree_, price) == pytest.approx(found.objective, abs=1e-9)
    assert model.get_n_leaves() == 1 + int(np.argmax(priced <= priced.min() + 1e-9))  # the fewest
    assert model.tree_.array("n_rows")[model.tree_.array("n_children") == 0].min() >= min(least, len(y))
    predicted = np.searchsorted(classes, model.predict(frame(columns)))
    mistakes = (weights * costs[truth, predicted]).sum() + price * weights.sum() * model.get_n_leaves()
    assert mistakes == pytest.approx(found.objective, abs=1e-9)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_numbers(data: st.DataObject) -> None:
    columns, labels = data.draw(tables(most_rows=11))
    n = len(labels)
    y = np.array(data.draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n)), dtype=float)
    even = data.draw(st.booleans())
    weights = (
        np.ones(len(y))
        if even
        else np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(y), max_size=len(y))), float)
    )
    depth, leaves = data.draw(st.integers(1, 3)), data.draw(st.integers(2, 8))
    least, nominal = data.draw(st.integers(1, 3)), data.draw(st.sampled_from(["subset", "one_vs_rest"]))
    price = data.draw(st.sampled_from([0.0, 0.0, 0.5]))

    def leaf_cost(members: frozenset[int]) -> float:
        rows = list(members)
        mean = np.average(y[rows], weights=weights[rows])
        return float((weights[rows] * (y[rows] - mean) ** 2).sum())

    each = brute_force(columns, leaf_cost, depth, leaves, nominal=nominal, least=least)
    priced = np.array(each) + price * weights.sum() * np.arange(1, len(each) + 1)
    model = TreeRegressor(
        search=Optimal(leaf_penalty=price), max_depth=depth, max_leaf_nodes=leaves, min_samples_leaf=least,
        nominal=nominal, prune=None, leaf="mean",
    )  # fmt: skip
    fitted(model, frame(columns), y, sample_weight=None if even else weights)
    found = model.optimality_
    assert found.proven
    total = float((weights * (y - np.average(y, weights=weights)) ** 2).sum())
    assert found.objective == pytest.approx(priced.min(), abs=1e-7 * (1 + total))
    assert cost_of(model.tree_, price) == pytest.approx(found.objective, abs=1e-7 * (1 + total))
    assert model.get_n_leaves() <= 1 + int(np.argmax(priced <= priced.min() + 1e-9 * total))


def search(X: Any, y: Any, weights: Any = None, **options: Any) -> tuple[float, float, dict[str, Any]]:
    """Ask the core itself."""
    data = _core.Dataset(len(y))
    columns = [np.ascontiguousarray(column, dtype=float) for column in X.T]
    for column in columns:
        data.add_column(column, None, "numeric")
    chosen = _core.OptimalOptions()
    for name, value in options.items():
        setattr(chosen, name, value)
    of_classes = y.dtype.kind == "i"
    found = _core.optimal_tree(
        data,
        y if of_classes else None,
        int(y.max()) + 1 if of_classes else 0,
        None if of_classes else y,
        weights,
        chosen,
    )
    return found["best"][1], found["best"][2], found


def random_table(seed: int, *, rows: tuple[int, int] = (2, 400)) -> tuple[Any, Any]:
    """Return a table with long runs of equal values."""
    random = np.random.default_rng(seed)
    n, k = random.integers(*rows), random.integers(2, 5)
    X = np.column_stack(
        [random.integers(0, random.choice([2, 5, 30, 1000]), n) for _ in range(random.integers(1, 5))]
    )
    score = X @ random.normal(size=X.shape[1]) + X.std() * random.normal(size=n)
    return X.astype(float), np.searchsorted(np.quantile(score, np.arange(1, k) / k), score).astype(np.int32)


@pytest.mark.parametrize("seed", range(40))
def test_plain_passes_and_fewer_cuts_find_the_same(seed: int) -> None:
    X, y = random_table(seed)
    depth = 2 + seed % 2
    objective, bound, found = search(X, y, max_depth=depth)
    assert objective == bound
    for options in ({"simd": False}, {"n_cuts": 5}, {"n_cuts": 2}, {"n_threads": 2}):
        again, other, plain = search(X, y, max_depth=depth, **options)
        assert (again, other) == (objective, bound)
        if "simd" in options:
            assert plain["passes"] == found["passes"]


@pytest.mark.parametrize("seed", range(15))
def test_plain_passes_find_the_same_numbers(seed: int) -> None:
    X, y = random_table(seed)
    targets = y + np.random.default_rng(seed).normal(size=len(y))
    objective, bound, found = search(X, targets, max_depth=2)
    again, other, plain = search(X, targets, max_depth=2, simd=False)
    assert (again, other, plain["passes"]) == (objective, bound, found["passes"])


@pytest.mark.parametrize("seed", range(24))
def test_plain_passes_find_the_same_with_weights(seed: int) -> None:
    """Classes with whole and with any weights, losses and numbers; bit for bit."""
    random = np.random.default_rng(seed)
    X, y = random_table(seed, rows=(2, 200))
    n, k = len(y), int(y.max()) + 1
    weights = random.integers(0, 4, n).astype(float) if seed % 2 else random.exponential(size=n)
    weights[0] = 1.0
    options: dict[str, Any] = {"max_depth": 2 + seed % 2, "min_leaf_rows": 1 + 3 * (seed % 3 == 0)}
    targets = y + random.normal(size=n) if seed % 4 == 0 else y
    if seed % 4 == 1:
        options["loss"] = (random.integers(1, 5, (k, k)) * (1 - np.eye(k))).ravel().tolist()
    objective, bound, found = search(X, targets, weights, **options)
    again, other, plain = search(X, targets, weights, simd=False, **options)
    assert objective == bound
    assert (again, other, plain["passes"]) == (objective, bound, found["passes"])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("least", [1, 4])
def test_stopped_searches_tell_the_truth(seed: int, least: int) -> None:
    X, y = random_table(seed, rows=(100, 300))
    targets = y if seed % 3 else y + np.random.default_rng(seed).normal(size=len(y))
    limits = {"max_depth": 3, "min_leaf_rows": least}
    optimum, bound, full = search(X, targets, **limits)
    assert optimum == pytest.approx(bound)
    for share in (0.01, 0.1, 0.3, 0.6, 0.9):
        passes = max(1.0, np.floor(full["passes"] * share))
        objective, bound, found = search(X, targets, passes=passes, **limits)
        again, other, _ = search(X, targets, passes=passes, **limits)
        assert (objective, bound) == (again, other)
        assert bound <= optimum * (1 + 1e-9)
        assert optimum <= objective * (1 + 1e-9)
        assert found["stopped_by"] == "work" or objective == bound


@pytest.mark.parametrize("seed", range(6))
def test_alternatives(seed: int) -> None:
    """Each alternative is the best cut of its column with the best stumps below."""
    X, y = random_table(seed, rows=(30, 60))
    optimum, _, found = search(X, y, max_depth=2, alternatives=True)
    if found["alternatives"]:
        assert min(each[1] for each in found["alternatives"]) >= optimum
    leaf = len(y) - np.bincount(y).max()
    for column, objective, bound, _ in found["alternatives"]:
        assert objective == bound
        cuts = np.unique(X[:, column])[1:]
        sides = [(X[:, column] < cut) for cut in cuts]
        best = min(
            sum(search(X[s], y[s], max_depth=1)[0] if s.any() else 0.0 for s in (side, ~side))
            for side in sides
        )
        assert objective == best or leaf == objective


def planted(seed: int) -> tuple[Any, Any]:
    """Return a table that a tree of three levels gets right, and three classes."""
    random = np.random.default_rng(seed)
    X = random.integers(0, random.choice([6, 40, 1000]), (int(random.integers(60, 200)), 4)).astype(float)
    at = np.zeros(len(X), dtype=np.int64)
    for _ in range(3):
        columns, cuts = random.integers(0, 4, 8), np.quantile(X, random.uniform(0.2, 0.8, 8))
        at = 2 * at + (X[np.arange(len(X)), columns[at]] < cuts[at])
    return X, (random.permutation(8) % 3)[at].astype(np.int32)


@pytest.mark.parametrize("seed", range(16))
def test_a_tree_without_mistakes_is_that_of_the_ordinary_search(seed: int) -> None:
    """They are looked for in a way of their own, but not where mistakes have prices: here all are 1."""
    X, y = planted(seed)
    weights = None if seed % 2 else np.random.default_rng(seed).integers(0, 3, len(y)) + (y == y[0])
    trees = []
    for loss in (None, 1 - np.eye(len(np.unique(y)))):
        model = TreeClassifier(search=Optimal(), max_depth=3, prune=None, leaf="frequency", loss=loss)
        model.fit(X, y, sample_weight=weights)
        assert (model.optimality_.objective, model.optimality_.proven) == (0.0, True)
        trees.append(model.tree_.apply(X))
    assert (trees[0] == trees[1]).all()


@pytest.mark.parametrize("seed", range(8))
def test_a_stopped_search_for_no_mistakes_tells_the_truth(seed: int) -> None:
    X, y = planted(seed)
    if seed % 2:
        y[:2] = (y[:2] + 1) % 3
    optimum, bound, full = search(X, y, max_depth=3)
    assert optimum == bound
    for share in (0.01, 0.1, 0.3, 0.6, 0.9):
        objective, bound, _ = search(X, y, max_depth=3, passes=max(1.0, np.floor(full["passes"] * share)))
        assert bound <= optimum <= objective


def test_a_stopped_fit_warns_and_is_never_worse_than_greedy() -> None:
    X, y = random_table(7, rows=(300, 301))
    greedy = TreeClassifier(max_depth=3, prune=None, leaf="frequency").fit(X, y)
    with pytest.warns(UnprovenWarning, match="stopped by work"):
        model = TreeClassifier(search=Optimal(work_limit=2), max_depth=3, prune=None, leaf="frequency").fit(
            X, y
        )
    assert (model.predict(X) != y).sum() <= (greedy.predict(X) != y).sum()
    found = model.optimality_
    assert not found.proven
    assert 0 < found.gap <= 1
