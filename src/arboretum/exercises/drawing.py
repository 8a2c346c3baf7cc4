"""Drawing small tables until one has what an exercise needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import numpy as np

T = TypeVar("T")

MARGIN: Final = 0.02  # by which the best question beats the next, so that rounding does not decide
_MOST_DRAWS: Final = 100_000


def draw_until(
    random: np.random.RandomState, draw: Callable[[np.random.RandomState], T], is_good: Callable[[T], bool]
) -> T:
    """Return the first draw that is good."""
    for _ in range(_MOST_DRAWS):
        if is_good(drawn := draw(random)):
            return drawn
    raise AssertionError("Nothing good was drawn: the condition is too strict.")
