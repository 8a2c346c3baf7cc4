"""A quick sample of what benchmarks/fuzz_surfaces.py makes in great numbers: nothing of it is a fault."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from support import mutant_calls, mutant_commands, mutant_texts


@pytest.mark.parametrize(
    ("module", "seed", "n_mutants", "verdicts"),
    [
        (mutant_calls, 7, 150, {"used", "refused"}),
        (mutant_commands, 7, 40, {"done", "failed", "refused"}),
        (mutant_texts, 7, 250, {"used", "refused"}),
    ],
)
def test_it_works_or_is_refused(module: Any, seed: int, n_mutants: int, verdicts: set[str]) -> None:
    """Whatever is given works, or is refused by a sentence; and enough of it works."""
    found: Counter[str] = Counter()
    for number in range(n_mutants):
        _, *made = module.mutant(seed, number)
        found[module.judge(*made)] += 1
    assert set(found) <= verdicts
    assert max(found["used"], found["done"]) > n_mutants / 10
