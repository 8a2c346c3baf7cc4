"""The cases: which tables are grown under which limits, and how much faster than others we must be.

Words: a *case* is one table with one set of limits; a *plan* is what is wanted of one table.
Nothing is made or timed here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import tables

from arboretum import TreeClassifier, TreeRegressor

__all__ = ["Case", "list_cases"]

Maker = Callable[..., tuple[Any, Any]]
Plan = tuple[str, dict[str, Any], float | None]  # what it is called, its limits, its goal

FULL: dict[str, Any] = {}
LEAF_5 = {"min_samples_leaf": 5}
DEPTH_6 = {"max_depth": 6}
DEPTH_10 = {"max_depth": 10}
ABSOLUTE = {"criterion": "absolute_error", "max_depth": 10}


@dataclass(frozen=True)
class Case:
    """One table, one set of limits, who else is measured, and the ratio to be reached."""

    name: str
    table: str
    make: Maker
    shape: tuple[int, ...]
    model: type[Any]
    limits: dict[str, Any]
    goal: float | None  # None: only rivals are to be beaten
    rivals: tuple[str, ...] = ("LightGBM",)
    repeats: int = 0  # 0: the shortest of a few; else the median of so many, all libraries in turn

    def rows(self, share: float) -> tuple[Any, Any]:
        """Make the table with a share of its rows."""
        n_rows, *others = self.shape
        return self.make(int(n_rows * share), *others)


def of_table(
    table: str, make: Maker, shape: tuple[int, ...], model: type[Any], plans: Sequence[Plan], **more: Any
) -> list[Case]:
    """The cases of one table."""
    return [
        Case(f"{table}, {name}", table, make, shape, model, limits, goal, **more)
        for name, limits, goal in plans
    ]


def list_cases() -> list[Case]:
    """All cases, those of one table next to each other."""
    classes, numbers = TreeClassifier, TreeRegressor
    return [
        *of_table(
            "1M x 20, 2 classes",
            tables.two_classes,
            (1_000_000, 20),
            classes,
            [
                ("full", FULL, 70),
                ("leaf 5", LEAF_5, 70),
                ("depth 6", DEPTH_6, 80),
                ("depth 10", DEPTH_10, 80),
            ],
        ),
        *of_table(
            "100k x 20, 2 classes",
            tables.two_classes,
            (100_000, 20),
            classes,
            [("full", FULL, 40), ("depth 6", DEPTH_6, 40)],
        ),
        *of_table(
            "100k x 200, 2 classes",
            tables.two_classes,
            (100_000, 200),
            classes,
            [("full", FULL, 50), ("depth 6", DEPTH_6, 50)],
        ),
        *of_table(
            "1M x 20, Friedman",
            tables.friedman,
            (1_000_000, 20),
            numbers,
            [
                ("full", FULL, 25),
                ("leaf 5", LEAF_5, 25),
                ("depth 6", DEPTH_6, 45),
                ("depth 10", DEPTH_10, 45),
            ],
        ),
        *of_table(
            "581k x 54, forest cover",
            tables.forest_cover,
            (581_012,),
            classes,
            [("full", FULL, 10), ("depth 6", DEPTH_6, 14), ("depth 10", DEPTH_10, 14)],
        ),
        *of_table(
            "200k x 50, 10 classes", tables.ten_classes, (200_000, 50), classes, [("depth 10", DEPTH_10, 10)]
        ),
        *of_table("1M x 20, noise", tables.noise, (1_000_000, 20), classes, [("full", FULL, 15)]),
        *of_table(
            "500k x 20, mixed",
            tables.mixed,
            (500_000,),
            classes,
            [("depth 10", DEPTH_10, None)],
            rivals=("LightGBM", "XGBoost", "YDF"),
        ),
        # LightGBM has nothing like it: it looks for splits by the sign of the error, not by its size.
        *of_table(
            "100k x 20, Friedman",
            tables.friedman,
            (100_000, 20),
            numbers,
            [("absolute_error, depth 10", ABSOLUTE, 10)],
            rivals=(),
        ),
        *of_table("iris", tables.iris, (150,), classes, [("fit", FULL, 1)], repeats=200),
    ]
