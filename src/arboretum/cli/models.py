"""Models from files, and the tables that they predict, chunk by chunk."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from arboretum._data import Column
from arboretum._data.levels import level_text
from arboretum._store.model_files import load, save
from arboretum._tree.fitted import tree_of
from arboretum._tree.multi_tree import MultiTree, several_of
from arboretum._wording import many, shown
from arboretum.cli.options import TableText
from arboretum.cli.outputs import STANDARD
from arboretum.cli.printing import Printer, wrote
from arboretum.cli.tables.reading import scan_table
from arboretum.cli.tables.table import Scan
from arboretum.errors import DataError, DataTypeError, listing


@dataclass(frozen=True)
class Output:
    """What a model predicts: by which model, and what is put before its names if there are several."""

    model: Any
    classes: tuple[Any, ...] | None
    prefix: str = ""


def load_model(path: str, *, outputs: bool = False, ensembles: bool = False) -> tuple[Any, Any]:
    """Return the model of a file and its tree, which may be the same; of several `outputs` if allowed.

    If `ensembles` are allowed, the tree is their first: all of them know the same columns and classes.
    """
    model = load(path)
    if outputs and (several := several_of(model)) is not None:
        return model, several
    if ensembles and hasattr(model, "trees_"):
        return model, model.trees_[0]
    _check_one_tree(model, path)
    return model, tree_of(model, "arboretum", models=True)


def _check_one_tree(model: Any, path: str) -> None:
    """Refuse an ensemble, and a tree of several outputs."""
    trees, outputs = getattr(model, "trees_", None), getattr(model, "output_names_", None)
    if isinstance(model, MultiTree):
        outputs = model.names
    if trees is not None:
        raise DataTypeError(
            f"The file {shown(path)} holds {many(len(trees), 'tree')} of a {type(model).__name__}, but this "
            "command is for one.\nHint: arboretum.load() in Python predicts with them all."
        )
    if outputs is not None:
        raise DataTypeError(
            f"The tree in the file {shown(path)} has {len(outputs)} outputs, {listing(list(outputs))}, but "
            "this command is for one.\nHint: fit a tree to each of them, or use arboretum.load() in Python."
        )


def outputs_of(model: Any, tree: Any) -> list[Output]:
    """Return what a model, with its tree or trees, predicts."""
    if not isinstance(tree, MultiTree):
        return [Output(model, tree.target.classes)]
    return [
        Output(model.outputs_[name], one.target.classes, f"{name}_")
        for name, one in zip(tree.names, tree.outputs, strict=True)
    ]


def write_model(
    model: Any, path: str | None, summary: str, result: str, document: dict[str, Any], printer: Printer
) -> None:
    """Write a model to its file, if it has one, and print the summary and the result of the work.

    Of a model in a file, nobody needs the summary who wants it quiet. Either text may be empty.
    """
    texts = [summary, result]
    if path is not None:
        save(model, path)
        document["model"] = path
        texts = [result] if printer.quiet else [summary, result, wrote(path)]
    if printer.json or any(texts):
        printer.result("\n\n".join(filter(None, texts)), document)


@contextmanager
def scan_with_notes(path: str, text: TableText, what: str, printer: Printer, bar: Printer) -> Iterator[Scan]:
    """Open a table for reading in chunks, with a progress bar and the reader's notes."""
    try:
        size = None if path == STANDARD else os.stat(path).st_size
    except OSError:
        size = None
    with (
        bar.progress(what, size) as on_progress,
        scan_table(path, text.format_of(path), text.dialect, on_progress) as scan,
    ):
        for note in scan.notes:
            printer.note(f"{scan.label}: {note}")
        yield scan


def columns_of(model: Any, tree: Any, names: Sequence[str], printer: Printer) -> tuple[Column, ...]:
    """Return the columns that a model asks about, by the names they have in the table.

    A model that was fitted to an array knows its columns by position only.
    """
    tree = tree[0] if isinstance(tree, MultiTree) else tree  # all outputs ask about the same columns
    columns: tuple[Column, ...] = tree.columns
    named = getattr(model, "_named", None)
    if named is None:
        named = tree._is_named
    if named or {column.name for column in columns} <= set(names):
        return columns
    if len(names) != len(columns):
        raise DataError(
            f"The model knows its {many(len(columns), 'column')} by place, but the table has {len(names)}.\n"
            "Hint: give a table of the same columns, in the same order."
        )
    printer.note("the model knows its columns by place: they are taken in the order of the table")
    return tuple(replace(column, name=name) for column, name in zip(columns, names, strict=True))


@dataclass
class UnknownLevels:
    """How many rows hold a level that the model does not know, by column, with an example."""

    document: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, column: str, levels: dict[object, int]) -> None:
        """Count the unknown levels of a column in some rows; `predict(unknown=…)` calls it."""
        seen = self.document.setdefault(column, {"rows": 0, "example": level_text(next(iter(levels)))})
        seen["rows"] += sum(levels.values())

    def report(self, printer: Printer, n_rows: int) -> None:
        """Print a note for each column that has some."""
        for column, seen in self.document.items():
            printer.note(
                f"{column}: {seen['rows']:,} of {n_rows:,} rows hold a level that the model does not know, "
                f"such as {shown(seen['example'])}; it counts as missing"
            )
