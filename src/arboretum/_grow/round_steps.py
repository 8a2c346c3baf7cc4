"""What is round in a column of whole numbers, dates or durations: the steps that `thresholds="round"` tries.

Real numbers need no steps: there the core counts digits.
"""

from __future__ import annotations

from typing import Final

from arboretum import _core
from arboretum._data import Column
from arboretum._data.times import NANOSECONDS

# Days, hours, minutes, seconds, and then the digits after the point of a second.
_STEPS: Final = (
    *(seconds * 10**9 for seconds in (86_400, 3_600, 60)),
    *(10**power for power in range(9, -1, -1)),
)


def round_steps(column: Column) -> _core.RoundSteps:
    """Return the steps between round values in stored form, longest first; none if values are not written.

    >>> round_steps(Column("stay", "duration", unit="s")).steps
    [86400, 3600, 60, 1]
    >>> round_steps(Column("born", "datetime", unit="D")).steps, round_steps(Column("age", "integer")).steps
    ([1], [1])
    """
    found = _core.RoundSteps()
    found.calendar = column.kind == "datetime"
    found.offset = column.offset
    if column.unit is not None:
        tick = NANOSECONDS[column.unit]
        found.steps = [step // tick for step in _STEPS if step >= tick]
    elif column.kind == "integer":
        found.steps = [1]
    return found
