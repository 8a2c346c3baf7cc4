"""Odd input: each case is refused in one clear sentence that names the column, the row or the option.

What is read although it looks odd is in `test_reading_tables.py`.
Here no case may crash with another library's error, be guessed, or be swallowed.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st

from arboretum._data import Column, match_dataset, read_dataset
from arboretum.errors import ArboretumError, DataError, DataTypeError, ParameterError, choices

RESHAPE = "table of rows and columns (2 dimensions) is needed.\nHint: Reshape your data"
TIME = dt.time(1, 30)


def objects(*cells: Any) -> np.ndarray[Any, Any]:
    """Return an object array of one column."""
    X = np.empty((len(cells), 1), dtype=object)
    X[:, 0] = cells
    return X


# What is no table


class Lazy:
    """A plan for a table, as narwhals recognises it in a library that it does not know."""

    def __narwhals_lazyframe__(self) -> Any:
        return nw.from_native(pl.DataFrame({"a": [1]}).lazy())._compliant_frame


class LikeIbis(Lazy):
    """What Ibis calls the method that reads the rows."""

    def to_pyarrow(self) -> pa.Table:
        return pa.table({"a": [1]})


class LikeSpark(Lazy):
    """Spark's own `collect` returns a list, which is not what is wanted."""

    def collect(self) -> list[Any]:
        return [(1,)]

    def toPandas(self) -> pd.DataFrame:
        return pd.DataFrame({"a": [1]})


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.ones(3), DataError, RESHAPE),
        (np.array(1.0), DataError, RESHAPE),
        ([1, 2], DataError, "Hint: for one row, [X]; for one column, [[value] for value in X]."),
        (["ab", "cd"], DataError, "X is a list of single values, but a table"),
        ([], DataError, "X is an empty list, but a table"),
        (range(3), DataError, "X is a list of single values, but a table"),
        (
            pd.Series([1]),
            DataError,
            "X is a pandas series, but a table of rows and columns (2 dimensions) is needed.\n"
            "Hint: for one row, frame.iloc[[0]] or X.to_frame().T; for one column, X.to_frame().",
        ),
        (pl.Series([1]), DataError, "Hint: for one row, frame[0:1]; for one column, X.to_frame()."),
        (
            pa.chunked_array([[1]]),
            DataError,
            "Hint: for one row, table.slice(0, 1); for one column, pyarrow.",
        ),
        (pa.array([1]), DataError, "Hint: for one row, numpy.asarray(X).reshape(1, -1); for one column, "),
        (pd.Index([1]), DataError, "X is of type Index with one dimension, but a table"),
        (np.ones((2, 2, 2)), DataError, "X has 3 dimensions, but a table has 2"),
        ([[[1], [2]], [[3], [4]]], DataError, "X has 3 dimensions, but a table has 2"),
        (np.ones((3, 0)), DataError, "0 feature(s) (shape=(3, 0)) while a minimum of 1 is required."),
        ([[], []], DataError, "0 feature(s) (shape=(2, 0)) while a minimum of 1 is required."),
        (
            pd.DataFrame(index=range(3)),
            DataError,
            "0 feature(s) (shape=(3, 0)) while a minimum of 1 is required.",
        ),
        (np.ones((0, 3)), DataError, "0 sample(s) (shape=(0, 3)) while a minimum of 1 is required."),
        (pl.DataFrame({"a": []}), DataError, "0 sample(s) (shape=(0, 1)) while a minimum of 1 is required."),
        ([[1, 2], [3]], DataError, "Row 1 of X has 1 value, but row 0 has 2."),
        ([[1, 2], 3], DataError, "X is a list of rows, but its row 1 is 3."),
        (
            [{"a": 1}],
            DataTypeError,
            "X is a list whose row 0 is a dictionary.\nHint: make a data frame of it",
        ),
        ({"a": [1]}, DataTypeError, "X is a dictionary, not a table.\nHint: make it a data frame"),
        ("data.csv", DataTypeError, "X is text, not a table.\nHint: read the file"),
        (None, DataTypeError, "X is of type NoneType, which is not a table.\nHint: pass a data frame"),
        (7, DataTypeError, "X is of type int, which is not a table."),
        ({1, 2}, DataTypeError, "X is of type set, which is not a table."),
        (iter([[1]]), DataTypeError, "X is of type list_iterator, which is not a table."),
        (
            scipy.sparse.csr_matrix(np.eye(2)),
            DataTypeError,
            "X is a sparse csr_matrix, and sparse data are not",
        ),
        (
            scipy.sparse.coo_array(np.eye(2)),
            DataTypeError,
            "X is a sparse coo_array, and sparse data are not",
        ),
        (pl.DataFrame({"a": [1]}).lazy(), DataTypeError, "X is a lazy frame (LazyFrame)"),
        (pl.DataFrame({"a": [1]}).lazy(), DataTypeError, "Hint: call .collect() first."),
        (duckdb.sql("select 1 as a"), DataTypeError, "Hint: call .to_arrow_table() first."),
        (
            Lazy(),
            DataTypeError,
            "X is a lazy frame (Lazy), whose rows are not in memory.\nHint: read its rows",
        ),
        (LikeIbis(), DataTypeError, "Hint: call .to_pyarrow() first."),
        (LikeSpark(), DataTypeError, "Hint: call .toPandas() first."),
        (
            np.zeros(2, dtype=[("a", "i4"), ("b", "f8")]),
            DataTypeError,
            "X is a structured array with the fields a, b.",
        ),
    ],
)
def test_what_is_no_table(X: Any, error: type[Exception], message: str) -> None:
    """Whatever is not a table of rows and columns is refused with a hint, for fitting and for predicting."""
    with pytest.raises(error, match=re.escape(message)):
        read_dataset(X)
    with pytest.raises(error, match=re.escape(message)):
        match_dataset(X, (Column("a", "number"),), named=True)


def test_the_hints_make_tables() -> None:
    """`predict(X.iloc[0])` was told `X.reshape(1, -1)`, which a series has not; what it is told now works."""
    X = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]})
    frame, table, relation = pl.from_pandas(X), pa.Table.from_pandas(X), duckdb.from_df(X)
    schema, series = read_dataset(X).schema, X.iloc[0]
    for row in (X.iloc[[0]], series.to_frame().T, frame[0:1], table.slice(0, 1), [[1.5, "x"]]):
        assert match_dataset(row, schema, named=True).n_rows == 1
    assert read_dataset(relation.to_arrow_table()).schema == schema
    for column in (X["a"].to_frame(), frame["a"].to_frame(), pa.table({"x": table["a"]}), [[1.5], [2.5]]):
        assert read_dataset(column).n_rows == 2


@pytest.mark.parametrize(
    ("frame", "names"),
    [
        (pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), "name 'a'"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "name '1'"),
        (pa.table([[1], [2], [3], [4]], names=["a", "a", "b", "b"]), "names 'a', 'b'"),
    ],
)
def test_names_that_are_there_twice(frame: Any, names: str) -> None:
    """Two columns with one name, or with names that read alike, are refused by name."""
    with pytest.raises(DataError, match=f"X has more than one column with the {names}"):
        read_dataset(frame)


# What is no column


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.ones((2, 2), dtype=complex), DataError, "Complex data not supported: column 'x0'"),
        (pd.DataFrame({"z": [1j]}), DataError, "Complex data not supported: column 'z'"),
        (objects(1.5, 1j), DataError, "Complex data not supported: column 'x0', row 1 holds 1j"),
        (np.array([[b"a"]]), DataTypeError, "Column 'x0' has the dtype |S1"),
        (objects(b"a"), DataTypeError, "Column 'x0', row 0 holds b'a' of type bytes"),
        (objects(1.5, {"foo": "bar"}), DataTypeError, "row 1 holds {'foo': 'bar'} of type dict"),
        (objects("a", [1]), DataTypeError, "row 1 holds [1] of type list"),
        (objects(TIME), DataTypeError, "of type time"),
        ([[1, [2]]], DataTypeError, "Column 'x1', row 0 holds [2] of type list"),
        (pl.DataFrame({"a": [[1]]}), DataTypeError, "Column 'a' has the dtype List(Int64)"),
        (pl.DataFrame({"a": [{"b": 1}]}), DataTypeError, "Hint: spread the fields over several columns"),
        (pl.DataFrame({"a": [b"x"]}), DataTypeError, "Hint: decode the bytes to text"),
        (pl.DataFrame({"a": [TIME]}), DataTypeError, "Hint: turn the time of day into a duration"),
        (
            pl.DataFrame({"a": [np.ones(2)]}, {"a": pl.Array(pl.Float64, 2)}),
            DataTypeError,
            "has the dtype Array",
        ),
        (pl.DataFrame({"a": pl.Series([object()], dtype=pl.Object)}), DataTypeError, "of type object"),
        (pa.table({"a": [[1]]}), DataTypeError, "Column 'a' has the dtype list<"),
        (
            pa.table({"a": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64()))}),
            DataTypeError,
            "dtype map<",
        ),
        (
            pd.DataFrame({"a": pd.period_range("2024", periods=1, freq="M")}),
            DataTypeError,
            "Hint: turn the periods",
        ),
        (pd.DataFrame({"a": pd.interval_range(0, 1)}), DataTypeError, "Hint: turn the intervals"),
        (pd.DataFrame({"a": pd.arrays.SparseArray([0, 1])}), DataTypeError, "Column 'a' is sparse"),
        (np.array([[1]], dtype="timedelta64[M]"), DataError, "whose unit has no fixed length"),
        (
            objects(np.timedelta64(1, "Y")),
            DataError,
            "Column 'x0', row 0: np.timedelta64(1,'Y') has no fixed length",
        ),
    ],
)
def test_what_is_no_column(X: Any, error: type[Exception], message: str) -> None:
    """Columns that hold no single number, text, boolean, date or duration a row are refused by name."""
    with pytest.raises(error, match=re.escape(message)):
        read_dataset(X)


# What cannot be kept exactly, or stands for two things


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (
            objects(1, 2**64),
            "Column 'x0', row 1 holds the integer 18446744073709551616, and 64 bits cannot hold",
        ),
        (
            objects(-1, 2**63),
            "Column 'x0', row 1 holds the integer 9223372036854775808, and 64 bits cannot hold",
        ),
        (objects(None, -(2**63) - 1), "Column 'x0', row 1 holds the integer -9223372036854775809"),
        (pl.DataFrame({"a": pl.Series([2**70], dtype=pl.Int128)}), "Column 'a', row 0 holds the integer"),
        (objects(0.5, 10**400), "Column 'x0', row 1 holds 1000"),
        (
            objects(0.5, Decimal("1e400")),
            "Column 'x0', row 1 holds Decimal('1E+400'), beyond 64-bit floating point",
        ),
        (
            np.array([[1]], dtype="datetime64[ps]"),
            "Column 'x0', row 0 holds 1970-01-01T00:00:00.000000000001",
        ),
        (np.array([[2**62]], dtype="datetime64[Y]"), "which does not fit into datetime64[D]"),
        (
            objects(np.datetime64(1, "ns"), dt.date.max),
            "row 1 holds datetime.date(9999, 12, 31), which 64 bits",
        ),
        (objects(np.datetime64(1, "ps")), "row 0: np.datetime64('1970-01-01T00:00:00.000000000001')"),
        (
            objects(dt.datetime(2024, 3, 1), dt.datetime(2024, 3, 1, tzinfo=dt.UTC)),
            "Column 'x0' mixes instants",
        ),
        (
            objects(None, dt.datetime(2024, 3, 1, tzinfo=dt.UTC), dt.date(2024, 3, 1)),
            "(first: row 2, datetime.date",
        ),
        (pd.DataFrame({"a": pd.Categorical([], categories=[("x", 1), "('x', 1)"])}, index=[]), "0 sample(s)"),
        (
            pd.DataFrame({"a": pd.Categorical(["('x', 1)"], categories=["('x', 1)", ("x", 1)])}),
            "declares the level",
        ),
    ],
)
def test_what_cannot_be_kept(X: Any, message: str) -> None:
    """A value that would be rounded away, wrapped around or confused is refused with its row."""
    with pytest.raises(DataError, match=re.escape(message)):
        read_dataset(X)


@pytest.mark.skipif(
    np.finfo(np.longdouble).max == np.finfo(np.float64).max, reason="longdouble is double here"
)
def test_extended_precision_beyond_double() -> None:
    """A finite number does not become infinite on its way in."""
    X = np.array([["1"], ["1e4000"]]).astype(np.longdouble)
    with pytest.raises(
        DataError, match=re.escape("Column 'x0', row 1 holds 1e+4000, which is beyond 64-bit")
    ):
        read_dataset(X)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([1.5, 2, "n/a", 3, "?", None], "is numeric, but 2 of 6 rows hold text (first: row 2, 'n/a')."),
        (["a", "b", 3], "is text, but 1 of 3 rows holds numbers (first: row 2, 3)."),
        ([None, "a", 3], "is numeric, but 1 of 3 rows holds text (first: row 1, 'a')."),
        ([True, 2, 3], "is numeric, but 1 of 3 rows holds true/false values (first: row 0, True)."),
        (
            [dt.date(2024, 3, 1)] * 2 + ["soon"],
            "is dates, but 1 of 3 rows holds text (first: row 2, 'soon').",
        ),
        (
            [dt.timedelta(1), dt.timedelta(2), 3.5],
            "is durations, but 1 of 3 rows holds numbers (first: row 2, 3.5).",
        ),
        ([False, True, "no"], "is true/false, but 1 of 3 rows holds text (first: row 2, 'no')."),
    ],
)
def test_mixtures(cells: list[Any], message: str) -> None:
    """A mixed column is refused: what most rows hold, how many do not, the first of them, and a way out."""
    frame = pd.DataFrame({"income": pd.Series(cells, dtype=object)})
    hint = "into a missing value before fitting, or list 'income' in categorical_features"
    with pytest.raises(DataError, match=re.escape(f"Column 'income' {message}\nHint: turn ")) as error:
        read_dataset(frame)
    assert hint in str(error.value)
    assert read_dataset(frame, categorical_features=["income"]).schema[0].kind == "nominal"


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=2),
    st.binary(max_size=2),
    st.dates(),
    st.datetimes(),
    st.datetimes(timezones=st.timezones()),
    st.timedeltas(),
    st.decimals(),
    st.fractions(),
    st.times(),
    st.complex_numbers(),
    st.lists(st.none(), max_size=1),
    st.just(pd.NA),
    st.just(pd.NaT),
    st.just(np.float32(0.1)),
    st.just(np.datetime64("NaT")),
    st.just(np.timedelta64(3, "h")),
    st.builds(object),
    st.just(np.ma.masked),
)


@given(st.lists(CELLS, min_size=1, max_size=4), st.booleans())
@example([dt.timedelta.max], True)
@example([dt.timedelta.min, dt.timedelta(days=999_999_999)], True)
@example([dt.timedelta.min, dt.timedelta.max], False)
def test_no_cell_crashes(cells: list[Any], nominal: bool) -> None:
    """Whatever the cells are, they become a column that can be read again, or one of our own errors."""
    X = objects(*cells)
    named = False
    try:
        data = read_dataset(X, categorical_features=[0] if nominal else None)
    except ArboretumError as refusal:
        named = "'x0'" in str(refusal)
        data = None
    if data is None:
        assert named, "a refusal names the column"
        return
    again = match_dataset(X, data.schema, named=False)
    assert again.schema == data.schema
    assert again.columns[0].is_missing().tolist() == data.columns[0].is_missing().tolist()
    assert Column.from_dict(data.schema[0].to_dict()) == data.schema[0]


# Options


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("from_dtypes", "categorical_features='from_dtypes' is not known; choose 'from_dtype'. Did you mean"),
        (3, "categorical_features=3 is not a list."),
        ([True], "categorical_features is a mask of 1, but X has 2 columns."),
        ([2], "categorical_features holds the position 2, but X has the columns 0 to 1."),
        ([-1], "categorical_features holds the position -1, but X has the columns 0 to 1."),
        (["c"], "categorical_features names the column 'c', which X lacks; it has 'a', 'b'."),
        ([0.5], "categorical_features holds 0.5, which is neither a name nor a position."),
        ([True, "a"], "categorical_features holds True, which is neither a name nor a position."),
        ({"c": [1]}, "categorical_features names the column 'c', which X lacks"),
        ({"a": "xy"}, "categorical_features gives 'xy' as the levels of 'a'; give a list."),
        ({"a": []}, "at least one is needed"),
        ({"a": [1, None]}, "a missing value is no level"),
        ({"a": [1, float("nan")]}, "a missing value is no level"),
        ({"a": [1, 1.0]}, "categorical_features gives the level 1.0 of 'a' twice."),
        ({"a": [1, pd.NA]}, "a missing value is no level"),
    ],
)
def test_categorical_features_that_make_no_sense(option: Any, message: str) -> None:
    """A choice that fits no column is refused as an option, not silently dropped."""
    with pytest.raises(ParameterError, match=re.escape(message)):
        read_dataset(pd.DataFrame({"a": [1, 2], "b": [3, 4]}), categorical_features=option)


def test_values_outside_the_declared_levels() -> None:
    """Declared levels are a promise: the first value outside is refused with its row; missing is allowed."""
    frame = pd.DataFrame({"a": ["x", None, "z"]})
    with pytest.raises(
        DataError, match=r"Column 'a', row 2 holds 'z', which is not among its declared levels 'x', 'y'"
    ):
        read_dataset(frame, categorical_features={"a": ["x", "y"]})
    data = read_dataset(frame, categorical_features={"a": ["x", "y", "z"]})
    assert data.missing_counts() == {"a": 1}


def test_choices_suggest_the_nearest() -> None:
    """A misspelt choice is answered with all choices and the nearest; what is no text has no nearest."""
    allowed = ["gini", "entropy"]
    assert choices("criterion", "ginni", allowed) == (
        "criterion='ginni' is not known; choose 'gini', 'entropy'. Did you mean 'gini'?"
    )
    assert choices("criterion", 3, allowed) == "criterion=3 is not known; choose 'gini', 'entropy'."
    assert issubclass(DataError, ValueError)
    assert issubclass(DataTypeError, TypeError)
    assert issubclass(ParameterError, ValueError)


# Predicting


FITTED = read_dataset(
    pl.DataFrame(
        {
            "size": [1.5],
            "colour": ["red"],
            "day": [dt.date(2024, 3, 1)],
            "wait": [dt.timedelta(1)],
            "flag": [True],
        }
    )
)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        (
            "size",
            [None, "big"],
            "Column 'size' was numeric when fitting, now holds text (first: row 1, 'big').",
        ),
        (
            "size",
            [dt.date(2024, 3, 1)],
            "Column 'size' was numeric when fitting, now holds dates (first: row 0, '2024",
        ),
        (
            "colour",
            [None, 3],
            "Column 'colour' held text when fitting, now holds numbers (first: row 1, '3').",
        ),
        (
            "colour",
            [True],
            "Column 'colour' held text when fitting, now holds true/false values (first: row 0, 'True').",
        ),
        ("day", [3.5], "Column 'day' held dates when fitting, now holds numbers (first: row 0, '3.5')."),
        (
            "day",
            ["2024-03-01"],
            "Column 'day' held dates when fitting, now holds text (first: row 0, '2024-03-01').",
        ),
        (
            "day",
            [dt.timedelta(1)],
            "Column 'day' held dates when fitting, now holds durations (first: row 0, '1 day')",
        ),
        ("wait", [dt.date(2024, 3, 1)], "Column 'wait' held durations when fitting, now holds dates"),
        (
            "flag",
            ["yes"],
            "Column 'flag' held true/false values when fitting, now holds text (first: row 0, 'yes').",
        ),
        (
            "day",
            [dt.datetime(2024, 3, 1, tzinfo=dt.UTC)],
            "Column 'day' had the time zone none when fitting and has",
        ),
    ],
)
def test_columns_of_another_kind(name: str, values: list[Any], message: str) -> None:
    """A column that cannot have its remembered kind is refused by name, with the first row that shows it."""
    others = {other.name: [None] * len(values) for other in FITTED.schema}
    with pytest.raises(DataError, match=re.escape(message)):
        match_dataset(pl.DataFrame({**others, name: values}), FITTED.schema, named=True)


def test_columns_that_are_not_there() -> None:
    """Columns that are missing are named, and so are those that came instead."""
    with pytest.raises(
        DataError, match="X lacks the columns 'day', 'wait', 'flag', used for fitting; it has 'size', 'Day'"
    ):
        match_dataset(pl.DataFrame({"size": [1], "Day": [1], "colour": ["red"]}), FITTED.schema, named=True)


@pytest.mark.parametrize("X", [np.ones((2, 1)), [[1.0]]])
def test_wrong_number_of_columns(X: Any) -> None:
    """Without names the number of columns must be right; the message says who expected what."""
    with pytest.raises(
        DataError, match="X has 1 features, but TreeClassifier is expecting 5 features as input"
    ):
        match_dataset(X, FITTED.schema, named=True, owner="TreeClassifier")
    with pytest.raises(DataError, match="X has 2 features, but this tree is expecting 1 features as input"):
        match_dataset(pd.DataFrame({"a": [1], "b": [2]}), (Column("x0", "number"),), named=False)


# Columns made by hand or read from a file


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "numbers"}, "kind='numbers' is not known; choose 'number'"),
        ({"kind": "nominal"}, "needs its levels"),
        ({"kind": "number", "levels": ("a",)}, "has no levels"),
        ({"kind": "nominal", "levels": ("a", "a")}, "Column 'c' has the level 'a' twice."),
        ({"kind": "nominal", "levels": (None,)}, "Column 'c' has the level None"),
        ({"kind": "nominal", "levels": (float("nan"),)}, "Column 'c' has the level nan"),
        ({"kind": "datetime"}, "unit=None is not known; choose 'D', 's', 'ms', 'us', 'ns'."),
        ({"kind": "number", "unit": "s"}, "unit='s' is not known"),
        ({"kind": "duration", "unit": "s", "timezone": "UTC"}, "has no time zone"),
        ({"kind": "number", "offset": 2**63}, "has the offset 9223372036854775808"),
        ({"kind": "integer", "offset": 1}, "has the offset 1"),
    ],
)
def test_columns_that_contradict_themselves(fields: dict[str, Any], message: str) -> None:
    """A column whose parts do not fit together cannot be made."""
    with pytest.raises(ParameterError, match=re.escape(message)):
        Column("c", **fields)


@pytest.mark.parametrize(
    "stored",
    [
        None,
        [],
        {},
        {"name": "c"},
        {"name": 3, "kind": "number"},
        {"name": "c", "kind": "numbers"},
        {"name": "c", "kind": "number", "colour": "red"},
        {"name": "c", "kind": "nominal", "levels": "ab"},
        {"name": "c", "kind": "nominal", "levels": [None]},
        {"name": "c", "kind": "nominal", "levels": [{"date": "yesterday"}]},
        {"name": "c", "kind": "nominal", "levels": [{"datetime64": [1, "no unit"]}]},
        {"name": "c", "kind": "nominal", "levels": [{"system": "rm"}]},
        {"name": "c", "kind": "integer", "offset": True},
        {"name": "c", "kind": "integer", "offset": 2**62},
    ],
)
def test_stored_columns_that_are_damaged(stored: Any) -> None:
    """A file can hold anything; what is no column is refused as data, never as a traceback from inside."""
    with pytest.raises(DataError):
        Column.from_dict(stored)
