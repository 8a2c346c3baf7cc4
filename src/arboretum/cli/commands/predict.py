"""`arboretum predict`: predictions for the rows of a table of any size, chunk by chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from arboretum._wording import many
from arboretum.cli import options as o
from arboretum.cli.outputs import STANDARD, check_output, format_of, refuse_terminal
from arboretum.cli.printing import Printer, wrote
from arboretum.cli.values import names_of
from arboretum.errors import ParameterError, listing

if TYPE_CHECKING:
    from arboretum.cli.models import Output


@o.grouped
def predict(
    model: o.Model,
    data: o.Data,
    output: Annotated[
        str, o.option("The table to write: out.csv, out.parquet, …; - is standard output.", "--output", "-o")
    ] = STANDARD,
    force: o.Force = False,
    proba: Annotated[bool, o.option("A column with the probability of each class.", "--proba")] = False,
    keep: Annotated[list[str] | None, o.option("Columns of the table to keep: a,b; else all.")] = None,
    only: Annotated[bool, o.option("Keep no column: predictions only.", "--only")] = False,
    name: Annotated[
        str, o.option("The name of the column of predictions; of several outputs, what follows theirs and _.")
    ] = "prediction",
    output_format: Annotated[str | None, o.option("The format to write, if its name does not tell.")] = None,
    *,
    text: o.TableText,
    printer: Printer,
) -> None:
    """Predict the rows of a table of any size, by a tree, an ensemble or a tree of several outputs.

    The table may be larger than memory; predictions are added as columns.
    With --json and no -o, rows are written as JSON lines; with -o, a document says what was done.
    """
    import pyarrow as pa

    from arboretum.cli.cautions import ConstantColumns
    from arboretum.cli.models import UnknownLevels, columns_of, load_model, outputs_of, scan_with_notes
    from arboretum.cli.tables.kinds import find_columns
    from arboretum.cli.tables.matching import check_columns, match_parts, predictions
    from arboretum.cli.tables.text_blocks import check_separator
    from arboretum.cli.tables.writing import empty_table, open_writer

    # On one terminal a bar would run through the rows; notes come before them.
    bar = Printer(json=printer.json, quiet=printer.quiet or output == STANDARD)
    if output == STANDARD and printer.json and output_format is None:
        output_format = "jsonl"
    to = format_of(output, output_format, option="--output-format")
    check_output(output, to.name, inputs=[model, data], force=force)
    if output == STANDARD and (to.packed or to.name in ("parquet", "arrow")):
        refuse_terminal("packed table" if to.packed else f"{to.name} table")
    fitted, tree = load_model(model, outputs=True, ensembles=True)
    outputs = outputs_of(fitted, tree)
    if proba and all(each.classes is None for each in outputs):
        raise ParameterError("--proba is for classes, but the model predicts numbers.")
    names = [_names_of(each, name, proba) for each in outputs]
    added = [column for each in names for column in each]
    n_rows, unknown, constants = 0, UnknownLevels(), ConstantColumns()
    with scan_with_notes(data, text, "predicting", printer, bar) as scan:
        kept = _kept(list(scan.names), keep, only, added)
        find_columns(scan.names, kept, "--keep")
        said, schema = text.choices(), columns_of(fitted, tree, scan.names, printer)
        check_columns(scan.names, schema, scan.label)  # also of a table without rows
        levels = {column: found for column, found in scan.levels.items() if column in set(kept)}
        for each, (column, *_) in zip(outputs, names, strict=True):
            if each.classes is not None and all(isinstance(label, str) for label in each.classes):
                levels[column] = each.classes
        separator = check_separator(text.separator) if text.separator and to.name == "csv" else None
        with open_writer(output, to, separator=separator, levels=levels) as writer:
            for piece in (piece for chunk in scan.chunks for piece in chunk.pieces(len(added))):
                parts = match_parts(piece, schema, said, scan.label)
                found = {column: piece.columns.column(column) for column in kept}
                with constants.watching(len(piece) if len(parts) == 1 else 0):
                    for place, each in enumerate(outputs):  # which all know the same levels
                        noticed: Any = "missing" if place else unknown.add
                        found |= predictions(each.model, parts, names[place], noticed)
                writer.write(pa.table(found))
                n_rows += len(piece)
            if n_rows == 0:
                writer.write(empty_table([*kept, *added]))
    unknown.report(printer, n_rows)
    constants.cautions.report(printer)
    if output != STANDARD:
        document: dict[str, Any] = {"rows": n_rows, "output": output, "columns": [*kept, *added]}
        document["unknown_levels"] = unknown.document
        document["warnings"] = constants.cautions.document
        printer.done(f"predicted {many(n_rows, 'row')}; {wrote(output)}", document)


def _names_of(output: Output, name: str, proba: bool) -> list[str]:
    """Return the columns of an output: its prediction, and the probability of each class if asked for."""
    labels = (output.classes or ()) if proba else ()
    return [output.prefix + name, *(f"{output.prefix}probability_{label}" for label in labels)]


def _kept(names: list[str], keep: list[str] | None, only: bool, added: list[str]) -> list[str]:
    if only and keep:
        raise ParameterError("--only keeps no column, --keep keeps some: give one of them.")
    wanted = [] if only else list(names_of(keep)) or names
    new = set(added)
    both = [name for name in wanted if name in new and name in names]
    if both:
        raise ParameterError(
            f"The table has the column {listing(both)} already.\nHint: --name gives the prediction another "
            "name, and --keep leaves columns out."
        )
    if len(new) < len(added):
        raise ParameterError(f"Two of the new columns have the same name, {listing(added)}.\nHint: --name.")
    return wanted
