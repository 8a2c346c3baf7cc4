"""Exports to SQL: dialects that are generated only, names, options, and what is refused.

Statements of all dialects are read back by sqlglot and must come out the same; names and levels must be found
in them as they are. What databases answer is tested in test_sql.py and test_sql_tables.py.
"""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sqlglot
from sqlglot import exp
from support.export_models import deep, exported
from support.sweeps import every

from arboretum import TreeClassifier, TreeRegressor
from arboretum.errors import DataError, DataTypeError, ParameterError
from arboretum.export._sql.dialects import ENGINES
from arboretum.export._sql.sql import to_sql

GENERATED = [dialect for dialect, engine in ENGINES.items() if not engine.executed]


# One of each question, way with missing values, type of column and form of statement.
KINDS = [
    *("root alone", "penguins", "surrogates", "at least m", "numbers", "dates", "fractions", "hostile"),
    *("big integers", "bigger integers", "days", "levels of dates", "unseen levels, multiway"),
    *("rows that rest", "votes", "sums of all kinds"),
]
REFUSED = {"fractions"}  # by all; besides: types that a dialect lacks, and the empty text


@pytest.mark.parametrize(("dialect", "kind"), every(5, product(ENGINES, KINDS)))
def test_statements_are_read_back(dialect: str, kind: str) -> None:
    """Both statements of a model, parsed and spelled again, stay the same."""
    model, _, _ = exported(kind)
    columns = {"": "nameless"} if kind == "hostile" else None
    try:
        texts = [
            to_sql(model, dialect=dialect, columns=columns, n_samples=3, self_test=test)
            for test in (False, True)
        ]
    except DataError:
        too_deep = not ENGINES[dialect].walks and model.get_depth() > ENGINES[dialect].case_depth
        assert too_deep or kind in REFUSED | {"bigger integers", "levels of dates", "votes", "hostile"}
        return
    assert kind not in REFUSED
    for text in texts:
        tree = sqlglot.parse_one(text, dialect=dialect)
        again = sqlglot.parse_one(tree.sql(dialect), dialect=dialect)
        assert again.sql(dialect, comments=False) == tree.sql(dialect, comments=False)
        parts = {part.alias for part in tree.find_all(exp.CTE)}
        assert kind == "root alone" or "inputs" in parts
    assert ("not executed" in texts[0]) == (dialect in GENERATED)


@pytest.mark.parametrize("dialect", [name for name in ENGINES if name != "oracle"])
def test_hostile_names_stay_what_they_are(dialect: str) -> None:
    """Names of columns, levels and classes come back from the parser as they went in."""
    model, _, _ = exported("hostile")
    table = ["'; --", '"q" `t` [b] \\']
    text = to_sql(
        model, dialect=dialect, table=table, keep=["*/ kept", "]]"], columns={"": "x\ny"}, output="both"
    )
    tree = sqlglot.parse_one(text, dialect=dialect)
    names = {column.name for column in tree.find_all(exp.Column)}
    asked = {name for node in model.tree_.walk() if node.question for name in node.question.columns}
    assert len(asked) >= 4
    assert {"x\ny" if name == "" else name for name in asked} <= names
    assert {"*/ kept", "]]"} <= names
    strings = {each.name for each in tree.find_all(exp.Literal, exp.National)}
    assert set(model.classes_) <= strings
    assert any((each.db, each.name) == tuple(table) for each in tree.find_all(exp.Table))
    for line in text.partition("WITH")[0].splitlines():
        assert line.startswith("-- ")


def test_comments_end_where_they_should() -> None:
    """A line break in a level, of either kind, does not end the comment that the self-test is in."""
    X = pd.DataFrame({"x": ["a\rDROP TABLE data", "a\rDROP TABLE data", "b\nDROP", "b\nDROP"]})
    model = TreeClassifier(prune=None).fit(X, list("ppqq"))
    for dialect in ("sqlite", "postgres", "duckdb"):
        *_, marked = to_sql(model, dialect=dialect).partition("-- Self-test")
        lines = marked.replace("\r", "\n").split("\n")
        assert all(line.startswith("-- ") for line in lines[1:-1])
        assert lines[-1] == ""


def test_same_each_time_and_written(tmp_path: Path) -> None:
    model, _, _ = exported("penguins")
    text = to_sql(model, tmp_path / "tree.sql", dialect="duckdb")
    assert text == to_sql(model.tree_, dialect="duckdb")
    assert (tmp_path / "tree.sql").read_text() == text


def test_sqlglot_is_asked_for_only_here() -> None:
    """Importing the module imports no extra; without sqlglot the sentence says what to install."""
    code = (
        "import sys; sys.modules['sqlglot'] = None\n"
        "from arboretum.export._sql.sql import to_sql\n"
        "from arboretum import TreeClassifier\n"
        "model = TreeClassifier().fit([[1.0], [2.0]], ['a', 'b'])\n"
        "try:\n    to_sql(model)\nexcept ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (
        done.stdout
        == "to_sql() needs sqlglot, which is not installed.\nHint: pip install 'arboretum[export]'.\n"
    )


# --- what is refused


def small(column: Any, y: Any = None) -> Any:
    X = pd.DataFrame({"x": column})
    return TreeClassifier(prune=None).fit(X, np.arange(len(X)) // 2 if y is None else y)


def test_depths_are_refused_before_the_database_does() -> None:
    for dialect in GENERATED:
        limit = ENGINES[dialect].case_depth
        to_sql(deep(limit)[0], dialect=dialect)
        title = ENGINES[dialect].title
        with pytest.raises(DataError, match=f"The tree is {limit + 1} levels deep; for {title}, CASE"):
            to_sql(deep(limit + 1)[0], dialect=dialect)


def test_sums_of_many_terms_are_refused() -> None:
    from support.composites import plant, total

    from arboretum._data import Column
    from arboretum._tree.composites import LinearTerm

    columns = tuple(Column(f"x{i}", "number") for i in range(501))
    terms = [LinearTerm(column, 1.0) for column in columns]
    with pytest.raises(DataError, match="node 0 is a sum of 501 terms"):
        to_sql(plant({(): total(1.0, *terms)}, columns))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dialect": "postgresql"}, "dialect='postgresql' is not known; .* Did you mean 'postgres'"),
        ({"dialect": None}, "dialect=None is not known"),
        (
            {"output": "classes"},
            "output='classes' is not known; choose 'label', 'probabilities', 'both', 'leaf'",
        ),
        ({"table": ""}, "table: the name '' is empty"),
        ({"table": ()}, r"table=\(\) is not a table"),
        ({"table": "a" * 64}, "longer than the 63 bytes that PostgreSQL has for names"),
        ({"table": ["a", "b", "c", "d"]}, "is not a table"),
        ({"keep": [1]}, "keep: the name 1 is no text"),
        ({"keep": 1}, "keep=1 is not a list of columns"),
        ({"keep": ["id", "id"]}, "'id' and 'id' would be the same column"),
        ({"keep": ["prediction"]}, "'prediction' and 'prediction' would be the same column"),
        ({"name": "a\0b"}, "not a text that SQL can hold"),
        ({"columns": {"y": "z"}}, "columns names 'y'; the model's columns are 'x'"),
        ({"columns": ["x"]}, "is not a mapping"),
        ({"n_samples": 0}, "n_samples=0 is not a number of rows; choose 1 to 200"),
        ({"n_samples": True}, "n_samples=True is not a number of rows"),
    ],
)
def test_options_are_refused_in_one_sentence(options: dict[str, Any], message: str) -> None:
    model = small([1.0, 2.0, 3.0, 4.0])
    with pytest.raises(ParameterError, match=message):
        to_sql(model, **options)


def test_trees_of_numbers_have_no_probabilities() -> None:
    model = TreeRegressor(prune=None).fit([[1.0], [2.0]], [1.0, 2.0])
    for output in ("probabilities", "both"):
        with pytest.raises(ParameterError, match="the tree predicts numbers; choose 'label' or 'leaf'"):
            to_sql(model, output=output)


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(DataTypeError, match=r"to_sql\(\) needs a fitted tree"):
        to_sql([1, 2])


def test_columns_that_sql_cannot_hold_are_refused() -> None:
    mixed = small(pd.Categorical(["a", "a", 1, 1]))
    with pytest.raises(DataError, match="Column 'x' has levels of several types"):
        to_sql(mixed)
    waits = small(pd.to_timedelta([1, 2, 3, 4], unit="s"))
    for dialect in ("sqlite", "mysql", "tsql", "snowflake"):
        with pytest.raises(DataError, match=f"durations, which {ENGINES[dialect].title} cannot compare"):
            to_sql(waits, dialect=dialect)
    huge = small(np.array([1, 2, 2**64 - 2, 2**64 - 1], dtype=np.uint64))
    with pytest.raises(DataError, match="SQLite keeps integers beyond 64 bits"):
        to_sql(huge, dialect="sqlite")
    zoned = small(pd.date_range("2024-01-01", periods=4, tz="UTC"))
    with pytest.raises(DataError, match="time zone, for which MySQL has no type"):
        to_sql(zoned, dialect="mysql")
    empty = small(["", "", "b", "b"])
    with pytest.raises(DataError, match="empty text, which Oracle takes for a missing value"):
        to_sql(empty, dialect="oracle")
    nul = small(["a\0", "a\0", "b", "b"])
    with pytest.raises(DataError, match="holds a zero byte"):
        to_sql(nul)
    half = small(pd.Series(["a\ud800", "a\ud800", "b", "b"], dtype=object))
    with pytest.raises(DataError, match="half of a surrogate pair"):
        to_sql(half)


def test_names_that_differ_in_case_only() -> None:
    """Where a database takes them for one, the table's own names must be told."""
    X = pd.DataFrame({"a": [1.0, 1.0, 2.0, 2.0], "A": [1.0, 2.0, 1.0, 2.0]})
    model = TreeClassifier(prune=None).fit(X, [0, 1, 1, 0])
    assert to_sql(model, dialect="postgres")
    for dialect in ("sqlite", "duckdb"):
        with pytest.raises(ParameterError, match="'a' and 'A' would be the same column"):
            to_sql(model, dialect=dialect)
        assert '"big a"' in to_sql(model, dialect=dialect, columns={"A": "big a"})
