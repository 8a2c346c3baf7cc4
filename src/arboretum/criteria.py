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
        raise ParameterError(_refusal(criterion, allowed))
    return criterion


def _refusal(criterion: Any, allowed: tuple[str, ...]) -> str:
    known = {name: "classes" for name in CLASS_CRITERIA} | {name: "numbers" for name in NUMBER_CRITERIA}
    name = "gain_ratio" if isinstance(criterion, GainRatio) else criterion
    if isinstance(name, str) and name in known:
        return (
            f"criterion={criterion!r} is for {known[name]}, which are not learnt here; "
            f"choose {', '.join(map(repr, allowed))}."
        )
    if isinstance(criterion, type) and issubclass(criterion, GainRatio):
        return "criterion=GainRatio is a class, not an object of it.\nHint: write GainRatio()."
    return choices("criterion", criterion, allowed) + (
        " Or give GainRatio(…)." if "gain_ratio" in allowed else ""
    )


def impurity_of(criterion: str) -> str:
    """Return the name of the impurity that the core measures for a criterion."""
    return "entropy" if criterion == "gain_ratio" else criterion
