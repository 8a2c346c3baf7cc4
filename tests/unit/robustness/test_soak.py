"""The verdict on memory that is looked at again and again: a leak is seen, what stops growing is none."""

from __future__ import annotations

import math
import random

import pytest

from benchmarks.robustness.soak import Growth, Look, growth_of


def growth(memory_at: object) -> Growth:
    """Return the growth of a memory, in MB by minutes, with the noise that processes have."""
    noise = random.Random(1)
    assert callable(memory_at)
    return growth_of(
        [
            Look(60.0 * minute, memory_at(minute) + noise.uniform(-0.3, 0.3), 0, 9, 3)
            for minute in range(8, 16)
        ]
    )


@pytest.mark.parametrize("megabytes", [0.5, 2.0])
def test_leaks_are_seen(megabytes: float) -> None:
    """A leak of half a megabyte a minute and more is steady, and its slope lies within the interval."""
    found = growth(lambda minute: 300 + megabytes * minute)
    assert found.is_steady
    assert found.low < 60 * megabytes < found.high


def test_caches_that_fill_are_no_leak() -> None:
    """Memory may come nearer and nearer to a limit, or jump once."""
    assert not growth(lambda minute: 340 - 40 * math.exp(-minute / 2)).is_steady
    assert not growth(lambda minute: 300 + 4 * (minute > 9)).is_steady
    assert not growth(lambda minute: 300).is_steady
