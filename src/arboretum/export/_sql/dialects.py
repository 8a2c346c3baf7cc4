"""SQL dialects: what each can hold and compare, as far as an exported tree depends on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arboretum._options.rules import OneOf


@dataclass(frozen=True)
class Engine:
    """One dialect; types are spelled as it spells them."""

    dialect: str  # as sqlglot calls it
    title: str
    executed: bool = False  # whether our tests run its statements; else they are only generated
    case_depth: int = 50  # how deep CASE expressions may be nested
    # Whether a part can be called for to be computed once: else a database may put it wherever it is used.
    materializes: bool = False
    walks: bool = False  # whether deeper trees are walked by a recursive common table expression
    # How NaN is found: it is "equal" to itself, a "function" finds or "replaces" it; None if there is none.
    nan: str | None = "function"
    infinity: str | None = "Infinity"  # how it is written; None if there is none
    instant: str = "TIMESTAMP"
    aware_instant: str | None = "TIMESTAMPTZ"
    fine_instant: str | None = None  # a type with nanoseconds; None if microseconds are the finest
    durations: bool = False  # whether durations are a type that can be compared
    booleans: bool = True  # whether TRUE and FALSE are values; else 1 and 0
    text: str | None = "TEXT"  # the type that text is cast to before it is compared; None for no cast
    collation: str | None = None  # under which text equals only itself, where another may be in force
    identifier_bytes: int | None = None
    # Whether columns of the table are read as "given"."x". Where the table has no such column, SQLite takes
    # "x" for a text and DuckDB "user" for a function; PostgreSQL refuses these, but takes "given"."count" for
    # a function.
    qualifies: bool = True
    folds_case: bool = True  # whether quoted names that differ only in case are the same


_ALL: Final = (
    Engine(
        "postgres",
        "PostgreSQL",
        executed=True,
        case_depth=24,
        materializes=True,
        walks=True,
        nan="equal",
        durations=True,
        collation="C",
        identifier_bytes=63,
        qualifies=False,
        folds_case=False,
    ),
    Engine(
        "duckdb",
        "DuckDB",
        executed=True,
        case_depth=24,
        materializes=True,
        walks=True,
        nan="equal",
        fine_instant="TIMESTAMP_NS",
        durations=True,
        collation="C",
    ),
    # Its parser's stack holds 100 symbols by default: about 18 nested CASE expressions.
    Engine(
        "sqlite",
        "SQLite",
        executed=True,
        case_depth=8,
        materializes=True,
        walks=True,
        nan=None,
        booleans=False,
        collation="BINARY",
    ),
    Engine("bigquery", "BigQuery", instant="DATETIME", aware_instant="TIMESTAMP", identifier_bytes=300),
    Engine(
        "clickhouse",
        "ClickHouse",
        instant="Nullable(DateTime64(6))",
        aware_instant="Nullable(DateTime64(6, 'UTC'))",
        text="Nullable(String)",
        folds_case=False,
    ),
    Engine("databricks", "Databricks", nan="equal", instant="TIMESTAMP_NTZ", aware_instant="TIMESTAMP"),
    Engine(
        "mysql",
        "MySQL",
        nan=None,
        infinity=None,
        instant="DATETIME(6)",
        aware_instant=None,
        text="CHAR",
        collation="utf8mb4_0900_bin",
        identifier_bytes=64,
    ),
    Engine(
        "oracle",
        "Oracle",
        nan="replaces",
        infinity="Inf",
        booleans=False,
        text=None,
        identifier_bytes=128,
        folds_case=False,
    ),
    Engine("redshift", "Redshift", nan="equal", text="VARCHAR(MAX)", identifier_bytes=127, qualifies=False),
    Engine(
        "snowflake",
        "Snowflake",
        nan="equal",
        infinity="inf",
        instant="TIMESTAMP_NTZ",
        aware_instant="TIMESTAMP_TZ",
        identifier_bytes=255,
        folds_case=False,
    ),
    Engine("spark", "Spark", nan="equal", instant="TIMESTAMP_NTZ", aware_instant="TIMESTAMP"),
    Engine(
        "trino", "Trino", instant="TIMESTAMP(6)", aware_instant="TIMESTAMP(6) WITH TIME ZONE", text="VARCHAR"
    ),
    # It takes ten nested CASE expressions; a question may need two of them.
    Engine(
        "tsql",
        "SQL Server",
        case_depth=8,
        nan=None,
        infinity=None,
        instant="DATETIME2(7)",
        aware_instant="DATETIMEOFFSET(7)",
        booleans=False,
        text="NVARCHAR(MAX)",
        collation="Latin1_General_100_BIN2",
        identifier_bytes=128,
    ),
)
ENGINES: Final = {engine.dialect: engine for engine in _ALL}


def engine_of(dialect: object) -> Engine:
    """Return the engine of a dialect; refuse unknown ones."""
    return ENGINES[OneOf(tuple(ENGINES)).read(dialect, "dialect")]
