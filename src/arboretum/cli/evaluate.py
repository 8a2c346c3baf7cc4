"""`arboretum evaluate`: how good a model is on a table that it has not seen."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from arboretum.cli import options as o
from arboretum.cli.loading import Reading, file_size, load_model, schema_of, tree_of_model
from arboretum.cli.scores import scores_for
from arboretum.cli.speaking import Voice
from arboretum.errors import DataError

__all__ = ["evaluate"]


def evaluate(
    model: o.Model,
    data: o.Data,
    target: o.Target,
    weights: Annotated[
        str | None, typer.Option(help="The column that says how much each row counts.")
    ] = None,
    missing_values: o.MissingValues = None,
    decimal: o.Decimal = ".",
    separator: o.Separator = None,
    encoding: o.Encoding = "utf-8",
    no_header: o.NoHeader = False,
    format: o.InFormat = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Compare predictions with the truth.

    Of classes: accuracy, log loss and confusion matrix. Of numbers: MSE, MAE and R².
    """
    from arboretum.tables import match_chunk, match_target, scan_table
    from arboretum.tables.kinds import find_columns

    voice = Voice(json=json, quiet=quiet)
    reading = Reading(format, separator, encoding, decimal, no_header, missing_values)
    fitted = load_model(model)
    classes = tree_of_model(fitted).target.classes
    scores = scores_for(classes)
    with (
        voice.progress("evaluating", file_size(data)) as told,
        scan_table(data, reading.format_of(data), reading.dialect, told) as scan,
    ):
        find_columns(scan.names, [target], "--target")
        find_columns(scan.names, [weights] if weights else [], "--weights")
        said, schema = reading.choices, schema_of(fitted, scan.names, voice)
        for chunk in scan.chunks:
            X = match_chunk(chunk, schema, said, scan.label)
            truth = match_target(chunk, target, classes, said, scan.label)
            each = None
            if weights is not None:
                each = match_target(chunk, weights, None, said, scan.label)
                _check_weights(each, weights, chunk, scan.label)
            probability = None if classes is None else fitted.predict_proba(X)
            scores.add(truth, fitted.predict(X), probability, each)
    document = scores.document()
    voice.result(str(scores), document)


def _check_weights(each: list[Any], name: str, chunk: Any, label: str) -> None:
    for row, weight in enumerate(each):
        if not 0 <= weight < float("inf"):
            raise DataError(
                f"{label}, {chunk.where(row)}: the weight {name!r} is {weight}; weights are 0 or more."
            )
