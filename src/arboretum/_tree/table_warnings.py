"""What the caller is warned of when a table to predict differs from the fitted one."""

from __future__ import annotations

from collections.abc import Sequence

from arboretum._data.changes import ConstantColumn, UnknownRows
from arboretum._warning import give
from arboretum._wording import shown
from arboretum.errors import ConstantColumnWarning, UnknownLevelsWarning, some_of


def warn_of_unknowns(found: Sequence[UnknownRows]) -> None:
    """Warn of the columns with many unknown levels; there is at least one."""
    columns = [
        f"{unknown.column!r} in {unknown.count:,} of {unknown.of:,} rows (such as {shown(unknown.example)})"
        for unknown in found
    ]
    give(
        UnknownLevelsWarning(
            "The table holds levels that were not there when fitting, which count as missing: column "
            f"{some_of(columns)}.\n"
            "Hint: check how they are spelt, or fit again with rows that have them; unknown='error' refuses "
            "them, and a function as unknown counts them.",
            {unknown.column: unknown.example for unknown in found},
        )
    )


def warn_of_constants(found: Sequence[ConstantColumn], n_rows: int) -> None:
    """Warn of columns that are the same in all rows; say nothing if there are none."""
    if found:
        give(constants_warning(found, n_rows))


def constants_warning(found: Sequence[ConstantColumn], n_rows: int) -> ConstantColumnWarning:
    """Return the warning about columns that are the same in all rows."""
    # Without the value: Python shows a text once, and a what-if analysis would make a new one for each value.
    columns = [f"{constant.column!r}{' (missing)' * (constant.value is None)}" for constant in found]
    return ConstantColumnWarning(
        "The tree asks about columns that varied when it was fitted, but are the same in all "
        f"{n_rows:,} rows now: {some_of(columns)}.\n"
        "Hint: check that they were filled in; if the rows are alike on purpose, ignore this warning.",
        {constant.column: constant.value for constant in found},
    )
