"""Stored results of ctree (R's partykit), read back: the table it learnt from, its nodes and their tests.

An oracle is one such result; a tested node is one for which statistics were stored, be it a leaf. Nothing is
compared here, and no tree is grown; README.md says where the files come from.
"""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from .rpart_oracle import BUNDLED

__all__ = ["CtreeNode", "CtreeOracle", "ctree_oracles", "read_ctree_oracle"]

FOLDER: Final = Path(os.environ.get("ARBORETUM_ORACLES", BUNDLED))
LEVELS: Final = {"alpha01": 0.01}  # by the name of the options; otherwise 0.05


def _found(*paths: Path) -> Path:
    return next(p for path in paths for p in (path, Path(f"{path}.gz")) if p.exists())


def _open_text(path: Path) -> Any:
    return gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")


@lru_cache
def _columns_of(table: str) -> list[dict[str, Any]]:
    """Return the name, kind and levels of each column; ours are described in two places."""
    for path in (FOLDER / "datasets.json", FOLDER / "surrogates" / "datasets.json"):
        stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"tables": []}
        for described in stored["tables"]:
            if described["id"] == table:
                return list(described["cols"])
    raise LookupError(f"the table {table} is not described")


@lru_cache(maxsize=4)
def _read_table(table: str) -> pd.DataFrame:
    name = f"{table}.csv"
    with _open_text(_found(FOLDER / "data" / name, FOLDER / "surrogates" / "data" / name)) as file:
        raw = pd.read_csv(file, dtype=str, keep_default_na=False)
    columns = {}
    for column in _columns_of(table):
        cells = raw[column["name"]].where(raw[column["name"]] != "", None)
        if column["kind"] == "numeric":
            columns[column["name"]] = cells.astype(float)
        else:
            ordered = column["kind"] == "ordered"
            columns[column["name"]] = pd.Series(
                pd.Categorical(cells, categories=column["levels"], ordered=ordered)
            )
    return pd.DataFrame(columns)


@dataclass(frozen=True)
class CtreeNode:
    """A tested node: its rows, and for each column that could be tested statistic, p-value and log(1 - p)."""

    number: int
    is_leaf: bool
    rows: npt.NDArray[np.int64]
    columns: tuple[str, ...]
    statistic: tuple[float, ...]
    p_value: tuple[float, ...]
    log_rest: tuple[float, ...]


@dataclass(frozen=True)
class CtreeOracle:
    """One stored result of ctree."""

    name: str
    stored: dict[str, Any]

    @property
    def level(self) -> float:
        """The level above which nodes are leaves."""
        return LEVELS.get(self.stored["config"], 0.05)

    @property
    def statistic(self) -> str:
        """The kind of statistic, as we call it."""
        return "maximum" if self.stored["config"] == "maximum" else "quadratic"

    @property
    def is_adjusted(self) -> bool:
        """Whether the number of columns was taken into account."""
        return bool(self.stored["config"] != "univariate")

    @cached_property
    def _table(self) -> pd.DataFrame:
        table, used = _read_table(self.stored["table"]), self.stored["rows_used_1based"]
        return table if used is None else table.iloc[np.array(used) - 1].reset_index(drop=True)

    @property
    def X(self) -> pd.DataFrame:
        """The columns that are tested."""
        table: pd.DataFrame = self._table[self.stored["features"]]
        return table

    @property
    def y(self) -> npt.NDArray[Any]:
        """The number of each row's class, or a number."""
        target = self._table[self.stored["target"]]
        numbers: npt.NDArray[Any] = target.cat.codes.to_numpy() if self.of_classes else target.to_numpy()
        return numbers

    @property
    def of_classes(self) -> bool:
        """Whether a class is predicted."""
        return self.stored["ylevels"] is not None

    @cached_property
    def tested(self) -> list[CtreeNode]:
        """The tested nodes, the root first."""
        return [self._node(node) for node in self.stored["nodes"] if "criterion" in node]

    def node(self, number: int) -> dict[str, Any]:
        """A node as it was stored."""
        return self._by_number[number]

    def rows_of(self, number: int) -> npt.NDArray[np.int64]:
        """The rows at a node."""
        return np.flatnonzero(np.isin(self.stored["where"], self._leaves(self._by_number[number])))

    def _node(self, node: dict[str, Any]) -> CtreeNode:
        rows = self.rows_of(node["id"])
        assert node["criterion_rows"] == ["statistic", "p.value", "criterion"]
        numbers = (tuple(map(float, line)) for line in node["criterion"])
        return CtreeNode(node["id"], node["terminal"], rows, tuple(node["criterion_vars"]), *numbers)

    def _leaves(self, node: dict[str, Any]) -> list[int]:
        if node["terminal"]:
            return [node["id"]]
        return [leaf for kid in node["kids"] for leaf in self._leaves(self._by_number[kid])]

    @cached_property
    def _by_number(self) -> dict[int, dict[str, Any]]:
        return {node["id"]: node for node in self.stored["nodes"]}


def ctree_oracles() -> list[str]:
    """Return the names of the results to compare with, in the order of the alphabet."""
    return sorted({path.name.split(".json")[0] for path in (FOLDER / "ctree").glob("*.json*")})


def read_ctree_oracle(name: str) -> CtreeOracle:
    """Return one result by its name."""
    with _open_text(_found(FOLDER / "ctree" / f"{name}.json")) as file:
        return CtreeOracle(name, json.load(file))
