"""Sweeps over many cases: which of them run in `make test`, and which in `make test-deep` only.

How many random tables a property is tried on is a matter of the profile, see conftest.py; `few` scales it.

A sweep over every combination of choices mostly tries the same pair of choices again and again. `pairwise`
leaves in `make test` the cases that try a new pair of choices together, and marks the others `deep`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations
from typing import Any, TypeVar

import pytest
from hypothesis import settings

__all__ = ["every", "few", "pairwise"]

Case = TypeVar("Case")


def pairwise(
    cases: Iterable[Case], choices: Callable[[Case], Sequence[Hashable]], name: Callable[[Case], str]
) -> list[Any]:
    """Return the cases as parameters: those that add no new pair of choices are marked `deep`."""
    seen: set[tuple[int, Hashable, int, Hashable]] = set()
    found = []
    for case in cases:
        pairs = {(i, a, j, b) for (i, a), (j, b) in combinations(enumerate(choices(case)), 2)}
        values = case if isinstance(case, tuple) else (case,)
        marks = [pytest.mark.deep] if pairs <= seen else []
        seen |= pairs
        found.append(pytest.param(*values, id=name(case), marks=marks))
    return found


def every(step: int, cases: Iterable[Any]) -> list[Any]:
    """Return the cases as parameters: all but the first of each `step` are marked `deep`."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)), marks=[pytest.mark.deep] if i % step else []
        )
        for i, case in enumerate(cases)
    ]


def few(share: float) -> int:
    """Return a share of the number of examples that the Hypothesis profile asks for, at least one."""
    return max(1, round(settings.default.max_examples * share))
