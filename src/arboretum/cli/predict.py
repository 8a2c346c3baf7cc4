"""`arboretum predict`: predictions for the rows of a table of any size, chunk by chunk."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from arboretum.cli import options as o
from arboretum.cli.loading import Reading, file_size, load_model, schema_of, tree_of_model
from arboretum.cli.outputs import check_output, refuse_terminal
from arboretum.cli.prediction_columns import with_predictions
from arboretum.cli.speaking import Voice, wrote
from arboretum.cli.unknown_levels import UnknownLevels
from arboretum.cli.values import names_of
from arboretum.errors import ParameterError, listing
from arboretum.plurals import many

__all__ = ["predict"]


def predict(
    model: o.Model,
    data: o.Data,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", help="The table to write: out.csv, out.parquet, …; - is standard output."
        ),
    ] = "-",
    force: o.Force = False,
    proba: Annotated[
        bool, typer.Option("--proba", help="A column with the probability of each class.")
    ] = False,
    keep: Annotated[
        list[str] | None, typer.Option(help="Columns of the table to keep: a,b; else all.")
    ] = None,
    only: Annotated[bool, typer.Option("--only", help="Keep no column: predictions only.")] = False,
    name: Annotated[str, typer.Option(help="What the column of predictions is called.")] = "prediction",
    output_format: Annotated[
        str | None, typer.Option(help="The format to write, if its name does not tell.")
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
    """Predict the rows of a table of any size.

    The table may be larger than memory; predictions are added as columns.
    With --json and no -o, rows are written as JSON lines; with -o, a document tells what was done.
    """
    from arboretum.tables import format_of, open_writer, scan_table
    from arboretum.tables.exact_parts import match_parts
    from arboretum.tables.matching import check_columns

    voice = Voice(json=json, quiet=quiet)
    # A bar would run through the rows where both are shown on one terminal; notes come before them.
    bar = Voice(json=json, quiet=quiet or output == "-")
    reading = Reading(format, separator, encoding, decimal, no_header, missing_values)
    if output == "-" and json and output_format is None:
        output_format = "jsonl"
    to = format_of(output, output_format, option="--output-format")
    check_output(output, to.name, inputs=[model, data], force=force)
    if output == "-" and (to.packed or to.name in ("parquet", "arrow")):
        refuse_terminal("packed table" if to.packed else f"{to.name} table")
    fitted = load_model(model)
    tree = tree_of_model(fitted)
    if proba and tree.target.classes is None:
        raise ParameterError("--proba is for classes, but the model predicts numbers.")
    added = [name, *(f"probability_{label}" for label in (tree.target.classes or ()) if proba)]
    n_rows, unknown = 0, UnknownLevels()
    with (
        bar.progress("predicting", file_size(data)) as told,
        scan_table(data, reading.format_of(data), reading.dialect, told) as scan,
    ):
        for note in scan.notes:
            voice.note(f"{scan.label}: {note}")
        kept = _kept(list(scan.names), keep, only, added)
        said, schema = reading.choices, schema_of(fitted, scan.names, voice)
        check_columns(scan.names, schema, scan.label)  # also of a table without rows
        levels = _levels(scan.levels, kept, name, tree)
        with open_writer(output, to, separator=_separator(reading, to.name), levels=levels) as writer:
            for piece in (piece for chunk in scan.chunks for piece in chunk.pieces(len(added))):
                parts = match_parts(piece, schema, said, scan.label)
                writer.write(with_predictions(piece.columns.select(kept), fitted, parts, added, unknown.add))
                n_rows += len(piece)
            if n_rows == 0:
                writer.write(_empty([*kept, *added]))
    unknown.tell(voice, n_rows)
    if output != "-":
        document = {
            "rows": n_rows,
            "output": output,
            "columns": [*kept, *added],
            "unknown_levels": unknown.document(),
        }
        voice.result(f"predicted {many(n_rows, 'row')}; {wrote(output)}", document)


def _kept(names: list[str], keep: list[str] | None, only: bool, added: list[str]) -> list[str]:
    from arboretum.tables.kinds import find_columns

    if only and keep:
        raise ParameterError("--only keeps no column, --keep keeps some: give one of them.")
    wanted = [] if only else list(names_of(keep)) or names
    find_columns(names, wanted, "--keep")
    new = set(added)
    both = [name for name in wanted if name in new]
    if both:
        raise ParameterError(
            f"The table has the column {listing(both)} already.\nHint: --name gives the prediction another "
            "name, and --keep leaves columns out."
        )
    if len(new) < len(added):
        raise ParameterError(f"Two of the new columns have the same name, {listing(added)}.\nHint: --name.")
    return wanted


def _separator(reading: Reading, to: str) -> str | None:
    """Return the separator to write with: that of the table, where both are CSV."""
    from arboretum.tables.delimited import check_separator

    return check_separator(reading.separator) if reading.separator and to == "csv" else None


def _levels(declared: Any, kept: list[str], name: str, tree: Any) -> dict[str, Any]:
    there = set(kept)
    levels = {column: found for column, found in declared.items() if column in there}
    classes = tree.target.classes
    if classes is not None and all(isinstance(label, str) for label in classes):
        levels[name] = classes
    return levels


def _empty(names: list[str]) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array([], pa.string()) for name in names})
