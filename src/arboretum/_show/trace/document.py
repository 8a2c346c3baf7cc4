"""A trace as JSON: every step with all of its candidates, numbers in full."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from arboretum._show.trace.step import Step

if TYPE_CHECKING:
    from arboretum._show.trace.trace import Trace


def to_json(trace: Trace) -> str:
    """Return the trace as the text of one JSON object."""
    told = {
        "base": float(trace.base),
        "digits": trace.digits,
        "steps": [step_document(s) for s in trace.steps],
    }
    return json.dumps(told, ensure_ascii=False, allow_nan=False)


def step_document(step: Step) -> dict[str, Any]:
    """Return one step as plain values."""
    frame = step.candidates
    return {
        **{name: getattr(step, name) for name in ("number", "kind", "node", "n_rows", "weight", "impurity")},
        **{
            name: getattr(step, name)
            for name in ("label", "choice", "gain", "why", "before", "after", "counted")
        },
        "title": step.title,
        "where": list(step.where),
        "nodes": list(step.nodes),
        "counts": dict(step.counts),
        "climb": [vars(each) for each in step.climb],
        "surrogates": [vars(each) for each in step.surrogates],
        "candidates": None
        if frame is None
        else [{name: plain(value) for name, value in line.items()} for line in frame.to_dict("records")],
    }


def plain(value: Any) -> Any:
    """Return a value of the table as JSON knows it; what is not finite becomes null.

    >>> plain((np.float64(0.5), math.nan)), plain(np.int64(3)), plain("a")
    ([0.5, None], 3, 'a')
    """
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, str | int | bool) or value is None else str(value)
