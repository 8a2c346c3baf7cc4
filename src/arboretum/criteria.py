"""Criteria: the names under which the core offers measures of impurity, and the kind of target each is for.

Words: *criterion*. The list of impurities is in the core's registry; this module only reads it.
"""

from __future__ import annotations

from typing import Any

from arboretum import _core
from arboretum.errors import ParameterError, choices
from arboretum.strategies import GainRatio

__all__ = ["CLASS_CRITERIA", "NUMBER_CRITERIA", "impurity_of", "resolve_criterion"]

# The gain ratio is entropy with another way to choose among columns.
CLASS_CRITERIA = (*(name for name, target in _core.criteria() if target == "classes"), "gain_ratio")
NUMBER_CRITERIA = tuple(name for name, target in _core.criteria() if target == "numbers")


def resolve_criterion(criterion: Any, allowed: tuple[str, ...]) -> str:
    """Return the name of the criterion, or refuse it."""
    if isinstance(criterion, GainRatio) and "gain_ratio" in allowed:
        return "gain_ratio"
    if not isinstance(criterion, str) or criterion not in allowed:
        raise ParameterError(choices("criterion", criterion, allowed))
    return criterion


def impurity_of(criterion: str) -> str:
    """Return the name of the impurity that the core measures for a criterion."""
    return "entropy" if criterion == "gain_ratio" else criterion
