"""`ordered_features`: columns whose levels are in order although their type cannot say so.

The oracle is an ordered categorical of pandas, which says it itself: the tree must be the same.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from support.marks import allow_one_leaf

from arboretum import (
    DataError,
    ParameterError,
    TreeClassifier,
    TreeRegressor,
    candidates,
    export,
    load,
    save,
)
from arboretum._data import read_dataset

SIZES = ["small", "medium", "large", "huge"]  # not in the order of the alphabet
CELLS = [*SIZES, "medium", None, "huge", "small", "large", "large"] * 3
Y = ["b" if size in ("large", "huge") else "a" for size in CELLS]
AMOUNT = [float(i % 7) for i in range(len(CELLS))]

ORDERED = pd.DataFrame({"size": pd.Categorical(CELLS, SIZES, ordered=True), "amount": AMOUNT})
LISTS = {"size": CELLS, "amount": AMOUNT}
TEXT = pd.DataFrame(LISTS)
MAPPING = {"size": SIZES}
TABLES: dict[str, tuple[Any, Any]] = {
    "pandas text": (TEXT, MAPPING),
    "pandas categorical": (TEXT.astype({"size": pd.CategoricalDtype(SIZES)}), ["size"]),
    "a categorical in another order": (TEXT.astype({"size": "category"}), MAPPING),
    "polars text": (pl.DataFrame(LISTS), MAPPING),
    "polars enum": (pl.DataFrame(LISTS, schema_overrides={"size": pl.Enum(SIZES)}), ["size"]),
    "polars enum by mask": (
        pl.DataFrame(LISTS, schema_overrides={"size": pl.Enum(SIZES)}),
        np.array([True, False]),
    ),
    "polars categorical": (
        pl.DataFrame(LISTS, schema_overrides={"size": pl.Categorical()}),
        MAPPING,
    ),
    "arrow dictionary": (
        pa.table({"size": pa.array(CELLS).dictionary_encode(), "amount": AMOUNT}),
        {"size": np.array(SIZES)},
    ),
    "ordered already": (ORDERED, ("size",)),
    "ordered otherwise": (
        TEXT.assign(size=pd.Categorical(CELLS, SIZES[::-1], ordered=True)),
        {"size": pd.Series(SIZES)},
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_tree_is_that_of_an_ordered_categorical(name: str) -> None:
    """Text, enums and categories of any library are cut in the order that was declared."""
    X, option = TABLES[name]
    expected = TreeClassifier(prune=None).fit(ORDERED, Y)
    model = TreeClassifier(prune=None, ordered_features=option).fit(X, Y)
    assert model.tree_ == expected.tree_
    assert str(model.tree_.root.question) == "size <= medium"
    assert model.tree_.columns[0].kind == "ordered"
    for table, _ in TABLES.values():  # predicting needs no option: the model knows the levels
        assert model.predict(table).tolist() == expected.predict(ORDERED).tolist()


def test_without_it_levels_have_no_order() -> None:
    """An Enum of polars alone is nominal, which is why the option is there."""
    tree = TreeClassifier(prune=None).fit(TABLES["polars enum"][0], Y).tree_
    assert tree.columns[0].kind == "nominal"


def test_arrays_are_ordered_by_position() -> None:
    """Positions and masks choose columns without names; numbers may be levels in any order."""
    X = np.array([[3, 1], [1, 1], [2, 0], [3, 0], [2, 1]] * 4, dtype=float)
    y = [0, 1, 1, 0, 1] * 4
    model = TreeClassifier(prune=None, ordered_features={0: [3, 1, 2]}).fit(X, y)
    assert str(model.tree_.root.question) == "x0 <= 3"
    assert model.tree_.columns[0].levels == (3, 1, 2)
    assert model.predict([[3, 9], [2, 9]]).tolist() == [0, 1]
    rows = [["low", 1.0], ["high", 2.0], ["mid", 1.0]] * 3
    regressor = TreeRegressor(prune=None, ordered_features={0: ["low", "mid", "high"]})
    assert str(regressor.fit(rows, [1.0, 5.0, 1.1] * 3).tree_.root.question) == "x0 <= mid"


def test_truth_values_and_days_may_be_levels() -> None:
    """False comes before true; dates are levels where they are listed."""
    X = pd.DataFrame(
        {"yes": [True, False, None] * 4, "day": [dt.date(2024, 3, day) for day in (1, 2, 3)] * 4}
    )
    days = [dt.date(2024, 3, day) for day in (2, 1, 3)]
    columns = read_dataset(X, ordered_features=["yes"]).schema
    assert (columns[0].kind, columns[0].levels) == ("ordered", (False, True))
    assert read_dataset(X, ordered_features={"day": days}).schema[1].levels == tuple(days)


def test_unknown_levels_are_missing_when_predicting() -> None:
    """As for nominal columns: a size that was not declared counts as missing, and is no crash."""
    model = TreeClassifier(prune=None, ordered_features=MAPPING).fit(TEXT, Y)
    unknown = pd.DataFrame({"size": ["giant", None], "amount": [1.0, 1.0]})
    assert len(set(model.predict(unknown))) == 1


def test_levels_that_do_not_occur_are_known() -> None:
    """A level that is declared but has no rows is asked about by its place."""
    few = TEXT[TEXT["size"].isin(["small", "huge"])]
    model = TreeClassifier(prune=None, ordered_features=MAPPING).fit(
        few, ["ab"[s == "huge"] for s in few["size"]]
    )
    assert model.tree_.columns[0].levels == tuple(SIZES)
    assert model.predict(pd.DataFrame({"size": ["small", "huge"], "amount": [0.0, 0.0]})).tolist() == [
        "a",
        "b",
    ]


@allow_one_leaf
def test_a_column_that_is_missing_throughout_has_any_order() -> None:
    """In a fold nothing may be known of a column; that is no reason to stop."""
    X = pd.DataFrame({"size": [None] * 4, "amount": [1.0, 2.0, 3.0, 4.0]})
    for option in (["size"], MAPPING):
        assert TreeClassifier(ordered_features=option).fit(X, list("abab")).tree_.n_leaves >= 1


def test_models_are_stored_and_exported(tmp_path: Any) -> None:
    """Files keep the option and the order; exports ask the same question."""
    model = TreeClassifier(prune=None, ordered_features=MAPPING).fit(TEXT, Y)
    save(model, tmp_path / "m.json")
    back = load(tmp_path / "m.json")
    assert back.tree_ == model.tree_
    assert back.ordered_features == MAPPING
    assert clone(back).fit(TEXT, Y).tree_ == model.tree_
    assert repr(clone(model)) == repr(model)
    space: dict[str, Any] = {}
    exec(export.to_python(model), space)
    row = {"size": "large", "amount": 1.0}
    assert space["predict"](row) == model.predict(pd.DataFrame([row]))[0]
    assert "large" in export.to_sql(model)


def test_candidates_are_cuts() -> None:
    """`candidates` lists three cuts of four levels, as it does for an ordered categorical."""
    mine = candidates(TEXT, Y, ordered_features=MAPPING)
    pd.testing.assert_frame_equal(mine, candidates(ORDERED, Y))
    assert mine["question"][0] == "size <= medium or missing"


def test_constraints_need_an_order() -> None:
    """`monotonic_cst` refuses nominal columns, and says what helps."""
    with pytest.raises(
        ParameterError, match=r"its levels have no order\. Hint: list them in ordered_features"
    ):
        TreeClassifier(monotonic_cst={"size": 1}).fit(TEXT, Y)
    model = TreeClassifier(monotonic_cst={"size": 1}, ordered_features=MAPPING, prune=None).fit(TEXT, Y)
    shares = model.predict_proba(pd.DataFrame({"size": SIZES, "amount": [1.0] * 4}))[:, 1]
    assert (np.diff(shares) >= 0).all()


REFUSED: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
    (TEXT, {"ordered_features": "size"}, ParameterError, "ordered_features='size' is one name, not a list."),
    (TEXT, {"ordered_features": 3}, ParameterError, "ordered_features=3 is not a list."),
    (
        TEXT,
        {"ordered_features": ["siz"]},
        ParameterError,
        "ordered_features names the column 'siz', which X lacks; it has 'size', 'amount'.",
    ),
    (
        TEXT,
        {"ordered_features": {"siz": SIZES}},
        ParameterError,
        "ordered_features names the column 'siz', which X lacks",
    ),
    (TEXT, {"ordered_features": [5]}, ParameterError, "holds the position 5, but X has the columns 0 to 1."),
    (TEXT, {"ordered_features": [True]}, ParameterError, "is a mask of 1, but X has 2 columns."),
    (
        TEXT,
        {"ordered_features": {"size": [*SIZES, "small"]}},
        ParameterError,
        "ordered_features gives the level 'small' of 'size' twice.",
    ),
    (TEXT, {"ordered_features": {"size": []}}, ParameterError, "at least one is needed"),
    (TEXT, {"ordered_features": {"size": ["small", None]}}, ParameterError, "a missing value is no level"),
    (
        TEXT,
        {"ordered_features": {"size": None}},
        ParameterError,
        "gives None as the levels of 'size'; give a list",
    ),
    (
        TEXT,
        {"ordered_features": {"size": ["small", "large"]}},
        DataError,
        "Column 'size', row 1 holds 'medium', which is not among its declared levels 'small', 'large'.\n"
        "Hint: add the level in ordered_features, or make the value missing.",
    ),
    (
        pd.DataFrame({"grade": [1, 2]}),
        {"ordered_features": {"grade": ["1", "2"]}},
        DataError,
        "Hint: the level is of another type; write it in ordered_features as 1.",
    ),
    (
        TEXT,
        {"ordered_features": ["size"]},
        DataError,
        "Column 'size' is in ordered_features, but its type does not say in which order.\n"
        "Hint: list its levels, the lowest first: ordered_features={'size': […]}.",
    ),
    (
        TABLES["polars categorical"][0],
        {"ordered_features": ["size"]},
        DataError,
        "does not say in which order",
    ),
    (TABLES["arrow dictionary"][0], {"ordered_features": ["size"]}, DataError, "does not say in which order"),
    (
        TEXT,
        {"ordered_features": ["amount"]},
        DataError,
        "Column 'amount' is in ordered_features, but holds numbers, which are in order by themselves.\n"
        "Hint: leave it out, or list its values as levels: ordered_features={'amount': […]}.",
    ),
    (
        pd.DataFrame({"day": pd.to_datetime(["2024-03-01"])}),
        {"ordered_features": ["day"]},
        DataError,
        "but holds dates, which are in order by themselves",
    ),
    (
        TEXT,
        {"ordered_features": MAPPING, "categorical_features": ["size"]},
        ParameterError,
        "Column 'size' is in categorical_features and in ordered_features.",
    ),
]


@pytest.mark.parametrize(("X", "options", "error", "words"), REFUSED)
def test_what_makes_no_sense_is_refused(
    X: Any, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    """One sentence names the column, what was found and what to do; for fitting and for candidates."""
    y = ["a", "b"] * (len(X) // 2) + ["a"] * (len(X) % 2)
    for use in (lambda: TreeClassifier(**options).fit(X, y), lambda: candidates(X, y, **options)):
        with pytest.raises(error, match=re.escape(words)):
            use()
