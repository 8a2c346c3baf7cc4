"""Reading and matching tables: what every kind of input becomes.

Each promise of the data layer has its own case, next to the library or dtype that could break it.
What is refused, and in which words, is in `test_refused_cells_and_columns.py`.
"""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.sweeps import few

from arboretum._data import Column, ColumnData, Dataset, match_dataset, read_dataset
from arboretum._data.times import convert_units
from arboretum.errors import DataError, ParameterError

INT64 = np.iinfo(np.int64)


def only(X: Any, **options: Any) -> ColumnData:
    """Return the single column of a table."""
    (data,) = read_dataset(X, **options).columns
    return data


def rematch(X: Any, fitted: Dataset, **options: Any) -> ColumnData:
    """Return the single column of a table that is read with the schema of another one."""
    (data,) = match_dataset(X, fitted.schema, named=fitted.named, **options).columns
    return data


def present(data: ColumnData) -> list[Any]:
    """Return the stored values, None where missing."""
    return [
        None if gone else value for value, gone in zip(data.values.tolist(), data.is_missing(), strict=True)
    ]


def texts(data: ColumnData) -> list[str | None]:
    """Return the printed values, None where missing."""
    return [None if value is None else data.column.format(value) for value in present(data)]


# Arrays


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint32"]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_numeric_arrays_are_not_copied(dtype: str, order: Any) -> None:
    """Every column is a view of the caller's array, of the caller's dtype, read-only or not."""
    X = np.array([[1, 2], [3, 4], [5, 6]], dtype=dtype, order=order)
    X.flags.writeable = False
    data = read_dataset(X)
    assert data.names == ("x0", "x1")
    assert not data.named
    assert data.n_rows == 3
    for position, column in enumerate(data.columns):
        assert np.shares_memory(column.values, X)
        assert column.values.dtype == X.dtype
        assert column.values.tolist() == X[:, position].tolist()
        assert column.missing is None


def test_strided_and_reversed_arrays_are_not_copied() -> None:
    """Slices with steps, also negative ones, stay views."""
    whole = np.arange(48.0).reshape(6, 8)
    X = whole[::-2, 1::3]
    data = read_dataset(X)
    assert [column.values.tolist() for column in data.columns] == X.T.tolist()
    assert all(np.shares_memory(column.values, whole) for column in data.columns)


def test_uint64_that_fits_is_a_view_and_else_is_shifted_exactly() -> None:
    """Unsigned 64-bit integers keep every bit: as int64 where they fit, stored minus 2**63 elsewhere."""
    small = np.array([[1], [2**63 - 1]], dtype=np.uint64)
    assert np.shares_memory(only(small).values, small)
    assert only(small).column == Column("x0", "integer")
    big = only(np.array([[0], [2**63], [2**64 - 1]], dtype=np.uint64))
    assert big.column.offset == 2**63
    assert big.values.dtype == np.int64
    assert [int(value) + big.column.offset for value in big.values] == [0, 2**63, 2**64 - 1]
    assert texts(big) == ["0", "9223372036854775808", "18446744073709551615"]


def test_other_float_widths_become_usual_ones() -> None:
    """Half precision becomes float32, extended precision float64, and swapped bytes are put right."""
    assert only(np.array([[1.5]], dtype=np.float16)).values.dtype == np.float32
    assert only(np.array([[1.5]], dtype=np.longdouble)).values.dtype == np.float64
    for swapped in (">f8", ">i4", ">u8", ">M8[s]"):
        data = only(np.array([[3], [4]]).astype(swapped))
        assert data.values.dtype.isnative
        assert data.values.tolist() == [3, 4]


def test_misaligned_arrays_are_copied() -> None:
    """A field of a packed record is no memory that the core may read as numbers."""
    packed = np.zeros(3, dtype=[("tag", "i1"), ("value", "f8", 2)])
    packed["value"] = [[1, 2], [3, 4], [5, 6]]
    assert not packed["value"].flags.aligned
    assert all(column.values.flags.aligned for column in read_dataset(packed["value"]).columns)
    assert read_dataset(packed["value"]).columns[1].values.tolist() == [2, 4, 6]


def test_masked_arrays_have_missing_values() -> None:
    """What is masked is missing, in numbers as in objects; an empty mask is none."""
    numbers = read_dataset(np.ma.masked_array([[1, 2], [3, 4]], [[0, 1], [0, 0]]))
    assert numbers.columns[0].missing is None
    assert present(numbers.columns[1]) == [None, 4]
    floats = only(np.ma.masked_array([[1.0], [np.nan], [3.0]], [[1], [0], [0]]))
    assert floats.is_missing().tolist() == [True, True, False]
    words = np.ma.masked_array(np.array([["a"], ["b"]], dtype=object), [[1], [0]])
    assert texts(only(words)) == [None, "b"]


def test_booleans_and_text_in_arrays_are_nominal() -> None:
    """Booleans have the levels False and True, seen or not; text has the observed ones, sorted."""
    flags = only(np.array([[True], [True]]))
    assert flags.column == Column("x0", "nominal", levels=(False, True))
    assert flags.values.dtype == np.int32
    assert flags.values.tolist() == [1, 1]
    words = only(np.array([["b"], ["a"], ["b"], [""]]))
    assert words.column.levels == ("", "a", "b")
    assert texts(words) == ["b", "a", "b", ""]


def test_times_in_arrays() -> None:
    """datetime64 and timedelta64 keep their unit, as views; NaT is missing; other units are converted."""
    X = np.array([["2024-03-01"], ["NaT"]], dtype="datetime64[s]")
    data = only(X)
    assert (data.column.kind, data.column.unit) == ("datetime", "s")
    assert np.shares_memory(data.values, X)
    assert texts(data) == ["2024-03-01", None]
    assert texts(only(np.array([["2024-03"]], dtype="datetime64[M]"))) == ["2024-03-01"]
    assert only(np.array([[3]], dtype="timedelta64[h]")).column == Column("x0", "duration", unit="s")
    assert texts(only(np.array([[27]], dtype="timedelta64[h]"))) == ["1 day 03:00:00"]


# Lists and objects


def test_lists_are_read_column_by_column() -> None:
    """A column of text does not turn its neighbours into text; None is missing in each."""
    data = read_dataset([[1, 2.5, "a", True], (2, None, None, None), [None, 1, "b", False]])
    assert [column.kind for column in data.schema] == ["integer", "number", "nominal", "nominal"]
    assert present(data.columns[0]) == [1, 2, None]
    assert present(data.columns[1]) == [2.5, None, 1.0]
    assert texts(data.columns[2]) == ["a", None, "b"]
    assert texts(data.columns[3]) == ["True", None, "False"]


def test_rows_may_be_arrays_or_series() -> None:
    """A list of arrays or of pandas rows is a list of rows."""
    assert present(read_dataset([np.array([1.0, 2.0]), np.array([3.0, 4.0])]).columns[1]) == [2.0, 4.0]
    rows = [pd.Series([1, "a"]), pd.Series([2, "b"])]
    assert [column.kind for column in read_dataset(rows).schema] == ["integer", "nominal"]


@pytest.mark.parametrize(
    ("cells", "kind", "stored"),
    [
        ([1, None, np.int64(3)], "integer", [1, None, 3]),
        ([2**53 + 1, float("nan"), pd.NA], "integer", [2**53 + 1, None, None]),
        ([1, 2.5, Decimal("0.1"), Fraction(1, 4), Decimal("NaN")], "number", [1.0, 2.5, 0.1, 0.25, None]),
        ([np.float32(1.5), float("inf"), None], "number", [1.5, float("inf"), None]),
        ([True, np.True_, None], "nominal", [1, 1, None]),
        ([dt.date(1970, 1, 2), pd.NaT, None], "datetime", [1, None, None]),
        ([dt.timedelta(microseconds=1), np.timedelta64("NaT")], "duration", [1, None]),
        ([None, float("nan"), pd.NA, pd.NaT], "number", [None] * 4),
    ],
)
def test_objects_decide_by_their_values(cells: list[Any], kind: str, stored: list[Any]) -> None:
    """The values that are not missing decide the kind of an object column; every missing value is seen."""
    values = np.empty((len(cells), 1), dtype=object)
    values[:, 0] = cells
    for X in (values, [[cell] for cell in cells], pd.DataFrame({"x": pd.Series(cells, dtype=object)})):
        assert only(X).column.kind == kind
        assert present(only(X)) == stored


def test_instants_among_objects_are_exact() -> None:
    """Dates and datetimes mix in the finest unit; nanoseconds survive; time zones are remembered."""
    mixed = only([[dt.date(2024, 3, 1)], [dt.datetime(2024, 3, 1, 14, 30)]])
    assert mixed.column.unit == "us"
    assert texts(mixed) == ["2024-03-01", "2024-03-01T14:30:00"]
    aware = only([[pd.Timestamp("2024-03-01T00:00:00.000000001", tz="Europe/Brussels")], [pd.NaT]])
    assert (aware.column.unit, aware.column.timezone) == ("ns", "Europe/Brussels")
    assert texts(aware) == ["2024-02-29T23:00:00.000000001+00:00", None]
    assert texts(only([[pd.Timedelta("1ns")], [dt.timedelta(1)]])) == ["00:00:00.000000001", "1 day"]


def test_text_enumerations_count_as_their_text() -> None:
    """A member of a text enumeration is its text, also next to plain text."""

    class Colour(str, Enum):  # noqa: UP042 (the older form, whose str() is its name)
        RED = "red"

    assert only([[Colour.RED], ["red"], ["blue"]]).column.levels == ("blue", "red")


# Data frames


def test_pandas_numbers_are_views() -> None:
    """pandas columns on NumPy are not copied, whatever their width."""
    X = np.arange(6, dtype=np.float32).reshape(3, 2)
    frame = pd.DataFrame(X, columns=["a", "b"], copy=False)
    assert all(
        np.shares_memory(column.values, frame["ab"[i]].to_numpy())
        for i, column in enumerate(read_dataset(frame).columns)
    )
    assert read_dataset(frame).columns[0].values.dtype == np.float32


@pytest.mark.parametrize("values", [[1.5, 2.5], [1, 2]])
def test_polars_and_arrow_numbers_are_views(values: list[Any]) -> None:
    """Columns of polars and Arrow without nulls are not copied."""
    frame = pl.DataFrame({"a": values})
    assert np.shares_memory(only(frame).values, frame["a"].to_numpy())
    table = pa.table({"a": values})
    assert np.shares_memory(only(table).values, table["a"].chunk(0).to_numpy())


EXACT = 2**53 + 1  # the first integer that a double cannot hold


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": pd.Series([EXACT, None, 3], dtype="Int64")}),
        pd.DataFrame({"a": pd.Series([EXACT, None, 3], dtype="int64[pyarrow]")}),
        pd.DataFrame({"a": pd.Series([EXACT, None, 3], dtype=object)}),
        pl.DataFrame({"a": [EXACT, None, 3]}),
        pl.DataFrame({"a": pl.Series([EXACT, None, 3], dtype=pl.Int128)}),
        pa.table({"a": [EXACT, None, 3]}),
        pa.record_batch({"a": pa.array([EXACT, None, 3])}),
    ],
    ids=["Int64", "int64[pyarrow]", "object", "polars", "polars Int128", "pyarrow", "record batch"],
)
def test_integers_with_nulls_are_exact(frame: Any) -> None:
    """A hole does not send integers through floating point."""
    data = only(frame)
    assert data.column == Column("a", "integer")
    assert data.values.dtype == np.int64
    assert present(data) == [EXACT, None, 3]


@pytest.mark.parametrize("dtype", ["uint64", "UInt64", "uint64[pyarrow]"])
def test_big_unsigned_integers_of_frames_are_exact(dtype: str) -> None:
    """2**63 and its neighbours stay apart, also through pandas' nullable and Arrow dtypes and polars."""
    values = [2**63 - 1, 2**63, 2**63 + 1]
    pandas = pd.DataFrame({"a": pd.Series(values, dtype=dtype)})
    for frame in (pandas, pl.DataFrame({"a": pl.Series(values, dtype=pl.UInt64)})):
        assert texts(only(frame)) == [str(value) for value in values]


def test_declared_levels_are_kept() -> None:
    """Categories of pandas and polars Enums keep their declared order, unused ones too."""
    nominal = only(pd.DataFrame({"a": pd.Categorical(["x", None, "y"], categories=["y", "x", "z"])}))
    assert nominal.column == Column("a", "nominal", levels=("y", "x", "z"))
    assert present(nominal) == [1, None, 0]
    assert nominal.values.dtype == np.int32
    ordered = only(
        pd.DataFrame({"a": pd.Categorical(["lo", "hi"], categories=["lo", "mid", "hi"], ordered=True)})
    )
    assert ordered.column == Column("a", "ordered", levels=("lo", "mid", "hi"))
    enum = only(pl.DataFrame({"a": pl.Series(["x", None], dtype=pl.Enum(["y", "x", "z"]))}))
    assert enum.column == Column("a", "nominal", levels=("y", "x", "z"))
    assert present(enum) == [1, None]
    arrow = pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), pa.array(["lo", "hi"]), ordered=True)
    chunked = pa.chunked_array([arrow, arrow])
    assert only(pa.table({"a": chunked})).column == Column("a", "ordered", levels=("lo", "hi"))
    assert present(only(pa.table({"a": chunked}))) == [1, None, 0] * 2


@pytest.mark.parametrize("values", [["b", "a", None, "c"], ["c", None, "a", "b"]])
def test_observed_levels_are_sorted(values: list[Any]) -> None:
    """Levels of text, polars categoricals and Arrow dictionaries do not depend on the order of the rows."""
    frames = [
        pd.DataFrame({"a": values}),
        pd.DataFrame({"a": pd.Series(values, dtype=object)}),
        pd.DataFrame({"a": pd.Series(values, dtype="string")}),
        pd.DataFrame({"a": pd.Series(values, dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())))}),
        pl.DataFrame({"a": pl.Series(values, dtype=pl.Categorical)}),
        pa.table({"a": pa.array(values).dictionary_encode()}),
        pa.table({"a": pa.array(values, pa.large_string())}),
    ]
    for frame in frames:
        assert only(frame).column == Column("a", "nominal", levels=("a", "b", "c"))
        assert texts(only(frame)) == values


def test_categories_need_not_be_text() -> None:
    """Numbers, dates and intervals are levels too; what JSON could not hold is kept as its text."""
    assert only(pd.DataFrame({"a": pd.Categorical([2, 1])})).column.levels == (1, 2)
    assert only(pa.table({"a": pa.array([2, 1]).dictionary_encode()})).column.levels == (1, 2)
    days = pd.Categorical(pd.to_datetime(["2024-03-02", "2024-03-01"]))
    assert texts(only(pd.DataFrame({"a": days}))) == ["2024-03-02", "2024-03-01"]
    cut = only(pd.DataFrame({"a": pd.cut(pd.Series([1.0, 9.0]), [0, 5, 10])}))
    assert (cut.column.kind, texts(cut)) == ("ordered", ["(0, 5]", "(5, 10]"])


ZONE = "Asia/Tokyo"
TOKYO = pd.Series(pd.to_datetime(["2024-03-01", None]).tz_localize(ZONE))


@pytest.mark.parametrize(
    ("series", "unit", "timezone"),
    [
        (pd.Series(pd.to_datetime(["2024-03-01", None])).astype("datetime64[ns]"), "ns", None),
        (pd.Series(pd.to_datetime(["2024-03-01", None])).astype("datetime64[s]"), "s", None),
        (pl.Series([dt.date(2024, 3, 1), None]), "D", None),
        (pl.Series([dt.datetime(2024, 3, 1), None], dtype=pl.Datetime("ms")), "ms", None),
        (pa.array([dt.date(2024, 3, 1), None]), "D", None),
        (pa.array([dt.date(2024, 3, 1), None], pa.date64()), "ms", None),
        (pa.array([dt.datetime(2024, 3, 1), None], pa.timestamp("s")), "s", None),
        (pd.Series([dt.date(2024, 3, 1), None], dtype=pd.ArrowDtype(pa.date32())), "D", None),
        (TOKYO.astype("datetime64[us, Asia/Tokyo]"), "us", ZONE),
        (TOKYO.astype("datetime64[ms, America/New_York]"), "ms", "America/New_York"),
        (pl.Series([dt.datetime(2024, 2, 29, 15), None], dtype=pl.Datetime("us", ZONE)), "us", ZONE),
        (pa.array([dt.datetime(2024, 2, 29, 15), None], pa.timestamp("us", ZONE)), "us", ZONE),
    ],
)
def test_dates_of_frames(series: Any, unit: str, timezone: str | None) -> None:
    """Dates and datetimes keep their unit; those with a time zone are instants in UTC that remember it."""
    frame = (
        pa.table({"a": series}) if isinstance(series, pa.Array) else type(series.to_frame())({"a": series})
    )
    data = only(frame)
    assert data.column == Column("a", "datetime", unit=unit, timezone=timezone)
    assert texts(data) == ["2024-03-01" if timezone is None else "2024-02-29T15:00:00+00:00", None]


def test_columns_that_say_nothing() -> None:
    """A column of nothing but nulls, without a type, is a number with every row missing."""
    for frame in (
        pl.DataFrame({"a": [None, None]}),
        pa.table({"a": pa.nulls(2)}),
        pd.DataFrame({"a": [None, None]}, dtype=object),
        [[None], [None]],
    ):
        assert only(frame).column.kind == "number"
        assert only(frame).is_missing().all()
    assert only(pl.DataFrame({"a": [None]}, schema={"a": pl.String})).column.levels == ()


def test_names_become_text() -> None:
    """Names that are numbers or tuples are remembered as their text."""
    assert read_dataset(pd.DataFrame([[1, 2]])).names == ("0", "1")
    assert read_dataset(pd.DataFrame([[1, 2]])).named
    nested = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)]))
    assert read_dataset(nested).names == ("('a', 1)", "('b', 2)")


def test_nothing_is_imported_for_the_caller() -> None:
    """Reading arrays and lists needs no data-frame library."""
    code = (
        "import sys\nfrom arboretum._data import read_dataset\n"
        "read_dataset([[1, 'a', None]]); import numpy as np; read_dataset(np.ones((2, 2)))\n"
        "assert not {'pandas', 'polars', 'pyarrow'} & set(sys.modules), 'imported'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# One table, every library


def _columns() -> st.SearchStrategy[tuple[pa.DataType, list[Any]]]:
    instants = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1))
    kinds: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
        (pa.float64(), st.floats(allow_nan=True)),
        (pa.float32(), st.floats(width=32)),
        (pa.int64(), st.integers(int(INT64.min), int(INT64.max))),
        (pa.int8(), st.integers(-128, 127)),
        (pa.uint64(), st.integers(0, 2**64 - 1)),
        (pa.bool_(), st.booleans()),
        (pa.string(), st.text(st.characters(exclude_categories=["Cs"]), max_size=3)),
        (pa.date32(), st.dates()),
        (pa.timestamp("us"), instants),
        (
            pa.timestamp("ms", "Europe/Brussels"),
            instants.map(lambda x: x.replace(microsecond=0, tzinfo=dt.UTC)),
        ),
        (pa.duration("us"), st.timedeltas(dt.timedelta(-9999), dt.timedelta(9999))),
        (pa.decimal128(20, 3), st.decimals(-(10**6), 10**6, places=3)),
    ]
    n_rows = st.shared(st.integers(1, 6), key="rows")

    def column(kind: tuple[pa.DataType, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
        cells = st.none() | kind[1]
        return n_rows.flatmap(lambda n: st.tuples(st.just(kind[0]), st.lists(cells, min_size=n, max_size=n)))

    return st.sampled_from(kinds).flatmap(column)


NULLABLE = {
    pa.int64(): pd.Int64Dtype(),
    pa.int8(): pd.Int8Dtype(),
    pa.uint64(): pd.UInt64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
    pa.string(): pd.StringDtype(),
    pa.float64(): pd.Float64Dtype(),
    pa.float32(): pd.Float32Dtype(),
}


@settings(max_examples=few(0.6))
@given(st.lists(_columns(), min_size=1, max_size=3))
def test_every_library_gives_the_same_dataset(columns: list[tuple[pa.DataType, list[Any]]]) -> None:
    """One table, held by pyarrow, polars and pandas in three ways, is one Dataset."""
    table = pa.table({f"c{i}": pa.array(cells, kind) for i, (kind, cells) in enumerate(columns)})
    expected = read_dataset(table)
    others = [
        pl.from_arrow(table),
        table.to_pandas(types_mapper=pd.ArrowDtype),
        table.to_pandas(types_mapper=lambda kind: NULLABLE.get(kind, pd.ArrowDtype(kind))),
    ]
    for frame in others:
        found = read_dataset(frame)
        assert found.schema == expected.schema
        assert found.missing_counts() == expected.missing_counts()
        for one, other in zip(found.columns, expected.columns, strict=True):
            assert present(one) == present(other)


@settings(max_examples=few(0.6))
@given(st.lists(_columns(), min_size=1, max_size=3), st.data())
def test_matching_the_fitted_table_changes_nothing(
    columns: list[tuple[pa.DataType, list[Any]]], data: Any
) -> None:
    """Reading a table with its own schema gives it back, also with its columns and rows in another order."""
    table = pa.table({f"c{i}": pa.array(cells, kind) for i, (kind, cells) in enumerate(columns)})
    fitted = read_dataset(table)
    rows = data.draw(st.permutations(range(table.num_rows)))
    names = data.draw(st.permutations(table.column_names))
    matched = match_dataset(table.select(names).take(rows), fitted.schema, named=True)
    assert matched.schema == fitted.schema
    for one, other in zip(matched.columns, fitted.take(np.array(rows)).columns, strict=True):
        assert texts(one) == texts(other)


# categorical_features


CHOICES = [[True, False], np.array([True, False]), [0], np.array([0]), ["a"], np.array(["a"])]


@pytest.mark.parametrize("option", [*CHOICES, {"a": [3, 1, 2]}, {0: [1, 2, 3]}])
def test_categorical_features_makes_columns_nominal(option: Any) -> None:
    """Masks, positions, names and mappings all choose the column; a mapping declares its levels as well."""
    frame = pd.DataFrame({"a": [2, 1, 2], "b": [2, 1, 2]})
    data = read_dataset(frame, categorical_features=option)
    levels = tuple(next(iter(option.values()))) if isinstance(option, dict) else (1, 2)
    assert data.schema == (Column("a", "nominal", levels=levels), Column("b", "integer"))
    assert texts(data.columns[0]) == ["2", "1", "2"]


@pytest.mark.parametrize("option", [None, "from_dtype", [], [False, False]])
def test_categorical_features_may_choose_nothing(option: Any) -> None:
    """None, "from_dtype" and empty choices leave the kinds to the dtypes."""
    schema = read_dataset(np.ones((1, 2)), categorical_features=option).schema
    assert [column.kind for column in schema] == ["number", "number"]


@pytest.mark.parametrize(
    ("X", "levels"),
    [
        (np.array([[2.5], [np.nan], [-0.0], [0.0]]), (0.0, 2.5)),
        (np.array([[2**63 + 1], [0]], dtype=np.uint64), (0, 2**63 + 1)),
        (np.array([["2024-03-01"], ["NaT"]], dtype="datetime64[D]"), (dt.date(2024, 3, 1),)),
        (np.array([[1500]], dtype="timedelta64[ms]"), (dt.timedelta(seconds=1.5),)),
        ([["b"], [1], [None], [0.5]], (0.5, 1, "b")),
        ([[2**70], [1]], (1, 2**70)),
        ([[Decimal("inf")], [Decimal("2.50")], [Fraction(4, 2)]], (2, 2.5, float("inf"))),
        ([[Decimal("1e999999")], [Fraction(10**400, 3)]], (f"{10**400}/3", "1E+999999")),
        (pd.DataFrame({"x": pd.Categorical(["a"], categories=["b", "a"], ordered=True)}), ("b", "a")),
    ],
)
def test_any_dtype_can_be_nominal(X: Any, levels: tuple[object, ...]) -> None:
    """Numbers, times and mixed objects become levels, sorted; declared levels stay; missing is no level."""
    fitted = read_dataset(X, categorical_features=[0])
    assert fitted.schema[0].kind == "nominal"
    assert fitted.schema[0].levels == levels
    assert texts(rematch(X, fitted)) == texts(fitted.columns[0])


# Matching


FITTED = read_dataset(pd.DataFrame({"size": [1.5, 2.5], "colour": ["red", "blue"]}))


def test_columns_are_found_by_name() -> None:
    """Reordered columns are found, further ones are ignored and not even read."""
    frame = pl.DataFrame({"notes": [[1], [2]], "colour": ["blue", "red"], "size": [1, 2]})
    data = match_dataset(frame, FITTED.schema, named=True)
    assert data.schema == FITTED.schema
    assert present(data.columns[0]) == [1, 2]
    assert texts(data.columns[1]) == ["blue", "red"]


def test_columns_without_names_are_found_by_position() -> None:
    """Arrays for a named schema and frames for an unnamed one go by position."""
    assert texts(match_dataset([[1.0, "red"]], FITTED.schema, named=True).columns[1]) == ["red"]
    fitted = read_dataset(np.array([[1.0, 2.0]]))
    data = match_dataset(pd.DataFrame({"b": [3.0], "a": [4.0]}), fitted.schema, named=False)
    assert [column.values.tolist() for column in data.columns] == [[3.0], [4.0]]
    assert not data.named


def test_numbers_and_integers_stay_what_they_are() -> None:
    """Floats for an integer column and integers for a float column are left: the core compares exactly."""
    integers, floats = read_dataset(np.array([[1], [2]])), read_dataset(np.array([[1.0], [2.0]]))
    assert rematch(np.array([[1.5]]), integers).values.tolist() == [1.5]
    assert rematch(np.array([[2**53 + 1]]), floats).values.tolist() == [2**53 + 1]
    assert rematch(np.array([[True], [False]]), floats).values.tolist() == [1, 0]
    assert rematch(
        pd.DataFrame({"a": pd.Series([True, None], dtype="boolean")}), integers
    ).is_missing().tolist() == [False, True]


SHIFTED = read_dataset(np.array([[5], [2**63 + 5]], dtype=np.uint64))


@pytest.mark.parametrize("threshold", [5, 6, 2**62, 2**63 - 1, 2**63, 2**63 + 4])
@pytest.mark.parametrize(
    "X",
    [
        np.array([[-7], [0], [5], [6], [INT64.max], [INT64.min]]),
        np.array([[0], [5], [6], [2**63 - 1], [2**63], [2**63 + 5], [2**64 - 1]], dtype=np.uint64),
        np.array([[-np.inf], [-7.0], [5.0], [6.0], [2.0**62], [2.0**63], [2.0**64], [1e300], [np.inf]]),
        np.array([[5.0], [2.0**63], [np.inf]], dtype=np.float32),
        np.array([[True], [False]]),
    ],
)
def test_questions_to_shifted_columns_are_exact(X: Any, threshold: int) -> None:
    """A column stored minus 2**63 answers `x <= t` exactly, whatever the numbers come as when predicting."""
    stored = rematch(X, SHIFTED).values
    expected = [value <= threshold for value in X[:, 0].tolist()]
    assert [int(value) <= threshold - 2**63 for value in stored] == expected


@given(
    st.lists(st.integers(0, 2**64 - 1), min_size=1),
    st.floats(allow_nan=False),
    st.integers(0, int(INT64.max) - 1),
)
def test_big_integers_for_other_columns_are_exact(values: list[int], t: float, whole: int) -> None:
    """Integers beyond int64 answer `x <= t` exactly for columns that held floats or smaller integers."""
    X = np.array([[value] for value in [*values, 2**64 - 1]], dtype=np.uint64)
    floats, integers = read_dataset(np.array([[1e30]])), read_dataset(np.array([[1], [INT64.max]]))
    exact = [int(value) for value in X[:, 0]]
    for threshold in [t, *map(float, exact)]:  # the float next to an integer may lie below it or above it
        assert (rematch(X, floats).values <= threshold).tolist() == [value <= threshold for value in exact]
    assert (rematch(X, integers).values <= whole).tolist() == [value <= whole for value in exact]


def test_shifted_columns_keep_missing_values_and_refuse_fractions() -> None:
    """NaN stays missing in a shifted column; a fraction, which could not be kept, is refused with its row."""
    assert present(rematch(np.array([[np.nan], [2.0**63]]), SHIFTED)) == [None, 0]
    with pytest.raises(
        DataError, match=r"Column 'x0' held integers beyond 2\*\*63.*fractions \(first: row 1, 2.5\)"
    ):
        rematch(np.array([[1.0], [2.5]]), SHIFTED)


def test_levels_are_looked_up_by_value() -> None:
    """Another order of the categories changes nothing; an unknown level is missing."""
    fitted = read_dataset(pd.DataFrame({"a": pd.Categorical(["x", "y"], categories=["y", "x"])}))
    for column in (
        pd.Categorical(["x", "y", "new", None], categories=["new", "x", "y"]),
        ["x", "y", "new", None],
        pd.Categorical(["x", "y", "new", None], categories=["x", "y", "new"], ordered=True),
    ):
        data = rematch(pd.DataFrame({"a": column}), fitted)
        assert data.column == fitted.schema[0]
        assert present(data) == [1, 0, None, None]
    ordered = read_dataset(pd.DataFrame({"a": pd.Categorical(["lo"], ["lo", "hi"], ordered=True)}))
    assert present(rematch(pd.DataFrame({"a": ["hi", "lo", "?"]}), ordered)) == [1, 0, None]


def test_numeric_levels_are_looked_up_as_numbers() -> None:
    """Levels that are numbers match integers, floats and booleans that equal them."""
    fitted = read_dataset(np.array([[0], [1], [5]]), categorical_features=[0])
    assert present(rematch(np.array([[5.0], [1.5], [np.nan]]), fitted)) == [2, None, None]
    assert present(rematch(np.array([[True], [False]]), fitted)) == [1, 0]
    flags = read_dataset(np.array([[True]]))
    assert present(rematch(np.array([[1.0], [0.0], [2.0]]), flags)) == [1, 0, None]
    assert present(rematch([[True], [None]], flags)) == [1, None]


def test_the_two_zeros_are_one_level() -> None:
    """0.0 and -0.0 are equal, so that they are one level, which is not called -0.0."""
    for X in (np.array([[-0.0]]), [[-0.0]], pd.DataFrame({"x0": pd.Categorical([-0.0])})):
        fitted = read_dataset(X, categorical_features=[0])
        assert repr(fitted.schema[0].levels) == "(0.0,)"
        assert present(rematch(np.array([[0.0], [-0.0]]), fitted)) == [0, 0]


def test_dates_as_levels_match_datetimes() -> None:
    """A date that is a level is the same level when it comes as a datetime at midnight."""
    fitted = read_dataset([[dt.date(2024, 3, 1)], [dt.date(2024, 3, 2)]], categorical_features=[0])
    X = np.array([["2024-03-02T00:00"], ["2024-03-02T01:00"]], dtype="datetime64[ns]")
    assert present(rematch(X, fitted)) == [1, None]


def test_a_column_of_nothing_matches_every_kind() -> None:
    """All values missing is no other kind: text, numbers and dates accept it."""
    fitted = read_dataset([[1.5, 1, "a", dt.date(2024, 3, 1), dt.timedelta(1), True]])
    nothing = match_dataset([[None] * 6], fitted.schema, named=False)
    assert nothing.schema == fitted.schema
    assert nothing.missing_counts() == dict.fromkeys(fitted.names, 1)
    empty_text = pl.DataFrame(
        {f"x{i}": [None] for i in range(6)}, schema={f"x{i}": pl.String for i in range(6)}
    )
    assert match_dataset(empty_text, fitted.schema, named=False).incomplete_rows().all()


def test_units_of_time_are_converted() -> None:
    """A finer instant falls into its day, before 1970 too; a coarser one is multiplied; NaT stays missing."""
    days = read_dataset(np.array([["2024-03-01"]], dtype="datetime64[D]"))
    fine = np.array([["2024-03-01T23:59"], ["1969-12-31T23:59"], ["NaT"]], dtype="datetime64[us]")
    assert texts(rematch(fine, days)) == ["2024-03-01", "1969-12-31", None]
    seconds = read_dataset(np.array([["2024-03-01"]], dtype="datetime64[s]"))
    assert rematch(np.array([[1]], dtype="datetime64[D]"), seconds).values.tolist() == [86_400]
    durations = read_dataset(np.array([[1]], dtype="timedelta64[s]"))
    assert texts(rematch([[dt.timedelta(days=1, microseconds=1)]], durations)) == ["1 day"]


@given(st.integers(-int(INT64.max), int(INT64.max)), st.sampled_from(["D", "s", "ms", "us"]))
def test_coarser_units_saturate(count: int, unit: str) -> None:
    """A count too large for nanoseconds stops at the end of the 64 bits instead of wrapping around."""
    factor = {"D": 86_400 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3}[unit]
    expected = min(max(count * factor, -int(INT64.max)), int(INT64.max))
    assert convert_units(np.array([count]), unit, "ns").tolist() == [expected]


def test_time_zones_may_differ_but_not_vanish() -> None:
    """Instants of another time zone are the same instants; the remembered column keeps its own zone."""
    fitted = read_dataset(
        pl.DataFrame({"t": pl.Series([dt.datetime(2024, 3, 1)], dtype=pl.Datetime("us", "UTC"))})
    )
    tokyo = pd.DataFrame({"t": pd.to_datetime(["2024-03-01T09:00"]).tz_localize("Asia/Tokyo")})
    assert texts(rematch(tokyo, fitted)) == ["2024-03-01T00:00:00+00:00"]


# Column and Dataset


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        (Column("a", "number"), 2.45, "2.45"),
        (Column("a", "number"), 57.95, "57.95"),
        (Column("a", "number"), 57.949999999999996, "57.949999999999996"),
        (Column("a", "number"), 0.1 + 0.2, "0.30000000000000004"),
        (Column("a", "number"), 3.0, "3"),
        (Column("a", "number"), -float("inf"), "-inf"),
        (Column("a", "number"), 1e-300, "1e-300"),
        (Column("a", "number"), 1.0000000000001, "1.0000000000001"),
        (Column("a", "number"), 123456789012345.5, "123456789012345.5"),
        (Column("a", "integer"), np.int64(7), "7"),
        (Column("a", "integer"), -3.5, "-3.5"),
        (Column("a", "integer"), float("inf"), "inf"),
        (Column("a", "integer", offset=2**63), -(2**63), "0"),
        (Column("a", "integer", offset=2**63), 0.5, "9223372036854775808.5"),
        (Column("a", "datetime", unit="D"), 19_783, "2024-03-01"),
        (Column("a", "datetime", unit="D"), 19_783.5, "2024-03-01"),
        (Column("a", "datetime", unit="ns"), 19_783 * 86_400 * 10**9, "2024-03-01"),
        (Column("a", "datetime", unit="ms"), 1_500, "1970-01-01T00:00:01.500"),
        (Column("a", "datetime", unit="D"), -719_528 - 146_097, "-400-01-01"),
        (Column("a", "datetime", unit="D"), dt.date.max.toordinal() - 719_162, "10000-01-01"),
        (Column("a", "datetime", unit="s", timezone="UTC"), 0, "1970-01-01T00:00:00+00:00"),
        (Column("a", "datetime", unit="D", timezone="UTC"), 0, "1970-01-01T00:00:00+00:00"),
        (Column("a", "datetime", unit="s"), float("-inf"), "-inf"),
        (Column("a", "duration", unit="s"), 3 * 86_400 + 14_706, "3 days 04:05:06"),
        (Column("a", "duration", unit="us"), -1_500_000, "-00:00:01.5"),
        (Column("a", "duration", unit="D"), 0, "00:00:00"),
        (Column("a", "ordered", levels=("lo", "hi")), 0.5, "lo"),
        (Column("a", "nominal", levels=(False, True)), 1, "True"),
        (Column("a", "nominal", levels=(0.1 + 0.2, dt.timedelta(1))), 1, "1 day"),
    ],
)
def test_printed_form(column: Column, value: Any, text: str) -> None:
    """Thresholds and levels print as a reader would write them, and exactly."""
    assert column.format(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_printed_numbers_read_back(value: float) -> None:
    """A printed number is the number: what is shown is what is used."""
    assert float(Column("a", "number").format(value)) == value


@given(
    st.integers(int(INT64.min), int(INT64.max)), st.sampled_from(["D", "s", "ms", "us", "ns"]), st.booleans()
)
def test_every_instant_and_duration_prints(count: int, unit: str, aware: bool) -> None:
    """No 64-bit count is too large or too early to be printed, and none prints like its neighbour."""
    instant = Column("a", "datetime", unit=unit, timezone="UTC" if aware else None)
    duration = Column("a", "duration", unit=unit)
    for column in (instant, duration):
        assert column.format(count) != column.format(count + (1 if count < 0 else -1))


def test_levels_outside_are_refused() -> None:
    """Asking for a level that is not there is a mistake of the caller, not an empty text."""
    with pytest.raises(ParameterError, match="Column 'a' has 1 level, but level -1 was asked for"):
        Column("a", "nominal", levels=("x",)).format(-1)


@pytest.mark.parametrize(
    "column",
    [
        Column("a", "number"),
        Column("a", "integer", offset=2**63),
        Column("a", "datetime", unit="us", timezone="Asia/Tokyo"),
        Column("a", "duration", unit="D"),
        Column("a", "ordered", levels=("lo", "hi")),
        Column(
            "a",
            "nominal",
            levels=(
                *(False, 2, 2.5, 2**70, float("inf"), float("-inf"), "", "x"),
                *(dt.date(2024, 3, 1), dt.datetime(2024, 3, 1, 1), dt.datetime(2024, 3, 1, tzinfo=dt.UTC)),
                *(dt.timedelta(1, 2, 3), np.datetime64(1, "ns"), np.timedelta64(1, "ns")),
            ),
        ),
    ],
)
def test_columns_survive_json(column: Column) -> None:
    """A column is the same after it has been JSON, down to the types of its levels."""
    stored = json.dumps(column.to_dict(), allow_nan=False)
    back = Column.from_dict(json.loads(stored))
    assert back == column
    assert [type(level) for level in back.levels or ()] == [type(level) for level in column.levels or ()]


def test_dataset_counts_and_takes() -> None:
    """Rows are taken by number or mask; missing values are counted by column and by row."""
    data = read_dataset(pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": ["x", "y", None], "c": [1, 2, 3]}))
    assert data.missing_counts() == {"a": 1, "b": 1, "c": 0}
    assert data.incomplete_rows().tolist() == [False, True, True]
    for rows in (np.array([2, 0]), [2, 0]):
        taken = data.take(rows)
        assert (taken.n_rows, taken.schema, taken.named) == (2, data.schema, True)
        assert texts(taken.columns[1]) == [None, "x"]
        assert taken.columns[2].values.tolist() == [3, 1]
    complete = data.take(~data.incomplete_rows())
    assert complete.n_rows == 1
    assert all(column.missing is None for column in complete.columns)
    assert data.take([]).n_rows == 0
