"""Scalars: what counts as a number where an option asks for one.

Words: *integer*, *real*. Truth values are numbers to Python, and never meant as one here.
Does not check ranges: whoever asks knows them.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

__all__ = ["is_integer", "is_real"]


def is_integer(value: Any) -> bool:
    """Tell whether an option's value is a whole number; True and False are none."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)


def is_real(value: Any) -> bool:
    """Tell whether an option's value is a number; True and False are none."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
