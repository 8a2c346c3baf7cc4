"""`arboretum candidates`: every question that the root could ask, with its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from arboretum.cli import options as o
from arboretum.cli.learning import TASKS, choose_task, read_costs
from arboretum.cli.loading import Reading, read_lesson
from arboretum.cli.option_names import flags_of, naming_options
from arboretum.cli.packages import require
from arboretum.cli.speaking import Voice
from arboretum.cli.values import parse_value
from arboretum.errors import ParameterError, choices

__all__ = ["candidates"]

_FLAGS = flags_of(
    ("criterion", "nominal", "cuts", "missing", "min_samples_leaf", "column_costs", "sample_weight")
)


def candidates(
    data: o.Data,
    target: o.Target,
    top: Annotated[int, typer.Option(help="How many are shown, best first; 0 for all.")] = 20,
    criterion: Annotated[
        str | None, typer.Option(help="gini, entropy, gain_ratio, …; for numbers squared_error, …")
    ] = None,
    nominal_questions: Annotated[str, typer.Option(help="subset, one_vs_rest or multiway.")] = "subset",
    cuts: Annotated[str, typer.Option(help="all, or class_change.")] = "all",
    missing: Annotated[
        str, typer.Option(help="category, surrogate, fractional, drop or error.")
    ] = "category",
    min_samples_leaf: Annotated[int, typer.Option(help="Fewest rows of a child.")] = 1,
    column_costs: Annotated[
        str | None, typer.Option(help="What gains are divided by when columns compete: age=2,price=0.5.")
    ] = None,
    task: Annotated[
        str, typer.Option(help="auto, classification or regression.", autocompletion=lambda: list(TASKS))
    ] = "auto",
    weights: Annotated[
        str | None, typer.Option(help="The column that says how much each row counts.")
    ] = None,
    seed: o.Seed = None,
    nominal: o.Nominal = None,
    numeric: o.Numeric = None,
    ordered: o.Ordered = None,
    drop: o.Drop = None,
    missing_values: o.MissingValues = None,
    decimal: o.Decimal = ".",
    separator: o.Separator = None,
    encoding: o.Encoding = "utf-8",
    no_header: o.NoHeader = False,
    format: o.InFormat = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """List the questions a tree could ask first.

    Every question about the whole table with its gain, best first. Nothing here is random.
    """
    require("pandas", "candidates", "cli")
    import arboretum
    from arboretum.candidate_table import resolve_rules

    voice = Voice(json=json, quiet=quiet)
    if top < 0:
        raise ParameterError(f"--top {top} is not allowed; give how many to show, or 0 for all.")
    if task not in TASKS:
        raise ParameterError(choices("--task", task, TASKS))
    rules: dict[str, Any] = {
        "criterion": None if criterion is None else parse_value(criterion, "criterion"),
        "nominal": nominal_questions,
        "cuts": cuts,
        "missing": parse_value(missing, "missing"),
        "min_samples_leaf": min_samples_leaf,
        "column_costs": None if column_costs is None else read_costs(column_costs),
    }
    with naming_options(_FLAGS):
        resolve_rules(**rules | {"criterion": rules["criterion"] or "gini"})
    reading = Reading(
        format, separator, encoding, decimal, no_header, missing_values, nominal, numeric, ordered, drop
    )
    lesson = read_lesson(data, target, reading, voice, weights=weights)
    chosen = choose_task(task, lesson, target, voice)
    if rules["criterion"] is None:
        rules["criterion"] = "gini" if chosen == "classification" else "squared_error"
    with naming_options(_FLAGS):
        found = arboretum.candidates(
            lesson.X,
            lesson.y,
            **rules,
            sample_weight=lesson.weights,
            categorical_features=dict(lesson.levels) or "from_dtype",
            ordered_features=dict(lesson.ordered),
        )
    shown = found if top == 0 else found.head(top)
    text = "no question divides the rows" if not len(found) else _text(shown)
    if len(shown) < len(found):
        text += f"\n… and {len(found) - len(shown):,} more (--top 0 lists all)"
    voice.result(
        text,
        {
            "candidates": [_document(row) for row in shown.to_dict("records")],
            "count": len(found),
            "table": lesson.table,
        },
    )


def _text(frame: Any) -> str:
    numbers = [name for name in ("cost", "gain", "gain_ratio", "impurity", "p_value") if name in frame]
    table = frame[["question", *numbers]].copy()
    table["children"] = [" | ".join(str(child) for child in children) for children in frame["children"]]
    text: str = table.to_string(
        index=False, formatters={name: lambda value: f"{value:.4g}" for name in numbers}
    )
    return text


def _document(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        name: [str(part) for part in value]
        if name == "children"
        else value
        if _is_plain(value)
        else str(value)
        for name, value in row.items()
    }


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | bool | int | float | None)
