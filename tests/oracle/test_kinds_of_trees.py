"""Every kind of tree is the tree of the plain-Python twin: multiway, gain ratio, surrogates, fractions.

A kind is a valid choice of criterion, nominal and missing; the twin is the tree grown by brute
force. `support.twins` says how two trees are compared, and what becomes of ties.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.combinations import NOMINAL, combinations
from support.marks import allow_one_leaf
from support.sweeps import few
from support.tables import LEVELS, Table, categorical, tables
from support.trees import STRUCTURE, WAYS, estimator, growing, unpruned_classifier, unpruned_regressor
from support.twins import Walk, close, complete_rows

from arboretum import GainRatio, Surrogate
from arboretum._options.criteria import CLASS_CRITERIA
from arboretum.reference import Branch, Leaf, predict_row
from arboretum.reference.plain_tree import rest

pytestmark = allow_one_leaf  # random tables may have nothing to ask about

Options = dict[str, Any]

KINDS = [
    pytest.param(
        kind.criterion, kind.nominal, kind.missing, id=f"{kind.criterion}-{kind.nominal}-{kind.missing}"
    )
    for kind in combinations()
    if kind.is_valid and kind.constraint == "none"
]
RATIOS = ("gain_ratio", *(GainRatio(guard) for guard in (None, "average", "c45")))
PAID_RATIOS = tuple(GainRatio(guard, numeric_penalty=True) for guard in (None, "average", "c45"))
SURROGATES = (
    "surrogate",
    "surrogate",
    *(Surrogate(n, how) for n in (0, 1, 5) for how in ("always", "surrogates", "never")),
)
SURROGATES += tuple(Surrogate(n, how, "known") for n in (1, 5) for how in ("always", "surrogates"))


# --- tables and options -----------------------------------------------------------------------------------


def completed(table: Table) -> Table:
    """The table with the first known value of the column, or a zero, in place of missing ones."""
    fillers = [next((value for value in column if value is not None), 0) for column in table.columns]
    columns = zip(table.columns, fillers, strict=True)
    return replace(
        table, columns=tuple(tuple(filler if v is None else v for v in c) for c, filler in columns)
    )


def draw_table(data: st.DataObject, criterion: str, missing: str, **limits: Any) -> Table:
    """A table that the policy can learn from."""
    table = data.draw(tables(criterion, max_columns=3, **limits), label="table")
    if missing == "error":
        return completed(table)
    learnt = set(complete_rows(table) if missing == "drop" else range(table.n_rows)) & set(table.counted)
    assume(learnt)
    assume(criterion != "poisson" or any(table.targets[row] for row in learnt))
    return table


def draw_options(data: st.DataObject, criterion: str, nominal: str, missing: str, n_columns: int) -> Options:
    """One of the variants of the kind, with limits and costs of the columns."""
    ways: dict[str, Sequence[Any]] = {
        "criterion": RATIOS + PAID_RATIOS if criterion == "gain_ratio" else (criterion,),
        "missing": SURROGATES if missing == "surrogate" else (missing,),
        "levels": ("raw", "corrected"),
        "thresholds": ("midpoint", "observed", "table", "round"),
        "max_depth": (3, 1, 2, None),
        "min_samples_split": (2, 2, 4),
        "min_samples_leaf": (1, 1, 2, 3),
        "min_impurity_decrease": (0.0, 0.0, 5e-324, 0.01),
        "competitors": (3, 1, 0),
    }
    drawn = {name: data.draw(st.sampled_from(values), label=name) for name, values in ways.items()}
    costs = st.lists(st.sampled_from([0.5, 1.0, 1.0, 3.0]), min_size=n_columns, max_size=n_columns)
    drawn["column_costs"] = data.draw(st.none() | costs, label="column_costs")
    return {"nominal": nominal, **drawn}


def fit(table: Table, options: Options) -> Any:
    """The estimator fitted to the table."""
    criterion = options["criterion"]
    of_classes = isinstance(criterion, GainRatio) or criterion in CLASS_CRITERIA
    model = (unpruned_classifier if of_classes else unpruned_regressor)(**options)
    weights = None if table.weights is None else np.array(table.weights)
    return model.fit(table.frame(), np.array(table.targets), sample_weight=weights)


# --- predictions ------------------------------------------------------------------------------------------


def draw_rows(data: st.DataObject, table: Table, *, missing: bool) -> Table:
    """The rows of the table, and others made of its values, of levels without rows, and of missing values."""
    n_rows = 12
    columns = []
    for kind, column in zip(table.kinds, table.columns, strict=True):
        pool = sorted({value for value in column if value is not None}) or [0]
        if kind in ("nominal", "ordered"):
            pool = list(range(len(LEVELS)))
        pool = [*pool, *([None] * (1 + len(pool) // 3) if missing else [])]
        picks = data.draw(st.binary(min_size=n_rows, max_size=n_rows), label="picks")
        columns.append((*column, *(pool[byte % len(pool)] for byte in picks)))
    targets = (*table.targets, *[table.targets[0]] * n_rows)
    return Table(table.kinds, tuple(columns), targets)


def compare_predictions(walk: Walk, tree: Leaf | Branch, model: Any, table: Table) -> None:
    """Row by row: probabilities or numbers, the label, and the node where the row comes to rest."""
    X = table.frame()
    predicted, found = model.predict(X), model.apply(X)
    of_classes = hasattr(model, "classes_")
    estimate = model.predict_proba(X) if of_classes else predicted
    for row in range(table.n_rows):
        values = [column[row] for column in table.columns]
        expected = predict_row(tree, values)
        if isinstance(expected, dict):
            share = [expected.get(name, 0.0) for name in model.classes_.tolist()]
            assert estimate[row].tolist() == pytest.approx(share, rel=1e-9, abs=1e-12), values
            assert close(share[model.classes_.tolist().index(predicted[row])], max(share)), values
        else:
            assert estimate[row] == pytest.approx(expected, rel=1e-9, abs=1e-9), values
        ends = rest(tree, values)
        most = max(share for _, share in ends)
        largest = [walk.numbers[id(node)] for node, share in ends if close(share, most)]
        assert found[row] in largest, values
        assert found[row] == largest[0] or len(ends) > 1


@pytest.mark.parametrize(("criterion", "nominal", "missing"), KINDS)
@settings(max_examples=few(0.2))
@given(data=st.data())
def test_tree_is_the_twins_tree(criterion: str, nominal: str, missing: str, data: st.DataObject) -> None:
    """Questions, numbers, competitors and surrogates of every node, and what is predicted for every row."""
    table = draw_table(data, criterion, missing, min_rows=6, max_rows=25)
    options = draw_options(data, criterion, nominal, missing, len(table.columns))
    with growing(data.draw(st.sampled_from(WAYS), label="way")):
        model = fit(table, options)
    walk = Walk(table, options, model)
    tree = walk.run()
    if not walk.differs:
        compare_predictions(walk, tree, model, draw_rows(data, table, missing=missing != "error"))


@pytest.mark.parametrize(("criterion", "nominal"), list(itertools.product(PAID_RATIOS, NOMINAL)))
@settings(max_examples=few(0.2))
@given(data=st.data())
def test_penalty_does_not_change_questions_of_levels(
    criterion: GainRatio, nominal: str, data: st.DataObject
) -> None:
    """The penalty is for cuts: without any, the tree is the same, "is x missing?" included."""
    kinds = ("nominal", "boolean")
    table = draw_table(data, "gain_ratio", "category", min_rows=6, max_rows=25, kinds=kinds)
    options = {"nominal": nominal, "missing": "category", "min_samples_leaf": 1, "competitors": 2}
    paid = fit(table, options | {"criterion": criterion})
    assert paid.tree_ == fit(table, options | {"criterion": GainRatio(criterion.guard)}).tree_


def test_penalty_leaves_the_question_for_missing_values_alone() -> None:
    """One row of 22 misses its number, and is the only one of its class: asking for that gains everything.

    Each side of a cut holds a tenth of an average class, 1.1 rows here. "Is x missing?" is no cut: a nominal
    column with the same rows is asked for it.
    """
    targets = np.array(["a"] + ["b"] * 21)
    criterion = GainRatio(guard=None, numeric_penalty=True)
    for column in (
        [math.nan] + [1.0] * 10 + [2.0] * 11,
        categorical(np.array([-1] + [0] * 10 + [1] * 11), "pq"),
    ):
        tree = unpruned_classifier(criterion=criterion).fit(pd.DataFrame({"x": column}), targets).tree_
        assert str(tree.root.question) == "x is missing"


# --- laws -------------------------------------------------------------------------------------------------


def draw_kind(data: st.DataObject) -> tuple[str, str, str]:
    criterion, nominal, missing = data.draw(st.sampled_from(KINDS), label="kind").values
    return str(criterion), str(nominal), str(missing)


@settings(max_examples=few(2))
@given(data=st.data())
def test_order_of_rows_does_not_matter(data: st.DataObject) -> None:
    """Rows in another order: the same tree to the last bit, runners-up and surrogates included."""
    criterion, nominal, missing = draw_kind(data)
    table = draw_table(data, criterion, missing, max_rows=25)
    options = draw_options(data, criterion, nominal, missing, len(table.columns))
    order = data.draw(st.permutations(range(table.n_rows)), label="order")
    assert fit(table.take(order), options).tree_ == fit(table, options).tree_


@settings(max_examples=few(2))
@given(data=st.data())
def test_doubled_weights_change_nothing_but_weights(data: st.DataObject) -> None:
    """All weights times two, also where limits count weight: the same tree with doubled weights."""
    criterion, nominal, missing = draw_kind(data)
    table = draw_table(data, criterion, missing, max_rows=25)
    options = draw_options(data, criterion, nominal, missing, len(table.columns))
    weights = table.weights or (1.0,) * table.n_rows
    doubled = replace(table, weights=tuple(2 * weight for weight in weights))
    once = fit(table, options).tree_
    twice = fit(doubled, options).tree_
    ratio = ("gain_ratio",) if criterion == "gain_ratio" else ()
    for name in (*STRUCTURE, *ratio, "n_rows", "impurity", "gain", "improvement"):
        assert np.array_equal(twice.array(name), once.array(name)), name
    for name in ("weight", "counts") if once.target.classes else ("weight",):
        assert np.array_equal(twice.array(name), 2 * once.array(name)), name
    assert twice.remembered.keys() == once.remembered.keys()
    for name, array in once.remembered.items():
        assert np.array_equal(twice.remembered[name], array), name


LARGE = [
    ("gini", "subset", "surrogate"),
    ("squared_error", "one_vs_rest", "surrogate"),
    ("gain_ratio", "multiway", "category"),
    ("gain_ratio", "multiway", "fractional"),
    ("gini", "subset", "fractional"),
    ("squared_error", "multiway", "fractional"),
]


def large_table(n_rows: int = 12_000, n_columns: int = 10) -> tuple[pd.DataFrame, Any]:
    """Numbers and levels with missing values: so many that threads share the work."""
    rng = np.random.default_rng(44)
    columns: dict[str, Any] = {}
    for place in range(n_columns):
        if place % 2:
            codes = rng.integers(0, 6, n_rows)
            codes[rng.random(n_rows) < 0.1] = -1
            columns[f"c{place}"] = categorical(codes, LEVELS)
        else:
            numbers = rng.normal(size=n_rows).round(2)
            numbers[rng.random(n_rows) < 0.1] = math.nan
            columns[f"c{place}"] = numbers
    target = np.nan_to_num(columns["c0"]) + np.nan_to_num(columns["c2"]) ** 2 + columns["c1"].codes % 3
    return pd.DataFrame(columns), (target + rng.normal(size=n_rows)).round()


@pytest.mark.parametrize(("criterion", "nominal", "missing"), LARGE)
def test_threads_do_not_change_the_tree(criterion: str, nominal: str, missing: str) -> None:
    """One thread or two or three: the same tree to the last bit."""
    X, y = large_table()
    weights = 1 + np.arange(len(y)) % 3 / 8
    grown = [
        estimator(criterion, nominal=nominal, missing=missing, max_depth=3, competitors=2, n_jobs=n_jobs)
        .fit(X, y, sample_weight=weights)
        .tree_
        for n_jobs in (1, 2, 3)
    ]
    assert len(grown[0]) > 10
    assert grown[1] == grown[0]
    assert grown[2] == grown[0]
