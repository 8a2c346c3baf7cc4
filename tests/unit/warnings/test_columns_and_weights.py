"""Warnings about the table to fit: identifiers, numbers and dates as text, and weights that leave few rows.

Every warning has a near miss beside it, which must stay silent: pytest makes an error of any warning.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import IdentifierWarning, TextWarning, TreeClassifier, TreeRegressor, WeightWarning
from arboretum._data import read_dataset
from arboretum._data.suspicions import effective_rows, suspicious_columns, vanishing_rows


def names(n_rows: int, repeated: int = 0) -> list[str]:
    """Return names of rows, the last of which are all the same."""
    return [f"row {i}" for i in range(n_rows - repeated)] + ["row 0 again"] * repeated


def fit(columns: dict[str, Any], **options: Any) -> TreeClassifier:
    """Fit a tree to columns and one that says everything."""
    n_rows = len(next(iter(columns.values())))
    X = pd.DataFrame(columns | {"x": np.arange(n_rows) % 2})
    return TreeClassifier(prune=None, **options).fit(X, np.arange(n_rows) % 2)


class TestRowNumbers:
    """Whole numbers that rise by one from row to row, in 50 rows or more, beside other columns."""

    @staticmethod
    def fit(number: Any, target: Any = None, **columns: Any) -> TreeClassifier:
        """Fit a tree to a number and a column that says nothing; rows of a class stand together."""
        n_rows = len(number)
        X = pd.DataFrame({"number": number, "x": np.arange(n_rows) % 3, **columns})
        return TreeClassifier(prune=None).fit(X, np.arange(n_rows) > 30 if target is None else target)

    @pytest.mark.parametrize("first", [0, 1, -7, 100_001])
    def test_the_tree_asks_about_it(self, first: int) -> None:
        """The message names the column and what to do; the column is listed whoever asks."""
        with pytest.warns(IdentifierWarning) as caught:
            model = self.fit(np.arange(first, first + 60))
        (warning,) = caught
        assert str(warning.message) == (
            "The tree asks about a number that counts the rows: column 'number' rises by one from row to "
            "row. What a tree learns from the order of the rows says nothing about other rows.\n"
            "Hint: leave the column out, unless the order has a meaning, as that of years has."
        )
        assert warning.message.columns == {"number": str(first)}
        assert [each.looks_like for each in model.summary().suspicions or ()] == ["row number"]

    def test_a_tree_that_does_not_ask(self) -> None:
        """What the tree does not use is only listed."""
        y = np.arange(60) % 2
        model = self.fit(np.arange(60), y, says_all=y)
        assert [each.column for each in model.summary().suspicions or ()] == ["number"]

    @pytest.mark.parametrize(
        "number",
        [
            np.arange(49),
            np.arange(60) * 2,
            np.arange(60)[::-1],
            np.r_[np.arange(59), 60],
            np.r_[0, 2, 1, np.arange(3, 60)],
            np.arange(60) + 0.5,
            pd.array([None, *range(1, 60)], dtype="Int64"),
        ],
    )
    def test_near_misses(self, number: Any) -> None:
        """Few rows, other steps, another order, fractions, and gaps."""
        assert not self.fit(number).summary().suspicions

    def test_a_table_of_nothing_else(self) -> None:
        """A curve over time has no other column."""
        TreeClassifier(prune=None).fit(np.arange(60)[:, None], np.arange(60) > 30)


def test_columns_that_say_nothing() -> None:
    """Constant and empty columns are listed; nobody is warned, as they do no harm."""
    nothing = pd.DataFrame(
        {
            "x": [1.5, 2.5] * 30,
            "same": [7] * 60,
            "colour": ["red"] * 60,
            "day": pd.to_datetime(["2024-03-01"] * 60),
            "empty": [np.nan] * 60,
            "some": [1.0, None] * 30,
        }
    )
    model = TreeClassifier(prune=None).fit(nothing, [0, 1] * 30)
    found = [(each.column, each.looks_like, each.example) for each in model.summary().suspicions or ()]
    assert found == [
        ("same", "constant", "7"),
        ("colour", "constant", "red"),
        ("day", "constant", "2024-03-01"),
        ("empty", "empty", ""),
    ]
    said = (
        "suspicious columns: same (the same in all rows: 7), colour (the same in all rows: red), day "
        "(the same in all rows: 2024-03-01), empty (without a value in any row)"
    )
    assert said in str(model.summary())
    assert said.partition(": ")[2] in model.summary().to_html()
    assert "Check 'same', 'colour', 'day' and 1 more:" in str(model.summary())
    assert not suspicious_columns(read_dataset(nothing[:1]))  # of one row, every column is constant


class TestIdentifiers:
    """A nominal column of which 50 rows or more have a value, and nine in ten a value of their own."""

    def test_a_name_for_each_row(self) -> None:
        """The message names the column and what to do; it holds no number that differs from fit to fit."""
        with pytest.warns(IdentifierWarning) as caught:
            fit({"name": names(50)})
        (warning,) = caught
        assert str(warning.message) == (
            "Nearly every value is there once, as in an identifier: column 'name'. What a tree "
            "learns from such values says nothing about other rows.\n"
            "Hint: leave the column out, or keep only what it has in common with other rows."
        )
        assert warning.message.columns == {"name": "row 0"}

    def test_several_columns_are_one_warning(self) -> None:
        """At most five are named."""
        with pytest.warns(IdentifierWarning) as caught:
            fit({f"name{k}": names(60) for k in range(7)})
        (warning,) = caught
        assert "'name4' and 2 more. " in str(warning.message)
        assert list(warning.message.columns) == [f"name{k}" for k in range(7)]

    def test_the_text_is_the_same_for_other_rows(self) -> None:
        """So that Python's own filter shows it once where a line fits many times."""
        X = pd.DataFrame({"name": names(120), "x": np.arange(120) % 2})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            for seed in range(3):
                TreeClassifier().fit(X.sample(100, random_state=seed), np.arange(100) % 2)
        assert [type(each.message) for each in caught if each.category is IdentifierWarning] == [
            IdentifierWarning
        ]

    def test_categoricals_and_declared_columns(self) -> None:
        """A type or an option that says nominal does not say that the values mean something."""
        with pytest.warns(IdentifierWarning):
            fit({"name": pd.Categorical(names(50))})
        with pytest.warns(IdentifierWarning):
            fit({"number": np.arange(60)}, categorical_features=["number"])

    def test_rows_without_a_value_do_not_count(self) -> None:
        """49 names among any number of missing values are few."""
        fit({"name": names(49) + [None] * 500})
        with pytest.warns(IdentifierWarning, match="column 'name'"):
            fit({"name": names(50) + [None] * 500})

    @pytest.mark.parametrize(
        "column",
        [
            names(49),
            names(60, repeated=7),  # 53 of 60: fewer than nine in ten
            ["none"] * 900 + names(100),  # nearly all levels are there once, but few rows hold them
            [f"town {i % 40}" for i in range(80)],
        ],
        ids=["few rows", "some repeated", "a common level", "pairs"],
    )
    def test_near_misses(self, column: list[str]) -> None:
        """Small tables, and columns that some rows share, are not suspected."""
        fit({"name": column})

    def test_other_kinds(self) -> None:
        """Numbers, dates and ordered levels differ from row to row by nature."""
        ordered = pd.Categorical(names(60), categories=names(60), ordered=True)
        dates = pd.date_range("2024-01-01", periods=60)
        fit({"number": np.arange(60), "price": np.linspace(0, 1, 60), "date": dates, "rank": ordered})


class TestText:
    """Text of which 10 values or more are numbers (or dates), and at most two or one in twenty are not."""

    def test_numbers(self) -> None:
        """The message has an example, and a value that is in the way."""
        with pytest.warns(TextWarning) as caught:
            fit({"age": [str(20 + i) for i in range(30)] + ["n/a"] * 10})
        (warning,) = caught
        assert str(warning.message) == (
            "Numbers or dates are stored as text, so that each value is a level of its own, without order: "
            "column 'age' (numbers, such as '20', but not 'n/a').\n"
            "Hint: convert the column before fitting (pandas.to_numeric, pandas.to_datetime), with missing "
            "values for the rest. If its values are codes, name it in categorical_features."
        )
        assert warning.message.columns == {"age": "20"}

    @pytest.mark.parametrize(
        ("form", "what"),
        [
            ("{0}", "numbers"),
            ("-{0},5", "numbers"),
            ("{0}.25e3", "numbers"),
            ("1,{0}0.5", "numbers"),
            (" {0} %", "numbers"),
            ("2024-03-{0}", "dates"),
            ("2024-03-{0} 14:30:00", "dates"),
            ("2024/03/{0}", "dates"),
            ("{0}.03.2024", "dates"),
            ("03/{0}/24", "dates"),
            ("{0} March 2024", "dates"),
            ("Mar {0}, 2024", "dates"),
        ],
    )
    def test_ways_of_writing(self, form: str, what: str) -> None:
        """Numbers and dates as people write them."""
        data = read_dataset(pd.DataFrame({"value": [form.format(10 + i % 12) for i in range(24)]}))
        (found,) = suspicious_columns(data)
        assert (found.column, found.looks_like, found.count, found.of) == ("value", what, 12, 12)

    @pytest.mark.parametrize(
        "levels",
        [
            [str(i) for i in range(9)],
            [str(i) for i in range(10)] + ["a", "b", "c"],
            [f"{i:03}" for i in range(60)],
            [f"1.{i}.0" for i in range(60)],
            [f"v{i}" for i in range(60)],
            [f"{i}:00" for i in range(24)],
            [f"2024-13-{i}" for i in range(10, 30)],
        ],
        ids=["few", "others among them", "leading zeros", "versions", "words", "hours", "no month"],
    )
    def test_near_misses(self, levels: list[str]) -> None:
        """Codes, versions, and few values are text."""
        assert suspicious_columns(read_dataset(pd.DataFrame({"value": levels * 3}))) == ()
        fit({"value": levels * 3})

    def test_as_few_as_are_enough(self) -> None:
        """Ten numbers with two other values, and a hundred with five in a hundred that are none."""
        for n_numbers, n_others in ((10, 2), (95, 5)):
            levels = [str(i) for i in range(n_numbers)] + [f"other {i}" for i in range(n_others)]
            (found,) = suspicious_columns(read_dataset(pd.DataFrame({"value": levels})))
            assert (found.looks_like, found.count, found.odd) == ("numbers", n_numbers, "other 0")

    def test_declared_columns_are_meant_so(self) -> None:
        """Postcodes are text on purpose; the option says so, by name or by position."""
        codes = [str(10_000 + i % 20) for i in range(60)]
        with pytest.warns(TextWarning):
            fit({"postcode": codes})
        fit({"postcode": codes}, categorical_features=["postcode"])
        fit({"postcode": codes}, categorical_features=[0])

    def test_numbers_are_not_also_called_an_identifier(self) -> None:
        """A price is mostly there once. Only the first suspicion is told."""
        with pytest.warns(TextWarning) as caught:
            fit({"price": [f"{i}.99" for i in range(80)]})
        assert len(caught) == 1

    def test_one_warning_for_numbers_and_dates(self) -> None:
        """Both have the same remedy."""
        dates = [f"2024-03-{1 + i % 28:02}" for i in range(60)]
        with pytest.warns(TextWarning) as caught:
            fit({"born": dates, "age": [str(i % 50) for i in range(60)]})
        (warning,) = caught
        assert list(warning.message.columns) == ["born", "age"]

    def test_very_many_levels_are_sampled(self) -> None:
        """A thousand levels at most are looked at, whatever their number."""
        data = read_dataset(pd.DataFrame({"text": [f"{i} items" for i in range(50_000)] + ["7"] * 9}))
        assert [found.looks_like for found in suspicious_columns(data)] == ["identifier"]
        data = read_dataset(pd.DataFrame({"number": [str(i) for i in range(1, 50_000)]}))
        (found,) = suspicious_columns(data)
        assert (found.looks_like, found.of) == ("numbers", 1_000)


class TestWeights:
    """Weights of 100 rows or more that say no more than 5 of them, or one in a hundred."""

    def test_a_few_rows_outweigh_all_others(self) -> None:
        """The message says how many rows of equal weight would say as much."""
        weights = np.full(200, 1e-6)
        weights[:4] = 1.0
        with pytest.warns(WeightWarning) as caught:
            TreeRegressor(prune=None).fit(np.arange(200.0)[:, None], np.arange(200) % 7, weights)
        (warning,) = caught
        assert str(warning.message) == (
            "sample_weight makes nearly all rows vanish: the 200 rows say as much as 4.0 of equal weight; "
            "the largest weight is 25% of all.\n"
            "Hint: check that these are the weights you mean; limit the largest, or leave them out."
        )

    def test_rows_of_weight_zero_vanish_too(self) -> None:
        """All rows of the table count, those of weight zero as well."""
        weights = np.zeros(1_000)
        weights[:9] = 3.0
        with pytest.warns(WeightWarning, match=r"as much as 9\.0"):
            TreeRegressor(prune=None).fit(np.arange(1_000.0)[:, None], np.arange(1_000) % 7, weights)

    @pytest.mark.parametrize(
        ("n_rows", "n_heavy"), [(99, 1), (200, 5), (1_000, 10)], ids=["few rows", "five", "one in a hundred"]
    )
    def test_near_misses(self, n_rows: int, n_heavy: int) -> None:
        """Small tables are not looked at, and five rows or one in a hundred are enough."""
        weights = np.where(np.arange(n_rows) < n_heavy, 1.0, 1e-12)
        assert vanishing_rows(weights) is None
        assert vanishing_rows(np.where(np.arange(200) < 4, 1.0, 1e-12)) == pytest.approx(4.0)

    def test_balanced_classes_are_no_fault(self) -> None:
        """Weights that give 1.5 % of the rows half of the weight are usual."""
        is_rare = np.arange(1_000) < 15
        weights = np.where(is_rare, 0.5 / 15, 0.5 / 985)
        TreeClassifier(prune=None).fit(np.arange(1_000.0)[:, None], is_rare, weights)

    def test_effective_rows(self) -> None:
        """Kish's number is the same for all scales, and that of equal weights is their number."""
        weights = np.array([0.5, 2.0, 7.0])
        assert effective_rows(np.ones(17)) == 17.0
        assert effective_rows(weights * 1e100) == pytest.approx(9.5**2 / (0.25 + 4 + 49))
        assert effective_rows(weights * 1e-100) == pytest.approx(9.5**2 / (0.25 + 4 + 49))


def test_a_warning_as_an_error_leaves_the_estimator_as_it_was() -> None:
    """Warnings come before the new tree is kept."""
    model = fit({"word": ["a", "b"] * 10})
    before = model.tree_
    with pytest.raises(IdentifierWarning):
        model.fit(pd.DataFrame({"word": names(60), "x": np.arange(60)}), np.arange(60) % 2)
    assert model.tree_ is before
