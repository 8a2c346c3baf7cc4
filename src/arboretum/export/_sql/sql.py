"""Export to SQL: one SELECT statement that predicts the rows of a table, and its self-test.

Statements are trees of sqlglot, which spells them in a dialect; only comments are put together from text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from arboretum._options.rules import OneOf
from arboretum._wording import shown
from arboretum.errors import DataError, ParameterError, listing
from arboretum.export._program.program import Program, program_of, too_many_nodes
from arboretum.export._program.shared import about_lines, checked_count, flaw_of, harmless, saved
from arboretum.export._sql.dialects import Engine, engine_of
from arboretum.export._sql.ensemble import build
from arboretum.export._sql.inputs import check_fields
from arboretum.export._sql.literals import require_sqlglot
from arboretum.export._sql.self_test import build_self_test
from arboretum.export._sql.statement import Plan, Prediction, Statement, output_names, predictions

_ASKER: Final = "to_sql()"
_OUTPUTS: Final = ("label", "probabilities", "both", "leaf")
_MOST_SAMPLES: Final = 200
_MOST_NODES: Final = 20_000  # of an ensemble: a few megabytes of text
_MOST_TREES: Final = 500
_LINE_END: Final = re.compile(r"(\r|\n)")


def to_sql(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    dialect: str = "postgres",
    table: str | Sequence[str] = "data",
    columns: Mapping[str, str] | None = None,
    output: str = "label",
    keep: str | Sequence[str] = (),
    name: str = "prediction",
    self_test: bool = False,
    n_samples: int = 32,
) -> str:
    """Return a SELECT statement that predicts the rows of a table as the model does.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> print(to_sql(TreeClassifier(max_depth=1).fit(X, y), dialect="duckdb", table="iris", keep="id"))
    -- A decision tree as SQL for DuckDB, written by arboretum ...
    WITH "inputs" AS (
      SELECT
        "given"."id" AS "kept_id",
        NULLIF("given"."petal_length", CAST('NaN' AS DOUBLE)) AS "input_petal_length"
      FROM "iris" AS "given"
    )
    SELECT
      "kept_id" AS "id",
      CASE
        WHEN "input_petal_length" <= CAST('2.45' AS DOUBLE)
        THEN 'setosa'
        ELSE 'versicolor'
      END AS "prediction"
    FROM "inputs"
    -- Self-test: ...

    Parameters
    ----------
    model : a fitted tree estimator, a Tree, or an ensemble of at most 20,000 nodes
    path : a file to write the result to, or None
    dialect : "postgres", "duckdb" and "sqlite" are executed by our tests; "bigquery", "clickhouse",
        "databricks", "mysql", "oracle", "redshift", "snowflake", "spark", "trino" and "tsql" are only
        generated
    table : the table, or its schema and name as ("sales", "orders")
    columns : names of columns in the table, where they differ from those that the model was fitted with
    output : "label" (the predicted class or number), "probabilities" (a column for each class), "both", or
        "leaf" (the number of the node in which a row stops)
    keep : columns of the table to keep, such as its key
    name : the name of the column of predictions; of several outputs, the end of such names
    self_test : whether to return the self-test instead: a statement that gives the number of mismatches, 0
    n_samples : the number of rows with known answers in the self-test, which also stands at the end of the
        statement, in comments
    """
    engine = engine_of(dialect)
    program = program_of(model, _ASKER, ensembles=True, models=True, outputs=True)
    require_sqlglot(_ASKER)
    plan = _checked_plan(engine, program, table, columns, output, keep, name)
    test = _spelled(plan, build_self_test(plan, checked_count(n_samples, most=_MOST_SAMPLES)))
    head = "".join(f"-- {line}\n" for line in _about(plan))
    if self_test:
        return saved(f"{head}{test}\n", path)
    marked = _LINE_END.sub(r"\1-- ", test)  # names may hold line ends, which would end a comment
    text = (
        f"{head}{_spelled(plan, build(plan))}\n"
        "-- Self-test: without the leading '-- ' of each line, this gives the number of mismatches: 0.\n"
        f"-- {marked}\n"
    )
    return saved(text, path)


# --- options


def _checked_plan(
    engine: Engine,
    program: Program,
    table: object,
    columns: object,
    output: object,
    keep: object,
    name: object,
) -> Plan:
    OneOf(_OUTPUTS).read(output, "output")
    has_classes = any(each.classes is not None for each in program.answers)
    if not has_classes and output in ("probabilities", "both"):
        raise ParameterError(
            f"output={shown(output)} is for classes, but the tree predicts numbers; choose 'label' or 'leaf'."
        )
    if program.missing == "fractions":
        raise DataError(
            'to_sql() cannot write a tree with missing="fractional": a row with a missing value goes to '
            "all children at once, and an expression for that doubles with every level.\nHint: treat missing "
            'values in another way, such as missing="surrogate", or export to Python, C or JavaScript.'
        )
    if program.is_mean:
        _check_ensemble(program, str(output))
    check_fields(engine, program)
    parts = (table,) if isinstance(table, str) else tuple(table) if isinstance(table, Iterable) else ()
    if not 1 <= len(parts) <= 3:
        raise ParameterError(
            f"table={shown(table)} is not a table; give its name, or schema and name as ('sales', 'orders')."
        )
    place = tuple(_checked_name(engine, part, "table") for part in parts)
    column = _checked_name(engine, name, "name")
    wanted = (keep,) if isinstance(keep, str) else keep
    if not isinstance(wanted, Iterable):
        raise ParameterError(f"keep={shown(keep)} is not a list of columns; give names such as ['id'].")
    kept = tuple(_checked_name(engine, each, "keep") for each in wanted)
    renamed = _checked_columns(engine, program, columns)
    plan = Plan(engine, program, place, str(output), column, kept, renamed)
    for each in output_names(plan):
        _checked_name(engine, each, "name")
    _refuse_same(engine, plan, output_names(plan))
    return plan


def _check_ensemble(program: Program, output: str) -> None:
    """Refuse what a statement cannot say of several trees, or not in a size that databases read."""
    if output == "leaf":
        raise ParameterError(
            "output='leaf' is for one tree, but an ensemble has a leaf in each; export model.trees_[0]."
        )
    if program.loss is not None and output != "probabilities":
        raise DataError(
            "to_sql() writes the most probable class of an ensemble, but this one takes the class of least "
            "expected loss.\nHint: take output='probabilities', or export to Python, C, JavaScript or ONNX."
        )
    if len(program.steps) > _MOST_NODES:
        raise too_many_nodes(_ASKER, len(program.steps), _MOST_NODES)
    if len(program.trees) > _MOST_TREES:
        raise DataError(
            f"The ensemble has {len(program.trees)} trees; to_sql() writes a column for each, of which "
            f"databases have {_MOST_TREES} at least.\nHint: fit with n_trees={_MOST_TREES}."
        )


def _checked_columns(engine: Engine, program: Program, columns: object) -> dict[str, str]:
    if columns is None:
        columns = {}
    if not isinstance(columns, Mapping):
        raise ParameterError(
            f"columns={shown(columns)} is not a mapping; give {{'name in the model': 'name in the table'}}."
        )
    known = [column.name for column in program.columns]
    for each in columns:
        if each not in known:
            raise ParameterError(f"columns names {each!r}; the model's columns are {listing(known)}.")
    for field in program.fields:
        if field.name not in columns:
            _checked_name(engine, field.name, "columns")
    return {each: _checked_name(engine, given, "columns") for each, given in columns.items()}


def _checked_name(engine: Engine, name: object, option: str) -> str:
    """Return a name; refuse one that the dialect cannot hold."""
    limit = engine.identifier_bytes
    fault = None
    if not isinstance(name, str):
        fault = "no text"
    elif not name:
        fault = "empty"
    elif flaw_of(name):
        fault = "not a text that SQL can hold"
    elif limit is not None and len(name.encode("utf-8")) > limit:
        fault = f"longer than the {limit} bytes that {engine.title} has for names"
    if fault is not None:
        hint = " Hint: give the table's own name for it in columns={…}." if option == "columns" else ""
        raise ParameterError(f"{option}: the name {name!r} is {fault}.{hint}")
    return str(name)


def _refuse_same(engine: Engine, plan: Plan, outputs: tuple[str, ...]) -> None:
    """Refuse two columns of one name, in the table or in the output."""
    fields = [plan.columns.get(field.name, field.name) for field in plan.program.fields]
    for option, names in (("columns", fields), ("keep", [*plan.keep, *outputs])):
        seen: dict[str, str] = {}
        for each in names:
            key = each.casefold() if engine.folds_case else each
            if key in seen:
                raise ParameterError(
                    f"{option}: {seen[key]!r} and {each!r} would be the same column in {engine.title}; "
                    "give them different names"
                    + (" by columns={…}." if option == "columns" else " by keep and name.")
                )
            seen[key] = each


# --- text


def _spelled(plan: Plan, statement: Statement) -> str:
    text: str = statement.with_parts().sql(plan.engine.dialect, pretty=True, comments=False)
    return text


def _about(plan: Plan) -> list[str]:
    engine = plan.engine
    lines = about_lines(plan.program, f"{plan.program.noun} as SQL for {engine.title}")
    if not engine.executed:
        lines.append(
            "Generated and parsed, but not executed by the tests of arboretum: run the self-test first."
        )
    return lines + [f"{harmless(each.name)}: of {of}" for each in predictions(plan) if (of := _of(each))]


def _of(prediction: Prediction) -> str:
    """Return what a column of predictions is about, where its name may not tell."""
    output, place = prediction.output, prediction.place
    parts = [] if output.name is None else [f"output {harmless(repr(output.name))}"]
    if place is not None and output.classes is not None:
        parts.append(f"class {harmless(repr(output.classes[place]))}")
    return ", ".join(parts)
