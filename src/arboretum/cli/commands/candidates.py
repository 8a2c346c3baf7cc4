"""`arboretum candidates`: every question that the root could ask, with its numbers."""

from __future__ import annotations

from typing import Annotated, Any

from arboretum.cli import options as o
from arboretum.cli.printing import Printer
from arboretum.errors import ParameterError, import_pandas

_FLAGS = o.flags_of(
    (
        *("criterion", "nominal", "levels", "cuts", "missing", "min_samples_leaf", "column_costs"),
        *("sample_weight", "search", "base", "times_n"),
    )
)


@o.grouped
def candidates(
    data: o.Data,
    target: o.Target,
    top: Annotated[int, o.option("How many to show, best first; 0 for all.")] = 20,
    criterion: Annotated[
        str | None, o.option("gini, entropy, gain_ratio, …; for numbers squared_error, …")
    ] = None,
    nominal_questions: Annotated[str, o.option("subset, one_vs_rest or multiway.")] = "subset",
    levels: Annotated[str, o.option("raw, or corrected for their number when columns compete.")] = "raw",
    cuts: Annotated[str, o.option("all, or class_change.")] = "all",
    missing: Annotated[str, o.option("category, surrogate, fractional, drop or error.")] = "category",
    min_samples_leaf: Annotated[int, o.option("Fewest rows of a child.")] = 1,
    column_costs: Annotated[
        str | None, o.option("What gains are divided by when columns compete: age=2,price=0.5.")
    ] = None,
    search: Annotated[
        str, o.option("greedy, or Lookahead(depth=1): what a question is worth with those below it.")
    ] = "greedy",
    base: Annotated[float, o.option("Of the logarithms of entropy: 2, 2.718281828459045 or 10.")] = 2.0,
    times_n: Annotated[
        bool, o.option("Multiply gains and impurities by the weight of the rows they are of.")
    ] = False,
    task: o.Task = "auto",
    weights: o.Weights = None,
    seed: o.Seed = None,
    *,
    kinds: o.ColumnKinds,
    text: o.TableText,
    printer: Printer,
) -> None:
    """List the questions a tree could ask first.

    Every question about the whole table with its gain, best first. Nothing here is random.
    """
    import_pandas("arboretum candidates")
    import arboretum
    from arboretum.cli.training import choose_task, read_option, read_training_table
    from arboretum.inspection.candidates.rules import resolve_rules

    if top < 0:
        raise ParameterError(f"--top {top} is not allowed; give how many to show, or 0 for all.")
    o.check_choice("--task", task, o.TASKS)
    rules: dict[str, Any] = {
        "criterion": None if criterion is None else read_option("criterion", criterion),
        "nominal": nominal_questions,
        "levels": levels,
        "cuts": cuts,
        "missing": read_option("missing", missing),
        "min_samples_leaf": min_samples_leaf,
        "column_costs": None if column_costs is None else read_option("column_costs", column_costs),
        "search": read_option("search", search),
        "base": base,
        "times_n": times_n,
    }
    with o.naming_options(_FLAGS):
        resolve_rules(**rules | {"criterion": rules["criterion"] or "gini"})
    table = read_training_table(data, target, kinds, text, printer, weights=weights)
    chosen = choose_task(task, table, target, printer)
    if rules["criterion"] is None:
        rules["criterion"] = "gini" if chosen == "classification" else "squared_error"
    with o.naming_options(_FLAGS):
        found = arboretum.candidates(
            table.X,
            table.y,
            **rules,
            sample_weight=table.weights,
            categorical_features=dict(table.levels) or "from_dtype",
            ordered_features=dict(table.ordered),
        )
    shown = found if top == 0 else found.head(top)
    result = "no question divides the rows" if not len(found) else _text(shown)
    if len(shown) < len(found):
        result += f"\n… and {len(found) - len(shown):,} more (--top 0 lists all)"
    document = {
        "candidates": [
            {
                key: list(value)
                if key == "impurities"
                else list(map(str, value))
                if key == "children"
                else o.plain_or(str, value)
                for key, value in row.items()
            }
            for row in shown.to_dict("records")
        ],
        "count": len(found),
        "table": table.document,
    }
    printer.result(result, document)


def _text(frame: Any) -> str:
    listed = ("cost", "worth", "gain", "corrected_gain", "gain_ratio", "impurity", "score", "p_value")
    numbers = [name for name in listed if name in frame]
    table = frame[["question", *numbers]].copy()
    table["children"] = [" | ".join(str(child) for child in children) for children in frame["children"]]
    text: str = table.to_string(
        index=False, formatters={name: lambda value: f"{value:.4g}" for name in numbers}
    )
    return text
