"""What counts as a number where an option asks for one, or as a list. Unlike in Python, True is no number."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np


def is_integer(value: Any) -> bool:
    """Return whether a value is a whole number. NumPy counts its durations as such, and they are none."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_ | np.timedelta64)


def is_real(value: Any) -> bool:
    """Return whether a value is a real number."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_ | np.timedelta64)


def items_of(given: Any) -> list[Any] | None:
    """Return the items of a list, set or array; None of what has none, as an array without dimensions."""
    if not isinstance(given, Iterable) or getattr(given, "shape", None) == ():
        return None
    return list(given)


def can_be_hashed(value: Any) -> bool:
    """Return whether a value can be looked up, as a name of something must."""
    try:
        hash(value)
    except TypeError:
        return False
    return True
