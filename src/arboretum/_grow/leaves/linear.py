"""Leaves that predict by linear models: ridge regression on the rows of each node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, TypeAlias, get_args

import numpy as np

from arboretum import _core
from arboretum._data import Column
from arboretum._grow.leaves.filling import LeafRows, not_bounded, not_divided
from arboretum._options.rules import Flag, Real, Whole, refuse
from arboretum._options.settings import Settings
from arboretum._options.strategies import FilledLeaf
from arboretum._tree.beside import beside_of
from arboretum._tree.composites import may_be_added
from arboretum._tree.linear_models import MODELS, design_of
from arboretum._tree.surgery import levels_below_root, with_beside
from arboretum._tree.tree import Tree
from arboretum._types import Array, Numbers
from arboretum._wording import did_you_mean
from arboretum.errors import DataError, ParameterError, listing

_LINEAR = "leaf=LinearModel"
_LARGEST: Final = float(np.finfo(np.float64).max)
UsedColumns: TypeAlias = Literal["path", "all"]


@dataclass(frozen=True)
class _UsedColumns:
    """Names of columns, or one of two words."""

    words: str = "'all', 'path' or a list of names of columns"

    def read(self, value: Any, name: str, owner: str = "") -> Any:
        if isinstance(value, str) and value in get_args(UsedColumns):
            return value
        if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
            return value
        raise refuse(value, name, owner, self.words)


class LinearModel(FilledLeaf):
    """Leaves predict by a linear model of the numeric columns, fitted to their own rows.

    The questions are those of the criterion "squared_error". Then every node gets a ridge regression on the
    rows that pass it: columns are standardised by the node's own mean and standard deviation, and the
    squares of their coefficients are penalised, not the intercept. Pruning compares sizes of the tree by the
    squared error of these models, so that the tree is as small as a linear model makes it.

    Numbers and integers are terms; nominal and ordered columns, dates and durations are only asked about. A
    missing or infinite value counts as the mean of the node's rows. A column that does not vary in a node, or
    that those before it make up exactly, gets no coefficient.

    >>> import numpy as np
    >>> from arboretum import TreeRegressor
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> y = np.where(X[:, 0] < 20, X[:, 0] + 5, 60 - X[:, 0])
    >>> print(TreeRegressor(leaf=LinearModel(ridge=0, smoothing=0)).fit(X, y).tree_)
    [40 rows]  squared_error 97.2, value 10.7927 + 0.600375·x0
    ├── x0 <= 16.5  [17 rows]  → 5 + 1·x0
    └── x0 > 16.5  [23 rows]  squared_error 35.4, value 41.6403 - 0.432806·x0
        ├── x0 <= 29.5  [13 rows]  → 19.0934 + 0.587912·x0
        └── x0 > 29.5  [10 rows]  → 60 - 1·x0

    Parameters
    ----------
    columns : {"all", "path"} or a list of names
        Which columns a model may have: all, only those that are asked about above the node, or these.
    ridge : float
        The penalty: how many rows it takes to halve the coefficient of a column that stands alone. It is the
        `alpha` of scikit-learn's Ridge on standardised columns, where rows have no weights; with weights, it
        is multiplied by their average.
    clip : bool
        Whether predictions are held within the range of the node's targets.
    smoothing : float
        Models are mixed with those of the nodes above, as in M5 (Quinlan 1992): on the way up from a leaf,
        the prediction p of a node of n rows and that of the model above it, q, make
        (n · p + smoothing · q) / (n + smoothing). 0 takes the models as they are.
    min_rows : int
        The fewest rows of a leaf, where `min_samples_leaf` does not ask for more.
    """

    columns: UsedColumns | Sequence[str] = "all"
    ridge: float = 1.0
    clip: bool = True
    smoothing: float = 15.0
    min_rows: int = 10

    _names: ClassVar = {"linear": {}}
    _rules: ClassVar = {
        "columns": _UsedColumns(),
        "ridge": Real("a number of 0 or more", finite=True),
        "clip": Flag(),
        "smoothing": Real("a number of rows, 0 or more", finite=True),
        "min_rows": Whole(1),
    }
    _targets = ("numbers",)
    _excludes = (
        not_bounded(_LINEAR),
        not_divided(_LINEAR, "a part of a row has no model of its own"),
    )

    @property
    def _least_rows(self) -> int:
        return int(self.min_rows)

    def _check_beside(self, settings: Settings) -> None:
        if settings.criterion != "squared_error":
            raise ParameterError(
                f"leaf=LinearModel(…) does not go with criterion={settings.criterion!r}: its models lower "
                "the squared error.\nHint: leave criterion as it is, or choose another leaf."
            )
        if any(leaf._holds_rows_back for leaf in settings.filled_leaves):
            raise ParameterError(
                "leaf=Honest(…) does not go with LinearModel(…): pruning needs the models of the rows that "
                "choose the questions.\nHint: choose one of them."
            )

    def _places(self, columns: tuple[Column, ...]) -> Array:
        """Return the places of the columns that may be terms."""
        numeric = [place for place, column in enumerate(columns) if may_be_added(column)]
        if isinstance(self.columns, str) and self.columns in ("all", "path"):
            return np.array(numeric, dtype=np.int32)
        names = [columns[place].name for place in numeric]
        wanted = list(self.columns)
        for name in wanted:
            if name not in names:
                raise DataError(
                    f"leaf=LinearModel(columns=…) names {name!r}, but the numeric columns are "
                    f"{listing(names, 10)}.{did_you_mean(str(name), names)}"
                )
        return np.array([place for place in numeric if columns[place].name in wanted], dtype=np.int32)

    def _grown(self, tree: Tree, rows: LeafRows) -> Tree:
        """Return the tree with the models of all its nodes."""
        places = self._places(tree.columns)
        used = np.ones((len(tree), len(places)), dtype=np.uint8)
        if isinstance(self.columns, str) and self.columns == "path":
            used = _asked_above(tree, places)
        found = _fitted(tree, rows, design_of(rows.table, places), used, float(self.ridge))
        if not self.clip:
            found |= {"low": np.full(len(tree), -_LARGEST), "high": np.full(len(tree), _LARGEST)}
        empty = tree.array("n_rows") == 0
        found["intercept"][empty] = tree.array("value")[empty]
        found["low"][empty] = found["high"][empty] = tree.array("value")[empty]
        found |= smoothed(tree, found["intercept"], found["coefficient"], float(self.smoothing))
        return with_beside(tree, {MODELS: beside_of(MODELS, {**found, "column": places})})


def _asked_above(tree: Tree, places: Array) -> Array:
    """Return for each node and column whether a question on its path is about the column."""
    used = np.zeros((len(tree), len(places)), dtype=np.uint8)
    term = {place: j for j, place in enumerate(places.tolist())}
    asked = np.zeros_like(used)
    for node in np.flatnonzero(tree.array("n_children")).tolist():
        about = {int(tree.array("column")[node])}
        if tree.terms:
            begin, end = tree.terms["begin"][node : node + 2].tolist()
            about |= set(tree.terms["column"][begin:end].tolist())
        for place in about & term.keys():
            asked[node, term[place]] = 1
    for level in levels_below_root(tree):
        parents = tree.array("parent")[level]
        used[level] = used[parents] | asked[parents]
    return used


def _fitted(tree: Tree, rows: LeafRows, design: Numbers, used: Array, ridge: float) -> dict[str, Array]:
    """Return the models of nodes; powers of two keep sums of huge and of tiny numbers within bounds."""
    targets = np.asarray(rows.targets.numbers, dtype=np.float64)
    own, of_columns = _power(targets[:, None])[0], _power(design)
    shape = _core.Shape(tree.array("parent"), tree.array("first_child"), tree.array("n_children"))
    found = _core.linear_models(
        shape,
        np.ascontiguousarray(rows.resting(tree), dtype=np.int32),
        np.ascontiguousarray(np.ldexp(design, -of_columns)),
        np.ldexp(targets, -own),
        np.ascontiguousarray(rows.deciding),
        np.ascontiguousarray(used),
        ridge,
    )
    width = (len(tree), design.shape[1])
    coefficient, fill = found["coefficient"].reshape(width), found["fill"].reshape(width)
    with np.errstate(over="ignore", under="ignore"):
        slopes = np.ldexp(coefficient, own - of_columns)
    lost = ~np.isfinite(slopes)  # of columns that are all but zero: only their means are left
    intercept = found["intercept"] + np.where(lost, coefficient * fill, 0.0).sum(axis=1)
    return {
        "coefficient": np.where(lost, 0.0, slopes),
        "fill": np.ldexp(fill, of_columns),
        **{name: np.ldexp(found[name], own) for name in ("low", "high")},
        "intercept": np.ldexp(intercept, own),
        "error": np.ldexp(found["error"], 2 * own),
    }


def _power(values: Numbers) -> Array:
    """Return for each column the power of two that its largest value does not exceed."""
    largest = np.max(np.abs(values), axis=0, initial=0.0, where=~np.isnan(values))
    return np.asarray(np.frexp(largest)[1])


def smoothed(tree: Tree, intercept: Numbers, coefficient: Numbers, strength: float) -> dict[str, Numbers]:
    """Return the models of nodes, mixed with those above them.

    Mixing is linear, so that what comes out is one model for each node. On its way up a leaf's model keeps
    the share n / (n + strength) at each step, and that of a node above gets the rest of the step below it,
    which then is itself mixed further up.
    """
    own = np.column_stack([intercept, coefficient])
    n_rows, parent = tree.array("n_rows").astype(np.float64), tree.array("parent")
    kept = n_rows / np.maximum(n_rows + strength, 1.0) if strength > 0 else np.ones(len(tree))
    share, above, found = np.ones(len(tree)), np.zeros_like(own), own.copy()
    for level in levels_below_root(tree):
        up = parent[level]
        above[level] = above[up] + ((1 - kept[level]) * share[up])[:, None] * own[up]
        share[level] = kept[level] * share[up]
        found[level] = share[level][:, None] * own[level] + above[level]
    return {"intercept": found[:, 0], "coefficient": found[:, 1:]}
