"""Where rows can come to rest: at leaves, and at questions that cannot send some of them on."""

from __future__ import annotations

from arboretum.export.program import Program, Step
from arboretum.questions import Levels, Threshold

__all__ = ["may_rest"]


def may_rest(program: Program, step: Step) -> bool:
    """Tell whether some row may go no further than this step."""
    if step.is_leaf:
        return True
    can_fail = isinstance(step.question, Threshold | Levels)
    return program.missing != "fractions" and can_fail and step.missing_child is None
