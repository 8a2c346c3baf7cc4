"""Warnings about a table to predict: many unknown levels, and columns that no longer vary."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import ConstantColumnWarning, Tree, TreeClassifier, TreeRegressor, UnknownLevelsWarning

COLOURS = ["red", "blue", "green", "grey"]


def table(n_rows: int, unknown: int = 0, **columns: Any) -> pd.DataFrame:
    """Return rows of which the first hold a colour that the model does not know."""
    colours = [COLOURS[i % 4] for i in range(n_rows)]
    colours[:unknown] = ["mauve"] * unknown
    numbers = np.arange(n_rows, dtype=float)
    return pd.DataFrame({"colour": colours, "size": numbers, "other": colours} | columns)


X = table(40)
MODEL = TreeClassifier(prune=None).fit(X[["colour", "other"]].assign(other="same"), X["colour"])
NUMBER = TreeRegressor(prune=None, max_depth=2).fit(X[["size"]].to_numpy(), np.arange(40) // 10)


class TestUnknownLevels:
    """100 rows or more, of which a tenth hold an unknown level in a column that the tree asks about."""

    def test_many_rows(self) -> None:
        """The message has the column, the rows and an example."""
        with pytest.warns(UnknownLevelsWarning) as caught:
            MODEL.predict(table(200, unknown=20))
        (warning,) = caught
        assert str(warning.message) == (
            "The table holds levels that were not there when fitting, which count as missing: column "
            "'colour' in 20 of 200 rows (such as 'mauve').\n"
            "Hint: check how they are spelt, or fit again with rows that have them; unknown='error' refuses "
            "them, and a function as unknown counts them."
        )
        assert warning.message.columns == {"colour": "mauve"}

    @pytest.mark.parametrize(
        "method", ["predict", "predict_proba", "predict_log_proba", "apply", "decision_path"]
    )
    def test_every_way_down_the_tree(self, method: str) -> None:
        """Once for each call."""
        with pytest.warns(UnknownLevelsWarning) as caught:
            getattr(MODEL, method)(table(100, unknown=50))
        assert len(caught) == 1

    def test_trees_and_scores(self) -> None:
        """Trees by themselves, rows that are divided, and scikit-learn's `score`."""
        rows = table(100, unknown=50)
        divided = TreeClassifier(prune=None, missing="fractional").fit(X[["colour"]], X["colour"])
        for predict in (MODEL.tree_.predict, divided.predict, lambda rows: MODEL.score(rows, rows["colour"])):
            with pytest.warns(UnknownLevelsWarning) as caught:
                predict(rows)
            assert len(caught) == 1

    @pytest.mark.parametrize(("n_rows", "unknown"), [(99, 99), (200, 19), (100, 0)])
    def test_near_misses(self, n_rows: int, unknown: int) -> None:
        """Few rows, or few of many."""
        MODEL.predict(table(n_rows, unknown))

    def test_missing_values_are_not_unknown(self) -> None:
        """What is missing was missing before."""
        rows = table(200, unknown=19)
        rows.loc[20:150, "colour"] = None
        MODEL.predict(rows)

    def test_columns_that_are_not_asked_about(self) -> None:
        """Their levels make no difference."""
        MODEL.predict(table(200).assign(other="new"))

    def test_callers_who_decide_themselves(self) -> None:
        """A function as `unknown` hears of every level."""
        told = []
        MODEL.predict(table(200, unknown=100), unknown=lambda column, levels: told.append((column, levels)))
        assert told == [("colour", {"mauve": 100})]


class TestConstantColumns:
    """1,000 rows or more that are all the same in a column that the tree asks about."""

    @pytest.mark.parametrize(
        ("values", "shown"),
        [(np.full(1_000, 7.0), "7"), (np.full(1_000, np.nan), "missing"), (np.full(1_000, 7.0, "f"), "7")],
    )
    def test_numbers(self, values: Any, shown: str) -> None:
        """In an array, which is read in place, and in a frame."""
        named = TreeRegressor(prune=None, max_depth=2).fit(X[["size"]], np.arange(40) // 10)
        for model, rows, name in (
            (NUMBER, values[:, None], "x0"),
            (named, pd.DataFrame({"size": values}), "size"),
        ):
            with pytest.warns(ConstantColumnWarning) as caught:
                model.predict(rows)
            (warning,) = caught
            missing = " (missing)" if shown == "missing" else ""
            assert str(warning.message) == (
                "The tree asks about columns that varied when it was fitted, but are the same in all 1,000 "
                f"rows now: '{name}'{missing}.\n"
                "Hint: check that they were filled in; if the rows are alike on purpose, ignore this warning."
            )
            assert warning.message.columns == {name: None if shown == "missing" else shown}

    def test_levels(self) -> None:
        """A level is kept by its name; a column that is missing throughout says so."""
        with pytest.warns(ConstantColumnWarning, match=r"'colour'\.") as caught:
            MODEL.predict(table(1_000, colour=["blue"] * 1_000))
        assert caught[0].message.columns == {"colour": "blue"}
        with pytest.warns(ConstantColumnWarning, match=r"'colour' \(missing\)"):
            MODEL.predict(table(1_000, colour=pd.Series([None] * 1_000, dtype=object)))

    def test_unknown_levels_are_told_once(self) -> None:
        """A column that holds nothing but an unknown level is not called constant as well."""
        with pytest.warns(UnknownLevelsWarning) as caught:
            MODEL.predict(table(1_000, unknown=1_000))
        assert len(caught) == 1

    @pytest.mark.parametrize("place", [0, 1, 500, 998, 999, 65_535, 65_536, 199_999])
    def test_one_other_value_is_enough(self, place: int) -> None:
        """Wherever it is, and whether it is a number or missing."""
        values = np.zeros((max(1_000, place + 1), 1))
        for other in (1.0, np.nan):
            values[place] = other
            NUMBER.predict(values)

    def test_few_rows(self) -> None:
        """Even 999 rows may be alike on purpose."""
        NUMBER.predict(np.zeros((999, 1)))
        MODEL.predict(table(999, colour=["blue"] * 999))

    def test_columns_that_are_not_asked_about(self) -> None:
        """A tree does not notice them."""
        MODEL.predict(table(2_000).assign(other="same"))

    def test_a_tree_that_asks_nothing(self) -> None:
        """There is no column to look at."""
        NUMBER.pruned(leaves=1).predict(np.zeros((2_000, 1)))
        assert isinstance(NUMBER.tree_, Tree)


def test_a_constant_column_is_told_of_once_whatever_its_value() -> None:
    """A what-if analysis sets a column to one value after the other: Python shows the same text once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for value in (1.0, 2.0, 3.0):
            NUMBER.predict(np.full((1_000, 1), value))
    assert len(caught) == 1
