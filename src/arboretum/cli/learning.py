"""From a lesson and the options of a command line to a fitted estimator.

Words: the *task* is classification or regression; a *preset* is an algorithm by its name. What is decided
here, because nobody has said it, is told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from arboretum.cli.loading import Lesson
from arboretum.cli.speaking import Voice
from arboretum.cli.values import pairs_of, parse_matrix, parse_scalar, parse_value
from arboretum.errors import DataError, ParameterError, choices

__all__ = ["PRESETS", "TASKS", "choose_task", "make_estimator"]

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
    if task not in TASKS:
        raise ParameterError(choices("--task", task, TASKS))
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
    reason = f"is {lesson.target_kind}" + (f" with {distinct} values" if two_values else "")
    other = "classification" if found == "regression" else "regression"
    instead = f"; --task {other} does the other" if is_number else ""
    voice.note(f"task: {found}, because the target {target!r} {reason}{instead}")
    return found


def make_estimator(
    task: str, preset: str | None, written: Mapping[str, str | None], lesson: Lesson, seed: int | None
) -> Any:
    """Return an estimator with the options as they were written; those that are None are left alone."""
    from arboretum import TreeClassifier, TreeRegressor

    kind: Any = TreeClassifier if task == "classification" else TreeRegressor
    options = {name: _read_option(name, text, lesson) for name, text in written.items() if text is not None}
    allowed = kind().get_params(deep=False)
    for name in options:
        if name not in allowed:
            raise ParameterError(f"--{_flag(name)} is for classes, but the task is {task}.")
    if lesson.levels:
        options["categorical_features"] = dict(lesson.levels)
    if lesson.ordered:
        options["ordered_features"] = dict(lesson.ordered)
    if seed is not None:
        options["random_state"] = seed
    if preset is None:
        return kind(**options)
    method = _preset_of(preset)
    if not hasattr(kind, method):
        raise ParameterError(f"--preset {preset} is for classes, but the task is {task}; choose cart.")
    return getattr(kind, method)(**options)


def _preset_of(written: str) -> str:
    key = re.sub(r"[^a-z0-9]", "", written.lower())
    found = {re.sub(r"[^a-z0-9]", "", name): method for name, method in PRESETS.items()}.get(key)
    if found is None:
        raise ParameterError(choices("--preset", written, PRESETS))
    return found


def _flag(name: str) -> str:
    return name.replace("_", "-")


def _read_option(name: str, written: str, lesson: Lesson) -> Any:
    match name:
        case "loss":
            return parse_matrix(written, name)
        case "class_weight" | "priors" if "=" in written:
            known = {str(label): label for label in lesson.y}
            pairs = pairs_of(written, _flag(name))
            for label in pairs:
                if label not in known:
                    raise ParameterError(choices(f"--{_flag(name)}: class", label, sorted(known)[:20]))
            return {known[label]: parse_scalar(value) for label, value in pairs.items()}
        case "priors":
            return [parse_scalar(part) for part in written.split(",")]
        case "monotonic_cst":
            return {column: parse_scalar(value) for column, value in pairs_of(written, "monotonic").items()}
        case _:
            return parse_value(written, "nominal-questions" if name == "nominal" else _flag(name))
