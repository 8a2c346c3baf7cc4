"""Options that several commands take, each with its name and help, and how commands take groups of them.

`--nominal` names columns, so the estimators' option of that name is `--nominal-questions` here.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Final, get_type_hints

import typer

from arboretum.cli.formats import FORMATS, Format, format_of
from arboretum.cli.values import names_of
from arboretum.errors import DataError, ParameterError

if TYPE_CHECKING:
    from arboretum.cli.tables.kinds import Choices
    from arboretum.cli.tables.reading import Dialect

_KINDS: Final = "What the columns are"
_TEXT: Final = "How the table is written"
TASKS: Final = ("auto", "classification", "regression")
PRESETS: Final = {"id3": "id3", "c4.5": "c45", "cart": "cart", "decision-tree-train": "decision_tree_train"}


# The options of an estimator as they are written, by their names in the library; None: not given. Their table
# is the library's, which takes time to load, so they are added when the command is called.
EstimatorOptions = dict[str, str | None]


def _one_of(names: Iterable[str], *flags: str, help: str = "", **extra: Any) -> Any:
    """Return an option that takes one of the names, which shells complete."""
    known = list(names)
    return typer.Option(*flags, help=help or f"{', '.join(known)}.", autocompletion=lambda: known, **extra)


Data = Annotated[
    str,
    typer.Argument(
        help="A table: CSV, TSV, JSON lines, ARFF, Parquet or Arrow, also .gz; - is standard input."
    ),
]
Model = Annotated[str, typer.Argument(help="A model file, as `arboretum fit -o` writes it.")]
Target = Annotated[str, typer.Option("--target", "-t", help="The column to predict.")]
Task = Annotated[str, _one_of(TASKS, help="auto, classification or regression.")]
Preset = Annotated[str | None, _one_of(PRESETS)]
Weights = Annotated[str | None, typer.Option(help="The column that says how much each row counts.")]
Groups = Annotated[str | None, typer.Option(help="The column whose groups stay together.")]
Output = Annotated[str | None, typer.Option("--output", "-o", help="A file; else standard output.")]
Force = Annotated[
    bool,
    typer.Option(
        "--force", help="Write the file even where that replaces an input or a file of another kind."
    ),
]
Seed = Annotated[
    int | None, typer.Option("--seed", help="How rows are shuffled; without it, always the same way.")
]


@dataclass(frozen=True)
class ColumnKinds:
    """What the user says about columns, by name."""

    nominal: Annotated[
        list[str] | None,
        typer.Option(help="Columns to take as text: a,b. May be repeated.", rich_help_panel=_KINDS),
    ] = None
    numeric: Annotated[
        list[str] | None, typer.Option(help="Columns that must be numbers: a,b.", rich_help_panel=_KINDS)
    ] = None
    ordered: Annotated[
        list[str] | None,
        typer.Option(
            help="A column with its levels in order: size=small,medium,large; or its name, if the file "
            "lists them.",
            rich_help_panel=_KINDS,
        ),
    ] = None
    drop: Annotated[
        list[str] | None, typer.Option(help="Columns to leave out: id,name.", rich_help_panel=_KINDS)
    ] = None


@dataclass(frozen=True)
class TableText:
    """How a table is written."""

    missing_values: Annotated[
        str | None,
        typer.Option(
            help="Texts that stand for a missing value, with commas; instead of "
            "',NA,N/A,NaN,nan,null,NULL,?'.",
            rich_help_panel=_TEXT,
        ),
    ] = None
    decimal: Annotated[str, typer.Option(help="The decimal mark: '.' or ','.", rich_help_panel=_TEXT)] = "."
    separator: Annotated[
        str | None,
        typer.Option(help="What separates fields, if not a comma: ';', 'tab'.", rich_help_panel=_TEXT),
    ] = None
    encoding: Annotated[
        str, typer.Option(help="Of text files: utf-8, utf-16, latin-1, …", rich_help_panel=_TEXT)
    ] = "utf-8"
    no_header: Annotated[
        bool,
        typer.Option(
            "--no-header", help="The first row is data; columns are called x0, x1, …", rich_help_panel=_TEXT
        ),
    ] = False
    format: Annotated[
        str | None,
        _one_of(
            FORMATS,
            help=f"The table's format, if its name does not tell: {', '.join(FORMATS)}.",
            rich_help_panel=_TEXT,
        ),
    ] = None

    def format_of(self, path: str) -> Format:
        """Return the format of a file."""
        return format_of(path, self.format)

    @property
    def dialect(self) -> Dialect:
        """How text is written."""
        from arboretum.cli.tables.reading import Dialect

        return Dialect(self.separator, self.encoding, not self.no_header)

    def choices(self, kinds: ColumnKinds | None = None) -> Choices:
        """Return what the user says about the columns and their cells."""
        from arboretum.cli.tables.cells import parse_tokens
        from arboretum.cli.tables.kinds import Choices

        if self.decimal not in (".", ","):
            raise ParameterError(f"--decimal {self.decimal!r} is not allowed; choose '.' or ','.")
        said = kinds or ColumnKinds()
        return Choices(
            names_of(said.nominal),
            names_of(said.numeric),
            names_of(said.drop),
            {name: levels for text in said.ordered or () for name, levels in _levels_in_order(text).items()},
            parse_tokens(self.missing_values),
            self.decimal,
        )


def _levels_in_order(written: str) -> dict[str, tuple[str, ...]]:
    """Return {column: levels} for `size=small,large`, or columns without levels for `size,grade`."""
    name, sign, levels = written.partition("=")
    if not sign:
        return dict.fromkeys(names_of([written]), ())
    found = tuple(level.strip() for level in levels.split(","))
    if not name.strip() or not all(found) or len(set(found)) < len(found):
        raise ParameterError(
            f"--ordered {written!r} cannot be read.\n"
            "Hint: write the column and its levels, each once: size=small,medium,large."
        )
    return {name.strip(): found}


def grouped(command: Callable[..., None], **tables: Mapping[str, inspect.Parameter]) -> Callable[..., None]:
    """Return the command with the options of each of its groups.

    A parameter whose type is a dataclass is a group of its fields; `tables` has the options of other groups,
    by the name of the parameter, which becomes a dict. Without its table such a group is empty.
    """
    parameters: list[inspect.Parameter] = []
    groups: dict[str, tuple[Any, Mapping[str, inspect.Parameter]]] = {}
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        if is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation, _fields_of(parameter.annotation)
        elif parameter.annotation is EstimatorOptions:
            groups[parameter.name] = dict, tables.get(parameter.name, {})
        else:
            parameters.append(parameter.replace(kind=parameter.KEYWORD_ONLY))
            continue
        parameters += groups[parameter.name][1].values()

    @wraps(command)
    def run(**given: Any) -> None:
        for group, (make, members) in groups.items():
            given[group] = make(**{name: given.pop(option.name) for name, option in members.items()})
        command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _fields_of(group: Any) -> dict[str, inspect.Parameter]:
    types = get_type_hints(group, include_extras=True)
    return {field.name: option(field.name, types[field.name], field.default) for field in fields(group)}


def option(name: str, annotation: Any, default: Any = None) -> inspect.Parameter:
    """Return an option of a command as a parameter."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


# Names of options, here and in the library

_OTHER_NAMES: Final = {
    "nominal": "--nominal-questions",
    "monotonic_cst": "--monotonic",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "sample_weight": "--weights",
    "categorical_features": "--nominal",
    "ordered_features": "--ordered",
}
# Words that are options wherever they stand; the others are only where a value follows.
_ALWAYS: Final = ("priors", "significance")


def flag_of(name: str) -> str:
    """Return an option of the library as the command line writes it.

    >>> flag_of("max_depth"), flag_of("n_jobs")
    ('--max-depth', '--jobs')
    """
    return _OTHER_NAMES.get(name, f"--{name.replace('_', '-')}")


def flags_of(names: Iterable[str]) -> dict[str, str]:
    """Return the flag of each option."""
    return {name: flag_of(name) for name in names}


@contextmanager
def naming_options(flags: Mapping[str, str]) -> Iterator[None]:
    """Let errors of the library name these options by their flags."""
    try:
        yield
    except (ParameterError, DataError) as error:
        raise type(error)(_renamed(str(error), flags)) from error


def _renamed(message: str, flags: Mapping[str, str]) -> str:
    """Return a message with flags for options.

    >>> _renamed("max_depth=0 is not allowed; give 1 or more, or None.", {"max_depth": "--max-depth"})
    '--max-depth=0 is not allowed; give 1 or more, or none.'
    """
    # Inside quotes or parentheses it is a name in the data, or an option of a strategy.
    found = re.compile(rf"(?<![\w'\"(.-])({'|'.join(map(re.escape, flags))})(=|\b(?![='\"(]))")

    def flag(match: re.Match[str]) -> str:
        name, sign = match[1], match[2]
        is_option = bool(sign) or "_" in name or name in _ALWAYS
        return f"{flags[name]}{sign}" if is_option else match[0]

    renamed = found.sub(flag, message).replace("--priors or loss", "--priors or --loss")
    return re.sub(r"\bNone\b", "none", renamed)
