"""Options that several commands take, each with its name and help, in one place.

Words: those of the library; `--nominal` names columns, so that the estimator's option of that name is
`--nominal-questions` here.
"""

from __future__ import annotations

from typing import Annotated

import typer

from arboretum.tables.formats import FORMATS

__all__ = [
    "Data",
    "Decimal",
    "Drop",
    "Encoding",
    "Force",
    "InFormat",
    "Json",
    "MissingValues",
    "Model",
    "NoHeader",
    "Nominal",
    "Numeric",
    "Ordered",
    "Quiet",
    "Seed",
    "Separator",
    "Target",
]

_READING = "How the table is written"
_KINDS = "What the columns are"

Data = Annotated[
    str,
    typer.Argument(
        help="A table: CSV, TSV, JSON lines, ARFF, Parquet or Arrow, also .gz; - is standard input."
    ),
]
Model = Annotated[str, typer.Argument(help="A model file, as `arboretum fit -o` writes it.")]
Target = Annotated[str, typer.Option("--target", "-t", help="The column that is to be predicted.")]
Json = Annotated[bool, typer.Option("--json", help="A JSON document on standard output, and no notes.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes on standard error.")]
Force = Annotated[
    bool,
    typer.Option(
        "--force", help="Write the file even where that replaces an input or a file of another kind."
    ),
]
Seed = Annotated[
    int | None, typer.Option("--seed", help="How rows are shuffled; without it, always the same way.")
]

InFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        help=f"The table's format, if its name does not tell: {', '.join(FORMATS)}.",
        autocompletion=lambda: list(FORMATS),
        rich_help_panel=_READING,
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator",
        help="What stands between fields, if not a comma: ';', 'tab'.",
        rich_help_panel=_READING,
    ),
]
Encoding = Annotated[
    str, typer.Option("--encoding", help="Of text files: utf-8, utf-16, latin-1, …", rich_help_panel=_READING)
]
Decimal = Annotated[
    str, typer.Option("--decimal", help="The decimal mark: '.' or ','.", rich_help_panel=_READING)
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header", help="The first row is data; columns are called x0, x1, …", rich_help_panel=_READING
    ),
]
MissingValues = Annotated[
    str | None,
    typer.Option(
        "--missing-values",
        help="Texts that stand for a missing value, with commas; instead of ',NA,N/A,NaN,nan,null,NULL,?'.",
        rich_help_panel=_READING,
    ),
]
Nominal = Annotated[
    list[str] | None,
    typer.Option(
        "--nominal", help="Columns to be taken as text: a,b. May be repeated.", rich_help_panel=_KINDS
    ),
]
Numeric = Annotated[
    list[str] | None,
    typer.Option("--numeric", help="Columns that must be numbers: a,b.", rich_help_panel=_KINDS),
]
Ordered = Annotated[
    list[str] | None,
    typer.Option(
        "--ordered",
        help="A column with its levels in order: size=small,medium,large; its name, if the file lists them.",
        rich_help_panel=_KINDS,
    ),
]
Drop = Annotated[
    list[str] | None, typer.Option("--drop", help="Columns to be left out: id,name.", rich_help_panel=_KINDS)
]
