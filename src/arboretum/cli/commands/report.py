"""`arboretum report`: what a model found, how far to trust it, and what that rests on, as one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from arboretum.cli import options as o
from arboretum.cli.outputs import STANDARD, check_output, write_content
from arboretum.cli.printing import Printer, wrote
from arboretum.cli.values import names_of
from arboretum.errors import DataError, ParameterError, listing


@o.grouped
def report(
    model: o.Model,
    data: o.Data,
    target: o.TrueValues = None,
    output: o.Output = None,
    force: o.Force = False,
    by: Annotated[list[str] | None, o.option("Columns to divide the rows by: sex,region.")] = None,
    note: Annotated[list[str] | None, o.option("A note on a node: '3=checked'. May be repeated.")] = None,
    weights: o.Weights = None,
    groups: o.Groups = None,
    resamples: Annotated[
        int | None, o.option("How many trees show how stable the tree is; else by the size of the table.")
    ] = None,
    title: Annotated[str | None, o.option("The title of the report.")] = None,
    *,
    text: o.TableText,
    printer: Printer,
) -> None:
    """Write a report on a model.

    One HTML file: what the tree found in plain words, how far to trust it, and all that this rests on. Give
    the table that the model was fitted to, or one that it has not seen.
    """
    import arboretum
    from arboretum._options.criteria import ORDER_CRITERIA
    from arboretum.cli.models import load_model

    check_output(output, "html", inputs=[model, data], force=force)
    fitted, tree = load_model(model)
    if tree.criterion in ORDER_CRITERIA and groups is None:
        raise ParameterError(
            f"{model} orders rows within queries, but --groups is not given.\n"
            "Hint: --groups names the column that says which query a row belongs to."
        )
    table = _read(fitted, tree, data, _Wanted(target, weights, groups, tuple(names_of(by))), text, printer)
    flags = {"n_resamples": "--resamples", "title": "--title", "notes": "--note", "groups": "--groups"}
    with o.naming_options(flags):
        page = arboretum.report(
            fitted,
            table.X,
            table.truth,
            sample_weight=table.weights,
            groups=table.groups,
            by=table.by,
            notes=_notes(note),
            target=table.target,
            title=title,
            n_resamples=resamples,
            n_jobs=-1,
        )
    is_file = output is not None and output != STANDARD
    if is_file or not printer.json:
        write_content(page, output, "html")
    if printer.json:
        document = {"model": model, "table": data, "rows": len(table.X), "target": table.target}
        printer.result("", document | ({"output": output} if is_file else {}))
    elif is_file:
        printer.note(wrote(str(output)))


@dataclass(frozen=True)
class _Wanted:
    """The columns that were named, besides those of the model."""

    target: str | None
    weights: str | None
    groups: str | None
    by: tuple[str, ...]


@dataclass(frozen=True)
class _Read:
    """The table in the columns of the model, and what is known of its rows."""

    X: Any
    target: str | None
    truth: list[Any] | None
    weights: list[Any] | None
    groups: list[Any] | None
    by: dict[str, list[Any]] | None


def _read(fitted: Any, tree: Any, path: str, wanted: _Wanted, text: o.TableText, printer: Printer) -> _Read:
    import pyarrow as pa

    from arboretum.cli.models import columns_of, scan_with_notes
    from arboretum.cli.tables.kinds import find_columns
    from arboretum.cli.tables.matching import match_chunk, match_target
    from arboretum.cli.tables.reading import table_of

    with scan_with_notes(path, text, "reading", printer, printer) as scan:
        for name, flag in (
            (wanted.target, "--target"),
            (wanted.weights, "--weights"),
            (wanted.groups, "--groups"),
        ):
            find_columns(scan.names, [name] if name else [], flag)
        find_columns(scan.names, wanted.by, "--by")
        target = wanted.target or _only_other(scan.names, tree, wanted, printer)
        aside = (target, wanted.weights, wanted.groups)
        schema = columns_of(fitted, tree, [name for name in scan.names if name not in aside], printer)
        said, whole = text.choices(), table_of(scan)

        def read(name: str | None, classes: Sequence[Any] | None) -> list[Any] | None:
            if name is None:
                return None
            parts = [match_target(chunk, name, classes, said, scan.label) for chunk in whole.chunks]
            return [value for part in parts for value in part]

        parts = [match_chunk(chunk, schema, said, scan.label) for chunk in whole.chunks]
        return _Read(
            X=pa.concat_tables(parts, promote_options="permissive"),
            target=target,
            truth=read(target, tree.target.classes),
            weights=read(wanted.weights, None),
            groups=_values(whole, wanted.groups, said, scan.label),
            by={name: _values(whole, name, said, scan.label, gaps=True) or [] for name in wanted.by} or None,
        )


def _only_other(names: Sequence[str], tree: Any, wanted: _Wanted, printer: Printer) -> str | None:
    """Return the target where it is not named: the only column that nobody names; None if there is none."""
    named = {column.name for column in tree.columns} | {wanted.weights, wanted.groups, *wanted.by}
    others = [name for name in names if name not in named]
    if not others:
        printer.note("no column holds the truth: the report says what it cannot tell without it")
        return None
    if len(others) > 1:
        raise ParameterError(
            "--target is not given, and of columns the model does not ask about there are "
            f"{listing(others, 8)}."
        )
    printer.note(f"target: {others[0]!r}, the only column that the model does not ask about")
    return others[0]


def _values(table: Any, name: str | None, said: Any, label: str, *, gaps: bool = False) -> list[Any] | None:
    """Return the cells of a column: numbers if all of them are, else text."""
    from arboretum.cli.tables.cells import as_text, is_text, parse_numbers, without_missing

    if name is None:
        return None
    cells = [chunk.columns.column(name) for chunk in table.chunks]
    texts = [without_missing(as_text(each, name), said.tokens) if is_text(each) else each for each in cells]
    numbers: list[Any] = [parse_numbers(each, said.decimal) if is_text(each) else each for each in texts]
    read = texts if any(each is None for each in numbers) else numbers
    found = [value for part in read for value in part.to_pylist()]
    if not gaps and None in found:
        row = found.index(None) + 1
        raise DataError(f"{label}: the column {name!r} has no value in row {row} of the table.")
    return found


def _notes(given: Sequence[str] | None) -> dict[int, str]:
    """Return the text of each node's note."""
    notes = {}
    for written in given or ():
        number, sign, note = written.partition("=")
        if not sign or not number.strip().isdecimal():
            raise ParameterError(
                f"--note {written!r} cannot be read; write the number of the node and the text: '3=checked'."
            )
        notes[int(number)] = note.strip()
    return notes
