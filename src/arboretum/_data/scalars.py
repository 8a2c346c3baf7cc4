"""What counts as a number where an option asks for one. Unlike in Python, True and False do not."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np


def is_integer(value: Any) -> bool:
    """Return whether a value is a whole number."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)


def is_real(value: Any) -> bool:
    """Return whether a value is a real number."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
