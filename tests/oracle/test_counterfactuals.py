"""Counterfactuals against brute force: no row that is nearer is predicted as wanted.

The brute force tries every combination of the values at which a tree can change its mind: the row's own, each
threshold, the next value above it, each level. It prices rows by a formula of its own, and asks the tree to
predict them. Where questions add up columns the nearest row may lie anywhere, so random rows are tried.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from support.composites import frame
from support.export_models import ALL, exported, table_rows
from support.planting import planted, rows
from support.sweeps import every, few

from arboretum import DataError, MofN, ParameterError, Surrogate, Tree, TreeClassifier, TreeRegressor
from arboretum._data import ColumnData, Dataset, match_dataset
from arboretum._data.dataset import core_dataset
from arboretum._tree.one_row import read_row
from arboretum._tree.questions import Threshold
from arboretum._warning import unheard
from arboretum.inspection.counterfactual.answers import proof_of
from arboretum.inspection.counterfactual.counterfactual import counterfactual
from arboretum.inspection.counterfactual.options import value_of
from arboretum.inspection.counterfactual.pieces import everything
from arboretum.inspection.counterfactual.ways import DIVIDED, RESTS, Way, ways_of
from arboretum.inspection.spread import spreads_by_thresholds

ROUNDING = 1e-9


# --- an own idea of prices


def distance(tree: Tree, given: Dataset, spreads: Any, after: tuple[Any, ...]) -> float:
    """What it costs to become another row, all costs being 1."""
    total = 0.0
    for place, (column, value) in enumerate(zip(tree.columns, after, strict=True)):
        before = value_of(given.columns[place])
        if value == before:
            continue
        if value is None:
            return math.inf  # what is known stays known
        total += 1.0 if no_place(before) or column.kind == "nominal" else abs(value - before) / spreads[place]
    return total


def no_place(value: Any) -> bool:
    """Whether a value is at no distance from others: it is missing or infinite."""
    return value is None or not math.isfinite(value)


def turning_points(tree: Tree, given: Dataset) -> list[list[Any]]:
    """The values of each column among which a nearest row is found."""
    points: list[dict[Any, None]] = [{value_of(data): None} for data in given.columns]
    asked = [
        (node.question, node.surrogates if tree.missing == "surrogates" else ())
        for node in tree.walk()
        if not node.is_leaf
    ]
    for question, surrogates in asked:
        for each in (question, *(surrogate.question for surrogate in surrogates)):
            parts = getattr(each, "literals", (each,))
            for part in parts:
                place = tree._place_of(part.about.name)
                if part.about.kind == "nominal":
                    points[place] |= dict.fromkeys(range(len(part.about.levels or ())))
                elif isinstance(each, Threshold) or getattr(part, "threshold", None) is not None:
                    points[place] |= dict.fromkeys(_around(part.about.kind, part.threshold))
                else:  # whether it is missing
                    points[place] |= {1: None}
    for place, column in enumerate(tree.columns):
        if column.kind == "ordered":
            points[place] = {x: None for x in points[place] if x is None or 0 <= x < len(column.levels or ())}
    return [list(values) for values in points]


def _around(kind: str, threshold: Any) -> tuple[Any, Any]:
    if kind == "number":
        return threshold, math.nextafter(threshold, math.inf)
    return math.floor(threshold), math.floor(threshold) + 1


def table_of(tree: Tree, values: list[tuple[Any, ...]]) -> pd.DataFrame:
    """Rows of stored values as people have them."""
    shown = {}
    for place, column in enumerate(tree.columns):
        cells = [None if row[place] is None else column.plain(row[place]) for row in values]
        if column.levels is not None:
            kind = pd.CategoricalDtype(list(column.levels), ordered=column.kind == "ordered")
            shown[column.name] = pd.Series(pd.Categorical(cells, dtype=kind))
        elif column.kind == "number":
            shown[column.name] = pd.Series(cells, dtype=np.float64)
        elif column.kind == "integer":
            shown[column.name] = pd.Series(pd.array(cells, dtype="Int64" if not column.offset else "UInt64"))
        else:
            shown[column.name] = pd.Series(cells, dtype=object)
    return pd.DataFrame(shown)


def is_wanted(tree: Tree, table: pd.DataFrame, desired: Any) -> Any:
    with unheard():
        if tree.target.classes is None:
            found = tree.predict(table)
            return (found >= desired[0]) & (found <= desired[1])
        if isinstance(desired, dict):
            ((label, least),) = desired.items()
            return tree.predict_proba(table)[:, tree.target.classes.index(label)] >= least
        return tree.predict(table) == desired


def nearest_by_force(tree: Tree, row: Any, desired: Any) -> float:
    """The least price of a row among all combinations of turning points that is predicted as wanted."""
    given = read_row(tree, row)
    spreads = spreads_by_thresholds(tree, given)
    every_row = list(product(*turning_points(tree, given)))
    wanted = is_wanted(tree, table_of(tree, every_row), desired)
    prices = [distance(tree, given, spreads, after) for after in every_row]
    return min((price for price, good in zip(prices, wanted, strict=True) if good), default=math.inf)


def found(tree: Tree, row: Any, desired: Any, **options: Any) -> Any:
    """The nearest answer, checked by predicting it; None if there is none."""
    refused = ""
    try:
        answer = counterfactual(tree, row, desired, **options)[0]
    except (ParameterError, DataError) as error:
        refused = str(error)
    if refused:
        assert "leaf predicts" in refused or "No change" in refused
        return None
    exact = pd.DataFrame([tuple(answer.row.values())], columns=list(answer.row), dtype=object)
    stored = tuple(value_of(data) for data in read_row(tree, dict(answer.row)).columns)
    assert is_wanted(tree, table_of(tree, [stored]), desired)[0], exact
    assert answer.proof.holds
    assert answer.bound <= answer.cost + ROUNDING
    return answer


def bound_of(tree: Tree, row: Any, desired: Any) -> float:
    answer = found(tree, row, desired, readable=False)
    if answer is None:
        return math.inf
    assert answer.cost == pytest.approx(answer.bound, abs=1e-6)
    return float(answer.bound)


# --- random tables, grown

KINDS: list[dict[str, Any]] = [
    {},
    {"nominal": "one_vs_rest"},
    {"nominal": "multiway"},
    {"missing": "surrogate"},
    {"missing": "fractional"},
    {"missing": "fractional", "nominal": "multiway"},
    {"missing": Surrogate(send="surrogates")},
    {"leaf": "frequency"},
    {"questions": MofN(), "max_depth": 2},
    {"class_weight": "balanced"},
    {"monotonic_cst": {"a": 1, "n": 1, "size": -1}},
]
NUMBER_KINDS: list[dict[str, Any]] = [
    {},
    {"missing": "surrogate"},
    {"missing": "fractional"},
    {"nominal": "multiway"},
    {"leaf": "mean", "nominal": "one_vs_rest"},
    {"questions": MofN(), "max_depth": 2},
    {"monotonic_cst": {"a": 1, "n": 1, "size": -1}},
]


def small_table(seed: int, n_rows: int = 60, *, dates: bool = False) -> tuple[pd.DataFrame, Any]:
    """Numbers, dates or integers, levels without and with an order; some values are missing."""
    rng = np.random.default_rng(seed)
    sizes = pd.CategoricalDtype(["s", "m", "l"], ordered=True)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n_rows).round(1),
            "n": rng.integers(0, 6, n_rows).astype(float),
            "colour": rng.choice(["red", "green", "blue", "rare"], n_rows, p=[0.4, 0.3, 0.25, 0.05]),
            "size": pd.Series(rng.choice(["s", "m", "l"], n_rows)).astype(sizes),
        }
    )
    score = (
        X["a"] + X["n"] / 3 + (X["colour"] == "red") - X["size"].cat.codes / 2 + rng.normal(0, 0.7, n_rows)
    )
    for column in ("a", "colour", "size"):
        X.loc[rng.random(n_rows) < 0.15, column] = None
    if dates:
        X["n"] = pd.Timestamp("2024-01-30") + pd.to_timedelta(7 * X["n"], unit="D")
    return X, score.to_numpy()


@pytest.mark.parametrize("options", KINDS, ids=str)
@settings(max_examples=few(0.3))
@given(seed=st.integers(0, 10_000), dates=st.booleans())
def test_nearest_of_every_kind(options: dict[str, Any], seed: int, dates: bool) -> None:
    """The cost that is found is that of brute force, for trees with every way of missing values."""
    X, score = small_table(seed, dates=dates)
    shares = [0.4] if "monotonic_cst" in options else [0.4, 0.75]  # constraints are for two classes
    y = np.array(["low", "mid", "top"])[np.searchsorted(np.quantile(score, shares), score)]
    weights = np.random.default_rng(seed).integers(1, 4, len(y))
    with unheard():
        model = TreeClassifier(**{"prune": None, "max_leaf_nodes": 7, "levels": "raw"} | options)
        tree = model.fit(X, y, sample_weight=weights).tree_
    for number in range(0, 60, 17):
        row = X.iloc[[number]].copy()
        if (
            number % 2
        ):  # a row that hardly knows anything, so that no surrogate can tell, or the second has to
            row[["a", "n", "size"][: 1 + number % 3]] = None
        if number % 3 == 1:
            row["a"] = math.copysign(math.inf, 20 - number)
        last = max(set(y))
        for desired in (*sorted(set(y)), {last: 0.6}):
            assert bound_of(tree, row, desired) == pytest.approx(
                nearest_by_force(tree, row, desired), abs=1e-9
            )


@pytest.mark.parametrize("options", NUMBER_KINDS, ids=str)
@settings(max_examples=few(0.15))
@given(seed=st.integers(0, 10_000), dates=st.booleans())
def test_nearest_number(options: dict[str, Any], seed: int, dates: bool) -> None:
    """The same for trees that predict numbers."""
    X, score = small_table(seed, dates=dates)
    weights = np.random.default_rng(seed).integers(1, 4, len(score))
    model = TreeRegressor(**{"prune": None, "max_leaf_nodes": 7, "levels": "raw"} | options)
    tree = model.fit(X, score, sample_weight=weights).tree_
    low, high = np.quantile(tree.array("value"), [0.2, 0.7]).tolist()
    for number in range(0, 60, 23):
        row = X.iloc[[number]]
        for desired in ((high, math.inf), (-math.inf, low), (low, high)):
            assert bound_of(tree, row, desired) == pytest.approx(
                nearest_by_force(tree, row, desired), abs=1e-9
            )


# --- random trees, planted: votes and sums


@settings(max_examples=few(1.0))
@given(data=st.data())
def test_nearest_of_planted_trees(data: st.DataObject) -> None:
    """Votes are exact too; where columns are added up, no random row is nearer than the bound."""
    tree = data.draw(planted())
    row = frame([data.draw(rows())])
    infinite = data.draw(st.sampled_from([0.0, 0.0, math.inf, -math.inf]))
    if infinite:
        row["a"] = infinite
    desired = data.draw(st.sampled_from(["no", "yes"]))
    answer = found(tree, row, desired)
    bound = math.inf if answer is None else answer.bound
    by_force = nearest_by_force(tree, row, desired)
    adds = bool((tree.array("kind") == 5).any())
    event(f"sums: {adds}, found: {answer is not None}")
    if not adds:
        assert bound == pytest.approx(by_force, abs=1e-9)
        return
    assert bound <= by_force + 1e-6
    if answer is not None:  # no value is filled in just anywhere
        assert infinite or abs(answer.row["a"] or 0.0) < 1e3
        assert abs(answer.row["n"] or 0) < 1e3
    given_row = read_row(tree, row)
    spreads = spreads_by_thresholds(tree, given_row)
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    tried = [_somewhere(tree, given_row, rng) for _ in range(300)]
    good = is_wanted(tree, table_of(tree, tried), desired)
    nearest = min(
        (distance(tree, given_row, spreads, after) for after, fits in zip(tried, good, strict=True) if fits),
        default=math.inf,
    )
    assert bound <= nearest + 1e-6


def _somewhere(tree: Tree, given_row: Dataset, rng: Any) -> tuple[Any, ...]:
    """A row near another one: each column stays, or moves by any amount."""
    moved = []
    for column, data in zip(tree.columns, given_row.columns, strict=True):
        value = value_of(data)
        if rng.random() < 0.5:
            moved.append(value)
        elif column.levels is not None:
            moved.append(int(rng.integers(len(column.levels))))
        elif column.kind == "number":
            from_here = 0.0 if no_place(value) else float(value)
            moved.append(from_here + float(rng.normal() * rng.choice([0.1, 1.0, 5.0])))
        else:
            moved.append(round((value or 0) + rng.normal() * rng.choice([1.0, 5.0, 30.0])))
    return tuple(moved)


# --- every model of the exports, with random search


@pytest.mark.parametrize("kind", every(2, [kind for kind in ALL if kind != "root alone"]))
def test_nothing_nearer_in_any_model(kind: str) -> None:
    """Answers of all kinds of models are predicted as wanted, and no random row is nearer than the bound."""
    model, X, _ = exported(kind)
    tree = getattr(model, "tree_", model)
    rng = np.random.default_rng(4)
    classes = tree.target.classes
    table = match_dataset(X, tree.columns, named=tree._is_named)
    known = table_rows(model, X)
    for number in (0, 7, len(known) // 2):
        row = read_plain(tree, table, number)
        given_row = read_row(tree, row)
        if classes is None:
            middle = float(np.median(tree.array("value")))
            present = float(tree.predict(table_of(tree, [stored_of(given_row)]))[0])
            desired: Any = (middle, math.inf) if present < middle else (-math.inf, middle)
        else:
            present = tree.predict(table_of(tree, [stored_of(given_row)]))[0]
            desired = next((label for label in tree_labels(tree) if label != present), present)
        answer = found(tree, row, desired)
        bound = math.inf if answer is None else answer.bound
        spreads = spreads_by_thresholds(tree, given_row)
        tried = _neighbours(tree, given_row, table, rng, 400)
        good = is_wanted(tree, table_of(tree, tried), desired)
        prices = [distance(tree, given_row, spreads, after) for after in tried]
        nearest = min((price for price, fits in zip(prices, good, strict=True) if fits), default=math.inf)
        assert bound <= nearest + 1e-6


def tree_labels(tree: Tree) -> list[Any]:
    return list(dict.fromkeys(leaf.label for leaf in tree.leaves()))


def stored_of(given_row: Dataset) -> tuple[Any, ...]:
    return tuple(value_of(data) for data in given_row.columns)


def read_plain(tree: Tree, table: Dataset, number: int) -> dict[str, Any]:
    one = table.take([number])
    return {
        data.column.name: None if value_of(data) is None else data.column.plain(value_of(data) or 0)
        for data in one.columns
    }


def _neighbours(tree: Tree, given_row: Dataset, table: Dataset, rng: Any, n: int) -> list[tuple[Any, ...]]:
    """Rows in which a few columns have turning points, or the values of other rows."""
    points, own = turning_points(tree, given_row), stored_of(given_row)
    tried = []
    for _ in range(n):
        other = stored_of(table.take([int(rng.integers(table.n_rows))]))
        after = list(own)
        for place in rng.permutation(len(own))[: int(rng.integers(1, 4))].tolist():
            pool = [
                value for value in (*points[place], other[place]) if value is not None or own[place] is None
            ]
            after[place] = pool[int(rng.integers(len(pool)))]
        tried.append(tuple(after))
    return tried


# Those in which rows may have to be sent by others than their own values come first.
SENT = [kind for kind in ALL if "surrogate" in kind or "rest" in kind or "unseen" in kind]


@pytest.mark.parametrize("kind", [*SENT, *every(3, [kind for kind in ALL if kind not in SENT])])
def test_one_way_for_every_row(kind: str) -> None:
    """At each node a row has exactly one way, which leads to where the router sends it."""
    model, X, _ = exported(kind)
    tree = getattr(model, "tree_", model)
    table = match_dataset(X, tree.columns, named=tree._is_named)
    rng, ways = np.random.default_rng(2), ways_of(tree)
    whole = {place: everything(column, missing=True) for place, column in enumerate(tree.columns)}
    for number in rng.choice(table.n_rows, min(40, table.n_rows), replace=False).tolist():
        row = without_some(table.take([number]), rng)
        values = stored_of(row)
        ends, todo = [], [0]
        while todo:
            node = todo.pop()
            if ways.is_leaf(node):
                ends.append(node)
                continue
            (way,) = [way for way in ways.of(node, whole) if takes(way, values)]
            if way.child == DIVIDED:
                todo += [ways.child(node, child) for child, _ in ways.shares(node)]
            elif way.child == RESTS:
                ends.append(node)
            else:
                todo.append(ways.child(node, way.child))
        indicator = np.zeros((len(tree), 1))
        indicator[ends] = 1.0
        if tree.missing == "fractions":
            assert tree._router.blend(core_dataset(row), indicator)[0, 0] == pytest.approx(1.0)
        else:
            assert ends == tree._leaves_of(row).tolist()


def without_some(row: Dataset, rng: Any) -> Dataset:
    """A row with some values gone."""
    columns = [
        ColumnData(data.column, data.values, np.array([True])) if rng.random() < 0.4 else data
        for data in row.columns
    ]
    return Dataset(tuple(columns), 1, row.named)


def takes(way: Way, values: tuple[Any, ...]) -> bool:
    """Whether a row of stored values goes this way."""
    if not all(piece.holds(values[place]) for place, piece in way.pieces.items()):
        return False
    for each in way.sums:
        total = 0.0
        for place, term in each.terms:
            value = values[place]
            number = (
                term.fill if value is None else value if term.level is None else float(value == term.level)
            )
            total += term.coefficient * number
        if (total > each.threshold) != each.above:
            return False
    return True


# --- limits

LIMITS: list[dict[str, Any]] = [
    {"max_changes": 1},
    {"max_changes": 2, "costs": {"n": 0.1}},
    {"fixed": ["size", "a"]},
    {"ranges": {"a": (-0.5, 0.5), "n": "rise"}},
    {"ranges": {"colour": ["blue", "green"], "size": ("m", None), "n": "fall"}, "costs": {"colour": 0.2}},
]


def allowed(column: str, before: Any, after: Any, limits: dict[str, Any]) -> bool:
    """Whether the limits above allow a change, by their words; blue and green are the levels 0 and 1."""
    if column in limits.get("fixed", ()):
        return False
    match limits.get("ranges", {}).get(column):
        case None:
            return True
        case "rise":
            return before is None or after > before
        case "fall":
            return before is None or after < before
        case [_, None]:
            return bool(after >= 1)
        case ["blue", "green"]:
            return after in (0, 1)
        case (low, high):
            return bool(low <= after <= high)
    raise AssertionError(limits)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("missing", ["category", "surrogate", "fractional"])
@settings(max_examples=few(0.1))
@given(seed=st.integers(0, 10_000))
def test_nearest_within_limits(limits: dict[str, Any], missing: str, seed: int) -> None:
    """The answer keeps to the limits, and brute force under the same limits finds none that is nearer."""
    X, score = small_table(seed)
    y = np.where(score > np.median(score), "yes", "no")
    tree = TreeClassifier(prune=None, max_leaf_nodes=7, levels="raw", missing=missing).fit(X, y).tree_
    names = [column.name for column in tree.columns]
    for number, desired in product(range(0, 60, 19), ("yes", "no")):
        given_row = read_row(tree, X.iloc[[number]])
        spreads = spreads_by_thresholds(tree, given_row)
        own = stored_of(given_row)
        points = [
            [x for x in (*pool, *_ends(name)) if x == own[i] or allowed(name, own[i], x, limits)]
            for i, (name, pool) in enumerate(zip(names, turning_points(tree, given_row), strict=True))
        ]
        every_row = [
            after
            for after in product(*points)
            if sum(x != y for x, y in zip(own, after, strict=True)) <= limits.get("max_changes", 4)
        ]
        costs = [limits.get("costs", {}).get(name, 1.0) for name in names]
        good = is_wanted(tree, table_of(tree, every_row), desired)
        prices = [priced(tree, own, spreads, costs, after) for after in every_row]
        nearest = min((price for price, fits in zip(prices, good, strict=True) if fits), default=math.inf)
        answer = found(tree, X.iloc[[number]], desired, **limits)
        assert nearest == pytest.approx(math.inf if answer is None else answer.bound, abs=1e-9)
        for change in () if answer is None else answer.changes:
            place = names.index(change.column)
            after = value_of(read_row(tree, dict(answer.row)).columns[place])
            assert allowed(change.column, own[place], after, limits)


def _ends(name: str) -> tuple[Any, ...]:
    """The ends of the ranges above, where an answer may land."""
    return {"a": (-0.5, 0.5), "size": (1,)}.get(name, ())


def priced(
    tree: Tree, own: tuple[Any, ...], spreads: Any, costs: list[float], after: tuple[Any, ...]
) -> float:
    total = 0.0
    for column, before, value, spread, cost in zip(tree.columns, own, after, spreads, costs, strict=True):
        if value == before:
            continue
        if value is None:
            return math.inf
        total += cost * (
            1.0 if no_place(before) or column.kind == "nominal" else abs(value - before) / spread
        )
    return total


# --- several answers


@settings(max_examples=few(0.5))
@given(seed=st.integers(0, 10_000), limit=st.sampled_from([None, 1, 2]))
def test_several_answers(seed: int, limit: int | None) -> None:
    """Answers come in the order of their bounds, and none changes all columns that an earlier one changes."""
    X, score = small_table(seed, 200)
    y = np.where(score > np.median(score), "yes", "no")
    tree = TreeClassifier(prune=None, levels="raw").fit(X, y).tree_
    for number in range(0, 200, 41):
        desired = "no" if tree.predict(X.iloc[[number]])[0] == "yes" else "yes"
        options: dict[str, Any] = {"max_changes": limit, "readable": False}
        if math.isinf(_bound_or_inf(tree, X.iloc[[number]], desired, **options)):
            continue
        answers = counterfactual(tree, X.iloc[[number]], desired, n=4, **options)
        bounds = [answer.bound for answer in answers]
        assert bounds == sorted(bounds)
        assert bounds[0] == counterfactual(tree, X.iloc[[number]], desired, **options)[0].bound
        sets = [{change.column for change in answer.changes} for answer in answers]
        for place, later in enumerate(sets):
            assert not any(earlier <= later for earlier in sets[:place])
            assert limit is None or len(later) <= limit
        # The second is the nearest that leaves one of the first's columns as it is.
        without = [
            _bound_or_inf(tree, X.iloc[[number]], desired, fixed=[name], **options) for name in sets[0]
        ]
        assert min(without) == (bounds[1] if len(bounds) > 1 else math.inf)


def _bound_or_inf(tree: Tree, row: Any, desired: str, **options: Any) -> float:
    try:
        return counterfactual(tree, row, desired, **options)[0].bound
    except DataError:
        return math.inf


def test_proofs_can_fail() -> None:
    """A proof that names a nearer part does not hold."""
    assert proof_of(1.0, [(3, 0.5)], [(4, 1.0), (5, 2.0)]).holds
    assert not proof_of(1.0, [(3, 0.5)], [(4, 0.9)]).holds
