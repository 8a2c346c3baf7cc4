"""Databases that exported statements are run in: SQLite and DuckDB in this process, PostgreSQL beside it.

A database loads rows in user form into a table and runs statements. PostgreSQL is started in a folder of its
own, as a user without privileges, and heard on a socket there; `POSTGRES` tells where it is.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import math
import os
import pwd
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

import duckdb
import pytest

from arboretum._data.times import NANOSECONDS
from arboretum.export._program.program import Field, Program, stored_value

__all__ = [
    "POSTGRES",
    "Database",
    "DuckDB",
    "Postgres",
    "SQLite",
    "as_number",
    "databases",
    "load_rows",
    "postgres_server",
]

Row = Mapping[str, object]

_FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
POSTGRES = next((str(path) for path in reversed(_FOLDERS) if (path / "initdb").exists()), None)


class Database(Protocol):
    """What all databases can do."""

    dialect: str

    def load(self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> None:
        """Make a table anew; columns are names and types, cells are as `cell` makes them."""

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows that a statement gives; PostgreSQL's are text."""

    def type_of(self, field: Field) -> str:
        """The type of a column that holds the values of a field."""

    def cell(self, field: Field, value: object) -> object:
        """A value in user form as it is loaded."""


def as_number(value: object) -> float:
    """A double that came as a number, or as text that PostgreSQL wrote."""
    return float(value)


def load_rows(
    database: Database, program: Program, rows: Sequence[Row], table: str, columns: Mapping[str, str]
) -> None:
    """Load rows in user form with a key that numbers them."""
    types = [(columns.get(each.name, each.name), database.type_of(each)) for each in program.fields]
    cells = [
        [number, *(database.cell(each, row[each.name]) for each in program.fields)]
        for number, row in enumerate(rows)
    ]
    database.load(table, [("row number", "BIGINT"), *types], cells)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _create(table: str, columns: Sequence[tuple[str, str]]) -> str:
    listed = ", ".join(f"{_quoted(name)} {type_name}" for name, type_name in columns)
    return f"CREATE TABLE {_quoted(table)} ({listed})"


def _nanoseconds(field: Field, value: object) -> int:
    return int(stored_value(field.column, value) or 0) * NANOSECONDS[str(field.column.unit)]


def _interval(nanoseconds: int) -> str:
    sign = "-" if nanoseconds < 0 else ""
    microseconds = abs(nanoseconds) // 1000
    seconds, fraction = divmod(microseconds, 10**6)
    return f"{sign}{seconds // 86400} days {sign}{seconds % 86400 // 3600:02}:" + (
        f"{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}"
    )


class SQLite:
    """In memory; columns have no types but those of their values."""

    dialect = "sqlite"

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:")

    def load(self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> None:
        self.connection.execute(f"DROP TABLE IF EXISTS {_quoted(table)}")
        self.connection.execute(_create(table, columns))
        marks = ", ".join("?" * len(columns))
        self.connection.executemany(f"INSERT INTO {_quoted(table)} VALUES ({marks})", rows)

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(statement).fetchall()

    def type_of(self, field: Field) -> str:
        return "BLOB" if field.column.kind != "number" else "REAL"  # BLOB: left as it is

    def cell(self, field: Field, value: object) -> object:
        return value


class DuckDB:
    """In memory, of one thread."""

    dialect = "duckdb"

    def __init__(self) -> None:
        self.connection = duckdb.connect(config={"threads": 1})
        self.connection.execute("SET TimeZone = 'Asia/Tokyo'")  # so that nothing relies on UTC

    def load(self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> None:
        import pyarrow as pa

        self.connection.execute(f"DROP TABLE IF EXISTS {_quoted(table)}")
        self.connection.execute(_create(table, columns))
        # As text, so that each value is read as its column's type; NULL and NaN stay what they are.
        cells = {
            f"c{i}": pa.array([_as_text(row[i]) for row in rows], pa.string()) for i in range(len(columns))
        }
        self.connection.register("given", pa.table(cells))
        types = [type_name.partition(" COLLATE ")[0] for _, type_name in columns]
        casts = ", ".join(f"CAST(c{i} AS {type_name})" for i, type_name in enumerate(types))
        self.connection.execute(f"INSERT INTO {_quoted(table)} SELECT {casts} FROM given")
        self.connection.unregister("given")

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(statement).fetchall()

    def type_of(self, field: Field) -> str:
        if field.column.offset:
            return "UBIGINT"
        if field.type == "datetime" and field.column.timezone is None and field.column.unit == "ns":
            return "TIMESTAMP_NS"
        return {**_TYPES, "number": "DOUBLE"}.get(field.type) or _instant(field)

    def cell(self, field: Field, value: object) -> object:
        return _typed_cell(field, value)


_TYPES = {
    "number": "DOUBLE PRECISION",
    "integer": "BIGINT",
    "text": "TEXT",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "duration": "INTERVAL",
}


def _instant(field: Field) -> str:
    if field.type == "mixed" and isinstance((field.levels or ("",))[0], dt.timedelta):
        return "INTERVAL"
    return "TIMESTAMP" if field.column.timezone is None else "TIMESTAMPTZ"


def _typed_cell(field: Field, value: object) -> object:
    return _interval(_nanoseconds(field, value)) if field.type == "duration" and value is not None else value


def _as_text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        return (
            repr(value)
            if math.isfinite(value)
            else {"inf": "Infinity", "-inf": "-Infinity"}.get(repr(value), "NaN")
        )
    if isinstance(value, dt.timedelta):
        return f"{value // dt.timedelta(microseconds=1)} microseconds"
    return str(value).lower() if isinstance(value, bool) else str(value)


class Postgres:
    """A server that listens on a socket in a folder; psql is the client."""

    dialect = "postgres"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> None:
        self._psql(f"DROP TABLE IF EXISTS {_quoted(table)}; {_create(table, columns)}")
        text = "".join(",".join(_csv_cell(cell) for cell in row) + "\n" for row in rows)
        self._psql(f"COPY {_quoted(table)} FROM STDIN WITH (FORMAT csv)", text)

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        found = self._psql(None, statement)
        return [tuple(row) for row in csv.reader(io.StringIO(found, newline=""))]

    def _psql(self, command: str | None, given: str = "") -> str:
        # Statements of any length are given as a file; the data of COPY as input.
        words = ["-c", command] if command is not None else ["-f", "-"]
        program = f"{POSTGRES}/psql"
        options = ["-h", str(self.folder), "-d", "postgres", "-U", "tester", "-X", "-q", "-t", "--csv"]
        done = subprocess.run(
            [program, *options, "-v", "ON_ERROR_STOP=1", *words],
            input=given.encode(),
            capture_output=True,
            check=False,
            env={"PGCLIENTENCODING": "UTF8", "PGTZ": "Asia/Tokyo"},
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode())
        return done.stdout.decode()

    def type_of(self, field: Field) -> str:
        return "NUMERIC(20, 0)" if field.column.offset else _TYPES.get(field.type) or _instant(field)

    def cell(self, field: Field, value: object) -> object:
        return _typed_cell(field, value)


def _csv_cell(value: object) -> str:
    text = _as_text(value)
    return "" if text is None else '"' + text.replace('"', '""') + '"'


@contextmanager
def databases() -> Iterator[Callable[[str], Database]]:
    """A function that opens a database by its dialect, each once; a test skips itself where there is none."""
    opened: dict[str, Any] = {"sqlite": SQLite(), "duckdb": DuckDB()}
    with ExitStack() as stack:

        def open_database(dialect: str) -> Database:
            if dialect not in opened:
                if POSTGRES is None:
                    pytest.skip("PostgreSQL is not installed")
                opened[dialect] = stack.enter_context(postgres_server())
            found: Database = opened[dialect]
            return found

        yield open_database


@contextmanager
def postgres_server() -> Iterator[Postgres]:
    """A server that lives as long as it is used."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # short: the path of a socket has 107 bytes
    who: dict[str, Any] = {}
    if os.geteuid() == 0:  # which PostgreSQL refuses to be run by
        names = {entry.pw_name for entry in pwd.getpwall()}
        user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
        os.chown(folder, user.pw_uid, user.pw_gid)
        who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def call(*words: str) -> None:
        subprocess.run(words, check=True, cwd=folder, stdout=subprocess.DEVNULL, **who)

    data = str(folder / "data")
    options = (
        f"-k {folder} -c listen_addresses='' -c fsync=off -c autovacuum=off -c max_connections=5 -c jit=off"
    )
    try:
        locale = ("--encoding=UTF8", "--locale=C.UTF-8")
        call(f"{POSTGRES}/initdb", "-D", data, "-A", "trust", "-U", "tester", "--no-sync", *locale)
        call(f"{POSTGRES}/pg_ctl", "-D", data, "-o", options, "-l", str(folder / "log"), "-w", "start")
        try:
            yield Postgres(folder)
        finally:
            call(f"{POSTGRES}/pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
