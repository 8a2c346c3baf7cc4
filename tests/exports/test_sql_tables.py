"""Exports to SQL on tables as people have them: other types, finer times, odd text, in three databases.

Each test says what a column holds besides the type that the model was fitted with.
"""

from __future__ import annotations

import datetime as dt
import math
import random
import struct
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sqlglot import exp
from support.composites import plant, total
from support.sql_engines import Database, SQLite, as_number, databases

from arboretum import TreeClassifier, TreeRegressor
from arboretum._data import Column
from arboretum._tree.composites import LinearTerm
from arboretum.export._sql.dialects import ENGINES
from arboretum.export._sql.literals import double_of
from arboretum.export._sql.sql import to_sql

DATABASES = ["sqlite", "duckdb", "postgres"]


@pytest.fixture(scope="module")
def open_database() -> Iterator[Callable[[str], Database]]:
    """A function that opens a database by its dialect, once."""
    with databases() as open_one:
        yield open_one


def predicted(
    database: Database, model: Any, types: list[str], rows: list[list[Any]], **options: Any
) -> list[str]:
    """What a database predicts for rows of the model's columns, which have these types there."""
    names = [column.name for column in model.tree_.columns]
    columns = [("key", "INTEGER"), *zip(names, types, strict=True)]
    database.load("data", columns, [[number, *row] for number, row in enumerate(rows)])
    statement = to_sql(model, dialect=database.dialect, keep="key", **options)
    found = {int(key): str(answer) for key, answer in database.run(statement)}
    return [found[number] for number in range(len(rows))]


def steps(column: Any, n_steps: int = 2) -> Any:
    """A tree that divides a column into some steps."""
    X = pd.DataFrame({"x": column})
    y = np.array(["a", "b", "c", "d"])[np.arange(len(X)) * n_steps // len(X)]
    return TreeClassifier(prune=None).fit(X, y)


def test_every_double_is_written_exactly(open_database: Callable[[str], Database]) -> None:
    """SQLite reads some decimals of 17 digits as a neighbour, which no other way of writing may do."""
    chance = random.Random(7)
    numbers = [struct.unpack(">d", chance.randbytes(8))[0] for _ in range(1_500)]
    numbers += [chance.gauss(0, 1) for _ in range(1_500)]
    numbers += [round(chance.uniform(-1000, 1000), chance.randrange(6)) for _ in range(1_500)]
    numbers += [
        5e-324,
        2.5e-308,
        1.7976931348623157e308,
        2.0**-1022,
        0.1 + 0.2,
        1e22,
        1e23,
        9007199254740993.0,
    ]
    kept = [number for number in numbers if math.isfinite(number)] + [math.inf, -math.inf]
    for dialect in DATABASES:
        database = open_database(dialect)
        for start in range(0, len(kept), 500):
            part = kept[start : start + 500]
            values: list[Any] = [double_of(ENGINES[dialect], number) for number in part]
            ((*cells,),) = database.run(exp.select(*values).sql(dialect))
            assert [as_number(cell) for cell in cells] == part


@pytest.mark.parametrize("dialect", DATABASES)
def test_numbers_of_other_types(dialect: str, open_database: Callable[[str], Database]) -> None:
    """Floats of 32 bits, decimals and integers are compared as the doubles that they are."""
    database = open_database(dialect)
    model = steps(np.array([0.5, 1.25, 2.5, 3.75, 5.0, 6.0]))  # x <= 3.125
    tried: dict[str, list[Any]] = {
        "REAL": [3.125, 3.25, 3.0],
        "NUMERIC(10, 3)": [Decimal("3.125"), Decimal("3.126"), Decimal("3.124")],
        "INTEGER": [3, 4, -7],
        "BIGINT": [3, 4, -(2**62)],
    }
    for type_name, values in tried.items():
        cells = [[float(x)] if dialect == "sqlite" and isinstance(x, Decimal) else [x] for x in values]
        assert predicted(database, model, [type_name], cells) == ["a", "b", "a"], type_name


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("missing_left", [True, False])
def test_nan_is_missing(dialect: str, missing_left: bool, open_database: Callable[[str], Database]) -> None:
    """Databases take NaN for the largest number; the tree sends it where it sends missing values."""
    values = [0.0, 1.0, 2.0, 3.0, np.nan, np.nan]
    y = ["a", "a", "b", "b", *(["a", "a"] if missing_left else ["b", "b"])]
    model = TreeClassifier(prune=None, leaf="frequency").fit(pd.DataFrame({"x": values}), y)
    database = open_database(dialect)
    there = "a" if missing_left else "b"
    for type_name in ("DOUBLE PRECISION", "REAL"):
        rows: list[list[Any]] = [[math.nan], [None], [math.inf], [-math.inf]]
        found = predicted(database, model, [type_name], rows)
        assert found == [there, there, "b", "a"]
        assert found == model.predict(pd.DataFrame({"x": [np.nan, np.nan, np.inf, -np.inf]})).tolist()


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_nan_among_integers_is_missing(dialect: str, open_database: Callable[[str], Database]) -> None:
    X = pd.DataFrame({"x": pd.array([0, 1, 2, 3, None, None], dtype="Int64")})
    model = TreeClassifier(prune=None, leaf="frequency").fit(X, ["a", "a", "b", "b", "a", "a"])
    rows: list[list[Any]] = [[math.nan], [None], [1.0], [1.4], [1.5], [1.6]]
    found = predicted(open_database(dialect), model, ["DOUBLE PRECISION"], rows)
    assert found == ["a", "a", "a", "a", "a", "b"]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_integers_beyond_all_doubles(dialect: str, open_database: Callable[[str], Database]) -> None:
    """Neighbours beyond 2**53 and 2**63, in the database's types for them."""
    database = open_database(dialect)
    for base, type_names in {
        2**60: ["BIGINT", "NUMERIC(38, 0)"],
        2**64 - 7: ["NUMERIC(20, 0)", *(["UBIGINT", "HUGEINT"] if dialect == "duckdb" else [])],
    }.items():
        column = np.array([base + i for i in range(6)], dtype=np.int64 if base < 2**63 else np.uint64)
        model = steps(column)
        for type_name in type_names:
            rows = [[int(x)] for x in column]
            assert predicted(database, model, [type_name], rows) == ["a"] * 3 + ["b"] * 3


def test_text_that_looks_like_numbers_in_sqlite() -> None:
    """Tables that were imported from files hold numbers as text; other text is not a number."""
    model = TreeClassifier(prune=None, leaf="frequency").fit(
        pd.DataFrame({"x": [1.0, 9.0, 10.0, 11.0, np.nan, np.nan]}), ["a", "a", "b", "b", "a", "a"]
    )
    rows = [["9"], ["10"], [" 9.4 "], ["1e1"], [""], ["n/a"], ["no 3"], ["-7"]]
    assert predicted(SQLite(), model, ["TEXT"], rows) == ["a", "b", "a", "b", "a", "a", "a", "a"]


NO_NUMBERS = [
    "1-2",
    "2024-01-01",
    "e1",
    "1e",
    "..5",
    "3 4",
    "+",
    ".",
    "-",
    "0x10",
    "1,5",
    "1_0",
    "٣",
    b"12",
    "inf",
]


@pytest.mark.parametrize("type_name", ["TEXT", "", "INTEGER", "REAL", "NUMERIC"])
def test_text_that_is_no_number_in_sqlite(type_name: str) -> None:
    """15 cells from which SQLite would take some number are missing, in columns of any type."""
    X = pd.DataFrame({"x": [-1e9, -1e9, 1e9, 1e9, np.nan]})
    model = TreeClassifier(prune=None, leaf="frequency").fit(X, list("aaaab"))  # b: missing, a: any number
    rows: list[list[Any]] = [[cell] for cell in NO_NUMBERS]
    assert predicted(SQLite(), model, [type_name], rows) == ["b"] * len(rows)
    assert predicted(SQLite(), model, [type_name], [["5."], [".5"], ["+3"], [" 7 "]]) == ["a"] * 4


def test_levels_as_text_in_sqlite() -> None:
    """Numbers and truth values that are levels may be written as text; other text is no level."""
    X = pd.DataFrame({"x": pd.Categorical([1, 1, 2, 2, 7, 7, 7])})
    model = TreeClassifier(prune=None, nominal="multiway").fit(X, list("aabbccc"))
    other = model.predict(pd.DataFrame({"x": [None]}))[0]
    rows = [["1"], ["2"], ["2.0"], ["7"], ["1-2"], ["2 apples"], ["x"], [None]]
    assert predicted(SQLite(), model, ["TEXT"], rows) == [*"abbc", *[other] * 4]
    for truths, missing in (("aabbb", "b"), ("bbbaa", "b")):
        flags = pd.DataFrame({"x": [True, True, False, False, False]})
        if truths == "bbbaa":
            flags = pd.DataFrame({"x": [True, True, True, False, False]})
        model = TreeClassifier(prune=None).fit(flags, list(truths))
        yes, no = model.predict(pd.DataFrame({"x": [True, False]}))
        rows = [["true"], ["FALSE"], ["1"], ["0"], ["yes"], ["2"], ["1-2"]]
        assert predicted(SQLite(), model, ["TEXT"], rows) == [yes, no, yes, no, *[missing] * 3]


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_text_that_is_no_instant_in_sqlite(zone: str | None) -> None:
    """Days that no calendar has, and what follows an instant, make a cell missing."""
    days = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-01", "2030-01-01", "2030-01-01", None]))
    X = pd.DataFrame({"x": days if zone is None else days.dt.tz_localize(zone)})
    cells: list[Any] = [
        "2024-03-01x",
        "2024-13-45",
        "2024-02-30",
        "2023-02-29",
        "2024-03-01 ",
        "2024-03-01 24:00:00",
    ]
    cells += [
        "2024-03-01 10",
        "2024-03-01 10:00:00.",
        "2024-03-01 10:00:00.1x",
        "2024-03-01 10:61",
        "now",
        "",
        2024,
    ]
    cells += [
        "2024-03-01 10:00:00+2",
        "2024-03-01 10:00:00+02:00x",
        "10:00",
        "2024-03-01-05:00",
        b"2024-03-01",
    ]
    cells += ["2024-03-01 10:00:00 ", "2460000.5", "2024-03-01  10:00:00"]
    if zone is None:
        cells += ["2024-03-01 10:00:00Z", "2024-03-01 10:00:00+02:00"]
    model = TreeClassifier(prune=None, leaf="frequency").fit(X, list("aaaab"))
    assert predicted(SQLite(), model, ["TEXT"], [[cell] for cell in cells]) == ["b"] * len(cells)
    fine = ["2024-02-29", "2024-02-29 10:00", "2024-02-29T10:00:59", "2024-02-29 23:59:59.123456789"]
    fine += [] if zone is None else [f"{text}{end}" for text in fine[1:] for end in ("Z", "+00:00", "-05:30")]
    assert predicted(SQLite(), model, ["TEXT"], [[text] for text in fine]) == ["a"] * len(fine)


@pytest.mark.parametrize("dialect", DATABASES)
def test_text_equals_itself_alone(dialect: str, open_database: Callable[[str], Database]) -> None:
    """Neither case nor spaces at the end make two levels one, whatever a column's collation says."""
    X = pd.DataFrame({"x": ["red", "red", "Red", "Red", "red ", "red "]})
    model = TreeClassifier(prune=None, nominal="multiway").fit(X, list("aabbcc"))
    database = open_database(dialect)
    if dialect == "postgres":
        rule = "provider = icu, locale = 'und-u-ks-level2', deterministic = false"
        database.run(f"CREATE COLLATION nocase ({rule})")
    found = predicted(database, model, ["TEXT COLLATE nocase"], [["red"], ["Red"], ["red "], ["RED"]])
    assert found == [*"abc", model.predict(pd.DataFrame({"x": ["RED"]}))[0]]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_enumerations(dialect: str, open_database: Callable[[str], Database]) -> None:
    """An enumeration of the database need not have all levels of the model, nor the model all of its."""
    database = open_database(dialect)
    database.run("DROP TABLE IF EXISTS data")
    database.run("DROP TYPE IF EXISTS colour")
    database.run("CREATE TYPE colour AS ENUM ('red', 'blue', 'mauve')")
    X = pd.DataFrame({"x": ["red", "red", "blue", "blue", "green", "green", "green"]})
    model = TreeClassifier(prune=None).fit(X, list("aabbccc"))
    found = predicted(database, model, ["colour"], [["red"], ["blue"], ["mauve"], [None]])
    assert found == model.predict(pd.DataFrame({"x": ["red", "blue", "mauve", None]})).tolist()


@pytest.mark.parametrize("dialect", DATABASES)
def test_truth_values_as_zero_and_one(dialect: str, open_database: Callable[[str], Database]) -> None:
    model = TreeClassifier(prune=None).fit(pd.DataFrame({"x": [True, True, False, False]}), list("aabb"))
    assert predicted(open_database(dialect), model, ["BOOLEAN"], [[True], [False]]) == ["a", "b"]
    if dialect == "sqlite":
        assert predicted(SQLite(), model, ["INTEGER"], [[1], [0]]) == ["a", "b"]


@pytest.mark.parametrize("dialect", DATABASES)
def test_sums_of_many_terms(dialect: str, open_database: Callable[[str], Database]) -> None:
    """As many terms as are written at all; each addition rounds as the core's does."""
    columns = tuple(Column(f"x{i}", "number") for i in range(500))
    rng = np.random.default_rng(4)
    terms = [LinearTerm(column, float(rng.normal()), fill=float(rng.normal())) for column in columns]
    rows = rng.normal(size=(40, 500))
    rows[rng.random(rows.shape) < 0.1] = np.nan
    middle = sorted(sum_of(terms, row) for row in rows)[20]
    tree = plant({(): total(middle, *terms)}, columns)
    database = open_database(dialect)
    cells = [
        [number, *(None if math.isnan(x) else x for x in row)] for number, row in enumerate(rows.tolist())
    ]
    database.load(
        "data", [("key", "INTEGER"), *((column.name, "DOUBLE PRECISION") for column in columns)], cells
    )
    found = {
        int(k): int(leaf)
        for k, leaf in database.run(to_sql(tree, dialect=dialect, keep="key", output="leaf", n_samples=1))
    }
    assert [found[number] for number in range(40)] == tree.apply(
        pd.DataFrame(rows, columns=[*tree_names(tree)])
    ).tolist()
    assert sorted(found.values()) == [1] * 21 + [2] * 19


def sum_of(terms: list[LinearTerm], row: Any) -> float:
    """The sum as the core adds it up."""
    found = 0.0
    for term, x in zip(terms, row.tolist(), strict=True):
        found += term.coefficient * (term.fill if math.isnan(x) else x)
    return found


def tree_names(tree: Any) -> list[str]:
    return [column.name for column in tree.columns]


# --- times


UNITS = ["D", "s", "ms", "us", "ns"]
SIZES = {"D": "days", "s": "seconds", "ms": "milliseconds", "us": "microseconds"}


@pytest.mark.parametrize("dialect", DATABASES)
@pytest.mark.parametrize("unit", UNITS)
def test_instants_finer_than_the_model(
    unit: str, dialect: str, open_database: Callable[[str], Database]
) -> None:
    """An instant lies in the day, second, … of the model in which it is: until the next one begins."""
    import polars as pl

    start = dt.datetime(1969, 12, 31) if unit == "D" else dt.datetime(1969, 12, 31, 23, 59, 59, 998_000)
    step = dt.timedelta(**{SIZES.get(unit, "microseconds"): 1})
    times = [start + step * i for i in range(6)]
    fine: Any = unit
    series = pl.Series(times, dtype=pl.Datetime(fine)) if unit in ("ms", "us", "ns") else None
    column: Any = series if series is not None else np.array(times, dtype=f"datetime64[{unit}]")
    X = pl.DataFrame({"x": column}) if series is not None else pd.DataFrame({"x": column})
    if unit == "D":
        X = pl.DataFrame({"x": [time.date() for time in times]})
    model = TreeClassifier(prune=None).fit(X, list("aaabbb"))
    tiny = dt.timedelta(microseconds=1)
    tried = [t + d for t in (*times, times[2] + step) for d in (-tiny, 0 * tiny, tiny)]
    ours = model.predict(pl.DataFrame({"x": pl.Series(tried, dtype=pl.Datetime("us"))})).tolist()
    texts = [time.isoformat(" ") for time in tried]
    assert predicted(open_database(dialect), model, ["TIMESTAMP"], [[text] for text in texts]) == ours
    if dialect == "sqlite":  # other texts of the same instants
        for change in ({"sep": "T"}, {"timespec": "microseconds"}):
            rows = [[time.isoformat(**change)] for time in tried]
            assert predicted(SQLite(), model, ["TEXT"], rows) == ours
        short = [[text.removesuffix(":00").removesuffix(" 00:00")] for text in texts]
        assert predicted(SQLite(), model, ["TEXT"], short) == ours
    if dialect == "duckdb":
        rows = [[text] for text in texts]
        assert predicted(open_database(dialect), model, ["TIMESTAMP_NS"], rows) == ours
    days = [dt.date(1969, 12, 30) + dt.timedelta(days=i) for i in range(9)]
    at_midnight = model.predict(pl.DataFrame({"x": days})).tolist()
    type_name = "TEXT" if dialect == "sqlite" else "DATE"
    rows = [[day.isoformat()] for day in days]
    assert predicted(open_database(dialect), model, [type_name], rows) == at_midnight


@pytest.mark.parametrize("dialect", DATABASES)
def test_instants_with_a_time_zone(dialect: str, open_database: Callable[[str], Database]) -> None:
    """They are compared in UTC, whatever time zone the session has (Tokyo here)."""
    times = pd.date_range("2024-03-31T00:59:59", periods=6, freq="s", tz="Europe/Berlin")
    model = steps(times)
    tried = [time + pd.Timedelta(d, unit="us") for time in times for d in (-1, 0, 1)]
    ours = model.predict(pd.DataFrame({"x": tried})).tolist()
    spelled = [
        [time.tz_convert("UTC").isoformat() for time in tried],
        [time.tz_convert("UTC").isoformat().replace("+00:00", "Z") for time in tried],
    ]
    for zone in ("America/New_York", "Asia/Kathmandu"):  # whose offset has minutes
        spelled.append([time.tz_convert(zone).isoformat() for time in tried])
    for texts in spelled:
        rows = [[text] for text in texts]
        assert predicted(open_database(dialect), model, ["TIMESTAMPTZ"], rows) == ours


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_durations(unit: str, dialect: str, open_database: Callable[[str], Database]) -> None:
    counts = np.array([-3, -2, -1, 0, 1, 2]) * (1000 if unit == "ns" else 1)
    model = steps(counts.astype(f"timedelta64[{unit}]"))
    size = {"s": 10**6, "ms": 1000}.get(unit, 1)
    tried = [count * size + d for count in range(-3, 3) for d in (-1, 0, 1)]
    ours = model.predict(pd.DataFrame({"x": np.array(tried).astype("timedelta64[us]")})).tolist()
    rows = [[f"{microseconds} microseconds"] for microseconds in tried]
    assert predicted(open_database(dialect), model, ["INTERVAL"], rows) == ours


# --- the statement by itself


@pytest.mark.parametrize("dialect", DATABASES)
def test_statement_is_a_view_and_a_subquery(dialect: str, open_database: Callable[[str], Database]) -> None:
    database = open_database(dialect)
    model = TreeRegressor(prune=None).fit(pd.DataFrame({"x": [1.0, 2.0, 3.0]}), [0.1, 0.2, 0.3])
    database.run("DROP VIEW IF EXISTS predictions")
    database.load("inputs", [("x", "DOUBLE PRECISION")], [[1.0], [2.5], [None]])
    statement = to_sql(model, dialect=dialect, table="inputs", keep="x")
    right = sorted(map(str, model.predict(pd.DataFrame({"x": [1.0, 2.5, np.nan]})).tolist()))
    database.run(f"CREATE VIEW predictions AS {statement}")
    for source in ("predictions", f"(\n{statement}) AS found"):
        assert (
            sorted(str(as_number(row[0])) for row in database.run(f"SELECT prediction FROM {source}"))
            == right
        )
    database.run("DROP VIEW predictions")


@pytest.mark.parametrize("dialect", DATABASES)
def test_schemas_and_names_that_clash(dialect: str, open_database: Callable[[str], Database]) -> None:
    """Columns may be called like the parts of the statement, be kept besides, and be called otherwise."""
    names = ["leaf", "node", "inputs", "walk", "rested", "Leaf_"]
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.normal(size=300) for name in names})
    model = TreeClassifier(prune=None).fit(X, np.where(X.sum(axis=1) > 0, "yes", "no"))
    assert model.get_depth() > ENGINES["sqlite"].case_depth
    database = open_database(dialect)
    given = X.head(50).to_numpy().tolist()
    database.load("walk", [(name, "DOUBLE PRECISION") for name in [*names[:-1], "other"]], given)
    schema = {"sqlite": "main", "duckdb": "main", "postgres": "public"}[dialect]
    options: dict[str, Any] = {
        "table": (schema, "walk"),
        "keep": ["leaf", "node"],
        "columns": {"Leaf_": "other"},
    }
    for output, n_cells in (("label", 3), ("both", 5)):
        statement = to_sql(model, dialect=dialect, output=output, **options)
        found = {round(as_number(row[0]), 9): row for row in database.run(statement)}
        for row, right in zip(given, model.predict(X.head(50)).tolist(), strict=True):
            cells = found[round(row[0], 9)]
            assert len(cells) == n_cells
            assert cells[2] == right
        test = to_sql(model, dialect=dialect, output=output, self_test=True, **options)
        assert [int(row[0]) for row in database.run(test)] == [0]


@pytest.mark.parametrize("dialect", DATABASES)
def test_self_test_can_fail(dialect: str, open_database: Callable[[str], Database]) -> None:
    """A threshold that is a little higher is noticed; the test in the comments is the test itself."""
    model = steps(np.array([0.5, 1.25, 2.5, 3.75, 5.0, 6.0]))
    database = open_database(dialect)
    test = to_sql(model, dialect=dialect, self_test=True)
    assert [int(row[0]) for row in database.run(test)] == [0]
    above = math.nextafter(3.125, 4)
    changed = test.replace("> 3.125", f"> {above}").replace("> CAST('3.125'", f"> CAST('{above}'")
    assert changed != test
    assert int(database.run(changed)[0][0]) > 0
    *_, marked = to_sql(model, dialect=dialect).partition("-- Self-test")
    lines = [line.removeprefix("-- ") for line in marked.splitlines()[1:]]
    assert "\n".join(lines) in test
