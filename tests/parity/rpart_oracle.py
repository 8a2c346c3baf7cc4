"""Stored results of rpart, read back: the table it learnt from, its options, its nodes and its splits.

An oracle is one such result; the number of a node is rpart's: node k has children 2k and 2k + 1. Nothing is
compared here, and no tree is grown; README.md says where the files come from.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["FOLDER", "Oracle", "RpartNode", "RpartSplit", "Table", "read_oracle", "usable_oracles"]

BUNDLED: Final = Path(__file__).parent / "data"
FOLDER: Final = Path(os.environ.get("ARBORETUM_ORACLES", BUNDLED))
# Options of rpart that our trees have too; the others concern missing values.
CONFIGS: Final = (
    "default",
    "grow20",
    "full",
    "maxdepth3",
    "info",
    "info_full",
    "loss",
    "priors",
    "loss_priors_info",
    "weights_int",
    "weights_frac",
    "weights_zero",
    "cost",
)

Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def _open_text(path: Path) -> Any:
    if path.exists():
        return path.open(encoding="utf-8", newline="")
    return gzip.open(f"{path}.gz", "rt", encoding="utf-8", newline="")


@dataclass(frozen=True)
class Table:
    """A table without missing values: numbers as they are, nominal columns as level numbers from 0."""

    values: dict[str, Numbers]
    levels: dict[str, tuple[str, ...]]  # of the nominal columns


@lru_cache(maxsize=4)
def _read_table(folder: Path, name: str) -> Table:
    with _open_text(folder / "data" / f"{name}.csv") as file:
        header, *rows = csv.reader(file)
    levels = {
        c["name"]: tuple(c["levels"]) for c in _descriptions(folder)[name]["cols"] if c["kind"] != "numeric"
    }
    values = {}
    for column, cells in zip(header, zip(*rows, strict=True), strict=True):
        numbers = {level: float(i) for i, level in enumerate(levels.get(column, ()))}
        values[column] = np.array([numbers[cell] if numbers else float(cell) for cell in cells])
    return Table(values, levels)


@lru_cache
def _descriptions(folder: Path) -> dict[str, Any]:
    """Return what is known of each table, by its name."""
    stored = json.loads((folder / "datasets.json").read_text(encoding="utf-8"))
    return {table["id"]: table for table in stored["tables"]}


def _is_usable(table: dict[str, Any], task_id: str, config: str) -> bool:
    """Return whether our trees promise to agree here: options that both have, and no missing value."""
    task = next(task for task in table["tasks"] if task["id"] == task_id)
    cells = [column["missing"] for column in table["cols"] if column["name"] not in task["exclude"]]
    kinds = {column["kind"] for column in table["cols"]}
    return (
        config in CONFIGS and task["task"] != "poisson" and not any(cells) and kinds <= {"numeric", "nominal"}
    )


def usable_oracles(folder: Path = FOLDER) -> list[str]:
    """Return the names of the results to compare with, in the order of the alphabet."""
    names = sorted({path.name.split(".json")[0] for path in (folder / "rpart").glob("*.json*")})
    parts = {name: name.split("__") for name in names}
    return [name for name, (table, *rest) in parts.items() if _is_usable(_descriptions(folder)[table], *rest)]


@dataclass(frozen=True)
class RpartNode:
    """What rpart says of a node."""

    n: int
    weight: float
    deviance: float
    value: float  # the mean, or the number of the predicted class from 0
    class_weights: Numbers
    probability: Numbers


@dataclass(frozen=True)
class RpartSplit:
    """What rpart asks in a node. `sides` tells for each level 1 (left), 2 (absent), 3 (right)."""

    column: str
    improve: float
    threshold: float
    below_is_left: bool
    sides: npt.NDArray[np.int64] | None

    def goes_left(self, values: Numbers) -> Mask:
        """Return which of these values are sent left."""
        if self.sides is None:
            return np.asarray((values < self.threshold) == self.below_is_left)
        return np.asarray(self.sides[values.astype(np.int64)] == 1)


@dataclass(frozen=True)
class Oracle:
    """One stored result of rpart."""

    name: str
    stored: dict[str, Any]
    table: Table

    @property
    def columns(self) -> list[str]:
        """The columns that may be asked about, in rpart's order."""
        return list(self.stored["features"])

    @property
    def is_classification(self) -> bool:
        """Whether a class is predicted."""
        return bool(self.stored["method"] == "class")

    @property
    def n_classes(self) -> int:
        """The number of classes; 0 for numbers."""
        return len(self.stored["ylevels"]) if self.is_classification else 0

    @property
    def target(self) -> npt.NDArray[Any]:
        """A number for each row, or the number of a class from 0, in the order of rpart's levels."""
        y = self.table.values[self.stored["target"]]
        return y.astype(np.int64) if self.is_classification else y

    @property
    def weights(self) -> Numbers | None:
        """The weight of each row, if rpart was given any."""
        weights = self.stored.get("weights")
        return None if weights is None else np.array(weights, dtype=np.float64)

    @property
    def has_zero_weights(self) -> bool:
        """Whether some rows count nothing."""
        return self.weights is not None and not bool(self.weights.all())

    @property
    def costs(self) -> dict[str, float]:
        """What each column costs."""
        given = self.stored.get("cost") or [1.0] * len(self.columns)
        return dict(zip(self.columns, map(float, given), strict=True))

    @property
    def control(self) -> dict[str, Any]:
        """The limits of growth."""
        return dict(self.stored["control"])

    @property
    def uses_entropy(self) -> bool:
        """Whether the splits were chosen by entropy."""
        return self.is_classification and self.stored["parms"]["split"] in ("information", 2)

    @property
    def priors(self) -> Numbers | None:
        """The priors that rpart was given; None where it took the shares of the table."""
        given = "prior" in self.stored["config"]
        return np.array(self.stored["parms"]["prior"], dtype=np.float64) if given else None

    @property
    def loss(self) -> Numbers | None:
        """The loss[true, predicted] that rpart was given."""
        given = "loss" in self.stored["config"]
        return np.array(self.stored["parms"]["loss"], dtype=np.float64) if given else None

    @cached_property
    def _places(self) -> dict[int, int]:
        return {number: place for place, number in enumerate(self.stored["frame"]["node"])}

    @cached_property
    def _first_splits(self) -> dict[int, int]:
        """The place of each inner node's own split; its competitors and surrogates come after it."""
        frame, first, places = self.stored["frame"], 0, {}
        for number, place in self._places.items():
            if frame["var"][place] != "<leaf>":
                places[number] = first
                first += 1 + frame["ncompete"][place] + frame["nsurrogate"][place]
        return places

    def node(self, number: int) -> RpartNode:
        """Return what rpart says of a node."""
        frame, place = self.stored["frame"], self._places[number]
        value, classes, probability = float(frame["yval"][place]), np.empty(0), np.empty(0)
        if self.is_classification:
            row, k = np.array(frame["yval2"][place], dtype=np.float64), self.n_classes
            value, classes, probability = value - 1, row[1 : k + 1], row[k + 1 : 2 * k + 1]
        numbers = (frame["n"][place], frame["wt"][place], frame["dev"][place])
        return RpartNode(*numbers, value, classes, probability)

    def split(self, number: int) -> RpartSplit | None:
        """Return what rpart asks in a node; None in a leaf."""
        if number not in self._first_splits:
            return None
        splits, place = self.stored["splits"], self._first_splits[number]
        column, improve = splits["var"][place], float(splits["improve"][place])
        kind, index = int(splits["ncat"][place]), float(splits["index"][place])
        if kind < 2:
            return RpartSplit(column, improve, index, kind == -1, None)
        sides = np.array(self.stored["csplit"][int(index) - 1], dtype=np.int64)
        return RpartSplit(column, improve, np.nan, True, sides)


def read_oracle(name: str, folder: Path = FOLDER) -> Oracle:
    """Return one result by its name."""
    with _open_text(folder / "rpart" / f"{name}.json") as file:
        stored = json.load(file)
    return Oracle(name, stored, _read_table(folder, stored["table"]))
