"""What happens to missing values: every policy, how it is grown, and the rule that its trees follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arboretum import _core


@dataclass(frozen=True)
class MissingPolicy:
    """A value of the option `missing`. Policies that only choose rows act in `_grow/training_rows.py`."""

    rule: str = "child"  # where a tree sends a row whose value is missing; `_tree/checks.py` lists the rules
    grown: _core.Missing = _core.Missing.category


POLICIES: Final = {
    "category": MissingPolicy(),
    "surrogate": MissingPolicy("surrogates", _core.Missing.surrogate),
    "fractional": MissingPolicy("fractions", _core.Missing.fractional),
    "drop": MissingPolicy(),
    "error": MissingPolicy(),
}
