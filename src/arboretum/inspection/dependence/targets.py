"""The targets of a result: one for each class, or one for each number that a model predicts."""

from __future__ import annotations

from typing import Any

from arboretum._data.levels import level_text
from arboretum._wording import visible

Classes = tuple[Any, ...] | None


def target_names(classes: Classes, n_targets: int, value: str) -> list[str]:
    """Return what the targets are called in a table; `value` is what a number is called.

    >>> target_names(("no", "yes"), 2, "value"), target_names(None, 2, "value")
    (['no', 'yes'], ['value 0', 'value 1'])
    """
    if classes is not None:
        return [visible(level_text(label)) for label in classes]
    return [value] if n_targets == 1 else [f"{value} {number}" for number in range(n_targets)]


def target_column(classes: Classes, n_targets: int) -> tuple[str, list[Any]] | None:
    """Return the name and the entries of the column that tells targets apart; None if there is only one."""
    if classes is not None:
        return "class", list(classes)
    return ("target", list(range(n_targets))) if n_targets > 1 else None
