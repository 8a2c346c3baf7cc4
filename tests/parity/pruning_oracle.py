"""Stored results of rpart as pruning sees them: the table of complexities, the folds, the pruned trees.

A row of the table is one tree of the sequence: CP, number of splits, error, cross-validated error and its
standard error, all in shares of the root's risk. Nothing is compared here, and no tree is grown;
data/pruning/README.md says where the numbers come from.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from . import rpart_oracle, surrogate_oracle
from .plain_pruning import SAME
from .surrogate_oracle import LEFT_OUT, SurrogateOracle

__all__ = ["PruningOracle", "Row", "Selected", "pruning_oracles", "read_pruning_oracle"]

# What rpart takes where the file does not say.
SURROGATE_DEFAULTS: Final = {"maxcompete": 4, "maxsurrogate": 5, "usesurrogate": 2, "surrogatestyle": 0}

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Row:
    """A row of rpart's table; NaN where nothing was cross-validated."""

    cp: float
    n_splits: int
    error: float
    cv_error: float = np.nan
    cv_se: float = np.nan


@dataclass(frozen=True)
class Selected:
    """The tree that rpart's users would select: the row it comes from, and the numbers of its nodes."""

    row: int
    nodes: frozenset[int]


@dataclass(frozen=True)
class PruningOracle:
    """One stored result of rpart and what its pruning says."""

    name: str
    grown: SurrogateOracle
    facts: dict[str, Any]
    folds: Rows | None  # the fold that each row is held out in

    @cached_property
    def rows(self) -> list[Row]:
        """The table, from the root alone to rpart's tree. Rows whose CP differ by rounding are one."""
        rows = [Row(float(row[0]), int(row[1]), *map(float, row[2:])) for row in self.facts["cptable"]]
        kept = rows[:1]
        kept += [row for above, row in pairwise(rows) if above.cp - row.cp > SAME]
        return kept

    @property
    def cp(self) -> float:
        """The least complexity, in shares of the root's risk, that rpart was asked for."""
        return float(self.grown.limits["cp"])

    @property
    def root_risk(self) -> float:
        """The risk of the root, summed over the rows."""
        return self.grown.nodes[1].deviance

    @property
    def least(self) -> float:
        """The least complexity, summed over the rows."""
        return self.cp * self.root_risk

    def complexity(self, number: int) -> float:
        """Return the complexity of a node in shares of the root's risk."""
        place = self.grown.stored["frame"]["node"].index(number)
        return float(self.facts["complexity"][place])

    def selected(self, rule: str) -> Selected | None:
        """Return the tree of least cross-validated error ("min"), or the smallest nearly as good ("1se")."""
        stored = self.facts.get({"min": "prune_min_xerror", "1se": "prune_1se"}[rule])
        return stored and Selected(int(stored["row"]) - 1, frozenset(stored["node"]))


@lru_cache
def _stored_in(folder: Path) -> set[str]:
    return {path.name.split(".json")[0] for path in (folder / "rpart").glob("*.json*")}


@lru_cache
def _bundled_facts() -> dict[str, Any]:
    with gzip.open(rpart_oracle.BUNDLED / "pruning" / "rpart.json.gz", "rt", encoding="utf-8") as file:
        return dict(json.load(file))


def pruning_oracles() -> list[str]:
    """Return the names of the results to compare with, in the order of the alphabet."""
    names = set(surrogate_oracle.surrogate_oracles())
    if rpart_oracle.FOLDER == rpart_oracle.BUNDLED:
        names |= set(rpart_oracle.usable_oracles())
    return sorted(name for name in names if name.split("__")[2] not in LEFT_OUT)


def _complete(name: str) -> SurrogateOracle:
    """Return a result of a table in which nothing is missing, whose file holds less."""
    oracle = rpart_oracle.read_oracle(name)
    oracle.stored["control"] = SURROGATE_DEFAULTS | oracle.stored["control"]
    splits = oracle.stored["splits"]
    nothing = [0] * len(splits["var"]) if splits else []  # no surrogates, so no agreement and no rows sent
    oracle.stored["data"] = "full"
    oracle.stored["splits"] = {"adj": nothing, "count": nothing} | (splits or {})
    known = SurrogateOracle(oracle, oracle.table, None, np.arange(len(oracle.target)))
    oracle.stored["where"] = known.route(known.nodes, known.values).tolist()
    return known


def _facts(name: str, stored: dict[str, Any]) -> dict[str, Any]:
    """Return the facts from the result itself, or from the file beside the bundled ones."""
    if "cptable" in stored:
        return stored | {"complexity": stored["frame"]["complexity"]}
    bundled = _bundled_facts()
    facts = dict(bundled["results"][name])
    if "xval_groups" in facts:
        facts["xval_groups"] = bundled["groups"][facts["xval_groups"]]
    return facts


@lru_cache(maxsize=1_000)  # several tests look at each, and none changes it
def read_pruning_oracle(name: str) -> PruningOracle:
    """Return one result by its name."""
    here = name in _stored_in(surrogate_oracle.FOLDER)
    grown = surrogate_oracle.read_surrogate_oracle(name) if here else _complete(name)
    facts = _facts(name, grown.stored)
    groups = facts.get("xval_groups")
    folds = None if groups is None else np.array(groups, dtype=np.int64)
    if folds is not None and len(folds) != len(grown.kept):
        folds = folds[grown.kept]
    return PruningOracle(name, grown, facts, folds)
