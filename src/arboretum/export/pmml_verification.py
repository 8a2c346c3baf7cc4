"""The self-test inside a PMML document: rows with known answers, which evaluators can verify.

Words: a *cell* is one value of a row; a missing value has none. Answers are doubles with all their digits; an
evaluator compares them to a *precision* that it is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from arboretum.export.pmml_values import spelled, spelled_level
from arboretum.export.pmml_xml import Element, element
from arboretum.export.program import Field, Program, expected, samples

__all__ = ["user_text", "verification"]

_PRECISION: Final = "1E-15"


def verification(program: Program, target: str, outputs: Sequence[str], n_samples: int) -> Element:
    """Return the rows, their answers, and what their cells belong to."""
    rows = samples(program, n_samples)
    named = [*(field.name for field in program.fields), target, *outputs]
    fields = [
        element("VerificationField", field=name, column=f"c{i}", precision=precision)
        for i, name in enumerate(named)
        for precision in [_PRECISION if i > len(program.fields) or program.classes is None else None]
    ]
    table = [
        _row(program, row, answer) for row, answer in zip(rows, expected(program.tree, rows), strict=True)
    ]
    return element(
        "ModelVerification",
        element("VerificationFields", *fields),
        element("InlineTable", *table),
        recordCount=len(rows),
        fieldCount=len(fields),
    )


def _row(program: Program, row: Mapping[str, object], answer: tuple[Any, Any]) -> Element:
    cells = [
        element(f"c{i}", text=user_text(field, row[field.name]))
        for i, field in enumerate(program.fields)
        if row[field.name] is not None
    ]
    label, shares = answer
    told = [label, *(shares or ())]
    first = len(program.fields)
    cells += [element(f"c{first + i}", text=spelled(value)) for i, value in enumerate(told)]
    return element("row", *cells)


def user_text(field: Field, value: Any) -> str:
    """Return the spelling of a value of a sample."""
    if field.levels is not None:
        return spelled_level(field, value)
    if field.column.kind in ("number", "integer"):
        return spelled(value)
    # Midnight is a date in our text, but an instant of PMML always has its time.
    bare = field.column.unit != "D" and "T" not in value
    return f"{value}T00:00:00" if bare else str(value)
