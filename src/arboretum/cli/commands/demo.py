"""`arboretum demo`: a tree for a bundled table, and files to continue with."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from arboretum._wording import visible
from arboretum.cli import options as o
from arboretum.cli.outputs import Format, check_new
from arboretum.cli.printing import Printer, wrote
from arboretum.errors import ParameterError

# The tables, and what their targets are called.
_TABLES: Final = {"penguins": "species", "iris": "species", "tennis": "play", "shoppers": "group"}
# The table, the model and the page.
_ENDINGS: Final = ("csv", "json", "html")


@o.grouped
def demo(
    table: Annotated[
        str, typer.Argument(help=f"{', '.join(_TABLES)}.", autocompletion=lambda: list(_TABLES))
    ] = "penguins",
    output: Annotated[
        str | None, o.option("A folder for the table, the model and an interactive page.", "--output", "-o")
    ] = None,
    force: Annotated[bool, o.option("Replace files that exist.", "--force")] = False,
    *,
    printer: Printer,
) -> None:
    """Grow a tree from a bundled table.

    It is printed; with -o, the table, the model and an interactive page are written to a folder.
    """
    from arboretum import TreeClassifier, datasets
    from arboretum.cli.cautions import Cautions

    o.check_choice("TABLE", table, _TABLES)
    files = [] if output is None else [str(Path(output) / f"{table}.{end}") for end in _ENDINGS]
    check_new(files, force=force)
    X, y = getattr(datasets, f"load_{table}")(backend="pyarrow")
    cautions = Cautions()
    with cautions.listening():
        model = TreeClassifier(competitors=3).fit(X, y)
    cautions.report(printer)
    document: dict[str, Any] = {
        "table": table,
        "rows": len(X),
        "leaves": model.get_n_leaves(),
        "depth": model.get_depth(),
        "accuracy": float(model.score(X, y)),
        "warnings": cautions.document,
    }
    text = f"A tree for the {document['rows']} rows of {table}, by {_TABLES[table]}:\n\n{model.tree_}\n\n"
    text += f"right on {document['accuracy']:.1%} of the rows it was grown from"
    if output is not None:
        try:
            Path(output).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ParameterError(f"{output!r} cannot be made a folder: {error.strerror}.") from error
        _write(files, table, X, y, model)
        document["files"] = files
        rows, stored, _ = map(shlex.quote, map(visible, files))
        more = "".join(f"\n{wrote(name)}" for name in files)
        more += f"\n\nGo on with: arboretum predict {stored} {rows} --keep {_TABLES[table]}"
    else:
        more = "\n\nWith -o demo it writes the table, the model and a page to look around in."
    printer.result(text if printer.quiet else text + more, document)


def _write(files: Sequence[str], table: str, X: Any, y: Any, model: Any) -> None:
    from arboretum import save
    from arboretum.cli.tables.writing import open_writer
    from arboretum.export import to_html

    rows, stored, page = files
    with open_writer(rows, Format("csv")) as writer:
        writer.write(X.append_column(_TABLES[table], y))
    save(model, stored)
    to_html(model, page, data={table: (X, y)}, title=f"{table}: {_TABLES[table]}")
