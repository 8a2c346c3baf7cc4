"""A table to learn from, and the estimator for it, from the options of a command line.

What is decided here because the options leave it open is reported in a note.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

import numpy as np

from arboretum import Experiment, TreeClassifier, TreeRanker, TreeRegressor
from arboretum._options.criteria import CriterionRule
from arboretum._options.exclusions import refuse_excluded
from arboretum._options.rules import OneOf, Rows, Rule
from arboretum._options.running import Threads
from arboretum._options.settings import read_settings
from arboretum._options.strategy import SignificanceRule, StrategyOr
from arboretum._options.table import options_for
from arboretum._wording import many
from arboretum.cli.options import (
    PRESETS,
    TASKS,
    ColumnKinds,
    TableText,
    check_choice,
    flag_of,
    flags_of,
    naming_options,
    option,
    parameter,
)
from arboretum.cli.printing import Printer
from arboretum.cli.tables.kinds import Report, find_columns, give_kinds
from arboretum.cli.tables.reading import read_table
from arboretum.cli.values import key_of, pairs_of, parse_matrix, parse_scalar, parse_value
from arboretum.errors import DataError, ParameterError, choices, listing


@dataclass(frozen=True)
class TrainingTable:
    """A table to learn from: columns X, target y, and what else there is for each row."""

    X: Any
    y: Any
    target_kind: str
    weights: Any = None
    groups: Any = None
    times: Any = None
    levels: Any = None
    ordered: Any = None
    reports: tuple[Report, ...] = ()
    said_nominal: tuple[str, ...] = ()

    @property
    def told(self) -> set[str]:
        """The columns that a note is about."""
        return {report.name for report in self.reports if report.notes}

    @property
    def document(self) -> list[dict[str, Any]]:
        """What the columns were taken for, for machines."""
        return [
            {
                "name": report.name,
                "kind": report.kind,
                "missing": report.missing,
                "missing_values": dict(report.tokens),
                "notes": list(report.notes),
            }
            for report in self.reports
        ]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.X.num_rows)

    def hold_out(
        self, share: float | None, task: str, seed: int | None
    ) -> tuple[TrainingTable, TrainingTable | None]:
        """Return the rows to learn from and those to test on; classes in their shares, groups whole."""
        if share is None:
            return self, None
        split = Experiment(
            self.X,
            self.y,
            split=(1 - share, share),
            groups=self.groups,
            sample_weight=self.weights,
            loss="misclassification" if task == "classification" else "squared_error",
            random_state=seed,
        ).split
        return self._take(split.training), self._take(split.test)

    def _take(self, rows: Any) -> TrainingTable:
        def some(values: Any) -> Any:
            return None if values is None else np.asarray(values, dtype=object)[rows].tolist()

        parts = {name: some(getattr(self, name)) for name in ("y", "weights", "groups", "times")}
        return replace(self, X=self.X.take(rows), **parts)


def read_training_table(
    path: str,
    target: str,
    kinds: ColumnKinds,
    text: TableText,
    printer: Printer,
    *,
    weights: str | None = None,
    groups: str | None = None,
    time: str | None = None,
) -> TrainingTable:
    """Read a table, show what its columns were taken for, and separate the target from the rest."""
    said = text.choices(kinds)
    table = read_table(path, text.format_of(path), text.dialect)
    named = {"target": target, "weights": weights, "groups": groups, "time": time}
    given = {role: name for role, name in named.items() if name is not None}
    for role, name in given.items():
        _find_column(table.names, name, f"--{role}", text)
        if name in said.drop:
            raise ParameterError(f"--{role} names the column {name!r}, which --drop leaves out.")
    roles = {name: role for role, name in given.items()}
    if len(roles) < len(given):
        raise ParameterError("--target, --weights, --groups and --time must be different columns.")
    typed = give_kinds(table, said)
    for note in table.notes:
        printer.note(f"{table.label}: {note}")
    printer.note(f"{table.label}: {many(len(table), 'row')}, {many(len(table.names), 'column')}")
    printer.kinds(typed.reports, roles)
    X = typed.columns.drop_columns([name for name in typed.columns.column_names if name in roles])
    if not X.num_columns:
        raise DataError(
            f"{table.label} has no column besides {listing(list(roles))}; there is nothing to ask about."
        )
    values: dict[str, Any] = {role: typed.columns.column(name).to_pylist() for role, name in given.items()}
    missing = values["target"].count(None)
    if missing:
        raise DataError(
            f"{table.label}: the target {target!r} is missing in {missing:,} of {len(table):,} rows "
            f"(first: {table.where(values['target'].index(None))}).\n"
            "Hint: leave these rows out; nothing can be learnt from them."
        )
    levels, ordered = (
        {name: found for name, found in declared.items() if name not in roles}
        for declared in (typed.levels, typed.ordered)
    )
    target_kind = next(report.kind for report in typed.reports if report.name == target)
    y, weight, group, moment = (values.get(role) for role in named)
    return TrainingTable(
        X, y, target_kind, weight, group, moment, levels, ordered, typed.reports, said.nominal
    )


def _find_column(names: Sequence[str], name: str, option: str, text: TableText) -> None:
    try:
        find_columns(names, [name], option)
    except ParameterError as error:
        other = next((sign for sign in ";\t|" if len(names) == 1 and sign in names[0]), None)
        if other is None or text.separator is not None:
            raise
        shown = "tab" if other == "\t" else repr(other)
        raise ParameterError(
            f"{error}\nHint: the fields seem to be separated by {shown}: --separator {shown}."
        ) from None


def choose_task(task: str, table: TrainingTable, target: str, printer: Printer) -> str:
    """Return the task; where it is left open, the target decides, and a note says so."""
    kind = table.target_kind
    is_number = kind in ("number", "integer")
    if task in ("regression", "ranking") and not is_number and kind != "boolean":
        raise DataError(
            f"--task {task} takes numbers, but the target {target!r} is {kind}.\n"
            f"Hint: --numeric {target} tells which value is none, or choose --task classification."
        )
    if task == "ranking" and table.groups is None:
        raise ParameterError(
            "--task ranking puts the rows of each query in an order.\n"
            "Hint: --groups names the column that says which query a row belongs to."
        )
    if task != "auto":
        return task
    distinct = len(set(table.y))
    two_values = kind == "integer" and distinct <= 2
    found = "regression" if is_number and not two_values else "classification"
    reason = f"is {kind}" + (f" with {many(distinct, 'value')}" if two_values else "")
    other = "classification" if found == "regression" else "regression"
    instead = f"; --task {other} does the other" if is_number else ""
    printer.note(f"task: {found}, because the target {target!r} {reason}{instead}")
    return found


# How values of more than a word are written here.
_WRITTEN: Final = {
    "class_weight": "balanced, or ill=5,well=1",
    "priors": "ill=0.01,well=0.99",
    "loss": "a row for each true class, '0,10;1,0'",
    "column_costs": "age=2,price=0.5",
    "monotonic_cst": "age=1,price=-1",
}
# Options that have others in their place.
_NOT_HERE: Final = ("random_state", "verbose", "categorical_features", "ordered_features")


def estimator_options() -> dict[str, inspect.Parameter]:
    """Return an option for every parameter of the estimators, by the library's name."""
    both = options_for("classes") | options_for("numbers")
    return {
        name: parameter(flag_of(name)[2:].replace("-", "_"), Annotated[str | None, _typer_option(name)])
        for name in both
        if name not in _NOT_HERE
    }


def _typer_option(name: str) -> Any:
    classes, numbers = (options_for(target).get(name) for target in ("classes", "numbers"))
    found = classes or numbers
    assert found is not None
    words = _WRITTEN.get(name, _words(found.rule))
    if classes and numbers and _words(numbers.rule) != _words(classes.rule):
        words += f"; for numbers {_words(numbers.rule)}"
    return option(
        f"{found.help.rstrip('.')}: {words}." if words else found.help,
        flag_of(name),
        panel="How the tree is grown and pruned",
    )


def _words(rule: Rule) -> str:
    """Return the choices that a rule allows; nothing for numbers, which the help describes."""
    if not isinstance(rule, OneOf | Rows | StrategyOr | CriterionRule | SignificanceRule | Threads):
        return ""
    return rule.words.replace("None", "none").replace("'", "")


def estimator_flags() -> dict[str, str]:
    """Return the flags of the estimators' parameters, and of what else `fit` passes on."""
    both = options_for("classes") | options_for("numbers")
    return flags_of([name for name in both if name != "verbose"] + ["sample_weight"])


_ESTIMATORS: Final[dict[str, Any]] = {
    "classification": TreeClassifier,
    "regression": TreeRegressor,
    "ranking": TreeRanker,
}


@dataclass(frozen=True)
class EstimatorChoice:
    """The estimator that the options describe; they are read and checked before any table is."""

    preset: str | None
    options: Mapping[str, Any]
    seed: int | None

    def estimator(self, task: str) -> Any:
        """Return an estimator for this task; refuse options that it does not have."""
        kind = _ESTIMATORS[task]
        allowed = kind().get_params(deep=False)
        for name in self.options:
            if name not in allowed:
                raise ParameterError(f"{flag_of(name)} is not an option of the task {task}.")
        options = dict(self.options) | ({} if self.seed is None else {"random_state": self.seed})
        if self.preset is None:
            return kind(**options)
        methods = {key_of(name): method for name, method in PRESETS.items()}
        method = methods.get(key_of(self.preset))
        if method is None:
            raise ParameterError(choices("--preset", self.preset, PRESETS))
        if not hasattr(kind, method):
            instead = "leave it out" if task == "ranking" else "choose cart"
            raise ParameterError(f"--preset {self.preset} is not for the task {task}; {instead}.")
        return getattr(kind, method)(**options)

    def estimator_for(self, task: str, table: TrainingTable) -> Any:
        """Return the estimator for a table, whose classes and levels are known now."""
        estimator = self.estimator(task)
        for name in ("class_weight", "priors"):
            if isinstance(self.options.get(name), Mapping):
                estimator.set_params(**{name: _by_class(name, self.options[name], table.y)})
        if table.levels:
            estimator.set_params(categorical_features=dict(table.levels))
        if table.ordered:
            estimator.set_params(ordered_features=dict(table.ordered))
        return estimator


def read_estimator(
    task: str,
    preset: str | None,
    written: Mapping[str, str | None],
    seed: int | None,
    tasks: Sequence[str] = TASKS,
) -> EstimatorChoice:
    """Return the estimator that is described; options that are None are left alone.

    Where the task is left open, the options must be right for one of the two.
    """
    check_choice("--task", task, tasks)
    options = {name: read_option(name, text) for name, text in written.items() if text is not None}
    chosen = EstimatorChoice(preset, options, seed)
    with naming_options(estimator_flags()):
        check_for(task, chosen.estimator)
    return chosen


def check_for(task: str, make: Callable[[str], Any]) -> None:
    """Refuse an estimator whose options are wrong for the task, or for both where it is left open."""
    refusals = [_refusal(make, each) for each in (TASKS[1:] if task == "auto" else (task,))]
    if all(refusal is not None for refusal in refusals):
        # Of two refusals, the one with a suggestion says more.
        raise min(filter(None, refusals), key=lambda refusal: "Did you mean" not in str(refusal))


def _refusal(make: Callable[[str], Any], task: str) -> ParameterError | None:
    try:
        params = make(task).get_params(deep=False)
        of_classes, of_order = task == "classification", task == "ranking"
        refuse_excluded(read_settings(params, of_classes=of_classes, of_order=of_order))
    except ParameterError as error:
        return error
    return None


def read_option(name: str, written: str) -> Any:
    """Return the value of an estimator's option as it is written on a command line."""
    flag = flag_of(name)[2:]
    match name:
        case "loss":
            return parse_matrix(written, flag)
        case "class_weight" | "priors" if "=" in written:
            return _numbers_by_name(written, flag)
        case "priors":
            return [_number(part, flag) for part in written.split(",")]
        case "column_costs":
            return _numbers_by_name(written, flag)
        case "monotonic_cst":
            return {column: _direction(text, flag) for column, text in pairs_of(written, flag).items()}
        case _:
            return parse_value(written, flag)


def _numbers_by_name(written: str, option: str) -> dict[str, float]:
    return {name: _number(text, option) for name, text in pairs_of(written, option).items()}


def _number(written: str, option: str) -> float:
    value = parse_scalar(written)
    if isinstance(value, str | bool | None):
        raise ParameterError(f"--{option}: {written.strip()!r} is not a number.")
    return float(value) if isinstance(value, float) else int(value)


def _direction(written: str, option: str) -> int:
    value = parse_scalar(written)
    if isinstance(value, bool) or value not in (-1, 0, 1):
        raise ParameterError(
            f"--{option}: {written!r} is not a direction; choose 1 (rising), 0 (free) or -1 (falling)."
        )
    return int(value)


def _by_class(name: str, pairs: Mapping[str, Any], labels: Iterable[Any]) -> dict[Any, Any]:
    """Return values by class; on the command line, classes are text."""
    known = {str(label): label for label in labels}
    for label in pairs:
        if label not in known:
            raise ParameterError(choices(f"{flag_of(name)}: class", label, sorted(known)[:20]))
    return {known[label]: value for label, value in pairs.items()}
