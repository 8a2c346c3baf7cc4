"""From a lesson and the options of a command line to a fitted estimator.

Words: the *task* is classification or regression; a *preset* is an algorithm by its name. What is decided
here, because nobody has said it, is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from arboretum.cli.loading import Lesson
from arboretum.cli.option_names import ESTIMATOR_FLAGS, flag_of, naming_options
from arboretum.cli.speaking import Voice
from arboretum.cli.values import pairs_of, parse_matrix, parse_scalar, parse_value
from arboretum.errors import DataError, ParameterError, choices
from arboretum.plurals import many

__all__ = [
    "PRESETS",
    "TASKS",
    "Wishes",
    "check_for",
    "choose_task",
    "make_estimator",
    "read_costs",
    "read_wishes",
]

TASKS: Final = ("auto", "classification", "regression")
PRESETS: Final = {
    "id3": "id3",
    "c4.5": "c45",
    "cart": "cart",
    "decision-tree-train": "decision_tree_train",
}
_NUMBERS: Final = ("number", "integer")


def choose_task(task: str, lesson: Lesson, target: str, voice: Voice) -> str:
    """Return the task; where it is left open the target decides, and that is told."""
    is_number = lesson.target_kind in _NUMBERS
    if task == "regression" and not is_number and lesson.target_kind != "boolean":
        raise DataError(
            f"--task regression predicts numbers, but the target {target!r} is {lesson.target_kind}.\n"
            f"Hint: --numeric {target} tells which value is none, or choose --task classification."
        )
    if task != "auto":
        return task
    distinct = len(set(lesson.y))
    two_values = lesson.target_kind == "integer" and distinct <= 2
    found = "regression" if is_number and not two_values else "classification"
    reason = f"is {lesson.target_kind}" + (f" with {many(distinct, 'value')}" if two_values else "")
    other = "classification" if found == "regression" else "regression"
    instead = f"; --task {other} does the other" if is_number else ""
    voice.note(f"task: {found}, because the target {target!r} {reason}{instead}")
    return found


@dataclass(frozen=True)
class Wishes:
    """What was said about the estimator: its options are read and checked, before any table is."""

    preset: str | None
    options: Mapping[str, Any]
    seed: int | None

    def estimator(self, task: str) -> Any:
        """Return an estimator for this task; options that it does not have are refused."""
        from arboretum import TreeClassifier, TreeRegressor

        kind: Any = TreeClassifier if task == "classification" else TreeRegressor
        allowed = kind().get_params(deep=False)
        for name in self.options:
            if name not in allowed:
                raise ParameterError(f"{flag_of(name)} is for classes, but the task is {task}.")
        options = dict(self.options) | ({} if self.seed is None else {"random_state": self.seed})
        if self.preset is None:
            return kind(**options)
        method = _preset_of(self.preset)
        if not hasattr(kind, method):
            raise ParameterError(
                f"--preset {self.preset} is for classes, but the task is {task}; choose cart."
            )
        return getattr(kind, method)(**options)


def read_wishes(task: str, preset: str | None, written: Mapping[str, str | None], seed: int | None) -> Wishes:
    """Return the options as they were written; those that are None are left alone.

    Where the task is left open, they must be right for one of the two.
    """
    if task not in TASKS:
        raise ParameterError(choices("--task", task, TASKS))
    options = {name: _read_option(name, text) for name, text in written.items() if text is not None}
    wishes = Wishes(preset, options, seed)
    with naming_options(ESTIMATOR_FLAGS):
        check_for(task, wishes.estimator)
    return wishes


def check_for(task: str, make: Callable[[str], Any]) -> None:
    """Refuse an estimator whose options are wrong for the task, or for both where it is left open."""
    refusals = [_refusal(make, each) for each in (TASKS[1:] if task == "auto" else (task,))]
    if all(refusal is not None for refusal in refusals):
        # Of two refusals, one that knows what was meant says more.
        raise min(filter(None, refusals), key=lambda refusal: "Did you mean" not in str(refusal))


def _refusal(make: Callable[[str], Any], task: str) -> ParameterError | None:
    from arboretum.option_checks import check_options

    try:
        check_options(make(task).get_params(deep=False), of_classes=task == "classification")
    except ParameterError as error:
        return error
    return None


def make_estimator(task: str, wishes: Wishes, lesson: Lesson) -> Any:
    """Return the estimator for a table, whose classes and levels are known now."""
    estimator = wishes.estimator(task)
    for name in ("class_weight", "priors"):
        if isinstance(wishes.options.get(name), Mapping):
            estimator.set_params(**{name: _by_class(name, wishes.options[name], lesson.y)})
    if lesson.levels:
        estimator.set_params(categorical_features=dict(lesson.levels))
    if lesson.ordered:
        estimator.set_params(ordered_features=dict(lesson.ordered))
    return estimator


def _preset_of(written: str) -> str:
    key = re.sub(r"[^a-z0-9]", "", written.lower())
    found = {re.sub(r"[^a-z0-9]", "", name): method for name, method in PRESETS.items()}.get(key)
    if found is None:
        raise ParameterError(choices("--preset", written, PRESETS))
    return found


def _read_option(name: str, written: str) -> Any:
    flag = flag_of(name)[2:]
    match name:
        case "loss":
            return parse_matrix(written, flag)
        case "class_weight" | "priors" if "=" in written:
            return {label: _number(text, flag) for label, text in pairs_of(written, flag).items()}
        case "priors":
            return [_number(part, flag) for part in written.split(",")]
        case "column_costs":
            return read_costs(written)
        case "monotonic_cst":
            return {column: _direction(text, flag) for column, text in pairs_of(written, flag).items()}
        case _:
            return parse_value(written, flag)


def read_costs(written: str) -> dict[str, float]:
    """Return what columns cost, as in age=2,price=0.5."""
    flag = flag_of("column_costs")[2:]
    return {column: _number(text, flag) for column, text in pairs_of(written, flag).items()}


def _number(written: str, option: str) -> float:
    value = parse_scalar(written)
    if isinstance(value, str | bool | None):
        raise ParameterError(f"--{option}: {written.strip()!r} is no number.")
    return float(value) if isinstance(value, float) else int(value)


def _direction(written: str, option: str) -> int:
    value = parse_scalar(written)
    if isinstance(value, bool) or value not in (-1, 0, 1):
        raise ParameterError(
            f"--{option}: {written!r} is no direction; choose 1 (rising), 0 (free) or -1 (falling)."
        )
    return int(value)


def _by_class(name: str, pairs: Mapping[str, Any], labels: Iterable[Any]) -> dict[Any, Any]:
    """Return what was said about classes by the classes themselves, which were written as text."""
    known = {str(label): label for label in labels}
    for label in pairs:
        if label not in known:
            raise ParameterError(choices(f"{flag_of(name)}: class", label, sorted(known)[:20]))
    return {known[label]: value for label, value in pairs.items()}
