"""The rows that an edit counts or grows from: read with the tree's columns and classes, routed to the node.

`data` is (X, y) or (X, y, sample_weight). Where a tree divides rows, only a share of a row may reach a node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from arboretum._data import Dataset, match_dataset
from arboretum._data.class_weights import ClassFactors, class_totals, resolve_factors
from arboretum._data.targets import match_classes, read_numbers, read_weights
from arboretum._grow.targets import Targets, class_targets, evenly, number_targets
from arboretum._grow.training_rows import TrainingRows, choose_rows
from arboretum._options.settings import Settings
from arboretum._tree.leaves import LeafRule
from arboretum._tree.tree import Tree, core_dataset
from arboretum._types import Array, Numbers, RowNumbers
from arboretum._wording import shown
from arboretum.errors import DataError, ParameterError

LEAST_SHARE = 1e-6  # smaller parts of a row are ignored, as in growing
_FORM = "data is (X, y) or (X, y, sample_weight): a table, a target for each of its rows, and their weights"


@dataclass(frozen=True)
class RowsAtNode:
    """A table and its targets; each weight counts only the share of the row that reaches the node."""

    data: Dataset
    targets: Targets
    table: Dataset  # all rows, also those that go elsewhere
    numbers: RowNumbers  # of the rows at the node, in the table

    @property
    def values(self) -> Array:
        """The target of each row: the number of a class, or a number."""
        return np.asarray(self.targets.numbers if self.targets.classes is None else self.targets.classes)

    @property
    def deciding(self) -> Numbers:
        """The weights by which questions are judged."""
        weights = self.targets.weights
        return np.ones(self.targets.n_rows) if weights is None else weights

    @property
    def reported(self) -> Numbers:
        """The weights that nodes show."""
        weights = self.targets.reported_weights
        return np.ones(self.targets.n_rows) if weights is None else weights


def read_rows(tree: Tree, trimmed: Tree, leaf: int, place: str, data: Any, settings: Settings) -> RowsAtNode:
    """Return the rows of `data` that reach a leaf of `trimmed`, the tree without the branch below it.

    `place` is its name in messages. Of the settings, what matters here is how missing values and weights are
    treated.
    """
    given = read_data(tree, data)
    chosen = choose_rows(given.data, given.targets, given.weights, settings.missing)
    rows, targets = _targets(tree, chosen, settings)
    shares = _shares(trimmed, leaf, rows.data)
    here = shares > LEAST_SHARE
    if not here.any():
        raise DataError(
            f"None of the {rows.data.n_rows:,} rows of data reaches {place}, so that nothing can be learnt "
            "there.\nHint: give data with such rows, or edit a node above."
        )
    numbers = np.flatnonzero(here).astype(np.uint32)
    at_node = targets.take(numbers).shared(shares[here])
    return RowsAtNode(rows.data.take(here), at_node, rows.data, numbers)


def read_data(tree: Tree, data: Any, *, named: bool | None = None, owner: str = "this tree") -> TrainingRows:
    """Return all rows of `data`, in the columns and classes of the tree.

    `named` says whether the tree's column names are real ones; `owner` is the name in messages.
    """
    if not isinstance(data, tuple) or len(data) not in (2, 3):
        found = f"a tuple of {len(data)}" if isinstance(data, tuple) else type(data).__name__
        raise DataError(f"{_FORM}, not {found}.")
    X, y, sample_weight = (*data, None) if len(data) == 2 else data
    if y is None:
        raise DataError(f"{_FORM}, but y is None.")
    table = match_dataset(X, tree.columns, named=tree._is_named if named is None else named, owner=owner)
    if tree.target.classes is None:
        targets: Array = read_numbers(y, table.n_rows, "tree")
    else:
        targets = match_classes(y, table.n_rows, _class_array(tree), "tree")
    return TrainingRows(table, targets, read_weights(sample_weight, table.n_rows))


def _targets(tree: Tree, rows: TrainingRows, settings: Settings) -> tuple[TrainingRows, Targets]:
    """Return the rows with a weight, and their targets."""
    if tree.target.classes is None:
        targets = number_targets(rows, tree.criterion)
    else:
        factors = _class_factors(tree, rows, settings.class_weight)
        rows = rows.only(factors.case[rows.targets] > 0)
        targets = class_targets(rows, len(tree.target.classes), factors)
    return rows, evenly(targets) if settings.counts_weight else targets


def _class_factors(tree: Tree, rows: TrainingRows, class_weight: Any) -> ClassFactors:
    """Return the factor of each class, as it was when the tree was grown."""
    rule, classes = _rule_of(tree), _class_array(tree)
    own = _own_weights(tree)
    totals = class_totals(rows.targets, rows.weights, len(classes))
    if class_weight is not None or own is None:
        own = _given_weights(class_weight, own, classes, totals)
    if not (totals * own).any():
        raise DataError("The tree's class_weight gives every row of data the weight zero.")
    return ClassFactors(own, rule.factors, split_factors(tree), rule.prior, rule.loss)


def _own_weights(tree: Tree) -> Numbers | None:
    """Return the factor by which the tree multiplied the rows of each class; None if it is unknown."""
    known = _rule_of(tree).class_weight
    return known if known is not None else _proven_even(tree)


def _proven_even(tree: Tree) -> Numbers | None:
    """Return ones if the numbers of a tree from an older file prove that every row counted 1.

    With class weights w, the number of rows in a leaf is the sum of counts / w over the classes. If w = 1
    solves this for all leaves, and they differ enough that nothing else does, it is proven.
    """
    leaves = tree.array("n_children") == 0
    counts, n_rows, present = (
        tree.array("counts")[leaves],
        tree.array("n_rows")[leaves],
        tree.array("counts")[0] > 0,
    )
    whole = np.array_equal(counts.sum(axis=1), n_rows) and np.array_equal(counts, np.floor(counts))
    if not whole or np.linalg.matrix_rank(counts[:, present]) < present.sum():
        return None
    return np.ones(len(present))


def _given_weights(class_weight: Any, own: Numbers | None, classes: Array, totals: Numbers) -> Numbers:
    """Return the factors that an option gives; they must agree with those of the tree, if known."""
    if class_weight is None:
        raise DataError(
            "The tree comes from a file that does not tell what its classes were weighted by, so rows cannot "
            "be counted as they were when it was grown.\nHint: fit the model again; to regrow, class_weight= "
            "tells it."
        )
    given = resolve_factors(classes, totals, class_weight=class_weight).case
    if own is not None and not np.allclose(given[totals > 0], own[totals > 0], rtol=1e-9, atol=0.0):
        counted = ", ".join(f"{label!r}: {weight:g}" for label, weight in zip(classes, own, strict=True))
        raise ParameterError(
            f"class_weight={shown(class_weight)} is not allowed: it belongs to the whole tree, which has "
            f"{{{counted}}}.\nHint: leave it out, or fit the estimator anew."
        )
    return given if own is None else own


def _rule_of(tree: Tree) -> LeafRule:
    if tree.rule is None:
        raise DataError("The tree predicts numbers, which have no classes.")
    return tree.rule


def _class_array(tree: Tree) -> Array:
    return np.array(tree.target.classes, dtype=object)


def split_factors(tree: Tree) -> Numbers:
    """Return the factors from the class weights that nodes show to those that decide questions."""
    rule = _rule_of(tree)
    factors = rule.factors if rule.loss is None else rule.factors * rule.loss.sum(axis=1)
    present = factors[tree.array("counts")[0] > 0]
    # The same for all but for rounding: then nothing is changed, as when the tree was grown.
    same = len(present) == 0 or np.ptp(present) <= 8 * np.finfo(np.float64).eps * present.max()
    return np.ones_like(factors) if same else factors


def share_of_weight(tree: Tree, node: int) -> float:
    """Return the node's share of the weight of the whole tree, as questions are judged."""
    if tree.target.classes is None:
        weight = tree.array("weight")
    else:
        weight = tree.array("counts") @ split_factors(tree)
    return float(weight[node] / weight[0])


def _shares(tree: Tree, leaf: int, data: Dataset) -> Numbers:
    """Return the share of each row that reaches a leaf."""
    if tree.missing != "fractions":
        return np.asarray(tree._leaves_of(data) == leaf, dtype=np.float64)
    is_leaf = np.zeros((len(tree), 1))
    is_leaf[leaf] = 1.0
    shares: Numbers = tree._router.blend(core_dataset(data), is_leaf)[:, 0]
    return shares
