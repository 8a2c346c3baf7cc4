"""Stored results of rpart on tables with missing values, as plain trees: cuts, candidates, routes.

A cut tells for each value of a column to which child it goes, or that it cannot tell; a candidate is a cut
and what it is worth. Child 0 is rpart's left one. Nothing is compared here, and no tree is grown.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .rpart_oracle import BUNDLED, Oracle, Table

__all__ = [
    "FOLDER",
    "Candidate",
    "Cut",
    "PlainNode",
    "SurrogateOracle",
    "read_surrogate_oracle",
    "stored_results",
    "surrogate_oracles",
]

FOLDER: Final = Path(os.environ.get("ARBORETUM_ORACLES", BUNDLED / "surrogates"))
# Rows of weight zero are not there for us, but rpart takes the values beside a cut from them too.
LEFT_OUT: Final = ("weights_zero",)
NOWHERE: Final = -1  # the child of a value that a cut does not know

Numbers = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
Children = npt.NDArray[np.int64]
Values = dict[str, Numbers]


@dataclass(frozen=True)
class Cut:
    """Which values of a column go to which of two children: by a threshold, or level for level.

    `closed`: a value on the threshold goes with those below, as in our trees; in rpart's it does not.
    """

    column: str
    threshold: float = np.nan
    below: int = 0
    sides: Children | None = None
    closed: bool = False

    def children(self, values: Numbers) -> Children:
        """Return the child of each value, NOWHERE where it is missing or a level unknown to the cut."""
        children = np.full(len(values), NOWHERE)
        known = ~np.isnan(values)
        if self.sides is not None:
            children[known] = self.sides[values[known].astype(np.int64)]
            return children
        is_below = values[known] <= self.threshold if self.closed else values[known] < self.threshold
        children[known] = np.where(is_below, self.below, 1 - self.below)
        return children

    def swapped(self) -> Cut:
        """Return the cut that sends each value to the other child."""
        if self.sides is None:
            return replace(self, below=1 - self.below)
        return replace(self, sides=np.where(self.sides == NOWHERE, NOWHERE, 1 - self.sides))

    def on_our_side(self) -> Cut:
        """Return the cut with a value on the threshold where ours has it."""
        return replace(self, closed=True)


@dataclass(frozen=True)
class Candidate:
    """A cut and its worth: what it gains as a competitor, or its agreement as a surrogate."""

    cut: Cut
    worth: float
    adjusted: float = 0.0
    n_rows: int = 0  # that a surrogate sent when the tree was grown


@dataclass(frozen=True)
class PlainNode:
    """A node of any tree, without the tree. `classes` are the class weights, or the predicted number."""

    n_rows: int
    weight: float
    classes: tuple[float, ...]
    deviance: float = np.nan
    split: Candidate | None = None
    default: int = NOWHERE  # the child of rows that neither the split nor a surrogate can send
    surrogates: tuple[Candidate, ...] = ()
    competitors: tuple[Candidate, ...] = ()
    children: tuple[int, ...] = ()

    def send(self, values: Values, rows: Rows, *, by_surrogates: bool) -> Children:
        """Return the child of each of these rows, NOWHERE if it stays here."""
        assert self.split is not None
        children = self.split.cut.children(values[self.split.cut.column][rows])
        for surrogate in self.surrogates if by_surrogates else ():
            open_rows = children == NOWHERE
            children[open_rows] = surrogate.cut.children(values[surrogate.cut.column][rows[open_rows]])
        children[children == NOWHERE] = self.default
        return children


def _open_text(path: Path) -> Any:
    if path.exists():
        return path.open(encoding="utf-8", newline="")
    return gzip.open(f"{path}.gz", "rt", encoding="utf-8", newline="")


def _stored_table(folder: Path, name: str) -> Path:
    """Return where a table is: in the folder, or beside the tables without missing values."""
    here = folder / "data" / f"{name}.csv"
    there = folder.parent / "data" / f"{name}.csv"
    return here if here.exists() or here.with_suffix(".csv.gz").exists() else there


@lru_cache
def _descriptions(folder: Path) -> dict[str, Any]:
    stored = json.loads((folder / "datasets.json").read_text(encoding="utf-8"))
    return {table["id"]: table for table in stored["tables"]}


@lru_cache(maxsize=4)
def _read_table(folder: Path, name: str, suffix: str) -> Table:
    """Return a table with NaN for what is missing; levels by number from 0."""
    with _open_text(_stored_table(folder, name + suffix)) as file:
        header, *rows = csv.reader(file)
    kinds = {column["name"]: column for column in _descriptions(folder)[name]["cols"]}
    levels = {name: tuple(column["levels"]) for name, column in kinds.items() if column["kind"] != "numeric"}
    values = {}
    for column, cells in zip(header, zip(*rows, strict=True), strict=True):
        numbers = {level: float(i) for i, level in enumerate(levels.get(column, ()))} | {"": np.nan}
        values[column] = np.array([numbers[c] if column in levels or not c else float(c) for c in cells])
    return Table(values, levels)


@dataclass(frozen=True)
class SurrogateOracle:
    """One stored result of rpart. `oracle` holds its options and the rows that it learnt from."""

    oracle: Oracle
    full: Table
    blanked: Table | None
    kept: Rows  # the numbers, in the whole table, of the rows that it learnt from
    ordered: frozenset[str] = field(default_factory=frozenset)

    @property
    def stored(self) -> dict[str, Any]:
        """The file."""
        return self.oracle.stored

    @property
    def values(self) -> Values:
        """The columns of the rows that rpart learnt from."""
        return self.oracle.table.values

    @property
    def case_weights(self) -> Numbers:
        """The weight of each row that rpart learnt from."""
        return np.ones(len(self.kept)) if self.oracle.weights is None else self.oracle.weights

    @property
    def limits(self) -> dict[str, Any]:
        """What rpart was told, by its own names."""
        return self.oracle.control

    @property
    def sends_by_surrogates(self) -> bool:
        """Whether rows are sent by surrogates, and not only listed with them."""
        return bool(self.limits["usesurrogate"] > 0)

    @cached_property
    def where(self) -> Rows:
        """The number of the node in which each row that rpart learnt from came to rest."""
        return np.array(self.stored["where"], dtype=np.int64)

    @cached_property
    def rows_at(self) -> dict[int, Rows]:
        """The rows that came to each node when the tree was grown, by where each of them came to rest."""
        at: dict[int, list[int]] = {number: [] for number in self.nodes}
        for row, number in enumerate(self.where.tolist()):
            above = number
            while above >= 1:
                at[above].append(row)
                above //= 2
        return {number: np.array(rows, dtype=np.int64) for number, rows in at.items()}

    @cached_property
    def nodes(self) -> dict[int, PlainNode]:
        """The nodes by rpart's numbers. Their defaults are those of predicting, by numbers of rows."""
        frame, first, nodes = self.stored["frame"], 0, {}
        n_rows = dict(zip(frame["node"], frame["n"], strict=True))
        for place, number in enumerate(frame["node"]):
            theirs = self.oracle.node(number)
            classes = tuple(theirs.class_weights) if self.oracle.is_classification else (theirs.value,)
            node = PlainNode(theirs.n, theirs.weight, classes, theirs.deviance)
            if frame["var"][place] != "<leaf>":
                n_competitors, n_surrogates = frame["ncompete"][place], frame["nsurrogate"][place]
                listed = [self._candidate(first + i) for i in range(1 + n_competitors + n_surrogates)]
                first += len(listed)
                heavier = self._heavier(n_rows[2 * number], n_rows[2 * number + 1])
                node = replace(
                    node,
                    split=listed[0],
                    default=heavier if self.limits["usesurrogate"] > 1 else NOWHERE,
                    competitors=tuple(listed[1 : 1 + n_competitors]),
                    surrogates=tuple(listed[1 + n_competitors :]),
                    children=(2 * number, 2 * number + 1),
                )
            nodes[number] = node
        return nodes

    @staticmethod
    def _heavier(left: float, right: float, tie: int = NOWHERE) -> int:
        return tie if left == right else int(right > left)

    def primary_weights(self, number: int) -> tuple[float, float]:
        """Return the weight that the split of a node sends left and right."""
        rows, split = self.rows_at[number], self.nodes[number].split
        assert split is not None
        children = split.cut.children(self.values[split.cut.column][rows])
        weights = self.case_weights[rows]
        return float(weights[children == 0].sum()), float(weights[children == 1].sum())

    def growing_default(self, number: int, tie: int = NOWHERE) -> int:
        """Return the child of rows that nothing can send, when growing: by weight, not by number of rows."""
        sends = self.limits["usesurrogate"] > 1 and self.limits["maxsurrogate"] > 0
        return self._heavier(*self.primary_weights(number), tie) if sends else NOWHERE

    def _candidate(self, place: int) -> Candidate:
        splits = self.stored["splits"]
        column, kind, index = splits["var"][place], int(splits["ncat"][place]), float(splits["index"][place])
        cut = Cut(column, index, 0 if kind == -1 else 1)
        if abs(kind) > 1:
            stored = np.array(self.stored["csplit"][int(index) - 1][: abs(kind)], dtype=np.int64)
            cut = Cut(column, sides=np.array([NOWHERE, 0, NOWHERE, 1])[stored])
        numbers = (float(splits["improve"][place]), float(splits["adj"][place]), int(splits["count"][place]))
        return Candidate(cut, *numbers)

    def route(self, nodes: dict[int, PlainNode], values: Values) -> Rows:
        """Return the number of the node in which each row of a table comes to rest."""
        rest = np.ones(len(next(iter(values.values()))), dtype=np.int64)
        open_nodes = [(1, np.arange(len(rest)))]
        while open_nodes:
            number, rows = open_nodes.pop()
            rest[rows] = number
            node = nodes[number]
            if node.split is not None and len(rows):
                children = node.send(values, rows, by_surrogates=self.sends_by_surrogates)
                open_nodes += [(node.children[c], rows[children == c]) for c in (0, 1)]
        return rest

    def predictions(self) -> list[tuple[str, Table, Rows]]:
        """Return rpart's own routes: of the full table, and of the one with blanks."""
        tables = {"pred_full": self.full, "pred_blank10": self.blanked}
        found = {key: (table, self.stored.get(key)) for key, table in tables.items()}
        return [(key, t, np.array(p["node"], dtype=np.int64)) for key, (t, p) in found.items() if t and p]


def stored_results(folder: Path = FOLDER) -> list[str]:
    """Return the names of all results, in the order of the alphabet."""
    names = sorted({path.name.split(".json")[0] for path in (folder / "rpart").glob("*.json*")})
    tasks = {name: name.split("__") for name in names}
    kind = {
        (table, task["id"]): task["task"] for table, t in _descriptions(folder).items() for task in t["tasks"]
    }
    return [name for name, (table, task, _) in tasks.items() if kind[table, task] != "poisson"]


def surrogate_oracles(folder: Path = FOLDER) -> list[str]:
    """Return the names of the results that our trees promise to agree with."""
    return [name for name in stored_results(folder) if name.split("__")[2] not in LEFT_OUT]


@lru_cache(maxsize=1_000)  # several tests look at each, and none changes it
def read_surrogate_oracle(name: str, folder: Path = FOLDER) -> SurrogateOracle:
    """Return one result by its name."""
    with _open_text(folder / "rpart" / f"{name}.json") as file:
        stored = json.load(file)
    table, description = stored["table"], _descriptions(folder)[stored["table"]]
    full = _read_table(folder, table, "")
    has_blanks = stored.get("pred_blank10") is not None or stored["data"] == "blank10"
    blanked = _read_table(folder, table, ".blank10") if has_blanks else None
    learnt = blanked if stored["data"] == "blank10" else full
    assert learnt is not None
    n_rows = len(next(iter(full.values.values())))
    dropped = np.array(stored.get("dropped_rows") or [], dtype=np.int64) - 1
    kept = np.setdiff1d(np.arange(n_rows), dropped)
    if stored.get("weights") is not None:
        stored["weights"] = np.array(stored["weights"], dtype=np.float64)[kept].tolist()
    seen = Table({column: values[kept] for column, values in learnt.values.items()}, learnt.levels)
    ordered = frozenset(column["name"] for column in description["cols"] if column["kind"] == "ordered")
    return SurrogateOracle(Oracle(name, stored, seen), full, blanked, kept, ordered)
