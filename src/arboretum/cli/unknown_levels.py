"""Levels that the model does not know: counted while a command predicts, and told when it has finished."""

from __future__ import annotations

from typing import Any

from arboretum.cli.speaking import Voice
from arboretum.quoting import shown

__all__ = ["UnknownLevels"]


class UnknownLevels:
    """How many rows hold a level that the model does not know, by column, and one such level."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[str, Any]] = {}

    def add(self, column: str, levels: dict[object, int]) -> None:
        """Count the unknown levels of a column in some rows; `predict(unknown=…)` calls it."""
        from arboretum.dataset.levels import level_text  # NumPy is loaded by then

        seen = self._seen.setdefault(column, {"rows": 0, "example": level_text(next(iter(levels)))})
        seen["rows"] += sum(levels.values())

    def tell(self, voice: Voice, n_rows: int) -> None:
        """Say one sentence for each column that has some."""
        for column, seen in self._seen.items():
            voice.note(
                f"{column}: {seen['rows']:,} of {n_rows:,} rows hold a level that the model does not know, "
                f"such as {shown(seen['example'])}; it counts as missing"
            )

    def document(self) -> dict[str, dict[str, Any]]:
        """Return the same for machines."""
        return self._seen
