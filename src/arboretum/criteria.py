"""Criteria: the names under which the core offers measures of impurity, and the kind of target each is for.

Words: *criterion*. The list itself is in the core's registry; this module only reads it.
"""

from __future__ import annotations

from typing import Any

from arboretum import _core
from arboretum.errors import ParameterError, choices

__all__ = ["CLASS_CRITERIA", "NUMBER_CRITERIA", "resolve_criterion"]

CLASS_CRITERIA = tuple(name for name, target in _core.criteria() if target == "classes")
NUMBER_CRITERIA = tuple(name for name, target in _core.criteria() if target == "numbers")


def resolve_criterion(criterion: Any, allowed: tuple[str, ...]) -> str:
    """Return the name of the criterion, or refuse it."""
    if not isinstance(criterion, str) or criterion not in allowed:
        raise ParameterError(choices("criterion", criterion, allowed))
    return criterion
