"""Options that several commands take, each with its name and help, and how commands take groups of them.

`--nominal` names columns, so the estimators' option of that name is `--nominal-questions` here.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Final, get_type_hints

import typer

from arboretum.cli.outputs import FORMATS, Format, format_of
from arboretum.cli.values import names_of
from arboretum.errors import DataError, ParameterError, choices

if TYPE_CHECKING:
    from arboretum.cli.tables.kinds import Choices
    from arboretum.cli.tables.reading import Dialect

TASKS: Final = ("auto", "classification", "regression")
FIT_TASKS: Final = (*TASKS, "ranking")
PRESETS: Final = {"id3": "id3", "c4.5": "c45", "cart": "cart", "decision-tree-train": "decision_tree_train"}


# The options of an estimator as they are written, by their names in the library; None: not given. Their table
# is the library's, which takes time to load, so they are added when the command is called.
EstimatorOptions = dict[str, str | None]


def option(help: str, *flags: str, one_of: Iterable[str] = (), panel: str | None = None, **extra: Any) -> Any:
    """Return an option with its help; shells complete the names of `one_of`."""
    known = list(one_of)
    if known:
        extra["autocompletion"] = lambda: known
    return typer.Option(*flags, help=help or f"{', '.join(known)}.", rich_help_panel=panel, **extra)


_TABLE: Final = "A table: CSV, TSV, JSON lines, ARFF, Parquet or Arrow, also .gz; - is standard input."
_FORCE: Final = "Write the file even where that replaces an input or a file of another kind."
Data = Annotated[str, typer.Argument(help=_TABLE)]
Model = Annotated[str, typer.Argument(help="A model file, as `arboretum fit -o` writes it.")]
Target = Annotated[str, option("The column to predict.", "--target", "-t")]
TrueValues = Annotated[
    str | None, option("The true values; else the one column the model does not ask about.", "--target", "-t")
]
Task = Annotated[str, option("auto, classification or regression.", one_of=TASKS)]
FitTask = Annotated[str, option("auto, classification, regression or ranking.", one_of=FIT_TASKS)]
Preset = Annotated[str | None, option("", one_of=PRESETS)]
Weights = Annotated[str | None, option("The column that says how much each row counts.")]
Groups = Annotated[str | None, option("The column whose groups stay together; for ranking, the queries.")]
Output = Annotated[str | None, option("A file; else standard output.", "--output", "-o")]
Force = Annotated[bool, option(_FORCE, "--force")]
Seed = Annotated[int | None, option("How rows are shuffled; without it, always the same way.", "--seed")]
Names = list[str] | None

_KINDS: Final = "What the columns are"
_ORDERED: Final = (
    "A column with its levels in order: size=small,medium,large; or its name, if the file lists them."
)
_TEXT: Final = "How the table is written"
_MISSING: Final = (
    "Texts that stand for a missing value, with commas; instead of ',NA,N/A,NaN,nan,null,NULL,?'."
)
_FORMAT: Final = f"The table's format, if its name does not tell: {', '.join(FORMATS)}."


@dataclass(frozen=True)
class ColumnKinds:
    """What the user says about columns, by name."""

    nominal: Annotated[Names, option("Columns to take as text: a,b. May be repeated.", panel=_KINDS)] = None
    numeric: Annotated[Names, option("Columns that must be numbers: a,b.", panel=_KINDS)] = None
    ordered: Annotated[Names, option(_ORDERED, panel=_KINDS)] = None
    drop: Annotated[Names, option("Columns to leave out: id,name.", panel=_KINDS)] = None


@dataclass(frozen=True)
class TableText:
    """How a table is written."""

    missing_values: Annotated[str | None, option(_MISSING, panel=_TEXT)] = None
    decimal: Annotated[str, option("The decimal mark: '.' or ','.", panel=_TEXT)] = "."
    separator: Annotated[
        str | None, option("What separates fields, if not a comma: ';', 'tab'.", panel=_TEXT)
    ] = None
    encoding: Annotated[str, option("Of text files: utf-8, utf-16, latin-1, …", panel=_TEXT)] = "utf-8"
    no_header: Annotated[
        bool, option("The first row is data; columns are called x0, x1, …", "--no-header", panel=_TEXT)
    ] = False
    format: Annotated[str | None, option(_FORMAT, one_of=FORMATS, panel=_TEXT)] = None

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
    for given in inspect.signature(command, eval_str=True).parameters.values():
        if is_dataclass(given.annotation):
            groups[given.name] = given.annotation, _fields_of(given.annotation)
        elif given.annotation is EstimatorOptions:
            groups[given.name] = dict, tables.get(given.name, {})
        else:
            parameters.append(given.replace(kind=given.KEYWORD_ONLY))
            continue
        parameters += groups[given.name][1].values()

    @wraps(command)
    def run(**values: Any) -> None:
        for group, (make, members) in groups.items():
            values[group] = make(**{name: values.pop(each.name) for name, each in members.items()})
        command(**values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _fields_of(group: Any) -> dict[str, inspect.Parameter]:
    types = get_type_hints(group, include_extras=True)
    return {field.name: parameter(field.name, types[field.name], field.default) for field in fields(group)}


def check_choice(flag: str, value: object, allowed: Collection[str]) -> None:
    """Refuse a value that is not one of the names."""
    if value not in allowed:
        raise ParameterError(choices(flag, value, allowed))


def plain_or(write: Callable[[Any], str], value: Any) -> Any:
    """Return a value that JSON can hold as it is, and any other as text."""
    return value if isinstance(value, str | bool | int | float | None) else write(value)


def parameter(name: str, annotation: Any, default: Any = None) -> inspect.Parameter:
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
        raise type(error)(renamed(str(error), flags)) from error


def renamed(message: str, flags: Mapping[str, str]) -> str:
    """Return a message with flags for options.

    >>> renamed("max_depth=0 is not allowed; give 1 or more, or None.", {"max_depth": "--max-depth"})
    '--max-depth=0 is not allowed; give 1 or more, or none.'
    """
    # Inside quotes or parentheses it is a name in the data, or an option of a strategy.
    found = re.compile(rf"(?<![\w'\"(.-])({'|'.join(map(re.escape, flags))})(=|\b(?![='\"(]))")

    def flag(match: re.Match[str]) -> str:
        name, sign = match[1], match[2]
        is_option = bool(sign) or "_" in name or name in _ALWAYS
        return f"{flags[name]}{sign}" if is_option else match[0]

    flagged = found.sub(flag, message).replace("--priors or loss", "--priors or --loss")
    return re.sub(r"\bNone\b", "none", flagged)
