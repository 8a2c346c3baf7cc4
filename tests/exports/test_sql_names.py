"""Exports to SQL when columns have names that a database takes for something else.

Such names are keywords, functions and pseudo-columns of any dialect, and the names that statements use inside
themselves. The statements are run in SQLite, DuckDB and PostgreSQL.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sqlglot import Dialect
from support.composites import plant
from support.marks import allow_one_leaf
from support.sql_engines import Database, SQLite, as_number, databases

from arboretum import Tree, TreeClassifier
from arboretum._data import Column
from arboretum._tree.questions import Threshold
from arboretum.export._sql import dialects as sql_dialects
from arboretum.export._sql.sql import to_sql

DATABASES = ["sqlite", "duckdb", "postgres"]
CONSTANTS = ["true", "false", "null", "nan", "infinity", "unknown", "default", "current_date", "user"]
CONSTANTS += ["current_user", "current_time", "current_timestamp", "localtime", "localtimestamp"]
PSEUDO_COLUMNS = ["rowid", "oid", "_rowid_", "level", "rownum", "sysdate", "uid", "_partitiontime"]
FUNCTIONS = ["count", "sum", "row_number", "now", "random", "abs", "row_to_json", "text", "name"]
OUR_OWN = ["given", "inputs", "walk", "rested", "samples", "answers", "at_node", "at_leaf", "mismatches"]
OUR_OWN += ["input_1", "input_x", "input_true", "kept_key", "kept_true", "sample_1", "expected_1", "found"]
KEYWORDS = {
    word.casefold()
    for dialect in sql_dialects.ENGINES
    for word in Dialect.get_or_raise(dialect).tokenizer_class.KEYWORDS
    if word.isidentifier()
}
NAMES = list(dict.fromkeys([*CONSTANTS, *PSEUDO_COLUMNS, *FUNCTIONS, *OUR_OWN, "x", *sorted(KEYWORDS)]))


@pytest.fixture(scope="module")
def open_database() -> Iterator[Callable[[str], Database]]:
    """A function that opens a database by its dialect, once."""
    with databases() as open_one:
        yield open_one


def asking_each(names: list[str]) -> Tree:
    """A balanced tree that asks about every column once: whether it is at most 0.5."""
    columns = tuple(Column(name, "number") for name in names)
    paths: list[tuple[int, ...]] = [()]
    for path in paths:  # grows meanwhile
        paths += [(*path, 0), (*path, 1)] if len(paths) < len(names) else []
    asked = [Threshold(column, 0, True, 0.5, 0) for column in columns]
    return plant(dict(zip(paths, asked, strict=False)), columns)


def cells(n_columns: int) -> list[list[float | None]]:
    """Rows of zeros and ones at random, some of them missing."""
    rng = np.random.default_rng(1)
    drawn = rng.integers(0, 2, size=(60, n_columns)).astype(float)
    drawn[rng.random(drawn.shape) < 0.05] = math.nan
    return [[None if math.isnan(x) else x for x in row] for row in drawn.tolist()]


def load(database: Database, table: str, names: list[str], rows: list[list[Any]]) -> None:
    columns = [("the key", "INTEGER"), *((name, "DOUBLE PRECISION") for name in names)]
    database.load(table, columns, [[number, *row] for number, row in enumerate(rows)])


@pytest.mark.parametrize("walked", [False, True])
@pytest.mark.parametrize("dialect", DATABASES)
def test_any_word_may_be_a_column(
    dialect: str, walked: bool, open_database: Callable[[str], Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every keyword of 13 dialects is asked about and kept; the oddest also in a walk."""
    if walked:
        engine = replace(sql_dialects.ENGINES[dialect], case_depth=3)
        monkeypatch.setitem(sql_dialects.ENGINES, dialect, engine)
    database = open_database(dialect)
    assert len(NAMES) > 400
    for start in range(0, 63 if walked else len(NAMES), 63):
        names = NAMES[start : start + 63]
        tree, rows = asking_each(names), cells(len(names))
        load(database, names[0], names, rows)
        options: dict[str, Any] = {"dialect": dialect, "table": names[0], "keep": ["the key", *names[::2]]}
        statement = to_sql(tree, output="leaf", n_samples=1, **options)
        assert ("WITH RECURSIVE" in statement) == walked
        found = {int(row[0]): row[1:] for row in database.run(statement)}
        right = tree.apply(pd.DataFrame(rows, columns=names, dtype=float)).tolist()
        for number, row in enumerate(rows):
            *kept, leaf = found[number]
            assert int(leaf) == right[number]
            assert [None if cell in (None, "") else as_number(cell) for cell in kept] == row[::2]
        test = to_sql(tree, output="both", n_samples=4, self_test=True, **options)
        assert [int(row[0]) for row in database.run(test)] == [0]


@pytest.mark.parametrize("name", ["true", "TRUE", "False", "null", "current_date", "user", "select"])
@pytest.mark.parametrize("dialect", DATABASES)
def test_one_column_and_the_answer_of_that_name(
    name: str, dialect: str, open_database: Callable[[str], Database]
) -> None:
    """In SQLite, half of the rows were wrong with a column called true or false, in any case of letters."""
    X = pd.DataFrame({name: [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]})
    model = TreeClassifier(prune=None).fit(X, list("aaabbb"))
    database = open_database(dialect)
    load(database, "data", [name], X.to_numpy().tolist())
    for output in ("label", "both"):
        options: dict[str, Any] = {"dialect": dialect, "keep": "the key", "name": name, "output": output}
        found = {int(row[0]): row[1] for row in database.run(to_sql(model, **options))}
        assert [found[number] for number in range(6)] == list("aaabbb")
        assert [int(row[0]) for row in database.run(to_sql(model, self_test=True, **options))] == [0]
    kept = database.run(to_sql(model, dialect=dialect, keep=name))
    assert sorted((as_number(value), label) for value, label in kept) == [
        *((float(x), "a") for x in range(3)),
        *((float(x), "b") for x in range(3, 6)),
    ]


# rowid, oid and _rowid_ are columns of every table in SQLite, and so is rowid in DuckDB.
ABSENT = [
    "nothing",
    "true",
    "false",
    "null",
    "user",
    "current_date",
    "current_user",
    "count",
    "given",
    "data",
]


@allow_one_leaf
@pytest.mark.parametrize("dialect", DATABASES)
def test_a_column_that_the_table_lacks_is_an_error(
    dialect: str, open_database: Callable[[str], Database]
) -> None:
    """SQLite took the name for a text, DuckDB `user` for a function, PostgreSQL `data` for the whole row."""
    database = open_database(dialect)
    load(database, "data", ["here"], [[0.0], [1.0]])
    for name in ABSENT:
        numbers = TreeClassifier(prune=None).fit(pd.DataFrame({name: [0.0, 1.0]}), list("ab"))
        texts = TreeClassifier(prune=None).fit(pd.DataFrame({name: [name, "other"]}), list("ab"))
        here = TreeClassifier(prune=None).fit(pd.DataFrame({"here": [0.0, 1.0]}), list("ab"))
        root = TreeClassifier(min_samples_split=9).fit(pd.DataFrame({"here": [0.0, 1.0]}), list("ab"))
        for model, keep in ((numbers, ()), (texts, ()), (here, name), (root, name)):
            with pytest.raises(Exception, match=f"(?i){name}"):
                database.run(to_sql(model, dialect=dialect, keep=keep))


def test_the_number_of_a_row_may_be_kept_in_sqlite() -> None:
    """`rowid` is the key of a table that has no other."""
    model = TreeClassifier(prune=None).fit(pd.DataFrame({"x": [0.0, 1.0]}), list("ab"))
    database = SQLite()
    database.load("data", [("x", "REAL")], [[1.0], [0.0]])
    assert sorted(database.run(to_sql(model, dialect="sqlite", keep="rowid"))) == [(1, "b"), (2, "a")]
