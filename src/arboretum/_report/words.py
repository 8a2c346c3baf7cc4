"""Words and numbers that several sections share."""

from __future__ import annotations

import math
from typing import Final

from arboretum._data.levels import level_text
from arboretum._show.words import number
from arboretum._wording import LONGEST_NAME, visible, without_middle

DASH: Final = "\N{EN DASH}"  # where there is nothing to say


def figure(value: float) -> str:
    """Return a computed number with as many digits as a reader needs.

    >>> figure(0.123456), figure(12345.678), figure(float("nan"))
    ('0.1235', '12,346', 'not defined')
    """
    if math.isnan(value):
        return "not defined"
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e12 else f"{value:.4g}"


def share(value: float) -> str:
    """Return a share with one decimal.

    >>> share(0.9484), share(1.0), share(0.99999)
    ('94.8%', '100%', '>99.9%')
    """
    if math.isnan(value):
        return "not defined"
    if 0.9995 <= value < 1:
        return ">99.9%"
    if 0 < value < 0.0005:
        return "<0.1%"
    return f"{100 * value:.1f}%".replace(".0%", "%")


def between(interval: tuple[float, float] | None, *, shares: bool) -> str:
    """Return an interval as "92.1% to 96.7%"; a dash where there is none."""
    if interval is None:
        return DASH
    write = share if shares else figure
    return f"{write(interval[0])} to {write(interval[1])}"


def named(name: str) -> str:
    """Return a name from the data, safe to print and not too long."""
    return without_middle(visible(name), LONGEST_NAME)


def label_text(label: object) -> str:
    """Return what is predicted, a class or a number."""
    return number(label) if isinstance(label, float) else named(level_text(label))


def listed(names: list[str], most: int = 4) -> str:
    """Return names in a sentence: "a, b and c", or "a, b, c and 4 more"."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1:,} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "nothing"


def verb(count: int, one: str, several: str) -> str:
    """Return the form of a verb that goes with a count."""
    return one if count == 1 else several
