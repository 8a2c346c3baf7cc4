"""`arboretum explain`: why a model predicts what it predicts for one row, and what would change it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any, Final

from arboretum._wording import did_you_mean, many
from arboretum.cli import options as o
from arboretum.cli.outputs import STANDARD, check_output, look_of, write_content
from arboretum.cli.printing import Printer, wrote
from arboretum.cli.values import names_of, pairs_of, parse_scalar
from arboretum.errors import DataError, ParameterError, listing

_LIMIT: Final = re.compile(r"(.*?)\s*(>=|<=)\s*([-+0-9.eE]+)", re.DOTALL)
_SPAN: Final = re.compile(r"\s*([-+0-9.eE]+)\s*(?:\.\.|to)\s*([-+0-9.eE]+)\s*")
_FLAGS: Final = {
    "max_changes": "--max-changes",
    "costs": "--costs",
    "fixed": "--fixed",
    "desired": "--desired",
}
# What errors say after flags have taken the place of options, and how that is written here.
_WORDS: Final = tuple(
    (re.compile(python), here)
    for python, here in (
        (r"--desired='(.*?)' is", r"--desired '\1' is"),
        (r"\bdesired=\{'?(.*?)'?: ([0-9.e-]+)\} asks", r"--desired '\1>=\2' asks"),
        (r"--desired=\{'?(.*?)'?: ([0-9.e-]+)\} asks", r"--desired '\1>=\2' asks"),
        (r"--desired=\((.*?), (.*?)\) excludes", r"--desired '\1..\2' excludes"),
        (r"--costs=\{'(.*?)': '?(.*?)'?\} is", r"--costs \1=\2 is"),
        (r"^(fixed|costs) names", r"--\1 names"),
        (r"named in fixed\b", "named in --fixed"),
        (r"(?<=allowed by )fixed\b", "--fixed"),
        (r"(?<=allowed by )ranges\b|(?<=allowed by --fixed, )ranges\b", "--rise or --fall"),
        (r"(?<=allowed by --fixed and )ranges\b", "--rise or --fall"),
        (r"name columns that stay in fixed\b", "name columns that stay in --fixed"),
        (r"such as model\.pruned\(leaves=100\)", "such as that of arboretum prune --leaves 100"),
    )
)
_FLAGS_OF_COUNTS: Final = {"n": "--answers", "n_similar": "--similar", "ranges": "--rise or --fall"}


@o.grouped
def explain(
    model: o.Model,
    data: o.Data,
    row: Annotated[int, o.option("Which row of the table, counted from 1.")] = 1,
    desired: Annotated[
        str | None,
        o.option("What should be predicted instead: yes, 'yes>=0.8', 300, '>=300', 200..300."),
    ] = None,
    answers: Annotated[int, o.option("How many changes to look for.")] = 1,
    max_changes: Annotated[int | None, o.option("Most columns that may change.")] = None,
    fixed: Annotated[list[str] | None, o.option("Columns that must stay as they are: a,b.")] = None,
    rise: Annotated[list[str] | None, o.option("Columns that may only rise: age.")] = None,
    fall: Annotated[list[str] | None, o.option("Columns that may only fall.")] = None,
    costs: Annotated[str | None, o.option("What changes cost, 1 unless given: age=2,price=0.5.")] = None,
    rows: Annotated[
        str | None, o.option("A table to look for similar rows in, and to measure the spread of columns by.")
    ] = None,
    similar: Annotated[int, o.option("How many similar rows to list.")] = 5,
    html: Annotated[bool, o.option("An HTML page, also without -o page.html.", "--html")] = False,
    output: o.Output = None,
    force: o.Force = False,
    *,
    text: o.TableText,
    printer: Printer,
) -> None:
    """Explain the prediction of one row.

    The path in words with its numbers, how sure it is, and similar rows; with --desired also the nearest
    change that gives another prediction. --json prints all of it; with -o the text or page is written, too.
    """
    import arboretum
    from arboretum.cli.models import load_model

    kind = look_of("html" if html else None, output, ("text", "html"), "an explanation")
    inputs = [model, data, *([] if rows is None else [rows])]
    check_output(output, kind, inputs=inputs, force=force)
    fitted, tree = load_model(model)
    if row < 1:
        raise ParameterError(f"--row {row} is not allowed; rows are counted from 1.")
    limits: dict[str, Any] = {"max_changes": max_changes, "fixed": names_of(fixed)}
    limits["costs"] = None if costs is None else _costs(costs)
    limits["ranges"] = {**dict.fromkeys(names_of(rise), "rise"), **dict.fromkeys(names_of(fall), "fall")}
    given = [name for name, value in limits.items() if value]
    if desired is None and (given or answers != 1):
        flag = (_FLAGS | _FLAGS_OF_COUNTS)[given[0] if given else "n"]
        raise ParameterError(f"{flag} goes with --desired, which says what should be predicted instead.")
    others = None if rows is None else _other_rows(fitted, tree, rows, text, printer)
    _check_directions(tree, names_of(rise), names_of(fall))
    with _naming_options():
        found = arboretum.explain(
            fitted,
            _row(fitted, tree, data, row, text, printer),
            others,
            n_similar=similar,
            **({} if desired is None else {"desired": _desired(tree, desired), "n": answers, **limits}),
        )
    # Here rows are counted from 1.
    alike = tuple(replace(each, number=each.number + 1) for each in found.similar or ())
    found = replace(found, similar=None if found.similar is None else alike)
    is_file = output is not None and output != STANDARD
    if is_file or not printer.json:
        write_content(found.to_html() if kind == "html" else f"{found}\n", output, kind)
    if printer.json:
        printer.result("", {"row": row, **found.to_dict(), **({"output": output} if is_file else {})})
    elif is_file:
        printer.note(wrote(str(output)))


@contextmanager
def _naming_options() -> Iterator[None]:
    """Let errors speak of flags, and write what is desired and what changes cost as the command line does."""
    try:
        with o.naming_options(_FLAGS | _FLAGS_OF_COUNTS):
            yield
    except (ParameterError, DataError) as error:
        message = str(error)
        for python, here in _WORDS:
            message = python.sub(here, message)
        raise type(error)(message) from error


def _check_directions(tree: Any, rise: Sequence[str], fall: Sequence[str]) -> None:
    """Refuse columns that may go neither way, or that have no ways to go."""
    both = [name for name in rise if name in fall]
    if both:
        raise ParameterError(
            f"--rise and --fall both name the column {both[0]!r}; name it in one of them, or in --fixed."
        )
    kinds = {column.name: column.kind for column in tree.columns}
    for flag, names in (("--rise", rise), ("--fall", fall)):
        for name in names:
            if name not in kinds:
                raise ParameterError(
                    f"{flag} names the column {name!r}, which the tree does not have; it has "
                    f"{listing(list(kinds), 10)}.{did_you_mean(name, kinds)}"
                )
            if kinds[name] == "nominal":
                raise ParameterError(
                    f"{flag} names the column {name!r}, which is nominal: its levels have no order in which "
                    "it could rise or fall."
                )


def _row(fitted: Any, tree: Any, path: str, number: int, text: o.TableText, printer: Printer) -> Any:
    """Return one row of a table in the columns of the model."""
    from arboretum.cli.models import columns_of, scan_with_notes
    from arboretum.cli.tables.matching import check_columns, match_parts

    n_rows = 0
    with scan_with_notes(path, text, "reading", printer, printer) as scan:
        schema = columns_of(fitted, tree, scan.names, printer)
        check_columns(scan.names, schema, scan.label)
        for chunk in scan.chunks:
            if number <= n_rows + len(chunk):
                one = chunk.row(number - 1 - n_rows)
                return match_parts(one, schema, text.choices(), scan.label)[0].X
            n_rows += len(chunk)
        raise DataError(f"--row {number} is beyond the table, which has {many(n_rows, 'row')}.")


def _other_rows(fitted: Any, tree: Any, path: str, text: o.TableText, printer: Printer) -> Any:
    """Return a whole table in the columns of the model, with the target if one column can be that."""
    import pyarrow as pa

    from arboretum.cli.models import columns_of, scan_with_notes
    from arboretum.cli.tables.matching import match_chunk, match_target
    from arboretum.cli.tables.reading import table_of

    with scan_with_notes(path, text, "reading", printer, printer) as scan:
        asked = {column.name for column in tree.columns}
        left = [name for name in scan.names if name not in asked]
        target = left[0] if len(left) == 1 else None
        names = [name for name in scan.names if name != target]
        schema, said = columns_of(fitted, tree, names, printer), text.choices()
        table = table_of(scan)
        tables = [match_chunk(chunk, schema, said, scan.label) for chunk in table.chunks]
        X = pa.concat_tables(tables, promote_options="permissive")
        if target is None:
            return X
        truths = [
            match_target(chunk, target, tree.target.classes, said, scan.label) for chunk in table.chunks
        ]
        return X, [truth for chunk in truths for truth in chunk]


def _costs(written: str) -> Mapping[str, Any]:
    return {name: parse_scalar(value) for name, value in pairs_of(written, "costs").items()}


def _desired(tree: Any, written: str) -> Any:
    """Return what is desired, as `counterfactual` takes it."""
    from arboretum._data.levels import level_text

    classes = tree.target.classes
    limit, span = _LIMIT.fullmatch(written), _SPAN.fullmatch(written)
    if classes is None:
        if limit is not None and not limit[1].strip():
            number = _number(limit[3], written)
            return (number, None) if limit[2] == ">=" else (None, number)
        return (_number(span[1], written), _number(span[2], written)) if span else _number(written, written)
    named = {level_text(label): label for label in classes}
    if written not in named and limit is not None:
        number = _number(limit[3], written)
        if not 0 <= number <= 1:
            raise ParameterError(
                f"--desired {written!r} is not allowed: a probability is a number from 0 to 1, as in "
                "'yes>=0.8'."
            )
        return {named.get(limit[1], limit[1]): (number, None) if limit[2] == ">=" else (None, number)}
    return named.get(written, written)


def _number(text: str, written: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ParameterError(
            f"--desired {written!r} cannot be read; write a class, 'class>=0.8', 300, '>=300' or 200..300."
        ) from error
