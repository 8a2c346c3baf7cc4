"""Who asks about a column first: for messages that refuse what a target cannot express.

Words: those of program.py. Nothing is refused here.
"""

from __future__ import annotations

from arboretum.export.program import Field, Program, questions_of

__all__ = ["asked_first"]


def asked_first(program: Program, field: Field) -> str:
    """Return the first question about a field, and the node that asks it; nothing if there is none."""
    for step in program.steps:
        for question in questions_of(step):
            if field.name in question.columns:
                return f" (node {step.number} asks: {question})"
    return ""
