"""`arboretum evaluate`: how good a model is on a table that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from arboretum.cli import options as o
from arboretum.cli.loading import Reading, file_size, load_model, schema_of, tree_of_model
from arboretum.cli.scores import ClassScores, scores_for
from arboretum.cli.speaking import Voice, WorkError
from arboretum.cli.unknown_levels import UnknownLevels
from arboretum.errors import DataError, ParameterError, listing

__all__ = ["evaluate"]


def evaluate(
    model: o.Model,
    data: o.Data,
    target: Annotated[
        str | None,
        typer.Option(
            "--target", "-t", help="The true values; else the one column the model does not ask about."
        ),
    ] = None,
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
    from arboretum.tables import match_target, scan_table
    from arboretum.tables.exact_parts import in_order, match_parts, match_truths
    from arboretum.tables.kinds import find_columns

    voice = Voice(json=json, quiet=quiet)
    reading = Reading(format, separator, encoding, decimal, no_header, missing_values)
    fitted = load_model(model)
    classes = tree_of_model(fitted).target.classes
    scores, n_rows, unknown = scores_for(classes), 0, UnknownLevels()
    with (
        voice.progress("evaluating", file_size(data)) as told,
        scan_table(data, reading.format_of(data), reading.dialect, told) as scan,
    ):
        for note in scan.notes:
            voice.note(f"{scan.label}: {note}")
        find_columns(scan.names, [target] if target else [], "--target")
        find_columns(scan.names, [weights] if weights else [], "--weights")
        truths = target or _only_other(scan.names, tree_of_model(fitted).columns, weights, voice)
        others = [name for name in scan.names if name not in (truths, weights)]
        said, schema = reading.choices, schema_of(fitted, others, voice)
        n_answers = 1 + len(classes or ())
        for piece in (piece for chunk in scan.chunks for piece in chunk.pieces(n_answers)):
            parts = match_parts(piece, schema, said, scan.label)
            truth = match_truths(piece, truths, classes, said, scan.label)
            each = None
            if weights is not None:
                each = match_target(piece, weights, None, said, scan.label)
                _check_weights(each, weights, piece, scan.label)
            predicted = in_order(parts, [fitted.predict(part.X, unknown=unknown.add) for part in parts])
            n_rows += len(piece)
            probability = None
            if classes is not None:
                probability = in_order(parts, [fitted.predict_proba(part.X) for part in parts])
            scores.add(truth, predicted, probability, each)
    if isinstance(scores, ClassScores) and not scores.knows_some:
        known = listing(classes or (), 8)
        raise WorkError(
            f"None of the true values in {truths!r} is a class of the model; it knows {known}.\n"
            "Hint: --target names the column of the true classes."
        )
    unknown.tell(voice, n_rows)
    document = scores.document() | {"unknown_levels": unknown.document()}
    voice.result(str(scores), document)


def _only_other(names: Sequence[str], columns: Sequence[Any], weights: str | None, voice: Voice) -> str:
    """Return the target where it is not named: the only column that the model does not ask about."""
    asked = {column.name for column in columns} | {weights}
    others = [name for name in names if name not in asked]
    if len(others) != 1:
        found = f"there are {listing(others, 8)}" if others else "there is none"
        raise ParameterError(f"--target is not given, and of columns the model does not ask about {found}.")
    voice.note(f"target: {others[0]!r}, the only column that the model does not ask about")
    return others[0]


def _check_weights(each: list[Any], name: str, chunk: Any, label: str) -> None:
    for row, weight in enumerate(each):
        if not 0 <= weight < float("inf"):
            raise DataError(
                f"{label}, {chunk.where(row)}: the weight {name!r} is {weight}; weights are 0 or more."
            )
