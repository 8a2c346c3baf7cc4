"""The kinds of trees that are compared. A kind that has a depth is grown at each of the depths."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arboretum import Lookahead, Optimal, TreeClassifier, TreeRegressor
from benchmarks.quality.tables import Table

__all__ = ["DEPTHS", "KINDS", "MOST_ROWS", "PASSES", "Kind"]

DEPTHS = (2, 3, 4)
# The price of a leaf takes dozens of searches to choose: the most training rows by depth.
MOST_ROWS: dict[int | None, int] = {2: 10_000, 3: 1_000}
# Counted in passes over the rows, so that every machine finds the same trees.
PASSES = 20_000


@dataclass(frozen=True)
class Kind:
    """A way to grow a tree."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    most_rows: dict[int | None, int] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 10_000))

    def depths(self, n_rows: int) -> list[int | None]:
        """Return the depths at which it is grown from so many rows."""
        return [depth for depth, most in self.most_rows.items() if n_rows <= most]

    def make(self, table: Table, depth: int | None) -> Any:
        """Return an estimator for the table."""
        kind = TreeClassifier if table.of_classes else TreeRegressor
        return kind(max_depth=depth, **self.options)


_OPTIMAL = Optimal(time_limit=None, work_limit=PASSES)
KINDS = (
    Kind("default", most_rows={None: 10_000}),
    Kind("greedy", {"prune": None}),
    Kind("lookahead", {"prune": None, "search": Lookahead()}),
    Kind("optimal", {"prune": None, "search": _OPTIMAL}),
    Kind("greedy, size chosen", {}, MOST_ROWS),
    Kind("optimal, size chosen", {"search": _OPTIMAL}, MOST_ROWS),
)
