"""Exports to SQL answer as the core does: run in SQLite, DuckDB and PostgreSQL on every kind of model.

Rows are those of the model's table, values at and beside thresholds, missing and unknown ones. Labels and
leaves are compared exactly, doubles bit by bit. The other dialects are in test_sql_dialects.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from support.export_models import ALL, deep, exported, rows_of
from support.export_running import differences
from support.export_tables import cases
from support.marks import allow_one_leaf
from support.pages import Fitted
from support.sql_engines import Database, DuckDB, SQLite, as_number, databases, load_rows
from support.sweeps import every, few

from arboretum import TreeClassifier
from arboretum.errors import DataError
from arboretum.export._program.program import Program, program_of
from arboretum.export._program.samples import stored_table
from arboretum.export._sql.sql import to_sql

DATABASES = ["sqlite", "duckdb", "postgres"]
# Their own table has a column, or levels, that no column of SQL can hold; without it they are tried below.
MIXED = [kind for kind in ALL if kind.startswith("typed")]
FRACTIONS = [kind for kind in ALL if "fractions" in kind or kind in ("losses", "multiway")]
PLAIN = [kind for kind in ALL if kind not in (*MIXED, *FRACTIONS)]
TYPED: dict[str, dict[str, Any]] = {
    "typed": {},
    "typed, one against the rest": {"nominal": "one_vs_rest"},
    "typed, multiway": {"nominal": "multiway"},
    "typed, surrogates": {"missing": "surrogate"},
}


@cache
def model_of(kind: str) -> Fitted:
    """A model of a kind, without what SQL cannot hold."""
    if kind not in TYPED:
        return exported(kind)
    _, X, y = exported("typed")
    X = X.drop(columns="mixed")
    return TreeClassifier(**{"prune": None, "max_depth": 9, **TYPED[kind]}).fit(X, y), X, y


@pytest.fixture(scope="module")
def open_database() -> Iterator[Callable[[str], Database]]:
    """A function that opens a database by its dialect, once."""
    with databases() as open_one:
        yield open_one


def names_in_sql(program: Program) -> dict[str, str]:
    """The columns that SQL must call otherwise: without a name, or alike but for the case of letters."""
    seen: set[str] = set()
    names = {}
    for number, field in enumerate(program.fields):
        if not field.name or field.name.casefold() in seen or "\0" in field.name:
            names[field.name] = f"column {number}"
        seen.add(field.name.casefold())
    return names


def fits(database: Database, program: Program, row: dict[str, object]) -> bool:
    """Whether the database's types hold the row: text and truth values do not mix with numbers."""
    for field in program.fields:
        value = row[field.name]
        if field.levels is not None and field.type == "integer" and isinstance(value, float):
            return False
        fine = database.dialect == "duckdb" and field.column.timezone is None and field.type == "datetime"
        if field.column.unit == "ns" and database.dialect != "sqlite" and not fine and value is not None:
            digits = str(value).split("+")[0].rpartition(".")[2] if "." in str(value) else ""
            if len(digits) > 6:
                return False
    return True


def run(database: Database, model: Any, rows: list[dict[str, object]], **options: Any) -> list[Any]:
    """The label or number and the probabilities of each row, and its leaf, as a database tells them."""
    program = program_of(model, "the test")
    columns = names_in_sql(program)
    load_rows(database, program, rows, "the table", columns)
    given: dict[str, Any] = {"dialect": database.dialect, "table": "the table", "columns": columns}
    given |= {"keep": "row number", "name": "the answer", "n_samples": 1, **options}
    output = "label" if program.classes is None else "both"
    found = {int(row[0]): row[1:] for row in database.run(to_sql(model, output=output, **given))}
    leaves = {int(row[0]): row[1] for row in database.run(to_sql(model, output="leaf", **given))}
    assert len(found) == len(leaves) == len(rows)
    right = program.trees[0]._leaves_of(stored_table(program.columns, rows)).tolist()
    assert [int(leaves[number]) for number in range(len(rows))] == right
    return [answer(program, found[number]) for number in range(len(rows))]


def answer(program: Program, cells: tuple[Any, ...]) -> tuple[Any, Any]:
    if program.classes is None:
        return as_number(cells[0]) + 0.0, None
    spelled = {str(spelling): label for label in program.classes for spelling in spellings(label)}
    return spelled[str(cells[0])], tuple(as_number(cell) for cell in cells[1:])


def spellings(label: object) -> list[object]:
    return [label, int(label), "t" if label else "f"] if isinstance(label, bool) else [label]


def rows_for(database: Database, model: Any, X: Any, n_samples: int = 200) -> list[dict[str, object]]:
    program = program_of(model, "the test")
    return [row for row in rows_of(model, X, n_samples) if fits(database, program, row)]


def refused_by_sqlite(program: Program) -> bool:
    return any(field.type in ("duration", "mixed") or field.column.offset for field in program.fields)


@pytest.mark.parametrize(("kind", "dialect"), every(2, product([*PLAIN, *TYPED], DATABASES)))
def test_answers_as_the_core_does(kind: str, dialect: str, open_database: Callable[[str], Database]) -> None:
    model, X, _ = model_of(kind)
    database = open_database(dialect)
    if dialect == "sqlite" and refused_by_sqlite(program_of(model, "the test")):
        with pytest.raises(DataError, match="SQLite"):
            to_sql(model, dialect=dialect, columns=names_in_sql(program_of(model, "the test")))
        return
    rows = rows_for(database, model, X)
    assert len(rows) > 20
    assert not differences(model, rows, run(database, model, rows))
    names = names_in_sql(program_of(model, "the test"))
    output = "label" if program_of(model, "the test").classes is None else "both"
    for each in (output, "leaf"):
        test = to_sql(model, dialect=dialect, columns=names, self_test=True, output=each)
        assert [int(row[0]) for row in database.run(test)] == [0]


@pytest.mark.parametrize("kind", FRACTIONS)
def test_divided_rows_are_refused(kind: str) -> None:
    model, _, _ = exported(kind)
    with pytest.raises(DataError, match="all children at once"):
        to_sql(model, columns=names_in_sql(program_of(model, "the test")))


@pytest.mark.parametrize("depths", [(1, 8, 9, 24, 25, 200), pytest.param((2_000,), marks=pytest.mark.deep)])
@pytest.mark.parametrize("dialect", DATABASES)
def test_trees_of_any_depth(
    dialect: str, depths: tuple[int, ...], open_database: Callable[[str], Database]
) -> None:
    """Beyond the depth of nested expressions a tree is walked; depths about that border and far beyond it."""
    database = open_database(dialect)
    for depth in depths:
        model, _, _ = deep(depth)
        values = [float(depth), depth - 0.5, math.nextafter(depth - 0.5, math.inf), 0.5, -1.0, None]
        values += [x + 0.5 for x in range(0, depth, max(1, depth // 40))]
        rows: list[dict[str, object]] = [{"x0": value} for value in values]
        assert not differences(model, rows, run(database, model, rows))


@pytest.mark.parametrize(
    "kind", ["unseen levels, surrogates", "votes", "typed, surrogates", "rows that rest"]
)
@pytest.mark.parametrize("dialect", DATABASES)
def test_walks_ask_all_kinds_of_questions(
    kind: str, dialect: str, open_database: Callable[[str], Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from arboretum.export._sql import dialects as sql_dialects

    model, X, _ = model_of(kind)
    program = program_of(model, "the test")
    if dialect == "sqlite" and refused_by_sqlite(program):
        pytest.skip("SQLite has no durations")
    database = open_database(dialect)
    shallow = replace(sql_dialects.ENGINES[dialect], case_depth=2)
    monkeypatch.setitem(sql_dialects.ENGINES, dialect, shallow)
    assert "WITH RECURSIVE" in to_sql(model, dialect=dialect)
    rows = rows_for(database, model, X)
    assert not differences(model, rows, run(database, model, rows))
    assert [int(row[0]) for row in database.run(to_sql(model, dialect=dialect, self_test=True))] == [0]


def agree(database: Database, model: Any, X: Any) -> None:
    program = program_of(model, "the test")
    assume(program.missing != "fractions")
    assume(all(field.type != "mixed" for field in program.fields))
    assume(database.dialect != "sqlite" or not refused_by_sqlite(program))
    rows = rows_for(database, model, X, 40)
    try:
        answers = run(database, model, rows)
    except RuntimeError as error:
        # PostgreSQL stops where a product or sum leaves the doubles; it never answers otherwise.
        if "out of range" not in str(error):
            raise
        assume(False)
    assert not differences(model, rows, answers, signed_zeros=False)


@allow_one_leaf
@given(cases())
def test_random_tables_in_sqlite(case: tuple[Any, Any]) -> None:
    agree(SQLite(), *case)


@allow_one_leaf
@settings(max_examples=few(0.4))
@given(cases())
def test_random_tables_in_duckdb(case: tuple[Any, Any]) -> None:
    agree(DuckDB(), *case)


@allow_one_leaf
def test_random_tables_in_postgres(open_database: Callable[[str], Database]) -> None:
    database = open_database("postgres")

    @settings(max_examples=few(0.3))
    @given(cases())
    def try_tables(case: tuple[Any, Any]) -> None:
        agree(database, *case)

    try_tables()
