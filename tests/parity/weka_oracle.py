"""Stored results of Weka, read back: the table it learnt from, its options, its tree and its predictions.

An oracle is one such result; the blanked table is a table with every tenth value taken out. Nothing is
compared here, and no tree is grown; data/weka/README.md says where the files come from.
"""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from .plain_trees import PlainNode
from .rpart_oracle import FOLDER

__all__ = ["Table", "WekaOracle", "read_oracle", "usable_oracles"]

Numbers = npt.NDArray[np.float64]

# What J48 is run with where nothing is pruned, and the only way to run Id3.
CONFIGS: Final = {
    "J48": ("unpruned", "unpruned_m1", "unpruned_m5", "binary_unpruned", "blankfit_unpruned"),
    "Id3": ("default",),
}


@dataclass(frozen=True)
class Table:
    """Numbers as they are, nominal columns as level numbers from 0, NaN where a value is missing."""

    values: dict[str, Numbers]
    levels: dict[str, tuple[str, ...]]  # of the nominal columns

    def frame(self, columns: list[str]) -> pd.DataFrame:
        """Return some columns as a data frame, nominal ones as categoricals with all their levels."""
        return pd.DataFrame({name: self._column(name) for name in columns})

    def _column(self, name: str) -> Any:
        values, levels = self.values[name], self.levels.get(name)
        if levels is None:
            return values
        return pd.Categorical.from_codes(np.nan_to_num(values, nan=-1).astype(np.int64), pd.Index(levels))


def _open_text(path: Path) -> Any:
    if path.exists():
        return path.open(encoding="utf-8", newline="")
    return gzip.open(f"{path}.gz", "rt", encoding="utf-8", newline="")


@lru_cache
def _levels(folder: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the levels of the nominal columns of each table. Weka knows no order of levels."""
    tables = [
        table
        for path in sorted(folder.glob("datasets*.json"))
        for table in json.loads(path.read_text(encoding="utf-8"))["tables"]
    ]
    return {
        table["id"]: {c["name"]: tuple(c["levels"]) for c in table["cols"] if c["kind"] != "numeric"}
        for table in tables
    }


@lru_cache(maxsize=4)
def _read_table(folder: Path, name: str, suffix: str) -> Table:
    with _open_text(folder / "data" / f"{name}{suffix}.csv") as file:
        header, *rows = csv.reader(file)
    levels = _levels(folder)[name]
    values = {}
    for column, cells in zip(header, zip(*rows, strict=True), strict=True):
        numbers = {level: float(i) for i, level in enumerate(levels.get(column, ()))}
        known = [(numbers[cell] if numbers else float(cell)) if cell else np.nan for cell in cells]
        values[column] = np.array(known)
    return Table(values, levels)


def usable_oracles(scheme: str, folder: Path = FOLDER) -> list[str]:
    """Return the names of the results of J48 or Id3 to compare with, in the order of the alphabet."""
    endings = tuple(f"__{scheme}_{config}" for config in CONFIGS[scheme])
    names = {path.name.split(".json")[0] for path in (folder / "weka").glob(f"*__{scheme}_*.json*")}
    return sorted(name for name in names if name.endswith(endings))


@dataclass(frozen=True)
class WekaOracle:
    """One stored result of Weka."""

    name: str
    stored: dict[str, Any]
    folder: Path

    def _table(self, *, blanked: bool) -> Table:
        return _read_table(self.folder, self.stored["table"], ".blank10" if blanked else "")

    @property
    def columns(self) -> list[str]:
        """The columns that may be asked about, in Weka's order; the target is the last one there."""
        return list(self.stored["attributes"][:-1])

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.stored["classes"])

    @cached_property
    def training(self) -> Table:
        """The table that the tree was learnt from."""
        return self._table(blanked=self.stored["trained_on"] == "blank")

    @cached_property
    def other(self) -> Table:
        """The same rows with more missing values, or with fewer if the training table is the blanked one."""
        return self._table(blanked=self.stored["trained_on"] != "blank")

    @property
    def target(self) -> npt.NDArray[np.int64]:
        """The number of the class of each row from 0, in the order of Weka's classes."""
        return self.training.values[self.stored["attributes"][-1]].astype(np.int64)

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """The rows that were learnt from: for Id3 those without missing values, else all."""
        return np.array(self.stored.get("rows_used_0based", range(len(self.target))), dtype=np.int64)

    @property
    def training_distributions(self) -> Numbers:
        """The class probabilities that Weka gave the rows it learnt from."""
        return np.array(self.stored["train_dist"], dtype=np.float64)

    @property
    def other_distributions(self) -> Numbers:
        """The class probabilities that Weka gave the rows of the other table."""
        stored = self.stored
        return np.array(stored.get("full_dist", stored.get("blank10_dist")), dtype=np.float64)

    @property
    def min_weight(self) -> int:
        """J48's -M: at least two children must have this weight."""
        options = self.stored["options"].split()
        return int(options[options.index("-M") + 1])

    @property
    def parameters(self) -> dict[str, Any]:
        """What our `c45` is told so that it does what J48 was told to."""
        options = self.stored["options"].split()
        if "-U" not in options:
            raise ValueError(f"{self.name} is pruned (options {options}), and our trees are not.")
        limits = {"min_samples_leaf": self.min_weight, "min_samples_split": 2 * self.min_weight}
        return limits | ({"nominal": "one_vs_rest"} if "-B" in options else {})

    @cached_property
    def tree(self) -> PlainNode:
        """J48's tree as plain values."""
        return _plain(self.stored["tree"])


def _plain(stored: dict[str, Any]) -> PlainNode:
    weights = np.array(stored["class_weights"], dtype=np.float64)
    if stored["leaf"]:
        return PlainNode(weights)
    threshold, child_of, other = np.nan, None, -1
    match stored["kind"]:
        case "numeric":
            threshold = float(stored["split_point"])
        case "nominal":
            child_of = {level: level for level in range(len(stored["children"]))}
        case "nominal-binary":  # the split point is the number of the level that leads to the first child
            child_of, other = {int(stored["split_point"]): 0}, 1
        case kind:
            raise ValueError(f"A node asks a question of kind {kind!r}, which J48 does not have.")
    return PlainNode(
        weights,
        stored["attribute"],
        threshold,
        child_of,
        other,
        gain=float(stored["info_gain"]),
        ratio=float(stored["gain_ratio"]),
        children=tuple(_plain(child) for child in stored["children"]),
    )


def read_oracle(name: str, folder: Path = FOLDER) -> WekaOracle:
    """Return one result by its name."""
    with _open_text(folder / "weka" / f"{name}.json") as file:
        return WekaOracle(name, json.load(file), folder)
